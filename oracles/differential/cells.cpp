#include "oracles/differential/cells.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "oracles/differential/random.h"

namespace lockstep::differential {
namespace {

[[noreturn]] void refuse(const char* what, std::size_t count, std::size_t limit) {
  std::fprintf(stderr, "lockstep: cells: %zu %s, there is room for %zu\n", count, what, limit);
  std::abort();
}

using ValueSet = std::uint64_t;

constexpr ValueSet all_of(std::size_t values) noexcept {
  return values == max_cell_values ? ~ValueSet{0} : (ValueSet{1} << values) - 1;
}

// Looks for a point of one implementation that no constraint forbids.
class Search {
 public:
  Search(const CellDeclaration& declared, std::size_t implementation,
         std::span<const std::size_t> first_value)
      : count_(declared.attributes.size()), first_value_(first_value) {
    for (std::size_t i = 0; i < count_; ++i) {
      domains_[i] = all_of(declared.attributes[i].values.size());
      for (std::size_t value = 0; value < declared.attributes[i].values.size(); ++value) {
        for (std::size_t other = 0; other < count_; ++other) {
          fitting_.push_back(all_of(declared.attributes[other].values.size()));
        }
      }
    }
    domains_[0] = ValueSet{1} << implementation;
    for (const CellConstraint& constraint : declared.constraints) {
      forbid(declared, constraint, declared.strides[implementation]);
    }
  }

  // Completes the parts that are given; false if that cannot be done. The rest is chosen at random, so that
  // the points that are found differ.
  bool complete(std::span<const CellMap::Part> parts, Random& random, CellPoint& point) const {
    Domains domains = domains_;
    ValueSet open = all_of(count_);
    for (const CellMap::Part& part : parts) {
      if (!assign(domains, part.attribute, part.value)) return false;
      open &= ~(ValueSet{1} << part.attribute);
    }
    if (!choose(domains, open, random)) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      point[i] = static_cast<std::uint8_t>(std::countr_zero(domains[i]));
    }
    return true;
  }

 private:
  using Domains = std::array<ValueSet, max_cell_attributes>;

  ValueSet& fitting(std::size_t attribute, std::size_t value, std::size_t other) noexcept {
    return fitting_[(first_value_[attribute] + value) * count_ + other];
  }
  [[nodiscard]] ValueSet fitting(std::size_t attribute, std::size_t value, std::size_t other) const noexcept {
    return fitting_[(first_value_[attribute] + value) * count_ + other];
  }

  void forbid(const CellDeclaration& declared, const CellConstraint& constraint, unsigned stride) {
    const std::size_t first = constraint.first;
    const std::size_t second = constraint.second;
    for (unsigned a = 0; a < declared.attributes[first].values.size(); ++a) {
      if (first == second) {
        if (!constraint.allows(stride, a, a)) domains_[first] &= ~(ValueSet{1} << a);
        continue;
      }
      for (unsigned b = 0; b < declared.attributes[second].values.size(); ++b) {
        if (constraint.allows(stride, a, b)) continue;
        fitting(first, a, second) &= ~(ValueSet{1} << b);
        fitting(second, b, first) &= ~(ValueSet{1} << a);
      }
    }
  }

  bool assign(Domains& domains, std::size_t attribute, std::size_t value) const noexcept {
    if ((domains[attribute] >> value & 1U) == 0) return false;
    domains[attribute] = ValueSet{1} << value;
    bool possible = true;
    for (std::size_t other = 0; other < count_; ++other) {
      if (other != attribute) domains[other] &= fitting(attribute, value, other);
      possible &= domains[other] != 0;
    }
    return possible;
  }

  bool choose(Domains& domains, ValueSet open, Random& random) const {
    if (open == 0) return true;
    // The attribute with the fewest values left.
    std::size_t attribute = 0;
    int fewest = max_cell_values + 1;
    for (ValueSet rest = open; rest != 0; rest &= rest - 1) {
      const auto each = static_cast<std::size_t>(std::countr_zero(rest));
      const int values = std::popcount(domains[each]);
      if (values < fewest) {
        fewest = values;
        attribute = each;
      }
    }
    const auto turn = static_cast<int>(random.below(max_cell_values));
    const ValueSet values = domains[attribute];
    for (ValueSet turned = std::rotr(values, turn); turned != 0; turned &= turned - 1) {
      const auto value = static_cast<std::size_t>(std::countr_zero(turned) + turn) % max_cell_values;
      Domains next = domains;
      if (assign(next, attribute, value) && choose(next, open & ~(ValueSet{1} << attribute), random)) {
        domains = next;
        return true;
      }
    }
    return false;
  }

