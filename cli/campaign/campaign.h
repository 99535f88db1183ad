#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/campaign/builds.h"
#include "cli/campaign/options.h"
#include "cli/campaign/signals.h"
#include "cli/campaign/state.h"
#include "cli/campaign/table.h"
#include "cli/campaign/task.h"

namespace lockstep::cli::campaign {

// Runs every target under every engine, some at once, shows how it goes, and sums it up. One thread.
class Campaign {
 public:
  // Throws InputError if something is missing.
  explicit Campaign(const Options& options);
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;
  ~Campaign();

  Summary run();

 private:
  void make_tasks(const Options& options);
  // Which of the earlier findings still show with these builds: only those are passed over.
  void examine_earlier();
  void confirm(Finding& finding);
  void start_tasks(Clock::time_point now);
  // Returns whether anything is still at work.
  bool step();
  void look(Clock::time_point now);
  [[nodiscard]] Summary summary(Clock::time_point now);
  [[nodiscard]] std::string footer() const;
  [[nodiscard]] std::vector<pid_t> processes() const;

  struct Growth {
    std::size_t cells = 0;
    Clock::time_point last_new_cell;
    std::size_t corpus = 0;
  };

  // Children that this process had before, from the shell that became it: none of our business.
  std::vector<pid_t> inherited_;
  Builds builds_;
  State state_;
  Signals signals_;
  Display display_;
  Shared shared_;
  unsigned jobs_;
  bool empty_corpus_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Growth> growth_;
  std::optional<Examination> earlier_;
  std::vector<std::string> gone_;  // signatures
  Clock::time_point started_;
  Clock::time_point looked_;
  unsigned looks_ = 0;
};

// The targets and engines that `options` names, all by default. Throws InputError for unknown ones.
void complete(Options& options);

}  // namespace lockstep::cli::campaign
