#include "cli/campaign/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/campaign/builds.h"
#include "cli/exit_code.h"
#include "oracles/differential/target.h"

namespace lockstep::cli::campaign {
namespace {

// 30, less what is too short for a restart after a finding.
constexpr double seconds_that_count = 29.5;

std::string state_of(const Task& task) {
  switch (task.phase()) {
    case Task::Phase::waiting:
      return "waiting";
    case Task::Phase::busy:
      return task.examining() ? "examining" : "fuzzing";
    case Task::Phase::finished:
      return "finished";
    default:
      return "failed";
  }
}

nlohmann::json lanes_json(const std::string& target, const Lanes& row) {
  nlohmann::json never = nlohmann::json::array();
  for (std::size_t lane = 0; lane < row.counts.size(); ++lane) {
    if (row.counts[lane] == 0) never.push_back(lane);
  }
  return {{"target", target},
          {"implementation", row.implementation},
          {"operation", row.operation},
          {"where", row.bulk ? "bulk" : "tail"},
          {"stride", row.counts.size()},
          {"seen", row.seen()},
          {"counts", row.counts},
          {"never", never}};
}

constexpr std::size_t most_cells_in_words = 50;

nlohmann::json cells_json(const Cells& cells) {
  return {{"reachable", cells.reachable()},
          {"reached", cells.reached()},
          {"missing", cells.missing_words(most_cells_in_words)}};
}

nlohmann::json task_json(const TaskSummary& task) {
  nlohmann::json foreign = nlohmann::json::object();
  for (const auto& [name, value] : task.foreign_shares) foreign[name] = value;
  nlohmann::json json = {{"target", task.target},
                         {"engine", task.engine},
                         {"executions", task.executions},
                         {"comparisons", task.comparisons},
                         {"cpu_seconds", task.cpu_seconds},
                         {"comparisons_per_cpu_second", task.comparisons_per_cpu_second()},
                         {"compared_share", share(task.compared, task.executions)},
                         {"foreign_share", foreign},
                         {"any_foreign_share", share(task.foreign, task.executions)},
                         {"mean_text_bytes", task.mean_text_bytes()},
                         {"above_widest_stride_share", share(task.above_widest_stride, task.executions)},
                         {"steered_share", share(task.steered, task.executions)},
                         {"hand_over_share", share(task.hand_over, task.executions)},
                         {"cells", cells_json(task.cells)},
                         {"cells_share", task.cells.share()},
                         {"executions_at_new_cell", task.executions_at_new_cell},
                         {"seconds_since_new_cell", task.seconds_since_new_cell},
                         {"corpus", task.corpus},
                         {"findings", task.findings},
                         {"known_findings", task.known_findings},
                         {"wall_seconds", task.wall_seconds},
                         {"executions_per_second", task.executions_per_second},
                         {"restarts", task.restarts},
                         {"state", task.state}};
  if (!task.error.empty()) json["error"] = task.error;
  if (task.first_finding) {
    json["first_finding"] = {{"signature", task.first_finding->signature},
                             {"executions", task.first_finding->seen.executions},
                             {"comparisons", task.first_finding->seen.comparisons},
                             {"cpu_seconds", task.first_finding->seen.cpu_seconds},
                             {"wall_seconds", task.first_finding->seen.wall_seconds}};
  }
  return json;
}

nlohmann::json finding_json(const Summary& summary, const Finding& finding) {
  nlohmann::json json = {{"signature", finding.signature},
                         {"target", finding.target},
                         {"engine", finding.engine},
                         {"kind", finding.kind},
                         {"participants", finding.participants},
                         {"file", finding.file.string()},
                         {"count", finding.count},
                         {"first_seen_executions", finding.first_seen.executions},
                         {"first_seen_comparisons", finding.first_seen.comparisons},
                         {"first_seen_cpu_seconds", finding.first_seen.cpu_seconds},
                         {"session", finding.session}};
  if (!finding.underlying.empty()) json["underlying"] = finding.underlying;
  if (const std::string line = repro_line(summary, finding); !line.empty()) json["repro"] = line;
  if (const std::string line = sanitized_repro_line(finding); !line.empty()) json["sanitized_repro"] = line;
  return json;
}

}  // namespace

TaskSummary summary_of(const Task& task, Clock::time_point now) {
  const fuzzers::Statistics& statistics = task.statistics();
  TaskSummary summary;
  summary.target = task.target();
  summary.engine = task.engine().name();
  summary.state = state_of(task);
  summary.error = task.error();
  summary.left_seconds = seconds_of(task.left(now));
  summary.wall_seconds = seconds_of(task.fuzzed(now));
  summary.cpu_seconds = task.cpu_seconds();
  summary.executions_per_second = task.executions_per_second(now);
  summary.executions = statistics.executions;
  summary.comparisons = statistics.comparisons;
  summary.compared = statistics.compared;
  summary.foreign = statistics.foreign;
  summary.text_bytes = statistics.text_bytes;
  summary.above_widest_stride = statistics.above_widest_stride;
  summary.steered = statistics.steered;
  summary.hand_over = statistics.hand_over;
  summary.known_findings = statistics.known_findings;
  summary.foreign_shares = foreign_shares(statistics);
  summary.findings = task.findings();
  summary.restarts = task.restarts();
  summary.first_finding = task.first_finding();
  summary.coverage = task.coverage();
  summary.cells = task.cells();
  summary.executions_at_new_cell = statistics.executions_at_new_cell;
  return summary;
}

void Summary::add_up() {
  coverage.clear();
  cells.clear();
  for (const TaskSummary& task : tasks) {
    if (!task.ran()) continue;
    auto place = std::ranges::find(coverage, task.target, &std::pair<std::string, Coverage>::first);
    if (place == coverage.end()) place = coverage.insert(place, {task.target, {}});
    place->second.add(task.coverage);
    auto same = std::ranges::find(cells, task.cells.target, &Cells::target);
    if (same == cells.end()) same = cells.insert(same, Cells{});
    same->add(task.cells);
  }
}

bool Summary::long_enough() const noexcept {
  return std::ranges::all_of(tasks,
                             [](const TaskSummary& task) { return task.wall_seconds >= seconds_that_count; });
}

bool Summary::complete() const noexcept {
  return std::ranges::all_of(coverage, [](const auto& each) { return each.second.complete(); });
}

std::vector<std::string> Summary::nothing_compared() const {
  std::vector<std::string> list;
  for (const TaskSummary& task : tasks) {
    // A task that was stopped at once had no chance; one that failed says so itself.
    const bool no_chance = interrupted && task.wall_seconds < seconds_that_count;
    if (task.ran() && task.comparisons == 0 && task.error.empty() && !no_chance) {
      list.push_back(task.target + " " + task.engine);
    }
  }
  return list;
}

int Summary::exit_code() const {
  int code = exit_clean;
  for (const Finding& finding : findings) {
    const int own = exit_code_of(finding);
    if (code == exit_clean || own < code) code = own;
  }
  if (code != exit_clean) return code;
  if (std::ranges::any_of(tasks, [](const TaskSummary& task) { return !task.error.empty(); }))
    return exit_unusable;
  if (!nothing_compared().empty()) return exit_nothing_compared;
  return long_enough() && !complete() ? exit_nothing_compared : exit_clean;
}

std::string repro_line(const Summary& summary, const Finding& finding) {
  if (finding.file.empty()) return {};
  std::string line = fmt::format("{} repro {}", summary.program, typed(finding.file));
  const std::string contents = read_file(finding.file);
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(contents.data()), contents.size());
  if (!differential::header_target(bytes)) line += " --target " + finding.target;
  return line;
}

