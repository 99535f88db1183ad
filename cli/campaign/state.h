#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/campaign/findings.h"
#include "cli/campaign/summary.h"

namespace lockstep::cli::campaign {

// The folder of a campaign over its sessions: DIR/campaign.json holds their totals and the findings. Throws
// InputError if the folder is something else, is of another format, or is in use.
class State {
 public:
  explicit State(const std::filesystem::path& folder);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] Findings& findings() noexcept { return findings_; }
  [[nodiscard]] const Findings& findings() const noexcept { return findings_; }
  // The number of this session, from 1.
  [[nodiscard]] int session() const noexcept { return static_cast<int>(earlier_.size()) + 1; }
  [[nodiscard]] const nlohmann::json& earlier() const noexcept { return earlier_; }

  // Replaces the file as a whole. Called now and then, so that a killed campaign loses little.
  void save(const Summary& summary) const;

 private:
  void lock();

  std::filesystem::path folder_;
  int lock_ = -1;
  Findings findings_;
  nlohmann::json earlier_ = nlohmann::json::array();
};

void write_whole_file(const std::filesystem::path& path, const std::string& contents);

}  // namespace lockstep::cli::campaign
