// Our own format: blocks apart by blank lines. A block opens with its target, `[aes_gcm]`; then `name =
// value` with the fields of the case, `expect.<answer> = value`, `source` and `comment`. Lines that open with
// `#` are comments.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/case_names.h"
#include "cli/input_error.h"
#include "cli/vectors/readers.h"

namespace lockstep::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

class Reader {
 public:
  Reader(Targets targets, VectorFile& file) : targets_(targets), file_(file) {}

  void read(std::string_view contents) {
    Lines lines(contents);
    for (std::string_view raw; lines.next(raw);) {
      line_ = lines.number();
      const std::string_view line = trimmed(raw);
      if (line.empty()) {
        finish_block();
      } else if (line.front() == '[') {
        begin_block(line);
      } else if (line.front() != '#') {
        assign(line);
      }
    }
    finish_block();
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::string_view field, std::string problem,
                         std::string advice) const {
    throw InputError(file_.path, line, std::string(field), std::move(problem), std::move(advice));
  }

  void begin_block(std::string_view line) {
    if (block_.target != nullptr) {
      fail(line_, line, "a second target inside one block", "Put a blank line between two blocks.");
    }
    const std::string_view name = line.ends_with(']') ? line.substr(1, line.size() - 2) : line.substr(1);
    block_ = {};
    lines_of_.clear();
    block_.target = find_target(targets_, name);
    if (block_.target == nullptr || !line.ends_with(']')) {
      std::vector<std::string> known;
      for (const differential::Target* target : targets_)
        known.push_back(fmt::format("[{}]", target->name()));
      fail(line_, line, "is no target of this program", "Targets: " + joined(known) + ".");
    }
    block_.line = line_;
    block_.index = file_.vectors.size() + 1;
    block_.questions.emplace_back();
  }

  void assign(std::string_view line) {
    std::string_view name, value;
    if (!split_assignment(line, name, value)) {
      fail(line_, line, "neither `name = value` nor `[target]`", "Comments open with #.");
    }
    if (block_.target == nullptr) {
      fail(line_, name, "stands outside a block", "A block opens with its target, such as [aes_gcm].");
    }
    if (!lines_of_.emplace(std::string(name), line_).second) {
      fail(line_, name, "is said twice in one block",
           "First in line " + std::to_string(lines_of_.find(name)->second) + "; keep one.");
    }
    if (name == "source" || name == "comment") {
      block_.remarks.emplace_back(name, value);
    } else if (constexpr std::string_view expect = "expect."; name.starts_with(expect)) {
      expect_answer(name, name.substr(expect.size()), value);
    } else {
      const CaseNames& names = names_of(*block_.target);
      if (!names.has(name)) {
        fail(line_, name, "is not a field of " + std::string(block_.target->name()),
             "Fields: " + joined(names.fields) + "; also expect.<answer>, source, comment.");
      }
      block_.questions[0].only_as_written |= !names.is_question(name);
      block_.questions[0].vector.fields.emplace(name, value);
    }
  }

  void expect_answer(std::string_view written, std::string_view answer, std::string_view value) {
    const auto answers = block_.target->answers();
    if (answer == answers[differential::violation_answer] ||
        std::ranges::find(answers, answer) == answers.end()) {
      std::vector<std::string> known;
      for (std::string_view each : answers.subspan(1)) known.push_back(fmt::format("expect.{}", each));
      fail(line_, written, "is not an answer of " + std::string(block_.target->name()),
           "Answers: " + joined(known) + ".");
    }
    if (!answer.ends_with("_status") && value != "0" && value != "1" && !is_hex(value)) {
      fail(line_, written, "is not an even number of hex digits", "Give bytes in hex, a flag as 0 or 1.");
    }
    block_.questions[0].vector.answers.emplace(answer, value);
  }

  // The whole block is tried here, where the line of a wrong value is still known.
  void finish_block() {
    if (block_.target == nullptr) return;
    std::string error;
    if (!block_.target->encode(block_.questions[0].vector, error)) {
      for (const auto& [name, line] : lines_of_) {
        const std::string opening = fmt::format("field '{}' ", name);
        if (error.starts_with(opening)) fail(line, name, error.substr(opening.size()), "Correct the value.");
      }
      fail(block_.line, "", error, "Correct the block that starts here.");
    }
    file_.vectors.push_back(std::move(block_));
    block_ = {};
  }

  const CaseNames& names_of(const differential::Target& target) {
    return names_.try_emplace(&target, target).first->second;
  }

  Targets targets_;
  VectorFile& file_;
  std::size_t line_ = 0;
  FileVector block_;
  std::map<std::string, std::size_t, std::less<>> lines_of_;  // of the names in the block
  std::map<const differential::Target*, CaseNames> names_;
};

}  // namespace

void read_text(std::string_view contents, Targets targets, VectorFile& file) {
  Reader(targets, file).read(contents);
}

}  // namespace lockstep::cli
