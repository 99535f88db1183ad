#pragma once

#include <ctime>

namespace lockstep::differential {

// What counts as a hang does not go by the clock on the wall.
inline void spend_cpu_time(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
    for (int i = 0; i < 1'000'000; ++i) __asm__ __volatile__("");
  }
}

}  // namespace lockstep::differential
