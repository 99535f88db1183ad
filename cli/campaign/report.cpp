#include "cli/campaign/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/campaign/builds.h"
#include "cli/campaign/table.h"
#include "cli/exit_code.h"

namespace lockstep::cli::campaign {
namespace {

std::string seconds_words(double seconds) {
  return fmt::format("{:.1f}", seconds);
}

std::string speed(const Summary& summary, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"target", "engine", "seconds", "CPU-s", "executions",
                                                 "exec/s", "comparisons", "cmp/CPU-s", "compared", "corpus",
                                                 "cells", "found"}};
  for (const TaskSummary& task : summary.tasks) {
    rows.push_back(
        {task.target, task.engine, seconds_words(task.wall_seconds), seconds_words(task.cpu_seconds),
         short_number(static_cast<double>(task.executions)), short_number(task.executions_per_second),
         short_number(static_cast<double>(task.comparisons)), short_number(task.comparisons_per_cpu_second()),
         percent(share(task.compared, task.executions)), std::to_string(task.corpus),
         percent(task.cells.share()), std::to_string(task.findings)});
  }
  return table(rows, 0, style);
}

std::string distribution(const Summary& summary, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"target", "engine", "mean text", "> widest stride",
                                                 "steered", "handed over", "any foreign",
                                                 "foreign libraries"}};
  for (const TaskSummary& task : summary.tasks) {
    if (task.executions == 0) continue;
    std::string foreign;
    for (const auto& [name, value] : task.foreign_shares) {
      if (!foreign.empty()) foreign += ", ";
      foreign += fmt::format("{} {}", name, percent(value));
    }
    rows.push_back({task.target, task.engine, fmt::format("{:.0f} bytes", task.mean_text_bytes()),
                    percent(share(task.above_widest_stride, task.executions)),
                    percent(share(task.steered, task.executions)),
                    percent(share(task.hand_over, task.executions)),
                    percent(share(task.foreign, task.executions)), foreign});
  }
  return table(rows, 0, style);
}

std::string lanes_of_target(const Coverage& coverage, const Style& style) {
  // A line per implementation: bulk and tail, each operation.
  std::vector<std::string> order;
  std::map<std::string, std::string> lines;
  std::string never;
  for (const Lanes& row : coverage.lanes) {
    if (!lines.contains(row.implementation)) order.push_back(row.implementation);
    std::string& line = lines[row.implementation];
    if (!line.empty()) line += ", ";
    line +=
        fmt::format("{} {} {}/{}", row.operation, row.bulk ? "bulk" : "tail", row.seen(), row.counts.size());
    for (std::size_t lane = 0; lane < row.counts.size(); ++lane) {
      if (row.counts[lane] > 0) continue;
      never += style.yellow(fmt::format("  never seen: {}, {}, {} lane {} of {}\n", row.implementation,
                                        row.operation, row.bulk ? "bulk" : "tail", lane, row.counts.size()));
    }
  }
  std::vector<std::vector<std::string>> rows = {{"implementation", "lanes in which the counter wrapped"}};
  for (const std::string& name : order) rows.push_back({name, lines[name]});
  return table(rows, 2, style) + never;
}

std::string cells_words(const Cells& cells, const Style& style) {
  constexpr std::size_t few = 20;
  std::string text = fmt::format("{}: {} of {} cells were reached, {}\n", style.bold(cells.target),
                                 cells.reached(), cells.reachable(), percent(cells.share()));
  if (cells.missing() <= few) {
    for (const std::string& cell : cells.missing_words(few))
      text += style.yellow(fmt::format("  never reached: {}\n", cell));
    return text;
  }
  for (const auto& [attributes, count] : cells.missing_by_attributes())
    text += style.yellow(fmt::format("  never reached: {} of {}\n", count, attributes));
  return text;
}

std::string reached(const Summary& summary, const Style& style) {
  std::string text;
  for (const auto& [target, coverage] : summary.coverage) {
    const auto compared =
        std::ranges::count_if(coverage.pairs, [](const Pair& pair) { return pair.count > 0; });
    text += fmt::format("{}: {} of {} pairs of implementation, oracle and operation were compared\n",
                        style.bold(target), compared, coverage.pairs.size());
    for (const Pair& pair : coverage.pairs) {
      if (pair.count > 0) continue;
      text += style.yellow(fmt::format("  never compared: {} with {}, {}\n", pair.implementation, pair.oracle,
                                       pair.operation));
    }
    if (!coverage.lanes.empty()) text += lanes_of_target(coverage, style);
  }
  for (const Cells& cells : summary.cells) text += cells_words(cells, style);
  return text;
}

