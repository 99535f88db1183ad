#pragma once

#include <cstdint>

#include "impls/core/endian.h"

// GF(2^128) of SP 800-38D, section 6.3: the leftmost bit of a block is the coefficient of x^0. Read as a
// big-endian number, bit 127 - k is the coefficient of x^k, and the integer product of two such numbers
// without carries has the coefficient of x^k at bit 254 - k, one to the right of where a 256-bit number would
// have it. Kernels therefore multiply by H/x, which brings it to bit 255 - k without a shift for every block.
namespace lockstep::ghash {
namespace {

struct Element {
  std::uint64_t high;  // coefficients 0 .. 63
  std::uint64_t low;
};

[[gnu::always_inline]] inline Element load_element(const std::uint8_t* p) noexcept {
  return {core::load_be64(p), core::load_be64(p + 8)};
}

[[gnu::always_inline]] inline void store_element(std::uint8_t* p, Element a) noexcept {
  core::store_be64(p, a.high);
  core::store_be64(p + 8, a.low);
}

// 1/x = 1 + x + x^6 + x^127, because x^128 = 1 + x + x^2 + x^7.
inline Element divide_by_x(Element a) noexcept {
  const std::uint64_t constant_term = a.high >> 63;
  const std::uint64_t mask = 0 - constant_term;
  return {(a.high << 1 | a.low >> 63) ^ (mask & 0xC200000000000000), a.low << 1 ^ constant_term};
}

}  // namespace
}  // namespace lockstep::ghash
