#pragma once

#include <cstddef>
#include <exception>
#include <string>

namespace lockstep::cli {

// Input that cannot be used: what is wrong, where, and what to do about it.
struct InputError : std::exception {
  std::string file;
  std::size_t line = 0;  // 0: not known, or of no use
  std::string field;     // may be empty
  std::string problem;
  std::string advice;
  std::string words;

  InputError(std::string file_, std::size_t line_, std::string field_, std::string problem_,
             std::string advice_);
  [[nodiscard]] const char* what() const noexcept override { return words.c_str(); }
};

}  // namespace lockstep::cli
