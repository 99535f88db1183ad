#include "cli/case_names.h"

#include <algorithm>

namespace lockstep::cli {

CaseNames::CaseNames(const differential::Target& target) {
  bool content = false;
  for (const differential::Field& field : target.fields({})) {
    if (field.name == "call") parameters = fields;
    fields.emplace_back(field.name);
    if (content) contents.emplace_back(field.name);
    content |= field.name == "fill_seed";
  }
}

bool CaseNames::has(std::string_view name) const {
  return std::ranges::find(fields, name) != fields.end();
}

bool CaseNames::is_question(std::string_view name) const {
  return name == "operation" || std::ranges::find(parameters, name) != parameters.end() ||
         std::ranges::any_of(contents, [&](const std::string& content) {
           return name == content || name == content + "_bytes";
         });
}

}  // namespace lockstep::cli
