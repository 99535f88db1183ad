// What TargetOf makes of participants that misbehave: every kind of misbehaviour must become a finding.
#include <gtest/gtest.h>

#include "oracles/differential/report.h"
#include "tests/differential/toy.h"

namespace lockstep::differential {
namespace {

const TargetOf<Toy> target;

// One for all cases, as in a campaign: of an earlier case nothing may be left.
Run run;

std::string violation_of(Behaviour behaviour, std::uint64_t fill_seed) {
  Toy::times_asked = 0;
  target.run(Toy::input(behaviour, fill_seed), run);
  if (run.verdict.agrees()) return "agrees";
  EXPECT_EQ(run.verdict.outvoted, 1U);
  const Outcome& outcome = run.outcomes[0];
  return outcome.has(violation_answer) ? std::string(outcome.text(violation_answer)) : "disagrees";
}

// Some fill_seed of a case that is asked twice.
std::uint64_t seed_asked_twice() {
  std::uint64_t seed = 1;
  // A participant that is right whenever it is asked first is found out by nothing else.
  while (seed < 1000 && violation_of(Behaviour::drifting, seed) == "agrees") ++seed;
  return seed;
}

TEST(Harness, HonestAnswersAgree) {
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    EXPECT_EQ(violation_of(Behaviour::honest, seed), "agrees");
    EXPECT_EQ(run.verdict.comparisons, 2U);
    EXPECT_TRUE(Toy::was_steered);
    EXPECT_EQ(run.lanes.size(), 1U) << "of this case alone";
    EXPECT_EQ(run.points.size(), 1U);
    EXPECT_EQ(run.facts.text_bytes, 3U);
  }
}

TEST(Harness, SeesWrongAndMissingAnswers) {
  EXPECT_EQ(violation_of(Behaviour::wrong, 1), "disagrees");
  EXPECT_EQ(run.verdict.violation, ViolationKind::none);
  EXPECT_EQ(target.locate(Toy::input(Behaviour::wrong, 1), run).words, "in toy");
  EXPECT_EQ(violation_of(Behaviour::silent, 1), "declared answer sum is missing");
  EXPECT_EQ(run.verdict.violation, ViolationKind::contract);
}

TEST(Harness, LocatesInTheTermsOfTheOutvoted) {
  target.run(Toy::input(Behaviour::honest, 1), run);
  run.verdict.disagreements.emplace_back();
  run.verdict.outvoted = 0b100;
  EXPECT_EQ(target.locate(Toy::input(Behaviour::honest, 1), run).words, "in other");
}

TEST(Harness, ADeathIsAnAnswer) {
  EXPECT_EQ(violation_of(Behaviour::segfault, 1), "SIGSEGV, 0 bytes behind the end of out");
  EXPECT_EQ(run.verdict.violation, ViolationKind::memory);
#ifndef LOCKSTEP_SANITIZED
  EXPECT_EQ(violation_of(Behaviour::abort, 1), "SIGABRT");
#endif
  EXPECT_EQ(violation_of(Behaviour::honest, 1), "agrees");
}

TEST(Harness, AHangIsAnAnswer) {
  EXPECT_EQ(violation_of(Behaviour::hang, 1), "does not return");
  EXPECT_EQ(violation_of(Behaviour::slow, 1), "agrees") << "each case has the same patience";
}

TEST(Harness, OneCaseIn32IsAskedTwice) {
  int twice = 0;
  for (std::uint64_t seed = 0; seed < 3200; ++seed) {
    violation_of(Behaviour::honest, seed * 0x9e3779b97f4a7c15U);
    twice += Toy::times_asked == 2 ? 1 : 0;
  }
  EXPECT_GT(twice, 60);
  EXPECT_LT(twice, 150);
}

TEST(Harness, AskingTwiceFindsWhatChanges) {
  const std::uint64_t seed = seed_asked_twice();
  const std::string other_answers = "the same question, asked again, has other answers";
  EXPECT_EQ(violation_of(Behaviour::honest, seed), "agrees");
  EXPECT_EQ(violation_of(Behaviour::drifting, seed), "asked again, it gives another sum");
  EXPECT_EQ(violation_of(Behaviour::silent_later, seed), other_answers);
  EXPECT_EQ(violation_of(Behaviour::talking_later, seed), other_answers);
  EXPECT_TRUE(violation_of(Behaviour::breaking_later, seed).starts_with(other_answers));
  EXPECT_TRUE(violation_of(Behaviour::segfault_later, seed).starts_with(other_answers));
}

// What lay on the stack before is something that no answer may depend on.
TEST(Harness, TheSecondTimeTheStackIsAnotherOne) {
  const std::uint64_t seed = seed_asked_twice();
  violation_of(Behaviour::honest, seed);
  EXPECT_EQ(Toy::times_asked, 2);
  EXPECT_GT(Toy::dirt_seen, 1000);
}

TEST(Harness, WhoIsNotAskedDoesNotCount) {
  EXPECT_EQ(violation_of(Behaviour::not_for_plain, 1), "agrees");
  EXPECT_EQ(run.outcomes[1].unsupported(), "not for plain");
  EXPECT_EQ(run.verdict.answered, 0b101U) << "those behind him are asked";
  EXPECT_EQ(run.verdict.comparisons, 1U);
}

TEST(Harness, CampaignsSpareThoseWhoAreSlow) {
  EXPECT_EQ(violation_of(Behaviour::spares_plain, 1), "agrees");
  EXPECT_EQ(run.verdict.comparisons, 2U) << "a single question asks everyone";
  target.run(Toy::input(Behaviour::spares_plain, 1), run, Effort::sampled);
  EXPECT_EQ(run.outcomes[1].unsupported(), "plain is slow");
  EXPECT_EQ(run.verdict.comparisons, 1U);
}

}  // namespace
}  // namespace lockstep::differential
