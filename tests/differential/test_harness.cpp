// What TargetOf makes of participants that misbehave: every kind of misbehaviour must become a finding.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "oracles/differential/harness.h"
#include "oracles/differential/report.h"

namespace lockstep::differential {
namespace {

enum class Behaviour : std::uint8_t { honest, wrong, silent, segfault, abort, hang, drifting };

struct ToyCase {
  Behaviour behaviour = Behaviour::honest;
  std::uint64_t fill_seed = 0;
};

template <class Visitor, class CaseOrConst>
void visit(Visitor& v, CaseOrConst& c) {
  static constexpr std::string_view behaviours[] = {"honest", "wrong", "silent",  "segfault",
                                                    "abort",  "hang",  "drifting"};
  v.choice("behaviour", c.behaviour, behaviours);
  v.fill_seed("fill_seed", c.fill_seed);
}

constexpr AnswerId sum = 1;

void honest(const void* /*self*/, const ToyCase& /*question*/, Buffers& /*buffers*/, Outcome& outcome) {
  outcome.set(sum, std::string_view("42"));
}

void toy(const void* /*self*/, const ToyCase& question, Buffers& buffers, Outcome& outcome) {
  static int calls = 0;
  const std::span<std::uint8_t> out = buffers.out.place_output(3, Placement::behind());
  switch (question.behaviour) {
    case Behaviour::honest:
      break;
    case Behaviour::wrong:
      return outcome.set(sum, std::string_view("43"));
    case Behaviour::silent:
      return;
    case Behaviour::segfault:
      *const_cast<volatile std::uint8_t*>(out.data() + 3) = 1;
      break;
    case Behaviour::abort:
      std::abort();
    case Behaviour::hang:
      for (volatile bool for_ever = true; for_ever;) {
      }
      break;
    case Behaviour::drifting:
      // Right whenever it is asked first.
      return outcome.set(sum, ++calls % 2 == 1 ? std::string_view("42") : std::string_view("41"));
  }
  outcome.set(sum, std::string_view("42"));
}

AnswerSet declares(const ToyCase& /*question*/) noexcept {
  return {sum};
}

struct Toy {
  using Case = ToyCase;
  static constexpr std::string_view name = "toy";
  static constexpr std::uint8_t id = 99;
  static constexpr std::string_view names[] = {"violation", "sum"};
  static constexpr std::span<const std::string_view> answer_names = names;
  static constexpr AnswerSet core_answers = {sum};
  static constexpr std::string_view operation_names[] = {"add"};
  static constexpr std::span<const std::string_view> operations = operation_names;
  static constexpr bool has_lanes = false;

  static std::span<const Participant<Case>> participants() {
    static const std::vector<Participant<Case>> list = {
        {.info = {.name = "toy", .origin = "lockstep", .version = {}, .shipped = true, .stride_blocks = 1},
         .self = nullptr,
         .limits = {},
         .declares = declares,
         .run = toy},
        {.info = {.name = "plain", .origin = "plain", .version = {}},
         .self = nullptr,
         .limits = {},
         .declares = declares,
         .run = honest},
        {.info = {.name = "other", .origin = "other", .version = {}},
         .self = nullptr,
         .limits = {},
         .declares = declares,
         .run = honest}};
    return list;
  }
  static std::span<const std::string_view> implementation_names() {
    static constexpr std::string_view list[] = {"toy"};
    return list;
  }
  static std::span<const ImplementationRef> implementation_references() {
    static constexpr ImplementationRef list[] = {reference("toy")};
    return list;
  }
  static std::span<const unsigned> strides() {
    static constexpr unsigned list[] = {1};
    return list;
  }
  static std::span<const Case> typical() { return {}; }
  static void plan(Case& /*question*/) {}
  static void steer(Case& /*question*/) {}
  static CellDeclaration cell_declaration() {
    return {.attributes = {{"implementation", {"toy"}}, {"behaviour", {"any"}}},
            .strides = {1},
            .triples = {},
            .constraints = {}};
  }
  static void cells(const Case& /*question*/, std::vector<CellPoint>& /*points*/) {}
  static void draw(Case& question, Random& random) { question.fill_seed = random.next(); }
  static Facts facts(const Case& /*question*/) { return {}; }
  static void lanes(const Case& /*question*/, std::vector<LaneHit>& /*hits*/) {}
  static Place locate(const Case& /*question*/, AnswerId /*answer*/, std::size_t /*byte*/,
                      std::size_t /*participant*/) {
    return {};
  }
};

std::string violation_of(Behaviour behaviour, std::uint64_t fill_seed) {
  static const TargetOf<Toy> target;
  ToyCase question;
  question.behaviour = behaviour;
  question.fill_seed = fill_seed;
  std::vector<std::uint8_t> input = {'L', 'S', Toy::id, format_version};
  Encoder encoder(input);
  visit(encoder, std::as_const(question));
  Run run;
  target.run(input, run);
  if (run.verdict.agrees()) return "agrees";
  EXPECT_EQ(run.verdict.outvoted, 1U);
  const Outcome& outcome = run.outcomes[0];
  return outcome.has(violation_answer) ? std::string(outcome.text(violation_answer)) : "disagrees";
}

// Some fill_seed of a case that is asked twice: one in 32 is.
std::uint64_t seed_asked_twice() {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    // A participant that is right whenever it is asked first is found out by nothing else.
    if (violation_of(Behaviour::drifting, seed) != "agrees") return seed;
    violation_of(Behaviour::drifting, seed);
  }
  return 0;
}

TEST(Harness, HonestAnswersAgree) {
  for (std::uint64_t seed = 0; seed < 64; ++seed) EXPECT_EQ(violation_of(Behaviour::honest, seed), "agrees");
}

TEST(Harness, SeesWrongAndMissingAnswers) {
  EXPECT_EQ(violation_of(Behaviour::wrong, 1), "disagrees");
  EXPECT_EQ(violation_of(Behaviour::silent, 1), "declared answer sum is missing");
}

TEST(Harness, ADeathIsAnAnswer) {
  EXPECT_EQ(violation_of(Behaviour::segfault, 1), "SIGSEGV, 0 bytes behind the end of out");
#ifndef LOCKSTEP_SANITIZED
  EXPECT_EQ(violation_of(Behaviour::abort, 1), "SIGABRT");
#endif
  EXPECT_EQ(violation_of(Behaviour::honest, 1), "agrees");
}

TEST(Harness, AHangIsAnAnswer) {
  EXPECT_EQ(violation_of(Behaviour::hang, 1), "does not return");
  EXPECT_EQ(violation_of(Behaviour::honest, 1), "agrees");
}

TEST(Harness, AskingTwiceFindsWhatChanges) {
  const std::uint64_t seed = seed_asked_twice();
  EXPECT_NE(seed, 0U);
  EXPECT_EQ(violation_of(Behaviour::honest, seed), "agrees");
}

}  // namespace
}  // namespace lockstep::differential
