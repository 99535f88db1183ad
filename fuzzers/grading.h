#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "oracles/differential/target.h"

// Grades planted faults in a campaign. Each mutant is a module with a copy of the library inside
// (oracles/copy.map); it answers the cases of the campaign after everyone else, and its answers are held
// against those of its original, and then against the verdict. A mutant has no vote, and nothing of it is
// counted in the campaign's figures.
namespace lockstep::fuzzers {

inline constexpr std::uint64_t grades_magic = 0x31304445415247U;
inline constexpr std::size_t mutant_id_bytes = 120;

// What is known of one mutant. Plain numbers, read from the file by others.
struct Grade {
  char id[mutant_id_bytes];
  std::uint64_t cases;      // its answers were held against the verdict
  std::uint64_t triggered;  // of these, they were not those of its original
  std::uint64_t detected;   // of these, the comparison saw it
  std::uint64_t missed;     // of these, it did not even see it with everyone asked: a fault of the comparison
  // Of the first detection; 0 before it.
  std::uint64_t case_at_detection;
  std::uint64_t execution_at_detection;
  std::uint64_t cpu_microseconds_at_detection;
  std::uint64_t deaths;
};

struct Grades {
  std::uint64_t magic;
  std::uint64_t mutant_count;
  std::uint64_t executions;
  std::uint64_t cpu_microseconds;  // without loading, and without those that died
  std::uint64_t asking;            // 1 + the place of the mutant that is being asked; 0 for none
  // Grade[mutant_count] follows.
};

// Environment:
//   LOCKSTEP_MUTANTS             lines of id, tab, module, tab, names of the participants that are faulty
//   LOCKSTEP_GRADES              the file that Grades are written to; it survives the process
//   LOCKSTEP_GRADES_CPU_SECONDS  ends the process after that time; without it, only when all are detected
//   LOCKSTEP_NAIVE               less is seen of a mutant (without.h)
// Nothing happens without the first two. `run`: of `input`, which the target ran last, with a verdict that
// agrees.
void grade(std::span<const std::uint8_t> input, differential::Run& run);

}  // namespace lockstep::fuzzers
