#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/campaign/process.h"

namespace lockstep::cli::campaign {

struct Builds;

// An input that ended, or seems to have ended, a fuzzing process.
struct Candidate {
  std::filesystem::path input;
  std::string seen_as;  // "crash", "timeout", "oom": what the engine took it for; "seed": perhaps a crash
};

// One run of an engine; a task has several if findings end them.
struct Run {
  std::chrono::milliseconds time{};
  std::uint32_t seed = 1;  // never 0, which means "draw one" to both engines
};

// How an engine is started, where it leaves what it found, and how its build runs one input. Knows no time
// and keeps no process: that is the task's.
class Engine {
 public:
  Engine(std::filesystem::path program, std::filesystem::path folder);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  // Parts that the programs leave out (fuzzers/without.h), here and when an input is examined.
  void leave_out(std::vector<std::string> parts) { left_out_ = std::move(parts); }
  // Puts one byte of zero and `seeds` where the engine starts from, unless it continues an earlier session.
  virtual void prepare(const std::vector<std::filesystem::path>& seeds) = 0;
  // The next run; its log starts here.
  [[nodiscard]] virtual Command fuzz(const Run& run) = 0;
  // What the engine has left since the last call. `ended`: it runs no more.
  virtual std::vector<Candidate> collect(bool ended) = 0;
  // Whether it goes on by itself after a crash; if so, `collect` is called while it runs.
  [[nodiscard]] virtual bool survives_crashes() const noexcept = 0;
  // Whether a death of the process itself, without any input left, is a fault of the target.
  [[nodiscard]] virtual bool runs_target_inside() const noexcept = 0;
  [[nodiscard]] virtual std::size_t corpus_files() const = 0;
  // An input that ends the process whenever it is run must not stay among those that are run first. Returns
  // whether the next start gets further.
  virtual bool remove_from_corpus(const std::filesystem::path& input) = 0;
  // One input alone. With symbols it takes a second longer.
  [[nodiscard]] Command execute(const std::filesystem::path& input, bool symbols) const;

  // What the engine has written in this run.
  [[nodiscard]] std::string log_of_run() const;

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] const std::filesystem::path& program() const noexcept { return program_; }

 protected:
  [[nodiscard]] bool leaves_out(std::string_view part) const;
  // What all commands share: where they run, what of our environment they do not get.
  [[nodiscard]] Command base(std::string_view log) const;
  // Marks the start of a run in the log, which goes on over the runs of a session.
  void start_log();

  // The candidates lie here until they have been examined, also over a restart of the campaign.
  [[nodiscard]] std::filesystem::path examine_folder() const { return folder_ / "examine"; }
  Candidate take(const std::filesystem::path& input, std::string_view seen_as, bool keep_original);
  // Those that an earlier session left unexamined.
  std::vector<Candidate> left_over();

 private:
  std::filesystem::path program_;
  std::filesystem::path folder_;
  std::vector<std::string> left_out_;
  std::uint64_t taken_ = 0;
  std::uintmax_t log_start_ = 0;
};

inline constexpr std::size_t longest_input = 8192;
inline constexpr int time_out_seconds = 10;
inline constexpr int memory_limit_mb = 2560;

// `name`: libfuzzer or afl. Throws InputError if a part is missing. `pin`: the process may have a core of its
// own.
std::unique_ptr<Engine> make_engine(std::string_view name, std::string_view target, const Builds& builds,
                                    const std::filesystem::path& folder, bool pin);

// Regular files of a folder; none if it does not exist.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder);

std::size_t count_files(const std::filesystem::path& folder);

// Removes the files of `folder` that hold the same bytes as `input`; were there any?
bool remove_equal_files(const std::filesystem::path& folder, const std::filesystem::path& input);

}  // namespace lockstep::cli::campaign
