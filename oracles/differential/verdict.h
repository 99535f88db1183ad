#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "oracles/differential/outcome.h"
#include "oracles/differential/participant.h"

namespace lockstep::differential {

// One answer name, and the participants grouped by equal value. Group 0 is that of the first who gave it.
struct AnswerGroups {
  static constexpr std::int8_t abstained = -1;
  AnswerId answer = 0;
  std::int8_t count = 0;
  std::array<std::int8_t, max_participants> group_of = {};
};

struct FirstDifference {
  AnswerId answer = 0;
  std::size_t byte = 0;
};

struct Verdict {
  std::vector<AnswerGroups> disagreements;  // only the answers with more than one group
  unsigned comparisons = 0;                 // participants who answered, less one
  std::uint64_t answered = 0;               // bit i: participant i gave the core answers
  std::uint64_t outvoted = 0;  // bit i: participant i is against a strict majority of origins in some answer
  bool no_majority = false;    // some differing answer has none
  FirstDifference first_difference;  // of an outvoted participant if there is one
  ViolationKind violation = ViolationKind::none;

  [[nodiscard]] bool agrees() const noexcept { return disagreements.empty(); }
};

// Compares per answer name, among those who gave that answer. A participant that answered and broke no
// promise counts as having said "no violation". `core`: the answers that make an outcome count as a
// comparison.
void compare(std::span<const ParticipantInfo> participants, std::span<const Outcome> outcomes, AnswerSet core,
             Verdict& verdict);

}  // namespace lockstep::differential