std::string sanitized_repro_line(const Finding& finding) {
  if (finding.file.empty() || finding.program.empty()) return {};
  return fmt::format("{} {}", typed(finding.program), typed(finding.file));
}

nlohmann::json to_json(const Summary& summary) {
  nlohmann::json json = {{"targets", nlohmann::json::array()},
                         {"findings", nlohmann::json::array()},
                         {"gone", nlohmann::json::array()},
                         {"never_compared", nlohmann::json::array()},
                         {"lanes", nlohmann::json::array()},
                         {"state", summary.state.string()},
                         {"session", summary.session},
                         {"seed", summary.seed},
                         {"jobs", summary.jobs},
                         {"seconds_per_target_and_engine", summary.time_seconds},
                         {"wall_seconds", summary.wall_seconds},
                         {"without", summary.without},
                         {"interrupted", summary.interrupted},
                         {"earlier_sessions", summary.earlier},
                         {"exit_code", summary.exit_code()}};
  for (const TaskSummary& task : summary.tasks) json["targets"].push_back(task_json(task));
  for (const Finding& finding : summary.findings) json["findings"].push_back(finding_json(summary, finding));
  for (const Finding& finding : summary.gone) json["gone"].push_back(finding_json(summary, finding));
  for (const auto& [target, coverage] : summary.coverage) {
    for (const Pair& pair : coverage.pairs) {
      if (pair.count > 0) continue;
      json["never_compared"].push_back({{"target", target},
                                        {"implementation", pair.implementation},
                                        {"oracle", pair.oracle},
                                        {"operation", pair.operation}});
    }
    for (const Lanes& row : coverage.lanes) json["lanes"].push_back(lanes_json(target, row));
  }
  return json;
}

}  // namespace lockstep::cli::campaign
