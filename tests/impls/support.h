#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/implementation.h"
#include "lockstep/status.h"

namespace lockstep {

inline void PrintTo(Status status, std::ostream* out) {
  *out << to_string(status);
}

}  // namespace lockstep

namespace lockstep::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(digit(text[i]) * 16 + digit(text[i + 1])));
  }
  return bytes;
}

// splitmix64: the same on every machine and standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return std::size_t{next()} % n; }
  Bytes bytes(std::size_t n) {
    Bytes out(n);
    for (std::uint8_t& b : out) b = static_cast<std::uint8_t>(next());
    return out;
  }

 private:
  std::uint64_t state_;
};

// Lengths of pieces that add up to `total`, some of them empty.
inline std::vector<std::size_t> cut(Random& random, std::size_t total) {
  std::vector<std::size_t> pieces;
  while (total > 0 || random.below(3) == 0) {
    std::size_t piece = random.below(4) == 0 ? 0 : random.below(random.below(2) == 0 ? 40 : total + 1);
    if (piece > total) piece = total;
    pieces.push_back(piece);
    total -= piece;
  }
  return pieces;
}

template <class Implementation>
std::vector<const Implementation*> runnable(std::span<const Implementation* const> all) {
  std::vector<const Implementation*> list;
  for (const Implementation* implementation : all) {
    if (cpu_features().contains_all(info(*implementation).required)) list.push_back(implementation);
  }
  return list;
}

template <class Implementation>
std::string test_name(const testing::TestParamInfo<const Implementation*>& parameter) {
  return std::string(info(*parameter.param).name);
}

// GF(2^128) exactly as section 6.3 of SP 800-38D writes it, one bit after the other.
inline Bytes multiply_bitwise(const Bytes& x, const Bytes& y) {
  Bytes z(16);
  Bytes v = y;
  for (std::size_t i = 0; i < 128; ++i) {
    if ((x[i / 8] >> (7 - i % 8) & 1) != 0) {
      for (std::size_t j = 0; j < 16; ++j) z[j] ^= v[j];
    }
    const bool last_bit = (v[15] & 1) != 0;
    for (std::size_t j = 15; j > 0; --j) v[j] = static_cast<std::uint8_t>(v[j] >> 1 | v[j - 1] << 7);
    v[0] = static_cast<std::uint8_t>(v[0] >> 1);
    if (last_bit) v[0] ^= 0xE1;
  }
  return z;
}

inline Bytes ghash_bitwise(const Bytes& h, Bytes y, std::span<const std::uint8_t> data) {
  for (std::size_t i = 0; i < data.size(); i += 16) {
    for (std::size_t j = i; j < data.size() && j < i + 16; ++j) y[j - i] ^= data[j];
    y = multiply_bitwise(y, h);
  }
  return y;
}

}  // namespace lockstep::test
