#pragma once

#include <emmintrin.h>
#include <tmmintrin.h>
#include <wmmintrin.h>

#include <cstdint>

#include "impls/ghash/field_core.h"

// GHASH with PCLMULQDQ (Intel SDM volume 2B) and PSHUFB. Blocks are held byte-reversed: then bit 127 - k of
// the register is the coefficient of x^k, as in field_core.h. Powers of H are kept as H^n / x.
namespace lockstep::ghash {
namespace {

// A power of H and, in both halves, the sum of its halves (Karatsuba).
struct ClmulPower {
  std::uint8_t value[16];
  std::uint8_t sum[16];
};

// The three products of Karatsuba, not yet put together, so that several blocks share that and the reduction.
struct ClmulProduct {
  __m128i low, high, middle;
};

[[gnu::always_inline]] inline __m128i load(const std::uint8_t* p) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

[[gnu::always_inline]] inline void store(std::uint8_t* p, __m128i x) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x);
}

[[gnu::always_inline]] inline __m128i reverse_bytes(__m128i x) noexcept {
  return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

[[gnu::always_inline]] inline __m128i load_block(const std::uint8_t* p) noexcept {
  return reverse_bytes(load(p));
}

[[gnu::always_inline]] inline void store_block(std::uint8_t* p, __m128i x) noexcept {
  store(p, reverse_bytes(x));
}

[[gnu::always_inline]] inline __m128i swap_halves(__m128i x) noexcept {
  return _mm_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2));
}

[[gnu::always_inline]] inline __m128i sum_of_halves(__m128i x) noexcept {
  return _mm_xor_si128(x, swap_halves(x));
}

// The 256-bit product.
struct ClmulWide {
  __m128i low, high;
};

[[gnu::always_inline]] inline ClmulProduct multiply(const ClmulPower& power, __m128i a) noexcept {
  const __m128i h = load(power.value);
  return {_mm_clmulepi64_si128(a, h, 0x00), _mm_clmulepi64_si128(a, h, 0x11),
          _mm_clmulepi64_si128(sum_of_halves(a), load(power.sum), 0x00)};
}

[[gnu::always_inline]] inline ClmulProduct add(const ClmulProduct& a, const ClmulProduct& b) noexcept {
  return {_mm_xor_si128(a.low, b.low), _mm_xor_si128(a.high, b.high), _mm_xor_si128(a.middle, b.middle)};
}

[[gnu::always_inline]] inline ClmulWide combine(const ClmulProduct& p) noexcept {
  const __m128i middle = _mm_xor_si128(p.middle, _mm_xor_si128(p.low, p.high));
  return {_mm_xor_si128(p.low, _mm_slli_si128(middle, 8)), _mm_xor_si128(p.high, _mm_srli_si128(middle, 8))};
}

// With the product as words v3 .. v0: v0 times 1 + x + x^2 + x^7 goes to v2 and v1, then v1 times the same to
// v3 and v2. Times x, x^2 and x^7 is a multiplication by 0xC2 << 56 across two words, times 1 a move by two
// words.
[[gnu::always_inline]] inline __m128i fold_low_word(__m128i v) noexcept {
  const __m128i reduction = _mm_set_epi64x(0, static_cast<long long>(0xC200000000000000));
  return _mm_xor_si128(swap_halves(v), _mm_clmulepi64_si128(v, reduction, 0x00));
}

[[gnu::always_inline]] inline __m128i reduce(const ClmulProduct& p) noexcept {
  const ClmulWide wide = combine(p);
  return _mm_xor_si128(wide.high, fold_low_word(fold_low_word(wide.low)));
}

inline void store_power(ClmulPower& power, __m128i value) noexcept {
  store(power.value, value);
  store(power.sum, sum_of_halves(value));
}

// powers[n - 1] = H^n / x.
template <unsigned count>
inline void expand(ClmulPower (&powers)[count], const std::uint8_t* h) noexcept {
  const Element first = divide_by_x(load_element(h));
  __m128i power = _mm_set_epi64x(static_cast<long long>(first.high), static_cast<long long>(first.low));
  store_power(powers[0], power);
  for (unsigned n = 1; n < count; ++n) {
    power = reduce(multiply(powers[0], power));
    store_power(powers[n], power);
  }
}

}  // namespace
}  // namespace lockstep::ghash
