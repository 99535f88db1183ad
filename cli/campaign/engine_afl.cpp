#include "cli/campaign/engine_afl.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>
#include <utility>

#include "cli/campaign/crash_log.h"

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;

Afl::Afl(fs::path program, fs::path folder, fs::path mutator, bool pin)
    : Engine(std::move(program), std::move(folder)), mutator_(std::move(mutator)), pin_(pin) {}

void Afl::prepare(const std::vector<fs::path>& seeds) {
  fs::create_directories(folder() / "seeds");
  std::error_code error;
  for (const fs::path& seed : seeds) {
    fs::copy_file(seed, folder() / "seeds" / seed.filename(), fs::copy_options::skip_existing, error);
  }
  // Zeros again if all that was there crashed: more of them each time, as the same would crash again.
  if (files_of(folder() / "seeds").empty()) {
    ++seeds_made_;
    std::ofstream(folder() / "seeds" / "zero", std::ios::binary)
        << std::string(seeds_made_ * seeds_made_, '\0');
  }
}

Command Afl::fuzz(const Run& run) {
  dry_run_over_ = false;
  start_log();
  // One that was killed while it chose a core would make all that follow wait for ever.
  std::error_code error;
  fs::remove(folder() / "out" / ".affinity_lock", error);
  Command command = base("log.txt");
  command.death_signal = SIGTERM;
  const auto seconds = (run.time.count() + 999) / 1000;
  command.arguments = {"afl-fuzz", "-i", (folder() / "seeds").string(), "-o", (folder() / "out").string(),
                       "-s", std::to_string(run.seed),
                       // Its clock starts late, ours ends it.
                       "-V", std::to_string(seconds + 60), "-t", std::to_string(1000 * time_out_seconds),
                       "-m", "none", "-G", std::to_string(longest_input), "--", program().string()};
  command.environment.insert(command.environment.end(),
                             {// Trimming cuts bytes out of the middle of a structured case.
                              {"AFL_DISABLE_TRIM", "1"},
                              {"AFL_AUTORESUME", "1"},
                              {"AFL_NO_UI", "1"},
                              {"AFL_NO_CRASH_README", "1"},
                              {"AFL_SKIP_CPUFREQ", "1"},
                              {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"},
                              {"AFL_HANG_TMOUT", std::to_string(1000 * time_out_seconds)},
                              // A busy machine is slow to start a sanitized program.
                              {"AFL_FORKSRV_INIT_TMOUT", "60000"},
                              // With its target on its own core a hand-over needs no other core to wake up.
                              {pin_ ? "AFL_TRY_AFFINITY" : "AFL_NO_AFFINITY", "1"}});
  if (!leaves_out("mutator")) {
    command.environment.emplace_back("AFL_CUSTOM_MUTATOR_LIBRARY", mutator_.string());
    command.environment.emplace_back("AFL_CUSTOM_MUTATOR_ONLY", "1");
  }
  // Both must be in it, or afl-fuzz does not start. Crashes are told by their signal, so nothing is handled.
  command.environment.emplace_back(
      "ASAN_OPTIONS",
      "abort_on_error=1:symbolize=0:detect_leaks=0:malloc_context_size=0:quarantine_size_mb=8:"
      "allocator_may_return_null=1:detect_odr_violation=0");
  command.environment.emplace_back("UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1:symbolize=0");
  return command;
}

void Afl::collect_seeds_that_crash(const std::string& log, std::vector<Candidate>& list) {
  if (log.find("at least one valid input seed") != std::string::npos) {
    // The driver runs the first four bytes of its own mark before the first seed; if those crash, every seed
    // seems to.
    const fs::path first = folder() / "tmp" / "first";
    std::ofstream(first, std::ios::binary) << "##SI";
    list.push_back(take(first, "seed", false));
  }
  constexpr std::string_view mark = "Test case '";
  for (std::size_t at = log.find(mark); at != std::string::npos; at = log.find(mark, at + 1)) {
    const std::string_view rest = std::string_view(log).substr(at + mark.size());
    const std::size_t end = rest.find('\'');
    if (end == std::string_view::npos) break;
    const std::string_view what = rest.substr(end);
    const bool crash = what.starts_with("' results in a crash");
    if (!crash && !what.starts_with("' results in a timeout")) continue;
    const std::string name(rest.substr(0, end));
    // id:000000,time:0,execs:0,orig:NAME
    const std::size_t original = name.find("orig:");
    fs::path path = queue() / name;
    if (!fs::exists(path) && original != std::string::npos)
      path = folder() / "seeds" / name.substr(original + 5);
    if (fs::exists(path)) list.push_back(take(path, crash ? "seed" : "timeout", true));
  }
}

std::vector<Candidate> Afl::collect(bool ended) {
  std::vector<Candidate> list;
  if (!asked_for_left_over_) list = left_over();
  asked_for_left_over_ = true;
  if (!dry_run_over_) {
    const std::string log = log_of_run();
    dry_run_over_ = ended || log.find("Entering queue cycle") != std::string::npos;
    // afl-fuzz passes over seeds that crash, and files none of them.
    if (dry_run_over_) collect_seeds_that_crash(log, list);
  }
  std::error_code error;
  for (const fs::path& path : files_of(output() / "crashes")) {
    // A file that is still empty is being written.
    if (fs::file_size(path, error) == 0 && !ended) continue;
    if (path.filename().string().starts_with("id:")) list.push_back(take(path, "crash", false));
  }
  for (const fs::path& path : files_of(output() / "hangs")) {
    if (fs::file_size(path, error) == 0 && !ended) continue;
    list.push_back(take(path, "timeout", false));
  }
  return list;
}

bool Afl::remove_from_corpus(const fs::path& input) {
  remove_equal_files(folder() / "seeds", input);
  remove_equal_files(queue(), input);
  // Nothing to resume.
  std::error_code error;
  if (files_of(queue()).empty()) fs::remove_all(folder() / "out", error);
  prepare({});
  return false;  // it passes over such seeds anyway, and what replaces the last one may crash as well
}

}  // namespace lockstep::cli::campaign
