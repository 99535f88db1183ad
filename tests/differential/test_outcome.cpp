#include <gtest/gtest.h>

#include <array>

#include "oracles/differential/outcome.h"

namespace lockstep::differential {
namespace {

constexpr AnswerId first = 1;
constexpr AnswerId last = max_answers - 1;

TEST(SameBytes, EveryByteAndTheLengthCount) {
  std::vector<std::uint8_t> a(70, 3);
  std::vector<std::uint8_t> b = a;
  for (std::size_t bytes = 0; bytes <= a.size(); ++bytes) {
    const auto of_a = std::span(a).first(bytes);
    const auto of_b = std::span(b).first(bytes);
    EXPECT_TRUE(same_bytes(of_a, of_b));
    for (std::uint8_t& byte : of_b) {
      for (const std::uint8_t bit : std::array<std::uint8_t, 2>{0x01, 0x80}) {
        byte ^= bit;
        EXPECT_FALSE(same_bytes(of_a, of_b)) << bytes;
        byte ^= bit;
      }
    }
    if (bytes == 0) continue;
    EXPECT_FALSE(same_bytes(of_a, of_b.first(bytes - 1)));
    EXPECT_FALSE(same_bytes(of_a.first(bytes - 1), of_b));
  }
}

TEST(Outcome, HoldsWhatIsSet) {
  Outcome outcome;
  outcome.set(last, std::string_view("abc"));
  outcome.set(first, true);
  outcome.allocate(2, 2)[1] = 7;
  EXPECT_EQ(outcome.text(last), "abc");
  EXPECT_EQ(outcome.get(first)[0], 1);
  EXPECT_EQ(outcome.get(2)[1], 7);
  EXPECT_TRUE(outcome.given() == (AnswerSet{first, 2, last}));
  outcome.set(first, false);
  EXPECT_EQ(outcome.get(first)[0], 0);
}

TEST(Outcome, AfterClearNothingIsLeft) {
  Outcome outcome;
  outcome.set(first, true);
  outcome.violate(ViolationKind::memory, "wrote");
  outcome.set_unsupported("not asked");
  outcome.clear();
  EXPECT_TRUE(outcome.given() == AnswerSet());
  EXPECT_FALSE(outcome.has(first));
  EXPECT_TRUE(outcome.get(first).empty());
  EXPECT_EQ(outcome.violation(), ViolationKind::none);
  EXPECT_TRUE(outcome.supported());
}

TEST(Outcome, AllViolationsAreToldAndTheWorstCounts) {
  Outcome outcome;
  outcome.violate(ViolationKind::memory, "wrote");
  outcome.violate(ViolationKind::contract, "kept");
  EXPECT_EQ(outcome.text(violation_answer), "wrote; kept");
  EXPECT_EQ(outcome.violation(), ViolationKind::memory);
  outcome.clear();
  outcome.violate(ViolationKind::contract, "kept");
  EXPECT_EQ(outcome.violation(), ViolationKind::contract);
  outcome.violate(ViolationKind::memory, "wrote");
  EXPECT_EQ(outcome.violation(), ViolationKind::memory);
}

}  // namespace
}  // namespace lockstep::differential
