#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Semantic cells: what takes the place of edges where code has hardly any branches. A kernel call of a case
// is a point, one value for each attribute of its algorithm; a cell is a pair of values of two attributes, or
// one of the declared triples. An algorithm declares attributes and constraints in oracles/<alg>/cells.cpp;
// which cells can be reached follows from that alone, never from what was.
namespace lockstep::differential {

inline constexpr std::size_t max_cells = 32768;
inline constexpr std::size_t max_cell_attributes = 20;
inline constexpr std::size_t max_cell_values = 64;      // of one attribute: a set of them is a word
inline constexpr std::size_t max_cell_value_sum = 256;  // of all attributes

// A value for each attribute, by index.
using CellPoint = std::array<std::uint8_t, max_cell_attributes>;

struct CellAttribute {
  std::string name;
  std::vector<std::string> values;
};

// `allows` says whether value `a` of attribute `first` and value `b` of `second` can occur in one point of an
// implementation with that stride. With `first` = `second` both are the same value: what an implementation
// cannot do at all.
struct CellConstraint {
  std::uint8_t first = 0;
  std::uint8_t second = 0;
  bool (*allows)(unsigned stride_blocks, unsigned a, unsigned b) noexcept = nullptr;
  std::string_view reason;
};

struct CellDeclaration {
  std::vector<CellAttribute> attributes;  // the first one is the implementation
  std::vector<unsigned> strides;          // one for each implementation
  std::vector<std::array<std::uint8_t, 3>> triples;
  std::vector<CellConstraint> constraints;
};

// Numbers the cells, marks them, names them, and knows which can be reached.
class CellMap {
 public:
  // Aborts with a message if there are too many of anything: a mistake of whoever declares.
  explicit CellMap(CellDeclaration declaration);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const CellAttribute> attributes() const noexcept { return declared_.attributes; }
  // One byte for each cell. A cell is reachable if some point that no constraint forbids lies in it.
  [[nodiscard]] std::span<const std::uint8_t> reachable() const noexcept { return reachable_; }
  [[nodiscard]] std::size_t reachable_count() const noexcept { return reachable_count_; }
  // Tells maps of different attributes or implementations apart.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

  // Sets the byte of every cell of the point. `bytes` has at least size() of them.
  void mark(const CellPoint& point, std::span<std::uint8_t> bytes) const noexcept;
  // A cell of the point that is not set.
  [[nodiscard]] std::optional<std::size_t> unset(const CellPoint& point,
                                                 std::span<const std::uint8_t> bytes) const noexcept;

  // The attributes of a cell and their values, two or three.
  struct Part {
    std::uint8_t attribute = 0;
    std::uint8_t value = 0;
  };
  struct Cell {
    std::array<Part, 3> parts;
    std::size_t count = 0;
  };
  [[nodiscard]] Cell at(std::size_t index) const noexcept;
  [[nodiscard]] std::size_t index_of(const Cell& cell) const noexcept;
  // "tail = 3 blocks and a rest, wrap_lane = bulk 5"
  [[nodiscard]] std::string words(std::size_t index) const;
  // Inverse of words().
  [[nodiscard]] std::optional<std::size_t> find(std::string_view words) const;
  // The names of a cell's attributes alone: "tail, wrap_lane".
  [[nodiscard]] std::string attributes_in_words(std::size_t index) const;
  // Why a cell cannot be reached, if a single constraint says so.
  [[nodiscard]] std::string_view reason(std::size_t index) const noexcept;

  // A reachable cell that is not set in `filled`, from a random place onwards.
  [[nodiscard]] std::optional<std::size_t> empty_cell(std::span<const std::uint8_t> filled,
                                                      std::uint64_t random) const noexcept;
  [[nodiscard]] std::size_t reached_count(std::span<const std::uint8_t> filled) const noexcept;
  // How many parts of the cell the nearest of the points has.
  [[nodiscard]] static unsigned nearness(const Cell& cell, std::span<const CellPoint> points) noexcept;

  // Values are numbered through all attributes.
  [[nodiscard]] std::size_t number_of(std::size_t attribute, std::size_t value) const noexcept {
    return first_value_[attribute] + value;
  }
  [[nodiscard]] std::size_t values() const noexcept { return first_value_[attributes().size()]; }
  // The cell of two values of different attributes.
  [[nodiscard]] std::size_t pair_cell(std::size_t a, std::size_t b) const noexcept {
    const auto later = static_cast<std::uint32_t>(a < b ? b : a);
    return row_[a < b ? a : b] + later;
  }
  [[nodiscard]] std::size_t triple_cells() const noexcept { return size_ - pair_cells_; }
  [[nodiscard]] std::size_t pair_cells() const noexcept { return pair_cells_; }
  // The cell of a triple, counted from the first such cell.
  [[nodiscard]] std::size_t triple_cell(std::size_t triple, const CellPoint& point) const noexcept {
    const auto& [a, b, c] = declared_.triples[triple];
    const std::size_t row = std::size_t{point[a]} * declared_.attributes[b].values.size() + point[b];
    return first_of_triple_[triple] - pair_cells_ + row * declared_.attributes[c].values.size() + point[c];
  }
  [[nodiscard]] std::size_t triples() const noexcept { return declared_.triples.size(); }

 private:
  void find_reachable();
  template <class Visit>
  void each_cell(const CellPoint& point, Visit&& visit) const noexcept;

  CellDeclaration declared_;
  std::size_t attribute_count_ = 0;
  std::size_t size_ = 0;
  std::size_t pair_cells_ = 0;
  // The pair of value p with a value q of a later attribute is
  // cell row_[p] + q.
  std::array<std::size_t, max_cell_attributes + 1> first_value_ = {};
  std::vector<std::uint32_t> row_;
  std::vector<std::size_t> first_of_triple_;
  std::vector<std::uint8_t> reachable_;
  std::size_t reachable_count_ = 0;
  std::uint64_t fingerprint_ = 0;
};

// A set of cells that answers quickly whether a point brings anything new, which nearly none does: a row of
// bits for each value, with a bit for each other value. A point takes one step for each attribute in place
// of one for each pair.
class CellSet {
 public:
  explicit CellSet(const CellMap& map);
  // Puts the cells of the point in; returns one that was not there.
  std::optional<std::size_t> insert(const CellPoint& point) noexcept;

 private:
  using Row = std::array<std::uint64_t, max_cell_value_sum / 64>;

  const CellMap& map_;
  std::vector<Row> rows_;
  std::vector<std::uint8_t> triples_;
};

}  // namespace lockstep::differential
