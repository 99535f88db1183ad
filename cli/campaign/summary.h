#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/campaign/cells.h"
#include "cli/campaign/coverage.h"
#include "cli/campaign/findings.h"
#include "cli/campaign/task.h"

namespace lockstep::cli::campaign {

// A task in numbers, of this session.
struct TaskSummary {
  std::string target;
  std::string engine;
  std::string state;  // waiting, fuzzing, examining, finished, failed
  std::string error;
  double left_seconds = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  double executions_per_second = 0;  // lately, of a task that runs
  std::uint64_t executions = 0;
  std::uint64_t comparisons = 0;
  std::uint64_t compared = 0;
  std::uint64_t foreign = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t above_widest_stride = 0;
  std::uint64_t steered = 0;
  std::uint64_t hand_over = 0;
  std::uint64_t known_findings = 0;
  std::vector<std::pair<std::string, double>> foreign_shares;
  std::size_t corpus = 0;
  std::size_t findings = 0;
  unsigned restarts = 0;
  std::optional<FirstFinding> first_finding;
  Coverage coverage;
  Cells cells;
  std::uint64_t executions_at_new_cell = 0;
  double seconds_since_new_cell = 0;

  [[nodiscard]] double comparisons_per_cpu_second() const noexcept {
    return cpu_seconds > 0 ? static_cast<double>(comparisons) / cpu_seconds : 0;
  }
  [[nodiscard]] double mean_text_bytes() const noexcept { return share(text_bytes, executions); }
  [[nodiscard]] bool ran() const noexcept { return state != "waiting"; }
};

TaskSummary summary_of(const Task& task, Clock::time_point now);

// Everything that a report says.
struct Summary {
  std::filesystem::path state;  // the campaign's folder
  std::string program;          // this one, as it is typed
  int session = 1;
  std::uint64_t seed = 0;
  unsigned jobs = 1;
  double time_seconds = 0;  // asked for, per task
  double wall_seconds = 0;
  bool interrupted = false;
  std::vector<TaskSummary> tasks;
  std::vector<std::string> without;                        // parts that were left out
  std::vector<std::pair<std::string, Coverage>> coverage;  // by target, of all its engines
  std::vector<Cells> cells;                                // likewise
  std::vector<Finding> findings;                           // current ones
  std::vector<Finding> gone;                               // earlier ones that no longer show
  nlohmann::json earlier = nlohmann::json::array();        // sessions before this one

  // What is by target, from `tasks`.
  void add_up();
  // A hole in the plan counts from 30 s of each task on; below that there was no time for it.
  [[nodiscard]] bool long_enough() const noexcept;
  [[nodiscard]] bool complete() const noexcept;
  // Targets that ran, and compared nothing.
  [[nodiscard]] std::vector<std::string> nothing_compared() const;
  [[nodiscard]] int exit_code() const;
};

// The lines that reproduce a finding; the second one, with the sanitizers, is empty if the first one shows
// it.
std::string repro_line(const Summary& summary, const Finding& finding);
std::string sanitized_repro_line(const Finding& finding);

nlohmann::json to_json(const Summary& summary);

}  // namespace lockstep::cli::campaign
