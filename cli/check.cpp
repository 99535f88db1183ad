#include "cli/check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/exit_code.h"
#include "cli/input_error.h"
#include "cli/shapes.h"
#include "cli/terminal.h"
#include "cli/time_limit.h"
#include "cli/vectors/vector_file.h"
#include "oracles/differential/fields_text.h"
#include "oracles/differential/report.h"
#include "oracles/targets.h"

namespace lockstep::cli {
namespace {

using differential::AnswerGroups;
using differential::AnswerId;
using differential::Outcome;
using differential::Run;
using differential::Target;
using nlohmann::ordered_json;
using Bytes = std::vector<std::uint8_t>;

// A value in a report: whole for machines, around the difference for people.
struct Value {
  std::string whole;
  std::string words;
};

// One participant that failed one vector.
struct Failure {
  std::string file;
  const FileVector* vector = nullptr;
  std::string participant;
  std::string answer;
  std::string shape;
  Value expected, got;
  std::size_t byte = 0;  // where they part

  // Told together with `other`: only the participant differs.
  [[nodiscard]] bool same_as(const Failure& other) const {
    return vector == other.vector && answer == other.answer && expected.whole == other.expected.whole &&
           got.whole == other.got.whole;
  }
};

struct Summary {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::vector<Failure> failures;
  std::vector<Skip> skips;
  bool memory_fault = false;
};

struct Expected {
  AnswerId answer = 0;
  Bytes bytes;
  bool given = false;  // by anyone, in any shape
};

// "1" and "0" are flags; statuses are text; all else is hex.
Bytes expected_bytes(std::string_view answer, std::string_view value) {
  if (answer.ends_with("_status")) return {value.begin(), value.end()};
  if (value == "0" || value == "1") return {static_cast<std::uint8_t>(value == "1")};
  return differential::from_hex(value).value();
}

Value value_of(const Target& target, AnswerId answer, std::span<const std::uint8_t> bytes,
               std::size_t at = 0) {
  Outcome outcome;
  outcome.set(answer, bytes);
  const bool is_text =
      answer == differential::violation_answer || target.answers()[answer].ends_with("_status");
  return {is_text ? std::string(outcome.text(answer)) : differential::to_hex(bytes),
          differential::answer_in_words(target, outcome, answer, at)};
}

Value in_words(std::string_view words) {
  return {std::string(words), std::string(words)};
}

std::size_t first_difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  const std::size_t common = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common), b.begin()).first - a.begin());
}

// Everything that one vector is tried with, and what each participant made of it.
class Trial {
 public:
  Trial(const std::string& file, const FileVector& vector, Summary& summary)
      : file_(file), vector_(vector), target_(*vector.target), summary_(summary) {
    participants_.resize(target_.participants().size());
  }

  void run(const Shapes& shapes, double time_limit) {
    for (const Question& question : vector_.questions) {
      expected_.clear();
      for (const auto& [name, value] : question.vector.answers) {
        const auto found = std::ranges::find(target_.answers(), name);
        expected_.push_back(
            {static_cast<AnswerId>(found - target_.answers().begin()), expected_bytes(name, value)});
      }
      std::ranges::sort(expected_, {}, &Expected::answer);
      for (Participant& participant : participants_) participant.first_answers.clear();
      for (const Shape& shape : shapes.of(question, vector_.index)) ask(question, shape, time_limit);
      demand_answers(question);
    }
    conclude();
  }

 private:
  struct Participant {
    bool answered = false;
    bool failed = false;
    std::string_view unsupported;
    std::map<AnswerId, Bytes>
        first_answers;  // those that the file does not name, from the first shape that gave them
  };

  void ask(const Question& question, const Shape& shape, double time_limit) {
    differential::Vector called = question.vector;
    for (const auto& [name, value] : shape.fields) called.fields.insert_or_assign(name, value);
    std::string error;
    const std::optional<Bytes> bytes = target_.encode(called, error);
    if (!bytes)
      throw InputError(file_, vector_.line, "", vector_.label + ": " + error, "Correct the vector.");
    const auto operation = called.fields.find("operation");
    shape_ = (operation == called.fields.end() ? "" : operation->second + " ") + shape.name;
    static Run run;
    {
      const TimeLimit limit(
          time_limit,
          fmt::format("lockstep: time-out: {}, vector {} ({}), {}: no answer within {} s; someone "
                      "hangs, or --time-limit is too short\n",
                      file_, vector_.index, vector_.label, shape_, time_limit));
      target_.run(*bytes, run);
    }
    if (run.verdict.violation == differential::ViolationKind::memory) summary_.memory_fault = true;
    for (std::size_t i = 0; i < participants_.size(); ++i) hold_against_expected(i, run.outcomes[i]);
    for (const AnswerGroups& groups : run.verdict.disagreements) hold_against_others(question, groups, run);
    for (std::size_t i = 0; i < participants_.size(); ++i) hold_against_other_shapes(i, run.outcomes[i]);
  }

