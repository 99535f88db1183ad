#include "cli/campaign/cells.h"

#include <algorithm>
#include <map>

#include "oracles/targets.h"

namespace lockstep::cli::campaign {
namespace {

const differential::CellMap* map_of(std::string_view target) {
  const differential::Target* const found = oracles::find_target(target);
  return found == nullptr ? nullptr : &found->cells();
}

template <class Visit>
void each_missing(const Cells& cells, Visit&& visit) {
  const differential::CellMap* const map = map_of(cells.target);
  if (map == nullptr) return;
  for (std::size_t cell = 0; cell < map->size(); ++cell) {
    const bool filled = cell < cells.filled.size() && cells.filled[cell] != 0;
    if (map->reachable()[cell] != 0 && !filled && !visit(*map, cell)) return;
  }
}

}  // namespace

Cells Cells::of(std::string_view target, const fuzzers::Statistics& statistics) {
  Cells cells = {std::string(target), {}};
  const differential::CellMap* const map = map_of(target);
  if (map != nullptr && statistics.cells_fingerprint == map->fingerprint())
    cells.filled.assign(statistics.cells, statistics.cells + map->size());
  return cells;
}

void Cells::add(const Cells& more) {
  if (target.empty()) target = more.target;
  filled.resize(std::max(filled.size(), more.filled.size()));
  for (std::size_t i = 0; i < more.filled.size(); ++i) filled[i] |= more.filled[i];
}

std::size_t Cells::reachable() const {
  const differential::CellMap* const map = map_of(target);
  return map == nullptr ? 0 : map->reachable_count();
}

std::size_t Cells::reached() const {
  const differential::CellMap* const map = map_of(target);
  return map == nullptr || filled.empty() ? 0 : map->reached_count(filled);
}

double Cells::share() const {
  const std::size_t all = reachable();
  return all == 0 ? 0 : static_cast<double>(reached()) / static_cast<double>(all);
}

std::vector<std::string> Cells::missing_words(std::size_t limit) const {
  std::vector<std::string> list;
  each_missing(*this, [&](const differential::CellMap& map, std::size_t cell) {
    if (list.size() < limit) list.push_back(map.words(cell));
    return list.size() < limit;
  });
  return list;
}

std::vector<std::pair<std::string, std::size_t>> Cells::missing_by_attributes() const {
  std::map<std::string, std::size_t> counts;
  each_missing(*this, [&](const differential::CellMap& map, std::size_t cell) {
    ++counts[map.attributes_in_words(cell)];
    return true;
  });
  std::vector<std::pair<std::string, std::size_t>> list(counts.begin(), counts.end());
  std::ranges::stable_sort(list, std::ranges::greater(), &std::pair<std::string, std::size_t>::second);
  return list;
}

}  // namespace lockstep::cli::campaign
