// Cells for AFL++: guards as its instrumentation makes them for edges, registered with its runtime, which
// gives each a place in the shared map.
#include <cstdlib>

#include "fuzzers/feedback.h"
#include "fuzzers/loop.h"
#include "oracles/differential/cells.h"

extern "C" {
// Of AFL++'s runtime, which names its own as it likes.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern std::uint8_t* __afl_area_ptr;
void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* start, std::uint32_t* stop);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace lockstep::fuzzers {
namespace {

std::uint32_t guards[differential::max_cells];

// Before main, as for edges: the fork server tells afl-fuzz the size of the map when it starts. Only as many
// as there are cells, in words of the map: afl-fuzz goes through all of it after every execution.
[[gnu::constructor]] void register_guards() {
  const std::size_t cells = (target().cells().size() + 7) / 8 * 8;
  __sanitizer_cov_trace_pc_guard_init(guards, guards + cells);
}

}  // namespace

// Every cell every time: it calibrates an input by running it again, and must see the same then.
std::span<std::uint8_t> engine_cells(std::size_t cells) {
  // One after the other, unless AFL_INST_RATIO has made it leave out some.
  static const bool in_a_row = [cells] {
    for (std::size_t i = 0; i < cells; ++i) {
      if (guards[i] != guards[0] + i) return false;
    }
    return guards[0] != 0;
  }();
  if (!in_a_row) return {};
  return {__afl_area_ptr + guards[0], cells};
}

bool has_engine() {
  return true;
}

void tell_new_cell(std::size_t /*cell*/) {}

}  // namespace lockstep::fuzzers
