#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "impls/core/probe.h"
#include "impls/ghash/x86_pclmul_core.h"

// GHASH with VPCLMULQDQ on 512 bits (Intel SDM volume 2B), on top of x86_pclmul_core.h: four blocks a vector,
// sixteen a stride. Between strides the four lanes run apart, each with H^16, H^12, H^8 and H^4, so that the
// way from one stride to the next is two multiplications and the reduction; only the last stride takes
// H^16 .. H^1, and then the lanes are added.
namespace lockstep::ghash {
namespace {

constexpr std::size_t lane_bytes = 16;  // a block
constexpr unsigned wide_stride_blocks = 16;
constexpr unsigned wide_vector_blocks = 4;
constexpr std::size_t wide_vector_bytes = 64;
constexpr std::size_t wide_stride_bytes = 256;

struct WidePowers {
  std::uint8_t powers[wide_stride_bytes];      // H^16 / x first, H / x last
  std::uint8_t running[4][wide_vector_bytes];  // H^16 / x, H^12 / x, H^8 / x, H^4 / x, each in every lane
  std::uint8_t running_sums[2][wide_vector_bytes];  // their halves added up, two and two
};

[[gnu::always_inline]] inline __m512i load_wide(const std::uint8_t* p) noexcept {
  return _mm512_loadu_si512(p);
}

[[gnu::always_inline]] inline void store_wide(std::uint8_t* p, __m512i x) noexcept {
  _mm512_storeu_si512(p, x);
}

// The powers from H^blocks down.
[[gnu::always_inline]] inline const std::uint8_t* powers_from(const WidePowers& h,
                                                              std::size_t blocks) noexcept {
  return h.powers + lane_bytes * (wide_stride_blocks - blocks);
}

[[gnu::always_inline]] inline __m512i broadcast(const std::uint8_t* p) noexcept {
  return _mm512_broadcast_i32x4(load(p));
}

// The lowest `bytes` of a vector, 1 .. 64.
[[gnu::always_inline]] inline __mmask64 first_bytes(std::size_t bytes) noexcept {
  return ~std::uint64_t{0} >> (wide_vector_bytes - bytes);
}

// The words of the lowest `blocks` of a vector, 0 .. 4.
[[gnu::always_inline]] inline __mmask8 first_blocks(std::size_t blocks) noexcept {
  return static_cast<__mmask8>((1U << 2 * blocks) - 1);
}

[[gnu::always_inline]] inline __m512i reverse_bytes(__m512i x) noexcept {
  const __m128i order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order));
}

[[gnu::always_inline]] inline __m512i swap_halves(__m512i x) noexcept {
  return _mm512_shuffle_epi32(x, static_cast<_MM_PERM_ENUM>(_MM_SHUFFLE(1, 0, 3, 2)));
}

