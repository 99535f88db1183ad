#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::core {
namespace {

// True if all bytes are equal; the time depends on `bytes` alone.
inline bool equal_constant_time(const std::uint8_t* a, const std::uint8_t* b, std::size_t bytes) noexcept {
  std::uint32_t difference = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    difference |= static_cast<std::uint32_t>(a[i] ^ b[i]);
    // Hides the running value, or the compiler might leave the loop as soon as it is not zero.
    __asm__ __volatile__("" : "+r"(difference));
  }
  return difference == 0;
}

}  // namespace
}  // namespace lockstep::core