  std::size_t count_;
  std::span<const std::size_t> first_value_;
  Domains domains_ = {};
  std::vector<ValueSet> fitting_;  // of a value, for each other attribute: which values may stand beside it
};

}  // namespace

CellMap::CellMap(CellDeclaration declaration)
    : declared_(std::move(declaration)), attribute_count_(declared_.attributes.size()) {
  if (attribute_count_ > max_cell_attributes) refuse("attributes", attribute_count_, max_cell_attributes);
  const auto mix = [&](std::string_view text) {
    for (const char c : text) fingerprint_ = (fingerprint_ ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
    fingerprint_ = (fingerprint_ ^ 0x100U) * 0x100000001b3U;
  };
  for (std::size_t i = 0; i < attribute_count_; ++i) {
    const CellAttribute& attribute = declared_.attributes[i];
    if (attribute.values.size() > max_cell_values)
      refuse("values of an attribute", attribute.values.size(), max_cell_values);
    first_value_[i + 1] = first_value_[i] + attribute.values.size();
    mix(attribute.name);
    for (const std::string& value : attribute.values) mix(value);
  }
  const std::size_t values = first_value_[attribute_count_];
  if (values > max_cell_value_sum) refuse("values", values, max_cell_value_sum);
  for (std::size_t i = 0; i < attribute_count_; ++i) {
    for (std::size_t value = first_value_[i]; value < first_value_[i + 1]; ++value) {
      // Wraps below zero in the first rows, and back when the number of the other value is added.
      row_.push_back(static_cast<std::uint32_t>(size_ - first_value_[i + 1]));
      size_ += values - first_value_[i + 1];
    }
  }
  pair_cells_ = size_;
  for (const auto& [a, b, c] : declared_.triples) {
    first_of_triple_.push_back(size_);
    size_ += declared_.attributes[a].values.size() * declared_.attributes[b].values.size() *
             declared_.attributes[c].values.size();
    mix(declared_.attributes[a].name + declared_.attributes[b].name + declared_.attributes[c].name);
  }
  if (size_ > max_cells) refuse("cells", size_, max_cells);
  find_reachable();
}

template <class Visit>
void CellMap::each_cell(const CellPoint& point, Visit&& visit) const noexcept {
  std::array<std::uint32_t, max_cell_attributes> numbers;
  for (std::size_t i = 0; i < attribute_count_; ++i)
    numbers[i] = static_cast<std::uint32_t>(first_value_[i] + point[i]);
  for (std::size_t i = 0; i + 1 < attribute_count_; ++i) {
    const std::uint32_t row = row_[numbers[i]];
    for (std::size_t j = i + 1; j < attribute_count_; ++j) visit(row + numbers[j]);
  }
  for (std::size_t i = 0; i < triples(); ++i)
    visit(static_cast<std::uint32_t>(pair_cells_ + triple_cell(i, point)));
}

void CellMap::mark(const CellPoint& point, std::span<std::uint8_t> bytes) const noexcept {
  each_cell(point, [&](std::uint32_t cell) { bytes[cell] = 1; });
}

std::optional<std::size_t> CellMap::unset(const CellPoint& point,
                                          std::span<const std::uint8_t> bytes) const noexcept {
  std::optional<std::size_t> found;
  each_cell(point, [&](std::uint32_t cell) {
    if (bytes[cell] == 0) found = cell;
  });
  return found;
}

void CellMap::find_reachable() {
  reachable_.assign(size_, 0);
  std::vector<Search> searches;
  for (std::size_t i = 0; i < declared_.strides.size(); ++i)
    searches.emplace_back(declared_, i, first_value_);
  Random random(0);
  CellPoint point = {};
  for (std::size_t index = 0; index < size_; ++index) {
    if (reachable_[index] != 0) continue;
    const Cell cell = at(index);
    for (const Search& search : searches) {
      if (!search.complete(std::span(cell.parts).first(cell.count), random, point)) continue;
      // Everything else that this point lies in is reachable as well.
      mark(point, reachable_);
      break;
    }
  }
  reachable_count_ = static_cast<std::size_t>(std::ranges::count(reachable_, 1));
}

CellMap::Cell CellMap::at(std::size_t index) const noexcept {
  Cell cell;
  const auto part = [](std::size_t attribute, std::size_t value) {
    return Part{static_cast<std::uint8_t>(attribute), static_cast<std::uint8_t>(value)};
  };
  if (index < pair_cells_) {
    std::size_t first = 0;
    std::size_t rest = index;
    const std::size_t values = first_value_[attribute_count_];
    for (;; ++first) {
      const std::size_t cells =
          (first_value_[first + 1] - first_value_[first]) * (values - first_value_[first + 1]);
      if (rest < cells) break;
      rest -= cells;
    }
    const std::size_t row = values - first_value_[first + 1];
    const std::size_t number = first_value_[first + 1] + rest % row;
    std::size_t second = first + 1;
    while (number >= first_value_[second + 1]) ++second;
    cell.parts = {part(first, rest / row), part(second, number - first_value_[second]), Part{}};
    cell.count = 2;
    return cell;
  }
  std::size_t triple = first_of_triple_.size() - 1;
  while (index < first_of_triple_[triple]) --triple;
  const auto& [a, b, c] = declared_.triples[triple];
  const std::size_t rest = index - first_of_triple_[triple];
  const std::size_t b_values = declared_.attributes[b].values.size();
  const std::size_t c_values = declared_.attributes[c].values.size();
  cell.parts = {part(a, rest / c_values / b_values), part(b, rest / c_values % b_values),
                part(c, rest % c_values)};
  cell.count = 3;
  return cell;
}

std::size_t CellMap::index_of(const Cell& cell) const noexcept {
  const auto& [a, b, c] = cell.parts;
  if (cell.count == 2) {
    const auto second = static_cast<std::uint32_t>(first_value_[b.attribute] + b.value);
    return row_[first_value_[a.attribute] + a.value] + second;
  }
  for (std::size_t i = 0; i < declared_.triples.size(); ++i) {
    if (declared_.triples[i] != std::array{a.attribute, b.attribute, c.attribute}) continue;
    const std::size_t row = std::size_t{a.value} * declared_.attributes[b.attribute].values.size() + b.value;
    return first_of_triple_[i] + row * declared_.attributes[c.attribute].values.size() + c.value;
  }
  return size_;
}

std::string CellMap::words(std::size_t index) const {
  const Cell cell = at(index);
  std::string text;
  for (std::size_t i = 0; i < cell.count; ++i) {
    const CellAttribute& attribute = declared_.attributes[cell.parts[i].attribute];
    if (i > 0) text += ", ";
    text += attribute.name + " = " + attribute.values[cell.parts[i].value];
  }
  return text;
}

std::optional<std::size_t> CellMap::find(std::string_view words) const {
  Cell cell;
  while (!words.empty()) {
    const std::string_view text = words.substr(0, words.find(", "));
    words.remove_prefix(std::min(words.size(), text.size() + 2));
    const std::size_t middle = text.find(" = ");
    if (middle == std::string_view::npos || cell.count == cell.parts.size()) return std::nullopt;
    const auto attribute =
        std::ranges::find(declared_.attributes, text.substr(0, middle), &CellAttribute::name);
    if (attribute == declared_.attributes.end()) return std::nullopt;
    const auto value = std::ranges::find(attribute->values, text.substr(middle + 3));
    if (value == attribute->values.end()) return std::nullopt;
    cell.parts[cell.count++] = {static_cast<std::uint8_t>(attribute - declared_.attributes.begin()),
                                static_cast<std::uint8_t>(value - attribute->values.begin())};
  }
  if (cell.count < 2 || (cell.count == 2 && cell.parts[0].attribute >= cell.parts[1].attribute))
    return std::nullopt;
  const std::size_t index = index_of(cell);
  return index < size_ ? std::optional(index) : std::nullopt;
}

std::string CellMap::attributes_in_words(std::size_t index) const {
  const Cell cell = at(index);
  std::string text;
  for (std::size_t i = 0; i < cell.count; ++i) {
    text += (i > 0 ? ", " : "") + declared_.attributes[cell.parts[i].attribute].name;
  }
  return text;
}

std::string_view CellMap::reason(std::size_t index) const noexcept {
  if (reachable_[index] != 0) return {};
  const Cell cell = at(index);
  for (const CellConstraint& constraint : declared_.constraints) {
    // Of the implementation that the cell names, else of all.
    bool forbidden = true;
    for (std::size_t i = 0; i < declared_.strides.size(); ++i) {
      if (cell.parts[0].attribute == 0 && cell.parts[0].value != i) continue;
      bool by_this_one = false;
      for (std::size_t j = 0; j < cell.count; ++j) {
        for (std::size_t k = 0; k < cell.count; ++k) {
          const Part& a = cell.parts[j];
          const Part& b = cell.parts[k];
          if (a.attribute != constraint.first || b.attribute != constraint.second) continue;
          by_this_one |= !constraint.allows(declared_.strides[i], a.value, b.value);
        }
      }
      forbidden &= by_this_one;
    }
    if (forbidden) return constraint.reason;
  }
  return "no point that the constraints allow lies in it";
}

std::optional<std::size_t> CellMap::empty_cell(std::span<const std::uint8_t> filled,
                                               std::uint64_t random) const noexcept {
  const std::size_t start = random % size_;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t index = start + i < size_ ? start + i : start + i - size_;
    if (reachable_[index] != 0 && filled[index] == 0) return index;
  }
  return std::nullopt;
}

