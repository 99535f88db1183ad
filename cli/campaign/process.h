#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::cli::campaign {

struct Command {
  std::vector<std::string> arguments;  // the program first; without a slash it is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // set on top of our own
  std::vector<std::string> without;  // variables taken away; a final * stands for the rest
  std::filesystem::path folder;      // where it runs
  std::filesystem::path log;         // its stdout and stderr are appended
  int death_signal = SIGKILL;  // what it gets if we die; AFL++ needs a chance to take its own children along

  // As it would be typed.
  [[nodiscard]] std::string words() const;
};

struct StartError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Ended {
  int status = 0;          // as wait(2) has it
  double cpu_seconds = 0;  // of the process and of the children that it waited for

  [[nodiscard]] bool success() const noexcept;
  [[nodiscard]] std::string words() const;  // "exit code 77", "signal 9 (SIGKILL)"
};

// A child in a process group of its own, which does not outlive this program. Killed when destroyed.
class Process {
 public:
  // Throws StartError.
  explicit Process(const Command& command);
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Process& operator=(Process&& other) noexcept;
  ~Process();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  void send(int signal) const noexcept;
  // Kills it and everything below it.
  void kill_tree() const noexcept;
  // How it ended, once; nothing while it runs.
  std::optional<Ended> poll() noexcept;

 private:
  pid_t pid_ = 0;
};

}  // namespace lockstep::cli::campaign
