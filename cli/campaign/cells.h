#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzzers/statistics.h"

namespace lockstep::cli::campaign {

// The semantic cells of a target (oracles/differential/cells.h): which of those that can be reached were.
struct Cells {
  std::string target;
  std::vector<std::uint8_t> filled;  // one byte each, as the target's map numbers them; empty without any

  // Of a build whose map is another one than ours nothing can be said.
  static Cells of(std::string_view target, const fuzzers::Statistics& statistics);
  void add(const Cells& more);

  [[nodiscard]] std::size_t reachable() const;
  [[nodiscard]] std::size_t reached() const;
  [[nodiscard]] double share() const;
  [[nodiscard]] std::size_t missing() const { return reachable() - reached(); }
  // The first of them in words.
  [[nodiscard]] std::vector<std::string> missing_words(std::size_t limit) const;
  // How many for each pair or triple of attributes, most first.
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> missing_by_attributes() const;
};

}  // namespace lockstep::cli::campaign
