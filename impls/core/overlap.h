#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::core {
namespace {

// True if the two share a byte. Compared as integers: `<` on pointers into different objects says nothing.
inline bool overlap(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) noexcept {
  if (a.empty() || b.empty()) return false;
  const auto a_start = reinterpret_cast<std::uintptr_t>(a.data());
  const auto b_start = reinterpret_cast<std::uintptr_t>(b.data());
  // A difference that would be negative wraps to more than any size.
  return a_start - b_start < b.size() || b_start - a_start < a.size();
}

// For equally long spans.
inline bool in_place_or_apart(std::span<const std::uint8_t> in, std::span<const std::uint8_t> out) noexcept {
  return in.data() == out.data() || !overlap(in, out);
}

}  // namespace
}  // namespace lockstep::core
