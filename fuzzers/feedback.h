#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// What the engine of this build is told of cells, in the way that is cheapest for it. Defined in
// feedback_<engine>.cpp.
namespace lockstep::fuzzers {

// Whether there is one.
bool has_engine();

// Where the engine looks, after an execution, for the cells of its case: one byte each, zero before. To be
// asked for anew each time. Empty if it is told of new cells only.
std::span<std::uint8_t> engine_cells(std::size_t cells);

// The case has filled a cell that was empty in this process. Once for each execution.
void tell_new_cell(std::size_t cell);

}  // namespace lockstep::fuzzers