  void hold_against_expected(std::size_t i, const Outcome& outcome) {
    Participant& participant = participants_[i];
    if (!outcome.supported()) {
      if (participant.unsupported.empty()) participant.unsupported = outcome.unsupported();
      return;
    }
    participant.answered = true;
    if (outcome.violation() != differential::ViolationKind::none) {
      fail(i, differential::violation_answer, in_words("none"),
           in_words(outcome.text(differential::violation_answer)));
    }
    for (Expected& expected : expected_) {
      if (!outcome.has(expected.answer)) continue;
      expected.given = true;
      const auto got = outcome.get(expected.answer);
      if (!std::ranges::equal(got, expected.bytes)) fail_bytes(i, expected.answer, expected.bytes, got);
    }
  }

  // An answer that the file does not name: there the others judge.
  void hold_against_others(const Question& question, const AnswerGroups& groups, const Run& run) {
    if (groups.answer == differential::violation_answer) return;
    if (std::ranges::find(expected_, groups.answer, &Expected::answer) != expected_.end()) return;
    if (std::ranges::find(question.open_answers, target_.answers()[groups.answer]) !=
        question.open_answers.end())
      return;
    const auto takes_part = [&](std::size_t i) { return groups.group_of[i] != AnswerGroups::abstained; };
    const auto voted_out = [&](std::size_t i) {
      return takes_part(i) && (run.verdict.outvoted >> i & 1U) != 0;
    };
    bool any_voted_out = false;
    for (std::size_t i = 0; i < participants_.size(); ++i) any_voted_out |= voted_out(i);
    for (std::size_t i = 0; i < participants_.size(); ++i) {
      if (any_voted_out ? !voted_out(i) : !takes_part(i)) continue;
      // Held against someone of another group.
      std::size_t other = 0;
      while (!takes_part(other) || groups.group_of[other] == groups.group_of[i] ||
             (any_voted_out && voted_out(other))) {
        if (++other == participants_.size()) break;
      }
      const auto got = run.outcomes[i].get(groups.answer);
      if (other == participants_.size()) {
        fail(i, groups.answer, in_words("the same answer from everyone"),
             value_of(target_, groups.answer, got));
      } else {
        fail_bytes(i, groups.answer, run.outcomes[other].get(groups.answer), got);
      }
    }
  }

  // However it is called, the answer is the same.
  void hold_against_other_shapes(std::size_t i, const Outcome& outcome) {
    if (!outcome.supported()) return;
    for (std::size_t a = 1; a < target_.answers().size(); ++a) {
      const auto answer = static_cast<AnswerId>(a);
      if (!outcome.has(answer) || std::ranges::find(expected_, answer, &Expected::answer) != expected_.end())
        continue;
      const auto got = outcome.get(answer);
      const auto [first, fresh] = participants_[i].first_answers.try_emplace(answer, got.begin(), got.end());
      if (!fresh && !std::ranges::equal(first->second, got)) fail_bytes(i, answer, first->second, got);
    }
  }

  // An answer that the file names and nobody gave was not checked at all.
  void demand_answers(const Question& question) {
    for (const Expected& expected : expected_) {
      if (expected.given) continue;
      // Whoever accepts what may be rejected gives the message; here nobody did.
      if (!question.open_answers.empty()) continue;
      // Those who owe it; an answer that only some cases have, everyone.
      bool owed = false;
      for (std::size_t i = 0; i < participants_.size(); ++i)
        owed |= target_.declared(i).contains(expected.answer);
      for (std::size_t i = 0; i < participants_.size(); ++i) {
        if (!participants_[i].answered || (owed && !target_.declared(i).contains(expected.answer))) continue;
        fail(i, expected.answer, value_of(target_, expected.answer, expected.bytes), in_words("no answer"));
      }
    }
  }

  void conclude() {
    for (std::size_t i = 0; i < participants_.size(); ++i) {
      const Participant& participant = participants_[i];
      if (participant.failed) {
        ++summary_.failed;
      } else if (participant.answered) {
        ++summary_.passed;
      } else {
        ++summary_.skipped;
        const std::string reason =
            std::string(target_.participants()[i].name) + ": " + std::string(participant.unsupported);
        const auto found = std::ranges::find(summary_.skips, reason, &Skip::reason);
        if (found != summary_.skips.end()) {
          ++found->count;
        } else {
          summary_.skips.push_back({reason, 1});
        }
      }
    }
  }

