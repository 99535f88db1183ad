#include "cli/campaign/engine_libfuzzer.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;

void LibFuzzer::prepare(const std::vector<fs::path>& seeds) {
  fs::create_directories(folder() / "artifacts");
  fs::create_directories(folder() / "corpus");
  if (files_of(folder() / "corpus").empty()) {
    std::ofstream(folder() / "corpus" / "zero", std::ios::binary).put('\0');
  }
  // Copies: a seed that crashes must be removable, and the repository's own is not ours to change.
  std::error_code error;
  for (const fs::path& seed : seeds) {
    fs::copy_file(seed, folder() / "corpus" / ("seed-" + seed.filename().string()),
                  fs::copy_options::skip_existing, error);
  }
}

Command LibFuzzer::fuzz(const Run& run) {
  start_log();
  Command command = base("log.txt");
  const auto seconds = (run.time.count() + 999) / 1000;
  command.arguments = {
      program().string(), fmt::format("-seed={}", run.seed),
      fmt::format("-max_total_time={}", seconds < 1 ? 1 : seconds), fmt::format("-max_len={}", longest_input),
      // The mutator makes whole cases: a length limit that creeps upwards would only cut them.
      "-len_control=0", fmt::format("-timeout={}", time_out_seconds),
      fmt::format("-rss_limit_mb={}", memory_limit_mb),
      "-artifact_prefix=" + (folder() / "artifacts").string() + "/", "-reload=0", "-detect_leaks=0",
      (folder() / "corpus").string()};
  // Without symbols and allocation stacks: an input that crashes is run again with both. The quarantine is
  // small because foreign libraries allocate in every case: filling a large one costs 2 % in page faults.
  command.environment.emplace_back(
      "ASAN_OPTIONS",
      "abort_on_error=1:symbolize=0:detect_leaks=0:malloc_context_size=0:quarantine_size_mb=8");
  command.environment.emplace_back("UBSAN_OPTIONS",
                                   "halt_on_error=1:print_stacktrace=1:report_error_type=1:symbolize=0");
  return command;
}

std::vector<Candidate> LibFuzzer::collect(bool ended) {
  std::vector<Candidate> list;
  if (!asked_for_left_over_) list = left_over();
  asked_for_left_over_ = true;
  if (!ended) return list;
  for (const fs::path& path : files_of(folder() / "artifacts")) {
    const std::string name = path.filename();
    const std::string kind = name.substr(0, name.rfind('-'));
    if (kind == "slow-unit") {
      // Below the time-out, so no finding.
      std::error_code error;
      fs::remove(path, error);
      continue;
    }
    list.push_back(take(path, kind == "timeout" || kind == "oom" ? kind : "crash", false));
  }
  return list;
}

bool LibFuzzer::remove_from_corpus(const fs::path& input) {
  return remove_equal_files(folder() / "corpus", input);
}

}  // namespace lockstep::cli::campaign
