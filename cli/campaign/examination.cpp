#include "cli/campaign/examination.h"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/campaign/findings.h"

namespace lockstep::cli::campaign {
namespace {

constexpr auto patience = std::chrono::seconds(time_out_seconds + 3);
constexpr auto last_patience = patience + std::chrono::seconds(3);

}  // namespace

Examination::Examination(const Engine& engine, std::string target, Candidate candidate, Clock::time_point now)
    : engine_(engine), target_(std::move(target)), candidate_(std::move(candidate)) {
  // A time-out is waited for once, not twice.
  start(candidate_.seen_as == "timeout", now);
}

void Examination::start(bool symbols, Clock::time_point now) {
  const Command command = engine_.execute(candidate_.input, symbols);
  std::error_code error;
  std::filesystem::remove(command.log, error);
  symbols_ = symbols;
  started_ = now;
  process_.emplace(command);
}

std::optional<Examined> Examination::tick(Clock::time_point now, std::map<std::string, Crash>& names) {
  const std::optional<Ended> ended = process_->poll();
  if (!ended) {
    if (now - started_ > last_patience) {
      process_->kill_tree();
    } else if (now - started_ > patience && !hanging_) {
      // The sanitizer prints the stack of an abort: where it hangs.
      process_->send(SIGABRT);
      hanging_ = true;
    }
    return std::nullopt;
  }
  Examined result;
  result.output = read_file(engine_.folder() / "examine.log");
  if (ended->success()) return result;
  result.crash = read_crash(target_, result.output);
  if (hanging_) {
    if (!result.crash)
      result.crash = Crash{.kind = "timeout", .signature = "", .participants = {}, .raw = ""};
    const std::string& old = result.crash->signature;
    const std::string_view last = std::string_view(old).substr(old.rfind('/') + 1);
    result.crash->signature =
        fmt::format("{}/timeout/{}", target_, last.empty() ? "unknown" : last.substr(0, last.find(':')));
    result.crash->kind = "timeout";
    return result;
  }
  if (!result.crash) {
    result.crash =
        Crash{.kind = "memory",
              .signature = fmt::format("{}/memory/{}/unknown", target_, folder_name(ended->words())),
              .participants = {},
              .raw = ""};
    return result;
  }
  if (result.crash->raw.empty()) return result;
  if (!symbols_) {
    if (const auto known = names.find(result.crash->raw); known != names.end()) {
      result.crash = known->second;
      return result;
    }
    raw_ = result.crash->raw;
    start(true, now);
    return std::nullopt;
  }
  if (!raw_.empty()) names.emplace(raw_, *result.crash);
  return result;
}

}  // namespace lockstep::cli::campaign
