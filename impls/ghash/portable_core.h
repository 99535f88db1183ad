#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "impls/ghash/field_core.h"

// GHASH (SP 800-38D, section 6.4) by integer multiplication: of every four bits of a factor three are masked
// out, so the sums of an ordinary product never carry into the next bit that counts. Constant time wherever
// 64-bit multiplication is. The upper half of a product is the lower half of the product of the bit-reversed
// factors.
namespace lockstep::ghash {
namespace {

// H/x: its halves and their sum (Karatsuba), and the same bit-reversed.
struct PortableKey {
  std::uint64_t high, low, sum;
  std::uint64_t high_reversed, low_reversed, sum_reversed;
};

// The low 64 bits of the product without carries. A column gets at most 16 ones; 16 happens only in the last
// column, where the carry leaves the word.
[[gnu::always_inline]] inline std::uint64_t multiply_low(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t m0 = 0x1111111111111111;
  constexpr std::uint64_t m1 = m0 << 1;
  constexpr std::uint64_t m2 = m0 << 2;
  constexpr std::uint64_t m3 = m0 << 3;
  const std::uint64_t a0 = a & m0, a1 = a & m1, a2 = a & m2, a3 = a & m3;
  const std::uint64_t b0 = b & m0, b1 = b & m1, b2 = b & m2, b3 = b & m3;
  return (((a0 * b0) ^ (a1 * b3) ^ (a2 * b2) ^ (a3 * b1)) & m0) |
         (((a0 * b1) ^ (a1 * b0) ^ (a2 * b3) ^ (a3 * b2)) & m1) |
         (((a0 * b2) ^ (a1 * b1) ^ (a2 * b0) ^ (a3 * b3)) & m2) |
         (((a0 * b3) ^ (a1 * b2) ^ (a2 * b1) ^ (a3 * b0)) & m3);
}

[[gnu::always_inline]] inline std::uint64_t reverse_bits(std::uint64_t x) noexcept {
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0F0F0F0F0F0F0F0F) | (x & 0x0F0F0F0F0F0F0F0F) << 4;
  return __builtin_bswap64(x);
}

inline PortableKey expand(const std::uint8_t* h) noexcept {
  const Element e = divide_by_x(load_element(h));
  const std::uint64_t high_reversed = reverse_bits(e.high);
  const std::uint64_t low_reversed = reverse_bits(e.low);
  return {e.high, e.low, e.high ^ e.low, high_reversed, low_reversed, high_reversed ^ low_reversed};
}

inline Element multiply(const PortableKey& key, Element a) noexcept {
  const std::uint64_t high_reversed = reverse_bits(a.high);
  const std::uint64_t low_reversed = reverse_bits(a.low);

  const std::uint64_t low_0 = multiply_low(a.low, key.low);
  const std::uint64_t high_0 = multiply_low(a.high, key.high);
  const std::uint64_t middle_0 = multiply_low(a.high ^ a.low, key.sum) ^ low_0 ^ high_0;
  const std::uint64_t low_1 = multiply_low(low_reversed, key.low_reversed);
  const std::uint64_t high_1 = multiply_low(high_reversed, key.high_reversed);
  const std::uint64_t middle_1 =
      multiply_low(high_reversed ^ low_reversed, key.sum_reversed) ^ low_1 ^ high_1;

  // The 256-bit product, v0 lowest. A product of 64-bit factors has 127 bits, hence the shifts.
  const std::uint64_t v0 = low_0;
  std::uint64_t v1 = middle_0 ^ reverse_bits(low_1) >> 1;
  std::uint64_t v2 = high_0 ^ reverse_bits(middle_1) >> 1;
  std::uint64_t v3 = reverse_bits(high_1) >> 1;

  // x^128 = 1 + x + x^2 + x^7, first for the coefficients from 192 on, then for those from 128 on.
  v1 ^= v0 << 63 ^ v0 << 62 ^ v0 << 57;
  v2 ^= v0 ^ v0 >> 1 ^ v0 >> 2 ^ v0 >> 7;
  v2 ^= v1 << 63 ^ v1 << 62 ^ v1 << 57;
  v3 ^= v1 ^ v1 >> 1 ^ v1 >> 2 ^ v1 >> 7;
  return {v3, v2};
}

inline Element absorb(const PortableKey& key, Element y, Element block) noexcept {
  return multiply(key, {y.high ^ block.high, y.low ^ block.low});
}

}  // namespace
}  // namespace lockstep::ghash
