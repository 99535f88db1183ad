#include "cli/campaign/duration.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep::cli::campaign {
namespace {

// Seconds of a unit, 0 if there is no such unit.
double unit_seconds(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return 0;
  }
}

// Takes digits, perhaps with a fraction, from the front of `text`. Not std::stod: that reads "1e3", "inf" and
// signs.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  double scale = 0;  // of the next digit of the fraction
  bool digits = false;
  while (!text.empty()) {
    const char c = text.front();
    if (c >= '0' && c <= '9') {
      digits = true;
      if (scale > 0) {
        value += (c - '0') * scale;
        scale /= 10;
      } else {
        value = value * 10 + (c - '0');
      }
    } else if (c == '.' && scale <= 0 && digits) {
      scale = 0.1;
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  return digits ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr double longest = 366.0 * 86400;
  double total = 0;
  double last_unit = longest;
  bool first = true;
  while (!text.empty()) {
    const std::optional<double> value = take_number(text);
    if (!value) return std::nullopt;
    double unit = 1;
    if (!text.empty()) {
      unit = unit_seconds(text.front());
      text.remove_prefix(1);
    } else if (!first) {
      return std::nullopt;  // "1h30" could mean anything
    }
    // Units come in falling order, each once.
    if (unit <= 0 || unit >= last_unit) return std::nullopt;
    last_unit = unit;
    total += *value * unit;
    first = false;
  }
  const auto milliseconds = std::chrono::milliseconds(std::llround(std::min(total, 2 * longest) * 1000));
  if (milliseconds.count() <= 0 || total > longest) return std::nullopt;
  return milliseconds;
}

std::string format_duration(std::chrono::milliseconds duration) {
  const auto seconds = std::max<std::chrono::milliseconds::rep>(0, (duration.count() + 500) / 1000);
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m {:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h {:02}m", seconds / 3600, seconds / 60 % 60);
}

}  // namespace lockstep::cli::campaign
