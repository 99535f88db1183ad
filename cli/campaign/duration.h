#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::cli::campaign {

using Clock = std::chrono::steady_clock;

// "90", "90s", "10m", "1.5h", "1h30m", "2d"; a number alone is seconds. Nothing for anything else, or for 0.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// "45s", "9m 05s", "1h 30m".
std::string format_duration(std::chrono::milliseconds duration);

inline double seconds_of(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace lockstep::cli::campaign
