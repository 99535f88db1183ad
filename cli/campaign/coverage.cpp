#include "cli/campaign/coverage.h"

#include <algorithm>
#include <numeric>

namespace lockstep::cli::campaign {
namespace {

using fuzzers::Statistics;

bool is_implementation(const Statistics& statistics, std::size_t participant) noexcept {
  return statistics.shipped[participant] != 0 && statistics.stride_blocks[participant] > 0;
}

std::size_t participants_of(const Statistics& statistics) noexcept {
  return std::min<std::size_t>(statistics.participant_count, fuzzers::max_participants);
}

std::size_t operations_of(const Statistics& statistics) noexcept {
  return std::min<std::size_t>(statistics.operation_count, fuzzers::max_operations);
}

// Behind a whole number of strides of n blocks up to n - 1 whole blocks and a part of one may follow: n
// places.
Lanes lanes_of(const Statistics& statistics, std::size_t participant, std::size_t operation, bool bulk) {
  const auto& counts = bulk ? statistics.bulk_lanes : statistics.tail_lanes;
  const std::size_t places = std::min<std::size_t>(statistics.stride_blocks[participant], fuzzers::max_lanes);
  Lanes lanes = {statistics.participants[participant], statistics.operations[operation], bulk, {}};
  lanes.counts.assign(counts[participant][operation], counts[participant][operation] + places);
  return lanes;
}

}  // namespace

double share(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::size_t Lanes::seen() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(counts, [](std::uint64_t count) { return count > 0; }));
}

Coverage Coverage::of(const Statistics& statistics, bool has_lanes) {
  Coverage coverage;
  for (std::size_t i = 0; i < participants_of(statistics); ++i) {
    if (!is_implementation(statistics, i)) continue;
    for (std::size_t operation = 0; operation < operations_of(statistics); ++operation) {
      for (std::size_t j = 0; j < participants_of(statistics); ++j) {
        if (statistics.shipped[j] != 0) continue;
        coverage.pairs.push_back({statistics.participants[i], statistics.participants[j],
                                  statistics.operations[operation], statistics.pairs[i][j][operation]});
      }
      if (!has_lanes) continue;
      coverage.lanes.push_back(lanes_of(statistics, i, operation, true));
      coverage.lanes.push_back(lanes_of(statistics, i, operation, false));
    }
  }
  return coverage;
}

void Coverage::add(const Coverage& more) {
  for (const Pair& pair : more.pairs) {
    const auto same = std::ranges::find_if(pairs, [&](const Pair& each) {
      return each.implementation == pair.implementation && each.oracle == pair.oracle &&
             each.operation == pair.operation;
    });
    if (same == pairs.end()) {
      pairs.push_back(pair);
    } else {
      same->count += pair.count;
    }
  }
  for (const Lanes& row : more.lanes) {
    const auto same = std::ranges::find_if(lanes, [&](const Lanes& each) {
      return each.implementation == row.implementation && each.operation == row.operation &&
             each.bulk == row.bulk;
    });
    if (same == lanes.end()) {
      lanes.push_back(row);
      continue;
    }
    same->counts.resize(std::max(same->counts.size(), row.counts.size()));
    for (std::size_t i = 0; i < row.counts.size(); ++i) same->counts[i] += row.counts[i];
  }
}

std::size_t Coverage::places() const noexcept {
  return std::accumulate(lanes.begin(), lanes.end(), pairs.size(),
                         [](std::size_t sum, const Lanes& row) { return sum + row.counts.size(); });
}

std::size_t Coverage::places_reached() const noexcept {
  const auto compared =
      static_cast<std::size_t>(std::ranges::count_if(pairs, [](const Pair& pair) { return pair.count > 0; }));
  return std::accumulate(lanes.begin(), lanes.end(), compared,
                         [](std::size_t sum, const Lanes& row) { return sum + row.seen(); });
}

std::vector<std::pair<std::string, double>> foreign_shares(const Statistics& statistics) {
  std::vector<std::pair<std::string, double>> shares;
  for (std::size_t i = 0; i < participants_of(statistics); ++i) {
    if (statistics.shipped[i] != 0 || std::string_view(statistics.origins[i]) == "plain") continue;
    shares.emplace_back(statistics.participants[i], share(statistics.answered[i], statistics.executions));
  }
  return shares;
}

}  // namespace lockstep::cli::campaign
