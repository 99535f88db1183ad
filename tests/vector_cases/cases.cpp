#include "tests/vector_cases/cases.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "cli/input_error.h"
#include "cli/shapes.h"
#include "oracles/differential/by_seed.h"

namespace lockstep::cli {

std::vector<VectorCase> cases_of(const VectorFile& file, std::size_t& open) {
  std::map<const differential::Target*, Shapes> shapes;
  std::vector<VectorCase> cases;
  for (const FileVector& vector : file.vectors) {
    const Shapes& ways = shapes.try_emplace(vector.target, *vector.target).first->second;
    for (const Question& question : vector.questions) {
      if (!question.open_answers.empty()) {
        ++open;
        continue;
      }
      differential::Vector called = question.vector;
      const Shape first = ways.of(question, vector.index).front();
      for (const auto& [name, value] : first.fields) called.fields.insert_or_assign(name, value);
      // Nothing happens that no vector says.
      called.fields.try_emplace("fill_seed", std::to_string(differential::quiet_seed));
      std::string error;
      std::optional<std::vector<std::uint8_t>> bytes = vector.target->encode(called, error);
      if (!bytes)
        throw InputError(file.path, vector.line, "", vector.label + ": " + error, "Correct the vector.");
      cases.push_back({vector.target, std::move(*bytes)});
    }
  }
  return cases;
}

}  // namespace lockstep::cli
