// The shipped implementations as participants: each alone, and the mixture that a case's schedule asks for.
// Everything goes through the public interface, on buffers between guard pages.
#include <algorithm>
#include <array>
#include <optional>

#include "lockstep/blake2b.h"
#include "oracles/blake2b/algorithm.h"
#include "oracles/blake2b/preset.h"
#include "oracles/blake2b/steering.h"
#include "oracles/differential/available.h"
#include "oracles/differential/by_seed.h"
#include "oracles/differential/pieces.h"
#include "oracles/differential/placed.h"

namespace lockstep::oracles::blake2b {
namespace {

namespace library = ::lockstep::blake2b;
using differential::Buffers;
using differential::BySeed;
using differential::is_set;
using differential::Limit;
using differential::Outcome;
using differential::Participant;
using differential::Placed;
using differential::ViolationKind;

const differential::Available<library::Implementation>& available() {
  static const differential::Available<library::Implementation> found(library::implementations());
  return found;
}

struct Inputs {
  library::Parameters parameters;
  std::span<const std::uint8_t> key, text;
};

// A message in pieces. Between two calls it may be exported and taken up by a new object, copied, handed
// over.
class Message {
 public:
  Message(const library::Implementation* implementation, const Case& question, const Inputs& inputs,
          Buffers& buffers, Outcome& outcome)
      : alone_(implementation),
        question_(question),
        by_seed_(question.fill_seed),
        inputs_(inputs),
        buffers_(buffers),
        outcome_(outcome),
        hash_(buffers.message_object, question.object_placement, outcome) {}

  Status run(std::span<std::uint8_t> out) {
    use_before(question_.reuse, question_.rekey);
    Status status =
        question_.preset ? take_up_preset() : hash_->start(inputs_.parameters, inputs_.key, of_call(call_));
    const auto pieces = differential::cut(inputs_.text.size(), question_.in_cut_count, question_.in_cuts);
    for (std::size_t i = 0; i < pieces.count && status == Status::ok; ++i) {
      if ((status = next_call()) != Status::ok) break;
      const auto piece = inputs_.text.subspan(pieces.bounds[i], pieces.bounds[i + 1] - pieces.bounds[i]);
      status = update(*hash_, piece);
      if (copy_ && update(**copy_, piece) != status)
        outcome_.violate(ViolationKind::contract, "a copy differs");
    }
    if (status == Status::ok) status = next_call();
    if (status == Status::ok) status = hash_->export_state(exported_);
    if (status != Status::ok) return status;
    outcome_.set(state, std::span(exported_).subspan(8, 80));
    status = hash_->finish(out);
    if (status == Status::ok) {
      hash_.demand_wiped("finish");
      demand_idle_refused();
    }
    finish_copy(out);
    return status;
  }

 private:
  const library::Implementation* of_call(std::size_t call) const noexcept {
    if (alone_ != nullptr) return alone_;
    return available().list[available().scheduled(question_.schedule, call)];
  }

  // An earlier message of the same object; of it nothing may be left.
  void use_before(Reuse how, bool rekey) {
    if (how == Reuse::none) return;
    static constexpr auto other_bytes = [] {
      std::array<std::uint8_t, library::max_key_bytes> bytes = {};
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(0xa5 + 3 * i);
      return bytes;
    }();
    library::Parameters parameters = inputs_.parameters;
    std::span<const std::uint8_t> key = inputs_.key;
    if (rekey) {
      key = other_bytes;
      parameters = {.digest_bytes = library::digest_bytes_384,
                    .salt = std::span(other_bytes).first(library::salt_bytes),
                    .personal = std::span(other_bytes).last(library::personal_bytes),
                    .fanout = 3,
                    .depth = 2,
                    .last_node = !inputs_.parameters.last_node};
    }
    if (how == Reuse::after_rejection) {
      parameters.digest_bytes = library::max_digest_bytes + 1;
      if (hash_->start(parameters, key, of_call(0)) == Status::ok) {
        outcome_.violate(ViolationKind::contract, "a digest of 65 bytes was not refused");
      }
      return;
    }
    // The parameters of the case may be such as are refused; then nothing comes before either.
    if (hash_->start(parameters, key, of_call(0)) != Status::ok) return;
    std::array<std::uint8_t, library::max_digest_bytes> thrown_away;
    Status status = hash_->update(inputs_.text.first(std::min<std::size_t>(inputs_.text.size(), 200)));
    if (status == Status::ok && how == Reuse::after_success) {
      status = hash_->finish(std::span(thrown_away).first(parameters.digest_bytes));
      hash_.demand_wiped("an earlier message");
    }
    if (status != Status::ok) outcome_.violate(ViolationKind::contract, "an earlier message was refused");
  }

