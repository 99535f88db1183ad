#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::cli::campaign {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  double cpu_seconds = 0;  // user and system, of the process and of the children that it waited for
};

// A line of /proc/<pid>/stat.
std::optional<ProcessEntry> parse_stat(std::string_view line, double ticks_per_second);

// All processes at one moment. AFL++'s fork server leaves its parent's group and session: only the tree finds
// it.
class ProcessTable {
 public:
  static ProcessTable read() noexcept;
  explicit ProcessTable(std::vector<ProcessEntry> entries) : entries_(std::move(entries)) {}

  // Everything below `root`, without it.
  [[nodiscard]] std::vector<pid_t> below(pid_t root) const;
  // Of the tree that starts at `root`.
  [[nodiscard]] double cpu_seconds(pid_t root) const;
  [[nodiscard]] std::vector<pid_t> children(pid_t parent) const;

 private:
  std::vector<ProcessEntry> entries_;
};

// Children whose parents die become ours, instead of the system's.
void adopt_orphans() noexcept;

// Kills and reaps adopted children: all of this process but `ours`.
void kill_strangers(std::span<const pid_t> ours) noexcept;

// System V shared memory outlives an afl-fuzz that was killed: removes what `creator` made and nobody holds.
void remove_shared_memory(pid_t creator) noexcept;

}  // namespace lockstep::cli::campaign
