#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace lockstep::cli {

inline constexpr double usual_time_limit = 60;  // seconds

void add_time_limit_option(CLI::App& command, double& seconds);

// While one lives, the process has `seconds`; then it says so in `words` on stderr and ends with
// exit_time_out. One at a time. 0 seconds: no limit.
class TimeLimit {
 public:
  TimeLimit(double seconds, std::string_view words);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit();

 private:
  bool armed_;
};

}  // namespace lockstep::cli
