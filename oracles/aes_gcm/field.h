#pragma once

#include <array>
#include <cstdint>

// GF(2^128) as GCM writes it, for steering: products and inverses. Not plain's, and not the library's.
namespace lockstep::oracles::aes_gcm {

// A polynomial over GF(2) of degree below 128: bit i of `low` is the coefficient of x^i, bit i of `high` that
// of x^(64 + i). The modulus is x^128 + x^7 + x^2 + x + 1.
struct Polynomial {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  constexpr bool operator==(const Polynomial&) const noexcept = default;
};

constexpr Polynomial operator^(Polynomial a, Polynomial b) noexcept {
  return {a.high ^ b.high, a.low ^ b.low};
}

// A block of GCM has the coefficient of x^0 in its first bit.
Polynomial from_block(const std::array<std::uint8_t, 16>& block) noexcept;
std::array<std::uint8_t, 16> to_block(Polynomial value) noexcept;

Polynomial multiply(Polynomial a, Polynomial b) noexcept;
// The inverse of 0 is 0.
Polynomial invert(Polynomial a) noexcept;

}  // namespace lockstep::oracles::aes_gcm
