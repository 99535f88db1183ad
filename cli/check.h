#pragma once

#include <string>
#include <vector>

#include "cli/time_limit.h"
#include "cli/vectors/vector_file.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
  double time_limit = usual_time_limit;
};

// Prints to stdout, errors to stderr. Returns the exit code.
int check(const CheckOptions& options, Targets targets);

void add_check(CLI::App& app, int& exit_code);

}  // namespace lockstep::cli
