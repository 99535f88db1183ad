#include "cli/campaign/table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace lockstep::cli::campaign {
namespace {

constexpr unsigned seconds_between_lines = 5;

std::string time_left(const TaskSummary& task, std::string_view word = "") {
  if (task.state == "fuzzing") {
    return format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(task.left_seconds * 1000))) +
           std::string(word);
  }
  return task.state;
}

std::string foreign_words(const TaskSummary& task, bool short_form) {
  std::string words;
  for (const auto& [name, value] : task.foreign_shares) {
    if (!words.empty()) words += short_form ? " " : ", ";
    words += fmt::format("{} {}", name, short_form ? whole_percent(value) : percent(value));
  }
  return words.empty() ? "-" : words;
}

// What the terminal has room for; a line that wraps would spoil the redrawing.
winsize size_of_terminal() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size.ws_col = text_width;
  if (size.ws_row == 0) size.ws_row = 24;
  return size;
}

}  // namespace

std::string short_number(double value) {
  if (value < 999'999.5) {
    const auto whole = std::llround(value);
    if (whole < 1000) return fmt::format("{}", whole);
    return fmt::format("{},{:03}", whole / 1000, whole % 1000);
  }
  for (const char unit : {'M', 'G', 'T'}) {
    value /= 1000 * (unit == 'M' ? 1000.0 : 1.0);
    if (value < 99.995) return fmt::format("{:.2f}{}", value, unit);
    if (value < 999.95 || unit == 'T') return fmt::format("{:.1f}{}", value, unit);
  }
  return {};
}

std::string percent(double share) {
  // Not 100 before it is: a pair that is missing now and then would not be seen.
  if (share >= 1) return "100%";
  if (share > 0 && share < 0.001) return "<0.1%";
  return fmt::format("{:.1f}%", std::floor(share * 1000) / 10);
}

std::string whole_percent(double share) {
  if (share > 0 && share < 0.01) return "<1%";
  return fmt::format("{:.0f}%", std::floor(share * 100));
}

std::string short_duration(double seconds) {
  constexpr std::int64_t day = 86'400;
  const auto whole = static_cast<std::int64_t>(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m", whole / 60);
  return whole < day ? fmt::format("{}h", whole / 3600) : fmt::format("{}d", whole / day);
}

std::vector<std::string> table_lines(const std::vector<TaskSummary>& tasks, std::size_t width,
                                     const Style& style) {
  std::size_t target_width = 6;
  for (const TaskSummary& task : tasks) target_width = std::max(target_width, task.target.size());
  const auto cut = [&](std::string line) {
    if (line.size() > width) line.resize(width);
    while (line.ends_with(' ')) line.pop_back();
    return line;
  };
  std::vector<std::string> lines;
  lines.push_back(
      style.dim(cut(fmt::format("{:<{}}  {:<9}  {:>9}  {:>5}  {:>7}  {:>9}  {:>8}  {:>6}  {:>5}  {:>5}  {}",
                                "target", target_width, "engine", "left", "found", "exec/s", "cmp/CPU-s",
                                "compared", "corpus", "cells", "quiet", "foreign libraries"))));
  for (const TaskSummary& task : tasks) {
    std::string start =
        fmt::format("{:<{}}  {:<9}  {:>9}", task.target, target_width, task.engine, time_left(task));
    std::string middle;
    std::string found;
    std::string end;
    if (task.executions > 0) {
      middle = fmt::format(
          "  {:>7}  {:>9}  {:>8}  {:>6}  {:>5}  {:>5}", short_number(task.executions_per_second),
          short_number(task.comparisons_per_cpu_second()), percent(share(task.compared, task.executions)),
          task.corpus, percent(task.cells.share()), short_duration(task.seconds_since_new_cell));
      found = fmt::format("  {:>5}", task.findings);
      end = "  " + foreign_words(task, true);
    }
    if (start.size() + found.size() + middle.size() + end.size() > width) {
      lines.push_back(cut(start + found + middle + end));
      continue;
    }
    if (task.state == "failed") start = style.red(start);
    if (task.state == "waiting" || task.state == "finished") start = style.dim(start);
    if (task.findings > 0) found = style.red(found);
    lines.push_back(start + found + middle + end);
  }
  return lines;
}

std::string plain_line(const TaskSummary& task) {
  return fmt::format(
      "{} {}: {}, {} exec/s, {} comparisons/CPU-s, {} compared, {}, mean text {:.0f} bytes, corpus {}, "
      "cells {}, the last new one {} ago, findings {}",
      task.target, task.engine, time_left(task, " left"), short_number(task.executions_per_second),
      short_number(task.comparisons_per_cpu_second()), percent(share(task.compared, task.executions)),
      foreign_words(task, false), task.mean_text_bytes(), task.corpus, percent(task.cells.share()),
      short_duration(task.seconds_since_new_cell), task.findings);
}

Display::Display() : live_(is_terminal(stderr)), style_(stderr) {
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") live_ = false;
}

void Display::erase() {
  if (drawn_.empty()) return;
  fmt::print(stderr, "\x1b[{}F\x1b[J", drawn_.size());
}

void Display::say(const std::string& line) {
  erase();
  fmt::print(stderr, "{}\n", line);
  for (const std::string& each : drawn_) fmt::print(stderr, "{}\n", each);
  std::fflush(stderr);
}

void Display::show(const std::vector<TaskSummary>& tasks, const std::string& footer) {
  if (!live_) {
    if (++calls_ % seconds_between_lines != 0) return;
    for (const TaskSummary& task : tasks) {
      const bool at_work = task.state == "fuzzing" || task.state == "examining";
      if (at_work && task.executions > 0) fmt::print(stderr, "{}\n", plain_line(task));
    }
    std::fflush(stderr);
    return;
  }
  draw(tasks, footer);
}

void Display::draw(const std::vector<TaskSummary>& tasks, const std::string& footer) {
  const winsize size = size_of_terminal();
  // With more tasks than lines those at work are shown, then those to come, then those that are done.
  std::vector<TaskSummary> shown = tasks;
  const std::size_t room = size.ws_row > 4 ? size.ws_row - 4U : 1U;
  if (shown.size() > room) {
    const auto rank = [](const TaskSummary& task) {
      return task.state == "fuzzing" || task.state == "examining" ? 0
             : task.state == "failed"                             ? 1
             : task.state == "waiting"                            ? 2
                                                                  : 3;
    };
    std::ranges::stable_sort(shown, {}, rank);
    shown.resize(room);
  }
  const std::size_t width = size.ws_col;
  std::vector<std::string> lines = table_lines(shown, width, style_);
  if (!footer.empty()) lines.push_back(style_.dim(footer.substr(0, width)));
  erase();
  for (const std::string& line : lines) fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
  drawn_ = std::move(lines);
}

void Display::finish(const std::vector<TaskSummary>& tasks) {
  if (live_) draw(tasks, {});
  drawn_.clear();
}

}  // namespace lockstep::cli::campaign
