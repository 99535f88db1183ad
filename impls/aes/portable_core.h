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

struct Sliced {
  std::uint64_t w[8];
};

struct SlicedKey {
  std::uint64_t round_keys[15][8];
  std::uint64_t rounds;
};

[[gnu::always_inline]] inline void swap_bits(std::uint64_t& low, std::uint64_t& high, unsigned shift,
                                             std::uint64_t mask) noexcept {
  const std::uint64_t t = (low >> shift ^ high) & mask;
  high ^= t;
  low ^= t << shift;
}

// Bit i of byte j of word w goes to bit w of byte j of word i; its own inverse.
[[gnu::always_inline]] inline void transpose(Sliced& s) noexcept {
  for (unsigned i = 0; i < 8; i += 2) swap_bits(s.w[i], s.w[i + 1], 1, 0x5555555555555555);
  for (unsigned i = 0; i < 8; i += 4) {
    swap_bits(s.w[i], s.w[i + 2], 2, 0x3333333333333333);
    swap_bits(s.w[i + 1], s.w[i + 3], 2, 0x3333333333333333);
  }
  for (unsigned i = 0; i < 4; ++i) swap_bits(s.w[i], s.w[i + 4], 4, 0x0F0F0F0F0F0F0F0F);
}

// Byte r of a column to byte 2r.
[[gnu::always_inline]] inline std::uint64_t spread(std::uint32_t column) noexcept {
  std::uint64_t x = column;
  x = (x | x << 16) & 0x0000FFFF0000FFFF;
  return (x | x << 8) & 0x00FF00FF00FF00FF;
}

[[gnu::always_inline]] inline std::uint32_t unspread(std::uint64_t x) noexcept {
  x &= 0x00FF00FF00FF00FF;
  x = (x | x >> 8) & 0x0000FFFF0000FFFF;
  return static_cast<std::uint32_t>(x | x >> 16);
}

// columns[b][c]: column c of block b, row 0 in the low byte.
[[gnu::always_inline]] inline Sliced slice(const std::uint32_t (&columns)[4][4]) noexcept {
  Sliced s;
  for (unsigned b = 0; b < 4; ++b) {
    s.w[b] = spread(columns[b][0]) | spread(columns[b][2]) << 8;
    s.w[b + 4] = spread(columns[b][1]) | spread(columns[b][3]) << 8;
  }
  transpose(s);
  return s;
}

[[gnu::always_inline]] inline void unslice(Sliced s, std::uint32_t (&columns)[4][4]) noexcept {
  transpose(s);
  for (unsigned b = 0; b < 4; ++b) {
    columns[b][0] = unspread(s.w[b]);
    columns[b][2] = unspread(s.w[b] >> 8);
    columns[b][1] = unspread(s.w[b + 4]);
    columns[b][3] = unspread(s.w[b + 4] >> 8);
  }
}

// The circuit of Boyar and Peralta (A new combinational logic minimization technique with applications to
// cryptology, 2010), with their names. Gives S(x) ^ 0x63: the four NOTs at its outputs are in the round keys.
[[gnu::always_inline]] inline void substitute(Sliced& s) noexcept {
  const std::uint64_t x0 = s.w[7], x1 = s.w[6], x2 = s.w[5], x3 = s.w[4];
  const std::uint64_t x4 = s.w[3], x5 = s.w[2], x6 = s.w[1], x7 = s.w[0];

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

  s.w[7] = t59 ^ t63;
  s.w[4] = t53 ^ t66;
  s.w[3] = t51 ^ t66;
  s.w[2] = t47 ^ t65;
  s.w[1] = t56 ^ t62;
  s.w[0] = t48 ^ t60;
  s.w[6] = t64 ^ s.w[4];
  s.w[5] = t55 ^ t67;
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

// MixColumns over a state that lags `lag` times, then the round key. With t = a[r] + a[r+1]:
// 2 a[r] + 3 a[r+1] + a[r+2] + a[r+3] = 2 t[r] + a[r+1] + t[r+2].
template <unsigned lag>
[[gnu::always_inline]] inline void mix_and_add_key(Sliced& s, const std::uint64_t* round_key) noexcept {
  Sliced below;
  Sliced sum;
  for (unsigned i = 0; i < 8; ++i) {
    below.w[i] = rotate_lanes<lag>(rotate_word<16>(s.w[i]));
    sum.w[i] = s.w[i] ^ below.w[i];
  }
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t twice = i == 0 ? sum.w[7] : sum.w[i - 1];
    if (i == 1 || i == 3 || i == 4) twice ^= sum.w[7];
    s.w[i] = twice ^ below.w[i] ^ rotate_lanes<2 * lag>(rotate_word<32>(sum.w[i])) ^ round_key[i];
  }
}

