#pragma once

namespace lockstep::cli {

// The same for every command.
enum ExitCode : int {
  exit_clean = 0,
  exit_disagreement = 1,
  exit_memory_fault = 2,
  exit_time_out = 3,
  exit_nothing_compared = 4,
  exit_unusable = 5,  // usage, or input that cannot be read
};

}  // namespace lockstep::cli