  void fail_bytes(std::size_t i, AnswerId answer, std::span<const std::uint8_t> expected,
                  std::span<const std::uint8_t> got) {
    const std::size_t at = first_difference(expected, got);
    fail(i, answer, value_of(target_, answer, expected, at), value_of(target_, answer, got, at), at);
  }

  // Only the first fault of a participant is told; the others mostly follow from it.
  void fail(std::size_t i, AnswerId answer, Value expected, Value got, std::size_t byte = 0) {
    if (participants_[i].failed) return;
    participants_[i].failed = true;
    summary_.failures.push_back({.file = file_,
                                 .vector = &vector_,
                                 .participant = std::string(target_.participants()[i].name),
                                 .answer = std::string(target_.answers()[answer]),
                                 .shape = shape_,
                                 .expected = std::move(expected),
                                 .got = std::move(got),
                                 .byte = byte});
  }

  const std::string& file_;
  const FileVector& vector_;
  const Target& target_;
  Summary& summary_;
  std::vector<Participant> participants_;
  std::vector<Expected> expected_;
  std::string shape_;
};

// One line on a terminal, rewritten ten times a second.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shown_(is_terminal(stderr)) {}
  void step() {
    ++done_;
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    fmt::print(stderr, "\r{} of {} vectors", done_, total_);
  }
  void clear() const {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point last_;
};

std::string last_line(const Summary& summary) {
  return fmt::format("{} passed, {} failed, {} skipped", summary.passed, summary.failed, summary.skipped);
}

void print_failure(const Style& style, const Failure& failure, const std::string& participants) {
  const FileVector& vector = *failure.vector;
  std::string where = failure.file;
  if (vector.line != 0) where += fmt::format(":{}", vector.line);
  where += fmt::format(": vector {}", vector.index);
  if (!vector.label.empty()) where += fmt::format(", {}", vector.label);
  fmt::print("{} {}: {}, {}\n", style.red("FAILED"), where, failure.answer, failure.shape);
  fmt::print("    {:<9} {}\n", "by", style.bold(wrapped(participants, 14, 14)));
  fmt::print("    {:<9} {}\n", "expected", wrapped(failure.expected.words, 14, 14));
  fmt::print("    {:<9} {}\n", "got", wrapped(failure.got.words, 14, 14));
  if (failure.byte != 0) fmt::print("    {:<9} byte {} on\n", "differs", failure.byte);
  for (const auto& [name, text] : vector.remarks) {
    fmt::print("    {:<9} {}\n", name, wrapped(text, 14, std::max<std::size_t>(name.size(), 9) + 5));
  }
}

void print_words(const Summary& summary) {
  constexpr std::size_t most_told = 20;
  const Style style(stdout);
  const std::vector<Failure>& failures = summary.failures;
  std::size_t told = 0;
  // Those of one vector stand together.
  for (std::size_t begin = 0, end = 0; begin < failures.size(); begin = end) {
    while (end < failures.size() && failures[end].vector == failures[begin].vector) ++end;
    std::vector<bool> done(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (done[i - begin]) continue;
      std::string participants;
      for (std::size_t j = i; j < end; ++j) {
        if (!failures[j].same_as(failures[i])) continue;
        done[j - begin] = true;
        participants += (participants.empty() ? "" : ", ") + failures[j].participant;
      }
      if (++told <= most_told) print_failure(style, failures[i], participants);
    }
  }
  if (told > most_told) fmt::print("... and {} more like these; --json has them all\n", told - most_told);
  for (const Skip& skip : summary.skips) {
    fmt::print("skipped {}: {}\n", skip.count, wrapped(skip.reason, 4, 20));
  }
  const std::string result = last_line(summary);
  fmt::print("{}\n", summary.failed != 0   ? style.red(result)
                     : summary.passed != 0 ? style.green(result)
                                           : style.yellow(result));
}

void print_json(const Summary& summary, const std::vector<InputError>& errors) {
  ordered_json root = {{"passed", summary.passed},
                       {"failed", summary.failed},
                       {"skipped", summary.skipped},
                       {"failures", ordered_json::array()},
                       {"skips", ordered_json::array()}};
  for (const Failure& failure : summary.failures) {
    ordered_json remarks = ordered_json::object();
    for (const auto& [name, text] : failure.vector->remarks) {
      ordered_json& remark = remarks[name];
      remark = remark.is_null() ? text : remark.get<std::string>() + "\n" + text;
    }
    root["failures"].push_back({{"file", failure.file},
                                {"index", failure.vector->index},
                                {"participant", failure.participant},
                                {"answer", failure.answer},
                                {"line", failure.vector->line},
                                {"label", failure.vector->label},
                                {"target", failure.vector->target->name()},
                                {"shape", failure.shape},
                                {"expected", failure.expected.whole},
                                {"got", failure.got.whole},
                                {"byte", failure.byte},
                                {"remarks", remarks}});
  }
  for (const Skip& skip : summary.skips)
    root["skips"].push_back({{"reason", skip.reason}, {"count", skip.count}});
  if (!errors.empty()) {
    root["errors"] = ordered_json::array();
    for (const InputError& error : errors) {
      root["errors"].push_back({{"file", error.file},
                                {"line", error.line},
                                {"field", error.field},
                                {"problem", error.problem},
                                {"advice", error.advice}});
    }
  }
  fmt::print("{}\n", root.dump(2));
}

