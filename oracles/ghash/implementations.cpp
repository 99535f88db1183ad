// The shipped implementations as participants: each alone, and the mixture that a case's schedule asks for.
// Everything goes through the public interface, on buffers between guard pages.
#include <algorithm>
#include <array>
#include <optional>

#include "lockstep/ghash.h"
#include "oracles/differential/by_seed.h"
#include "oracles/differential/keys.h"
#include "oracles/differential/pieces.h"
#include "oracles/ghash/algorithm.h"
#include "oracles/ghash/steering.h"

namespace lockstep::oracles::ghash {
namespace {

namespace library = ::lockstep::ghash;
using differential::Buffers;
using differential::BySeed;
using differential::is_set;
using differential::Limit;
using differential::other_bytes;
using differential::Outcome;
using differential::Participant;
using differential::Placed;
using differential::ViolationKind;
using Bytes = std::span<const std::uint8_t>;

const differential::Available<library::Implementation>& available() {
  static const differential::Available<library::Implementation> found(library::implementations());
  return found;
}

using Keys = differential::Keys<library::Key, library::Implementation>;

// A hash in calls. Between two of them it may be exported and taken up by a new object, copied, handed over.
class Incremental {
 public:
  Incremental(const Case& question, Keys& keys, Buffers& buffers, Outcome& outcome)
      : question_(question),
        by_seed_(question.fill_seed),
        keys_(keys),
        buffers_(buffers),
        outcome_(outcome),
        hash_(buffers.message_object, question.object_placement, outcome) {}

  Status run(Bytes text, std::span<std::uint8_t> out) {
    if (question_.reuse != Reuse::none) {
      if (!question_.rekey && by_seed_.other_object) {
        use_before(keys_.other(), question_.reuse);
      } else {
        keys_.before([&](const library::Key& key) { use_before(key, question_.reuse); });
      }
    }
    // The first call of the schedule is the first piece: starting computes nothing.
    Status status = hash_->start(keys_.of_call(0));
    const auto pieces = differential::cut(text.size(), question_.in_cut_count, question_.in_cuts);
    for (std::size_t i = 0; i < pieces.count && status == Status::ok; ++i, ++call_) {
      if ((status = before_call()) != Status::ok) break;
      const Bytes piece = text.subspan(pieces.bounds[i], pieces.bytes(i));
      status = update(*hash_, piece);
      if (copy_) demand(update(**copy_, piece) == status, "a copy is not accepted alike");
    }
    if (status == Status::ok) status = before_call();
    if (status == Status::ok) status = hash_->finish(out);
    if (status != Status::ok) return status;
    hash_.demand_wiped("finish");
    demand_idle_refused();
    if (copy_) keys_.while_replaced(by_seed_.replace_key, [&] { end_copy(out); });
    return status;
  }

 private:
  void demand(bool promise, std::string_view broken) {
    if (!promise) outcome_.violate(ViolationKind::contract, broken);
  }

  // An earlier message of the same object; of it nothing may be left.
  void use_before(const library::Key& key, Reuse how) {
    const auto text = Bytes(other_bytes).first((question_.fill_seed >> 8U) % other_bytes.size());
    std::array<std::uint8_t, library::block_bytes> thrown_away;
    demand(hash_->start(key) == Status::ok && hash_->update(text) == Status::ok,
           "an earlier hash was refused");
    if (how != Reuse::after_success) return;
    demand(hash_->finish(thrown_away) == Status::ok, "an earlier hash was refused");
    hash_.demand_wiped("an earlier hash");
  }

  // Everything that happens between the call before and the next.
  Status before_call() {
    Status status = Status::ok;
    if (is_set(question_.export_before, call_)) {
      std::array<std::uint8_t, library::Hash::exported_state_bytes> exported;
      const auto out = buffers_.state.place_output(exported.size(), question_.state_placement);
      status = hash_->export_state(out);
      buffers_.state.check(outcome_);
      if (status != Status::ok) return status;
      std::ranges::copy(out, exported.begin());
      if (by_seed_.import_over) {
        use_before(keys_.other(), Reuse::after_abandonment);
      } else {
        hash_.renew();
      }
      const auto placed = buffers_.state.place_input(exported, question_.state_placement);
      status = hash_->import_state(keys_.of_call(call_), placed);
      buffers_.state.check(outcome_);
    }
    if (status == Status::ok && !copy_ && is_set(question_.copy_before, call_)) {
      copy_.emplace(buffers_.message_copy, question_.object_placement, outcome_, *hash_);
      key_copy_.emplace(buffers_.key_copy, question_.key_placement, outcome_, keys_.of_call(call_));
      demand((*copy_)->hand_over(**key_copy_) == Status::ok, "a copied key is refused");
    }
    if (status == Status::ok && keys_.mixture()) status = hash_->hand_over(keys_.of_call(call_));
    if (status == Status::ok && is_set(by_seed_.refuse_before, call_)) refuse(keys_.of_call(call_));
    return status;
  }

