#include "cli/campaign/campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "cli/input_error.h"
#include "fuzzers/without.h"
#include "oracles/targets.h"

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

constexpr auto step_time = 20ms;           // between two looks for what AFL++ has found
constexpr auto short_step_time = 5ms;      // where it matters when that was
constexpr auto time_for_the_last = 700ms;  // of a second that a stop may take
constexpr unsigned looks_between_saves = 5;

unsigned cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

std::uint64_t drawn_seed() {
  std::random_device device;
  // Fits into every reader of JSON.
  return (std::uint64_t{device()} << 20U ^ device()) & ((std::uint64_t{1} << 48U) - 1);
}

std::string names_of_targets() {
  std::string names;
  for (const differential::Target* target : oracles::targets()) {
    names += (names.empty() ? "" : ", ") + std::string(target->name());
  }
  return names;
}

// Before anything is written: is everything there that the campaign needs?
fs::path state_folder(const Builds& builds, const Options& options) {
  for (const std::string& engine : options.engines) {
    for (const std::string& target : options.targets) {
      builds.program(engine, target);
      if (engine == "afl") builds.afl_mutator(target);
    }
    if (engine == "afl" && find_program("afl-fuzz").empty()) {
      throw InputError("afl-fuzz", 0, "", "is not installed",
                       "`ci/setup` installs it; --engine libfuzzer does without.");
    }
  }
  return options.state.empty() ? builds.root / "campaign" : options.state;
}

}  // namespace

void complete(Options& options) {
  if (options.targets.empty()) {
    for (const differential::Target* target : oracles::targets())
      options.targets.emplace_back(target->name());
  }
  std::vector<std::string> once;
  for (const std::string& name : options.targets) {
    if (oracles::find_target(name) == nullptr) {
      throw InputError(name, 0, "TARGET", "there is no such target",
                       "There are: " + names_of_targets() + ".");
    }
    if (std::ranges::find(once, name) == once.end()) once.push_back(name);
  }
  options.targets = std::exchange(once, {});
  for (const std::string& name : options.engines) {
    if (name != "libfuzzer" && name != "afl") {
      throw InputError(name, 0, "--engine", "there is no such engine", "There are: libfuzzer, afl.");
    }
    if (std::ranges::find(once, name) == once.end()) once.push_back(name);
  }
  options.engines = std::exchange(once, {});
  for (const std::string& name : options.without) {
    if (std::ranges::find(fuzzers::parts, name) == std::end(fuzzers::parts)) {
      throw InputError(name, 0, "--without", "there is no such part",
                       fmt::format("There are: {}.", fmt::join(fuzzers::parts, ", ")));
    }
    if (std::ranges::find(once, name) == once.end()) once.push_back(name);
  }
  options.without = std::move(once);
}

Campaign::Campaign(const Options& options)
    : inherited_(ProcessTable::read().children(getpid())),
      builds_(Builds::find(options.builds, options.libfuzzer_build, options.afl_build)),
      state_(state_folder(builds_, options)),
      jobs_(options.jobs == 0 ? cores() : options.jobs),
      empty_corpus_(options.empty_corpus) {
  adopt_orphans();
  shared_.time = options.time;
  shared_.until_finding = options.until_finding;
  shared_.without = options.without;
  shared_.seed = options.seed.value_or(drawn_seed());
  shared_.session = state_.session();
  shared_.findings = &state_.findings();
  shared_.say = [this](const std::string& line) { display_.say(line); };
  shared_.note = [this](const std::string& line) { display_.note(line); };
  shared_.processes = [this] { return processes(); };
  make_tasks(options);
}

Campaign::~Campaign() {
  earlier_.reset();
  tasks_.clear();
  kill_strangers(inherited_);
}

void Campaign::make_tasks(const Options& options) {
  for (const std::string& target : options.targets) {
    for (const std::string& engine : options.engines) {
      const fs::path folder = state_.folder() / (target + "-" + engine);
      tasks_.push_back(std::make_unique<Task>(
          target, make_engine(engine, target, builds_, folder, jobs_ <= cores()), shared_));
      tasks_.back()->engine().leave_out(shared_.without);
      tasks_.back()->engine().prepare(empty_corpus_ ? std::vector<fs::path>()
                                                    : files_of(builds_.corpora / target));
    }
  }
  growth_.resize(tasks_.size());
}

void Campaign::examine_earlier() {
  state_.findings().forget_known();
  bool said = false;
  for (Finding& finding : state_.findings().all()) {
    if (finding.kind == "flaky" || finding.file.empty() || signals_.stop()) continue;
    const auto mine = [&](const auto& task) { return task->target() == finding.target; };
    if (std::ranges::none_of(tasks_, mine)) continue;
    if (!said) display_.say("running the inputs of earlier findings again");
    said = true;
    confirm(finding);
    if (!finding.current) gone_.push_back(finding.signature);
  }
}

