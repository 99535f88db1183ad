#include "oracles/aes_gcm/refusals.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "lockstep/buffers.h"
#include "oracles/differential/guarded.h"
#include "oracles/differential/placed.h"
#include "oracles/differential/random.h"

namespace lockstep::oracles::aes_gcm {
namespace {

namespace library = ::lockstep::aes_gcm;
using differential::Outcome;
using differential::Random;
using differential::ViolationKind;
using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;
using State = std::array<std::uint8_t, library::Message::exported_state_bytes>;

// Offsets in an exported state.
namespace at {
constexpr std::size_t version = 0, direction = 1, phase = 2, reserved = 3, ghash = 8, keystream = 56,
                      partial = 72, aad_bytes = 88, text_bytes = 96;
}  // namespace at

std::uint64_t load_total(const State& state, std::size_t where) noexcept {
  std::uint64_t total = 0;
  for (unsigned i = 8; i > 0; --i) total = total << 8 | state[where + i - 1];
  return total;
}

void store_total(State& state, std::size_t where, std::uint64_t total) noexcept {
  for (unsigned i = 0; i < 8; ++i) state[where + i] = static_cast<std::uint8_t>(total >> (8 * i));
}

constexpr std::uint8_t in_phase_aad = 1, in_phase_text = 2;

// The state of a message that has taken all that there may be of AAD or text, and `beyond` bytes more.
State at_limit(State state, std::uint8_t phase, std::uint64_t beyond) noexcept {
  state[at::phase] = phase;
  std::fill_n(state.begin() + at::keystream, 32, std::uint8_t{0});  // and the started block behind it
  if (phase == in_phase_aad) store_total(state, at::aad_bytes, library::max_aad_bytes + beyond);
  store_total(state, at::text_bytes, phase == in_phase_aad ? 0 : library::max_text_bytes + beyond);
  return state;
}

// Less than a block has been taken, so that none was hashed; and yet the running hash is not zero.
State nothing_but_hash(State state, std::uint8_t phase) noexcept {
  state = at_limit(state, phase, 0);
  store_total(state, at::aad_bytes, phase == in_phase_aad ? 15 : 0);
  store_total(state, at::text_bytes, phase == in_phase_aad ? 0 : 15);
  state[at::ghash + 15] |= 1;
  return state;
}

template <class In, class Out>
Status crypt(library::SealMessage& message, In in, Out out) {
  return message.encrypt(in, out);
}
template <class In, class Out>
Status crypt(library::OpenMessage& message, In in, Out out) {
  return message.decrypt_unverified(in, out);
}
Status end(library::SealMessage& message, MutableBytes tag) {
  return message.finish(tag);
}
Status end(library::OpenMessage& message, Bytes tag) {
  return message.verify(tag);
}

class Refusals {
 public:
  explicit Refusals(Outcome& outcome) noexcept : outcome_(outcome) {}
  void demand(Status right, Status given, std::string_view what) {
    if (given == right) return;
    outcome_.violate(ViolationKind::contract, std::string(what) + ": " + std::string(to_string(given)) +
                                                  " instead of " + std::string(to_string(right)));
  }

