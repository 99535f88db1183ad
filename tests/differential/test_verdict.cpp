#include <gtest/gtest.h>

#include <vector>

#include "oracles/differential/verdict.h"

namespace lockstep::differential {
namespace {

constexpr AnswerId bytes = 1;
constexpr AnswerId accepted = 2;

const std::vector<ParticipantInfo> everyone = {{"fast", "lockstep", "", true, 2},
                                               {"slow", "lockstep", "", true, 1},
                                               {"plain", "plain", "", false, 0},
                                               {"botan", "botan", "", false, 0},
                                               {"openssl", "openssl", "", false, 0}};

Verdict judge(const std::vector<std::string_view>& values) {
  std::vector<Outcome> outcomes(everyone.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == "-") {
      outcomes[i].set_unsupported("not asked");
      continue;
    }
    outcomes[i].set(accepted, true);
    if (values[i].starts_with("!")) {
      outcomes[i].violate(ViolationKind::memory, values[i]);
    } else {
      outcomes[i].set(bytes, values[i]);
    }
  }
  // As in a campaign one for all cases: of an earlier one nothing may be left.
  static Verdict verdict;
  compare(everyone, outcomes, {accepted}, verdict);
  return verdict;
}

TEST(Verdict, AllAgree) {
  const Verdict verdict = judge({"a", "a", "a", "a", "a"});
  EXPECT_TRUE(verdict.agrees());
  EXPECT_EQ(verdict.comparisons, 4U);
}

TEST(Verdict, OneImplementationIsOutvoted) {
  const Verdict verdict = judge({"axb", "ayb", "ayb", "ayb", "ayb"});
  EXPECT_EQ(verdict.outvoted, 0b00001U);
  EXPECT_FALSE(verdict.no_majority);
  EXPECT_EQ(verdict.first_difference.answer, bytes);
  EXPECT_EQ(verdict.first_difference.byte, 1U);
}

// Whoever it is, whatever the answer, wherever the byte.
TEST(Verdict, EveryByteOfEveryAnswerOfEveryoneCounts) {
  for (std::size_t wrong = 0; wrong < everyone.size(); ++wrong) {
    for (AnswerId answer = 1; answer < max_answers; ++answer) {
      for (std::size_t size = 0; size < 20; ++size) {
        for (std::size_t byte = 0; byte <= size; ++byte) {
          std::vector<Outcome> outcomes(everyone.size());
          for (std::size_t i = 0; i < outcomes.size(); ++i) {
            // One byte is another, or there is one more.
            const bool differs = i == wrong;
            const auto value = outcomes[i].allocate(answer, differs && byte == size ? size + 1 : size);
            std::ranges::fill(value, std::uint8_t{7});
            if (differs && byte < size) value[byte] ^= 0x10;
          }
          Verdict verdict;
          compare(everyone, outcomes, {answer}, verdict);
          ASSERT_EQ(verdict.outvoted, 1U << wrong) << unsigned{answer} << ", " << size << ", " << byte;
          ASSERT_EQ(verdict.first_difference.answer, answer);
          ASSERT_EQ(verdict.first_difference.byte, byte);
          ASSERT_EQ(verdict.comparisons, 4U);
        }
      }
    }
  }
}

TEST(Verdict, WhoIsWrongInAnyAnswerIsOutvoted) {
  std::vector<Outcome> outcomes(everyone.size());
  for (Outcome& outcome : outcomes) {
    outcome.set(bytes, std::string_view("a"));
    outcome.set(accepted, true);
  }
  outcomes[1].set(bytes, std::string_view("b"));
  outcomes[3].set(accepted, false);
  Verdict verdict;
  compare(everyone, outcomes, {accepted}, verdict);
  EXPECT_EQ(verdict.disagreements.size(), 2U);
  EXPECT_EQ(verdict.outvoted, 0b01010U);
}

TEST(Verdict, SharedGlueDoesNotOutvoteTheOutside) {
  const Verdict verdict = judge({"x", "x", "a", "a", "a"});
  EXPECT_EQ(verdict.outvoted, 0b00011U);
}

TEST(Verdict, ASplitLibraryVotesWithThePartThatOthersConfirm) {
  EXPECT_EQ(judge({"x", "a", "a", "-", "-"}).outvoted, 0b00001U);
  // x is confirmed by plain and a by two libraries: the library has no vote, and two of four are no majority.
  EXPECT_TRUE(judge({"x", "a", "x", "a", "a"}).no_majority);
}

TEST(Verdict, WithoutAStrictMajorityNobodyIsNamed) {
  const Verdict verdict = judge({"x", "x", "a", "-", "-"});
  EXPECT_FALSE(verdict.agrees());
  EXPECT_EQ(verdict.outvoted, 0U);
  EXPECT_TRUE(verdict.no_majority);
  EXPECT_TRUE(judge({"x", "x", "a", "b", "c"}).no_majority);
}

TEST(Verdict, AnOracleCanBeOutvoted) {
  EXPECT_EQ(judge({"a", "a", "a", "x", "a"}).outvoted, 0b01000U);
}

TEST(Verdict, AnAnswerThatIsNotGivenIsNotCompared) {
  std::vector<Outcome> outcomes(everyone.size());
  for (Outcome& outcome : outcomes) outcome.set(accepted, true);
  outcomes[0].set(bytes, std::string_view("state"));
  outcomes[2].set(bytes, std::string_view("state"));
  Verdict verdict;
  compare(everyone, outcomes, {accepted}, verdict);
  EXPECT_TRUE(verdict.agrees());
  outcomes[2].set(bytes, std::string_view("other"));
  compare(everyone, outcomes, {accepted}, verdict);
  EXPECT_FALSE(verdict.agrees());
}

TEST(Verdict, ARefusalIsAnAnswer) {
  std::vector<Outcome> outcomes(everyone.size());
  for (Outcome& outcome : outcomes) outcome.set(accepted, true);
  outcomes[3].set(accepted, false);
  Verdict verdict;
  compare(everyone, outcomes, {accepted}, verdict);
  EXPECT_EQ(verdict.outvoted, 0b01000U);
}

TEST(Verdict, WhoBreaksAPromiseIsWrongWithoutAVote) {
  const Verdict one = judge({"!wrote", "a", "a", "a", "a"});
  EXPECT_EQ(one.outvoted, 0b00001U);
  EXPECT_EQ(one.violation, ViolationKind::memory);
  EXPECT_EQ(one.first_difference.answer, violation_answer);
  EXPECT_EQ(judge({"!wrote 1", "!wrote 2", "a", "-", "-"}).outvoted, 0b00011U);
  EXPECT_FALSE(judge({"!same", "!same", "!same", "!same", "!same"}).agrees());
  EXPECT_EQ(judge({"a", "a", "a", "a", "a"}).violation, ViolationKind::none) << "nor is it still so";
  EXPECT_EQ(judge({"a", "a", "a", "a", "a"}).outvoted, 0U);
}

TEST(Verdict, TheWorstViolationCounts) {
  std::vector<Outcome> outcomes(everyone.size());
  for (Outcome& outcome : outcomes) outcome.set(accepted, true);
  outcomes[1].violate(ViolationKind::memory, "wrote");
  outcomes[2].violate(ViolationKind::contract, "kept");
  Verdict verdict;
  compare(everyone, outcomes, {accepted}, verdict);
  EXPECT_EQ(verdict.violation, ViolationKind::memory);
  EXPECT_EQ(verdict.outvoted, 0b00110U);
}

// Who gives something, but not what is asked for, is held against the others and counts for nothing.
TEST(Verdict, WithoutTheCoreAnswersNobodyHasTakenPart) {
  std::vector<Outcome> outcomes(everyone.size());
  for (std::size_t i = 0; i < 3; ++i) outcomes[i].set(accepted, true);
  for (Outcome& outcome : outcomes) outcome.set(bytes, std::string_view("a"));
  Verdict verdict;
  compare(everyone, outcomes, {accepted}, verdict);
  EXPECT_EQ(verdict.comparisons, 2U);
  EXPECT_EQ(verdict.answered, 0b00111U);
}

TEST(Verdict, NothingIsComparedWithNobody) {
  EXPECT_EQ(judge({"a", "-", "-", "-", "-"}).comparisons, 0U);
  EXPECT_EQ(judge({"-", "-", "-", "-", "-"}).comparisons, 0U);
  EXPECT_EQ(judge({"-", "a", "-", "-", "-"}).answered, 0b00010U);
}

}  // namespace
}  // namespace lockstep::differential
