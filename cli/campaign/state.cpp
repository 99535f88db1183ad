#include "cli/campaign/state.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <system_error>
#include <utility>

#include "cli/campaign/builds.h"
#include "cli/input_error.h"

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;
namespace {

constexpr int format = 1;

// Made before anything of ours is put into it.
fs::path checked(const fs::path& folder) {
  std::error_code error;
  fs::path path = fs::absolute(folder).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    throw InputError(typed(path), 0, "--state", "is not a folder",
                     "Name a folder, or one that does not exist yet.");
  }
  if (fs::is_directory(path, error) && !fs::is_empty(path, error) && !fs::exists(path / "campaign.json") &&
      !fs::exists(path / "lock")) {
    throw InputError(
        typed(path), 0, "--state", "holds other things than a campaign",
        "Name a campaign's folder to go on with it, or one that is empty or does not exist yet.");
  }
  fs::create_directories(path, error);
  if (error)
    throw InputError(typed(path), 0, "--state", error.message(), "Name a folder that can be written.");
  return path;
}

}  // namespace

State::State(const fs::path& folder)
    : folder_(checked(folder)), findings_(folder_ / "findings", folder_ / "known") {
  lock();
  const fs::path path = folder_ / "campaign.json";
  if (!fs::exists(path)) return;
  try {
    const nlohmann::json json = nlohmann::json::parse(read_file(path));
    if (json.at("format") != format) {
      throw InputError(typed(path), 0, "format", "is of another version",
                       "Name another folder with --state.");
    }
    earlier_ = json.at("sessions");
    findings_.from_json(json.at("findings"));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(typed(path), 0, "", error.what(), "Repair or remove the file, or name another folder.");
  }
}

State::~State() {
  if (lock_ >= 0) close(lock_);
}

void State::lock() {
  lock_ = open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    throw InputError(typed(folder_), 0, "--state", std::strerror(errno),
                     "Name a folder that can be written.");
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  close(std::exchange(lock_, -1));
  throw InputError(typed(folder_), 0, "--state", "another campaign is running here",
                   "Wait for it, or name another folder.");
}

void State::save(const Summary& summary) const {
  nlohmann::json targets = nlohmann::json::array();
  for (const TaskSummary& task : summary.tasks) {
    targets.push_back({{"target", task.target},
                       {"engine", task.engine},
                       {"executions", task.executions},
                       {"comparisons", task.comparisons},
                       {"cpu_seconds", task.cpu_seconds},
                       {"wall_seconds", task.wall_seconds}});
  }
  nlohmann::json sessions = earlier_;
  sessions.push_back({{"session", summary.session},
                      {"seed", summary.seed},
                      {"written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
                      {"targets", targets}});
  const nlohmann::json json = {{"format", format}, {"sessions", sessions}, {"findings", findings_.to_json()}};
  write_whole_file(folder_ / "campaign.json", json.dump(1) + "\n");
}

void write_whole_file(const fs::path& path, const std::string& contents) {
  const fs::path next = path.string() + ".new";
  {
    std::ofstream file(next, std::ios::binary);
    file << contents;
    file.close();
    if (!file) throw std::runtime_error(fmt::format("{}: cannot write", next.string()));
  }
  fs::rename(next, path);
}

}  // namespace lockstep::cli::campaign