  Status update(library::Hash& hash, Bytes piece) {
    if (!is_set(by_seed_.in_lists, call_)) return hash.update(piece);
    const Bytes spans[] = {{}, piece, {}};
    const auto list = ConstBuffers(spans).subspan(call_ % 2, 2);
    return hash.update(differential::place_list(buffers_.in_list, list));
  }

  // A hash that has ended takes nothing, and gives nothing.
  void demand_idle_refused() {
    std::array<std::uint8_t, library::Hash::exported_state_bytes> room;
    room.fill(differential::unwritten_value);
    const Bytes in[] = {Bytes(other_bytes).subspan(16, 5)};
    const bool refused = hash_->update(in[0]) == Status::wrong_order &&
                         hash_->update(ConstBuffers(in)) == Status::wrong_order &&
                         hash_->hand_over(keys_.of_call(call_)) == Status::wrong_order &&
                         hash_->export_state(room) == Status::wrong_order &&
                         hash_->finish(std::span(room).first(library::block_bytes)) == Status::wrong_order;
    const bool unwritten =
        std::ranges::all_of(room, [](std::uint8_t byte) { return byte == differential::unwritten_value; });
    demand(refused && unwritten, "a hash that has ended was used");
    hash_.demand_wiped("calls that were refused");
  }

  // Calls that must be refused, and leave the hash as it was.
  void refuse(const library::Key& key) {
    using State = std::array<std::uint8_t, library::Hash::exported_state_bytes>;
    State before;
    State after;
    std::array<std::uint8_t, library::block_bytes + 1> out;
    out.fill(differential::unwritten_value);
    bool refused = hash_->export_state(before) == Status::ok;
    const auto place = [&](Bytes bytes) {
      return buffers_.state.place_input(bytes, question_.state_placement);
    };
    const auto demand_refused = [&](Status right, Status given) { refused = refused && given == right; };
    for (const std::size_t bytes : {out.size(), library::block_bytes - 1}) {
      demand_refused(Status::bad_output_size, hash_->finish(std::span(out).first(bytes)));
      demand_refused(Status::bad_output_size, hash_->export_state(std::span(out).first(bytes)));
    }
    demand_refused(Status::wrong_order, hash_->start(library::Key()));
    demand_refused(Status::wrong_order, hash_->hand_over(library::Key()));
    if (!std::ranges::equal(question_.key, Bytes(other_bytes).first(key_bytes))) {
      demand_refused(Status::key_mismatch, hash_->hand_over(keys_.other()));
    }
    demand_refused(Status::wrong_order, hash_->import_state(library::Key(), before));
    demand_refused(Status::bad_state, hash_->import_state(key, Bytes(before).first(before.size() - 1)));
    // version, bytes of the started block, the six zeros, and the padding behind the started block; taken up
    // by this hash, and by one that is near the end of its block: what stands in an object has no say.
    const std::size_t started = before[1];
    differential::Amid<library::Hash> amid{.object = *hash_};
    library::Hash& further = amid.object;
    const auto rest = Bytes(other_bytes).subspan(16, library::block_bytes - 1 - started);
    State before_further;
    refused =
        refused && further.update(rest) == Status::ok && further.export_state(before_further) == Status::ok;
    const auto refuse_state = [&](const State& bad) {
      demand_refused(Status::bad_state, hash_->import_state(key, place(bad)));
      demand_refused(Status::bad_state, further.import_state(key, place(bad)));
    };
    for (std::size_t byte = 0; byte < before.size(); ++byte) {
      if ((byte >= 8 && byte < 24 + started) || byte == 1) continue;
      State bad = before;
      bad[byte] ^= 1;
      refuse_state(bad);
    }
    State full = before;
    full[1] = library::block_bytes;
    refuse_state(full);
    demand(further.export_state(after) == Status::ok && after == before_further,
           "a refused call changed the hash");
    demand(refused, "what must be refused was not");
    demand(hash_->export_state(after) == Status::ok && after == before, "a refused call changed the hash");
    demand(std::ranges::all_of(out, [](std::uint8_t byte) { return byte == differential::unwritten_value; }),
           "a refused call wrote");
  }

  void end_copy(Bytes expected) {
    std::array<std::uint8_t, library::block_bytes> own;
    demand((*copy_)->finish(own) == Status::ok && std::ranges::equal(own, expected),
           "a copy has another hash");
    copy_->demand_wiped("finish");
  }

