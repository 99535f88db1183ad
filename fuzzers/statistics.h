#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "oracles/differential/target.h"

// What one fuzzing process counts, in a mapped file: it survives SIGKILL, and the campaign reads it while it
// runs.
namespace lockstep::fuzzers {

inline constexpr std::uint64_t statistics_magic = 0x32304b434f4c5331U;
inline constexpr std::size_t max_participants = differential::max_participants;
inline constexpr std::size_t max_operations = 4;
inline constexpr std::size_t max_lanes = 64;
inline constexpr std::size_t name_bytes = 40;

// Plain numbers only; written by one process, read by others without a lock.
struct Statistics {
  std::uint64_t magic;
  char target[name_bytes];
  std::uint64_t participant_count;
  char participants[max_participants][name_bytes];
  char origins[max_participants][name_bytes];
  std::uint8_t shipped[max_participants];
  std::uint32_t stride_blocks[max_participants];
  std::uint64_t operation_count;
  char operations[max_operations][name_bytes];

  std::uint64_t executions;
  std::uint64_t comparisons;
  std::uint64_t compared;  // executions with at least one comparison
  std::uint64_t foreign;   // executions in which at least one foreign library answered
  std::uint64_t text_bytes;
  std::uint64_t above_widest_stride;
  std::uint64_t steered;
  std::uint64_t hand_over;
  std::uint64_t known_findings;  // executions that showed a finding already on file
  std::uint64_t answered[max_participants];
  std::uint64_t pairs[max_participants][max_participants]
                     [max_operations];  // both answered, operation took place
  std::uint64_t bulk_lanes[max_participants][max_operations][max_lanes];  // the 32-bit counter wrapped there
  std::uint64_t tail_lanes[max_participants][max_operations][max_lanes];

  // Cells are numbered by the target's map, and mean nothing to a map with another fingerprint.
  std::uint64_t cells_fingerprint;
  std::uint64_t executions_at_new_cell;  // how many there had been when the last cell was filled
  std::uint8_t cells[differential::max_cells];
};

// Maps `path` (created if absent) for writing; null without a path. Never unmapped: the process ends with it.
Statistics* map_statistics(const char* path, const differential::Target& target);
// For reading, of a file that is there already.
const Statistics* read_statistics(const char* path);

void count(Statistics& statistics, const differential::Target& target, const differential::Run& run);

// The points of `run`: fills their cells, and returns whether any was empty.
bool fill_cells(Statistics& statistics, const differential::Target& target,
                std::span<const differential::CellPoint> points);

// Where mutations should lead, by what is empty and by how long ago a cell was filled. No aim without
// statistics, or with those of another map.
differential::Aim aim_of(const Statistics* statistics, const differential::Target& target);

// Adds `more` to `sum`; names are taken over from whichever has them.
void add(Statistics& sum, const Statistics& more);

}  // namespace lockstep::fuzzers