  Status take_up_preset() {
    write_state(question_, exported_);
    return take_up();
  }

  Status take_up() {
    const auto placed = buffers_.state.place_input(exported_, question_.state_placement);
    const Status status = hash_->import_state(placed, of_call(call_));
    buffers_.state.check(outcome_);
    return status;
  }

  // Everything that happens between the call before and the next.
  Status next_call() {
    ++call_;
    Status status = Status::ok;
    if (is_set(question_.export_before, call_)) {
      const auto out = buffers_.state.place_output(exported_.size(), question_.state_placement);
      status = hash_->export_state(out);
      buffers_.state.check(outcome_);
      if (status != Status::ok) return status;
      std::ranges::copy(out, exported_.begin());
      if (by_seed_.import_over) {
        use_before(Reuse::after_abandonment, true);
      } else {
        hash_.renew();
      }
      status = take_up();
      if (status != Status::ok) return status;
    }
    if (!copy_ && is_set(question_.copy_before, call_)) {
      copy_.emplace(buffers_.message_copy, question_.object_placement, outcome_, *hash_);
    }
    if (alone_ == nullptr) status = hash_->hand_over(of_call(call_));
    if (status == Status::ok && hash_->implementation() != of_call(call_)) {
      outcome_.violate(ViolationKind::contract,
                       "a hash is computed by another implementation than asked for");
    }
    if (status == Status::ok && is_set(by_seed_.refuse_before, call_)) refuse();
    return status;
  }

  Status update(library::Hash& hash, std::span<const std::uint8_t> piece) {
    if (!is_set(by_seed_.in_lists, call_)) return hash.update(piece);
    const std::span<const std::uint8_t> spans[] = {{}, piece, {}};
    const auto list = ConstBuffers(spans).subspan(call_ % 2, 2);
    return hash.update(differential::place_list(buffers_.in_list, list));
  }

  // A hash that has ended takes nothing, and gives nothing.
  void demand_idle_refused() {
    std::array<std::uint8_t, state_bytes> room;
    room.fill(differential::unwritten_value);
    const std::array<std::uint8_t, 37> more = {};
    const std::span<const std::uint8_t> in[] = {std::span(more).subspan(16, 5)};
    const bool refused =
        hash_->update(in[0]) == Status::wrong_order &&
        hash_->update(ConstBuffers(in)) == Status::wrong_order &&
        hash_->hand_over(of_call(call_)) == Status::wrong_order &&
        hash_->export_state(room) == Status::wrong_order &&
        hash_->finish(std::span(room).first(library::max_digest_bytes)) == Status::wrong_order;
    const bool unwritten =
        std::ranges::all_of(room, [](std::uint8_t byte) { return byte == differential::unwritten_value; });
    if (!refused || !unwritten) {
      outcome_.violate(ViolationKind::contract, "a hash that has ended was used");
    }
    hash_.demand_wiped("calls that were refused");
  }

  // Of a hash that has taken nothing, h is the parameter block: such of one that start() refuses must be
  // refused, and one with a key, whose block would be buffered.
  void refuse_parameter_blocks(std::size_t digest_bytes) {
    constexpr std::size_t h_at = 8;
    differential::Amid<library::Hash> amid{};
    library::Hash& fresh = amid.object;
    std::array<std::uint8_t, state_bytes> untouched;
    library::Parameters parameters;
    parameters.digest_bytes = digest_bytes;
    bool refused = fresh.start(parameters, {}, of_call(call_)) == Status::ok &&
                   fresh.export_state(untouched) == Status::ok &&
                   fresh.import_state(untouched, of_call(call_)) == Status::ok;
    struct Change {
      std::size_t byte;
      std::uint8_t bits;
    };
    // digest length, key length, depth to 0, inner length to 65, the first and the last reserved byte; and of
    // both words of t, which say that there was something
    static constexpr Change changes[] = {{h_at, 0x80},   {h_at + 1, 1},  {h_at + 3, 1},    {h_at + 17, 65},
                                         {h_at + 18, 1}, {h_at + 31, 1}, {h_at + 64, 128}, {h_at + 72, 1}};
    for (const Change& change : changes) {
      auto bad = untouched;
      bad[change.byte] ^= change.bits;
      refused = refused && fresh.import_state(bad, of_call(call_)) == Status::bad_state;
    }
    if (!refused) outcome_.violate(ViolationKind::contract, "a wrong parameter block was taken up");
  }

