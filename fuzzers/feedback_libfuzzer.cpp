// Cells for libFuzzer: it takes what lies in this section for counters of its own, and clears them before
// every execution.
#include "fuzzers/feedback.h"
#include "oracles/differential/cells.h"

namespace lockstep::fuzzers {
namespace {

[[gnu::section("__libfuzzer_extra_counters"), gnu::used]] std::uint8_t counters[differential::max_cells];

}  // namespace

const bool engine_wants_new_cells_only = true;

std::span<std::uint8_t> engine_cells(std::size_t cells) {
  return std::span(counters).first(cells);
}

}  // namespace lockstep::fuzzers
