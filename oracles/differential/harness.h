#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oracles/differential/fields_text.h"
#include "oracles/differential/target.h"

// Makes a Target of an algorithm's traits. `Algorithm` says:
//   Case, name, id, answer_names, core_answers, operations, has_lanes;
//   participants(), implementation_names(), implementation_references(), strides();
//   steer(Case&), plan(Case&) (the part of it that leaves content alone), draw(Case&, Random&), facts(const
//   Case&), lanes(const Case&, std::vector<LaneHit>&), locate(const Case&, answer, byte, participant),
//   typical() (cases from which declared answers can be seen); cell_declaration(), cells(const Case&,
//   std::vector<CellPoint>&) of a planned case.
// perhaps rebalance(Case&, Random&), called after a mutation, so that rare kinds of case stay rare;
// perhaps unsteer(Case&), after which steer() and plan() change nothing;
// perhaps naive(raw bytes) -> Case, naive_oracle (a participant's name), naive_answers: a naive target;
// and beside it, found by its Case: visit(visitor, case).
namespace lockstep::differential {

// Ends the process. One function per algorithm and participant, since fuzzing services tell faults apart by
// the stack: the index is the participant's place in the list, whose name the LOCKSTEP-SIGNATURE line in
// front of it says.
template <class Algorithm, std::size_t participant>
[[noreturn, gnu::noinline]] void mismatch() {
  __builtin_trap();
}

template <class Algorithm>
class TargetOf final : public Target {
 public:
  using Case = typename Algorithm::Case;

  [[nodiscard]] std::string_view name() const noexcept override { return Algorithm::name; }
  [[nodiscard]] std::uint8_t id() const noexcept override { return Algorithm::id; }
  [[nodiscard]] std::span<const std::string_view> answers() const noexcept override {
    return Algorithm::answer_names;
  }
  [[nodiscard]] std::span<const std::string_view> operations() const noexcept override {
    return Algorithm::operations;
  }
  [[nodiscard]] bool has_lanes() const noexcept override { return Algorithm::has_lanes; }
  [[nodiscard]] unsigned stride_blocks(std::size_t participant) const override {
    return participants()[participant].stride_blocks;
  }

  [[nodiscard]] std::span<const ParticipantInfo> participants() const override {
    static const std::vector<ParticipantInfo> infos = [] {
      std::vector<ParticipantInfo> list;
      for (const Participant<Case>& participant : Algorithm::participants()) list.push_back(participant.info);
      return list;
    }();
    return infos;
  }

  [[nodiscard]] AnswerSet declared(std::size_t participant) const override {
    AnswerSet answers;
    for (const Case& question : Algorithm::typical()) {
      const Participant<Case>& asked = Algorithm::participants()[participant];
      if (!asked.unsupported(question, false).empty()) continue;
      const AnswerSet owed = asked.declares(question);
      for (AnswerId answer = 0; answer < max_answers; ++answer) {
        if (owed.contains(answer)) answers.insert(answer);
      }
    }
    return answers;
  }

  [[nodiscard]] std::span<const std::string_view> limits(std::size_t participant) const override {
    static const std::vector<std::vector<std::string_view>> reasons = [] {
      std::vector<std::vector<std::string_view>> lists;
      for (const Participant<Case>& each : Algorithm::participants()) {
        std::vector<std::string_view>& list = lists.emplace_back();
        for (const Limit<Case>& limit : each.limits) list.push_back(limit.reason);
      }
      return lists;
    }();
    return reasons[participant];
  }

  using Target::run;
  void run(std::span<const std::uint8_t> input, Run& run, Effort effort) const override {
    Case& question = scratch();
    decode(input, question);
    const std::span<const Participant<Case>> asked = Algorithm::participants();
    run.outcomes.resize(asked.size());
    begin_case();
    for (std::size_t i = 0; i < asked.size(); ++i) ask(asked[i], question, effort, run.outcomes[i]);
    judge(run.outcomes, run.verdict);
    run.facts = Algorithm::facts(question);
    run.lanes.clear();
    run.points.clear();
    if (effort == Effort::naive) return;
    Algorithm::lanes(question, run.lanes);
    Algorithm::cells(question, run.points);
  }

  [[nodiscard]] const CellMap& cells() const override {
    static const CellMap map(Algorithm::cell_declaration());
    return map;
  }

