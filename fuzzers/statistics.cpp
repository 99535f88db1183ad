#include "fuzzers/statistics.h"

#include <fcntl.h>
#include <sys/mman.h>
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
  statistics->magic = statistics_magic;
  return statistics;
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
}

}  // namespace lockstep::fuzzers
