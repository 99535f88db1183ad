#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/case_names.h"
#include "cli/vectors/vector_file.h"

namespace lockstep::cli {

// One way of calling for what a question asks: fields that are set on top of it.
struct Shape {
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;
};

// The ways in which a vector is tried. Only those words for which a target's cases have a field are used.
class Shapes {
 public:
  explicit Shapes(const differential::Target& target);

  // A pure function of its arguments. Never empty.
  [[nodiscard]] std::vector<Shape> of(const Question& question, std::size_t index) const;

 private:
  [[nodiscard]] Shape guarded(std::string_view name) const;
  void cut(Shape& shape, const Question& question, std::size_t seed) const;

  CaseNames names_;
  std::vector<std::string> placements_;
  struct Cuts {
    std::string count;                   // "in_cut_count"
    std::string content;                 // "text"; empty if no content has its name
    std::vector<std::string> positions;  // "in_cut_1" ...
  };
  std::vector<Cuts> cuts_;
  std::vector<std::string> schedule_;
  std::vector<std::string_view> implementations_;
};

}  // namespace lockstep::cli
