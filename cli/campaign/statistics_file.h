#pragma once

#include <filesystem>

#include "fuzzers/statistics.h"

namespace lockstep::cli::campaign {

// The counters of one task, all zero at first. Its fuzzing processes, one after the other, count in the same
// file, so that a restart loses nothing; read here while they do.
class StatisticsFile {
 public:
  explicit StatisticsFile(std::filesystem::path path);
  StatisticsFile(const StatisticsFile&) = delete;
  StatisticsFile& operator=(const StatisticsFile&) = delete;
  ~StatisticsFile();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  // What has been counted up to now; zeros if no process has opened it yet.
  [[nodiscard]] const fuzzers::Statistics& now() const noexcept { return *mapping_; }
  // False if a fuzz build of another version has written it: the numbers mean something else then.
  [[nodiscard]] bool understood() const noexcept;

 private:
  std::filesystem::path path_;
  int file_ = -1;
  const fuzzers::Statistics* mapping_ = nullptr;
};

}  // namespace lockstep::cli::campaign
