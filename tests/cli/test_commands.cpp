// `check` and `repro` on an invented target whose participants answer as the case tells them to: every exit
// code, and who is blamed for what.
#include <nlohmann/json.hpp>

#include "cli/check.h"
#include "cli/exit_code.h"
#include "cli/repro.h"
#include "oracles/differential/fields_text.h"
#include "oracles/targets.h"
#include "support.h"

namespace lockstep::cli::test {
namespace {

using namespace differential;
using nlohmann::json;

// `mode` says who does what; the answer `sum` is the first byte of the text.
enum Mode : std::uint8_t { agree, one_wrong, split, memory, unsupported, alone, count_ };
constexpr std::string_view mode_names[] = {"agree", "one_wrong", "split", "memory", "unsupported", "alone"};
constexpr std::string_view answer_names[] = {"violation", "sum", "size"};
constexpr std::string_view no_reasons[] = {"never on a Sunday"};
constexpr ParticipantInfo infos[] = {{.name = "ours", .origin = "lockstep", .version = {}, .shipped = true},
                                     {.name = "plain", .origin = "plain", .version = {}},
                                     {.name = "foreign", .origin = "foreign", .version = {}}};

class Invented final : public Target {
 public:
  std::string_view name() const noexcept override { return "invented"; }
  std::uint8_t id() const noexcept override { return 200; }
  std::span<const std::string_view> answers() const noexcept override { return answer_names; }
  std::span<const std::string_view> operations() const noexcept override { return {}; }
  std::span<const ParticipantInfo> participants() const override { return infos; }
  AnswerSet declared(std::size_t) const override { return {1}; }
  std::span<const std::string_view> limits(std::size_t) const override { return no_reasons; }
  unsigned stride_blocks(std::size_t) const override { return 0; }
  bool has_lanes() const noexcept override { return false; }

