#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/status.h"
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
    status_ = set(use.key, implementation);
    if (use.rekey && status_ == Status::ok) demand_nothing_left();
    // A refusal leaves the key as it was: the case goes on under it. No algorithm here has two key sizes that
    // are neighbours.
    if (status_ != Status::ok) return;
    for (const std::size_t bytes : {use.key.size() - 1, use.key.size() + 1}) {
      if (first_->set(std::span(other_bytes).first(bytes)) != Status::bad_key_size) {
        outcome.violate(ViolationKind::contract, "a key of another size was taken");
      }
    }
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys() { demand_unchanged(); }

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

  // The other key in an object of its own.
  const Key& other() {
    if (!other_) {
      const Implementation* const by = mixture() ? available_.list[scheduled(0)] : implementation_;
      if (other_.emplace().set(use_.other, by) != Status::ok) std::abort();
    }
    return *other_;
  }

  // While `action` runs, the key object of a single implementation may hold the other key: what was copied
  // from it must not notice.
  template <class Action>
  void while_replaced(bool replaced, Action&& action) {
    if (!replaced || mixture()) return action();
    demand_unchanged();
    set_other();
    action();
    set_again();
  }

  // `action` has the key object as it was before this case: if the case re-keys, with the other key.
  template <class Action>
  void before(Action&& action) {
    if (use_.rekey) {
      demand_unchanged();
      set_other();
    }
    action(std::as_const(*first_));
    if (use_.rekey) set_again();
  }

 private:
  [[nodiscard]] std::size_t scheduled(std::size_t call) const noexcept {
    return resolve(use_.schedule[call % use_.schedule.size()], available_.references);
  }
  Status set(std::span<const std::uint8_t> key, const Implementation* by) {
    const Status status = first_->set(key, by);
    if (status == Status::ok && by != nullptr && first_->implementation() != by) {
      outcome_.violate(ViolationKind::contract, "a key is of another implementation than asked for");
    }
    held_ = first_.image();
    return status;
  }
  // Of the key before, perhaps in another implementation's form, no byte may be left.
  void demand_nothing_left() {
    alignas(Key) std::array<std::uint8_t, sizeof(Key)> bytes = {};
    Key* const fresh = new (bytes.data()) Key;
    if (fresh->set(use_.key, implementation_) != Status::ok) std::abort();
    if (!same_bytes(bytes, held_)) {
      outcome_.violate(ViolationKind::contract, "a key that was set again holds something of the one before");
    }
    std::destroy_at(fresh);
  }
  // Threads may share a key: nobody writes to it after set().
  void demand_unchanged() {
    if (!first_.still(held_)) {
      outcome_.violate(ViolationKind::contract, "a key was changed by its use");
    }
  }
  void set_again() {
    demand_unchanged();
    if (set(use_.key, implementation_) != Status::ok) {
      outcome_.violate(ViolationKind::contract, "the key was refused the second time");
    }
  }
  // Every other time for another implementation, which fills its context differently.
  void set_other() {
    const bool same = use_.schedule.back().name_hash % 2 == 0;
    const Implementation* const by =
        same ? implementation_ : available_.list[scheduled(use_.schedule.size() - 1)];
    if (set(use_.other, by) != Status::ok) {
      outcome_.violate(ViolationKind::contract, "another key was refused");
    }
  }

  const Available<Implementation>& available_;
  const Implementation* implementation_;
  KeyUse use_;
  Outcome& outcome_;
  Placed<Key> first_;
  std::array<std::uint8_t, sizeof(Key)> held_;  // the bytes of it since it was set
  std::optional<Key> other_;
  std::uint64_t set_ = 0;
  Status status_ = Status::ok;
};

}  // namespace lockstep::differential