 private:
  Outcome& outcome_;
};

// Changes of a state, one at a time, that no export could have written.
template <class Message>
void refuse_states(Message& message, const library::Key& key, const State& good, const PlaceState& place,
                   Refusals& refusals) {
  const bool in_text = load_total(good, at::text_bytes) != 0;
  const std::uint64_t filled = load_total(good, in_text ? at::text_bytes : at::aad_bytes) % 16;
  // Taken up by this message, and by one that is near the end of a block: what stands in an object has no
  // say.
  differential::Amid<Message> amid{.object = message};
  Message& further = amid.object;
  State before;
  // In the middle of an array: who reads too far is met by the guards of the case, which name him.
  std::array<std::uint8_t, 48> more = {};
  const auto rest = std::span(more).subspan(16, 15 - filled);
  // Near the limit of its total it goes no further, and is a copy like any other.
  static_cast<void>(in_text ? crypt(further, Bytes(rest), rest) : further.aad(rest));
  const bool exported = further.export_state(before) == Status::ok;
  const auto refuse = [&](std::size_t byte, std::uint8_t change) {
    State bad = good;
    bad[byte] ^= change;
    for (Message* const by : {&message, &further}) {
      refusals.demand(Status::bad_state, by->import_state(key, place(bad)),
                      "a state changed at byte " + std::to_string(byte));
    }
  };
  refuse(at::version, 3);
  refuse(at::direction, 3);
  refuse(at::phase, 3);
  for (std::size_t byte = at::reserved; byte < at::ghash; ++byte) refuse(byte, 0x80);
  // Beyond what there is of the started block.
  for (std::size_t byte = filled; byte < 16; ++byte) refuse(at::partial + byte, 1);
  if (!in_text || filled == 0) refuse(at::keystream + filled, 1);
  refuse(at::aad_bytes + 7, 0xe0);
  refuse(at::text_bytes + 7, 0xe0);
  refusals.demand(Status::bad_state, message.import_state(key, place(Bytes(good).first(good.size() - 1))),
                  "a short state");
  refusals.demand(Status::wrong_order, message.import_state(library::Key(), place(good)),
                  "a state without a key");
  State after;
  const bool kept = exported && further.export_state(after) == Status::ok && after == before;
  refusals.demand(Status::ok, kept ? Status::ok : Status::bad_state, "a message that has refused states");
  for (const std::uint8_t phase : {in_phase_aad, in_phase_text}) {
    refusals.demand(Status::bad_state, further.import_state(key, place(nothing_but_hash(good, phase))),
                    "a state with a hash of nothing");
  }
  for (const std::uint64_t beyond : {0U, 1U}) {
    const Status right = beyond == 0 ? Status::ok : Status::bad_state;
    refusals.demand(right, further.import_state(key, place(at_limit(good, in_phase_text, beyond))),
                    "a state with the longest text");
    refusals.demand(right, further.import_state(key, place(at_limit(good, in_phase_aad, beyond))),
                    "a state with the longest AAD");
  }
}

template <class Message>
void refuse_all(Message& message, const library::Key& key, const library::Key& other, const PlaceState& place,
                Outcome& outcome) {
  Refusals refusals(outcome);
  State before;
  if (message.export_state(before) != Status::ok) {
    outcome.violate(ViolationKind::contract, "a message that goes on is not exported");
    return;
  }
  const bool in_text = load_total(before, at::text_bytes) != 0;
  static differential::GuardedRegion region("room of refused calls");
  const MutableBytes all = region.place_output(64, differential::Placement::behind());

  refusals.demand(Status::bad_output_size, crypt(message, Bytes(all.first(20)), all.subspan(20, 19)),
                  "an output that is too short");
  // What does not fit any more is refused before anyone asks where it lies.
  const Status overlapping = load_total(before, at::text_bytes) + 30 <= library::max_text_bytes
                                 ? Status::overlapping_buffers
                                 : Status::text_too_long;
  refusals.demand(overlapping, crypt(message, Bytes(all.first(30)), all.subspan(29, 30)),
                  "an output that touches the input");
  {
    const Bytes in[] = {all.first(30)};
    const MutableBytes out[] = {all.subspan(30, 10), all.subspan(50, 10), all.subspan(39, 10)};
    refusals.demand(overlapping, crypt(message, ConstBuffers(in), MutableBuffers(out)),
                    "outputs that touch one another");
  }
  if constexpr (sizeof(std::size_t) == 8) {
    // Nobody may look at the bytes of these: after 16 of them comes an unmapped page.
    const auto huge = [&](std::uint64_t bytes) { return MutableBytes(all.last(16).data(), bytes); };
    constexpr std::uint64_t half = std::uint64_t{1} << 63;  // two of them wrap to 0
    const MutableBytes wrapping[] = {huge(half), huge(half), all.first(5)};
    const MutableBytes beyond_text[] = {all.first(1), huge(library::max_text_bytes)};
    const MutableBytes beyond_aad[] = {all.first(5), huge(library::max_aad_bytes)};
    for (const MutableBuffers list : {MutableBuffers(wrapping), MutableBuffers(beyond_text)}) {
      std::array<Bytes, 3> in;
      std::ranges::copy(list, in.begin());
      refusals.demand(Status::text_too_long, crypt(message, ConstBuffers(in).first(list.size()), list),
                      "a text that is too long");
    }
    // Totals that do not fit count as the largest that does.
    const Bytes wrapping_in[] = {huge(half), huge(half)};
    const MutableBytes largest[] = {huge(~std::uint64_t{0})};
    refusals.demand(Status::text_too_long, crypt(message, ConstBuffers(wrapping_in), MutableBuffers(largest)),
                    "a text whose total wraps");
    for (const MutableBuffers list : {MutableBuffers(wrapping), MutableBuffers(beyond_aad)}) {
      std::array<Bytes, 3> in;
      std::ranges::copy(list, in.begin());
      refusals.demand(in_text ? Status::wrong_order : Status::aad_too_long,
                      message.aad(ConstBuffers(in).first(list.size())), "AAD that is too long");
    }
  }
  if (in_text) refusals.demand(Status::wrong_order, message.aad(all.first(3)), "AAD after text");
  for (const std::size_t bytes : {0U, 1U, 2U, 3U, 5U, 6U, 7U, 9U, 10U, 11U, 17U}) {
    refusals.demand(Status::bad_tag_size, end(message, all.first(bytes)),
                    "a tag of " + std::to_string(bytes) + " bytes");
  }
  refusals.demand(Status::bad_nonce_size, message.start(key, {}), "an empty nonce");
  refusals.demand(Status::wrong_order, message.start(library::Key(), all.first(12)), "no key");
  refusals.demand(Status::key_mismatch, message.hand_over(other), "another key");
  refusals.demand(Status::wrong_order, message.hand_over(library::Key()), "no key");
  refusals.demand(Status::bad_output_size, message.export_state(all.first(63)), "a state that is too short");
  refuse_states(message, key, before, place, refusals);

  State after;
  if (message.export_state(after) != Status::ok || after != before) {
    outcome.violate(ViolationKind::contract, "a refused call changed the message");
  }
  if (!std::ranges::all_of(all, [](std::uint8_t byte) { return byte == differential::unwritten_value; })) {
    outcome.violate(ViolationKind::contract, "a refused call of a message wrote");
  }
  region.check(outcome);
}

template <class Message>
void refuse_idle(Message& message, const library::Key& key, Outcome& outcome) {
  Refusals refusals(outcome);
  std::array<std::uint8_t, std::tuple_size_v<State> + 64> room;
  room.fill(differential::unwritten_value);
  const MutableBytes all = MutableBytes(room).subspan(16, room.size() - 32);
  const Bytes in[] = {all.first(16)};
  const MutableBytes out[] = {all.subspan(16, 16)};
  constexpr std::string_view what = "a call of a message that is not under way";
  refusals.demand(Status::wrong_order, message.aad(in[0]), what);
  refusals.demand(Status::wrong_order, message.aad(ConstBuffers(in)), what);
  refusals.demand(Status::wrong_order, crypt(message, in[0], out[0]), what);
  refusals.demand(Status::wrong_order, crypt(message, ConstBuffers(in), MutableBuffers(out)), what);
  refusals.demand(Status::wrong_order, message.hand_over(key), what);
  refusals.demand(Status::wrong_order, message.export_state(all.subspan(32)), what);
  refusals.demand(Status::wrong_order, end(message, out[0]), what);
  if (!std::ranges::all_of(all, [](std::uint8_t byte) { return byte == differential::unwritten_value; })) {
    outcome.violate(ViolationKind::contract, "a message that is not under way wrote");
  }
}

// A span of any size, of which nobody may look at more than the one byte that there is.
MutableBytes of_size(std::uint64_t bytes) {
  static differential::GuardedRegion region("room of sizes");
  static const MutableBytes one = region.place_output(1, differential::Placement::behind());
  return {one.data(), bytes};
}

}  // namespace

void demand_idle_refused(library::SealMessage& message, const library::Key& key, Outcome& outcome) {
  refuse_idle(message, key, outcome);
}
void demand_idle_refused(library::OpenMessage& message, const library::Key& key, Outcome& outcome) {
  refuse_idle(message, key, outcome);
}

void demand_sizes_refused(const library::Key& key, Outcome& outcome) {
  if constexpr (sizeof(std::size_t) < 8) return;
  struct Call {
    Status right;
    std::uint64_t nonce, aad, text, out, tag;
  };
  static constexpr Call calls[] = {
      {Status::bad_nonce_size, 0, 0, 0, 0, 16},
      {Status::bad_nonce_size, library::max_nonce_bytes + 1, 0, 0, 0, 16},
      {Status::bad_tag_size, 12, 0, 0, 0, 11},
      {Status::bad_tag_size, 12, 0, 0, 0, 17},
      {Status::bad_output_size, 12, 0, 5, 4, 16},
      {Status::aad_too_long, 12, library::max_aad_bytes + 1, 0, 0, 16},
      {Status::text_too_long, 12, 0, library::max_text_bytes + 1, library::max_text_bytes + 1, 16},
      // As much AAD as there may be is no reason.
      {Status::text_too_long, 12, library::max_aad_bytes, library::max_text_bytes + 1,
       library::max_text_bytes + 1, 16},
  };
  Refusals refusals(outcome);
  for (const Call& call : calls) {
    const Bytes nonce = of_size(call.nonce);
    const Bytes aad[] = {of_size(call.aad)};
    const Bytes in[] = {of_size(call.text)};
    const MutableBytes out[] = {of_size(call.out)};
    const MutableBytes tag = of_size(call.tag);
    const ConstBuffers aads(aad);
    const ConstBuffers ins(in);
    const MutableBuffers outs(out);
    refusals.demand(call.right, library::seal(key, nonce, aad[0], in[0], out[0], tag), "a size in seal");
    refusals.demand(call.right, library::seal(key, nonce, aads, ins, outs, tag), "a size in seal of lists");
    refusals.demand(call.right, library::open(key, nonce, aad[0], in[0], out[0], tag), "a size in open");
    refusals.demand(call.right, library::open(key, nonce, aads, ins, outs, tag), "a size in open of lists");
  }
}

void demand_refusals(library::SealMessage& message, const library::Key& key, const library::Key& other,
                     const PlaceState& place_state, Outcome& outcome) {
  refuse_all(message, key, other, place_state, outcome);
}
void demand_refusals(library::OpenMessage& message, const library::Key& key, const library::Key& other,
                     const PlaceState& place_state, Outcome& outcome) {
  refuse_all(message, key, other, place_state, outcome);
}

void demand_overlap_refused(const library::Key& key, std::uint64_t seed, Outcome& outcome) {
  Random random(seed);
  struct Place {
    std::size_t at, bytes;
  };
  // Far enough from one another that what is moved onto one of them touches no second.
  enum : std::size_t { out_0, out_1, out_2, tag, nonce, aad_0, aad_1, in_0, in_1, count };
  constexpr std::size_t sizes[count] = {20, 13, 17, 16, 12, 9, 10, 20, 30};
  constexpr std::size_t apart = 80;
  std::array<Place, count> places;
  for (std::size_t i = 0; i < count; ++i) places[i] = {apart * i + 40, sizes[i]};

  const bool sealing = random.chance(50);
  const std::size_t onto = random.below(sealing ? 4 : 3);  // the tag is an output of sealing alone
  std::size_t moved = random.below(count - 1);
  if (moved >= onto) ++moved;
  places[moved].at = random.chance(50) ? places[onto].at + places[onto].bytes - 1
                                       : places[onto].at + 1 - places[moved].bytes;

  std::array<std::uint8_t, apart * count + 40> room;
  room.fill(differential::unwritten_value);
  const auto where = [&](std::size_t i) { return std::span(room).subspan(places[i].at, places[i].bytes); };
  const Bytes in[] = {where(in_0), where(in_1)};
  const Bytes aad[] = {where(aad_0), where(aad_1)};
  const MutableBytes out[] = {where(out_0), where(out_1), where(out_2)};
  const Status given = sealing ? library::seal(key, where(nonce), ConstBuffers(aad), ConstBuffers(in),
                                               MutableBuffers(out), where(tag))
                               : library::open(key, where(nonce), ConstBuffers(aad), ConstBuffers(in),
                                               MutableBuffers(out), where(tag));
  Refusals(outcome).demand(Status::overlapping_buffers, given, "an output that shares a byte");
  if (!std::ranges::all_of(room, [](std::uint8_t byte) { return byte == differential::unwritten_value; })) {
    outcome.violate(ViolationKind::contract, "wrote in spite of an overlap");
  }
}

}  // namespace lockstep::oracles::aes_gcm
