// AES-GCM (SP 800-38D) for every machine: four counter blocks at once through bit-sliced AES, GHASH by
// integer multiplication with holes, one block after the other. No table, no branch on data: constant time.
#include <cstring>

#include "impls/aes/portable_core.h"
#include "impls/aes_gcm/kernel.h"
#include "impls/aes_gcm/started_block_core.h"
#include "impls/core/endian.h"
#include "impls/core/probe.h"
#include "impls/ghash/portable_core.h"

namespace lockstep::aes_gcm {
namespace {

constexpr unsigned stride_blocks = 4;
constexpr std::size_t stride_bytes = stride_blocks * block_bytes;

struct Context {
  aes::SlicedKey aes;
  ghash::PortableKey ghash;
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
  c.ghash = ghash::expand(h);
}

void hash(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const ghash::PortableKey key = static_cast<const Context*>(context)->ghash;
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

// The keystream of counter, counter + 1, .. + 3: only the last column of a counter block counts, modulo 2^32.
aes::FourBlocks make_keystream(const aes::SlicedKey& key, aes::Block block, std::uint32_t counter) noexcept {
  const auto at = [block](std::uint32_t c) noexcept {
    return aes::Block{block.c0, block.c1, block.c2, __builtin_bswap32(c)};
  };
  return aes::encrypt(key, at(counter), at(counter + 1), at(counter + 2), at(counter + 3));
}

// A whole block; gives the ciphertext.
template <Direction direction>
ghash::Element crypt_block(const aes::Block& keystream, const std::uint8_t* in, std::uint8_t* out) noexcept {
  const ghash::Element given = ghash::load_element(in);
  const std::uint64_t high = given.high ^ __builtin_bswap64(keystream.c0 | std::uint64_t{keystream.c1} << 32);
  const std::uint64_t low = given.low ^ __builtin_bswap64(keystream.c2 | std::uint64_t{keystream.c3} << 32);
  ghash::store_element(out, {high, low});
  if constexpr (direction == Direction::open) return given;
  return {high, low};
}

template <Direction direction>
void crypt(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  const ghash::PortableKey h = c.ghash;
  const aes::Block block = aes::load_block(state.counter);
  std::uint32_t counter = core::load_be32(state.counter + 12);
  ghash::Element sum = ghash::load_element(state.ghash);
  while (bytes > 0) {
    const aes::FourBlocks keystream = make_keystream(c.aes, block, counter);
    if (bytes >= stride_bytes) core::count_bulk_iteration();
    for (const aes::Block& next : keystream.block) {
      if (bytes == 0) break;
      ++counter;
      if (bytes < block_bytes) {
        std::uint8_t mask[block_bytes];
        aes::store_block(mask, next);
        start_block<direction>(state, mask, in, out, bytes);
        bytes = 0;
        break;
      }
      sum = ghash::absorb(h, sum, crypt_block<direction>(next, in, out));
      in += block_bytes;
      out += block_bytes;
      bytes -= block_bytes;
    }
  }
  core::store_be32(state.counter + 12, counter);
  ghash::store_element(state.ghash, sum);
}

constexpr unsigned tail_strides[] = {1};
constexpr std::string_view linux_aliases[] = {"gcm_base(ctr(aes-fixed-time),ghash-generic)"};

}  // namespace

extern constinit const Implementation portable = {
    .info =
        {
            .name = "portable",
            .arch = "any",
            .required = {},
            .priority = 100,
            .constant_time = true,
            .stride_blocks = stride_blocks,
            .tail_strides = tail_strides,
            .linux_aliases = linux_aliases,
        },
    .expand_key = expand_key,
    .encrypt_block = encrypt_block,
    .hash = hash,
    .seal = crypt<Direction::seal>,
    .open = crypt<Direction::open>,
};

}  // namespace lockstep::aes_gcm
