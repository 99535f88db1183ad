// Whole campaigns, with fake_fuzzer.cpp in place of libFuzzer.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "cli/campaign/campaign.h"
#include "cli/campaign/report.h"
#include "cli/exit_code.h"
#include "cli/input_error.h"
#include "support.h"

namespace lockstep::cli::campaign::test {
namespace {

using namespace std::chrono_literals;

Options options_for(const Folder& folder) {
  Options options;
  options.targets = {"ghash"};
  options.engines = {"libfuzzer"};
  options.time = 700ms;
  options.state = folder.path() / "campaign";
  options.builds = FAKE_BUILDS;
  options.seed = 1;
  options.empty_corpus = true;
  return options;
}

Summary run(const Options& options, const char* mode) {
  const Variable variable("FAKE_MODE", mode);
  Campaign campaign(options);
  return campaign.run();
}

TEST(Runs, Clean) {
  const Folder folder;
  const Summary summary = run(options_for(folder), "");
  EXPECT_EQ(summary.exit_code(), exit_clean) << report_in_words(summary, Style());
  ASSERT_EQ(summary.tasks.size(), 1U);
  const TaskSummary& task = summary.tasks[0];
  EXPECT_GT(task.executions, 100U);
  EXPECT_EQ(task.comparisons, 3 * task.executions);
  for (const std::uint64_t count :
       {task.compared, task.foreign, task.steered, task.hand_over, task.above_widest_stride}) {
    EXPECT_EQ(count, task.executions);
  }
  EXPECT_EQ(task.text_bytes, 5 * task.executions);
  EXPECT_GE(task.wall_seconds, 0.7);
  EXPECT_LT(task.wall_seconds, 3);
  EXPECT_GT(task.cpu_seconds, 0);
  EXPECT_EQ(task.restarts, 0U);
  EXPECT_TRUE(summary.complete());
  EXPECT_EQ(nlohmann::json::parse(read_file(folder.path() / "campaign" / "report.json"))["exit_code"], 0);
}

TEST(Runs, NothingCompared) {
  const Folder folder;
  const Summary summary = run(options_for(folder), "idle");
  EXPECT_EQ(summary.exit_code(), exit_nothing_compared);
  EXPECT_FALSE(summary.complete());
}

TEST(Runs, GoesOnAfterAFindingAndResumes) {
  const Folder folder;
  const Options options = options_for(folder);
  Summary summary = run(options, "disagree");
  EXPECT_EQ(summary.exit_code(), exit_disagreement);
  ASSERT_EQ(summary.findings.size(), 1U);
  EXPECT_EQ(summary.findings[0].signature, "ghash/disagreement/x86_pclmul/digest");
  EXPECT_EQ(summary.findings[0].count, 1U);
  EXPECT_EQ(summary.findings[0].participants, std::vector<std::string>{"x86_pclmul"});
  EXPECT_EQ(summary.findings[0].first_seen.executions, 201U);
  EXPECT_GT(summary.findings[0].first_seen.cpu_seconds, 0);
  EXPECT_EQ(read_file(summary.findings[0].file), "disagree");
  EXPECT_EQ(summary.tasks[0].restarts, 1U);
  EXPECT_GE(summary.tasks[0].known_findings, 1U) << "after the restart it is passed over";
  const std::uint64_t first_executions = summary.tasks[0].executions;

  // The same builds: it still shows, so it is still known, and still counts.
  summary = run(options, "disagree");
  EXPECT_EQ(summary.session, 2);
  EXPECT_EQ(summary.exit_code(), exit_disagreement);
  ASSERT_EQ(summary.findings.size(), 1U);
  EXPECT_EQ(summary.findings[0].session, 1);
  EXPECT_EQ(summary.tasks[0].restarts, 0U);
  ASSERT_EQ(summary.earlier.size(), 1U);
  EXPECT_EQ(summary.earlier[0]["targets"][0]["executions"], first_executions);

  // Mended: no finding any more, and it would be found again.
  const Variable fixed("FAKE_FIXED", "1");
  summary = run(options, "");
  EXPECT_EQ(summary.session, 3);
  EXPECT_EQ(summary.exit_code(), exit_clean);
  EXPECT_TRUE(summary.findings.empty());
  ASSERT_EQ(summary.gone.size(), 1U);
  EXPECT_EQ(read_file(folder.path() / "campaign" / "known"), "");
}

TEST(Runs, SanitizerFindingIsFiledOnceAndCounted) {
  const Folder folder;
  const Summary summary = run(options_for(folder), "memory");
  EXPECT_EQ(summary.exit_code(), exit_memory_fault);
  ASSERT_EQ(summary.findings.size(), 1U);
  const Finding& finding = summary.findings[0];
  EXPECT_EQ(finding.signature, "ghash/memory/heap-buffer-overflow/x86_pclmul:hash");
  EXPECT_EQ(finding.kind, "memory");
  EXPECT_EQ(finding.participants, std::vector<std::string>{"x86_pclmul"});
  EXPECT_GT(finding.count, 1U);
  EXPECT_NE(sanitized_repro_line(finding).find("fuzz_ghash"), std::string::npos);
  EXPECT_TRUE(files_of(folder.path() / "campaign" / "ghash-libfuzzer" / "examine").empty());
}

TEST(Runs, WhatDoesNotReproduceIsKept) {
  const Folder folder;
  const Summary summary = run(options_for(folder), "flaky");
  EXPECT_EQ(summary.exit_code(), exit_memory_fault);
  ASSERT_EQ(summary.findings.size(), 1U);
  EXPECT_EQ(summary.findings[0].signature, "ghash/flaky/crash");
  EXPECT_EQ(summary.findings[0].kind, "flaky");
  EXPECT_EQ(read_file(summary.findings[0].file), "flaky");
}

TEST(Runs, ADeathWithoutInputIsNoCleanRun) {
  const Folder folder;
  const Summary summary = run(options_for(folder), "vanish");
  EXPECT_EQ(summary.exit_code(), exit_time_out) << "killed, as for lack of memory";
  ASSERT_EQ(summary.findings.size(), 1U);
  EXPECT_EQ(summary.findings[0].signature, "ghash/flaky/signal_9__SIGKILL_");
  EXPECT_TRUE(summary.findings[0].file.empty());
}

TEST(Runs, AnEngineThatDoesNotStart) {
  const Folder folder;
  const Summary summary = run(options_for(folder), "broken");
  EXPECT_EQ(summary.exit_code(), exit_unusable);
  EXPECT_NE(summary.tasks[0].error.find("exit code 127"), std::string::npos) << summary.tasks[0].error;
  EXPECT_NE(summary.tasks[0].error.find("a library is missing"), std::string::npos) << summary.tasks[0].error;
}

TEST(Runs, UntilTheFirstFinding) {
  const Folder folder;
  Options options = options_for(folder);
  options.until_finding = true;
  options.time = 30s;
  const auto started = std::chrono::steady_clock::now();
  const Summary summary = run(options, "disagree");
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
  ASSERT_TRUE(summary.tasks[0].first_finding);
  EXPECT_EQ(summary.tasks[0].first_finding->seen.executions, 201U);
  EXPECT_EQ(summary.exit_code(), exit_disagreement);
}

TEST(Runs, StopsWithinASecondEvenIfTheEngineDoesNot) {
  const Folder folder;
  Options options = options_for(folder);
  options.time = 60s;
  const Variable variable("FAKE_MODE", "stubborn");
  Campaign campaign(options);
  std::chrono::steady_clock::time_point asked;
  std::thread other([&] {
    std::this_thread::sleep_for(500ms);
    asked = std::chrono::steady_clock::now();
    kill(getpid(), SIGINT);
  });
  const Summary summary = campaign.run();
  const auto took = std::chrono::steady_clock::now() - asked;
  other.join();
  EXPECT_LT(took, 1s);
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(summary.exit_code(), exit_clean);
  EXPECT_TRUE(ProcessTable::read().children(getpid()).empty());
}

TEST(Runs, LeavesChildrenOfOthersAlone) {
  // A shell may have started something, and then become this program.
  const pid_t other = fork();
  if (other == 0) {
    sleep(100);
    _exit(0);
  }
  const Folder folder;
  Options options = options_for(folder);
  options.time = 300ms;
  run(options, "");
  EXPECT_EQ(waitpid(other, nullptr, WNOHANG), 0) << "still there";
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

TEST(Runs, MissingBuildSaysHowToBuild) {
  const Folder folder;
  Options options = options_for(folder);
  options.builds = folder.path();
  try {
    const Campaign campaign(options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.advice.find("ci/build libfuzzer afl"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(options.state)) << "nothing is written before everything is there";
  }
}

TEST(Runs, UnknownNames) {
  Options options;
  options.targets = {"aes_gcm", "nope"};
  EXPECT_THROW(complete(options), InputError);
  options.targets = {"ghash", "ghash"};
  options.engines = {"honggfuzz"};
  EXPECT_THROW(complete(options), InputError);
  options.engines = {"afl", "afl"};
  complete(options);
  EXPECT_EQ(options.targets, std::vector<std::string>{"ghash"});
  EXPECT_EQ(options.engines, std::vector<std::string>{"afl"});
}

}  // namespace
}  // namespace lockstep::cli::campaign::test
