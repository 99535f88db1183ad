#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/campaign/crash_log.h"

namespace lockstep::cli::campaign {

// Where a task stood when something was seen.
struct Seen {
  std::uint64_t executions = 0;
  std::uint64_t comparisons = 0;
  double cpu_seconds = 0;
  double wall_seconds = 0;
};

struct Finding {
  std::string signature;
  std::string target;
  std::string engine;
  std::string kind;        // disagreement, memory, timeout, oom, flaky
  std::string underlying;  // of a flaky one: what was seen the one time
  std::vector<std::string> participants;
  std::filesystem::path file;     // the input; empty if the death left none
  std::filesystem::path program;  // of a sanitizer's finding: what shows it; `lockstep repro` may see nothing
  std::uint64_t count = 0;        // inputs that showed it
  Seen first_seen;
  int session = 0;       // that filed it
  bool current = false;  // seen in this session, or confirmed by running its input with this session's builds
};

// One folder per signature under DIR/findings, and the list of signatures that the fuzzing processes pass
// over.
class Findings {
 public:
  Findings(std::filesystem::path folder, std::filesystem::path known_list);

  [[nodiscard]] Finding* find(std::string_view signature);
  // Files what is new: the input and the report. Returns the finding.
  Finding& file(Finding finding, const std::filesystem::path& input, std::string_view report);
  // From now on the fuzzing processes count it and pass over it.
  void make_known(std::string_view signature) const;
  // An earlier finding that no longer shows must be found again if it comes back.
  void forget_known() const;

  [[nodiscard]] std::deque<Finding>& all() noexcept { return list_; }
  [[nodiscard]] const std::deque<Finding>& all() const noexcept { return list_; }
  [[nodiscard]] const std::filesystem::path& known_list() const noexcept { return known_list_; }

  // Paths are relative to the folder: a campaign may be moved.
  [[nodiscard]] nlohmann::json to_json() const;
  void from_json(const nlohmann::json& json);

 private:
  [[nodiscard]] std::filesystem::path folder_for(std::string_view signature) const;

  std::filesystem::path folder_;
  std::filesystem::path known_list_;
  std::deque<Finding> list_;  // references stay valid
};

// "a/b:c" -> "a-b_c": a folder's name.
std::string folder_name(std::string_view signature);

// 1, 2 or 3: what a finding of this kind makes of the exit code.
int exit_code_of(const Finding& finding) noexcept;

std::string read_file(const std::filesystem::path& path);

}  // namespace lockstep::cli::campaign