  void points(std::span<const std::uint8_t> input, std::vector<CellPoint>& list) const override {
    Case& question = scratch();
    decode_fields(input, question);
    Algorithm::plan(question);
    Algorithm::cells(question, list);
  }

  using Target::mutate;
  std::size_t mutate(std::span<std::uint8_t> data, std::size_t size, std::uint64_t seed,
                     const Aim& aim) const override {
    Random random(seed);
    if (!aim.filled.empty() && random.chance(aim.percent) && aim_at_empty_cell(aim.filled, random)) {
      return encode_fields(aimed(), {}, data);
    }
    Case& question = scratch();
    const std::span<const std::uint8_t> content = decode_fields(data.first(size), question);
    buffer().assign(content.begin(), content.end());
    const std::uint64_t way = random.below(100);
    if (way < 70) {
      // Mostly fresh cases: code without branches gives an engine little to climb on, reach comes from
      // drawing well. All content of a fresh case comes from its fill_seed.
      question = Case{};
      Algorithm::draw(question, random);
      buffer().clear();
    } else if (way < 95) {
      change_fields(question, random);
      rebalance(question, random);
      // What a seed decides must not stick to whatever an engine keeps.
      if (random.chance(50)) question.fill_seed = random.next();
    } else if (!buffer().empty()) {
      // Runs of equal bytes in the content: keys, nonces and texts that random bytes never are.
      const std::size_t at = random.below(buffer().size());
      const std::size_t count = std::min<std::size_t>(1 + random.below(32), buffer().size() - at);
      static constexpr std::uint8_t edges[] = {0x00, 0xff, 0x80, 0x01};
      std::fill_n(buffer().begin() + static_cast<std::ptrdiff_t>(at), count, edges[random.below(4)]);
    } else {
      buffer().resize(16 + random.below(64));
      random.fill(buffer());
    }
    return encode_fields(question, buffer(), data);
  }

  std::size_t cross_over(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                         std::span<std::uint8_t> out, std::uint64_t seed) const override {
    Random random(seed);
    Case& question = scratch();
    decode_fields(b, question);
    FieldReader reader;
    visit(reader, std::as_const(question));
    const std::span<const std::uint8_t> content = decode_fields(a, question);
    buffer().assign(content.begin(), content.end());
    FieldSplicer splicer(reader.values, random);
    visit(splicer, question);
    rebalance(question, random);
    return encode_fields(question, buffer(), out);
  }

  [[nodiscard]] std::vector<std::uint8_t> draw(std::uint64_t seed) const override {
    Random random(seed);
    Case question;
    Algorithm::draw(question, random);
    std::vector<std::uint8_t> output = header();
    Encoder encoder(output, Content::leave);
    visit(encoder, std::as_const(question));
    return output;
  }

  void unsteered(std::span<const std::uint8_t> input, std::vector<std::uint8_t>& output) const override {
    Case& question = scratch();
    const std::span<const std::uint8_t> content = decode_fields(input, question);
    if constexpr (requires { Algorithm::unsteer(question); }) Algorithm::unsteer(question);
    output = header();
    Encoder encoder(output, Content::leave);
    visit(encoder, std::as_const(question));
    output.insert(output.end(), content.begin(), content.end());
  }

  void naive(std::span<const std::uint8_t> raw, std::vector<std::uint8_t>& output) const override {
    if constexpr (is_naive) {
      const Case question = Algorithm::naive(raw);
      output = header();
      Encoder encoder(output);
      visit(encoder, question);
    } else {
      output.assign(raw.begin(), raw.end());
    }
  }
  [[nodiscard]] std::size_t naive_oracle() const override {
    const auto everyone = participants();
    if constexpr (is_naive) {
      const auto found = std::ranges::find(everyone, Algorithm::naive_oracle, &ParticipantInfo::name);
      return static_cast<std::size_t>(found - everyone.begin());
    }
    return everyone.size();
  }
  [[nodiscard]] AnswerSet naive_answers() const override {
    if constexpr (is_naive) return Algorithm::naive_answers;
    return core_answers();
  }
  [[nodiscard]] AnswerSet core_answers() const override { return Algorithm::core_answers; }

  [[nodiscard]] std::vector<Field> fields(std::span<const std::uint8_t> input) const override {
    Case question;
    decode(input, question);
    std::vector<Field> list;
    FieldPrinter printer(list, Algorithm::implementation_names(), Algorithm::implementation_references());
    visit(printer, std::as_const(question));
    return list;
  }

