#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/campaign/crash_log.h"
#include "cli/campaign/duration.h"
#include "cli/campaign/engine.h"

namespace lockstep::cli::campaign {

struct Examined {
  std::optional<Crash> crash;  // nothing: the input ran through this time
  std::string output;          // of the last run
};

// Runs one input again, alone, in the engine's own build, to learn what is wrong with it. Does not wait:
// `tick` is called until it has the answer.
class Examination {
 public:
  // Throws StartError.
  Examination(const Engine& engine, std::string target, Candidate candidate, Clock::time_point now);

  // `names`: raw reports and what they were called before, so that the same fault needs no symbols again.
  std::optional<Examined> tick(Clock::time_point now, std::map<std::string, Crash>& names);
  [[nodiscard]] const Process& process() const noexcept { return *process_; }

 private:
  void start(bool symbols, Clock::time_point now);

  const Engine& engine_;
  std::string target_;
  Candidate candidate_;
  bool symbols_ = false;
  bool hanging_ = false;
  std::string raw_;
  Clock::time_point started_;
  std::optional<Process> process_;
};

}  // namespace lockstep::cli::campaign
