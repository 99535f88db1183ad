#include "oracles/aes_gcm/field.h"

#include <bit>
#include <utility>

namespace lockstep::oracles::aes_gcm {
namespace {

constexpr Polynomial modulus_low = {0, 0x87};  // without its x^128

constexpr std::uint64_t reverse_bits(std::uint64_t word) noexcept {
  word = (word >> 1 & 0x5555555555555555U) | (word & 0x5555555555555555U) << 1;
  word = (word >> 2 & 0x3333333333333333U) | (word & 0x3333333333333333U) << 2;
  word = (word >> 4 & 0x0f0f0f0f0f0f0f0fU) | (word & 0x0f0f0f0f0f0f0f0fU) << 4;
  word = (word >> 8 & 0x00ff00ff00ff00ffU) | (word & 0x00ff00ff00ff00ffU) << 8;
  word = (word >> 16 & 0x0000ffff0000ffffU) | (word & 0x0000ffff0000ffffU) << 16;
  return std::rotl(word, 32);
}

// Of a polynomial other than 0.
constexpr int degree(Polynomial a) noexcept {
  return a.high != 0 ? 127 - std::countl_zero(a.high) : 63 - std::countl_zero(a.low);
}

// a · x^by without reduction, 0 <= by < 128; what goes beyond x^127 is lost.
constexpr Polynomial shift_left(Polynomial a, int by) noexcept {
  if (by == 0) return a;
  if (by >= 64) return {a.low << (by - 64), 0};
  return {a.high << by | a.low >> (64 - by), a.low << by};
}

}  // namespace

Polynomial from_block(const std::array<std::uint8_t, 16>& block) noexcept {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  for (unsigned i = 0; i < 8; ++i) {
    first = first << 8 | block[i];
    second = second << 8 | block[8 + i];
  }
  return {reverse_bits(second), reverse_bits(first)};
}

std::array<std::uint8_t, 16> to_block(Polynomial value) noexcept {
  const std::uint64_t first = reverse_bits(value.low);
  const std::uint64_t second = reverse_bits(value.high);
  std::array<std::uint8_t, 16> block = {};
  for (unsigned i = 0; i < 8; ++i) {
    block[i] = static_cast<std::uint8_t>(first >> (56 - 8 * i));
    block[8 + i] = static_cast<std::uint8_t>(second >> (56 - 8 * i));
  }
  return block;
}

// By Horner's rule, from the highest coefficient of b.
Polynomial multiply(Polynomial a, Polynomial b) noexcept {
  Polynomial product;
  for (const std::uint64_t bits : {b.high, b.low}) {
    for (unsigned i = 64; i-- > 0;) {
      const std::uint64_t carry = 0 - (product.high >> 63);
      product = shift_left(product, 1);
      product.low ^= modulus_low.low & carry;
      const std::uint64_t add = 0 - (bits >> i & 1);
      product.high ^= a.high & add;
      product.low ^= a.low & add;
    }
  }
  return product;
}

// Extended Euclid: a·g = u and a·h = v modulo the modulus, all along; u goes down to 1. The degrees of g and
// h stay below 128, since deg(g) + deg(v) <= 128 and deg(h) + deg(u) <= 128, and v is never constant.
Polynomial invert(Polynomial a) noexcept {
  constexpr Polynomial one = {0, 1};
  if (a == Polynomial{} || a == one) return a;
  // The first step, written out: the modulus less x^(128 - deg a) · a, whose x^128 cancel.
  Polynomial u = modulus_low ^ shift_left(a, 128 - degree(a));
  Polynomial v = a;
  Polynomial g = shift_left(one, 128 - degree(a));
  Polynomial h = one;
  while (u != one) {
    int above = degree(u) - degree(v);
    if (above < 0) {
      std::swap(u, v);
      std::swap(g, h);
      above = -above;
    }
    u = u ^ shift_left(v, above);
    g = g ^ shift_left(h, above);
  }
  return g;
}

}  // namespace lockstep::oracles::aes_gcm
