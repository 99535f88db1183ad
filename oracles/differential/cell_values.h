#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/differential/guarded.h"

// Values of attributes that several algorithms have. Blocks are of 16 bytes here.
namespace lockstep::differential {

inline constexpr unsigned widest_stride = 16;  // that the values below have room for

inline std::vector<std::string> numbered(std::string_view word, unsigned count) {
  std::vector<std::string> list;
  for (unsigned i = 0; i < count; ++i) list.push_back(std::string(word) + std::to_string(i));
  return list;
}

inline std::vector<std::string> operator+(std::vector<std::string> list,
                                          const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

inline std::vector<std::string> words_of(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

// Where a buffer lies.
inline const std::vector<std::string>& guard_words() {
  static const std::vector<std::string> words = {"aligned", "front", "behind"};
  return words;
}
inline std::uint8_t guard_value(Placement placement) noexcept {
  return placement == Placement::front() ? 1 : placement == Placement::behind() ? 2 : 0;
}

// A length beside whole strides.
inline const std::vector<std::string>& length_words() {
  static const std::vector<std::string> words = {"0",      "1",          "2..14",          "15",
                                                 "blocks", "blocks + 1", "blocks + 2..14", "blocks + 15"};
  return words;
}
inline std::uint8_t length_value(std::size_t bytes, std::size_t stride_blocks) noexcept {
  const std::size_t beside = bytes % (16 * stride_blocks);
  const std::size_t rest = beside % 16;
  const unsigned of_rest = rest == 0 ? 0 : rest == 1 ? 1 : rest < 15 ? 2 : 3;
  return static_cast<std::uint8_t>((beside < 16 ? 0 : 4) + of_rest);
}
constexpr bool length_possible(unsigned stride_blocks, unsigned value, unsigned) noexcept {
  return stride_blocks > 1 || value < 4;
}

// How many strides of a bulk loop.
inline const std::vector<std::string>& strides_words() {
  static const std::vector<std::string> words = {"0", "1", "2", "many"};
  return words;
}
inline std::uint8_t strides_value(std::size_t strides) noexcept {
  return static_cast<std::uint8_t>(strides < 3 ? strides : 3);
}

// What follows the strides of a kernel call: whole blocks, and perhaps a rest.
inline std::vector<std::string> tail_words() {
  std::vector<std::string> words;
  for (unsigned i = 0; i < widest_stride; ++i) {
    words.push_back(std::to_string(i) + " blocks");
    words.push_back(std::to_string(i) + " blocks and a rest");
  }
  return words;
}
constexpr std::uint8_t tail_value(std::size_t whole_blocks, bool rest) noexcept {
  return static_cast<std::uint8_t>(2 * whole_blocks + (rest ? 1 : 0));
}
constexpr unsigned tail_blocks(unsigned tail) noexcept {
  return tail / 2;
}
constexpr bool tail_has_rest(unsigned tail) noexcept {
  return tail % 2 != 0;
}
constexpr unsigned no_tail = tail_value(0, false);
constexpr bool tail_possible(unsigned stride_blocks, unsigned tail, unsigned) noexcept {
  return tail_blocks(tail) < stride_blocks;
}

// Where in its block a piece ends.
inline constexpr unsigned last_phase = 16;
inline std::vector<std::string> phase_words() {
  return numbered("", last_phase) + std::vector<std::string>{"last"};
}
// Kernel calls start at a block, so that the rest is where the piece ends. A piece within one block has none.
constexpr bool tail_fits_phase(unsigned /*stride*/, unsigned tail, unsigned phase) noexcept {
  return phase == last_phase || tail == no_tail || tail_has_rest(tail) == (phase != 0);
}

// What happens between two calls.
inline const std::vector<std::string>& between_words() {
  static const std::vector<std::string> words = {"none", "export", "copy", "export and copy"};
  return words;
}
// Before one of the calls first .. last, modulo 8.
inline std::uint8_t between_value(unsigned export_before, unsigned copy_before, std::size_t first,
                                  std::size_t last) noexcept {
  unsigned hit = 0;
  for (std::size_t number = first; number <= last; ++number) hit |= 1U << (number % 8);
  return static_cast<std::uint8_t>(((export_before & hit) != 0 ? 1 : 0) + ((copy_before & hit) != 0 ? 2 : 0));
}

}  // namespace lockstep::differential
