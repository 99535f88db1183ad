#include "oracles/aes/plain.h"

#include <bit>

// Section numbers are those of FIPS 197. A column of the state is one word, row 0 in its most significant
// byte, so that a column reads from left to right as the standard writes it from top to bottom.
namespace lockstep::oracles::aes {
namespace {

using Word = std::uint32_t;
using State = std::array<Word, 4>;

// 4.2: products of bytes modulo m(x) = x^8 + x^4 + x^3 + x + 1.
constexpr std::uint8_t xtime(std::uint8_t b) noexcept {
  return static_cast<std::uint8_t>((b << 1) ^ ((b & 0x80) != 0 ? 0x1b : 0));
}

constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) noexcept {
  std::uint8_t product = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((b >> i & 1) != 0) product = static_cast<std::uint8_t>(product ^ a);
    a = xtime(a);
  }
  return product;
}

// b^254, which is b^-1 for b != 0, and 0 for 0 as section 5.1.1 wants it.
constexpr std::uint8_t inverse(std::uint8_t b) noexcept {
  std::uint8_t power = b;
  std::uint8_t result = 1;
  for (unsigned i = 1; i < 8; ++i) {
    power = multiply(power, power);
    result = multiply(result, power);
  }
  return result;
}

// 5.1.1: the inverse, then the affine transformation (5.1) with c = 01100011.
constexpr std::array<std::uint8_t, 256> s_box = [] {
  std::array<std::uint8_t, 256> table = {};
  for (unsigned value = 0; value < table.size(); ++value) {
    const std::uint8_t b = inverse(static_cast<std::uint8_t>(value));
    table[value] = static_cast<std::uint8_t>(b ^ std::rotl(b, 1) ^ std::rotl(b, 2) ^ std::rotl(b, 3) ^
                                             std::rotl(b, 4) ^ 0x63);
  }
  return table;
}();

// 5.2
constexpr Word sub_word(Word w) noexcept {
  return Word{s_box[w >> 24]} << 24 | Word{s_box[w >> 16 & 0xff]} << 16 | Word{s_box[w >> 8 & 0xff]} << 8 |
         Word{s_box[w & 0xff]};
}
constexpr Word rot_word(Word w) noexcept {
  return std::rotl(w, 8);
}

// 5.1.1 and 5.1.2: row r of column c comes from column c + r.
constexpr Word shifted_column(Word row_0, Word row_1, Word row_2, Word row_3) noexcept {
  return sub_word((row_0 & 0xff000000) | (row_1 & 0x00ff0000) | (row_2 & 0x0000ff00) | (row_3 & 0x000000ff));
}

constexpr State sub_bytes_and_shift_rows(const State& s) noexcept {
  return {shifted_column(s[0], s[1], s[2], s[3]), shifted_column(s[1], s[2], s[3], s[0]),
          shifted_column(s[2], s[3], s[0], s[1]), shifted_column(s[3], s[0], s[1], s[2])};
}

// xtime of the four bytes at once.
constexpr Word xtime(Word w) noexcept {
  return ((w & 0x7f7f7f7f) << 1) ^ ((w >> 7 & 0x01010101) * 0x1b);
}

// 5.1.3, (5.6): {02}·s_r + {03}·s_(r+1) + s_(r+2) + s_(r+3) in row r. A rotation by 8 bits makes row r + 1
// row r.
constexpr Word mix_column(Word s) noexcept {
  const Word next = std::rotl(s, 8);
  return xtime(s ^ next) ^ next ^ std::rotl(s ^ next, 16);
}

constexpr State mix_columns(const State& s) noexcept {
  return {mix_column(s[0]), mix_column(s[1]), mix_column(s[2]), mix_column(s[3])};
}

// 5.1.4
constexpr State add_round_key(const State& s, const Word* round_key) noexcept {
  return {s[0] ^ round_key[0], s[1] ^ round_key[1], s[2] ^ round_key[2], s[3] ^ round_key[3]};
}

Word load_column(std::span<const std::uint8_t> bytes) noexcept {
  return Word{bytes[0]} << 24 | Word{bytes[1]} << 16 | Word{bytes[2]} << 8 | Word{bytes[3]};
}

}  // namespace

// 5.2, figure 11
bool Aes::set_key(std::span<const std::uint8_t> key) noexcept {
  if (!is_key_size(key.size())) return false;
  const std::size_t nk = key.size() == 16 ? 4 : key.size() == 24 ? 6 : 8;  // 5, figure 4
  rounds_ = nk + 6;
  for (std::size_t i = 0; i < nk; ++i) w_[i] = load_column(key.subspan(4 * i, 4));
  std::uint8_t rcon = 1;
  for (std::size_t i = nk; i < 4 * (rounds_ + 1); ++i) {
    Word temp = w_[i - 1];
    if (i % nk == 0) {
      temp = sub_word(rot_word(temp)) ^ static_cast<Word>(rcon) << 24;
      rcon = xtime(rcon);
    } else if (nk > 6 && i % nk == 4) {
      temp = sub_word(temp);
    }
    w_[i] = w_[i - nk] ^ temp;
  }
  return true;
}

// 5.1, figure 5
void Aes::encrypt_block(std::span<const std::uint8_t, block_bytes> in,
                        std::span<std::uint8_t, block_bytes> out) const noexcept {
  State state;
  for (std::size_t c = 0; c < 4; ++c) state[c] = load_column(in.subspan(4 * c, 4));
  state = add_round_key(state, &w_[0]);
  for (std::size_t round = 1; round < rounds_; ++round) {
    state = sub_bytes_and_shift_rows(state);
    state = mix_columns(state);
    state = add_round_key(state, &w_[4 * round]);
  }
  state = sub_bytes_and_shift_rows(state);
  state = add_round_key(state, &w_[4 * rounds_]);
  for (std::size_t c = 0; c < 4; ++c) {
    for (unsigned row = 0; row < 4; ++row) {
      out[4 * c + row] = static_cast<std::uint8_t>(state[c] >> (24 - 8 * row));
    }
  }
}

}  // namespace lockstep::oracles::aes
