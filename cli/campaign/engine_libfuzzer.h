#pragma once

#include "cli/campaign/engine.h"

namespace lockstep::cli::campaign {

// One process of libFuzzer, which ends with each crash. Never its fork mode: that does not end with Ctrl-C
// and keeps dozens of inputs for one fault.
class LibFuzzer final : public Engine {
 public:
  using Engine::Engine;
  [[nodiscard]] std::string_view name() const noexcept override { return "libfuzzer"; }
  void prepare(const std::vector<std::filesystem::path>& seeds) override;
  [[nodiscard]] Command fuzz(const Run& run) override;
  std::vector<Candidate> collect(bool ended) override;
  [[nodiscard]] bool survives_crashes() const noexcept override { return false; }
  [[nodiscard]] bool runs_target_inside() const noexcept override { return true; }
  [[nodiscard]] std::size_t corpus_files() const override { return count_files(folder() / "corpus"); }
  bool remove_from_corpus(const std::filesystem::path& input) override;

 private:
  bool asked_for_left_over_ = false;
};

}  // namespace lockstep::cli::campaign
