// Plays a fuzzing program of libFuzzer's kind: counts in LOCKSTEP_STATISTICS, passes over what LOCKSTEP_KNOWN
// lists, leaves an artifact when it dies, runs a single input that is given as a file. Environment:
//   FAKE_MODE   what happens after 200 executions: nothing, disagree, memory, flaky, vanish, or before the
//   first:
//               broken; idle compares nothing; stubborn does not end when asked
//   FAKE_FIXED  set: an input that is run alone shows nothing
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fuzzers/statistics.h"
#include "oracles/targets.h"

namespace {

constexpr std::string_view signature = "ghash/disagreement/x86_pclmul/digest";
constexpr std::string_view sanitizer_report =
    "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6020 at pc 0x55 bp 0x7f sp 0x7f\n"
    "READ of size 1 at 0x6020 thread T0\n";
constexpr std::string_view bare_stack = "    #0 0x55  (/b/fuzz_ghash+0x11d58a) (BuildId: 7e)\n";
constexpr std::string_view named_stack =
    "    #0 0x55 in lockstep::ghash::(anonymous namespace)::hash(unsigned char*) "
    "/s/impls/ghash/x86_pclmul.cpp:9:7\n";

std::string_view mode() {
  const char* const value = std::getenv("FAKE_MODE");
  return value == nullptr ? "" : value;
}

bool with_symbols() {
  const char* const options = std::getenv("ASAN_OPTIONS");
  return options != nullptr && std::strstr(options, "symbolize=1") != nullptr;
}

bool known() {
  const char* const path = std::getenv("LOCKSTEP_KNOWN");
  std::ifstream file(path == nullptr ? "" : path);
  for (std::string line; std::getline(file, line);) {
    if (line == signature) return true;
  }
  return false;
}

[[noreturn]] void die(std::string_view what) {
  if (what == "disagree") {
    std::fprintf(stderr, "case ghash\nLOCKSTEP-SIGNATURE %s\n", std::string(signature).c_str());
  } else if (what == "memory") {
    const std::string_view stack = with_symbols() ? named_stack : bare_stack;
    std::fprintf(stderr, "%s%s\n", std::string(sanitizer_report).c_str(), std::string(stack).c_str());
  }
  std::fflush(stderr);
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

void leave_artifact(std::string_view prefix, std::string_view contents) {
  std::ofstream(std::string(prefix) + "crash-" + std::to_string(getpid()), std::ios::binary) << contents;
}

[[noreturn]] void run_alone(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string contents{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const bool fixed = std::getenv("FAKE_FIXED") != nullptr;
  if (!fixed && (contents == "disagree" || contents == "memory")) die(contents);
  std::exit(0);
}

void count_all(lockstep::fuzzers::Statistics& statistics) {
  ++statistics.executions;
  if (mode() == "idle") return;
  statistics.comparisons += 3;
  ++statistics.compared;
  ++statistics.foreign;
  ++statistics.steered;
  ++statistics.hand_over;
  ++statistics.above_widest_stride;
  statistics.text_bytes += 5;
  for (auto& one : statistics.pairs) {
    for (auto& other : one) {
      for (auto& operation : other) ++operation;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view prefix;
  struct stat status = {};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("-artifact_prefix=")) prefix = argument.substr(17);
    if (!argument.starts_with("-") && stat(argv[i], &status) == 0 && S_ISREG(status.st_mode))
      run_alone(argv[i]);
  }
  if (mode() == "broken") {
    std::fprintf(stderr, "a library is missing\n");
    return 127;
  }
  if (mode() == "stubborn") std::signal(SIGTERM, SIG_IGN);
  const auto* const target = lockstep::oracles::find_target("ghash");
  auto* const statistics = lockstep::fuzzers::map_statistics(std::getenv("LOCKSTEP_STATISTICS"), *target);
  for (int i = 0;; ++i) {
    count_all(*statistics);
    if (i == 200) {
      if (mode() == "vanish") raise(SIGKILL);
      if (mode() == "disagree" && known()) ++statistics->known_findings;
      if ((mode() == "disagree" && !known()) || mode() == "memory" || mode() == "flaky") {
        leave_artifact(prefix, mode());
        die(mode());
      }
    }
    usleep(100);
  }
}
