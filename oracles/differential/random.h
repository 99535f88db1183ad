#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::differential {

// SplitMix64: a pure function of its seed, the same on every machine and compiler.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // 0 .. bound - 1; bound 0 gives 0. The bias is below 2^-32 for the small bounds used here.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    return bound == 0 ? 0 : (next() >> 32) % bound;
  }
  constexpr bool chance(unsigned percent) noexcept { return below(100) < percent; }
  constexpr void fill(std::span<std::uint8_t> out) noexcept {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 8 == 0) word = next();
      out[i] = static_cast<std::uint8_t>(word >> (8 * (i % 8)));
    }
  }

 private:
  std::uint64_t state_;
};

// The content of a case that is not given. One seed in sixteen gives content half of whose words are zero,
// which random bytes never are.
class ContentFill {
 public:
  explicit constexpr ContentFill(std::uint64_t seed) noexcept : random_(seed), sparse_(seed % 16 == 5) {}
  constexpr void fill(std::span<std::uint8_t> out) noexcept {
    random_.fill(out);
    if (!sparse_) return;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 8 == 0) zero_ = random_.chance(50);
      if (zero_) out[i] = 0;
    }
  }

 private:
  Random random_;
  bool sparse_;
  bool zero_ = false;
};

}  // namespace lockstep::differential
