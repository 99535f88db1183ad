// What is counted as covered of GHASH: attributes of a kernel call, what of them cannot be together, and the
// points of a case.
#include "oracles/differential/cell_values.h"
#include "oracles/differential/pieces.h"
#include "oracles/ghash/algorithm.h"

namespace lockstep::oracles::ghash {
namespace {

using differential::CellDeclaration;
using differential::CellPoint;

enum Attribute : std::uint8_t {
  implementation,
  length,
  strides_run,
  tail,
  split_phase,
  hand_over,
  call,
  guard_in,
  guard_out,
  key_steering,
  text_steering,
  reuse,
  rekey,
  between,
};

constexpr unsigned one_shot = static_cast<unsigned>(Call::one_shot);

constexpr differential::CellConstraint constraints[] = {
    {tail, tail, differential::tail_possible, "a tail is shorter than a stride"},
    {length, length, differential::length_possible, "beside a stride of one block there are no whole blocks"},
    {tail, split_phase, differential::tail_fits_phase,
     "kernel calls start at a block, so that the rest is where the piece ends"},
    {hand_over, call,
     [](unsigned, unsigned next, unsigned how) noexcept { return next == 0 || how != one_shot; },
     "a one-shot call has nothing to hand over"},
    {call, reuse,
     [](unsigned, unsigned how, unsigned before) noexcept { return before == 0 || how != one_shot; },
     "a one-shot call has no object to use again"},
    {call, between,
     [](unsigned, unsigned how, unsigned what) noexcept { return what == 0 || how != one_shot; },
     "nothing can be done within a one-shot call"},
};

std::size_t scheduled(const Case& question, std::size_t number) noexcept {
  return differential::resolve(question.schedule[number % question.schedule.size()],
                               Algorithm::implementation_references());
}

}  // namespace

CellDeclaration Algorithm::cell_declaration() {
  using differential::operator+;
  const std::vector<std::string> names = differential::words_of(implementation_names());
  CellDeclaration declared;
  declared.attributes = {
      {"implementation", names},
      {"length", differential::length_words()},
      {"strides", differential::strides_words()},
      {"tail", differential::tail_words()},
      {"split_phase", differential::phase_words()},
      {"hand_over", std::vector<std::string>{"none"} + names},
      {"call", {"one_shot", "incremental"}},
      {"guard_in", differential::guard_words()},
      {"guard_out", differential::guard_words()},
      {"key_steering", {"none", "zero", "one", "x", "all_ones", "single_bit"}},
      {"text_steering", {"none", "zero", "all_ones", "single_bit", "equal_blocks"}},
      {"reuse", {"none", "after_success", "after_abandonment"}},
      {"rekey", {"no", "yes"}},
      {"between", differential::between_words()},
  };
  declared.strides.assign(strides().begin(), strides().end());
  declared.triples = {{implementation, tail, key_steering},
                      {implementation, tail, guard_in},
                      {implementation, split_phase, hand_over}};
  declared.constraints.assign(std::begin(constraints), std::end(constraints));
  return declared;
}

// What a piece leaves of a block is kept, and hashed alone later: `tail` says whether there is such a rest.
void Algorithm::cells(const Case& question, std::vector<CellPoint>& points) {
  const bool in_pieces = question.call == Call::incremental;
  const auto pieces = differential::cut(question.text_bytes, question.in_cut_count, question.in_cuts);
  CellPoint point = {};
  point[call] = static_cast<std::uint8_t>(question.call);
  point[guard_in] = differential::guard_value(question.in_placement);
  point[guard_out] = differential::guard_value(question.out_placement);
  point[key_steering] = static_cast<std::uint8_t>(question.key_steering);
  point[text_steering] = static_cast<std::uint8_t>(question.text_steering);
  point[rekey] = question.rekey ? 1 : 0;
  if (in_pieces) {
    point[reuse] = static_cast<std::uint8_t>(question.reuse);
    point[between] =
        differential::between_value(question.export_before, question.copy_before, 0, pieces.count);
  }
  for (std::size_t i = 0; i < pieces.count; ++i) {
    const std::size_t end = pieces.bounds[i + 1];
    const std::size_t start = (pieces.bounds[i] + 15) / 16 * 16;
    const std::size_t bytes = end > start ? end - start : 0;
    const bool last = i + 1 == pieces.count;
    point[split_phase] = static_cast<std::uint8_t>(last ? differential::last_phase : end % 16);
    const auto add = [&](std::size_t by, std::size_t next) {
      const std::size_t stride = strides()[by];
      point[implementation] = static_cast<std::uint8_t>(by);
      point[length] = differential::length_value(question.text_bytes, stride);
      point[strides_run] = differential::strides_value(bytes / 16 / stride);
      point[tail] = differential::tail_value(bytes / 16 % stride, bytes % 16 != 0);
      point[hand_over] = static_cast<std::uint8_t>(next);
      points.push_back(point);
    };
    for (std::size_t by = 0; by < strides().size(); ++by) add(by, 0);
    if (question.hand_over && in_pieces) add(scheduled(question, i), scheduled(question, i + 1) + 1);
  }
}

}  // namespace lockstep::oracles::ghash
