#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::cli::campaign {

struct Options {
  std::vector<std::string> targets;
  std::vector<std::string> engines = {"libfuzzer", "afl"};
  std::chrono::milliseconds time = std::chrono::seconds(60);  // per target and engine
  unsigned jobs = 0;                                          // 0: one per core
  std::filesystem::path state;
  std::filesystem::path builds;
  std::filesystem::path libfuzzer_build;
  std::filesystem::path afl_build;
  std::optional<std::uint64_t> seed;
  bool until_finding = false;
  bool empty_corpus = false;
  std::vector<std::string> without;  // parts to leave out
  bool json = false;
};

}  // namespace lockstep::cli::campaign
