#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "oracles/differential/available.h"
#include "oracles/differential/placed.h"

namespace lockstep::differential {

// Content of keys and messages that come before those of a case.
inline constexpr auto other_bytes = [] {
  std::array<std::uint8_t, 64> bytes = {};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(0xa5 + 3 * i);
  return bytes;
}();

// What a case says about its key.
struct KeyUse {
  std::span<const std::uint8_t> key;
  std::span<const std::uint8_t> other;  // held by the object before, if the case re-keys
  std::span<const ImplementationRef> schedule;
  bool rekey = false;
  Placement placement;
};

// The expanded keys of one case: one for a single implementation, one for each that takes part in a mixture.
template <class Key, class Implementation>
class Keys {
 public:
  // Without an implementation: the mixture of the schedule.
  Keys(const Available<Implementation>& available, const Implementation* implementation, const KeyUse& use,
       Buffers& buffers, Outcome& outcome)
      : available_(available),
        implementation_(implementation),
        use_(use),
        outcome_(outcome),
        first_(buffers.key_object, use.placement, outcome) {
    if (use.rekey) set_other();
    status_ = first_->set(use.key, implementation);
  }

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] bool mixture() const noexcept { return implementation_ == nullptr; }

  // The key of call number `call`.
  const Key& of_call(std::size_t call) {
    if (!mixture()) return *first_;
    const std::size_t index = scheduled(call);
    // Storage for all cases, objects for this one: what a key keeps of an earlier one must not depend on the
    // cases before.
    static std::vector<std::optional<Key>> others(available_.list.size());
    if ((set_ >> index & 1U) == 0) {
      // The key was accepted by the first; it cannot be refused by another that this CPU runs.
      if (others[index].emplace().set(use_.key, available_.list[index]) != Status::ok) std::abort();
      set_ |= std::uint64_t{1} << index;
    }
    return *others[index];
  }

  // `action` has the key object as it was before this case: if the case re-keys, with the other key.
  template <class Action>
  void before(Action&& action) {
    if (use_.rekey) set_other();
    action(std::as_const(*first_));
    if (use_.rekey && first_->set(use_.key, implementation_) != Status::ok) {
      outcome_.violate(ViolationKind::contract, "the key was refused the second time");
    }
  }

 private:
  [[nodiscard]] std::size_t scheduled(std::size_t call) const noexcept {
    return resolve(use_.schedule[call % use_.schedule.size()], available_.references);
  }
  // Every other time for another implementation, which fills its context differently.
  void set_other() {
    const bool same = use_.schedule.back().name_hash % 2 == 0;
    const Implementation* const by =
        same ? implementation_ : available_.list[scheduled(use_.schedule.size() - 1)];
    if (first_->set(use_.other, by) != Status::ok) {
      outcome_.violate(ViolationKind::contract, "another key was refused");
    }
  }

  const Available<Implementation>& available_;
  const Implementation* implementation_;
  KeyUse use_;
  Outcome& outcome_;
  Placed<Key> first_;
  std::uint64_t set_ = 0;
  Status status_ = Status::ok;
};

}  // namespace lockstep::differential
