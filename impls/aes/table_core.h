#pragma once

#include <cstddef>
#include <cstdint>

#include "impls/core/endian.h"

// AES (FIPS 197) by T-tables: entry x of table r is the column that S(x) in row r gives after MixColumns, so
// a round is four look-ups and four XORs per column. The addresses depend on the key: not constant time.
// Columns are words with row 0 in the low byte.
namespace lockstep::aes {
namespace {

struct TableKey {
  std::uint32_t round_keys[60];
  std::uint64_t rounds;
};

struct Tables {
  std::uint8_t substitution[256];
  std::uint32_t column[4][256];
};

constexpr std::uint32_t twice(std::uint32_t x) noexcept {
  return (x << 1 ^ (x >> 7) * 0x11B) & 0xFF;
}

constexpr Tables make_tables() noexcept {
  // Powers of the generator 3, for inverses: 1/g^i = g^(255 - i).
  std::uint8_t power[256] = {};
  std::uint8_t logarithm[256] = {};
  std::uint32_t x = 1;
  for (std::uint32_t i = 0; i < 255; ++i) {
    power[i] = static_cast<std::uint8_t>(x);
    logarithm[x] = static_cast<std::uint8_t>(i);
    x ^= twice(x);
  }
  Tables tables = {};
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::uint32_t inverse = i == 0 ? 0U : power[(255U - logarithm[i]) % 255U];
    // Section 5.1.1: b ^ (b <<< 1) ^ .. ^ (b <<< 4) ^ 0x63; the rotations as shifts, the upper byte folded
    // back.
    const std::uint32_t wide = inverse ^ inverse << 1 ^ inverse << 2 ^ inverse << 3 ^ inverse << 4;
    const std::uint32_t s = (wide ^ wide >> 8 ^ 0x63U) & 0xFF;
    tables.substitution[i] = static_cast<std::uint8_t>(s);
    std::uint32_t column = twice(s) | s << 8 | s << 16 | (s ^ twice(s)) << 24;
    for (auto& table : tables.column) {
      table[i] = column;
      column = column << 8 | column >> 24;
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

[[gnu::always_inline]] inline std::uint32_t substitute_word(std::uint32_t word) noexcept {
  const auto* s = tables.substitution;
  return std::uint32_t{s[word & 0xFF]} | std::uint32_t{s[word >> 8 & 0xFF]} << 8 |
         std::uint32_t{s[word >> 16 & 0xFF]} << 16 | std::uint32_t{s[word >> 24]} << 24;
}

// Section 5.2.
inline void expand_key(TableKey& out, const std::uint8_t* key, std::size_t key_bytes) noexcept {
  const std::size_t key_words = key_bytes / 4;
  const std::size_t rounds = key_words + 6;
  std::uint32_t* const w = out.round_keys;
  for (std::size_t i = 0; i < key_words; ++i) w[i] = core::load_le32(key + 4 * i);
  std::uint32_t round_constant = 1;
  std::size_t phase = 0;
  for (std::size_t i = key_words; i < 4 * (rounds + 1); ++i) {
    std::uint32_t t = w[i - 1];
    if (phase == 0) {
      t = substitute_word(t >> 8 | t << 24) ^ round_constant;
      round_constant = twice(round_constant);
    } else if (key_words == 8 && phase == 4) {
      t = substitute_word(t);
    }
    w[i] = w[i - key_words] ^ t;
    if (++phase == key_words) phase = 0;
  }
  out.rounds = rounds;
}

// Row r of the new column c comes from column c + r.
[[gnu::always_inline]] inline std::uint32_t round_column(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                         std::uint32_t d) noexcept {
  return tables.column[0][a & 0xFF] ^ tables.column[1][b >> 8 & 0xFF] ^ tables.column[2][c >> 16 & 0xFF] ^
         tables.column[3][d >> 24];
}

[[gnu::always_inline]] inline std::uint32_t last_column(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                        std::uint32_t d) noexcept {
  return substitute_word((a & 0xFF) | (b & 0xFF00) | (c & 0xFF0000) | (d & 0xFF000000));
}

inline void encrypt_block(const TableKey& key, const std::uint8_t* in, std::uint8_t* out) noexcept {
  const std::uint32_t* k = key.round_keys;
  std::uint32_t a = core::load_le32(in) ^ k[0];
  std::uint32_t b = core::load_le32(in + 4) ^ k[1];
  std::uint32_t c = core::load_le32(in + 8) ^ k[2];
  std::uint32_t d = core::load_le32(in + 12) ^ k[3];
  for (std::uint64_t n = 1; n < key.rounds; ++n) {
    k += 4;
    const std::uint32_t next_a = round_column(a, b, c, d) ^ k[0];
    const std::uint32_t next_b = round_column(b, c, d, a) ^ k[1];
    const std::uint32_t next_c = round_column(c, d, a, b) ^ k[2];
    d = round_column(d, a, b, c) ^ k[3];
    a = next_a;
    b = next_b;
    c = next_c;
  }
  k += 4;
  core::store_le32(out, last_column(a, b, c, d) ^ k[0]);
  core::store_le32(out + 4, last_column(b, c, d, a) ^ k[1]);
  core::store_le32(out + 8, last_column(c, d, a, b) ^ k[2]);
  core::store_le32(out + 12, last_column(d, a, b, c) ^ k[3]);
}

}  // namespace
}  // namespace lockstep::aes
