#include "cli/campaign/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cli/campaign/builds.h"
#include "cli/campaign/engine_afl.h"
#include "cli/campaign/engine_libfuzzer.h"
#include "cli/campaign/findings.h"

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;

Engine::Engine(fs::path program, fs::path folder) : program_(std::move(program)), folder_(std::move(folder)) {
  fs::create_directories(examine_folder());
  fs::create_directories(folder_ / "tmp");
}

Command Engine::base(std::string_view log) const {
  Command command;
  command.folder = folder_ / "tmp";
  command.log = folder_ / log;
  command.without = {"LOCKSTEP_*", "AFL_*", "ASAN_*", "UBSAN_*", "LSAN_*", "MSAN_*"};
  command.environment = {{"TMPDIR", (folder_ / "tmp").string()}};
  if (!left_out_.empty()) {
    command.environment.emplace_back("LOCKSTEP_WITHOUT", fmt::format("{}", fmt::join(left_out_, ",")));
  }
  return command;
}

bool Engine::leaves_out(std::string_view part) const {
  return std::ranges::find(left_out_, part) != left_out_.end();
}

void Engine::start_log() {
  constexpr std::uintmax_t longest_log = 32U << 20U;
  const fs::path path = folder_ / "log.txt";
  std::error_code error;
  if (fs::exists(path) && fs::file_size(path, error) > longest_log)
    fs::rename(path, folder_ / "log.old.txt", error);
  log_start_ = fs::exists(path) ? fs::file_size(path, error) : 0;
}

std::string Engine::log_of_run() const {
  std::ifstream file(folder_ / "log.txt", std::ios::binary);
  file.seekg(static_cast<std::streamoff>(log_start_));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Command Engine::execute(const fs::path& input, bool symbols) const {
  static const fs::path symbolizer = [] {
    for (const char* name : {"llvm-symbolizer", "llvm-symbolizer-14"}) {
      if (fs::path path = find_program(name); !path.empty()) return path;
    }
    return fs::path();
  }();
  Command command = base("examine.log");
  command.arguments = {program_.string()};
  if (name() == "libfuzzer") {
    command.arguments.push_back(fmt::format("-timeout={}", time_out_seconds));
    command.arguments.push_back(fmt::format("-rss_limit_mb={}", memory_limit_mb));
    command.arguments.push_back("-artifact_prefix=" + (folder_ / "tmp").string() + "/");
  }
  command.arguments.push_back(input.string());
  const int with_symbols = symbols && !symbolizer.empty() ? 1 : 0;
  // handle_abort: AFL++'s driver, unlike libFuzzer, says nothing of its own about an abort.
  command.environment.emplace_back(
      "ASAN_OPTIONS",
      fmt::format("abort_on_error=1:detect_leaks=0:handle_abort=1:symbolize={}", with_symbols));
  command.environment.emplace_back(
      "UBSAN_OPTIONS",
      fmt::format("halt_on_error=1:print_stacktrace=1:report_error_type=1:symbolize={}", with_symbols));
  if (with_symbols == 1) command.environment.emplace_back("ASAN_SYMBOLIZER_PATH", symbolizer.string());
  return command;
}

Candidate Engine::take(const fs::path& input, std::string_view seen_as, bool keep_original) {
  fs::path path;
  do path = examine_folder() / fmt::format("{}-{}-{}", seen_as, getpid(), taken_++);
  while (fs::exists(path));
  std::error_code error;
  if (keep_original) {
    fs::copy_file(input, path, error);
  } else {
    fs::rename(input, path, error);
  }
  return {path, std::string(seen_as)};
}

std::vector<Candidate> Engine::left_over() {
  std::vector<Candidate> list;
  for (const fs::path& path : files_of(examine_folder())) {
    const std::string name = path.filename();
    list.push_back({path, name.substr(0, name.find('-'))});
  }
  return list;
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> list;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) list.push_back(entry.path());
  }
  std::ranges::sort(list);
  return list;
}

std::size_t count_files(const fs::path& folder) {
  std::size_t count = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) ++count;
  }
  return count;
}

bool remove_equal_files(const fs::path& folder, const fs::path& input) {
  std::error_code error;
  const auto bytes = fs::file_size(input, error);
  const std::string contents = read_file(input);
  bool removed = false;
  for (const fs::path& path : files_of(folder)) {
    if (fs::file_size(path, error) != bytes || read_file(path) != contents) continue;
    removed |= fs::remove(path, error);
  }
  return removed;
}

std::unique_ptr<Engine> make_engine(std::string_view name, std::string_view target, const Builds& builds,
                                    const fs::path& folder, bool pin) {
  fs::path program = builds.program(name, target);
  if (name == "libfuzzer") return std::make_unique<LibFuzzer>(std::move(program), folder);
  return std::make_unique<Afl>(std::move(program), folder, builds.afl_mutator(target), pin);
}

}  // namespace lockstep::cli::campaign
