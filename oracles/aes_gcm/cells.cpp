// What is counted as covered of AES-GCM: attributes of a kernel call, what of them cannot be together, and
// the points of a case.
#include <algorithm>
#include <string>

#include "oracles/aes_gcm/algorithm.h"
#include "oracles/aes_gcm/kernel_calls.h"
#include "oracles/aes_gcm/steering.h"
#include "oracles/differential/cell_values.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using differential::CellDeclaration;
using differential::CellPoint;
using differential::last_phase;
using differential::no_tail;
using differential::numbered;
using differential::tail_blocks;
using differential::tail_has_rest;
using differential::widest_stride;

enum Attribute : std::uint8_t {
  implementation,
  operation,
  length,
  strides_run,
  tail,
  wrap_lane,
  split_phase,
  hand_over,
  aliasing,
  call,
  guard_in,
  guard_out,
  aad,
  nonce,
  tag_size,
  reuse,
  rekey,
  between,
};

enum OperationValue : std::uint8_t { seals, opens, rejects };
enum CallValue : std::uint8_t { one_shot, incremental, scatter_one_shot, scatter_incremental };
enum NonceValue : std::uint8_t { of_12, below_16, of_16, whole_blocks, blocks_and_rest };

// Values of wrap_lane: none, the lanes of a bulk loop, the blocks of a tail.
constexpr unsigned no_wrap = 0;
constexpr unsigned first_bulk_lane = 1;
constexpr unsigned first_tail_lane = first_bulk_lane + widest_stride;
constexpr bool in_tail(unsigned wrap) noexcept {
  return wrap >= first_tail_lane;
}
constexpr bool in_bulk(unsigned wrap) noexcept {
  return wrap != no_wrap && !in_tail(wrap);
}

constexpr bool one_call(unsigned how) noexcept {
  return how == one_shot || how == scatter_one_shot;
}

constexpr differential::CellConstraint constraints[] = {
    {tail, tail, differential::tail_possible, "a tail is shorter than a stride"},
    {length, length, differential::length_possible, "beside a stride of one block there are no whole blocks"},
    {wrap_lane, wrap_lane,
     [](unsigned stride, unsigned wrap, unsigned) noexcept {
       return wrap == no_wrap || wrap - (in_tail(wrap) ? first_tail_lane : first_bulk_lane) < stride;
     },
     "a stride has no such lane"},
    {strides_run, wrap_lane,
     [](unsigned, unsigned strides, unsigned wrap) noexcept { return strides > 0 || !in_bulk(wrap); },
     "where no stride runs nothing wraps in one"},
    {tail, wrap_lane,
     [](unsigned, unsigned t, unsigned wrap) noexcept {
       return !in_tail(wrap) || wrap - first_tail_lane < tail_blocks(t) + (tail_has_rest(t) ? 1 : 0);
     },
     "the tail has no such block"},
    {wrap_lane, nonce,
     [](unsigned, unsigned wrap, unsigned bytes) noexcept { return wrap == no_wrap || bytes >= of_16; },
     "a wrap is solved for with a block of nonce"},
    {tail, split_phase, differential::tail_fits_phase,
     "kernel calls start at a block, so that the rest is where the piece ends"},
    {split_phase, call,
     [](unsigned, unsigned phase, unsigned how) noexcept { return phase == last_phase || how != one_shot; },
     "a one-shot call has one piece"},
    {hand_over, call,
     [](unsigned, unsigned next, unsigned how) noexcept { return next == 0 || !one_call(how); },
     "a one-shot call has nothing to hand over"},
    {call, reuse,
     [](unsigned, unsigned how, unsigned before) noexcept { return before == 0 || !one_call(how); },
     "a one-shot call has no object to use again"},
    {call, between,
     [](unsigned, unsigned how, unsigned what) noexcept { return what == 0 || !one_call(how); },
     "nothing can be done within a one-shot call"},
    // Text is refused where buffers overlap in part: nothing runs.
    {aliasing, strides_run,
     [](unsigned, unsigned how, unsigned strides) noexcept { return how != 2 || strides == 0; },
     "overlapping text is refused"},
    {aliasing, tail, [](unsigned, unsigned how, unsigned t) noexcept { return how != 2 || t == no_tail; },
     "overlapping text is refused"},
    {aliasing, wrap_lane,
     [](unsigned, unsigned how, unsigned wrap) noexcept { return how != 2 || wrap == 0; },
     "overlapping text is refused"},
    {aliasing, split_phase,
     [](unsigned, unsigned how, unsigned phase) noexcept { return how != 2 || phase == last_phase; },
     "overlapping text is refused"},
    {aliasing, hand_over,
     [](unsigned, unsigned how, unsigned next) noexcept { return how != 2 || next == 0; },
     "overlapping text is refused"},
    {operation, aliasing,
     [](unsigned, unsigned what, unsigned how) noexcept { return how != 2 || what != opens; },
     "overlapping text is refused"},
};

