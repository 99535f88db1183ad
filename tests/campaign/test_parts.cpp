// Durations, processes, numbers in words, the live table, the report.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/campaign/campaign.h"
#include "cli/campaign/duration.h"
#include "cli/campaign/engine_afl.h"
#include "cli/campaign/engine_libfuzzer.h"
#include "cli/campaign/process.h"
#include "cli/campaign/process_table.h"
#include "cli/campaign/report.h"
#include "cli/campaign/table.h"
#include "cli/exit_code.h"
#include "cli/input_error.h"
#include "fuzzers/without.h"
#include "oracles/targets.h"
#include "support.h"

namespace lockstep::cli::campaign::test {
namespace {

using namespace std::chrono_literals;

TEST(Duration, Parses) {
  EXPECT_EQ(parse_duration("90"), 90s);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("10m"), 10min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("1d"), 24h);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
  EXPECT_EQ(parse_duration("0.25s"), 250ms);
}

TEST(Duration, Refuses) {
  for (const char* text : {"",  "s",  "10x",    "-5s",  "+5",   "1e3",  "inf",  "5 s", " 5",     "5s ",
                           "0", "0s", "0.0001", "1h30", "5m5m", "5s1m", "1..5", ".5",  "99999d", "10ms"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Duration, Formats) {
  EXPECT_EQ(format_duration(0ms), "0s");
  EXPECT_EQ(format_duration(-5s), "0s");
  EXPECT_EQ(format_duration(59400ms), "59s");
  EXPECT_EQ(format_duration(545s), "9m 05s");
  EXPECT_EQ(format_duration(90min), "1h 30m");
}

TEST(Processes, ParsesStat) {
  // The name holds what separates the fields.
  const auto entry =
      parse_stat("42 (a) b ( c) S 7 42 42 0 -1 4194304 100 200 3 4 150 50 25 75 20 0 1 0 1 2", 100);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->pid, 42);
  EXPECT_EQ(entry->parent, 7);
  EXPECT_DOUBLE_EQ(entry->cpu_seconds, 3.0);
  EXPECT_FALSE(parse_stat("", 100));
  EXPECT_FALSE(parse_stat("42 (a", 100));
  EXPECT_FALSE(parse_stat("42 (a) S 7 42", 100));
}

TEST(Processes, SumsTrees) {
  const ProcessTable table({{1, 0, 1.0}, {10, 1, 2.0}, {11, 10, 4.0}, {12, 11, 8.0}, {20, 1, 16.0}});
  EXPECT_DOUBLE_EQ(table.cpu_seconds(10), 14.0);
  EXPECT_EQ(table.below(10), (std::vector<pid_t>{11, 12}));
  EXPECT_EQ(table.children(1), (std::vector<pid_t>{10, 20}));
}

Command command_in(const Folder& folder, std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.folder = folder.path();
  command.log = folder.path() / "log";
  return command;
}

Ended wait_for(Process& process) {
  for (int i = 0; i < 1000; ++i) {
    if (const auto ended = process.poll()) return *ended;
    std::this_thread::sleep_for(5ms);
  }
  ADD_FAILURE() << "did not end";
  return {};
}

TEST(Processes, EnvironmentAndLog) {
  const Folder folder;
  const Variable kept("CAMPAIGN_TEST_KEPT", "kept");
  const Variable gone("AFL_CAMPAIGN_TEST", "gone");
  Command command =
      command_in(folder, {"sh", "-c", "echo $CAMPAIGN_TEST_KEPT/$AFL_CAMPAIGN_TEST/$NEW; pwd >&2; exit 3"});
  command.environment = {{"NEW", "new"}};
  command.without = {"AFL_*"};
  Process process(command);
  const Ended ended = wait_for(process);
  EXPECT_FALSE(ended.success());
  EXPECT_EQ(ended.words(), "exit code 3");
  EXPECT_EQ(read_file(folder.path() / "log"), "kept//new\n" + folder.path().string() + "\n");
}

TEST(Processes, MissingProgram) {
  const Folder folder;
  try {
    const Process process(command_in(folder, {"/nowhere/program"}));
    FAIL();
  } catch (const StartError& error) {
    EXPECT_EQ(std::string(error.what()), "/nowhere/program: No such file or directory");
  }
}

TEST(Processes, KillsTheTreeBeyondTheGroup) {
  const Folder folder;
  adopt_orphans();
  {
    // As afl-fuzz's fork server does, the grandchild leaves the session.
    const Process process(
        command_in(folder, {"sh", "-c", "setsid sh -c 'echo $$ > pid; exec sleep 100' & wait"}));
    for (int i = 0; i < 400 && read_file(folder.path() / "pid").empty(); ++i)
      std::this_thread::sleep_for(5ms);
  }
  kill_strangers({});
  const pid_t grandchild = std::stoi(read_file(folder.path() / "pid"));
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(Without, ReadsAList) {
  EXPECT_FALSE(fuzzers::without("cells"));
  const Variable list("LOCKSTEP_WITHOUT", "mutator,cells");
  EXPECT_TRUE(fuzzers::without("cells"));
  EXPECT_TRUE(fuzzers::without("mutator"));
  EXPECT_FALSE(fuzzers::without("cell"));
  EXPECT_FALSE(fuzzers::without("steering"));
}

std::string variable_of(const Command& command, std::string_view name) {
  const auto found =
      std::ranges::find(command.environment, name, [](const auto& each) { return each.first; });
  return found == command.environment.end() ? "not set" : found->second;
}

// Also where an input is examined: what was not solved for when it was found must not be then.
TEST(Without, ReachesEveryProgram) {
  const Folder folder;
  LibFuzzer engine("program", folder.path());
  const campaign::Run run = {1s, 1};
  EXPECT_EQ(variable_of(engine.fuzz(run), "LOCKSTEP_WITHOUT"), "not set");
  engine.leave_out({"steering", "cells"});
  EXPECT_EQ(variable_of(engine.fuzz(run), "LOCKSTEP_WITHOUT"), "steering,cells");
  EXPECT_EQ(variable_of(engine.execute("input", false), "LOCKSTEP_WITHOUT"), "steering,cells");
}

TEST(Without, AflMutatesBytesByItself) {
  const Folder folder;
  Afl engine("program", folder.path(), "mutator.so", false);
  const campaign::Run run = {1s, 1};
  EXPECT_EQ(variable_of(engine.fuzz(run), "AFL_CUSTOM_MUTATOR_LIBRARY"), "mutator.so");
  EXPECT_EQ(variable_of(engine.fuzz(run), "AFL_CUSTOM_MUTATOR_ONLY"), "1");
  engine.leave_out({"mutator"});
  EXPECT_EQ(variable_of(engine.fuzz(run), "AFL_CUSTOM_MUTATOR_LIBRARY"), "not set");
  EXPECT_EQ(variable_of(engine.fuzz(run), "AFL_CUSTOM_MUTATOR_ONLY"), "not set");
}

TEST(Without, NamesAreChecked) {
  Options options;
  options.without = {"steering", "mutator", "cells", "steering"};
  complete(options);
  EXPECT_EQ(options.without, (std::vector<std::string>{"steering", "mutator", "cells"}));
  options.without = {"steer"};
  EXPECT_THROW(complete(options), InputError);
}

TEST(Words, Numbers) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1,000");
  EXPECT_EQ(short_number(12345), "12,345");
  EXPECT_EQ(short_number(999'999), "999,999");
  EXPECT_EQ(short_number(1'234'567), "1.23M");
  EXPECT_EQ(short_number(123'456'789), "123.5M");
  EXPECT_EQ(short_number(4.56e9), "4.56G");
  EXPECT_EQ(short_number(7.8e15), "7800.0T");
}

TEST(Words, PercentIsNeverBetterThanTheTruth) {
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(percent(0.99999), "99.9%");
  EXPECT_EQ(percent(0.5), "50.0%");
  EXPECT_EQ(percent(0.0001), "<0.1%");
  EXPECT_EQ(percent(0), "0.0%");
}

TaskSummary some_task() {
  TaskSummary task;
  task.target = "aes_gcm";
  task.engine = "libfuzzer";
  task.state = "fuzzing";
  task.left_seconds = 42;
  task.wall_seconds = 18;
  task.cpu_seconds = 10;
  task.executions_per_second = 12345;
  task.executions = 200'000;
  task.comparisons = 800'000;
  task.compared = 199'000;
  task.text_bytes = 50'000'000;
  task.foreign_shares = {{"botan", 0.93}, {"openssl", 0.955}};
  task.corpus = 131;
  // Half of what can be reached.
  const auto reachable = oracles::find_target("aes_gcm")->cells().reachable();
  task.cells.target = "aes_gcm";
  task.cells.filled.resize(reachable.size());
  for (std::size_t i = 0, reached = 0; i < reachable.size(); ++i)
    task.cells.filled[i] = reachable[i] != 0 && reached++ % 2 == 0 ? 1 : 0;
  task.seconds_since_new_cell = 75;
  return task;
}

TEST(Words, ShortDurations) {
  EXPECT_EQ(short_duration(-1), "0s");
  EXPECT_EQ(short_duration(59.9), "59s");
  EXPECT_EQ(short_duration(3599), "59m");
  EXPECT_EQ(short_duration(86'399), "23h");
  EXPECT_EQ(short_duration(200'000), "2d");
  EXPECT_EQ(whole_percent(0.999), "99%");
  EXPECT_EQ(whole_percent(0.001), "<1%");
}

TEST(Table, Lines) {
  TaskSummary waiting;
  waiting.target = "ghash";
  waiting.engine = "afl";
  waiting.state = "waiting";
  const auto lines = table_lines({some_task(), waiting}, 140, Style());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(
      lines[0],
      "target   engine          left  found   exec/s  cmp/CPU-s  compared  corpus  cells  quiet  foreign "
      "libraries");
  EXPECT_EQ(lines[1],
            "aes_gcm  libfuzzer        42s      0   12,345     80,000     99.5%     131  50.0%     1m  botan "
            "93% openssl 95%");
  EXPECT_EQ(lines[2], "ghash    afl          waiting");
}

TEST(Table, FitsNarrowTerminals) {
  for (const std::string& line : table_lines({some_task()}, 40, Style())) EXPECT_LE(line.size(), 40U);
}

TEST(Table, PlainLine) {
  EXPECT_EQ(plain_line(some_task()),
            "aes_gcm libfuzzer: 42s left, 12,345 exec/s, 80,000 comparisons/CPU-s, 99.5% compared, botan "
            "93.0%, openssl "
            "95.5%, mean text 250 bytes, corpus 131, cells 50.0%, the last new one 1m ago, findings 0");
}

Summary some_summary() {
  Summary summary;
  summary.state = "/tmp/campaign";
  summary.program = "build/release/bin/lockstep";
  TaskSummary task = some_task();
  task.state = "finished";
  task.wall_seconds = 60;
  task.coverage.pairs = {{"table", "plain", "seal", 5}, {"table", "botan", "seal", 0}};
  task.coverage.lanes = {{"table", "seal", true, {4, 0}}};
  summary.tasks = {task};
  summary.add_up();
  return summary;
}

TEST(Report, NamesEveryHole) {
  const Summary summary = some_summary();
  const std::string text = report_in_words(summary, Style());
  EXPECT_NE(text.find("never compared: table with botan, seal"), std::string::npos) << text;
  EXPECT_NE(text.find("never seen: table, seal, bulk lane 1 of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("(exit code 4)"), std::string::npos) << text;
  const nlohmann::json json = to_json(summary);
  EXPECT_EQ(json["never_compared"].size(), 1U);
  EXPECT_EQ(json["never_compared"][0]["oracle"], "botan");
  EXPECT_EQ(json["lanes"][0]["never"], nlohmann::json({1}));
  EXPECT_EQ(json["targets"][0]["comparisons_per_cpu_second"], 80'000.0);
  EXPECT_NEAR(json["targets"][0]["cells_share"].get<double>(), 0.5, 0.001);
  const nlohmann::json& cells = json["targets"][0]["cells"];
  EXPECT_GT(cells["reachable"], cells["reached"]);
  EXPECT_EQ(cells["missing"].size(), 50U);
  EXPECT_TRUE(oracles::find_target("aes_gcm")->cells().find(cells["missing"][0].get<std::string>()));
  EXPECT_NE(text.find(" of implementation, tail, wrap_lane\n"), std::string::npos) << text;
}

// What one engine has compared another one need not; what one target lacks no other makes up for.
TEST(Report, IsCompleteIfEveryTargetIs) {
  Summary summary = some_summary();
  summary.tasks.push_back(summary.tasks[0]);
  summary.tasks[1].engine = "afl";
  for (Pair& pair : summary.tasks[1].coverage.pairs) pair.count = 1;
  for (Lanes& row : summary.tasks[1].coverage.lanes) row.counts = {0, 1};
  summary.add_up();
  EXPECT_TRUE(summary.complete());
  EXPECT_EQ(summary.exit_code(), exit_clean);
  std::swap(summary.tasks[0].coverage, summary.tasks[1].coverage);
  summary.add_up();
  EXPECT_TRUE(summary.complete());

  summary.tasks.push_back(some_summary().tasks[0]);
  summary.tasks[2].target = "another";
  summary.add_up();
  EXPECT_FALSE(summary.complete());
  EXPECT_EQ(summary.exit_code(), exit_nothing_compared);
}

TEST(Report, NamesFewMissingCells) {
  Summary summary = some_summary();
  std::vector<std::uint8_t>& filled = summary.tasks[0].cells.filled;
  const differential::CellMap& map = oracles::find_target("aes_gcm")->cells();
  std::ranges::copy(map.reachable(), filled.begin());
  const std::size_t missing = *map.find("operation = seal, length = 1");
  filled[missing] = 0;
  summary.add_up();
  const std::string text = report_in_words(summary, Style());
  EXPECT_NE(text.find("never reached: operation = seal, length = 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("99.9%"), std::string::npos) << text;
  // What one engine lacks another one may have.
  summary.tasks.push_back(summary.tasks[0]);
  summary.tasks[1].cells.filled[missing] = 1;
  summary.add_up();
  EXPECT_EQ(summary.cells[0].missing(), 0U);
}

TEST(Report, ExitCodes) {
  Summary summary = some_summary();
  EXPECT_EQ(summary.exit_code(), exit_nothing_compared);
  summary.tasks[0].wall_seconds = 10;
  EXPECT_EQ(summary.exit_code(), exit_clean) << "too short to hold a hole against it";
  EXPECT_NE(report_in_words(summary, Style()).find("warning:"), std::string::npos);
  summary.tasks[0].comparisons = 0;
  EXPECT_EQ(summary.exit_code(), exit_nothing_compared) << "however short";
  summary.tasks[0].error = "did not start";
  EXPECT_EQ(summary.exit_code(), exit_unusable);
  const auto with = [&](const char* kind, const char* underlying) {
    Finding finding;
    finding.kind = kind;
    finding.underlying = underlying;
    summary.findings.push_back(finding);
    return summary.exit_code();
  };
  EXPECT_EQ(with("timeout", ""), exit_time_out);
  EXPECT_EQ(with("oom", ""), exit_time_out);
  EXPECT_EQ(with("flaky", "memory"), exit_memory_fault);
  EXPECT_EQ(with("flaky", "disagreement"), exit_disagreement);
  EXPECT_EQ(with("memory", ""), exit_disagreement);
}

TEST(Report, ReproLineNamesTheTargetOfRawInputs) {
  const Folder folder;
  Summary summary = some_summary();
  Finding finding;
  finding.target = "aes_gcm";
  finding.file = folder.write("ours", std::string("LS\x01\x01 and so on"));
  EXPECT_EQ(repro_line(summary, finding),
            "build/release/bin/lockstep repro " + (folder.path() / "ours").string());
  finding.file = folder.write("raw", "x");
  EXPECT_EQ(repro_line(summary, finding),
            "build/release/bin/lockstep repro " + (folder.path() / "raw").string() + " --target aes_gcm");
}

}  // namespace
}  // namespace lockstep::cli::campaign::test
