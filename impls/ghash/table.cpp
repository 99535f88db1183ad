// GHASH (SP 800-38D, section 6.4) with 4-bit tables of multiples of H (table_core.h), block by block. The
// plain textbook speed-up: quick without special instructions, but its look-ups depend on secrets. Not
// constant time.
#include "impls/core/probe.h"
#include "impls/ghash/kernel.h"
#include "impls/ghash/table_core.h"

namespace lockstep::ghash {
namespace {

struct Context {
  std::uint8_t h[block_bytes];
  TableKey key;
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

void expand_key(void* context, const std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  std::memcpy(c.h, h, block_bytes);
  expand(c.key, h);
}

void hash_bytes(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const TableKey& key = static_cast<const Context*>(context)->key;
  Element sum = load_element(y);
  for (; bytes >= block_bytes; bytes -= block_bytes, data += block_bytes) {
    core::count_bulk_iteration();
    sum = absorb(key, sum, load_element(data));
  }
  if (bytes > 0) {
    std::uint8_t padded[block_bytes] = {};
    std::memcpy(padded, data, bytes);
    sum = absorb(key, sum, load_element(padded));
  }
  store_element(y, sum);
}

constexpr std::string_view linux_aliases[] = {"ghash-generic"};

}  // namespace

extern constinit const Implementation table = {
    .info =
        {
            .name = "table",
            .arch = "any",
            .required = {},
            .priority = 200,
            .constant_time = false,
            .stride_blocks = 1,
            .tail_strides = {},
            .linux_aliases = linux_aliases,
        },
    .expand_key = expand_key,
    .hash = hash_bytes,
};

}  // namespace lockstep::ghash
