#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// How cuts divide a buffer; shared by everyone who has to feed or to locate pieces.
namespace lockstep::differential {

template <std::size_t capacity>
struct Pieces {
  std::array<std::size_t, capacity + 1> bounds = {};  // piece i is [bounds[i], bounds[i + 1])
  std::size_t count = 1;

  [[nodiscard]] std::size_t bytes(std::size_t piece) const noexcept {
    return bounds[piece + 1] - bounds[piece];
  }
};

// A cut is a position modulo (bytes + 1); sorted, equal ones give empty pieces.
template <std::size_t cut_capacity>
Pieces<cut_capacity + 1> cut(std::size_t bytes, std::size_t cut_count,
                             const std::array<std::uint16_t, cut_capacity>& cuts) noexcept {
  Pieces<cut_capacity + 1> pieces;
  pieces.count = cut_count + 1;
  for (std::size_t i = 0; i < cut_count; ++i) {
    const std::size_t bound = cuts[i] % (bytes + 1);
    std::size_t at = i + 1;
    for (; at > 1 && pieces.bounds[at - 1] > bound; --at) pieces.bounds[at] = pieces.bounds[at - 1];
    pieces.bounds[at] = bound;
  }
  pieces.bounds[pieces.count] = bytes;
  return pieces;
}

// Whether something happens before call number `call`: the bits are those of call numbers modulo 8.
constexpr bool is_set(std::uint8_t bits, std::size_t call) noexcept {
  return (bits >> (call % 8) & 1U) != 0;
}

}  // namespace lockstep::differential
