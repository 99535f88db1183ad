#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/implementation.h"
#include "oracles/differential/fields.h"
#include "oracles/differential/participant.h"

namespace lockstep::differential {

// The shipped implementations of an algorithm that this CPU can run, in the order of the library's own list.
template <class Implementation>
struct Available {
  std::vector<const Implementation*> list;
  std::vector<std::string_view> names;
  std::vector<ImplementationRef> references;
  std::vector<unsigned> strides;

  explicit Available(std::span<const Implementation* const> all) {
    for (const Implementation* implementation : all) {
      const ImplementationInfo& its = info(*implementation);
      if (!cpu_features().contains_all(its.required)) continue;
      list.push_back(implementation);
      names.push_back(its.name);
      references.push_back(reference(its.name));
      strides.push_back(its.stride_blocks);
    }
  }

  // The one that a case's schedule names for call number `call`.
  template <std::size_t entries>
  [[nodiscard]] std::size_t scheduled(const std::array<ImplementationRef, entries>& schedule,
                                      std::size_t call) const noexcept {
    return resolve(schedule[call % entries], references);
  }
};

// Each of them as a participant, and after them their mixture, which is `run` with a null `self`.
template <class Implementation, class Case>
void append_shipped(const Available<Implementation>& available, std::span<const Limit<Case>> mixture_limits,
                    AnswerSet (*declares)(const Case&) noexcept,
                    void (*run)(const void*, const Case&, Buffers&, Outcome&),
                    std::vector<Participant<Case>>& list) {
  for (const Implementation* implementation : available.list) {
    const ImplementationInfo& its = info(*implementation);
    list.push_back({.info = {.name = its.name,
                             .origin = "lockstep",
                             .version = {},
                             .shipped = true,
                             .stride_blocks = its.stride_blocks},
                    .self = implementation,
                    .limits = {},
                    .declares = declares,
                    .run = run});
  }
  list.push_back({.info = {.name = "hand_over", .origin = "lockstep", .version = {}, .shipped = true},
                  .self = nullptr,
                  .limits = mixture_limits,
                  .declares = declares,
                  .run = run});
}

}  // namespace lockstep::differential