[[gnu::always_inline]] inline __m512i xor3(__m512i a, __m512i b, __m512i c) noexcept {
  return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

// In each lane the sums of the halves of a and of b, side by side.
[[gnu::always_inline]] inline __m512i sums_of_halves(__m512i a, __m512i b) noexcept {
  return _mm512_xor_si512(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

struct WideProduct {
  __m512i low, high, middle;  // middle: Karatsuba's, to which low and high are not yet added
};

[[gnu::always_inline]] inline WideProduct multiply(__m512i a, __m512i h) noexcept {
  const __m512i sums = sums_of_halves(a, h);
  return {_mm512_clmulepi64_epi128(a, h, 0x00), _mm512_clmulepi64_epi128(a, h, 0x11),
          _mm512_clmulepi64_epi128(sums, sums, 0x10)};
}

[[gnu::always_inline]] inline WideProduct add(const WideProduct& a, const WideProduct& b) noexcept {
  return {_mm512_xor_si512(a.low, b.low), _mm512_xor_si512(a.high, b.high),
          _mm512_xor_si512(a.middle, b.middle)};
}

[[gnu::always_inline]] inline WideProduct add(const WideProduct& a, const WideProduct& b,
                                              const WideProduct& c) noexcept {
  return {xor3(a.low, b.low, c.low), xor3(a.high, b.high, c.high), xor3(a.middle, b.middle, c.middle)};
}

// a0 h0 + a1 h1, with the halves of h0 and h1 added up beforehand.
[[gnu::always_inline]] inline WideProduct multiply_pair(__m512i a0, __m512i a1, __m512i h0, __m512i h1,
                                                        __m512i h_sums) noexcept {
  const __m512i sums = sums_of_halves(a0, a1);
  const WideProduct p0 = {_mm512_clmulepi64_epi128(a0, h0, 0x00), _mm512_clmulepi64_epi128(a0, h0, 0x11),
                          _mm512_clmulepi64_epi128(sums, h_sums, 0x00)};
  const WideProduct p1 = {_mm512_clmulepi64_epi128(a1, h1, 0x00), _mm512_clmulepi64_epi128(a1, h1, 0x11),
                          _mm512_clmulepi64_epi128(sums, h_sums, 0x11)};
  return add(p0, p1);
}

[[gnu::always_inline]] inline __m512i times_reduction(__m512i a) noexcept {
  return _mm512_clmulepi64_epi128(a, _mm512_set1_epi64(static_cast<long long>(0xC200000000000000)), 0x00);
}

// The middle, completed, with the lowest word folded into it: words v2 and v1 of x86_pclmul_core.h.
[[gnu::always_inline]] inline __m512i fold_low(const WideProduct& p) noexcept {
  const __m512i middle = xor3(p.middle, p.low, p.high);
  return xor3(middle, swap_halves(p.low), times_reduction(p.low));
}

[[gnu::always_inline]] inline __m512i fold_middle(__m512i high, __m512i middle) noexcept {
  return xor3(high, swap_halves(middle), times_reduction(middle));
}

[[gnu::always_inline]] inline __m512i reduce(const WideProduct& p) noexcept {
  return fold_middle(p.high, fold_low(p));
}

[[gnu::always_inline]] inline __m128i add_lanes(__m512i x) noexcept {
  const __m256i two = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  return _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
}

[[gnu::always_inline]] inline __m512i in_first_lane(__m128i x) noexcept {
  return _mm512_zextsi128_si512(x);
}

// Sixteen blocks, byte-reversed.
struct WideStride {
  __m512i first, second, third, fourth;
};

[[gnu::always_inline]] inline WideStride load_stride(const std::uint8_t* p) noexcept {
  return {reverse_bytes(load_wide(p)), reverse_bytes(load_wide(p + wide_vector_bytes)),
          reverse_bytes(load_wide(p + 2 * wide_vector_bytes)),
          reverse_bytes(load_wide(p + 3 * wide_vector_bytes))};
}

// A stride with another one behind it.
[[gnu::always_inline]] inline __m512i absorb_running(const WidePowers& h, __m512i lanes,
                                                     const WideStride& s) noexcept {
  return reduce(add(multiply_pair(s.third, s.fourth, load_wide(h.running[2]), load_wide(h.running[3]),
                                  load_wide(h.running_sums[1])),
                    multiply_pair(_mm512_xor_si512(s.first, lanes), s.second, load_wide(h.running[0]),
                                  load_wide(h.running[1]), load_wide(h.running_sums[0]))));
}

[[gnu::always_inline]] inline __m128i absorb_last(const WidePowers& h, __m512i lanes,
                                                  const WideStride& s) noexcept {
  const WideProduct later =
      add(multiply(s.second, load_wide(powers_from(h, 12))), multiply(s.third, load_wide(powers_from(h, 8))),
          multiply(s.fourth, load_wide(powers_from(h, 4))));
  const WideProduct first = multiply(_mm512_xor_si512(s.first, lanes), load_wide(powers_from(h, 16)));
  return add_lanes(reduce(add(later, first)));
}

// A block alone keeps to 128 bits, without masks or lanes to add.
[[gnu::always_inline]] inline __m128i absorb_block(const WidePowers& h, __m128i sum, __m128i block) noexcept {
  const __m128i a = _mm_xor_si128(sum, block);
  const __m128i h1 = load(powers_from(h, 1));
  const __m128i sums = _mm_xor_si128(_mm_unpacklo_epi64(a, h1), _mm_unpackhi_epi64(a, h1));
  return reduce(ClmulProduct{_mm_clmulepi64_si128(a, h1, 0x00), _mm_clmulepi64_si128(a, h1, 0x11),
                             _mm_clmulepi64_si128(sums, sums, 0x10)});
}

// GHASH continued over whole blocks and a zero-padded last one.
template <bool counted>
inline __m128i absorb_bytes(const WidePowers& h, __m128i sum, const std::uint8_t* data,
                            std::size_t bytes) noexcept {
  if (bytes == lane_bytes) return absorb_block(h, sum, load_block(data));
  if (bytes >= wide_stride_bytes) {
    __m512i lanes = in_first_lane(sum);
    for (; bytes >= 2 * wide_stride_bytes; bytes -= wide_stride_bytes, data += wide_stride_bytes) {
      if constexpr (counted) core::count_bulk_iteration();
      lanes = absorb_running(h, lanes, load_stride(data));
    }
    if constexpr (counted) core::count_bulk_iteration();
    sum = absorb_last(h, lanes, load_stride(data));
    bytes -= wide_stride_bytes;
    data += wide_stride_bytes;
  }
  if (bytes == 0) return sum;
  std::size_t blocks = (bytes + lane_bytes - 1) / lane_bytes;
  const std::uint8_t* power = powers_from(h, blocks);
  __m512i lanes = in_first_lane(sum);
  WideProduct product = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
  for (; bytes > wide_vector_bytes; bytes -= wide_vector_bytes, blocks -= wide_vector_blocks) {
    product =
        add(product, multiply(_mm512_xor_si512(lanes, reverse_bytes(load_wide(data))), load_wide(power)));
    lanes = _mm512_setzero_si512();
    data += wide_vector_bytes;
    power += wide_vector_bytes;
  }
  const __m512i last = _mm512_maskz_loadu_epi8(first_bytes(bytes), data);
  const __m512i last_powers = _mm512_maskz_loadu_epi64(first_blocks(blocks), power);
  product = add(product, multiply(_mm512_xor_si512(lanes, reverse_bytes(last)), last_powers));
  return add_lanes(reduce(product));
}

// h[n - 1] = H^n / x from 1 to 16 in four steps: to 2, 4, 8, 16.
inline void expand(WidePowers& h, const std::uint8_t* key) noexcept {
  const Element element = divide_by_x(load_element(key));
  const __m512i h1 = in_first_lane(
      _mm_set_epi64x(static_cast<long long>(element.high), static_cast<long long>(element.low)));
  const __m128i h2 = _mm512_castsi512_si128(reduce(multiply(h1, h1)));
  const __m512i h2_h1 = _mm512_zextsi256_si512(_mm256_set_m128i(_mm512_castsi512_si128(h1), h2));
  const __m256i h4_h3 = _mm512_castsi512_si256(reduce(multiply(h2_h1, _mm512_broadcast_i32x4(h2))));
  const __m512i h4_to_h1 =
      _mm512_inserti64x4(_mm512_castsi256_si512(h4_h3), _mm512_castsi512_si256(h2_h1), 1);
  const __m512i h4 = _mm512_broadcast_i32x4(_mm256_castsi256_si128(h4_h3));
  const __m512i h8_to_h5 = reduce(multiply(h4_to_h1, h4));
  const __m512i h8 = _mm512_broadcast_i32x4(_mm512_castsi512_si128(h8_to_h5));
  const __m512i h12_to_h9 = reduce(multiply(h4_to_h1, h8));
  const __m512i h16_to_h13 = reduce(multiply(h8_to_h5, h8));
  store_wide(h.powers, h16_to_h13);
  store_wide(h.powers + wide_vector_bytes, h12_to_h9);
  store_wide(h.powers + 2 * wide_vector_bytes, h8_to_h5);
  store_wide(h.powers + 3 * wide_vector_bytes, h4_to_h1);
  const __m512i h12 = _mm512_broadcast_i32x4(_mm512_castsi512_si128(h12_to_h9));
  const __m512i h16 = _mm512_broadcast_i32x4(_mm512_castsi512_si128(h16_to_h13));
  store_wide(h.running[0], h16);
  store_wide(h.running[1], h12);
  store_wide(h.running[2], h8);
  store_wide(h.running[3], h4);
  store_wide(h.running_sums[0], sums_of_halves(h16, h12));
  store_wide(h.running_sums[1], sums_of_halves(h8, h4));
}

}  // namespace
}  // namespace lockstep::ghash