void Campaign::confirm(Finding& finding) {
  const Task* with = nullptr;
  for (const auto& task : tasks_) {
    if (task->target() != finding.target) continue;
    if (with == nullptr || task->engine().name() == finding.engine) with = task.get();
  }
  const Candidate candidate = {finding.file, finding.kind == "timeout" ? "timeout" : "crash"};
  earlier_.emplace(with->engine(), finding.target, candidate, Clock::now());
  std::optional<Examined> result;
  while (!result && !signals_.stop()) {
    signals_.wait(step_time);
    result = earlier_->tick(Clock::now(), shared_.names);
  }
  earlier_.reset();
  if (!result || !result->crash || result->crash->signature != finding.signature) return;
  finding.current = true;
  if (result->crash->raw.empty()) state_.findings().make_known(finding.signature);
}

void Campaign::start_tasks(Clock::time_point now) {
  auto busy =
      std::ranges::count_if(tasks_, [](const auto& task) { return task->phase() == Task::Phase::busy; });
  for (const auto& task : tasks_) {
    if (task->phase() != Task::Phase::waiting) continue;
    if (busy >= static_cast<std::ptrdiff_t>(jobs_)) return;
    task->start(now);
    ++busy;
  }
}

bool Campaign::step() {
  signals_.wait(shared_.until_finding ? short_step_time : step_time);
  const Clock::time_point now = Clock::now();
  if (!signals_.stop()) start_tasks(now);
  for (const auto& task : tasks_) {
    if (signals_.stop()) task->stop();
    task->tick(now);
    if (signals_.stop_now() || (signals_.stop() && now - *signals_.stop() > time_for_the_last))
      task->abandon(now);
  }
  if (now - looked_ >= 1s) look(now);
  return std::ranges::any_of(tasks_, [&](const auto& task) {
    return task->phase() == Task::Phase::busy || (task->phase() == Task::Phase::waiting && !signals_.stop());
  });
}

void Campaign::look(Clock::time_point now) {
  looked_ = now;
  const ProcessTable table = ProcessTable::read();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Task& task = *tasks_[i];
    if (task.phase() != Task::Phase::busy) continue;
    task.sample(table, now);
    const std::size_t cells = task.cells().reached();
    if (cells != growth_[i].cells) growth_[i].last_new_cell = now;
    growth_[i].cells = cells;
    // A large corpus takes a while to count.
    if (looks_ % looks_between_saves == 0 || growth_[i].corpus == 0)
      growth_[i].corpus = task.engine().corpus_files();
  }
  const Summary current = summary(now);
  display_.show(current.tasks, footer());
  if (++looks_ % looks_between_saves == 0) state_.save(current);
}

std::string Campaign::footer() const {
  const auto done = std::ranges::count_if(tasks_, [](const auto& task) {
    return task->phase() == Task::Phase::finished || task->phase() == Task::Phase::failed;
  });
  const auto found = std::ranges::count_if(state_.findings().all(), &Finding::current);
  return fmt::format("{} of {} tasks done, {} at once; {} findings; {}; {}", done, tasks_.size(), jobs_,
                     found, typed(state_.folder()),
                     signals_.stop() ? "stopping" : "Ctrl-C stops and reports");
}

Summary Campaign::summary(Clock::time_point now) {
  Summary summary;
  summary.state = state_.folder();
  summary.program = typed(own_program());
  summary.session = shared_.session;
  summary.seed = shared_.seed;
  summary.jobs = jobs_;
  summary.time_seconds = std::chrono::duration<double>(shared_.time).count();
  summary.wall_seconds = seconds_of(now - started_);
  summary.without = shared_.without;
  summary.interrupted = signals_.stop().has_value();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    summary.tasks.push_back(summary_of(*tasks_[i], now));
    summary.tasks.back().corpus = growth_[i].corpus;
    summary.tasks.back().seconds_since_new_cell = seconds_of(now - growth_[i].last_new_cell);
  }
  for (const Finding& finding : state_.findings().all()) {
    if (finding.current) {
      summary.findings.push_back(finding);
    } else if (std::ranges::find(gone_, finding.signature) != gone_.end()) {
      summary.gone.push_back(finding);
    }
  }
  summary.earlier = state_.earlier();
  summary.add_up();
  return summary;
}

std::vector<pid_t> Campaign::processes() const {
  std::vector<pid_t> list = inherited_;
  for (const auto& task : tasks_) task->append_processes(list);
  if (earlier_) list.push_back(earlier_->process().pid());
  return list;
}

Summary Campaign::run() {
  started_ = Clock::now();
  looked_ = started_;
  for (Growth& growth : growth_) growth.last_new_cell = started_;
  examine_earlier();
  while (step()) {
  }
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < tasks_.size(); ++i) growth_[i].corpus = tasks_[i]->engine().corpus_files();
  Summary result = summary(now);
  display_.finish(result.tasks);
  state_.save(result);
  write_whole_file(state_.folder() / "report.json", to_json(result).dump(2) + "\n");
  return result;
}

}  // namespace lockstep::cli::campaign