std::uint8_t aad_class(std::uint32_t bytes) noexcept {
  if (bytes == 0) return 0;
  if (bytes < 16) return 1;
  if (bytes == 16) return 2;
  return bytes % 16 == 0 ? 3 : 4;
}

std::uint8_t nonce_class(std::uint32_t bytes) noexcept {
  if (bytes == 12) return of_12;
  if (bytes < 16) return below_16;
  if (bytes == 16) return of_16;
  return bytes % 16 == 0 ? whole_blocks : blocks_and_rest;
}

constexpr std::uint32_t tag_sizes[] = {4, 8, 12, 13, 14, 15, 16};

// A tamper that changes something.
bool tampered(const Case& question) noexcept {
  switch (question.tamper) {
    case Tamper::none:
      return false;
    case Tamper::ciphertext:
      return question.text_bytes > 0;
    case Tamper::aad:
      return question.aad_bytes > 0;
    case Tamper::tag:
    case Tamper::nonce:
      return true;
  }
  return false;
}

// The mixture's implementation of a call.
std::size_t scheduled(const Case& question, std::size_t number) noexcept {
  return differential::resolve(question.schedule[number % question.schedule.size()],
                               Algorithm::implementation_references());
}

}  // namespace

CellDeclaration Algorithm::cell_declaration() {
  using differential::operator+;
  const std::vector<std::string> names = differential::words_of(implementation_names());
  const std::vector<std::string> none = {"none"};
  std::vector<std::string> tags;
  for (const std::uint32_t bytes : tag_sizes) tags.push_back(std::to_string(bytes));
  const std::vector<std::string>& guards = differential::guard_words();

  CellDeclaration declared;
  declared.attributes = {
      {"implementation", names},
      {"operation", {"seal", "open", "reject"}},
      {"length", differential::length_words()},
      {"strides", differential::strides_words()},
      {"tail", differential::tail_words()},
      {"wrap_lane", none + numbered("bulk ", widest_stride) + numbered("tail ", widest_stride)},
      {"split_phase", differential::phase_words()},
      {"hand_over", none + names},
      {"aliasing", {"apart", "in_place", "partial_overlap"}},
      {"call", {"one_shot", "incremental", "scatter one_shot", "scatter incremental"}},
      {"guard_in", guards},
      {"guard_out", guards},
      {"aad", {"0", "1..15", "16", "blocks", "blocks and a rest"}},
      {"nonce", {"12", "below 16", "16", "blocks", "blocks and a rest"}},
      {"tag", tags},
      {"reuse", {"none", "after_success", "after_rejection", "after_abandonment"}},
      {"rekey", {"no", "yes"}},
      {"between", differential::between_words()},
  };
  declared.strides.assign(strides().begin(), strides().end());
  declared.triples = {{implementation, tail, wrap_lane},
                      {implementation, split_phase, hand_over},
                      {implementation, tail, guard_in},
                      {implementation, tail, guard_out}};
  declared.constraints.assign(std::begin(constraints), std::end(constraints));
  return declared;
}

