#include "cli/campaign/task.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "oracles/targets.h"

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

constexpr auto grace = 400ms;      // between asking an engine to end and killing it
constexpr auto too_short = 200ms;  // not worth a restart
constexpr auto rate_window = 3500ms;
constexpr std::uint64_t start_executions = 16;  // of an engine on top of its corpus
constexpr auto long_run = 5s;
constexpr unsigned most_deaths = 20;   // with an input that tells why
constexpr unsigned most_failures = 3;  // of an engine, for reasons of its own

// The same seed for the same run of the same campaign; 31 bits, as both engines read them, and not 0.
std::uint32_t seed_of_run(std::uint64_t seed, std::string_view label, int session, unsigned run) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  };
  for (const char c : label) mix(static_cast<unsigned char>(c));
  mix(static_cast<std::uint64_t>(session));
  mix(run);
  return static_cast<std::uint32_t>(hash >> 33U) | 1U;
}

}  // namespace

Task::Task(std::string target, std::unique_ptr<Engine> engine, Shared& shared)
    : target_(std::move(target)),
      engine_(std::move(engine)),
      shared_(shared),
      statistics_(engine_->folder() / "statistics") {}

void Task::start(Clock::time_point now) {
  phase_ = Phase::busy;
  shared_.note(fmt::format("{}: starts", label()));
  take_candidates(false, now);  // those of an earlier session
  if (pending_.empty()) start_run(now);
}

Clock::duration Task::fuzzed(Clock::time_point now) const noexcept {
  return process_ ? ran_ + (now - run_started_) : ran_;
}

Clock::duration Task::left(Clock::time_point now) const noexcept {
  return std::max(Clock::duration::zero(), Clock::duration(shared_.time) - fuzzed(now));
}

void Task::start_run(Clock::time_point now) {
  const Run run = {std::chrono::duration_cast<std::chrono::milliseconds>(left(now)),
                   seed_of_run(shared_.seed, label(), shared_.session, runs_)};
  Command command = engine_->fuzz(run);
  command.environment.emplace_back("LOCKSTEP_STATISTICS", statistics_.path().string());
  // Until the first finding every engine is on its own: what another one found is not known to it.
  if (!shared_.until_finding) {
    command.environment.emplace_back("LOCKSTEP_KNOWN", shared_.findings->known_list().string());
  }
  executions_before_ = statistics().executions;
  corpus_at_start_ = engine_->corpus_files();
  ran_before_ = ran_;
  stopping_since_.reset();
  killed_ = false;
  ++runs_;
  try {
    process_.emplace(command);
    run_started_ = Clock::now();
  } catch (const StartError& problem) {
    error_ = fmt::format("cannot start: {}", problem.what());
  }
}

void Task::tick(Clock::time_point now) {
  if (phase_ != Phase::busy) return;
  watch_engine(now);
  examine(now);
  if (!process_ && !examination_ && pending_.empty()) go_on(now);
}

void Task::go_on(Clock::time_point now) {
  if (error_.empty() && !stop_ && left(now) >= too_short && !(shared_.until_finding && first_)) {
    start_run(now);
    if (error_.empty()) return;
  }
  phase_ = error_.empty() ? Phase::finished : Phase::failed;
  if (error_.empty()) {
    shared_.note(fmt::format("{}: ends", label()));
  } else {
    shared_.say(fmt::format("{}: {}", label(), error_));
  }
}

void Task::watch_engine(Clock::time_point now) {
  if (!process_) return;
  const pid_t pid = process_->pid();
  if (const std::optional<Ended> ended = process_->poll()) {
    engine_ended(*ended, pid, now);
    return;
  }
  if (engine_->survives_crashes()) take_candidates(false, now);
  const bool found = shared_.until_finding && (first_ || examination_ || !pending_.empty());
  if (stop_ || found || left(now) == Clock::duration::zero()) stop_engine(now);
  if (stopping_since_ && now - *stopping_since_ > grace && !killed_) {
    sample(ProcessTable::read(), now);
    process_->kill_tree();
    killed_ = true;
  }
}

void Task::stop_engine(Clock::time_point now) {
  if (!process_ || stopping_since_) return;
  stopping_since_ = now;
  sample(ProcessTable::read(), now);
  process_->send(SIGTERM);
}

void Task::engine_ended(const Ended& ended, pid_t pid, Clock::time_point now) {
  process_.reset();
  ran_ += now - run_started_;
  // Children that nobody waited for: a fork server and its child, if afl-fuzz was killed.
  kill_strangers(shared_.processes());
  remove_shared_memory(pid);
  cpu_of_ended_ += std::max(cpu_of_running_, ended.cpu_seconds);
  cpu_of_running_ = 0;
  take_candidates(true, now);
  if (!statistics_.understood()) {
    error_ = fmt::format("{} counts in another way than this program reads: build both anew",
                         engine_->program().string());
  } else if (!stopping_since_ && left(now) >= too_short) {
    unexpected_end(ended, statistics().executions - executions_before_);
  }
}

