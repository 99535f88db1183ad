#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::fuzzers {

// Where the engine of this build looks, after an execution, for what it reached beside edges: one byte for
// each of `cells` cells, zero before. To be asked for anew each time. Empty without an engine. Defined in
// feedback_<engine>.cpp.
std::span<std::uint8_t> engine_cells(std::size_t cells);

// Whether the engine looks at every cell that is set in every execution, so that it pays to set only those
// that are new to the process; see feedback_libfuzzer.cpp.
extern const bool engine_wants_new_cells_only;

}  // namespace lockstep::fuzzers