std::string finding_words(const Summary& summary, const Finding& finding, const Style& style) {
  std::string text = style.red(finding.signature) + "\n";
  text +=
      fmt::format("  {}; {} after {} executions, {} comparisons, {:.2f} CPU seconds{}; {} input{}\n",
                  finding.kind, finding.engine, finding.first_seen.executions, finding.first_seen.comparisons,
                  finding.first_seen.cpu_seconds,
                  finding.session == summary.session ? "" : fmt::format(" in session {}", finding.session),
                  finding.count, finding.count == 1 ? "" : "s");
  for (const std::string& line : {sanitized_repro_line(finding), repro_line(summary, finding)}) {
    if (!line.empty()) text += "  " + style.bold(line) + "\n";
  }
  return text;
}

std::string findings_words(const Summary& summary, const Style& style) {
  std::string text;
  if (!summary.findings.empty()) text += style.bold("findings") + "\n";
  for (const Finding& finding : summary.findings) text += finding_words(summary, finding, style);
  for (const Finding& finding : summary.gone) {
    text += fmt::format("no longer shows: {} (session {})\n", finding.signature, finding.session);
  }
  return text;
}

std::string earlier_words(const Summary& summary) {
  if (summary.earlier.empty()) return {};
  std::uint64_t executions = 0;
  std::uint64_t comparisons = 0;
  double cpu_seconds = 0;
  for (const nlohmann::json& session : summary.earlier) {
    for (const nlohmann::json& task : session.at("targets")) {
      executions += task.at("executions").get<std::uint64_t>();
      comparisons += task.at("comparisons").get<std::uint64_t>();
      cpu_seconds += task.at("cpu_seconds").get<double>();
    }
  }
  return fmt::format("before this session ({}): {} executions, {} comparisons, {:.0f} CPU seconds\n",
                     summary.earlier.size(), short_number(static_cast<double>(executions)),
                     short_number(static_cast<double>(comparisons)), cpu_seconds);
}

std::string last_word(const Summary& summary, const Style& style) {
  const int code = summary.exit_code();
  const auto failed =
      std::ranges::count_if(summary.tasks, [](const TaskSummary& task) { return !task.error.empty(); });
  switch (code) {
    case exit_disagreement:
      return style.red("participants disagree (exit code 1)");
    case exit_memory_fault:
      return style.red("memory or sanitizer fault (exit code 2)");
    case exit_time_out:
      return style.red("time-out or out of memory (exit code 3)");
    case exit_nothing_compared:
      return style.red("not everything was compared (exit code 4)");
    case exit_unusable:
      return style.red(
          fmt::format("{} of {} tasks could not run (exit code 5)", failed, summary.tasks.size()));
    default:
      return style.green("clean: all agree");
  }
}

}  // namespace

std::string report_in_words(const Summary& summary, const Style& style) {
  std::string text = fmt::format(
      "\n{} session {} in {}, seed {}, {} at once, {:g} s each, {}{}{}\n\n", style.bold("campaign"),
      summary.session, typed(summary.state), summary.seed, summary.jobs, summary.time_seconds,
      format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(summary.wall_seconds * 1000))),
      summary.without.empty() ? "" : fmt::format(", without {}", fmt::join(summary.without, ", ")),
      summary.interrupted ? ", interrupted" : "");
  text += speed(summary, style) + "\n" + distribution(summary, style) + "\n" + reached(summary, style);
  text += earlier_words(summary);
  const std::string found = findings_words(summary, style);
  if (!found.empty()) text += "\n" + found;
  for (const TaskSummary& task : summary.tasks) {
    if (!task.error.empty())
      text += fmt::format("\n{} {} {}: {}\n", style.red("failed:"), task.target, task.engine, task.error);
  }
  for (const std::string& task : summary.nothing_compared()) {
    text += style.red(fmt::format("nothing was compared: {}\n", task));
  }
  if (!summary.complete() && !summary.long_enough()) {
    text += style.yellow(
        "warning: a pair or a wrap lane is missing; from 30 s of each task on that would fail the run\n");
  }
  return text + "\n" + last_word(summary, style) + "\n";
}

}  // namespace lockstep::cli::campaign
