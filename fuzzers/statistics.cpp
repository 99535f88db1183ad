#include "fuzzers/statistics.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace lockstep::fuzzers {
namespace {

void copy_name(char (&to)[name_bytes], std::string_view name) noexcept {
  std::memset(to, 0, name_bytes);
  std::memcpy(to, name.data(), std::min(name.size(), name_bytes - 1));
}

template <class Counter>
void plus(Counter& to, const Counter& from) noexcept {
  if constexpr (std::is_array_v<Counter>) {
    for (std::size_t i = 0; i < std::extent_v<Counter>; ++i) plus(to[i], from[i]);
  } else {
    to += from;
  }
}

}  // namespace

Statistics* map_statistics(const char* path, const differential::Target& target) {
  if (path == nullptr || *path == '\0') return nullptr;
  const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, sizeof(Statistics)) != 0) {
    std::fprintf(stderr, "lockstep: cannot write statistics to %s\n", path);
    return nullptr;
  }
  void* mapping = mmap(nullptr, sizeof(Statistics), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapping == MAP_FAILED) return nullptr;
  auto* statistics = static_cast<Statistics*>(mapping);
  copy_name(statistics->target, target.name());
  const auto participants = target.participants();
  for (std::size_t i = 0; i < participants.size(); ++i) {
    copy_name(statistics->participants[i], participants[i].name);
    copy_name(statistics->origins[i], participants[i].origin);
    statistics->shipped[i] = participants[i].shipped ? 1 : 0;
    statistics->stride_blocks[i] = participants[i].stride_blocks;
  }
  statistics->participant_count = participants.size();
  const auto operations = target.operations();
  for (std::size_t i = 0; i < operations.size(); ++i) copy_name(statistics->operations[i], operations[i]);
  statistics->operation_count = operations.size();
  statistics->cells_fingerprint = target.cells().fingerprint();
  statistics->magic = statistics_magic;
  return statistics;
}

const Statistics* read_statistics(const char* path) {
  if (path == nullptr || *path == '\0') return nullptr;
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat status = {};
  void* mapping = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size == static_cast<off_t>(sizeof(Statistics)))
    mapping = mmap(nullptr, sizeof(Statistics), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return mapping == MAP_FAILED ? nullptr : static_cast<const Statistics*>(mapping);
}

void count(Statistics& s, const differential::Target& target, const differential::Run& run) {
  const auto participants = target.participants();
  ++s.executions;
  s.comparisons += run.verdict.comparisons;
  s.compared += run.verdict.comparisons > 0 ? 1 : 0;
  s.text_bytes += run.facts.text_bytes;
  s.steered += run.facts.steered ? 1 : 0;
  s.hand_over += run.facts.hand_over ? 1 : 0;
  unsigned widest = 0;
  bool foreign = false;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    widest = std::max(widest, participants[i].stride_blocks);
    if ((run.verdict.answered >> i & 1U) == 0) continue;
    ++s.answered[i];
    foreign |= !participants[i].shipped && participants[i].origin != "plain";
    if (!participants[i].shipped) continue;
    for (std::size_t j = 0; j < participants.size(); ++j) {
      if (participants[j].shipped || (run.verdict.answered >> j & 1U) == 0) continue;
      for (std::size_t operation = 0; operation < s.operation_count; ++operation) {
        s.pairs[i][j][operation] += run.facts.operations >> operation & 1U;
      }
    }
  }
  s.foreign += foreign && run.verdict.comparisons > 0 ? 1 : 0;
  s.above_widest_stride += run.facts.text_bytes > 16 * std::size_t{widest} ? 1 : 0;
  for (const differential::LaneHit& hit : run.lanes) {
    auto& lanes = hit.bulk ? s.bulk_lanes : s.tail_lanes;
    ++lanes[hit.participant][hit.operation][std::min<std::size_t>(hit.lane, max_lanes - 1)];
  }
}

bool fill_cells(Statistics& s, const differential::Target& target,
                std::span<const differential::CellPoint> points) {
  bool filled = false;
  for (const differential::CellPoint& point : points) {
    if (!target.cells().unset(point, s.cells)) continue;
    target.cells().mark(point, s.cells);
    filled = true;
  }
  if (filled) s.executions_at_new_cell = s.executions;
  return filled;
}

differential::Aim aim_of(const Statistics* statistics, const differential::Target& target) {
  if (statistics == nullptr || statistics->cells_fingerprint != target.cells().fingerprint()) return {};
  // What has not been filled for long costs more than it is worth: a search is several times a drawn case.
  const std::uint64_t executions = statistics->executions - statistics->executions_at_new_cell;
  return {.filled = statistics->cells,
          .percent = executions < 20'000    ? 40U
                     : executions < 200'000 ? 10U
                                            : 2U};
}

void add(Statistics& sum, const Statistics& more) {
  const Statistics before = sum;
  sum = more;
  plus(sum.executions, before.executions);
  plus(sum.comparisons, before.comparisons);
  plus(sum.compared, before.compared);
  plus(sum.foreign, before.foreign);
  plus(sum.text_bytes, before.text_bytes);
  plus(sum.above_widest_stride, before.above_widest_stride);
  plus(sum.steered, before.steered);
  plus(sum.hand_over, before.hand_over);
  plus(sum.known_findings, before.known_findings);
  plus(sum.answered, before.answered);
  plus(sum.pairs, before.pairs);
  plus(sum.bulk_lanes, before.bulk_lanes);
  plus(sum.tail_lanes, before.tail_lanes);
  if (before.magic == 0) return;
  if (sum.cells_fingerprint != before.cells_fingerprint) std::memset(sum.cells, 0, sizeof sum.cells);
  for (std::size_t i = 0; i < differential::max_cells; ++i) sum.cells[i] |= before.cells[i];
}

}  // namespace lockstep::fuzzers