void Task::unexpected_end(const Ended& ended, std::uint64_t executions) {
  const auto log_tail = [&](std::size_t lines) {
    return fmt::format("the end of {}:\n{}", (engine_->folder() / "log.txt").string(),
                       tail_of(engine_->log_of_run(), lines));
  };
  // Beyond the inputs that are run first at every start there is something new, however little. An engine
  // that fails for reasons of its own must last longer than that.
  const bool new_executions = executions > corpus_at_start_ + start_executions;
  const bool got_on = new_executions && (!pending_.empty() || ran_ - ran_before_ > long_run);
  deaths_in_a_row_ = got_on ? 0 : deaths_in_a_row_ + 1;
  if (pending_.empty() && executions == 0) {
    error_ = fmt::format("{} did not start: it ended with {} before its first execution; {}", engine_->name(),
                         ended.words(), log_tail(12));
  } else if (pending_.empty() && engine_->runs_target_inside() && !ended.success()) {
    // A death that left no input, such as a kill for lack of memory.
    const bool memory = WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGKILL;
    const Crash crash = {.kind = "flaky",
                         .signature = fmt::format("{}/flaky/{}", target_, folder_name(ended.words())),
                         .participants = {},
                         .raw = ""};
    file(crash, memory ? "oom" : "memory",
         {.candidate = {}, .seen = seen_now(Clock::now()), .of_last_run = true}, log_tail(200));
  } else if (pending_.empty()) {
    shared_.say(fmt::format("{}: ended by itself with {}, started again", label(), ended.words()));
  }
  if (error_.empty() && deaths_in_a_row_ > (pending_.empty() ? most_failures : most_deaths)) {
    error_ = fmt::format("{} died {} times in a row before it had run anything new, so it cannot go on; {}",
                         engine_->name(), deaths_in_a_row_, log_tail(12));
  }
}

Seen Task::seen_now(Clock::time_point now) {
  if (process_) sample(ProcessTable::read(), now);
  return {statistics().executions, statistics().comparisons, cpu_seconds(), seconds_of(fuzzed(now))};
}

void Task::take_candidates(bool ended, Clock::time_point now) {
  std::vector<Candidate> list = engine_->collect(ended);
  if (list.empty()) return;
  const Seen seen = seen_now(now);
  const bool of_last_run = ended && engine_->runs_target_inside() && list.size() == 1;
  for (Candidate& candidate : list) pending_.push_back({std::move(candidate), seen, of_last_run});
}

void Task::examine(Clock::time_point now) {
  if (examination_) {
    const std::optional<Examined> result = examination_->tick(now, shared_.names);
    if (!result) return;
    examination_.reset();
    conclude(*result, examined_);
    return;
  }
  if (pending_.empty()) return;
  Pending next = std::move(pending_.front());
  pending_.pop_front();
  if (next.of_last_run) {
    // The process that died has said why; if that is an old story there is nothing to learn.
    const std::string log = engine_->log_of_run();
    const std::optional<Crash> said = read_crash(target_, log);
    const auto known = said ? shared_.names.find(said->raw) : shared_.names.end();
    if (known != shared_.names.end() && shared_.findings->find(known->second.signature) != nullptr) {
      file(known->second, "", next, {});
      return;
    }
  }
  examined_ = std::move(next);
  try {
    examination_.emplace(*engine_, target_, examined_.candidate, now);
  } catch (const StartError& problem) {
    error_ = fmt::format("cannot run an input again: {}", problem.what());
  }
}

void Task::conclude(const Examined& result, const Pending& pending) {
  if (result.crash) {
    file(*result.crash, "", pending, report_part(result.output));
    return;
  }
  if (pending.candidate.seen_as == "seed") {
    std::error_code error;
    fs::remove(pending.candidate.input, error);
    return;
  }
  // It ran through this time. What the process had said when it died is all that there is.
  const std::string log = pending.of_last_run ? engine_->log_of_run() : std::string();
  const std::optional<Crash> said = read_crash(target_, log);
  std::string underlying = pending.candidate.seen_as == "crash" ? "memory" : pending.candidate.seen_as;
  Crash flaky = {.kind = "flaky",
                 .signature = fmt::format("{}/flaky/{}", target_, pending.candidate.seen_as),
                 .participants = {},
                 .raw = ""};
  if (said) {
    underlying = said->kind;
    flaky.signature = fmt::format("{}/flaky/{}", target_, said->signature.substr(target_.size() + 1));
    flaky.participants = said->participants;
  }
  file(flaky, underlying, pending,
       fmt::format(
           "The input ran through when it was run again.\nThe log of the process that died on it:\n{}\n",
           tail_of(log, 200)));
}

