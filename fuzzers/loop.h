#pragma once

#include <cstdint>
#include <span>

#include "oracles/differential/target.h"

namespace lockstep::fuzzers {

// The one target of a fuzzing program; defined in the target's own file.
const differential::Target& target();

// One execution: decode, ask everyone, compare, count. A mismatch ends the process here and nowhere else: a
// report, a LOCKSTEP-SIGNATURE line, the trap. Environment:
//   LOCKSTEP_STATISTICS  file to count in (statistics.h)
//   LOCKSTEP_WITHOUT     parts to leave out (without.h)
//   LOCKSTEP_NAIVE       a naive target instead (without.h)
//   LOCKSTEP_MUTANTS, LOCKSTEP_GRADES  planted faults to grade (grading.h)
//   LOCKSTEP_KNOWN       file of signatures, one a line, that are on file already: counted, then passed over
void execute(std::span<const std::uint8_t> input);

// Where this process's mutations should lead.
differential::Aim aim();

// The outcome of the last execution.
const differential::Run& last_run();

}  // namespace lockstep::fuzzers