  [[nodiscard]] std::optional<std::vector<std::uint8_t>> encode(const Vector& vector,
                                                                std::string& error) const override {
    Case question;
    FieldParser parser(vector, Algorithm::implementation_names(), Algorithm::implementation_references());
    visit(parser, question);
    parser.finish();
    if (!parser.error().empty()) {
      error = parser.error();
      return std::nullopt;
    }
    std::vector<std::uint8_t> output = header();
    Encoder encoder(output);
    visit(encoder, std::as_const(question));
    return output;
  }

  [[nodiscard]] Place locate(std::span<const std::uint8_t> input, const Run& run) const override {
    if (run.verdict.agrees()) return {};
    Case question;
    decode(input, question);
    std::size_t participant = 0;
    while (participant + 1 < run.outcomes.size() && (run.verdict.outvoted >> participant & 1U) == 0)
      ++participant;
    return Algorithm::locate(question, run.verdict.first_difference.answer, run.verdict.first_difference.byte,
                             participant);
  }

  [[nodiscard]] std::shared_ptr<const void> take_copy(AppendParticipants append,
                                                      std::string& error) const override {
    std::vector<Participant<Case>> copies;
    append(&copies);
    // In the places of our own, so that an index means the same.
    const auto placed = std::make_shared<std::vector<Participant<Case>>>();
    for (const Participant<Case>& own : Algorithm::participants()) {
      if (!own.info.shipped) break;
      const auto copy =
          std::ranges::find(copies, own.info.name, [](const auto& each) { return each.info.name; });
      if (copy == copies.end()) {
        error = std::string(own.info.name) + " is not in the copy";
        return nullptr;
      }
      placed->push_back(*copy);
    }
    return placed;
  }

  void ask_copy(const void* copy, std::size_t participant, Outcome& outcome) const override {
    begin_case();
    ask((*static_cast<const std::vector<Participant<Case>>*>(copy))[participant], scratch(), Effort::sampled,
        outcome);
  }

  void judge(std::span<const Outcome> outcomes, Verdict& verdict) const override {
    compare(participants(), outcomes, Algorithm::core_answers, verdict);
  }

  [[noreturn]] void trap(std::size_t participant) const override {
    [participant]<std::size_t... index>(std::index_sequence<index...>) {
      static constexpr void (*mismatches[])() = {mismatch<Algorithm, index>...};
      mismatches[participant]();
    }
    (std::make_index_sequence<max_participants>());
    __builtin_trap();
  }

 private:
  static constexpr bool is_naive = requires(std::span<const std::uint8_t> raw) { Algorithm::naive(raw); };

  // Each implementation by itself, and whom it is compared with.
  static bool is_asked_naively(const ParticipantInfo& info) noexcept {
    if constexpr (is_naive) {
      if (info.name == Algorithm::naive_oracle) return true;
    }
    return info.shipped && info.stride_blocks != 0;
  }

  // One case and one buffer for all executions: their capacities are kept.
  static Case& scratch() {
    static Case question;
    return question;
  }
  static std::vector<std::uint8_t>& buffer() {
    static std::vector<std::uint8_t> bytes;
    return bytes;
  }

  static std::vector<std::uint8_t> header() { return {'L', 'S', Algorithm::id, format_version}; }

  static std::span<const std::uint8_t> body(std::span<const std::uint8_t> input) noexcept {
    return header_target(input) == Algorithm::id ? input.subspan(header_bytes) : input;
  }

  static void decode(std::span<const std::uint8_t> input, Case& question) {
    Decoder decoder(body(input));
    visit(decoder, question);
    Algorithm::steer(question);
  }

  // The fields as they are asked for, unsolved; returns the bytes of content.
  static std::span<const std::uint8_t> decode_fields(std::span<const std::uint8_t> input, Case& question) {
    Decoder decoder(body(input), Content::leave);
    visit(decoder, question);
    return decoder.rest();
  }

  // `content` must not lie in `out`. What does not fit is left out: it is drawn from fill_seed when decoding.
  static std::size_t encode_fields(const Case& question, std::span<const std::uint8_t> content,
                                   std::span<std::uint8_t> out) {
    static std::vector<std::uint8_t> encoded;
    encoded.assign({'L', 'S', Algorithm::id, format_version});
    Encoder encoder(encoded, Content::leave);
    visit(encoder, question);
    encoded.insert(encoded.end(), content.begin(), content.end());
    const std::size_t size = std::min(encoded.size(), out.size());
    std::memcpy(out.data(), encoded.data(), size);
    return size;
  }