  // Calls that must be refused, and leave the hash as it was.
  void refuse() {
    using State = std::array<std::uint8_t, state_bytes>;
    State before;
    State after;
    std::array<std::uint8_t, library::max_digest_bytes + 1> out;
    out.fill(differential::unwritten_value);
    bool refused = hash_->export_state(before) == Status::ok;
    const auto place = [&](std::span<const std::uint8_t> bytes) {
      return buffers_.state.place_input(bytes, question_.state_placement);
    };
    const auto demand_refused = [&](Status right, Status given) { refused = refused && given == right; };
    const std::size_t digest_bytes = before[1];
    for (const std::size_t bytes : {digest_bytes - 1, digest_bytes + 1}) {
      demand_refused(Status::bad_output_size, hash_->finish(std::span(out).first(bytes)));
      demand_refused(Status::bad_output_size, hash_->export_state(std::span(out).first(bytes)));
    }
    library::Parameters parameters;
    parameters.digest_bytes = library::max_digest_bytes + 1;
    demand_refused(Status::bad_digest_size, hash_->start(parameters, {}, of_call(call_)));
    demand_refused(Status::bad_key_size, hash_->start({}, out, of_call(call_)));
    demand_refused(Status::bad_state,
                   hash_->import_state(std::span(before).first(before.size() - 1), of_call(call_)));
    constexpr std::size_t buffered_at = 2;
    const std::size_t padding_at = 88 + before[buffered_at];
    // Taken up by this hash, and by one whose buffer is full: what stands in an object has no say.
    differential::Amid<library::Hash> amid{.object = *hash_};
    library::Hash& further = amid.object;
    // In the middle of an array: who reads too far is met by the guards of the case, which name him.
    const std::array<std::uint8_t, library::block_bytes + 32> more = {};
    const auto rest = std::span(more).subspan(16, library::block_bytes - before[buffered_at]);
    State before_further;
    refused =
        refused && further.update(rest) == Status::ok && further.export_state(before_further) == Status::ok;
    const auto refuse_state = [&](const State& bad) {
      demand_refused(Status::bad_state, hash_->import_state(place(bad), of_call(call_)));
      demand_refused(Status::bad_state, further.import_state(place(bad), of_call(call_)));
    };
    const auto refuse_changed = [&](std::size_t byte, std::uint8_t bits = 2) {
      State bad = before;
      bad[byte] ^= bits;
      refuse_state(bad);
    };
    // version, flags, the four zeros, the low bits of t, and some of the padding behind what is buffered
    static constexpr std::size_t fixed[] = {0, 3, 4, 5, 6, 7, 72};
    for (const std::size_t byte : fixed) refuse_changed(byte);
    refuse_changed(72, 1);
    refuse_changed(72, 64);
    differential::Random random(question_.fill_seed);
    for (unsigned i = 0; i < 4 && padding_at < before.size(); ++i) {
      refuse_changed(padding_at + random.below(before.size() - padding_at));
    }
    for (const std::size_t byte : {std::size_t{1}, buffered_at}) {
      State bad = before;
      bad[byte] = library::block_bytes + 1;
      refuse_state(bad);
    }
    // Once something was compressed, something is kept.
    if (std::ranges::any_of(std::span(before).subspan(72, 16), [](std::uint8_t byte) { return byte != 0; })) {
      State bad = before;
      bad[buffered_at] = 0;
      std::fill(bad.begin() + 88, bad.end(), std::uint8_t{0});
      refuse_state(bad);
    }
    refuse_parameter_blocks(digest_bytes);
    if (!refused) outcome_.violate(ViolationKind::contract, "what must be refused was not");
    const bool further_kept = further.export_state(after) == Status::ok && after == before_further;
    if (!further_kept || hash_->export_state(after) != Status::ok || after != before) {
      outcome_.violate(ViolationKind::contract, "a refused call changed the hash");
    }
    if (!std::ranges::all_of(out, [](std::uint8_t byte) { return byte == differential::unwritten_value; })) {
      outcome_.violate(ViolationKind::contract, "a refused call wrote");
    }
  }

