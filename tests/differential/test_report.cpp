// Whom a signature and a report name.
#include "oracles/differential/report.h"

#include <gtest/gtest.h>

#include "tests/differential/toy.h"

namespace lockstep::differential {
namespace {

constexpr AnswerId sum = Toy::sum;

// Three implementations and their mixture.
struct Crowd : Toy {
  static constexpr std::string_view name = "crowd";
  static constexpr std::uint8_t id = 98;

  static std::span<const Participant<Case>> participants() {
    static const auto list = [] {
      std::vector<Participant<Case>> all;
      const auto add = [&](std::string_view who, std::string_view origin, bool shipped, unsigned stride) {
        all.push_back(
            {.info =
                 {.name = who, .origin = origin, .version = {}, .shipped = shipped, .stride_blocks = stride},
             .self = nullptr,
             .limits = {},
             .declares = declares,
             .run = honest});
      };
      add("a", "lockstep", true, 1);
      add("b", "lockstep", true, 2);
      add("c", "lockstep", true, 4);
      add("hand_over", "lockstep", true, 0);
      add("plain", "plain", false, 0);
      add("other", "other", false, 0);
      return all;
    }();
    return list;
  }
  static Place locate(const Case& /*question*/, AnswerId /*answer*/, std::size_t byte,
                      std::size_t participant) {
    Place place;
    place.words =
        "as " + std::string(participants()[participant].info.name) + " goes, " + std::to_string(byte);
    return place;
  }
};

const TargetOf<Crowd> target;

// "-" for one who is not asked, "!..." for one who breaks a promise, "!!..." for one who breaks into memory.
Run run_of(const std::vector<std::string_view>& values) {
  Run run;
  run.outcomes.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == "-") {
      run.outcomes[i].set_unsupported("not on a Sunday");
    } else if (values[i].starts_with("!")) {
      const bool memory = values[i].starts_with("!!");
      run.outcomes[i].violate(memory ? ViolationKind::memory : ViolationKind::contract, values[i]);
    } else {
      run.outcomes[i].set(sum, values[i]);
    }
  }
  compare(target.participants(), run.outcomes, {sum}, run.verdict);
  return run;
}

std::string signature_of(const std::vector<std::string_view>& values) {
  return signature(target, run_of(values));
}

std::string_view primary_of(const std::vector<std::string_view>& values) {
  return target.participants()[primary_culprit(target, run_of(values))].name;
}

TEST(Report, NamesWhoIsWrong) {
  EXPECT_EQ(signature_of({"1", "1", "1", "1", "1", "1"}), "");
  EXPECT_EQ(signature_of({"1", "2", "1", "1", "1", "1"}), "crowd/disagreement/b/sum");
  EXPECT_EQ(signature_of({"1", "2", "3", "1", "1", "1"}), "crowd/disagreement/b+c/sum");
  EXPECT_EQ(signature_of({"1", "1", "1", "1", "2", "1"}), "crowd/disagreement/plain/sum");
  EXPECT_EQ(primary_of({"1", "1", "2", "1", "1", "1"}), "c");
}

TEST(Report, NamesAMixtureOnlyIfItAloneIsWrong) {
  EXPECT_EQ(signature_of({"1", "1", "1", "2", "1", "1"}), "crowd/disagreement/hand_over/sum");
  EXPECT_EQ(primary_of({"1", "1", "1", "2", "1", "1"}), "hand_over");
  EXPECT_EQ(signature_of({"1", "2", "1", "2", "1", "1"}), "crowd/disagreement/b/sum");
  EXPECT_EQ(primary_of({"1", "2", "1", "2", "1", "1"}), "b");
}

TEST(Report, NamesTheLibraryIfAllOfItIsWrong) {
  EXPECT_EQ(signature_of({"2", "2", "2", "2", "1", "1"}), "crowd/disagreement/lockstep/sum");
  EXPECT_EQ(signature_of({"2", "2", "-", "2", "1", "1"}), "crowd/disagreement/lockstep/sum");
  EXPECT_EQ(signature_of({"2", "2", "1", "2", "1", "1"}), "crowd/disagreement/a+b/sum");
  EXPECT_EQ(signature_of({"2", "-", "-", "-", "1", "1"}), "crowd/disagreement/a/sum");
}

TEST(Report, NamesAllWithoutAMajority) {
  EXPECT_EQ(signature_of({"2", "2", "2", "2", "1", "-"}),
            "crowd/disagreement/no_majority:lockstep+plain/sum");
  EXPECT_EQ(signature_of({"-", "2", "-", "-", "1", "3"}), "crowd/disagreement/no_majority:b+plain+other/sum");
}

TEST(Report, TellsMemoryFromPromises) {
  EXPECT_EQ(signature_of({"1", "!kept", "1", "1", "1", "1"}), "crowd/disagreement/b/violation");
  EXPECT_EQ(signature_of({"1", "!!wrote", "1", "1", "1", "1"}), "crowd/memory/b/violation");
  EXPECT_EQ(signature_of({"!!wrote", "!kept", "1", "1", "1", "1"}), "crowd/memory/a+b/violation");
}

TEST(Report, SaysWhoWhatAndWhere) {
  std::vector<std::uint8_t> input = Toy::input(Behaviour::honest, 7);
  input[2] = Crowd::id;
  const std::string words = report(target, input, run_of({"12", "13", "12", "-", "12", "12"}));
  for (const char* const line :
       {"case crowd, format version 1\n", "  behaviour = honest\n", "  fill_seed = 7\n",
        "answer sum\n  3132\n    a, c, plain, other\n  3133\n    b (outvoted)\n",
        "not asked: hand_over: not on a Sunday\n", "first difference: sum, byte 1, as b goes, 1\n"}) {
    EXPECT_NE(words.find(line), std::string::npos) << line << "in\n" << words;
  }
  EXPECT_EQ(words.find("no majority"), std::string::npos);
  EXPECT_NE(report(target, input, run_of({"1", "1", "1", "1", "2", "-"})).find("no majority of origins\n"),
            std::string::npos);
  EXPECT_TRUE(report(target, input, run_of({"1", "1", "1", "1", "1", "1"})).ends_with("all agree\n"));
}

}  // namespace
}  // namespace lockstep::differential