  void run(std::span<const std::uint8_t> input, Run& run, differential::Effort) const override {
    const auto body = input.subspan(header_target(input) ? header_bytes : 0);
    const std::uint8_t mode = body.empty() ? 0 : body[0];
    const std::uint8_t sum = body.size() < 2 ? 0 : body[1];
    run.outcomes.resize(std::size(infos));
    for (std::size_t i = 0; i < std::size(infos); ++i) {
      Outcome& outcome = run.outcomes[i];
      outcome.clear();
      if (mode == unsupported || (mode == alone && i != 1)) {
        outcome.set_unsupported(no_reasons[0]);
        continue;
      }
      const bool wrong = (mode == one_wrong && i == 0) || (mode == split && i > 0);
      const std::uint8_t bytes[] = {7, static_cast<std::uint8_t>(sum + (wrong ? i + 1 : 0))};
      outcome.set(1, std::span<const std::uint8_t>(bytes));
      if (mode == memory && i == 0)
        outcome.violate(ViolationKind::memory, "wrote 1 byte behind the end of out");
    }
    judge(run.outcomes, run.verdict);
  }
  void unsteered(std::span<const std::uint8_t>, std::vector<std::uint8_t>&) const override {}
  void naive(std::span<const std::uint8_t>, std::vector<std::uint8_t>&) const override {}
  std::size_t naive_oracle() const override { return 2; }
  AnswerSet naive_answers() const override { return {1}; }
  AnswerSet core_answers() const override { return {1}; }
  std::shared_ptr<const void> take_copy(differential::AppendParticipants, std::string&) const override {
    return nullptr;
  }
  void ask_copy(const void*, std::size_t, Outcome&) const override {}
  void judge(std::span<const Outcome> outcomes, Verdict& verdict) const override {
    compare(infos, outcomes, {1}, verdict);
  }
  [[nodiscard]] const CellMap& cells() const override { return oracles::find_target("ghash")->cells(); }
  void points(std::span<const std::uint8_t>, std::vector<CellPoint>&) const override {}
  std::size_t mutate(std::span<std::uint8_t>, std::size_t size, std::uint64_t, const Aim&) const override {
    return size;
  }
  std::size_t cross_over(std::span<const std::uint8_t>, std::span<const std::uint8_t>,
                         std::span<std::uint8_t>, std::uint64_t) const override {
    return 0;
  }
  std::vector<std::uint8_t> draw(std::uint64_t) const override { return {}; }
  std::vector<Field> fields(std::span<const std::uint8_t> input) const override {
    const auto body = input.subspan(header_target(input) ? header_bytes : 0);
    const std::string text = body.size() < 2 ? "" : to_hex(body.subspan(1));
    return {{"mode", std::string(mode_names[body.empty() ? 0 : body[0]]), false},
            {"text_bytes", std::to_string(text.size() / 2), true},
            {"fill_seed", "0", true},
            {"text", text, false}};
  }
  std::optional<std::vector<std::uint8_t>> encode(const Vector& vector, std::string& error) const override {
    std::vector<std::uint8_t> bytes = {'L', 'S', id(), format_version, 0};
    if (const auto mode = vector.fields.find("mode"); mode != vector.fields.end()) {
      const auto* const found = std::ranges::find(mode_names, mode->second);
      if (found == std::end(mode_names)) {
        error = "field 'mode' is wrong";
        return std::nullopt;
      }
      bytes[4] = static_cast<std::uint8_t>(found - std::begin(mode_names));
    }
    if (const auto text = vector.fields.find("text"); text != vector.fields.end()) {
      const std::optional<std::vector<std::uint8_t>> content = from_hex(text->second);
      bytes.insert(bytes.end(), content->begin(), content->end());
    }
    return bytes;
  }
  differential::Place locate(std::span<const std::uint8_t>, const Run&) const override {
    return {3, 1, "block 3 of 9, lane 1 of 2"};
  }
  [[noreturn]] void trap(std::size_t) const override { std::abort(); }
};

const Invented invented;
const Target* const list[] = {&invented};
const Targets targets = list;

struct Result {
  int exit_code = 0;
  std::string out, err;
  [[nodiscard]] json parsed() const { return json::parse(out); }
};

Result run_check(const std::vector<std::string>& files, bool as_json = false) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = check({.files = files, .json = as_json}, targets);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

Result run_check(const std::string& contents, bool as_json = false) {
  const TemporaryFile file("v.txt", contents);
  return run_check(std::vector{file.path()}, as_json);
}

Result run_repro(const std::string& contents, const std::string& target = {}, bool as_json = false) {
  const TemporaryFile file("v.case", contents);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int code = 0;
  try {
    code = repro({.file = file.path(), .target = target, .json = as_json}, targets);
  } catch (const InputError& error) {
    code = exit_unusable;
    std::fputs(error.what(), stderr);
  }
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

std::string last_line(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string block(std::string_view mode, std::string_view rest = "expect.sum = 0705\n") {
  return "[invented]\nmode = " + std::string(mode) + "\ntext = 05\n" + std::string(rest);
}

TEST(Check, PassesWhatAllAnswerRight) {
  const Result result = run_check(block("agree") + "\n" + block("agree"));
  EXPECT_EQ(result.exit_code, exit_clean);
  EXPECT_EQ(last_line(result.out), "6 passed, 0 failed, 0 skipped");
}

TEST(Check, HoldsEveryoneAgainstTheFile) {
  const Result result = run_check(block("agree", "expect.sum = 0706\nsource = a book\n"), true);
  EXPECT_EQ(result.exit_code, exit_disagreement);
  const json root = result.parsed();
  EXPECT_EQ(root["failed"], 3);
  ASSERT_EQ(root["failures"].size(), 3U);
  const json& failure = root["failures"][0];
  EXPECT_EQ(failure["index"], 1);
  EXPECT_EQ(failure["line"], 1);
  EXPECT_EQ(failure["answer"], "sum");
  EXPECT_EQ(failure["participant"], "ours");
  EXPECT_EQ(failure["expected"], "0706");
  EXPECT_EQ(failure["got"], "0705");
  EXPECT_EQ(failure["byte"], 1);
  EXPECT_EQ(failure["remarks"]["source"], "a book");
}

TEST(Check, BlamesTheOutvotedWhereTheFileIsSilent) {
  const json root = run_check(block("one_wrong", ""), true).parsed();
  EXPECT_EQ(root["passed"], 2);
  ASSERT_EQ(root["failures"].size(), 1U);
  EXPECT_EQ(root["failures"][0]["participant"], "ours");
  EXPECT_EQ(root["failures"][0]["expected"], "0705");
}

TEST(Check, BlamesAllWithoutAMajority) {
  const Result result = run_check(block("split", ""));
  EXPECT_EQ(result.exit_code, exit_disagreement);
  EXPECT_EQ(last_line(result.out), "0 passed, 3 failed, 0 skipped");
}

TEST(Check, LetsTheFileDecideBetweenGroups) {
  const json root = run_check(block("split"), true).parsed();
  EXPECT_EQ(root["passed"], 1);
  EXPECT_EQ(root["failed"], 2);
}

TEST(Check, TellsMemoryFaultsByTheExitCode) {
  const Result result = run_check(block("memory"), true);
  EXPECT_EQ(result.exit_code, exit_memory_fault);
  EXPECT_EQ(result.parsed()["failures"][0]["answer"], "violation");
}

TEST(Check, SkipsWithReasonsAndSaysWhenNothingWasCompared) {
  const Result result = run_check(block("unsupported"), true);
  EXPECT_EQ(result.exit_code, exit_nothing_compared);
  const json root = result.parsed();
  EXPECT_EQ(root["skipped"], 3);
  ASSERT_EQ(root["skips"].size(), 3U);
  EXPECT_EQ(root["skips"][0]["reason"], "ours: never on a Sunday");
  EXPECT_EQ(root["skips"][0]["count"], 1);
  EXPECT_EQ(last_line(run_check(block("unsupported")).out), "0 passed, 0 failed, 3 skipped");
}

TEST(Check, AnExpectedAnswerThatNobodyGivesFails) {
  const json root = run_check(block("agree", "expect.size = 01\n"), true).parsed();
  EXPECT_EQ(root["failed"], 3);
  EXPECT_EQ(root["failures"][0]["answer"], "size");
  EXPECT_EQ(root["failures"][0]["got"], "no answer");
}

TEST(Check, ReadsEverythingBeforeItRuns) {
  const TemporaryFile good("good.txt", block("agree"));
  const TemporaryFile bad("bad.txt", block("agree", "expect.some = 00\n"));
  const Result result = run_check({good.path(), bad.path(), "/nonexistent"}, true);
  EXPECT_EQ(result.exit_code, exit_unusable);
  const json root = result.parsed();
  EXPECT_EQ(root["passed"], 0);
  ASSERT_EQ(root["errors"].size(), 2U);
  EXPECT_EQ(root["errors"][0]["line"], 4);
  EXPECT_EQ(root["errors"][0]["field"], "expect.some");
  EXPECT_NE(result.err.find("bad.txt:4"), std::string::npos);
}

std::string case_file(Mode mode, const std::string& text = "\5") {
  return std::string{'L', 'S', static_cast<char>(200), 1, static_cast<char>(mode)} + text;
}

TEST(Repro, ExitCodes) {
  EXPECT_EQ(run_repro(case_file(agree)).exit_code, exit_clean);
  EXPECT_EQ(run_repro(case_file(one_wrong)).exit_code, exit_disagreement);
  EXPECT_EQ(run_repro(case_file(split)).exit_code, exit_disagreement);
  EXPECT_EQ(run_repro(case_file(memory)).exit_code, exit_memory_fault);
  EXPECT_EQ(run_repro(case_file(unsupported)).exit_code, exit_nothing_compared);
  EXPECT_EQ(run_repro(case_file(alone)).exit_code, exit_nothing_compared);
}

TEST(Repro, Json) {
  const json root = run_repro(case_file(one_wrong), {}, true).parsed();
  EXPECT_EQ(root["target"], "invented");
  EXPECT_EQ(root["case"]["mode"], "one_wrong");
  EXPECT_EQ(root["case"]["text_bytes"], 1);
  EXPECT_EQ(root["case"]["text"], "05");
  ASSERT_EQ(root["groups"].size(), 2U);
  EXPECT_EQ(root["groups"][0]["participants"], json({"ours"}));
  EXPECT_EQ(root["groups"][0]["answers"]["sum"], "0706");
  EXPECT_EQ(root["groups"][1]["participants"], json({"plain", "foreign"}));
  EXPECT_EQ(root["outvoted"], json({"ours"}));
  EXPECT_EQ(root["first_difference"]["answer"], "sum");
  EXPECT_EQ(root["first_difference"]["byte"], 1);
  EXPECT_EQ(root["first_difference"]["block"], 3);
  EXPECT_EQ(root["first_difference"]["lane"], 1);
  EXPECT_EQ(root["signature"], "invented/disagreement/ours/sum");
  const json peace = run_repro(case_file(agree), {}, true).parsed();
  EXPECT_EQ(peace["groups"].size(), 1U);
  EXPECT_TRUE(peace["first_difference"].is_null());
  EXPECT_TRUE(peace["signature"].is_null());
  EXPECT_TRUE(peace["outvoted"].empty());
}

TEST(Repro, Words) {
  const std::string out = run_repro(case_file(split)).out;
  EXPECT_NE(out.find("no majority"), std::string::npos) << out;
  EXPECT_NE(out.find("sum: 3 groups, first difference at byte 1"), std::string::npos) << out;
  const std::string unasked = run_repro(case_file(alone)).out;
  EXPECT_NE(unasked.find("ours: never on a Sunday"), std::string::npos) << unasked;
  EXPECT_NE(unasked.find("nothing was compared"), std::string::npos) << unasked;
  // A long text must not make long lines.
  const std::string wide = run_repro(case_file(one_wrong, std::string(5000, 'x'))).out;
  for (std::size_t begin = 0; begin < wide.size();) {
    const std::size_t end = std::min(wide.find('\n', begin), wide.size());
    // But for the name of the file.
    if (wide[begin] != '/') {
      EXPECT_LE(end - begin, 110U) << wide.substr(begin, end - begin);
    }
    begin = end + 1;
  }
}

TEST(Repro, RawInputNeedsATarget) {
  const std::string raw = case_file(one_wrong).substr(header_bytes);
  const Result lost = run_repro(raw);
  EXPECT_EQ(lost.exit_code, exit_unusable);
  EXPECT_NE(lost.err.find("--target"), std::string::npos);
  EXPECT_EQ(run_repro(raw, "invented").exit_code, exit_disagreement);
  EXPECT_EQ(run_repro(raw, "imagined").exit_code, exit_unusable);
}

TEST(Repro, HeadersThatDoNotFit) {
  const std::string of_another = replaced(case_file(agree), "\xc8", "\xc9");
  EXPECT_EQ(run_repro(of_another).exit_code, exit_unusable);
  const std::string newer = replaced(case_file(agree), "\1", "\2");
  const Result result = run_repro(newer);
  EXPECT_EQ(result.exit_code, exit_unusable);
  EXPECT_NE(result.err.find("version 2"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace lockstep::cli::test
