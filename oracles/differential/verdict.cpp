#include "oracles/differential/verdict.h"

#include <algorithm>

namespace lockstep::differential {
namespace {

bool gives(const Outcome& outcome, AnswerId answer) noexcept {
  if (!outcome.supported()) return false;
  return answer == violation_answer || outcome.has(answer);
}

AnswerGroups group(std::span<const Outcome> outcomes, AnswerId answer) {
  AnswerGroups groups;
  groups.answer = answer;
  std::array<std::size_t, max_participants> representative = {};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    groups.group_of[i] = AnswerGroups::abstained;
    if (!gives(outcomes[i], answer)) continue;
    const std::span<const std::uint8_t> value = outcomes[i].get(answer);
    std::int8_t g = 0;
    while (g < groups.count &&
           !same_bytes(value, outcomes[representative[static_cast<std::size_t>(g)]].get(answer)))
      ++g;
    if (g == groups.count) representative[static_cast<std::size_t>(groups.count++)] = i;
    groups.group_of[i] = g;
  }
  return groups;
}

bool unanimous(std::span<const Outcome> outcomes, AnswerId answer) noexcept {
  const Outcome* first = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (!gives(outcome, answer)) continue;
    if (first == nullptr) {
      first = &outcome;
    } else if (!same_bytes(first->get(answer), outcome.get(answer))) {
      return false;
    }
  }
  return true;
}

// One vote per independent origin. If the participants of one origin split, its vote goes to the one group of
// theirs that agrees with another origin; if there is no such group, or two, the origin has no vote. Returns
// the participants against a strict majority, or nothing if there is no majority.
std::optional<std::uint64_t> count_votes(std::span<const ParticipantInfo> participants,
                                         const AnswerGroups& groups) {
  struct Ballot {
    std::string_view origin;
    std::uint64_t groups = 0;
  };
  std::vector<Ballot> ballots;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    if (groups.group_of[i] == AnswerGroups::abstained) continue;
    auto ballot = std::ranges::find(ballots, participants[i].origin, &Ballot::origin);
    if (ballot == ballots.end()) ballot = ballots.insert(ballots.end(), {participants[i].origin, 0});
    ballot->groups |= std::uint64_t{1} << groups.group_of[i];
  }
  std::array<unsigned, max_participants> votes = {};
  for (const Ballot& ballot : ballots) {
    std::uint64_t supported = 0;
    for (const Ballot& other : ballots) {
      if (&other != &ballot) supported |= other.groups;
    }
    const bool split = (ballot.groups & (ballot.groups - 1)) != 0;
    const std::uint64_t candidates = split ? ballot.groups & supported : ballot.groups;
    if (candidates == 0 || (candidates & (candidates - 1)) != 0) continue;
    ++votes[static_cast<std::size_t>(__builtin_ctzll(candidates))];
  }
  for (std::int8_t g = 0; g < groups.count; ++g) {
    if (2 * votes[static_cast<std::size_t>(g)] <= ballots.size()) continue;
    std::uint64_t against = 0;
    for (std::size_t i = 0; i < participants.size(); ++i) {
      if (groups.group_of[i] != AnswerGroups::abstained && groups.group_of[i] != g)
        against |= std::uint64_t{1} << i;
    }
    return against;
  }
  return std::nullopt;
}

FirstDifference first_difference(std::span<const Outcome> outcomes, const AnswerGroups& groups,
                                 std::uint64_t outvoted) {
  // Between an outvoted participant and one that is not; else between the first two groups.
  const auto pick = [&](auto&& matches) -> const Outcome* {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (groups.group_of[i] != AnswerGroups::abstained && matches(i)) return &outcomes[i];
    }
    return nullptr;
  };
  const Outcome* right = pick([&](std::size_t i) { return (outvoted >> i & 1U) == 0; });
  const Outcome* wrong = pick([&](std::size_t i) { return (outvoted >> i & 1U) != 0; });
  if (right == nullptr || wrong == nullptr) {
    right = pick([&](std::size_t i) { return groups.group_of[i] == 0; });
    wrong = pick([&](std::size_t i) { return groups.group_of[i] == 1; });
  }
  if (wrong == nullptr) return {groups.answer, 0};  // everyone broke the same promise
  const std::span<const std::uint8_t> a = right->get(groups.answer);
  const std::span<const std::uint8_t> b = wrong->get(groups.answer);
  const std::size_t common = std::min(a.size(), b.size());
  const auto byte = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common), b.begin()).first - a.begin());
  return {groups.answer, byte};
}

}  // namespace

void compare(std::span<const ParticipantInfo> participants, std::span<const Outcome> outcomes, AnswerSet core,
             Verdict& verdict) {
  verdict.disagreements.clear();
  verdict.comparisons = 0;
  verdict.answered = 0;
  verdict.outvoted = 0;
  verdict.no_majority = false;
  verdict.first_difference = {};
  verdict.violation = ViolationKind::none;

  unsigned answered = 0;
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].supported()) continue;
    verdict.violation = std::max(verdict.violation, outcomes[i].violation());
    for (AnswerId a = 0; a < max_answers; ++a) given |= outcomes[i].has(a) ? 1U << a : 0;
    if (!outcomes[i].given().contains_all(core)) continue;
    ++answered;
    verdict.answered |= std::uint64_t{1} << i;
  }
  verdict.comparisons = answered > 0 ? answered - 1 : 0;

  for (AnswerId answer = 0; answer < max_answers; ++answer) {
    const bool broken = answer == violation_answer && verdict.violation != ViolationKind::none;
    if (!broken && ((given >> answer & 1U) == 0 || unanimous(outcomes, answer))) continue;
    verdict.disagreements.push_back(group(outcomes, answer));
    if (broken) {
      // Whoever broke a promise did so whatever the others say: no vote is needed.
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].violation() != ViolationKind::none) verdict.outvoted |= std::uint64_t{1} << i;
      }
    } else if (const std::optional<std::uint64_t> against =
                   count_votes(participants, verdict.disagreements.back())) {
      verdict.outvoted |= *against;
    } else {
      verdict.no_majority = true;
    }
  }
  if (!verdict.agrees()) {
    // Bytes say more than the flags and statuses that follow from them; a violation says most.
    verdict.first_difference = first_difference(outcomes, verdict.disagreements.front(), verdict.outvoted);
  }
}

}  // namespace lockstep::differential
