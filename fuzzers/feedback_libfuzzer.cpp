// Cells for libFuzzer: it takes what lies in this section for counters of its own, and clears them before
// every execution.
//
// One new feature is enough for an input to be kept, so that it is told of one new cell and no more. Each
// further one, and each that has been there before, would be looked up and counted in every execution:
// thousands of them, more work than the execution itself. And since it tells eight ranges of a counter apart,
// a byte stands for eight cells: all of them are looked through after every execution.
#include "fuzzers/feedback.h"
#include "oracles/differential/cells.h"

namespace lockstep::fuzzers {
namespace {

constexpr std::size_t cells_per_counter = 8;

[[gnu::section("__libfuzzer_extra_counters"),
  gnu::used]] std::uint8_t counters[differential::max_cells / cells_per_counter];

}  // namespace

std::span<std::uint8_t> engine_cells(std::size_t /*cells*/) {
  return {};
}

bool has_engine() {
  return true;
}

void tell_new_cell(std::size_t cell) {
  static constexpr std::uint8_t ranges[cells_per_counter] = {1, 2, 3, 4, 8, 16, 32, 128};
  counters[cell / cells_per_counter] = ranges[cell % cells_per_counter];
}

}  // namespace lockstep::fuzzers