// Of a planned case. A preset counts for nothing: it starts in the middle, where only plain can judge.
void Algorithm::cells(const Case& question, std::vector<CellPoint>& points) {
  const auto* const size = std::ranges::find(tag_sizes, question.tag_bytes);
  const bool usual_key = question.key_bytes == 16 || question.key_bytes == 24 || question.key_bytes == 32;
  if (question.preset || !usual_key || question.nonce_bytes == 0 || size == std::end(tag_sizes)) return;
  const bool in_pieces = question.call == Call::incremental;
  const bool refused = shared_bytes(question) > 0;
  const bool in_place = question.aliasing == Aliasing::in_place;
  const TextPieces pieces = text_pieces_of(question);
  const std::size_t finish = pieces.list[pieces.count - 1].call + 1;

  CellPoint point = {};
  // A byte or none cannot overlap in part.
  const bool apart = question.aliasing == Aliasing::partial_overlap && !refused;
  point[aliasing] = static_cast<std::uint8_t>(apart ? Aliasing::apart : question.aliasing);
  point[call] = static_cast<std::uint8_t>((in_pieces ? incremental : one_shot) +
                                          (is_scattered(question) ? scatter_one_shot : 0));
  point[guard_in] = differential::guard_value(in_place ? question.out_placement : question.in_placement);
  point[guard_out] = differential::guard_value(question.out_placement);
  point[aad] = aad_class(question.aad_bytes);
  point[nonce] = nonce_class(question.nonce_bytes);
  point[tag_size] = static_cast<std::uint8_t>(size - std::begin(tag_sizes));
  point[rekey] = question.rekey ? 1 : 0;
  if (in_pieces) {
    point[reuse] = static_cast<std::uint8_t>(question.reuse);
    point[between] = differential::between_value(question.export_before, question.copy_before, 1, finish);
  }

  const Wrap wrap = wrap_of(question);
  const auto add = [&](std::size_t by, const TextPiece& piece, std::uint8_t next) {
    const std::size_t stride = strides()[by];
    const std::size_t bulk = piece.bulk_blocks(stride);
    const std::size_t bytes = piece.kernel_bytes();
    point[implementation] = static_cast<std::uint8_t>(by);
    point[length] = differential::length_value(question.text_bytes, stride);
    point[strides_run] = differential::strides_value(bulk / stride);
    point[tail] = differential::tail_value(bytes / 16 - bulk, bytes % 16 != 0);
    point[split_phase] = static_cast<std::uint8_t>(piece.last ? last_phase : piece.end % 16);
    point[hand_over] = next;
    point[wrap_lane] = no_wrap;
    const std::size_t first = piece.first_block();
    // An opening with a changed nonce has another J0.
    const bool other_nonce = point[operation] == rejects && question.tamper == Tamper::nonce;
    if (wrap.happens && !other_nonce && wrap.block >= first && wrap.block < first + (bytes + 15) / 16) {
      const std::size_t block = wrap.block - first;
      point[wrap_lane] = static_cast<std::uint8_t>(block < bulk ? first_bulk_lane + block % stride
                                                                : first_tail_lane + block - bulk);
    }
    points.push_back(point);
  };
  const auto message = [&](std::uint8_t what) {
    point[operation] = what;
    static constexpr TextPiece empty = {.begin = 0, .end = 0, .call = 0, .ends_call = true, .last = true};
    for (const TextPiece& piece : pieces) {
      for (std::size_t by = 0; by < strides().size(); ++by) add(by, refused ? empty : piece, 0);
      if (question.hand_over && in_pieces) {
        // Within a call nothing is handed over.
        const std::size_t next = piece.ends_call ? scheduled(question, piece.call + 1) + 1 : 0;
        add(scheduled(question, piece.call), refused ? empty : piece,
            static_cast<std::uint8_t>(refused ? 0 : next));
      }
      if (refused) break;
    }
  };
  if (question.operation == Operation::open) {
    message(rejects);  // its tag is random
    return;
  }
  message(seals);
  if (!refused) message(tampered(question) ? rejects : opens);
}

}  // namespace lockstep::oracles::aes_gcm