  static void change_fields(Case& question, Random& random) {
    static const std::size_t field_count = [] {
      FieldCounter counter;
      const Case any;
      visit(counter, any);
      return counter.count;
    }();
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      FieldMutator mutator(random.below(field_count), random, Algorithm::strides(),
                           Algorithm::implementation_references());
      visit(mutator, question);
    }
  }

  static Case& aimed() {
    static Case question;
    return question;
  }

  // Makes aimed() a case that lies in an empty cell, or comes near to one; false if none is empty. Nothing
  // runs: drawn cases, and changes of the nearest up to now, are planned and looked at. No attribute is known
  // here by name, so that a new one needs nothing but its declaration.
  bool aim_at_empty_cell(std::span<const std::uint8_t> filled, Random& random) const {
    static Case candidate;
    static Case planned;
    static std::vector<CellPoint> points;
    constexpr unsigned tries = 40;
    const std::optional<std::size_t> empty = cells().empty_cell(filled, random.next());
    if (!empty) return false;
    const CellMap::Cell cell = cells().at(*empty);
    unsigned nearest = 0;
    for (unsigned i = 0; i < tries && nearest < cell.count; ++i) {
      if (nearest == 0 || random.chance(30)) {
        candidate = Case{};
        Algorithm::draw(candidate, random);
      } else {
        candidate = aimed();
        change_fields(candidate, random);
      }
      planned = candidate;
      Algorithm::plan(planned);
      points.clear();
      Algorithm::cells(planned, points);
      const unsigned near = CellMap::nearness(cell, points);
      // An equal one replaces the nearest: otherwise all tries would start from the same.
      if (i > 0 && near < nearest) continue;
      nearest = near;
      std::swap(aimed(), candidate);
    }
    return true;
  }

  static void rebalance(Case& question, Random& random) {
    if constexpr (requires { Algorithm::rebalance(question, random); })
      Algorithm::rebalance(question, random);
  }

  // One case in 32, by its own content: the same in every replay.
  static bool asked_twice(const Case& question) noexcept {
    return (question.fill_seed * 0x9e3779b97f4a7c15U >> 40U) % 32 == 5;
  }

  [[gnu::noinline]] static void scribble_on_stack() noexcept {
    std::array<std::uint8_t, 4096> dirt;
    dirt.fill(0xa6);
    __asm__ __volatile__("" : : "r"(dirt.data()) : "memory");
  }

  // False if a fault ended the call.
  static bool answer(const Participant<Case>& asked, const Case& question, Outcome& outcome) {
    static Buffers buffers;
    auto call = [&] { asked.run(asked.self, question, buffers, outcome); };
    Fault fault;
    if (run_catching_faults(call, fault)) return true;
    outcome.violate(ViolationKind::memory, describe(fault, buffers));
    return false;
  }

  static void ask(const Participant<Case>& asked, const Case& question, Effort effort, Outcome& outcome) {
    outcome.clear();
    if (const std::string_view reason = asked.unsupported(question, effort == Effort::sampled);
        !reason.empty()) {
      outcome.set_unsupported(reason);
      return;
    }
    if (effort == Effort::naive && !is_asked_naively(asked.info)) {
      outcome.set_unsupported("not in a naive target");
      return;
    }
    if (!answer(asked, question, outcome)) return;
    if (asked_twice(question)) {
      // On another stack: what was there before is what an answer must not depend on.
      static Outcome again;
      again.clear();
      scribble_on_stack();
      if (!answer(asked, question, again) || again.given() != outcome.given()) {
        outcome.violate(ViolationKind::contract, "the same question, asked again, has other answers");
      }
      for (AnswerId id = 0; id < max_answers; ++id) {
        if (outcome.has(id) && again.has(id) && !std::ranges::equal(outcome.get(id), again.get(id))) {
          outcome.violate(ViolationKind::contract,
                          "asked again, it gives another " + std::string(Algorithm::answer_names[id]));
        }
      }
    }
    const AnswerSet owed = asked.declares(question);
    for (AnswerId answer = 0; answer < max_answers; ++answer) {
      if (owed.contains(answer) && !outcome.has(answer)) {
        outcome.violate(ViolationKind::contract,
                        "declared answer " + std::string(Algorithm::answer_names[answer]) + " is missing");
      }
    }
  }
};

}  // namespace lockstep::differential
