// AES-GCM (SP 800-38D) with VAES and VPCLMULQDQ on 256 bits, eight blocks an iteration, two a vector, CTR
// fused with GHASH. Schedule: an iteration makes the keystream of its stride while it hashes the ciphertext
// of the stride before, AES rounds and multiplications alternating; Karatsuba products of all eight blocks,
// one reduction. Between strides the two lanes run apart, each with H^8, H^6, H^4 and H^2; only the last
// stride takes H^8 .. H, and then the lanes are added. What is left is 0 .. 127 bytes, made in one step of
// one to four vectors, hashed with the powers from H^n down to H; a started block goes through a local
// buffer. Every instruction takes the same time for all data: constant time.
#include <immintrin.h>

#include <cstring>

#include "impls/aes/x86_aesni_core.h"
#include "impls/aes_gcm/kernel.h"
#include "impls/aes_gcm/started_block_core.h"
#include "impls/core/probe.h"
#include "impls/ghash/x86_pclmul_core.h"

namespace lockstep::aes_gcm {
namespace {

constexpr unsigned stride_blocks = 8;
constexpr unsigned vector_blocks = 2;
constexpr std::size_t vector_bytes = 32;
constexpr std::size_t stride_bytes = 128;

struct Context {
  std::uint8_t powers[stride_bytes];           // H^8 / x first, H / x last
  std::uint8_t running[4][vector_bytes];       // H^8 / x, H^6 / x, H^4 / x, H^2 / x, each in both lanes
  std::uint8_t running_sums[2][vector_bytes];  // their halves added up, two and two
  aes::AesniKey aes;
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

// The powers from H^blocks down.
[[gnu::always_inline]] inline const std::uint8_t* powers_from(const Context& c, std::size_t blocks) noexcept {
  return c.powers + block_bytes * (stride_blocks - blocks);
}

[[gnu::always_inline]] inline __m256i load_wide(const std::uint8_t* p) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}

[[gnu::always_inline]] inline void store_wide(std::uint8_t* p, __m256i x) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
}

[[gnu::always_inline]] inline __m256i in_both_lanes(__m128i x) noexcept {
  return _mm256_broadcastsi128_si256(x);
}

[[gnu::always_inline]] inline __m256i in_first_lane(__m128i x) noexcept {
  return _mm256_zextsi128_si256(x);
}

[[gnu::always_inline]] inline __m128i first_lane(__m256i x) noexcept {
  return _mm256_castsi256_si128(x);
}

[[gnu::always_inline]] inline __m128i second_lane(__m256i x) noexcept {
  return _mm256_extracti128_si256(x, 1);
}

[[gnu::always_inline]] inline __m256i reverse_bytes(__m256i x) noexcept {
  return _mm256_shuffle_epi8(
      x, in_both_lanes(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
}

[[gnu::always_inline]] inline __m256i swap_halves(__m256i x) noexcept {
  return _mm256_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2));
}

// In each lane the sums of the halves of a and of b, side by side.
[[gnu::always_inline]] inline __m256i sums_of_halves(__m256i a, __m256i b) noexcept {
  return _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

struct Product {
  __m256i low, high, middle;  // middle: Karatsuba's, to which low and high are not yet added
};

[[gnu::always_inline]] inline Product multiply(__m256i a, __m256i h) noexcept {
  const __m256i sums = sums_of_halves(a, h);
  return {_mm256_clmulepi64_epi128(a, h, 0x00), _mm256_clmulepi64_epi128(a, h, 0x11),
          _mm256_clmulepi64_epi128(sums, sums, 0x10)};
}

[[gnu::always_inline]] inline Product add(const Product& a, const Product& b) noexcept {
  return {_mm256_xor_si256(a.low, b.low), _mm256_xor_si256(a.high, b.high),
          _mm256_xor_si256(a.middle, b.middle)};
}

[[gnu::always_inline]] inline __m256i times_reduction(__m256i a) noexcept {
  return _mm256_clmulepi64_epi128(a, _mm256_set1_epi64x(static_cast<long long>(0xC200000000000000)), 0x00);
}

// As in x86_pclmul_core.h: the lowest word of the product into the middle, the lowest of that into the upper.
[[gnu::always_inline]] inline __m256i fold_low(const Product& p) noexcept {
  const __m256i outer = _mm256_xor_si256(_mm256_xor_si256(p.low, p.high), swap_halves(p.low));
  return _mm256_xor_si256(_mm256_xor_si256(p.middle, outer), times_reduction(p.low));
}

[[gnu::always_inline]] inline __m256i fold_middle(__m256i high, __m256i middle) noexcept {
  return _mm256_xor_si256(_mm256_xor_si256(high, swap_halves(middle)), times_reduction(middle));
}

[[gnu::always_inline]] inline __m256i reduce(const Product& p) noexcept {
  return fold_middle(p.high, fold_low(p));
}

[[gnu::always_inline]] inline __m128i add_lanes(__m256i x) noexcept {
  return _mm_xor_si128(first_lane(x), second_lane(x));
}

// A stride: counters, AES states, text, or byte-reversed ciphertext.
struct Quad {
  __m256i first, second, third, fourth;
};

[[gnu::always_inline]] inline Quad load(const std::uint8_t* p) noexcept {
  return {load_wide(p), load_wide(p + vector_bytes), load_wide(p + 2 * vector_bytes),
          load_wide(p + 3 * vector_bytes)};
}

[[gnu::always_inline]] inline void store(std::uint8_t* p, const Quad& q) noexcept {
  store_wide(p, q.first);
  store_wide(p + vector_bytes, q.second);
  store_wide(p + 2 * vector_bytes, q.third);
  store_wide(p + 3 * vector_bytes, q.fourth);
}

[[gnu::always_inline]] inline Quad reverse_bytes(const Quad& q) noexcept {
  return {reverse_bytes(q.first), reverse_bytes(q.second), reverse_bytes(q.third), reverse_bytes(q.fourth)};
}

[[gnu::always_inline]] inline Quad add_key(const Quad& q, __m256i key) noexcept {
  return {_mm256_xor_si256(q.first, key), _mm256_xor_si256(q.second, key), _mm256_xor_si256(q.third, key),
          _mm256_xor_si256(q.fourth, key)};
}

// A stride with another one behind it.
[[gnu::always_inline]] inline __m256i absorb_running(const Context& c, __m256i lanes,
                                                     const Quad& s) noexcept {
  return reduce(
      add(add(multiply(_mm256_xor_si256(s.first, lanes), load_wide(c.running[0])),
              multiply(s.second, load_wide(c.running[1]))),
          add(multiply(s.third, load_wide(c.running[2])), multiply(s.fourth, load_wide(c.running[3])))));
}

[[gnu::always_inline]] inline __m128i absorb_last(const Context& c, __m256i lanes, const Quad& s) noexcept {
  return add_lanes(reduce(add(add(multiply(_mm256_xor_si256(s.first, lanes), load_wide(powers_from(c, 8))),
                                  multiply(s.second, load_wide(powers_from(c, 6)))),
                              add(multiply(s.third, load_wide(powers_from(c, 4))),
                                  multiply(s.fourth, load_wide(powers_from(c, 2)))))));
}

// A sum over at most a stride: with n blocks to come, the powers from H^n down to H.
struct Rest {
  const std::uint8_t* power;  // of the next block
  __m256i lanes;              // to be added to the next blocks
  Product product;
};

[[gnu::always_inline]] inline Rest begin_rest(const Context& c, __m128i sum, std::size_t blocks) noexcept {
  const __m256i zero = _mm256_setzero_si256();
  return {powers_from(c, blocks), in_first_lane(sum), {zero, zero, zero}};
}

[[gnu::always_inline]] inline void absorb_pair(Rest& rest, __m256i ciphertext) noexcept {
  const __m256i sum = _mm256_xor_si256(rest.lanes, reverse_bytes(ciphertext));
  rest.product = add(rest.product, multiply(sum, load_wide(rest.power)));
  rest.power += vector_bytes;
  rest.lanes = _mm256_setzero_si256();
}

// The last block of all.
[[gnu::always_inline]] inline void absorb_block(Rest& rest, __m128i ciphertext) noexcept {
  const __m256i sum = _mm256_xor_si256(rest.lanes, in_first_lane(ghash::reverse_bytes(ciphertext)));
  rest.product = add(rest.product, multiply(sum, in_first_lane(ghash::load(rest.power))));
}

[[gnu::always_inline]] inline __m128i finish_rest(const Rest& rest) noexcept {
  return add_lanes(reduce(rest.product));
}

void hash(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  __m128i sum = ghash::load_block(y);
  if (bytes >= stride_bytes) {
    __m256i lanes = in_first_lane(sum);
    for (; bytes >= 2 * stride_bytes; bytes -= stride_bytes, data += stride_bytes) {
      lanes = absorb_running(c, lanes, reverse_bytes(load(data)));
    }
    sum = absorb_last(c, lanes, reverse_bytes(load(data)));
    bytes -= stride_bytes;
    data += stride_bytes;
  }
  if (bytes > 0) {
    Rest rest = begin_rest(c, sum, (bytes + block_bytes - 1) / block_bytes);
    for (; bytes >= vector_bytes; bytes -= vector_bytes, data += vector_bytes) {
      absorb_pair(rest, load_wide(data));
    }
    if (bytes > block_bytes) {
      std::uint8_t padded[vector_bytes] = {};
      std::memcpy(padded, data, bytes);
      absorb_pair(rest, load_wide(padded));
    } else if (bytes == block_bytes) {
      absorb_block(rest, ghash::load(data));
    } else if (bytes > 0) {
      std::uint8_t padded[block_bytes] = {};
      std::memcpy(padded, data, bytes);
      absorb_block(rest, ghash::load(padded));
    }
    sum = finish_rest(rest);
  }
  ghash::store_block(y, sum);
}

void expand_key(void* context, const std::uint8_t* key, std::size_t key_bytes, std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  aes::expand_key(c.aes, key, key_bytes);
  std::memset(h, 0, block_bytes);
  aes::encrypt_block(c.aes, h, h);

  const ghash::Element element = ghash::divide_by_x(ghash::load_element(h));
  const __m256i h1 = in_first_lane(
      _mm_set_epi64x(static_cast<long long>(element.high), static_cast<long long>(element.low)));
  const __m128i h2 = first_lane(reduce(multiply(h1, h1)));
  const __m256i h2_h1 = _mm256_set_m128i(first_lane(h1), h2);
  const __m256i h4_h3 = reduce(multiply(h2_h1, in_both_lanes(h2)));
  const __m256i h4 = in_both_lanes(first_lane(h4_h3));
  const __m256i h6_h5 = reduce(multiply(h2_h1, h4));
  const __m256i h8_h7 = reduce(multiply(h4_h3, h4));
  store(c.powers, {h8_h7, h6_h5, h4_h3, h2_h1});
  const Quad running = {in_both_lanes(first_lane(h8_h7)), in_both_lanes(first_lane(h6_h5)), h4,
                        in_both_lanes(h2)};
  store(c.running[0], running);
  store_wide(c.running_sums[0], sums_of_halves(running.first, running.second));
  store_wide(c.running_sums[1], sums_of_halves(running.third, running.fourth));
}

void encrypt_block(const void* context, const std::uint8_t* in, std::uint8_t* out) noexcept {
  aes::encrypt_block(static_cast<const Context*>(context)->aes, in, out);
}

[[gnu::always_inline]] inline __m256i round_key(const Context& c, std::uint64_t n) noexcept {
  return in_both_lanes(aes::round_key(c.aes, n));
}

// Byte-reversed, the 32 bits that count are the lowest of each lane, and VPADDD carries into no other.
[[gnu::always_inline]] inline __m256i first_counters(__m128i counter) noexcept {
  return _mm256_add_epi32(in_both_lanes(counter), _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0));
}

[[gnu::always_inline]] inline __m256i next_counters(__m256i counters) noexcept {
  return _mm256_add_epi32(counters, _mm256_set_epi32(0, 0, 0, 2, 0, 0, 0, 2));
}

[[gnu::always_inline]] inline __m128i advance(__m128i counter, std::uint64_t blocks) noexcept {
  return _mm_add_epi32(counter, _mm_cvtsi32_si128(static_cast<int>(static_cast<std::uint32_t>(blocks))));
}

[[gnu::always_inline]] inline Quad take_counters(__m256i& counters) noexcept {
  Quad q;
  q.first = reverse_bytes(counters);
  counters = next_counters(counters);
  q.second = reverse_bytes(counters);
  counters = next_counters(counters);
  q.third = reverse_bytes(counters);
  counters = next_counters(counters);
  q.fourth = reverse_bytes(counters);
  counters = next_counters(counters);
  return q;
}

template <unsigned vectors = 4>
[[gnu::always_inline]] inline void round(Quad& q, __m256i key) noexcept {
  q.first = _mm256_aesenc_epi128(q.first, key);
  if constexpr (vectors > 1) q.second = _mm256_aesenc_epi128(q.second, key);
  if constexpr (vectors > 2) q.third = _mm256_aesenc_epi128(q.third, key);
  if constexpr (vectors > 3) q.fourth = _mm256_aesenc_epi128(q.fourth, key);
}

// The last round and the text in one: AESENCLAST adds its key at the very end.
[[gnu::always_inline]] inline Quad last_round(const Quad& q, const Quad& keys) noexcept {
  return {_mm256_aesenclast_epi128(q.first, keys.first), _mm256_aesenclast_epi128(q.second, keys.second),
          _mm256_aesenclast_epi128(q.third, keys.third), _mm256_aesenclast_epi128(q.fourth, keys.fourth)};
}

// Rounds 10 and up, which not every key size has, and the text.
[[gnu::always_inline]] inline Quad finish_late_rounds(const Context& c, Quad& q, const Quad& text) noexcept {
  for (std::uint64_t n = 10; n < c.aes.rounds; ++n) round(q, round_key(c, n));
  return last_round(q, add_key(text, round_key(c, c.aes.rounds)));
}

// One stride through CTR.
[[gnu::always_inline]] inline Quad crypt_stride(const Context& c, __m256i& counters,
                                                const Quad& text) noexcept {
  Quad q = add_key(take_counters(counters), round_key(c, 0));
  for (std::uint64_t n = 1; n < 10; ++n) round(q, round_key(c, n));
  return finish_late_rounds(c, q, text);
}

// What was written before stays before.
[[gnu::always_inline]] inline void keep_order(Quad& q, __m256i& x, __m256i& y) noexcept {
  __asm__ volatile("" : "+x"(q.first), "+x"(q.second), "+x"(q.third), "+x"(q.fourth), "+x"(x), "+x"(y));
}

// crypt_stride and absorb_running interleaved: every key size has nine rounds to hide the hashing in. The
// blocks that wait for `lanes` come last.
[[gnu::always_inline]] inline Quad step(const Context& c, __m256i& counters, const std::uint8_t* in,
                                        Quad& given, __m256i& lanes, const Quad& before) noexcept {
  Quad q = add_key(take_counters(counters), round_key(c, 0));
  round(q, round_key(c, 1));
  __m256i power = load_wide(c.running[3]);
  __m256i low = _mm256_clmulepi64_epi128(before.fourth, power, 0x00);
  __m256i high = _mm256_clmulepi64_epi128(before.fourth, power, 0x11);
  keep_order(q, low, high);
  round(q, round_key(c, 2));
  power = load_wide(c.running[2]);
  low = _mm256_xor_si256(low, _mm256_clmulepi64_epi128(before.third, power, 0x00));
  high = _mm256_xor_si256(high, _mm256_clmulepi64_epi128(before.third, power, 0x11));
  keep_order(q, low, high);
  round(q, round_key(c, 3));
  __m256i sums = sums_of_halves(before.third, before.fourth);
  power = load_wide(c.running_sums[1]);
  __m256i middle = _mm256_xor_si256(_mm256_clmulepi64_epi128(sums, power, 0x00),
                                    _mm256_clmulepi64_epi128(sums, power, 0x11));
  keep_order(q, middle, high);
  round(q, round_key(c, 4));
  power = load_wide(c.running[1]);
  low = _mm256_xor_si256(low, _mm256_clmulepi64_epi128(before.second, power, 0x00));
  high = _mm256_xor_si256(high, _mm256_clmulepi64_epi128(before.second, power, 0x11));
  keep_order(q, low, high);
  round(q, round_key(c, 5));
  const __m256i first = _mm256_xor_si256(before.first, lanes);
  power = load_wide(c.running[0]);
  low = _mm256_xor_si256(low, _mm256_clmulepi64_epi128(first, power, 0x00));
  high = _mm256_xor_si256(high, _mm256_clmulepi64_epi128(first, power, 0x11));
  keep_order(q, low, high);
  round(q, round_key(c, 6));
  sums = sums_of_halves(first, before.second);
  power = load_wide(c.running_sums[0]);
  middle = _mm256_xor_si256(middle, _mm256_clmulepi64_epi128(sums, power, 0x00));
  middle = _mm256_xor_si256(middle, _mm256_clmulepi64_epi128(sums, power, 0x11));
  keep_order(q, middle, low);
  round(q, round_key(c, 7));
  middle = fold_low({low, high, middle});
  keep_order(q, middle, high);
  round(q, round_key(c, 8));
  lanes = fold_middle(high, middle);
  keep_order(q, lanes, counters);
  round(q, round_key(c, 9));
  given = load(in);
  return finish_late_rounds(c, q, given);
}

template <Direction direction>
[[gnu::always_inline]] inline void crypt_pair(Rest& rest, const std::uint8_t*& in, std::uint8_t*& out,
                                              __m256i keystream) noexcept {
  const __m256i given = load_wide(in);
  const __m256i made = _mm256_xor_si256(given, keystream);
  store_wide(out, made);
  absorb_pair(rest, direction == Direction::seal ? made : given);
  in += vector_bytes;
  out += vector_bytes;
}

// 1 .. 32 bytes.
template <Direction direction>
[[gnu::always_inline]] inline void crypt_last(MessageState& state, Rest& rest, const std::uint8_t* in,
                                              std::uint8_t* out, __m256i keystream,
                                              std::size_t bytes) noexcept {
  if (bytes == vector_bytes) return crypt_pair<direction>(rest, in, out, keystream);
  __m128i mask = first_lane(keystream);
  if (bytes >= block_bytes) {
    const __m128i given = ghash::load(in);
    const __m128i made = _mm_xor_si128(given, mask);
    ghash::store(out, made);
    absorb_block(rest, direction == Direction::seal ? made : given);
    mask = second_lane(keystream);
    in += block_bytes;
    out += block_bytes;
    bytes -= block_bytes;
  }
  if (bytes > 0) {
    std::uint8_t block[block_bytes];
    ghash::store(block, mask);
    start_block<direction>(state, block, in, out, bytes);
  }
}

// More than 32 (vectors - 1) bytes, not more than 32 vectors.
template <Direction direction, unsigned vectors>
[[gnu::always_inline]] inline __m128i crypt_rest(const Context& c, MessageState& state, __m256i counters,
                                                 __m128i sum, const std::uint8_t* in, std::uint8_t* out,
                                                 std::size_t bytes) noexcept {
  Quad q = add_key(take_counters(counters), round_key(c, 0));
  for (std::uint64_t n = 1; n < c.aes.rounds; ++n) round<vectors>(q, round_key(c, n));
  const __m256i last_key = round_key(c, c.aes.rounds);
  const Quad keystream = last_round(q, {last_key, last_key, last_key, last_key});
  Rest rest = begin_rest(c, sum, bytes / block_bytes);
  if constexpr (vectors > 1) crypt_pair<direction>(rest, in, out, keystream.first);
  if constexpr (vectors > 2) crypt_pair<direction>(rest, in, out, keystream.second);
  if constexpr (vectors > 3) crypt_pair<direction>(rest, in, out, keystream.third);
  const __m256i last_keystream[] = {keystream.first, keystream.second, keystream.third, keystream.fourth};
  crypt_last<direction>(state, rest, in, out, last_keystream[vectors - 1],
                        bytes - vector_bytes * (vectors - 1));
  if (bytes < block_bytes) return sum;
  return finish_rest(rest);
}

template <Direction direction>
void crypt(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const Context& c = *static_cast<const Context*>(context);
  const __m128i counter = ghash::load_block(state.counter);
  __m128i sum = ghash::load_block(state.ghash);
  ghash::store_block(state.counter, advance(counter, (std::uint64_t{bytes} + block_bytes - 1) / block_bytes));
  __m256i counters = first_counters(counter);
  if (bytes >= stride_bytes) {
    core::count_bulk_iteration();
    Quad given = load(in);
    Quad made = crypt_stride(c, counters, given);
    store(out, made);
    Quad before = reverse_bytes(direction == Direction::seal ? made : given);
    __m256i lanes = in_first_lane(sum);
    in += stride_bytes;
    out += stride_bytes;
    for (bytes -= stride_bytes; bytes >= stride_bytes; bytes -= stride_bytes) {
      core::count_bulk_iteration();
      made = step(c, counters, in, given, lanes, before);
      store(out, made);
      before = reverse_bytes(direction == Direction::seal ? made : given);
      in += stride_bytes;
      out += stride_bytes;
    }
    sum = absorb_last(c, lanes, before);
  }
  switch ((bytes + vector_bytes - 1) / vector_bytes) {
    case 1:
      sum = crypt_rest<direction, 1>(c, state, counters, sum, in, out, bytes);
      break;
    case 2:
      sum = crypt_rest<direction, 2>(c, state, counters, sum, in, out, bytes);
      break;
    case 3:
      sum = crypt_rest<direction, 3>(c, state, counters, sum, in, out, bytes);
      break;
    case 4:
      sum = crypt_rest<direction, 4>(c, state, counters, sum, in, out, bytes);
      break;
    default:
      break;
  }
  ghash::store_block(state.ghash, sum);
}

constexpr unsigned tail_strides[] = {vector_blocks, 1};
constexpr std::string_view linux_aliases[] = {"generic-gcm-vaes-avx2", "generic-gcm-vaes-avx10_256"};

}  // namespace

extern constinit const Implementation x86_vaes_avx2 = {
    .info =
        {
            .name = "x86_vaes_avx2",
            .arch = "x86",
            .required = {CpuFeature::ssse3, CpuFeature::aesni, CpuFeature::pclmul, CpuFeature::avx2,
                         CpuFeature::vaes, CpuFeature::vpclmulqdq},
            .priority = 500,
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
