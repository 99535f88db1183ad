#include "cli/time_limit.h"

#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstring>

#include "cli/exit_code.h"

namespace lockstep::cli {
namespace {

// What the handler writes: it may neither format nor allocate.
char message[1024];
volatile std::sig_atomic_t message_bytes = 0;

void expired(int /*signal*/) {
  const auto bytes = static_cast<std::size_t>(message_bytes);
  if (write(STDERR_FILENO, message, bytes) < 0) _exit(exit_time_out);
  _exit(exit_time_out);
}

void set_timer(double seconds) noexcept {
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void add_time_limit_option(CLI::App& command, double& seconds) {
  const CLI::Validator sane(
      [](std::string& text) {
        double value = -1;
        return CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e6
                   ? std::string()
                   : "'" + text + "' is no number of seconds from 0 to 1000000";
      },
      "");
  command.add_option("--time-limit", seconds, "Until one case counts as hanging; 0: never")
      ->type_name("SECONDS")
      ->check(sane)
      ->capture_default_str();
}

TimeLimit::TimeLimit(double seconds, std::string_view words) : armed_(seconds > 0) {
  if (!armed_) return;
  const std::size_t bytes = std::min(words.size(), sizeof(message));
  std::memcpy(message, words.data(), bytes);
  message_bytes = static_cast<std::sig_atomic_t>(bytes);
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = expired;
    return sigaction(SIGALRM, &action, nullptr) == 0;
  }();
  if (installed) set_timer(std::max(seconds, 1e-6));
}

TimeLimit::~TimeLimit() {
  if (armed_) set_timer(0);
}

}  // namespace lockstep::cli
