// GHASH (SP 800-38D, section 6.4) for every machine, block by block, multiplication by integer multiplication
// with holes (portable_core.h). No table, no branch on data: constant time.
#include "impls/core/probe.h"
#include "impls/ghash/kernel.h"
#include "impls/ghash/portable_core.h"

namespace lockstep::ghash {
namespace {

struct Context {
  std::uint8_t h[block_bytes];
  PortableKey key;
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

void expand_key(void* context, const std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  std::memcpy(c.h, h, block_bytes);
  c.key = expand(h);
}

void hash_bytes(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const PortableKey key = static_cast<const Context*>(context)->key;
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

}  // namespace

extern constinit const Implementation portable = {
    .info =
        {
            .name = "portable",
            .arch = "any",
            .required = {},
            .priority = 100,
            .constant_time = true,
            .stride_blocks = 1,
            .tail_strides = {},
            .linux_aliases = {},
        },
    .expand_key = expand_key,
    .hash = hash_bytes,
};

}  // namespace lockstep::ghash
