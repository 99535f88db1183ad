#pragma once

#include <span>
#include <string_view>

#include "lockstep/cpu.h"

namespace lockstep {

// What every implementation says of itself; a constant in the file of its kernel.
struct ImplementationInfo {
  std::string_view name;  // file = symbol = test = report
  std::string_view arch;  // "any", "x86", "arm64", "arm32"
  CpuFeatures required;
  int priority;                            // the highest that this CPU and the policy allow is selected
  bool constant_time;                      // no secret-dependent address, branch or variable-time instruction
  unsigned stride_blocks;                  // blocks per iteration of the bulk loop
  std::span<const unsigned> tail_strides;  // blocks per step after the bulk loop, largest first; may be empty
  std::span<const std::string_view> linux_aliases;  // drivers in /proc/crypto of the same technique
};

enum class Policy {
  constant_time,  // the default: never an implementation that is not constant time
  fastest,        // may trade constant time for speed; the caller says so in the open
};

std::string_view to_string(Policy policy) noexcept;

// `list` is the implementations() of an algorithm, whose info() says what they are.
//
// Pure: the same list, features and policy give the same answer on every machine. Null if nothing fits.
template <class Implementation>
constexpr const Implementation* select(std::span<const Implementation* const> list, CpuFeatures features,
                                       Policy policy = Policy::constant_time) noexcept {
  const Implementation* best = nullptr;
  for (const Implementation* candidate : list) {
    const ImplementationInfo& its = info(*candidate);
    if (!features.contains_all(its.required)) continue;
    if (policy == Policy::constant_time && !its.constant_time) continue;
    if (best == nullptr || its.priority > info(*best).priority) best = candidate;
  }
  return best;
}

// By its own name or by a Linux driver's. Null if unknown; the caller still has to ask whether the CPU can
// run it.
template <class Implementation>
constexpr const Implementation* find(std::span<const Implementation* const> list,
                                     std::string_view name) noexcept {
  for (const Implementation* candidate : list) {
    if (info(*candidate).name == name) return candidate;
  }
  for (const Implementation* candidate : list) {
    for (std::string_view alias : info(*candidate).linux_aliases) {
      if (alias == name) return candidate;
    }
  }
  return nullptr;
}

}  // namespace lockstep
