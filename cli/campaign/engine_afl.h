#pragma once

#include <string>

#include "cli/campaign/engine.h"

namespace lockstep::cli::campaign {

// afl-fuzz with a persistent-mode target, which goes on after a crash by itself.
class Afl final : public Engine {
 public:
  Afl(std::filesystem::path program, std::filesystem::path folder, std::filesystem::path mutator, bool pin);
  [[nodiscard]] std::string_view name() const noexcept override { return "afl"; }
  void prepare(const std::vector<std::filesystem::path>& seeds) override;
  [[nodiscard]] Command fuzz(const Run& run) override;
  std::vector<Candidate> collect(bool ended) override;
  [[nodiscard]] bool survives_crashes() const noexcept override { return true; }
  [[nodiscard]] bool runs_target_inside() const noexcept override { return false; }
  [[nodiscard]] std::size_t corpus_files() const override { return count_files(queue()); }
  bool remove_from_corpus(const std::filesystem::path& input) override;

 private:
  [[nodiscard]] std::filesystem::path output() const { return folder() / "out" / "default"; }
  [[nodiscard]] std::filesystem::path queue() const { return output() / "queue"; }
  void collect_seeds_that_crash(const std::string& log, std::vector<Candidate>& list);

  std::filesystem::path mutator_;
  bool pin_;
  bool asked_for_left_over_ = false;
  bool dry_run_over_ = false;
  std::size_t seeds_made_ = 0;
};

}  // namespace lockstep::cli::campaign
