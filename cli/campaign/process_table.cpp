#include "cli/campaign/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace lockstep::cli::campaign {
namespace {

// The next word between spaces, as a number.
std::optional<long long> next_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string_view read_small_file(const char* path, std::span<char> buffer) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = ::read(file, buffer.data(), buffer.size());
  close(file);
  return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

}  // namespace

std::optional<ProcessEntry> parse_stat(std::string_view line, double ticks_per_second) {
  // pid (name) state ppid ...: the name may hold spaces and brackets.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 > line.size()) return std::nullopt;
  const std::optional<long long> pid = next_number(line);
  if (!pid) return std::nullopt;
  std::string_view rest = line.substr(line.rfind(')') + 3);
  constexpr int parent_at = 4;
  constexpr int first_time_at = 14;
  constexpr int last_time_at = 17;
  ProcessEntry entry = {.pid = static_cast<pid_t>(*pid)};
  double ticks = 0;
  for (int field = parent_at; field <= last_time_at; ++field) {
    const std::optional<long long> value = next_number(rest);
    if (!value) return std::nullopt;
    if (field == parent_at) entry.parent = static_cast<pid_t>(*value);
    if (field >= first_time_at) ticks += static_cast<double>(*value);
  }
  entry.cpu_seconds = ticks / ticks_per_second;
  return entry;
}

ProcessTable ProcessTable::read() noexcept {
  static const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::vector<ProcessEntry> entries;
  DIR* const folder = opendir("/proc");
  if (folder == nullptr) return ProcessTable(std::move(entries));
  while (const dirent* const each = readdir(folder)) {
    if (each->d_name[0] < '1' || each->d_name[0] > '9') continue;
    char path[300];
    char contents[1024];
    std::snprintf(path, sizeof path, "/proc/%s/stat", each->d_name);
    const auto entry = parse_stat(read_small_file(path, contents), ticks_per_second);
    if (entry) entries.push_back(*entry);
  }
  closedir(folder);
  return ProcessTable(std::move(entries));
}

std::vector<pid_t> ProcessTable::children(pid_t parent) const {
  std::vector<pid_t> found;
  for (const ProcessEntry& entry : entries_) {
    if (entry.parent == parent) found.push_back(entry.pid);
  }
  return found;
}

std::vector<pid_t> ProcessTable::below(pid_t root) const {
  std::vector<pid_t> found = {root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const pid_t child : children(found[i])) {
      if (std::ranges::find(found, child) == found.end()) found.push_back(child);
    }
  }
  found.erase(found.begin());
  return found;
}

double ProcessTable::cpu_seconds(pid_t root) const {
  std::vector<pid_t> tree = below(root);
  tree.push_back(root);
  double sum = 0;
  for (const ProcessEntry& entry : entries_) {
    if (std::ranges::find(tree, entry.pid) != tree.end()) sum += entry.cpu_seconds;
  }
  return sum;
}

void adopt_orphans() noexcept {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void kill_strangers(std::span<const pid_t> ours) noexcept {
  // Killing one may hand us its children: a few rounds.
  for (int round = 0; round < 8; ++round) {
    bool found = false;
    for (const pid_t child : ProcessTable::read().children(getpid())) {
      if (std::ranges::find(ours, child) != ours.end()) continue;
      kill(child, SIGKILL);
      found |= waitpid(child, nullptr, 0) == child;
    }
    if (!found) break;
  }
}

void remove_shared_memory(pid_t creator) noexcept {
  std::ifstream list("/proc/sysvipc/shm");
  std::string line;
  std::getline(list, line);  // key shmid perms size cpid lpid nattch ...
  while (std::getline(list, line)) {
    std::istringstream words(line);
    long long key = 0;
    int id = 0;
    std::string permissions;
    unsigned long long size = 0;
    pid_t made_by = 0;
    pid_t last = 0;
    unsigned long attached = 0;
    words >> key >> id >> permissions >> size >> made_by >> last >> attached;
    if (words && made_by == creator && attached == 0) shmctl(id, IPC_RMID, nullptr);
  }
}

}  // namespace lockstep::cli::campaign
