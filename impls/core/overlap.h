#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lockstep/buffers.h"

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

// Lists. All inlined, so that a contiguous call, whose lists have one span each, does not pay for them.

// True if any span of the list shares a byte with `b`.
template <class Byte>
[[gnu::always_inline]] inline bool overlap(std::span<const std::span<Byte>> list,
                                           std::span<const std::uint8_t> b) noexcept {
  for (const std::span<const std::uint8_t> a : list) {
    if (overlap(a, b)) return true;
  }
  return false;
}

// Of all spans; 2^64 - 1 if that does not fit.
template <class Byte>
[[gnu::always_inline]] inline std::uint64_t total_bytes(std::span<const std::span<Byte>> list) noexcept {
  std::uint64_t total = 0;
  for (const std::span<Byte> one : list) {
    if (__builtin_add_overflow(total, std::uint64_t{one.size()}, &total)) return ~std::uint64_t{0};
  }
  return total;
}

// take(in, out, index of the input span) for every segment: cut wherever either list is cut. The totals are
// equal.
template <class Take>
[[gnu::always_inline]] inline void each_segment(ConstBuffers in, MutableBuffers out, Take take) noexcept {
  if (in.size() == 1 && out.size() == 1) return take(in[0], out[0], std::size_t{0});
  std::size_t index = 0;
  std::size_t done = 0;
  for (std::span<std::uint8_t> rest : out) {
    while (!rest.empty()) {
      while (done == in[index].size()) {
        ++index;
        done = 0;
      }
      const std::size_t bytes = std::min(rest.size(), in[index].size() - done);
      take(in[index].subspan(done, bytes), rest.first(bytes), index);
      done += bytes;
      rest = rest.subspan(bytes);
    }
  }
}

// For lists of equal totals: as buffers.h demands it.
[[gnu::always_inline]] inline bool in_place_or_apart(ConstBuffers in, MutableBuffers out) noexcept {
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (overlap(out.first(i), out[i])) return false;
  }
  bool kept = true;
  each_segment(in, out, [&](auto from, auto to, std::size_t own) {
    const bool in_place = from.data() == to.data();
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!(in_place && i == own) && overlap(in[i], to)) kept = false;
    }
  });
  return kept;
}

}  // namespace
}  // namespace lockstep::core
