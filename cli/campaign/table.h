#pragma once

#include <string>
#include <vector>

#include "cli/campaign/summary.h"
#include "cli/terminal.h"

namespace lockstep::cli::campaign {

// "999", "12,345", "1.23M", "4.56G": at most seven characters.
std::string short_number(double value);
// "98.7%", "100%"
std::string percent(double share);
// "98%"
std::string whole_percent(double share);
// "59s", "59m", "23h", "9d"
std::string short_duration(double seconds);

// The live table: a heading and a line per task, at most `width` columns wide.
std::vector<std::string> table_lines(const std::vector<TaskSummary>& tasks, std::size_t width,
                                     const Style& style);

// One task on one line, for a log.
std::string plain_line(const TaskSummary& task);

// Shows the state of a campaign on stderr: a table drawn over itself on a terminal, lines elsewhere.
class Display {
 public:
  Display();
  // A line that stays.
  void say(const std::string& line);
  // A line for a log; the live table shows the same.
  void note(const std::string& line) {
    if (!live_) say(line);
  }
  // Once a second.
  void show(const std::vector<TaskSummary>& tasks, const std::string& footer);
  // The last state stays, what follows stands below it.
  void finish(const std::vector<TaskSummary>& tasks);

 private:
  void draw(const std::vector<TaskSummary>& tasks, const std::string& footer);
  void erase();

  bool live_;
  Style style_;
  std::vector<std::string> drawn_;
  unsigned calls_ = 0;
};

}  // namespace lockstep::cli::campaign
