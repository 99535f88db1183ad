#pragma once

#include <cstdint>

#include "impls/ghash/field_core.h"

// GHASH (SP 800-38D, section 6.4) with 4-bit tables, Shoup's method, two nibbles a step: from the last byte
// to the first, multiply by x^8 and add the multiples of H for both. The addresses depend on the data: not
// constant time.
namespace lockstep::ghash {
namespace {

// Indexed by four coefficients, x^0 leftmost.
struct TableKey {
  Element multiple[16];  // of H
  Element later[16];     // of H x^4
};

struct Remainders {
  std::uint64_t high[256];  // [n]: what the eight coefficients that x^8 pushes out come back as
};

inline constexpr Element multiply_by_x(Element a) noexcept {
  const std::uint64_t overflow = 0 - (a.low & 1);  // x^128 = 1 + x + x^2 + x^7
  return {a.high >> 1 ^ (overflow & 0xE100000000000000), a.low >> 1 | a.high << 63};
}

constexpr Remainders make_remainders() noexcept {
  Remainders remainders = {};
  for (std::uint64_t n = 0; n < 256; ++n) {
    Element a = {0, n};
    for (int i = 0; i < 8; ++i) a = multiply_by_x(a);
    remainders.high[n] = a.high;
  }
  return remainders;
}

constexpr Remainders remainders = make_remainders();

inline void fill(Element (&multiple)[16], Element& power) noexcept {
  multiple[0] = {0, 0};
  for (unsigned n = 8; n > 0; n /= 2) {
    multiple[n] = power;
    power = multiply_by_x(power);
  }
  for (unsigned n = 2; n < 16; n *= 2) {
    for (unsigned m = 1; m < n; ++m) {
      multiple[n + m] = {multiple[n].high ^ multiple[m].high, multiple[n].low ^ multiple[m].low};
    }
  }
}

inline void expand(TableKey& key, const std::uint8_t* h) noexcept {
  Element power = load_element(h);
  fill(key.multiple, power);
  fill(key.later, power);
}

inline Element multiply(const TableKey& key, Element a) noexcept {
  Element product = {0, 0};
  for (std::uint64_t half : {a.low, a.high}) {
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t out = product.low & 0xFF;
      const Element& first = key.multiple[half >> 4 & 15];
      const Element& second = key.later[half & 15];
      product.low = (product.low >> 8 | product.high << 56) ^ first.low ^ second.low;
      product.high = product.high >> 8 ^ remainders.high[out] ^ first.high ^ second.high;
      half >>= 8;
    }
  }
  return product;
}

inline Element absorb(const TableKey& key, Element y, Element block) noexcept {
  return multiply(key, {y.high ^ block.high, y.low ^ block.low});
}

}  // namespace
}  // namespace lockstep::ghash
