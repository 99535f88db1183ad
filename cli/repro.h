#pragma once

#include <string>

#include "cli/time_limit.h"
#include "cli/vectors/vector_file.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct ReproOptions {
  std::string file;
  std::string target;  // empty: the header of the file says it
  bool json = false;
  double time_limit = usual_time_limit;
};

// Prints to stdout. Returns the exit code; throws InputError.
int repro(const ReproOptions& options, Targets targets);

void add_repro(CLI::App& app, int& exit_code);

}  // namespace lockstep::cli