std::vector<std::string> Task::participants_of(const Crash& crash) const {
  const differential::Target* const target = oracles::find_target(target_);
  if (crash.raw.empty() || target == nullptr) return crash.participants;
  // Of the files in a stack those that are a participant's; a helper's name would tell nobody anything.
  std::vector<std::string> names;
  for (const std::string& name : crash.participants) {
    const auto has_name = [&](const differential::ParticipantInfo& info) { return info.name == name; };
    if (std::ranges::any_of(target->participants(), has_name)) names.push_back(name);
  }
  return names;
}

void Task::file(const Crash& crash, std::string_view underlying, const Pending& pending,
                std::string_view output) {
  const fs::path& input = pending.candidate.input;
  Finding* finding = shared_.findings->find(crash.signature);
  const bool is_new = finding == nullptr;
  if (is_new) {
    Finding fresh = {.signature = crash.signature,
                     .target = target_,
                     .engine = std::string(engine_->name()),
                     .kind = crash.kind,
                     .underlying = std::string(underlying),
                     .participants = participants_of(crash),
                     .file = {},
                     .program = crash.raw.empty() && crash.kind != "flaky" ? fs::path() : engine_->program(),
                     .count = 0,
                     .first_seen = pending.seen,
                     .session = shared_.session,
                     .current = true};
    const std::string report = fmt::format(
        "{}\nfound by {} after {} executions, {} comparisons, {:.2f} CPU seconds\n\n{}", crash.signature,
        engine_->name(), pending.seen.executions, pending.seen.comparisons, pending.seen.cpu_seconds, output);
    finding = &shared_.findings->file(std::move(fresh), input, report);
  }
  ++finding->count;
  // A signature of the fuzz loop's own; a sanitizer ends the process before anybody could look into a list.
  if ((is_new || !finding->current) && crash.raw.empty() && crash.kind != "flaky") {
    shared_.findings->make_known(crash.signature);
  }
  finding->current = true;
  if (is_new) shared_.say(fmt::format("{}: new finding {}", label(), crash.signature));
  signatures_.insert(crash.signature);
  if (!first_) first_ = FirstFinding{crash.signature, pending.seen};
  if (input.empty()) return;
  if (!process_ && !crash.raw.empty() && engine_->remove_from_corpus(input)) deaths_in_a_row_ = 0;
  std::error_code error;
  fs::remove(input, error);
  // AFL++ keeps one crash per trace: started anew it also keeps those that look like this one.
  if (is_new) stop_engine(Clock::now());
}

void Task::abandon(Clock::time_point now) {
  if (phase_ != Phase::busy) return;
  stop_ = true;
  if (process_) {
    const pid_t pid = process_->pid();
    sample(ProcessTable::read(), now);
    process_->kill_tree();
    process_.reset();
    kill_strangers(shared_.processes());
    remove_shared_memory(pid);
    ran_ += now - run_started_;
    cpu_of_ended_ += cpu_of_running_;
    cpu_of_running_ = 0;
    take_candidates(true, now);
  }
  std::size_t unexamined = pending_.size();
  if (examination_) ++unexamined;
  examination_.reset();
  const Crash crash = {
      .kind = "flaky", .signature = target_ + "/flaky/unexamined", .participants = {}, .raw = ""};
  for (std::size_t i = 0; i < unexamined; ++i) {
    file(crash, "memory", {.candidate = {}, .seen = seen_now(now), .of_last_run = false},
         fmt::format("Inputs that ended the process when the campaign was stopped lie in {};\n"
                     "the next session examines them.\n",
                     (engine_->folder() / "examine").string()));
  }
  pending_.clear();
  phase_ = error_.empty() ? Phase::finished : Phase::failed;
}

void Task::sample(const ProcessTable& processes, Clock::time_point now) {
  if (process_) cpu_of_running_ = std::max(cpu_of_running_, processes.cpu_seconds(process_->pid()));
  rate_.emplace_back(now, statistics().executions);
  while (rate_.size() > 2 && now - rate_.front().first > rate_window) rate_.pop_front();
}

double Task::executions_per_second(Clock::time_point now) const {
  if (phase_ == Phase::busy && rate_.size() >= 2 && rate_.back().first > rate_.front().first) {
    return static_cast<double>(rate_.back().second - rate_.front().second) /
           seconds_of(rate_.back().first - rate_.front().first);
  }
  const double seconds = seconds_of(fuzzed(now));
  return seconds > 0 ? static_cast<double>(statistics().executions) / seconds : 0;
}

Coverage Task::coverage() const {
  const differential::Target* const target = oracles::find_target(target_);
  return Coverage::of(statistics(), target != nullptr && target->has_lanes());
}

void Task::append_processes(std::vector<pid_t>& list) const {
  if (process_) list.push_back(process_->pid());
  if (examination_) list.push_back(examination_->process().pid());
}

}  // namespace lockstep::cli::campaign
