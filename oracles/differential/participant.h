#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "oracles/differential/guarded.h"
#include "oracles/differential/outcome.h"

namespace lockstep::differential {

inline constexpr std::size_t max_participants = 64;

// What can be said of a participant without knowing its algorithm.
struct ParticipantInfo {
  std::string_view name;
  std::string_view origin;  // votes are counted by origin: "lockstep", "plain", "botan", ...
  std::string_view version;
  bool shipped = false;        // an implementation of impls/, or a mixture of them
  unsigned stride_blocks = 0;  // of the bulk loop of a shipped implementation; 0 for everyone else
};

// A question that a participant does not take, seen from the declared parameters of the case alone: sizes,
// operation, options; never text or tag values. Evaluated before the call.
template <class Case>
struct Limit {
  std::string_view reason;
  bool (*applies)(const Case& question) noexcept;
  bool sampling = false;  // not a lack, but a saving: heeded in campaigns only
};

// A name and a function Case -> Outcome. A shipped implementation and an oracle are the same kind of thing.
template <class Case>
struct Participant {
  ParticipantInfo info;
  const void* self = nullptr;  // which implementation, where `run` serves several
  std::span<const Limit<Case>> limits;
  // The answers that it owes to this case; one that is missing is a violation. Others it may give or leave.
  AnswerSet (*declares)(const Case& question) noexcept = nullptr;
  // Refusals, exceptions and errors of a call are answers, not "unsupported".
  void (*run)(const void* self, const Case& question, Buffers& buffers, Outcome& outcome) = nullptr;

  // Empty: it takes the case.
  [[nodiscard]] std::string_view unsupported(const Case& question, bool sampled = true) const noexcept {
    for (const Limit<Case>& limit : limits) {
      if ((sampled || !limit.sampling) && limit.applies(question)) return limit.reason;
    }
    return {};
  }
};

}  // namespace lockstep::differential
