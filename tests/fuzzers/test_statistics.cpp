// What is counted of a run, and what becomes of the counts of several processes.
#include "fuzzers/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "oracles/targets.h"
#include "tests/differential/toy.h"

namespace lockstep::fuzzers {
namespace {

using differential::Toy;

const differential::TargetOf<Toy> toy;

// Of toy, plain and other those whose bits are set have answered.
differential::Run run_of(std::uint64_t answered) {
  differential::Run run;
  run.outcomes.resize(3);
  run.verdict.answered = answered;
  const int count = std::popcount(answered);
  run.verdict.comparisons = count > 1 ? static_cast<unsigned>(count - 1) : 0;
  run.facts = {.text_bytes = 20, .steered = true, .hand_over = false, .operations = 1};
  return run;
}

class StatisticsTest : public testing::Test {
 protected:
  StatisticsTest() { counted_->operation_count = 2; }
  void add(const differential::Run& run) { count(*counted_, toy, run); }
  const std::unique_ptr<Statistics> counted_ = std::make_unique<Statistics>();
};

TEST_F(StatisticsTest, ComparisonsAreThoseOfTheVerdict) {
  add(run_of(0b111));
  add(run_of(0b011));
  add(run_of(0b001));
  add(run_of(0));
  EXPECT_EQ(counted_->executions, 4U);
  EXPECT_EQ(counted_->comparisons, 3U);
  EXPECT_EQ(counted_->compared, 2U);
  EXPECT_EQ(counted_->text_bytes, 80U);
  EXPECT_EQ(counted_->steered, 4U);
  EXPECT_EQ(counted_->hand_over, 0U);
  EXPECT_EQ(counted_->above_widest_stride, 4U) << "of one block";
  EXPECT_EQ(counted_->answered[0], 3U);
  EXPECT_EQ(counted_->answered[1], 2U);
  EXPECT_EQ(counted_->answered[2], 1U);
}

TEST_F(StatisticsTest, APairIsTwoWhoAnsweredInAnOperationThatTookPlace) {
  add(run_of(0b111));
  add(run_of(0b101));
  add(run_of(0b110));
  EXPECT_EQ(counted_->pairs[0][1][0], 1U);
  EXPECT_EQ(counted_->pairs[0][2][0], 2U);
  EXPECT_EQ(counted_->pairs[0][1][1], 0U) << "the other operation did not take place";
  EXPECT_EQ(counted_->pairs[1][2][0], 0U) << "oracles among themselves are no pair";
  EXPECT_EQ(counted_->pairs[0][0][0], 0U);
}

TEST_F(StatisticsTest, PlainIsNotForeign) {
  add(run_of(0b011));
  EXPECT_EQ(counted_->foreign, 0U);
  add(run_of(0b101));
  EXPECT_EQ(counted_->foreign, 1U);
  add(run_of(0b100));
  EXPECT_EQ(counted_->foreign, 1U) << "compared with nobody";
}

TEST_F(StatisticsTest, LanesAreOfBulkOrOfTail) {
  differential::Run run = run_of(0b111);
  run.lanes = {{.participant = 0, .operation = 0, .bulk = true, .lane = 3},
               {.participant = 0, .operation = 1, .bulk = false, .lane = 5}};
  add(run);
  EXPECT_EQ(counted_->bulk_lanes[0][0][3], 1U);
  EXPECT_EQ(counted_->tail_lanes[0][1][5], 1U);
  EXPECT_EQ(counted_->bulk_lanes[0][1][5], 0U);
  EXPECT_EQ(counted_->tail_lanes[0][0][3], 0U);
}

TEST_F(StatisticsTest, EveryCounterOfEarlierProcessesIsKept) {
  const auto more = std::make_unique<Statistics>();
  for (Statistics* each : {counted_.get(), more.get()}) {
    each->magic = statistics_magic;
    each->cells_fingerprint = 7;
    for (std::uint64_t* counter :
         {&each->executions, &each->comparisons, &each->compared, &each->foreign, &each->text_bytes,
          &each->above_widest_stride, &each->steered, &each->hand_over, &each->known_findings,
          &each->answered[63], &each->pairs[1][2][3], &each->bulk_lanes[1][2][3],
          &each->tail_lanes[3][2][1]}) {
      *counter = 5;
    }
  }
  counted_->cells[1] = 1;
  more->cells[2] = 1;
  fuzzers::add(*counted_, *more);
  const Statistics& sum = *counted_;
  for (const std::uint64_t counter :
       {sum.executions, sum.comparisons, sum.compared, sum.foreign, sum.text_bytes, sum.above_widest_stride,
        sum.steered, sum.hand_over, sum.known_findings, sum.answered[63], sum.pairs[1][2][3],
        sum.bulk_lanes[1][2][3], sum.tail_lanes[3][2][1]}) {
    EXPECT_EQ(counter, 10U);
  }
  EXPECT_EQ(sum.cells[0], 0);
  EXPECT_EQ(sum.cells[1], 1);
  EXPECT_EQ(sum.cells[2], 1);
}

// The cells of the points that there were, and no other.
TEST_F(StatisticsTest, CellsAreThoseOfThePoints) {
  const differential::Target& target = *oracles::find_target("ghash");
  std::vector<std::uint8_t> expected(target.cells().size());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<differential::CellPoint> points;
    target.points(target.draw(seed), points);
    fill_cells(*counted_, target, points);
    for (const differential::CellPoint& point : points) target.cells().mark(point, expected);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), counted_->cells));
  }
}

}  // namespace
}  // namespace lockstep::fuzzers
