// AES-GCM (SP 800-38D) with look-up tables, one block after the other: T-tables for AES, 4-bit tables of
// multiples of H for GHASH. What a textbook does without special instructions. The look-ups depend on
// secrets: not constant time.
#include <cstring>

#include "impls/aes/table_core.h"
#include "impls/aes_gcm/kernel.h"
#include "impls/aes_gcm/started_block_core.h"
#include "impls/core/endian.h"
#include "impls/core/probe.h"
#include "impls/ghash/table_core.h"

namespace lockstep::aes_gcm {
namespace {

struct Context {
  aes::TableKey aes;
  ghash::TableKey ghash;
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

void encrypt_block(const void* context, const std::uint8_t* in, std::uint8_t* out) noexcept {
  aes::encrypt_block(static_cast<const Context*>(context)->aes, in, out);
}

void expand_key(void* context, const std::uint8_t* key, std::size_t key_bytes, std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  aes::expand_key(c.aes, key, key_bytes);
  std::memset(h, 0, block_bytes);
  aes::encrypt_block(c.aes, h, h);
  ghash::expand(c.ghash, h);
}

void hash(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const ghash::TableKey& key = static_cast<const Context*>(context)->ghash;
  ghash::Element sum = ghash::load_element(y);
  for (; bytes >= block_bytes; bytes -= block_bytes, data += block_bytes) {
    sum = ghash::absorb(key, sum, ghash::load_element(data));
  }
  if (bytes > 0) {
    std::uint8_t padded[block_bytes] = {};
    std::memcpy(padded, data, bytes);
    sum = ghash::absorb(key, sum, ghash::load_element(padded));
  }
  ghash::store_element(y, sum);
}

template <Direction direction>
void crypt(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  std::uint8_t keystream[block_bytes];
  ghash::Element sum = ghash::load_element(state.ghash);
  while (bytes > 0) {
    aes::encrypt_block(c.aes, state.counter, keystream);
    core::store_be32(state.counter + 12, core::load_be32(state.counter + 12) + 1);
    if (bytes < block_bytes) {
      start_block<direction>(state, keystream, in, out, bytes);
      break;
    }
    core::count_bulk_iteration();
    const ghash::Element given = ghash::load_element(in);
    const ghash::Element mask = ghash::load_element(keystream);
    const ghash::Element made = {given.high ^ mask.high, given.low ^ mask.low};
    ghash::store_element(out, made);
    sum = ghash::absorb(c.ghash, sum, direction == Direction::seal ? made : given);
    in += block_bytes;
    out += block_bytes;
    bytes -= block_bytes;
  }
  ghash::store_element(state.ghash, sum);
}

constexpr std::string_view linux_aliases[] = {"gcm_base(ctr(aes-generic),ghash-generic)"};

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
    .encrypt_block = encrypt_block,
    .hash = hash,
    .seal = crypt<Direction::seal>,
    .open = crypt<Direction::open>,
};

}  // namespace lockstep::aes_gcm
