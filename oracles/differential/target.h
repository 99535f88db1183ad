#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/differential/cells.h"
#include "oracles/differential/outcome.h"
#include "oracles/differential/participant.h"
#include "oracles/differential/verdict.h"

// What the loop, the program and the tests know of an algorithm: constants and functions over bytes, the case
// type behind them. Made from an algorithm's traits by harness.h.
namespace lockstep::differential {

inline constexpr std::uint8_t format_version = 1;
inline constexpr std::size_t header_bytes = 4;  // 'L' 'S', target id, version

// A block of a bulk loop or of a tail that a participant ran over while something steered happened to it.
struct LaneHit {
  std::uint8_t participant = 0;
  std::uint8_t operation = 0;  // index into Target::operations
  bool bulk = false;           // else: in the tail
  std::uint16_t lane =
      0;  // block index modulo the stride; in the tail, block index after the last full stride
};

// What a campaign counts about a case beside its verdict.
struct Facts {
  std::size_t text_bytes = 0;
  bool steered = false;
  bool hand_over = false;
  std::uint8_t operations = 0;  // bit i: Target::operations[i] took place
};

// One case and everything that came of it. Reused without allocating.
struct Run {
  std::vector<Outcome> outcomes;  // one per participant
  Verdict verdict;
  Facts facts;
  std::vector<LaneHit> lanes;
  std::vector<CellPoint> points;
};

struct Field {
  std::string_view name;
  std::string value;
  bool number = false;  // printed without quotes in JSON
};

// A vector of any file format, in words of the case: fields, and the answers that every participant must
// give.
struct Vector {
  std::map<std::string, std::string, std::less<>>
      fields;  // as Field; contents in hex; sizes follow from contents
  std::map<std::string, std::string, std::less<>> answers;  // answer name -> hex, or text for `*_status`
};

// Where in a message a byte of an answer lies, and on which path the implementation was there.
struct Place {
  std::optional<std::size_t> block;
  std::optional<std::size_t> lane;  // in a bulk loop
  std::string words;
};

// A campaign may leave out a participant where it is slow and others answer; a single question asks everyone;
// a naive target has each implementation and one foreign library, and looks neither at lanes nor at cells.
enum class Effort : std::uint8_t { everyone, sampled, naive };

// Where a mutation should lead: not anywhere without `filled`, one byte for each cell.
struct Aim {
  std::span<const std::uint8_t> filled;
  unsigned percent = 0;  // how often
};

using AppendParticipants = void (*)(void* participants);

class Target {
 public:
  virtual ~Target() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual std::uint8_t id() const noexcept = 0;
  [[nodiscard]] virtual std::span<const std::string_view> answers() const noexcept = 0;
  [[nodiscard]] virtual std::span<const std::string_view> operations() const noexcept = 0;
  [[nodiscard]] virtual std::span<const ParticipantInfo> participants() const = 0;
  // The answers that a participant gives to some case.
  [[nodiscard]] virtual AnswerSet declared(std::size_t participant) const = 0;
  [[nodiscard]] virtual std::span<const std::string_view> limits(std::size_t participant) const = 0;
  // Whole strides of participant i's bulk loop, 0 for an oracle; and how many positions its tail has.
  [[nodiscard]] virtual unsigned stride_blocks(std::size_t participant) const = 0;
  // Whether the wrap lanes of Run::lanes mean something here.
  [[nodiscard]] virtual bool has_lanes() const noexcept = 0;

  // Decodes (with or without header), runs every participant, compares. The `run` is overwritten.
  virtual void run(std::span<const std::uint8_t> input, Run& run, Effort effort) const = 0;
  void run(std::span<const std::uint8_t> input, Run& run) const { this->run(input, run, Effort::everyone); }
  // The cells of this target: the same for every build on one CPU.
  [[nodiscard]] virtual const CellMap& cells() const = 0;
  // Appends the points of a case, without running it.
  virtual void points(std::span<const std::uint8_t> input, std::vector<CellPoint>& list) const = 0;
  // Rewrites data[0 .. size) into another case of at most data.size() bytes; a pure function of its
  // arguments. `aim`: the cells that are filled, of which it then often looks for another one.
  virtual std::size_t mutate(std::span<std::uint8_t> data, std::size_t size, std::uint64_t seed,
                             const Aim& aim) const = 0;
  std::size_t mutate(std::span<std::uint8_t> data, std::size_t size, std::uint64_t seed) const {
    return mutate(data, size, seed, {});
  }
  virtual std::size_t cross_over(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                                 std::span<std::uint8_t> out, std::uint64_t seed) const = 0;
  // A fresh case of the campaign's own distribution, encoded with header.
  [[nodiscard]] virtual std::vector<std::uint8_t> draw(std::uint64_t seed) const = 0;

  // The same case with nothing solved for, as bytes with header. `input` must not lie in `output`.
  virtual void unsteered(std::span<const std::uint8_t> input, std::vector<std::uint8_t>& output) const = 0;
  // The case that a naive target makes of raw bytes, as bytes with header.
  virtual void naive(std::span<const std::uint8_t> raw, std::vector<std::uint8_t>& output) const = 0;
  // Whom a naive target compares with, and in what answers.
  [[nodiscard]] virtual std::size_t naive_oracle() const = 0;
  [[nodiscard]] virtual AnswerSet naive_answers() const = 0;
  // Those by which a participant has taken part.
  [[nodiscard]] virtual AnswerSet core_answers() const = 0;

  // The decoded case in words, in the order of the format.
  [[nodiscard]] virtual std::vector<Field> fields(std::span<const std::uint8_t> input) const = 0;
  // Fields -> case -> bytes with header. On an error nothing, and `error` says which field and why.
  [[nodiscard]] virtual std::optional<std::vector<std::uint8_t>> encode(const Vector& vector,
                                                                        std::string& error) const = 0;
  // The first difference in the terms of the outvoted participant.
  [[nodiscard]] virtual Place locate(std::span<const std::uint8_t> input, const Run& run) const = 0;

  // The shipped participants of another copy of the library: `append` adds them to a std::vector of
  // Participant. Null, and `error` says why, if one of ours is not among them.
  [[nodiscard]] virtual std::shared_ptr<const void> take_copy(AppendParticipants append,
                                                              std::string& error) const = 0;
  // Asks the copy's participant of this index the case of the last run(), as that asked its own.
  virtual void ask_copy(const void* copy, std::size_t participant, Outcome& outcome) const = 0;
  // Compares the outcomes as run() does.
  virtual void judge(std::span<const Outcome> outcomes, Verdict& verdict) const = 0;

  // Ends the process inside a function that is named after the algorithm and the participant.
  [[noreturn]] virtual void trap(std::size_t participant) const = 0;
};

// Has the input our header, in a version that is known here? Then its target id.
inline std::optional<std::uint8_t> header_target(std::span<const std::uint8_t> input) noexcept {
  const bool ours =
      input.size() >= header_bytes && input[0] == 'L' && input[1] == 'S' && input[3] == format_version;
  return ours ? std::optional(input[2]) : std::nullopt;
}

}  // namespace lockstep::differential
