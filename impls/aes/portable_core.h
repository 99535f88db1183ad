#pragma once

#include <cstddef>
#include <cstdint>

#include "impls/core/endian.h"
#include "impls/core/wipe.h"

// AES (FIPS 197) bit-sliced: four blocks at once in eight words, word i holds bit i of all 64 bytes, the byte
// in row r and column c of block b at position 16r + 4c + b. SubBytes is a Boolean circuit, so there is no
// table and no branch on data: constant time. ShiftRows is never carried out between rounds: after n rounds
// the stored row r lags n*r columns behind, row by row the same distance, so MixColumns finds the byte below
// in the next lane and n columns on. The round keys are stored with the lag of their round. Only after the
// last round, an even one, rows 1 and 3 may be 2 columns behind.
namespace lockstep::aes {
namespace {

// Named words, no array: an index would be bounds-checked in sanitizer builds and keep them out of registers.
struct Sliced {
  std::uint64_t b0, b1, b2, b3, b4, b5, b6, b7;
};

struct SlicedKey {
  Sliced round_keys[15];
  std::uint64_t rounds;
};

// Columns with row 0 in the low byte.
struct Block {
  std::uint32_t c0, c1, c2, c3;
};

struct FourBlocks {
  Block block[4];
};

// always_inline from here on: the words must stay in registers, under sanitizers too.
[[gnu::always_inline]] inline Sliced operator^(const Sliced& x, const Sliced& y) noexcept {
  return {x.b0 ^ y.b0, x.b1 ^ y.b1, x.b2 ^ y.b2, x.b3 ^ y.b3,
          x.b4 ^ y.b4, x.b5 ^ y.b5, x.b6 ^ y.b6, x.b7 ^ y.b7};
}

template <auto function>
[[gnu::always_inline]] inline Sliced map(const Sliced& x) noexcept {
  return {function(x.b0), function(x.b1), function(x.b2), function(x.b3),
          function(x.b4), function(x.b5), function(x.b6), function(x.b7)};
}

template <unsigned shift, std::uint64_t mask>
[[gnu::always_inline]] inline void swap_bits(std::uint64_t& low, std::uint64_t& high) noexcept {
  const std::uint64_t t = (low >> shift ^ high) & mask;
  high ^= t;
  low ^= t << shift;
}

// Bit i of byte j of word w goes to bit w of byte j of word i; its own inverse.
[[gnu::always_inline]] inline void transpose(Sliced& s) noexcept {
  constexpr std::uint64_t m1 = 0x5555555555555555;
  constexpr std::uint64_t m2 = 0x3333333333333333;
  constexpr std::uint64_t m4 = 0x0F0F0F0F0F0F0F0F;
  swap_bits<1, m1>(s.b0, s.b1);
  swap_bits<1, m1>(s.b2, s.b3);
  swap_bits<1, m1>(s.b4, s.b5);
  swap_bits<1, m1>(s.b6, s.b7);
  swap_bits<2, m2>(s.b0, s.b2);
  swap_bits<2, m2>(s.b1, s.b3);
  swap_bits<2, m2>(s.b4, s.b6);
  swap_bits<2, m2>(s.b5, s.b7);
  swap_bits<4, m4>(s.b0, s.b4);
  swap_bits<4, m4>(s.b1, s.b5);
  swap_bits<4, m4>(s.b2, s.b6);
  swap_bits<4, m4>(s.b3, s.b7);
}

// Byte r of `even` to byte 2r, of `odd` to byte 2r + 1.
[[gnu::always_inline]] inline std::uint64_t interleave(std::uint32_t even, std::uint32_t odd) noexcept {
  std::uint64_t x = even;
  std::uint64_t y = odd;
  x = (x | x << 16) & 0x0000FFFF0000FFFF;
  y = (y | y << 16) & 0x0000FFFF0000FFFF;
  return ((x | x << 8) & 0x00FF00FF00FF00FF) | ((y | y << 8) & 0x00FF00FF00FF00FF) << 8;
}

[[gnu::always_inline]] inline std::uint32_t even_bytes(std::uint64_t x) noexcept {
  x &= 0x00FF00FF00FF00FF;
  x = (x | x >> 8) & 0x0000FFFF0000FFFF;
  return static_cast<std::uint32_t>(x | x >> 16);
}

[[gnu::always_inline]] inline Sliced slice(const Block& a, const Block& b, const Block& c,
                                           const Block& d) noexcept {
  Sliced s = {interleave(a.c0, a.c2), interleave(b.c0, b.c2), interleave(c.c0, c.c2), interleave(d.c0, d.c2),
              interleave(a.c1, a.c3), interleave(b.c1, b.c3), interleave(c.c1, c.c3), interleave(d.c1, d.c3)};
  transpose(s);
  return s;
}

[[gnu::always_inline]] inline Block block_of(std::uint64_t columns_0_and_2,
                                             std::uint64_t columns_1_and_3) noexcept {
  return {even_bytes(columns_0_and_2), even_bytes(columns_1_and_3), even_bytes(columns_0_and_2 >> 8),
          even_bytes(columns_1_and_3 >> 8)};
}

[[gnu::always_inline]] inline FourBlocks unslice(Sliced s) noexcept {
  transpose(s);
  return {{block_of(s.b0, s.b4), block_of(s.b1, s.b5), block_of(s.b2, s.b6), block_of(s.b3, s.b7)}};
}

// The circuit of Boyar and Peralta (A new combinational logic minimization technique with applications to
// cryptology, 2010), with their names. Gives S(x) ^ 0x63: the four NOTs at its outputs are in the round keys.
[[gnu::always_inline]] inline void substitute(Sliced& s) noexcept {
  const std::uint64_t x0 = s.b7, x1 = s.b6, x2 = s.b5, x3 = s.b4;
  const std::uint64_t x4 = s.b3, x5 = s.b2, x6 = s.b1, x7 = s.b0;

  const std::uint64_t y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
  const std::uint64_t t0 = x1 ^ x2;
  const std::uint64_t y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14, y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8;
  const std::uint64_t t1 = x4 ^ y12;
  const std::uint64_t y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0, y11 = y20 ^ y9;
  const std::uint64_t y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8, y16 = t0 ^ y11, y21 = y13 ^ y16;
  const std::uint64_t y18 = x0 ^ y16;

  const std::uint64_t t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & x7) ^ t2;
  const std::uint64_t t7 = y13 & y16, t9 = (y5 & y1) ^ t7, t11 = (y2 & y7) ^ t7;
  const std::uint64_t t12 = y9 & y11, t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
  const std::uint64_t t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19, t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;
  const std::uint64_t t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t29 = (t25 & t27) ^ t22;
  const std::uint64_t t30 = t23 ^ t24, t31 = t22 ^ t26, t33 = (t31 & t30) ^ t24, t34 = t23 ^ t33;
  const std::uint64_t t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36;
  const std::uint64_t t40 = t25 ^ (t29 & t38), t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40;
  const std::uint64_t t44 = t33 ^ t37, t45 = t42 ^ t41;

