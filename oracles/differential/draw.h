#pragma once

#include <array>
#include <cstdint>

#include "oracles/differential/random.h"

// What the distributions of several algorithms draw alike.
namespace lockstep::differential {

// Cuts that favour the edges of blocks of 16 bytes; returns how many of them to make.
template <std::size_t count>
std::uint8_t draw_cuts(Random& random, std::uint32_t bytes, std::array<std::uint16_t, count>& cuts) {
  for (std::uint16_t& cut : cuts) {
    std::uint64_t at = random.below(std::uint64_t{bytes} + 1);
    if (random.chance(50)) at = at / 16 * 16 + random.below(3) * random.below(2);
    cut = static_cast<std::uint16_t>(at);
  }
  return static_cast<std::uint8_t>(random.below(random.chance(70) ? 3 : count + 1));
}

// Before which calls of a message something happens: none in most cases, one, or any.
inline std::uint8_t draw_calls(Random& random, unsigned percent) {
  if (!random.chance(percent)) return 0;
  return static_cast<std::uint8_t>(random.chance(60) ? 1U << random.below(8) : random.next());
}

}  // namespace lockstep::differential
