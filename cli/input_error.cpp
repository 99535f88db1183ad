#include "cli/input_error.h"

#include <fmt/format.h>

#include <utility>

#include "cli/terminal.h"

namespace lockstep::cli {

InputError::InputError(std::string file_, std::size_t line_, std::string field_, std::string problem_,
                       std::string advice_)
    : file(std::move(file_)),
      line(line_),
      field(std::move(field_)),
      problem(std::move(problem_)),
      advice(std::move(advice_)) {
  words = line != 0 ? fmt::format("{}:{}: ", file, line) : fmt::format("{}: ", file);
  if (!field.empty()) words += fmt::format("`{}`: ", field);
  words += problem;
  if (!advice.empty()) words += fmt::format("\n  {}", wrapped(advice, 2, 2));
}

}  // namespace lockstep::cli