  const std::uint64_t z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1,
                      z5 = t29 & y7;
  const std::uint64_t z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3;
  const std::uint64_t z11 = t33 & y4, z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9;
  const std::uint64_t z16 = t45 & y14, z17 = t41 & y8;

  const std::uint64_t t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12;
  const std::uint64_t t51 = z2 ^ z5, t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17;
  const std::uint64_t t56 = z12 ^ t48, t57 = t50 ^ t53, t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57;
  const std::uint64_t t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58, t64 = z4 ^ t59, t65 = t61 ^ t62;
  const std::uint64_t t66 = z1 ^ t63, t67 = t64 ^ t65;

  s.b7 = t59 ^ t63;
  s.b4 = t53 ^ t66;
  s.b3 = t51 ^ t66;
  s.b2 = t47 ^ t65;
  s.b1 = t56 ^ t62;
  s.b0 = t48 ^ t60;
  s.b6 = t64 ^ s.b4;
  s.b5 = t55 ^ t67;
}

inline constexpr std::uint32_t substitution_constant = 0x63636363;

template <unsigned bits>
[[gnu::always_inline]] inline std::uint64_t rotate_word(std::uint64_t x) noexcept {
  return x >> bits | x << (64 - bits);
}

// Each 16-bit lane to the right, that is `columns` columns on.
template <unsigned columns>
[[gnu::always_inline]] inline std::uint64_t rotate_lanes(std::uint64_t x) noexcept {
  if constexpr (columns % 4 == 0) {
    return x;
  } else {
    constexpr unsigned shift = columns % 4 * 4;
    constexpr std::uint64_t stays = (0xFFFFU >> shift) * std::uint64_t{0x0001000100010001};
    return (x >> shift & stays) | (x << (16 - shift) & ~stays);
  }
}

// From the byte `rows` below, in a state that lags `lag` times.
template <unsigned rows, unsigned lag>
[[gnu::always_inline]] inline std::uint64_t from_below(std::uint64_t x) noexcept {
  return rotate_lanes<rows * lag>(rotate_word<16 * rows>(x));
}

// SubBytes, MixColumns, then the round key. With t = a[r] + a[r+1]:
// 2 a[r] + 3 a[r+1] + a[r+2] + a[r+3] = 2 t[r] + a[r+1] + t[r+2].
template <unsigned lag>
[[gnu::always_inline]] inline void round(Sliced& s, const Sliced& round_key) noexcept {
  substitute(s);
  const Sliced below = map<from_below<1, lag>>(s);
  const Sliced t = s ^ below;
  const Sliced twice = {t.b7, t.b0 ^ t.b7, t.b1, t.b2 ^ t.b7, t.b3 ^ t.b7, t.b4, t.b5, t.b6};
  s = twice ^ below ^ map<from_below<2, lag>>(t) ^ round_key;
}

// Rows 1 and 3 two columns on.
[[gnu::always_inline]] inline std::uint64_t catch_up(std::uint64_t x) noexcept {
  constexpr std::uint64_t rows_0_and_2 = 0x0000FFFF0000FFFF;
  return (x & rows_0_and_2) | (rotate_lanes<2>(x) & ~rows_0_and_2);
}

inline FourBlocks encrypt(const SlicedKey& key, const Block& a, const Block& b, const Block& c,
                          const Block& d) noexcept {
  Sliced s = slice(a, b, c, d) ^ key.round_keys[0];
  // 9, 11 or 13 rounds with MixColumns.
  std::uint64_t n = 1;
  for (;;) {
    round<1>(s, key.round_keys[n++]);
    if (n == key.rounds) break;
    round<2>(s, key.round_keys[n++]);
    round<3>(s, key.round_keys[n++]);
    if (n == key.rounds) break;
    round<0>(s, key.round_keys[n++]);
  }
  substitute(s);
  s = s ^ key.round_keys[n];
  if (n % 4 != 0) s = map<catch_up>(s);
  return unslice(s);
}

inline std::uint32_t substitute_word(std::uint32_t word) noexcept {
  Sliced s = {word, 0, 0, 0, 0, 0, 0, 0};
  transpose(s);
  substitute(s);
  transpose(s);
  return static_cast<std::uint32_t>(s.b0) ^ substitution_constant;
}

// Block b alone into the places of all four, lagging b times: row r to the left by b*r columns.
template <unsigned b>
[[gnu::always_inline]] inline std::uint64_t spread_and_lag(std::uint64_t x) noexcept {
  constexpr std::uint64_t row = 0xFFFF;
  x = (x >> b & 0x1111111111111111) * 15;
  return (x & row) | (rotate_lanes<(4 - b) % 4>(x) & row << 16) |
         (rotate_lanes<(8 - 2 * b) % 4>(x) & row << 32) | (rotate_lanes<(12 - 3 * b) % 4>(x) & row << 48);
}

// Section 5.2; the words have their first byte in the low bits.
inline void expand_key(SlicedKey& out, const std::uint8_t* key, std::size_t key_bytes) noexcept {
  const std::size_t key_words = key_bytes / 4;
  const std::size_t rounds = key_words + 6;
  std::uint32_t w[64] = {};  // up to the next multiple of four round keys, which are sliced together
  for (std::size_t i = 0; i < key_words; ++i) w[i] = core::load_le32(key + 4 * i);
  std::uint32_t t = w[key_words - 1];
  std::uint32_t round_constant = 1;
  std::size_t phase = 0;
  for (std::size_t i = key_words; i < 4 * (rounds + 1); ++i) {
    if (phase == 0) {
      t = substitute_word(t >> 8 | t << 24) ^ round_constant;
      round_constant = round_constant << 1 ^ (round_constant >> 7) * 0x11B;
    } else if (key_words == 8 && phase == 4) {
      t = substitute_word(t);
    }
    t ^= w[i - key_words];
    w[i] = t;
    if (++phase == key_words) phase = 0;
  }
  const Sliced inverted = {~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, 0,
                           ~std::uint64_t{0}, ~std::uint64_t{0}, 0};
  static_assert(substitution_constant == 0x63636363);
  for (std::size_t n = 0; n <= rounds; n += 4) {
    const std::uint32_t* k = w + 4 * n;
    const Sliced four = slice({k[0], k[1], k[2], k[3]}, {k[4], k[5], k[6], k[7]}, {k[8], k[9], k[10], k[11]},
                              {k[12], k[13], k[14], k[15]});
    out.round_keys[n] = map<spread_and_lag<0>>(four) ^ inverted;
    out.round_keys[n + 1] = map<spread_and_lag<1>>(four) ^ inverted;
    out.round_keys[n + 2] = map<spread_and_lag<2>>(four) ^ inverted;
    if (n < 12) out.round_keys[n + 3] = map<spread_and_lag<3>>(four) ^ inverted;
  }
  out.round_keys[0] = out.round_keys[0] ^ inverted;  // no SubBytes before it
  out.rounds = rounds;
  core::wipe(w, sizeof w);
}

inline Block load_block(const std::uint8_t* p) noexcept {
  return {core::load_le32(p), core::load_le32(p + 4), core::load_le32(p + 8), core::load_le32(p + 12)};
}

inline void store_block(std::uint8_t* p, const Block& block) noexcept {
  core::store_le32(p, block.c0);
  core::store_le32(p + 4, block.c1);
  core::store_le32(p + 8, block.c2);
  core::store_le32(p + 12, block.c3);
}

inline void encrypt_block(const SlicedKey& key, const std::uint8_t* in, std::uint8_t* out) noexcept {
  store_block(out, encrypt(key, load_block(in), {}, {}, {}).block[0]);
}

}  // namespace
}  // namespace lockstep::aes
