#pragma once

#include <cstdint>

namespace lockstep::blake2b {
namespace {

inline constexpr unsigned rounds = 12;

// RFC 7693, section 2.6.
constexpr std::uint64_t iv[8] = {0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B,
                                 0xA54FF53A5F1D36F1, 0x510E527FADE682D1, 0x9B05688C2B3E6C1F,
                                 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

// Section 2.7. Rounds 10 and 11 are rounds 0 and 1 again.
constexpr std::uint8_t sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

// t as one number of 128 bits; beyond its end it wraps.
[[gnu::always_inline]] inline void advance(std::uint64_t (&t)[2], std::uint64_t increment) noexcept {
  t[0] += increment;
  t[1] += t[0] < increment ? 1 : 0;
}

}  // namespace
}  // namespace lockstep::blake2b
