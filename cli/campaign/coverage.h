#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzzers/statistics.h"

// What of the campaign's plan has been reached: the pairs and the wrap lanes, its places.
namespace lockstep::cli::campaign {

// A shipped implementation beside an oracle in an operation.
struct Pair {
  std::string implementation;
  std::string oracle;
  std::string operation;
  std::uint64_t count = 0;  // executions in which both answered
  bool operator==(const Pair&) const = default;
};

// The lanes of an implementation's bulk loop, or the places of its tail, and how often the counter wrapped
// there.
struct Lanes {
  std::string implementation;
  std::string operation;
  bool bulk = false;
  std::vector<std::uint64_t> counts;
  [[nodiscard]] std::size_t seen() const noexcept;
  bool operator==(const Lanes&) const = default;
};

struct Coverage {
  std::vector<Pair> pairs;
  std::vector<Lanes> lanes;

  // Of one task. The mixture has no stride: it is not held against the oracles pair by pair.
  static Coverage of(const fuzzers::Statistics& statistics, bool has_lanes);
  // By name: builds may know different participants.
  void add(const Coverage& more);

  [[nodiscard]] std::size_t places() const noexcept;
  [[nodiscard]] std::size_t places_reached() const noexcept;
  [[nodiscard]] bool complete() const noexcept { return places() == places_reached(); }
};

// The foreign libraries of a target, with the share of executions that each answered.
std::vector<std::pair<std::string, double>> foreign_shares(const fuzzers::Statistics& statistics);

double share(std::uint64_t part, std::uint64_t whole) noexcept;

}  // namespace lockstep::cli::campaign
