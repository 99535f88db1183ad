#pragma once

#include <chrono>
#include <csignal>
#include <optional>

#include "cli/campaign/duration.h"

namespace lockstep::cli::campaign {

// While one lives, a Ctrl-C, a SIGTERM or a lost terminal is a wish to be read here, and the end of a child
// wakes whoever waits.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Waits for a signal, at most so long.
  void wait(std::chrono::milliseconds longest);
  // When the first wish to end came.
  [[nodiscard]] std::optional<Clock::time_point> stop() const noexcept { return stop_; }
  // Somebody is impatient.
  [[nodiscard]] bool stop_now() const noexcept { return wishes_ > 1; }

 private:
  int file_ = -1;
  sigset_t before_ = {};
  std::optional<Clock::time_point> stop_;
  int wishes_ = 0;
};

}  // namespace lockstep::cli::campaign
