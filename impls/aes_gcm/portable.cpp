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
void make_keystream(const aes::SlicedKey& key, const std::uint8_t* counter_block, std::uint32_t counter,
                    std::uint8_t* keystream) noexcept {
  const std::uint32_t nonce_0 = core::load_le32(counter_block);
  const std::uint32_t nonce_1 = core::load_le32(counter_block + 4);
  const std::uint32_t nonce_2 = core::load_le32(counter_block + 8);
  std::uint32_t columns[4][4];
  for (std::uint32_t b = 0; b < stride_blocks; ++b) {
    columns[b][0] = nonce_0;
    columns[b][1] = nonce_1;
    columns[b][2] = nonce_2;
    columns[b][3] = __builtin_bswap32(counter + b);
  }
  aes::Sliced s = aes::slice(columns);
  aes::encrypt(key, s);
  aes::unslice(s, columns);
  for (unsigned b = 0; b < stride_blocks; ++b) {
    for (unsigned c = 0; c < 4; ++c) core::store_le32(keystream + 16 * b + 4 * c, columns[b][c]);
  }
}

template <Direction direction>
void crypt(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  std::uint8_t keystream[stride_bytes];
  std::uint32_t counter = core::load_be32(state.counter + 12);
  ghash::Element sum = ghash::load_element(state.ghash);
  while (bytes > 0) {
    make_keystream(c.aes, state.counter, counter, keystream);
    if (bytes >= stride_bytes) core::count_bulk_iteration();
    const std::uint8_t* next = keystream;
    for (; bytes >= block_bytes && next != keystream + stride_bytes; next += block_bytes) {
      const ghash::Element given = ghash::load_element(in);
      const ghash::Element mask = ghash::load_element(next);
      const ghash::Element made = {given.high ^ mask.high, given.low ^ mask.low};
      ghash::store_element(out, made);
      sum = ghash::absorb(c.ghash, sum, direction == Direction::seal ? made : given);
      ++counter;
      in += block_bytes;
      out += block_bytes;
      bytes -= block_bytes;
    }
    if (bytes > 0 && next != keystream + stride_bytes) {
      start_block<direction>(state, next, in, out, bytes);
      ++counter;
      bytes = 0;
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
