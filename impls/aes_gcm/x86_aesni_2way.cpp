// AES-GCM (SP 800-38D) with AES-NI and PCLMULQDQ, two blocks an iteration, CTR fused with GHASH (the scheme
// of Linux's arm64 kernel of 2018). Schedule: the pair of keystream blocks is made one iteration ahead; the
// iteration XORs it, then makes the next pair while it hashes the pair of ciphertext just passed, AES rounds
// and the multiplications of y = (y + c0) H^2 + c1 H alternating, one reduction for both. Up to 31 bytes are
// left, at most one whole block and a started one, for which the keystream is already there.
// Every instruction takes the same time for all data: constant time.
#include <cstring>

#include "impls/aes/x86_aesni_core.h"
#include "impls/aes_gcm/kernel.h"
#include "impls/aes_gcm/started_block_core.h"
#include "impls/core/probe.h"
#include "impls/ghash/x86_pclmul_core.h"

namespace lockstep::aes_gcm {
namespace {

constexpr unsigned stride_blocks = 2;
constexpr std::size_t stride_bytes = stride_blocks * block_bytes;

struct Context {
  aes::AesniKey aes;
  ghash::ClmulPower powers[stride_blocks];
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

void expand_key(void* context, const std::uint8_t* key, std::size_t key_bytes, std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  aes::expand_key(c.aes, key, key_bytes);
  std::memset(h, 0, block_bytes);
  aes::encrypt_block(c.aes, h, h);
  ghash::expand(c.powers, h);
}

void encrypt_block(const void* context, const std::uint8_t* in, std::uint8_t* out) noexcept {
  aes::encrypt_block(static_cast<const Context*>(context)->aes, in, out);
}

__m128i absorb(const Context& c, __m128i sum, __m128i block) noexcept {
  return ghash::reduce(ghash::multiply(c.powers[0], _mm_xor_si128(sum, block)));
}

// Two blocks, byte-reversed.
__m128i absorb_pair(const Context& c, __m128i sum, __m128i first, __m128i second) noexcept {
  const ghash::ClmulProduct p0 = ghash::multiply(c.powers[1], _mm_xor_si128(sum, first));
  const ghash::ClmulProduct p1 = ghash::multiply(c.powers[0], second);
  return ghash::reduce(ghash::add(p0, p1));
}

void hash(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  __m128i sum = ghash::load_block(y);
  for (; bytes >= stride_bytes; bytes -= stride_bytes, data += stride_bytes) {
    sum = absorb_pair(c, sum, ghash::load_block(data), ghash::load_block(data + block_bytes));
  }
  if (bytes >= block_bytes) {
    sum = absorb(c, sum, ghash::load_block(data));
    bytes -= block_bytes;
    data += block_bytes;
  }
  if (bytes > 0) {
    std::uint8_t padded[block_bytes] = {};
    std::memcpy(padded, data, bytes);
    sum = absorb(c, sum, ghash::load_block(padded));
  }
  ghash::store_block(y, sum);
}

struct Pair {
  __m128i first, second;
};

// Byte-reversed, the 32 bits that count are the lowest lane, and PADDD carries into no other.
[[gnu::always_inline]] inline __m128i advance(__m128i counter, int blocks) noexcept {
  return _mm_add_epi32(counter, _mm_set_epi32(0, 0, 0, blocks));
}

[[gnu::always_inline]] inline Pair counter_blocks(__m128i counter) noexcept {
  return {ghash::reverse_bytes(counter), ghash::reverse_bytes(advance(counter, 1))};
}

[[gnu::always_inline]] inline Pair add_key(Pair p, __m128i key) noexcept {
  return {_mm_xor_si128(p.first, key), _mm_xor_si128(p.second, key)};
}

[[gnu::always_inline]] inline Pair round(Pair p, __m128i key) noexcept {
  return {_mm_aesenc_si128(p.first, key), _mm_aesenc_si128(p.second, key)};
}

[[gnu::always_inline]] inline Pair last_round(Pair p, __m128i key) noexcept {
  return {_mm_aesenclast_si128(p.first, key), _mm_aesenclast_si128(p.second, key)};
}

Pair make_keystream(const Context& c, __m128i counter) noexcept {
  Pair p = add_key(counter_blocks(counter), aes::round_key(c.aes, 0));
  for (std::uint64_t n = 1; n < c.aes.rounds; ++n) p = round(p, aes::round_key(c.aes, n));
  return last_round(p, aes::round_key(c.aes, c.aes.rounds));
}

// make_keystream and absorb_pair interleaved: every key size has nine rounds to hide the hashing in.
Pair make_keystream_and_absorb(const Context& c, __m128i counter, __m128i& sum, __m128i first,
                               __m128i second) noexcept {
  Pair p = add_key(counter_blocks(counter), aes::round_key(c.aes, 0));
  p = round(p, aes::round_key(c.aes, 1));
  const __m128i a = _mm_xor_si128(sum, first);
  const __m128i h2 = ghash::load(c.powers[1].value);
  __m128i low = _mm_clmulepi64_si128(a, h2, 0x00);
  p = round(p, aes::round_key(c.aes, 2));
  __m128i high = _mm_clmulepi64_si128(a, h2, 0x11);
  p = round(p, aes::round_key(c.aes, 3));
  __m128i middle = _mm_clmulepi64_si128(ghash::sum_of_halves(a), ghash::load(c.powers[1].sum), 0x00);
  p = round(p, aes::round_key(c.aes, 4));
  const __m128i h1 = ghash::load(c.powers[0].value);
  low = _mm_xor_si128(low, _mm_clmulepi64_si128(second, h1, 0x00));
  p = round(p, aes::round_key(c.aes, 5));
  high = _mm_xor_si128(high, _mm_clmulepi64_si128(second, h1, 0x11));
  p = round(p, aes::round_key(c.aes, 6));
  middle = _mm_xor_si128(
      middle, _mm_clmulepi64_si128(ghash::sum_of_halves(second), ghash::load(c.powers[0].sum), 0x00));
  p = round(p, aes::round_key(c.aes, 7));
  const ghash::ClmulWide wide = ghash::combine({low, high, middle});
  p = round(p, aes::round_key(c.aes, 8));
  const __m128i folded = ghash::fold_low_word(wide.low);
  p = round(p, aes::round_key(c.aes, 9));
  sum = _mm_xor_si128(wide.high, ghash::fold_low_word(folded));
  for (std::uint64_t n = 10; n < c.aes.rounds; ++n) p = round(p, aes::round_key(c.aes, n));
  return last_round(p, aes::round_key(c.aes, c.aes.rounds));
}

template <Direction direction>
void crypt(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const Context& c = *static_cast<const Context*>(context);
  __m128i counter = ghash::load_block(state.counter);  // of the first block not yet passed
  __m128i sum = ghash::load_block(state.ghash);
  Pair keystream = make_keystream(c, counter);
  while (bytes >= stride_bytes) {
    core::count_bulk_iteration();
    const Pair given = {ghash::load(in), ghash::load(in + block_bytes)};
    const Pair made = {_mm_xor_si128(given.first, keystream.first),
                       _mm_xor_si128(given.second, keystream.second)};
    ghash::store(out, made.first);
    ghash::store(out + block_bytes, made.second);
    const Pair& ciphertext = direction == Direction::seal ? made : given;
    const __m128i first = ghash::reverse_bytes(ciphertext.first);
    const __m128i second = ghash::reverse_bytes(ciphertext.second);
    counter = advance(counter, stride_blocks);
    in += stride_bytes;
    out += stride_bytes;
    bytes -= stride_bytes;
    if (bytes > 0) {
      keystream = make_keystream_and_absorb(c, counter, sum, first, second);
    } else {
      sum = absorb_pair(c, sum, first, second);
    }
  }
  if (bytes >= block_bytes) {
    const __m128i given = ghash::load(in);
    const __m128i made = _mm_xor_si128(given, keystream.first);
    ghash::store(out, made);
    sum = absorb(c, sum, ghash::reverse_bytes(direction == Direction::seal ? made : given));
    counter = advance(counter, 1);
    keystream.first = keystream.second;
    in += block_bytes;
    out += block_bytes;
    bytes -= block_bytes;
  }
  if (bytes > 0) {
    std::uint8_t mask[block_bytes];
    ghash::store(mask, keystream.first);
    start_block<direction>(state, mask, in, out, bytes);
    counter = advance(counter, 1);
  }
  ghash::store_block(state.counter, counter);
  ghash::store_block(state.ghash, sum);
}

constexpr unsigned tail_strides[] = {1};

}  // namespace

extern constinit const Implementation x86_aesni_2way = {
    .info =
        {
            .name = "x86_aesni_2way",
            .arch = "x86",
            .required = {CpuFeature::ssse3, CpuFeature::aesni, CpuFeature::pclmul},
            .priority = 400,
            .constant_time = true,
            .stride_blocks = stride_blocks,
            .tail_strides = tail_strides,
            .linux_aliases = {},
        },
    .expand_key = expand_key,
    .encrypt_block = encrypt_block,
    .hash = hash,
    .seal = crypt<Direction::seal>,
    .open = crypt<Direction::open>,
};

}  // namespace lockstep::aes_gcm