// What cannot be asked at all is found before anything runs.
void validate(const VectorFile& file) {
  for (const FileVector& vector : file.vectors) {
    for (const Question& question : vector.questions) {
      std::string error;
      if (!vector.target->encode(question.vector, error)) {
        throw InputError(file.path, vector.line, "",
                         fmt::format("vector {} ({}): {}", vector.index, vector.label, error),
                         "Correct the vector.");
      }
    }
  }
}

}  // namespace

int check(const CheckOptions& options, Targets targets) {
  // All files are read first: a wrong one is told at once, not after minutes.
  std::vector<VectorFile> files;
  std::vector<InputError> errors;
  std::size_t vectors = 0;
  for (const std::string& path : options.files) {
    try {
      VectorFile file = read_vector_file(path, targets);
      validate(file);
      vectors += file.vectors.size();
      files.push_back(std::move(file));
    } catch (const InputError& error) {
      errors.push_back(error);
    }
  }
  Summary summary;
  if (!errors.empty()) {
    const std::string word = Style(stderr).red("error");
    for (const InputError& error : errors) fmt::print(stderr, "lockstep: {}: {}\n", word, error.what());
    fmt::print(stderr, "lockstep: nothing was checked\n");
    if (options.json) print_json(summary, errors);
    return exit_unusable;
  }

  std::map<const Target*, Shapes> shapes;
  Progress progress(vectors);
  for (const VectorFile& file : files) {
    for (const FileVector& vector : file.vectors) {
      const Shapes& ways = shapes.try_emplace(vector.target, *vector.target).first->second;
      Trial(file.path, vector, summary).run(ways, options.time_limit);
      progress.step();
    }
    for (const Skip& skip : file.skips) {
      const auto found = std::ranges::find(summary.skips, skip.reason, &Skip::reason);
      if (found != summary.skips.end()) {
        found->count += skip.count;
      } else {
        summary.skips.push_back(skip);
      }
      summary.skipped += skip.count;
    }
  }
  progress.clear();

  if (options.json) {
    print_json(summary, errors);
    fmt::print(stderr, "{}\n", last_line(summary));
  } else {
    print_words(summary);
  }
  if (summary.memory_fault) return exit_memory_fault;
  if (summary.failed != 0) return exit_disagreement;
  return summary.passed == 0 ? exit_nothing_compared : exit_clean;
}

void add_check(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("check", "Files of test vectors, against every implementation and every oracle");
  const auto options = std::make_shared<CheckOptions>();
  command
      ->add_option("FILE", options->files,
                   "Our own text, Wycheproof .json, NIST .rsp or .txt, answers of Linux .jsonl; told apart "
                   "by contents")
      ->required()
      ->type_name("");
  command->add_flag("--json", options->json, "Machine-readable, to stdout");
  add_time_limit_option(*command, options->time_limit);
  command->footer(
      "Every vector is called one-shot, in place, in pieces, and handed from one implementation to another; "
      "all must\n"
      "give its answers. One vector counts once for each participant.\n"
      "Examples:\n"
      "  lockstep check vectors/aes_gcm_test.json\n"
      "  lockstep check gcmDecrypt128.rsp gcmEncryptExtIV128.rsp linux/*.jsonl\n"
      "  lockstep check mine.txt --json | jq '.failures[] | .participant'\n"
      "A file of our own:\n"
      "  [aes_gcm]\n"
      "  operation = open\n"
      "  key = 00000000000000000000000000000000\n"
      "  nonce = 000000000000000000000000\n"
      "  text =\n"
      "  tag = 58e2fccefa7e3061367f1d57a4e7455a\n"
      "  expect.accepted = 1\n"
      "  source = McGrew and Viega, test case 1\n"
      "Exit codes: 0 all passed, 1 some failed, 2 memory fault, 3 time-out, 4 nothing was compared, 5 "
      "unreadable.");
  command->callback([options, &exit_code] { exit_code = check(*options, lockstep::oracles::targets()); });
}

}  // namespace lockstep::cli
