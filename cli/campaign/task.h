#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/campaign/cells.h"
#include "cli/campaign/coverage.h"
#include "cli/campaign/duration.h"
#include "cli/campaign/engine.h"
#include "cli/campaign/examination.h"
#include "cli/campaign/findings.h"
#include "cli/campaign/process_table.h"
#include "cli/campaign/statistics_file.h"

namespace lockstep::cli::campaign {

// What the tasks of a campaign have in common.
struct Shared {
  std::chrono::milliseconds time{};
  bool until_finding = false;
  std::vector<std::string> without;  // parts that the fuzzing programs leave out (fuzzers/without.h)
  std::uint64_t seed = 0;
  int session = 1;
  Findings* findings = nullptr;
  std::map<std::string, Crash> names;             // of raw sanitizer reports (Examination::tick)
  std::function<void(const std::string&)> say;    // a line for whoever watches
  std::function<void(const std::string&)> note;   // one that a live table makes superfluous
  std::function<std::vector<pid_t>()> processes;  // of all tasks: other children of ours are left-overs
};

struct FirstFinding {
  std::string signature;
  Seen seen;
};

// A target under an engine for a time: starts the engine, goes on after a finding, ends. One process at work,
// and at most one beside it that examines what was found.
class Task {
 public:
  enum class Phase { waiting, busy, finished, failed };

  Task(std::string target, std::unique_ptr<Engine> engine, Shared& shared);

  void start(Clock::time_point now);
  void tick(Clock::time_point now);
  // Ends as soon as it can: no restart, but what was found is still examined.
  void stop() noexcept { stop_ = true; }
  // Ends now; what is not examined yet is for the next session.
  void abandon(Clock::time_point now);
  // Once a second: CPU time and the rate.
  void sample(const ProcessTable& processes, Clock::time_point now);

  [[nodiscard]] const std::string& target() const noexcept { return target_; }
  [[nodiscard]] Engine& engine() const noexcept { return *engine_; }
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] bool examining() const noexcept { return !process_ && examination_; }
  [[nodiscard]] const fuzzers::Statistics& statistics() const noexcept { return statistics_.now(); }
  [[nodiscard]] Coverage coverage() const;
  [[nodiscard]] Cells cells() const { return Cells::of(target_, statistics()); }
  [[nodiscard]] double cpu_seconds() const noexcept { return cpu_of_ended_ + cpu_of_running_; }
  [[nodiscard]] Clock::duration fuzzed(Clock::time_point now) const noexcept;
  [[nodiscard]] Clock::duration left(Clock::time_point now) const noexcept;
  [[nodiscard]] double executions_per_second(Clock::time_point now) const;
  [[nodiscard]] std::size_t findings() const noexcept { return signatures_.size(); }
  [[nodiscard]] const std::optional<FirstFinding>& first_finding() const noexcept { return first_; }
  [[nodiscard]] unsigned restarts() const noexcept { return runs_ == 0 ? 0 : runs_ - 1; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  void append_processes(std::vector<pid_t>& list) const;

 private:
  struct Pending {
    Candidate candidate;
    Seen seen;
    bool of_last_run = false;  // the log of that run tells of it, and of nothing else
  };

  void start_run(Clock::time_point now);
  void watch_engine(Clock::time_point now);
  void engine_ended(const Ended& ended, pid_t pid, Clock::time_point now);
  void unexpected_end(const Ended& ended, std::uint64_t executions);
  void stop_engine(Clock::time_point now);
  void take_candidates(bool ended, Clock::time_point now);
  void examine(Clock::time_point now);
  void conclude(const Examined& result, const Pending& pending);
  void file(const Crash& crash, std::string_view underlying, const Pending& pending, std::string_view output);
  void go_on(Clock::time_point now);
  [[nodiscard]] Seen seen_now(Clock::time_point now);
  [[nodiscard]] std::vector<std::string> participants_of(const Crash& crash) const;
  [[nodiscard]] std::string label() const { return target_ + " " + std::string(engine_->name()); }

  std::string target_;
  std::unique_ptr<Engine> engine_;
  Shared& shared_;
  StatisticsFile statistics_;

  Phase phase_ = Phase::waiting;
  bool stop_ = false;
  std::string error_;
  std::optional<Process> process_;
  Clock::time_point run_started_;
  Clock::duration ran_{};  // runs that have ended
  std::optional<Clock::time_point> stopping_since_;
  bool killed_ = false;
  std::uint64_t executions_before_ = 0;
  std::uint64_t corpus_at_start_ = 0;
  Clock::duration ran_before_{};
  unsigned runs_ = 0;
  unsigned deaths_in_a_row_ = 0;

  std::deque<Pending> pending_;
  std::optional<Examination> examination_;
  Pending examined_;  // by `examination_`
  std::set<std::string> signatures_;
  std::optional<FirstFinding> first_;

  double cpu_of_ended_ = 0;
  double cpu_of_running_ = 0;
  std::deque<std::pair<Clock::time_point, std::uint64_t>> rate_;
};

}  // namespace lockstep::cli::campaign