  void finish_copy(std::span<const std::uint8_t> out) {
    if (!copy_) return;
    std::array<std::uint8_t, library::max_digest_bytes> digest;
    const auto same = std::span(digest).first(out.size());
    if ((*copy_)->finish(same) != Status::ok || !std::ranges::equal(same, out)) {
      outcome_.violate(ViolationKind::contract, "a copy differs");
    }
    copy_->demand_wiped("finish");
  }

  const library::Implementation* alone_;  // null: the mixture of the schedule
  const Case& question_;
  const BySeed by_seed_;
  const Inputs& inputs_;
  Buffers& buffers_;
  Outcome& outcome_;
  Placed<library::Hash> hash_;
  std::optional<Placed<library::Hash>> copy_;
  std::size_t call_ = 0;
  std::array<std::uint8_t, state_bytes> exported_ = {};
};

Inputs place_inputs(const Case& question, Buffers& buffers) {
  Inputs inputs;
  inputs.key = buffers.key.place_input(question.key, question.key_placement);
  inputs.text = buffers.in.place_input(question.text, question.in_placement);
  inputs.parameters.digest_bytes = question.digest_bytes;
  inputs.parameters.salt = buffers.salt.place_input(question.salt, question.salt_placement);
  inputs.parameters.personal = buffers.personal.place_input(question.personal, question.personal_placement);
  if (question.tree) {
    inputs.parameters.fanout = question.fanout;
    inputs.parameters.depth = question.depth;
    inputs.parameters.leaf_length = question.leaf_length;
    inputs.parameters.node_offset = question.node_offset;
    inputs.parameters.node_depth = question.node_depth;
    inputs.parameters.inner_length = question.inner_length;
  }
  inputs.parameters.last_node = question.last_node;
  return inputs;
}

// One call; if the text is cut, the pieces are gathered by it.
Status hash_at_once(const library::Implementation* implementation, const Case& question, const Inputs& inputs,
                    std::span<std::uint8_t> out, Buffers& buffers) {
  if (question.in_cut_count == 0) {
    return library::hash(inputs.parameters, inputs.key, inputs.text, out, implementation);
  }
  const auto pieces = differential::cut(inputs.text.size(), question.in_cut_count, question.in_cuts);
  std::array<std::span<const std::uint8_t>, max_pieces> spans;
  for (std::size_t i = 0; i < pieces.count; ++i) {
    spans[i] = inputs.text.subspan(pieces.bounds[i], pieces.bytes(i));
  }
  return library::hash(inputs.parameters, inputs.key,
                       differential::place_list(buffers.in_list, ConstBuffers(spans).first(pieces.count)),
                       out, implementation);
}

// The digest may not touch an input, by a single byte.
void demand_overlap_refused(const library::Implementation* implementation, const Case& question,
                            Outcome& outcome) {
  std::array<std::uint8_t, 400> room;
  room.fill(differential::unwritten_value);
  const auto at = [&](std::size_t begin, std::size_t bytes) { return std::span(room).subspan(begin, bytes); };
  const std::span<const std::uint8_t> data[] = {at(200, 30), at(250, 20)};
  const library::Parameters parameters = {
      .digest_bytes = 20, .salt = at(100, library::salt_bytes), .personal = at(150, library::personal_bytes)};
  const auto key = at(50, 32);
  const std::span<const std::uint8_t> inputs[] = {key, parameters.salt, parameters.personal, data[0],
                                                  data[1]};
  const auto input = inputs[question.fill_seed / 2 % std::size(inputs)];
  const auto begin = static_cast<std::size_t>(input.data() - room.data());
  const auto out = at(question.fill_seed % 2 == 0 ? begin + input.size() - 1 : begin - 19, 20);
  const Status status = library::hash(parameters, key, ConstBuffers(data), out, implementation);
  if (status != Status::overlapping_buffers ||
      !std::ranges::all_of(room, [](std::uint8_t byte) { return byte == differential::unwritten_value; })) {
    outcome.violate(ViolationKind::contract, "a digest that touches an input was not refused, or written");
  }
}

void run(const void* self, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto* const implementation = static_cast<const library::Implementation*>(self);
  const Inputs inputs = place_inputs(question, buffers);
  const std::span<std::uint8_t> out = buffers.out.place_output(question.digest_bytes, question.out_placement);
  Status status = Status::ok;
  if (question.call == Call::one_shot) {
    if (BySeed(question.fill_seed).refuse_overlap) demand_overlap_refused(implementation, question, outcome);
    status = hash_at_once(implementation, question, inputs, out, buffers);
  } else {
    status = Message(implementation, question, inputs, buffers, outcome).run(out);
    buffers.message_object.check(outcome);
  }
  buffers.key.check(outcome);
  buffers.salt.check(outcome);
  buffers.personal.check(outcome);
  buffers.in.check(outcome);
  buffers.out.check(outcome);
  outcome.set(hash_status, to_string(status));
  outcome.set(accepted, status == Status::ok);
  if (status == Status::ok) {
    outcome.set(digest, out);
  } else if (!std::ranges::all_of(out,
                                  [](std::uint8_t byte) { return byte == differential::unwritten_value; })) {
    outcome.violate(ViolationKind::contract, "wrote before refusing");
  }
}

bool usual(const Case& question) noexcept {
  return question.digest_bytes >= 1 && question.digest_bytes <= 64 && question.key_bytes <= 64 &&
         question.salt_bytes % 16 == 0 && question.salt_bytes <= 16 && question.personal_bytes % 16 == 0 &&
         question.personal_bytes <= 16 &&
         (!question.tree || (question.depth >= 1 && question.inner_length <= 64));
}

AnswerSet declares(const Case& question) noexcept {
  if (!usual(question)) return {hash_status, accepted};
  if (question.call == Call::one_shot) return {hash_status, accepted, digest};
  return {hash_status, accepted, digest, state};
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

// For lengths at edges, which are counted in 16 bytes: a block is 8 of them.
std::span<const unsigned> Algorithm::strides() {
  static constexpr unsigned blocks[] = {block_bytes / 16};
  return blocks;
}

void Algorithm::steer(Case& question) {
  blake2b::steer(question);
}
void Algorithm::plan(Case& question) noexcept {
  blake2b::plan(question);
}

std::span<const Case> Algorithm::typical() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> list(2);
    list[1].call = Call::incremental;
    list[1].hand_over = true;
    list[1].key_bytes = 32;
    return list;
  }();
  return cases;
}

differential::Facts Algorithm::facts(const Case& question) {
  return {.text_bytes = question.text_bytes,
          .steered = question.preset,
          .hand_over = question.hand_over && question.call == Call::incremental,
          .operations = 1};
}

void Algorithm::lanes(const Case& /*question*/, std::vector<differential::LaneHit>& /*hits*/) {}

// Every byte of a digest depends on every block; what can be said is how the message went through the kernel.
differential::Place Algorithm::locate(const Case& question, AnswerId answer, std::size_t /*byte*/,
                                      std::size_t /*participant*/) {
  if (answer != digest && answer != state) return {};
  const std::size_t before = question.preset          ? question.before.buffered
                             : question.key_bytes > 0 ? block_bytes
                                                      : 0;
  const std::size_t bytes = before + question.text_bytes;
  const std::size_t blocks = bytes == 0 ? 1 : (bytes + block_bytes - 1) / block_bytes;
  const std::size_t pieces = question.in_cut_count + std::size_t{1};
  differential::Place place;
  place.words = std::to_string(bytes) + " bytes, the last of " + std::to_string(blocks) + " blocks has " +
                std::to_string(bytes - (blocks - 1) * block_bytes) + ", in " + std::to_string(pieces) +
                (pieces == 1 ? " piece" : " pieces");
  if (question.key_bytes > 0) place.words += ", the first block is the key";
  if (question.preset) {
    const std::int64_t beyond = counter_end(question);
    place.words += ", the total ends " + std::to_string(beyond < 0 ? -beyond : beyond) + " bytes " +
                   (beyond < 0 ? "short of " : "beyond ") +
                   (question.boundary == Boundary::at_2_32   ? "2^32"
                    : question.boundary == Boundary::at_2_64 ? "2^64"
                                                             : "2^128");
  }
  return place;
}

}  // namespace lockstep::oracles::blake2b