std::size_t CellMap::reached_count(std::span<const std::uint8_t> filled) const noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size_; ++i) count += static_cast<unsigned>(reachable_[i] & filled[i]);
  return count;
}

unsigned CellMap::nearness(const Cell& cell, std::span<const CellPoint> points) noexcept {
  unsigned nearest = 0;
  for (const CellPoint& point : points) {
    unsigned parts = 0;
    for (std::size_t i = 0; i < cell.count; ++i) {
      parts += point[cell.parts[i].attribute] == cell.parts[i].value ? 1U : 0U;
    }
    nearest = std::max(nearest, parts);
  }
  return nearest;
}

CellSet::CellSet(const CellMap& map) : map_(map), rows_(map.values()), triples_(map.triple_cells()) {}

std::optional<std::size_t> CellSet::insert(const CellPoint& point) noexcept {
  const std::size_t attributes = map_.attributes().size();
  Row own = {};
  for (std::size_t i = 0; i < attributes; ++i) {
    const std::size_t number = map_.number_of(i, point[i]);
    own[number / 64] |= std::uint64_t{1} << (number % 64);
  }
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < attributes; ++i) {
    const Row& row = rows_[map_.number_of(i, point[i])];
    for (std::size_t word = 0; word < row.size(); ++word) missing |= own[word] & ~row[word];
  }
  bool all = missing == 0;
  for (std::size_t i = 0; i < map_.triples(); ++i) all &= triples_[map_.triple_cell(i, point)] != 0;
  if (all) return std::nullopt;

  std::size_t found = 0;
  for (std::size_t i = 0; i < attributes; ++i) {
    const std::size_t number = map_.number_of(i, point[i]);
    Row& row = rows_[number];
    for (std::size_t word = 0; word < row.size(); ++word) {
      // A value has no pair with itself.
      std::uint64_t fresh = own[word] & ~row[word];
      if (number / 64 == word) fresh &= ~(std::uint64_t{1} << (number % 64));
      if (fresh != 0)
        found = map_.pair_cell(number, 64 * word + static_cast<std::size_t>(std::countr_zero(fresh)));
      row[word] |= own[word];
    }
  }
  for (std::size_t i = 0; i < map_.triples(); ++i) {
    std::uint8_t& triple = triples_[map_.triple_cell(i, point)];
    if (triple == 0) found = map_.pair_cells() + map_.triple_cell(i, point);
    triple = 1;
  }
  return found;
}

}  // namespace lockstep::differential
