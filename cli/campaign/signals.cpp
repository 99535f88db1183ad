#include "cli/campaign/signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace lockstep::cli::campaign {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, &before_);
  file_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  // A reader of our output that goes away must not end us before the workers are.
  signal(SIGPIPE, SIG_IGN);
}

Signals::~Signals() {
  close(file_);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void Signals::wait(std::chrono::milliseconds longest) {
  pollfd waiting = {.fd = file_, .events = POLLIN, .revents = 0};
  poll(&waiting, 1, static_cast<int>(longest.count()));
  signalfd_siginfo info = {};
  while (read(file_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGCHLD) continue;
    ++wishes_;
    if (!stop_) stop_ = Clock::now();
  }
}

}  // namespace lockstep::cli::campaign
