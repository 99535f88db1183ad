#include "cli/campaign/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "cli/campaign/process_table.h"

namespace lockstep::cli::campaign {
namespace {

double seconds_of(const timeval& time) noexcept {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

bool named(std::string_view variable, std::string_view pattern) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> list;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const auto hit = [&](const auto& name) { return named(*variable, name); };
    if (std::ranges::any_of(command.without, hit)) continue;
    if (std::ranges::any_of(command.environment, [&](const auto& each) { return hit(each.first); })) continue;
    list.emplace_back(*variable);
  }
  for (const auto& [name, value] : command.environment) list.push_back(name + "=" + value);
  return list;
}

std::vector<char*> pointers_of(std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// In the child, between fork and exec: system calls only.
[[noreturn]] void become(const Command& command, char* const* arguments, char* const* environment,
                         pid_t parent, int log, int failure) noexcept {
  setpgid(0, 0);  // a Ctrl-C of the terminal reaches us alone, and we end the workers in order
  prctl(PR_SET_PDEATHSIG, command.death_signal);
  if (getppid() != parent) _exit(127);  // we died before that
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_DFL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int null = open("/dev/null", O_RDONLY);
  if (null >= 0) dup2(null, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (command.folder.empty() || chdir(command.folder.c_str()) == 0)
    execvpe(arguments[0], arguments, environment);
  const int error = errno;
  if (write(failure, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

}  // namespace

std::string Command::words() const {
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    text += argument;
  }
  return text;
}

bool Ended::success() const noexcept {
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string Ended::words() const {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return fmt::format("signal {} (SIG{})", WTERMSIG(status), name == nullptr ? "?" : name);
}

Process::Process(const Command& command) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = environment_of(command);
  const std::vector<char*> argument_list = pointers_of(arguments);
  const std::vector<char*> environment_list = pointers_of(environment);
  const int log = open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) throw StartError(fmt::format("{}: {}", command.log.string(), std::strerror(errno)));
  int failure[2] = {-1, -1};
  if (pipe2(failure, O_CLOEXEC) != 0) {
    close(log);
    throw StartError(fmt::format("pipe: {}", std::strerror(errno)));
  }
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(command, argument_list.data(), environment_list.data(), parent, log, failure[1]);
  int error = pid_ < 0 ? errno : 0;
  close(log);
  close(failure[1]);
  // The pipe closes by itself when exec succeeds.
  if (pid_ > 0 && read(failure[0], &error, sizeof error) <= 0) error = 0;
  close(failure[0]);
  if (error == 0) return;
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
  pid_ = 0;
  throw StartError(fmt::format("{}: {}", command.arguments.front(), std::strerror(error)));
}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

Process::~Process() {
  if (pid_ <= 0) return;
  kill_tree();
  waitpid(pid_, nullptr, 0);
}

void Process::send(int signal) const noexcept {
  if (pid_ > 0) kill(pid_, signal);
}

void Process::kill_tree() const noexcept {
  if (pid_ <= 0) return;
  // The root first, so that it starts nothing new; what it leaves behind becomes a child of ours
  // (kill_strangers).
  const ProcessTable table = ProcessTable::read();
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  for (const pid_t each : table.below(pid_)) kill(each, SIGKILL);
}

std::optional<Ended> Process::poll() noexcept {
  if (pid_ <= 0) return std::nullopt;
  int status = 0;
  rusage usage = {};
  const pid_t got = wait4(pid_, &status, WNOHANG, &usage);
  if (got != pid_) return std::nullopt;
  pid_ = 0;
  return Ended{status, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
}

}  // namespace lockstep::cli::campaign
