// Files of hashes in NIST's form (SHA's response files, and those of BLAKE2 that others have written in it):
// for each vector `Len` in bits, `Msg`, `MD`. An empty message is written as one byte 00 with `Len = 0`.
#include <array>
#include <optional>
#include <string>

#include "cli/input_error.h"
#include "cli/vectors/readers.h"

namespace lockstep::cli {
namespace {

class Reader {
 public:
  Reader(const differential::Target& target, VectorFile& file) : target_(target), file_(file) {}

  void read(std::string_view contents) {
    Lines lines(contents);
    for (std::string_view raw; lines.next(raw);) {
      line_ = lines.number();
      const std::string_view line = trimmed(raw);
      if (line.empty() || line.front() == '#') continue;
      assign(line);
    }
    finish();
  }

 private:
  enum Name : std::size_t { len, msg, md };
  static constexpr std::array<std::string_view, 3> names = {"Len", "Msg", "MD"};

  [[noreturn]] void fail(std::string_view field, std::string_view problem, std::size_t line) const {
    throw InputError(file_.path, line, std::string(field), std::string(problem),
                     "The format is NIST's for hashes: Len in bits, Msg and MD in hex.");
  }

  void assign(std::string_view line) {
    std::string_view name, value;
    if (!split_assignment(line, name, value)) fail(line, "is not `Name = value`", line_);
    std::size_t which = 0;
    while (which < names.size() && names[which] != name) ++which;
    if (which == names.size()) fail(name, "is no field of this format", line_);
    if (which == len) {
      finish();
      first_line_ = line_;
    } else if (!values_[len]) {
      fail(name, "stands before the first Len", line_);
    } else if (!is_hex(value)) {
      fail(name, "is not an even number of hex digits", line_);
    }
    if (values_[which]) fail(name, "stands twice in one vector", line_);
    values_[which] = value;
  }

  void finish() {
    if (!values_[len]) return;
    for (const Name each : {msg, md}) {
      if (!values_[each]) fail(names[each], "is missing in the vector that starts here", first_line_);
    }
    std::string_view message = *values_[msg];
    if (*values_[len] == "0" && message == "00") message = {};
    if (std::to_string(4 * message.size()) != *values_[len]) {
      fail(names[len], "is not the number of bits of Msg", first_line_);
    }
    FileVector vector;
    vector.target = &target_;
    vector.index = file_.vectors.size() + 1;
    vector.line = first_line_;
    vector.label = "Len = " + std::string(*values_[len]);
    vector.questions.push_back(hash_question({}, message, *values_[md]));
    file_.vectors.push_back(std::move(vector));
    values_ = {};
  }

  const differential::Target& target_;
  VectorFile& file_;
  std::array<std::optional<std::string_view>, names.size()> values_;
  std::size_t line_ = 0;
  std::size_t first_line_ = 0;
};

}  // namespace

void read_digests(std::string_view contents, const differential::Target& target, VectorFile& file) {
  Reader(target, file).read(contents);
}

}  // namespace lockstep::cli
