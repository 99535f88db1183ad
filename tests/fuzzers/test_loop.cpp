// The loop, with an invented target: what dies, what is passed over, what is counted.
#include "fuzzers/loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "fuzzers/statistics.h"
#include "tests/differential/toy.h"

namespace lockstep::fuzzers {

const differential::Target& target() {
  static const differential::TargetOf<differential::Toy> toy;
  return toy;
}

namespace {

using differential::Behaviour;
using differential::Toy;

void run(Behaviour behaviour) {
  Toy::times_asked = 0;
  execute(Toy::input(behaviour, 1));
}

// The loop opens its statistics once in a process, and looks for known signatures at every mismatch.
class Loop : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = std::filesystem::temp_directory_path() / "lockstep-loop-XXXXXX";
    folder_ = mkdtemp(name.data());
    setenv("LOCKSTEP_STATISTICS", (folder_ / "statistics").c_str(), 1);
    setenv("LOCKSTEP_KNOWN", (folder_ / "known").c_str(), 1);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }
  void SetUp() override { make_known(""); }

  static void make_known(const std::string& lines) { std::ofstream(folder_ / "known") << lines; }
  static Statistics counted() {
    const Statistics* const file = read_statistics((folder_ / "statistics").c_str());
    return file == nullptr ? Statistics{} : *file;
  }

 private:
  static inline std::filesystem::path folder_;
};
using LoopDeathTest = Loop;

TEST_F(LoopDeathTest, AMismatchIsReportedAndEndsTheProcess) {
  const auto killed = testing::KilledBySignal(SIGILL);
  EXPECT_EXIT(run(Behaviour::wrong), killed,
              "case toy(.|\n)*\nLOCKSTEP-SIGNATURE toy/disagreement/toy/sum\n");
  EXPECT_EXIT(run(Behaviour::silent), killed, "LOCKSTEP-SIGNATURE toy/disagreement/toy/violation\n");
  EXPECT_EXIT(run(Behaviour::segfault), killed, "LOCKSTEP-SIGNATURE toy/memory/toy/violation\n");
}

TEST_F(LoopDeathTest, OnlyThisVerySignatureIsKnown) {
  make_known("toy/disagreement/toy/su\ntoy/disagreement/toy\ntoy/disagreement/toy/sum/more\n");
  EXPECT_EXIT(run(Behaviour::wrong), testing::KilledBySignal(SIGILL), "LOCKSTEP-SIGNATURE");
}

// Plain was left out to save time; without him nobody has a majority.
TEST_F(LoopDeathTest, EveryoneIsAskedAboutADifference) {
  EXPECT_EXIT(run(Behaviour::wrong_beside_plain), testing::KilledBySignal(SIGILL),
              "LOCKSTEP-SIGNATURE toy/disagreement/toy/sum\n");
}

// Whatever it was, it was seen.
TEST_F(LoopDeathTest, WhatDoesNotShowTwiceIsReportedAsItWas) {
  EXPECT_EXIT(run(Behaviour::wrong_at_first), testing::KilledBySignal(SIGILL),
              "LOCKSTEP-SIGNATURE toy/disagreement/toy/sum\n");
}

TEST_F(Loop, GoesOnWhileAllAgreeAndCounts) {
  const Statistics before = counted();
  for (int i = 0; i < 3; ++i) run(Behaviour::honest);
  run(Behaviour::not_for_plain);
  const Statistics after = counted();
  EXPECT_EQ(after.executions - before.executions, 4U);
  EXPECT_EQ(after.comparisons - before.comparisons, 7U);
  EXPECT_EQ(after.pairs[0][1][0] - before.pairs[0][1][0], 3U);
  EXPECT_EQ(after.pairs[0][2][0] - before.pairs[0][2][0], 4U);
  EXPECT_EQ(after.cells[0], 1);
  EXPECT_EQ(last_run().verdict.comparisons, 1U);
  EXPECT_EQ(aim().filled.data() == nullptr, false) << "mutations are aimed by what is counted";
}

TEST_F(Loop, PassesOverWhatIsKnownAndCountsIt) {
  make_known("toy/memory/toy/violation\ntoy/disagreement/toy/sum\n");
  const Statistics before = counted();
  run(Behaviour::wrong);
  run(Behaviour::segfault);
  const Statistics after = counted();
  EXPECT_EQ(after.executions - before.executions, 2U);
  EXPECT_EQ(after.known_findings - before.known_findings, 2U);
}

}  // namespace
}  // namespace lockstep::fuzzers
