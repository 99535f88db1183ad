#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/differential/outcome.h"

// Memory that notices: every buffer of a call lies between unmapped pages, flush against one of them or at a
// chosen alignment with canaries around it. Pages are recycled from case to case.
namespace lockstep::differential {

// One byte of a case: 0 .. 63 an alignment, `front` and `behind` flush against an unmapped page.
struct Placement {
  std::uint8_t code = 0;

  static constexpr std::uint8_t front_code = 64;
  static constexpr std::uint8_t behind_code = 65;
  static constexpr Placement aligned(unsigned alignment) noexcept {
    return {static_cast<std::uint8_t>(alignment % 64)};
  }
  static constexpr Placement front() noexcept { return {front_code}; }
  static constexpr Placement behind() noexcept { return {behind_code}; }
  constexpr bool operator==(const Placement&) const noexcept = default;
};

// "aligned 5", "flush in front", "flush behind"; and back. False if the text says nothing.
std::string to_string(Placement placement);
bool from_string(std::string_view text, Placement& placement);

// What an output holds before the call.
inline constexpr std::uint8_t unwritten_value = 0x5a;

// One recycled stretch of pages between two unmapped ones.
class GuardedRegion {
 public:
  explicit GuardedRegion(std::string_view name) : name_(name) {}
  GuardedRegion(const GuardedRegion&) = delete;
  GuardedRegion& operator=(const GuardedRegion&) = delete;
  ~GuardedRegion();

  // Room for `bytes`, placed as asked. `alignment`: what the type in it needs; the start is rounded for it.
  // Contents are set by one of the two calls below.
  std::span<std::uint8_t> place(std::size_t bytes, Placement placement, std::size_t alignment = 1);
  // An input: holds `contents`; check() then demands that they and the canaries around are as they were.
  std::span<const std::uint8_t> place_input(std::span<const std::uint8_t> contents, Placement placement);
  // An output: filled with a pattern; check() then demands that the canaries around are as they were.
  std::span<std::uint8_t> place_output(std::size_t bytes, Placement placement);
  // Fills the canaries around a buffer given by place().
  void arm();

  // Says what was touched that must not be, as a violation.
  void check(Outcome& outcome) const;
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  // If `address` lies in or next to this region: "3 bytes beyond the end of nonce". Empty otherwise.
  [[nodiscard]] std::string describe(const void* address) const;

 private:
  void reserve(std::size_t bytes);

  std::string_view name_;
  std::uint8_t* mapping_ = nullptr;
  std::size_t pages_bytes_ = 0;  // usable bytes between the two unmapped pages
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint8_t* window_ = nullptr;  // buffer with its canaries
  std::size_t window_bytes_ = 0;
  bool input_ = false;
  std::vector<std::uint8_t> contents_;  // what an input must still hold
};

// The buffers of one call.
struct Buffers {
  GuardedRegion key{"key"};
  GuardedRegion nonce{"nonce"};
  GuardedRegion aad{"aad"};
  GuardedRegion salt{"salt"};
  GuardedRegion personal{"personal"};
  GuardedRegion in{"in"};
  GuardedRegion out{"out"};
  GuardedRegion tag{"tag"};
  GuardedRegion state{"state"};
  GuardedRegion key_object{"key object"};
  GuardedRegion message_object{"message object"};
  GuardedRegion key_copy{"key object copy"};
  GuardedRegion message_copy{"message object copy"};
  GuardedRegion out_of_copy{"out of the copy"};
  GuardedRegion aad_list{"list of aad"};
  GuardedRegion in_list{"list of in"};
  GuardedRegion out_list{"list of out"};

  [[nodiscard]] std::array<const GuardedRegion*, 17> all() const noexcept {
    return {&key,          &nonce,       &aad,      &salt,       &personal,       &in,
            &out,          &tag,         &state,    &key_object, &message_object, &key_copy,
            &message_copy, &out_of_copy, &aad_list, &in_list,    &out_list};
  }
};

// A list of buffers, in front of an unmapped page: whoever looks at a span behind the last one is seen.
template <class Byte>
std::span<const std::span<Byte>> place_list(GuardedRegion& region, std::span<const std::span<Byte>> list) {
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(list.data()),
                                            list.size_bytes());
  static_assert(sizeof(std::span<Byte>) % alignof(std::span<Byte>) == 0);
  const auto placed = region.place_input(bytes, Placement::behind());
  return {reinterpret_cast<const std::span<Byte>*>(placed.data()), list.size()};
}

// Runs `function(argument)`; false if a fault signal (SIGSEGV, SIGBUS, SIGILL, SIGFPE; without sanitizers
// SIGABRT too) ended it, or if it did not return within a second of CPU time. Then `signal` and `address`
// say which and where. Not re-entrant.
inline constexpr int hang_signal = SIGVTALRM;
struct Fault {
  int signal = 0;
  const void* address = nullptr;
};
bool run_catching_faults(void (*function)(void* argument), void* argument, Fault& fault);

// To be called before the participants of a case: each case has the same patience, whatever came before.
void begin_case() noexcept;

template <class Function>
bool run_catching_faults(Function& function, Fault& fault) {
  return run_catching_faults([](void* argument) { (*static_cast<Function*>(argument))(); }, &function, fault);
}

// "SIGSEGV, 1 byte beyond the end of aad".
std::string describe(const Fault& fault, const Buffers& buffers);

}  // namespace lockstep::differential