inline void encrypt(const SlicedKey& key, Sliced& s) noexcept {
  for (unsigned i = 0; i < 8; ++i) s.w[i] ^= key.round_keys[0][i];
  const std::uint64_t(*round_key)[8] = &key.round_keys[1];
  const std::uint64_t(*last)[8] = &key.round_keys[key.rounds];
  // 9, 11 or 13 rounds with MixColumns.
  for (;;) {
    substitute(s);
    mix_and_add_key<1>(s, *round_key++);
    if (round_key == last) break;
    substitute(s);
    mix_and_add_key<2>(s, *round_key++);
    substitute(s);
    mix_and_add_key<3>(s, *round_key++);
    if (round_key == last) break;
    substitute(s);
    mix_and_add_key<0>(s, *round_key++);
  }
  substitute(s);
  for (unsigned i = 0; i < 8; ++i) s.w[i] ^= (*last)[i];
  if (key.rounds % 4 != 0) {
    constexpr std::uint64_t rows_0_and_2 = 0x0000FFFF0000FFFF;
    for (std::uint64_t& w : s.w) w = (w & rows_0_and_2) | (rotate_lanes<2>(w) & ~rows_0_and_2);
  }
}

inline std::uint32_t substitute_word(std::uint32_t word) noexcept {
  Sliced s = {{word, 0, 0, 0, 0, 0, 0, 0}};
  transpose(s);
  substitute(s);
  transpose(s);
  return static_cast<std::uint32_t>(s.w[0]) ^ substitution_constant;
}

// Section 5.2; the words have their first byte in the low bits.
inline void expand_key(SlicedKey& out, const std::uint8_t* key, std::size_t key_bytes) noexcept {
  const std::size_t key_words = key_bytes / 4;
  const std::size_t rounds = key_words + 6;
  std::uint32_t words[4][4]
                     [4];  // as blocks of four to be sliced; the last round keys of AES-128 and -192 unused
  std::uint32_t* const w = &words[0][0][0];
  for (std::size_t i = 0; i < key_words; ++i) w[i] = core::load_le32(key + 4 * i);
  std::uint32_t round_constant = 1;
  std::size_t phase = 0;
  for (std::size_t i = key_words; i < 64; ++i) {
    std::uint32_t t = w[i - 1];
    if (i >= 4 * (rounds + 1)) {
      t = 0;
    } else if (phase == 0) {
      t = substitute_word(t >> 8 | t << 24) ^ round_constant;
      round_constant = round_constant << 1 ^ (round_constant >> 7) * 0x11B;
    } else if (key_words == 8 && phase == 4) {
      t = substitute_word(t);
    }
    w[i] = w[i - key_words] ^ t;
    if (++phase == key_words) phase = 0;
  }
  for (std::size_t n = 0; n <= rounds; n += 4) {
    Sliced four = slice(words[n / 4]);
    for (std::size_t b = 0; b < 4 && n + b <= rounds; ++b) {
      for (unsigned i = 0; i < 8; ++i) {
        const std::uint64_t one = (four.w[i] >> b & 0x1111111111111111) * 15;
        std::uint64_t lagging = 0;
        for (unsigned row = 0; row < 4; ++row) {
          const std::uint64_t lane = one >> 16 * row & 0xFFFF;
          const std::size_t shift = b * row % 4 * 4;
          lagging |= ((lane << shift | lane >> (16 - shift)) & 0xFFFF) << 16 * row;
        }
        const bool inverted = n + b > 0 && (substitution_constant >> i & 1U) != 0;
        out.round_keys[n + b][i] = inverted ? ~lagging : lagging;
      }
    }
    core::wipe(&four, sizeof four);
  }
  out.rounds = rounds;
  core::wipe(words, sizeof words);
}

inline void encrypt_block(const SlicedKey& key, const std::uint8_t* in, std::uint8_t* out) noexcept {
  std::uint32_t columns[4][4] = {};
  for (unsigned c = 0; c < 4; ++c) columns[0][c] = core::load_le32(in + 4 * c);
  Sliced s = slice(columns);
  encrypt(key, s);
  unslice(s, columns);
  for (unsigned c = 0; c < 4; ++c) core::store_le32(out + 4 * c, columns[0][c]);
}

}  // namespace
}  // namespace lockstep::aes
