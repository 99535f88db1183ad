#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracles/differential/target.h"

namespace lockstep::cli {

// What the case format of a target calls things. Formats of all algorithms share the words for how a case is
// called
// (`call`, `in_cut_1`, `hand_over`, `out_placement` ...), so that nothing here names an algorithm.
struct CaseNames {
  std::vector<std::string> fields;
  std::vector<std::string> parameters;  // what is asked, beside the contents: the fields in front of `call`
  std::vector<std::string> contents;  // the fields that are bytes: they stand behind the seed that fills them

  explicit CaseNames(const differential::Target& target);

  [[nodiscard]] bool has(std::string_view name) const;
  // It says what is asked; the others say how it is called.
  [[nodiscard]] bool is_question(std::string_view name) const;
};

}  // namespace lockstep::cli
