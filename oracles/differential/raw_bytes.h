#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::differential {

// What a naive target takes its parameters from: the front first; what is missing is zero.
class RawBytes {
 public:
  explicit RawBytes(std::span<const std::uint8_t> bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] std::vector<std::uint8_t> take(std::size_t bytes) {
    const auto given = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(given.size());
    std::vector<std::uint8_t> taken(given.begin(), given.end());
    taken.resize(bytes);
    return taken;
  }
  [[nodiscard]] std::uint8_t byte() { return take(1)[0]; }
  [[nodiscard]] std::size_t size() const noexcept { return rest_.size(); }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace lockstep::differential