  const Case& question_;
  const BySeed by_seed_;
  Keys& keys_;
  Buffers& buffers_;
  Outcome& outcome_;
  Placed<library::Hash> hash_;
  std::optional<Placed<library::Key>> key_copy_;
  std::optional<Placed<library::Hash>> copy_;
  std::size_t call_ = 0;
};

// One call; if the text is cut, the pieces are gathered by it.
Status hash_at_once(const Case& question, const library::Key& key, Bytes text, std::span<std::uint8_t> out,
                    Buffers& buffers) {
  if (question.in_cut_count == 0) return library::hash(key, text, out);
  const auto pieces = differential::cut(text.size(), question.in_cut_count, question.in_cuts);
  std::array<Bytes, max_pieces> spans;
  for (std::size_t i = 0; i < pieces.count; ++i) spans[i] = text.subspan(pieces.bounds[i], pieces.bytes(i));
  return library::hash(
      key, differential::place_list(buffers.in_list, ConstBuffers(spans).first(pieces.count)), out);
}

// The hash may not touch what is hashed, by a single byte, nor have another size.
void demand_one_shot_refused(const Case& question, const library::Key& key, Outcome& outcome) {
  std::array<std::uint8_t, 48> room;
  room.fill(differential::unwritten_value);
  const auto all = std::span(room);
  const std::size_t at = question.fill_seed % 2 == 0 ? 1 : 31;  // the text is bytes 16 .. 31
  const Bytes text[] = {all.subspan(32, 9), all.subspan(16, 16)};
  const Bytes first = text[1];
  const bool refused = library::hash(key, first, all.subspan(at, 16)) == Status::overlapping_buffers &&
                       library::hash(key, ConstBuffers(text), all.subspan(at == 1 ? 1 : 25, 16)) ==
                           Status::overlapping_buffers &&
                       library::hash(key, first, all.first(15)) == Status::bad_output_size;
  const bool unwritten =
      std::ranges::all_of(room, [](std::uint8_t byte) { return byte == differential::unwritten_value; });
  if (!refused || !unwritten) {
    outcome.violate(ViolationKind::contract, "a call that must be refused was not, or wrote");
  }
}

void run(const void* self, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto h = buffers.key.place_input(question.key, question.key_placement);
  const auto text = buffers.in.place_input(question.text, question.in_placement);
  const auto out = buffers.out.place_output(library::block_bytes, question.out_placement);
  Keys keys(available(), static_cast<const library::Implementation*>(self),
            {.key = h,
             .other = Bytes(other_bytes).first(key_bytes),
             .schedule = question.schedule,
             .rekey = question.rekey,
             .placement = question.object_placement},
            buffers, outcome);
  Status status = keys.status();
  if (status == Status::ok) {
    if (question.call == Call::one_shot && BySeed(question.fill_seed).refuse_overlap) {
      demand_one_shot_refused(question, keys.of_call(0), outcome);
    }
    status = question.call == Call::one_shot ? hash_at_once(question, keys.of_call(0), text, out, buffers)
                                             : Incremental(question, keys, buffers, outcome).run(text, out);
  }
  buffers.key.check(outcome);
  buffers.in.check(outcome);
  buffers.out.check(outcome);
  buffers.key_object.check(outcome);
  if (status == Status::ok) {
    outcome.set(hash, out);
  } else {
    // No question about GHASH has a reason to be refused.
    outcome.violate(ViolationKind::contract, to_string(status));
  }
}

AnswerSet declares(const Case& /*question*/) noexcept {
  return {hash};
}

constexpr Limit<Case> mixture_limits[] = {
    {"the case hands nothing over", [](const Case& c) noexcept { return !c.hand_over; }},
    {"a one-shot call has nothing to hand over",
     [](const Case& c) noexcept { return c.call != Call::incremental; }},
};

}  // namespace

void append_implementations(std::vector<Participant<Case>>& list) {
  differential::append_shipped<library::Implementation, Case>(available(), mixture_limits, declares, run,
                                                              list);
}

std::span<const std::string_view> Algorithm::implementation_names() {
  return available().names;
}
std::span<const ImplementationRef> Algorithm::implementation_references() {
  return available().references;
}
std::span<const unsigned> Algorithm::strides() {
  return available().strides;
}

void Algorithm::steer(Case& question) {
  ghash::steer(question);
}
// What is solved for is content.
void Algorithm::plan(Case& /*question*/) noexcept {}

std::span<const Case> Algorithm::typical() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> list(2);
    list[1].call = Call::incremental;
    list[1].hand_over = true;
    return list;
  }();
  return cases;
}

differential::Facts Algorithm::facts(const Case& question) {
  return {
      .text_bytes = question.text_bytes,
      .steered = question.key_steering != KeySteering::none || question.text_steering != TextSteering::none,
      .hand_over = question.hand_over && question.call == Call::incremental,
      .operations = 1};
}

void Algorithm::lanes(const Case& /*question*/, std::vector<differential::LaneHit>& /*hits*/) {}

// Every byte of a hash depends on every block; what can be said is how the text went through the kernel.
differential::Place Algorithm::locate(const Case& question, AnswerId answer, std::size_t /*byte*/,
                                      std::size_t participant) {
  if (answer != hash || participant >= available().strides.size()) return {};
  const std::size_t stride = available().strides[participant];
  const std::size_t blocks = (question.text_bytes + 15) / 16;
  differential::Place place;
  place.words = std::to_string(blocks) + " blocks in " + std::to_string(question.in_cut_count + 1) +
                " pieces, " + std::to_string(blocks / stride) + " strides of " + std::to_string(stride) +
                " and " + std::to_string(blocks % stride) + " more if in one";
  return place;
}

}  // namespace lockstep::oracles::ghash
