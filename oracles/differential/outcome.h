#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::differential {

inline constexpr std::size_t max_answers = 16;

// Ours, because engines and sanitizers hook memcmp: most of what a case compares is equal and long.
bool same_bytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) noexcept;

// Index into the answer names of an algorithm. Every algorithm's answer 0 is `violation`.
using AnswerId = std::uint8_t;
inline constexpr AnswerId violation_answer = 0;

// A set of answers.
class AnswerSet {
 public:
  constexpr AnswerSet() noexcept = default;
  constexpr AnswerSet(std::initializer_list<AnswerId> answers) noexcept {
    for (AnswerId answer : answers) insert(answer);
  }
  constexpr void insert(AnswerId answer) noexcept { bits_ |= 1U << answer; }
  [[nodiscard]] constexpr bool contains(AnswerId answer) const noexcept {
    return (bits_ >> answer & 1U) != 0;
  }
  [[nodiscard]] constexpr bool contains_all(AnswerSet other) const noexcept {
    return (other.bits_ & ~bits_) == 0;
  }
  constexpr bool operator==(const AnswerSet&) const noexcept = default;

 private:
  std::uint32_t bits_ = 0;
};

// A broken promise is an answer that nobody else gives. Ordered by what it says about the danger.
enum class ViolationKind : std::uint8_t { none, contract, memory };

// What one participant answered to one case: named byte strings, or nothing because the question is outside
// what it declares. Reused from case to case without allocating.
class Outcome {
 public:
  void clear() noexcept;

  void set(AnswerId answer, std::span<const std::uint8_t> bytes);
  void set(AnswerId answer, std::string_view text);
  void set(AnswerId answer, bool value);
  void set(AnswerId answer, const char* text) = delete;  // it would become the bool
  // Room to write an answer in place.
  std::span<std::uint8_t> allocate(AnswerId answer, std::size_t bytes);

  // `text` says what was broken; a second violation of one outcome is appended.
  void violate(ViolationKind kind, std::string_view text);
  // `reason` must have static storage.
  void set_unsupported(std::string_view reason) noexcept { unsupported_ = reason; }

  [[nodiscard]] bool has(AnswerId answer) const noexcept { return given_.contains(answer); }
  [[nodiscard]] std::span<const std::uint8_t> get(AnswerId answer) const noexcept;
  [[nodiscard]] std::string_view text(AnswerId answer) const noexcept;
  [[nodiscard]] AnswerSet given() const noexcept { return given_; }
  [[nodiscard]] std::string_view unsupported() const noexcept { return unsupported_; }
  [[nodiscard]] bool supported() const noexcept { return unsupported_.empty(); }
  [[nodiscard]] ViolationKind violation() const noexcept { return violation_; }

 private:
  struct Slice {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  std::vector<std::uint8_t> storage_;
  std::array<Slice, max_answers> slices_ = {};
  AnswerSet given_;
  ViolationKind violation_ = ViolationKind::none;
  std::string_view unsupported_;
};

}  // namespace lockstep::differential
