#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/differential/target.h"

namespace lockstep::differential {

// What sort of finding a verdict is: "disagreement", or "memory" if a participant broke into memory.
std::string_view kind_of(const Verdict& verdict) noexcept;

// Whom a finding is about, most telling first: the outvoted, or without majority all who stand
// against each other. A mixture is named only if no implementation alone is wrong, and all shipped together
// are "lockstep": the fault is in what they share.
std::vector<std::string> culprits(const Target& target, const Run& run);

// One line for one fault: target/kind/culprits/answer. Empty if all agree.
std::string signature(const Target& target, const Run& run);

// The index of the participant that a stack trace should name.
std::size_t primary_culprit(const Target& target, const Run& run);

// The case in words, the groups of each differing answer with their values around the first difference, who
// is outvoted, where, and who was not asked and why.
std::string report(const Target& target, std::span<const std::uint8_t> input, const Run& run);

// `answer` of `outcome` in words: text for statuses, yes or no for flags, hex; long ones around byte `at`.
std::string answer_in_words(const Target& target, const Outcome& outcome, AnswerId answer, std::size_t at);

}  // namespace lockstep::differential
