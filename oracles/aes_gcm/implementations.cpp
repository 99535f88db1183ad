// The shipped implementations as participants: each alone, and the mixture that a case's schedule asks for.
// Everything goes through the public interface, on buffers between guard pages.
#include <algorithm>
#include <array>
#include <optional>

#include "lockstep/aes_gcm.h"
#include "oracles/aes_gcm/algorithm.h"
#include "oracles/aes_gcm/kernel_calls.h"
#include "oracles/aes_gcm/preset.h"
#include "oracles/aes_gcm/refusals.h"
#include "oracles/aes_gcm/steering.h"
#include "oracles/aes_gcm/tamper.h"
#include "oracles/aes_gcm/text.h"
#include "oracles/differential/by_seed.h"
#include "oracles/differential/keys.h"

namespace lockstep::oracles::aes_gcm {
namespace {

namespace library = ::lockstep::aes_gcm;
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

struct Spans {
  std::array<Bytes, max_aad_pieces> list;
  std::size_t count = 0;
  [[nodiscard]] ConstBuffers all() const noexcept { return std::span(list).first(count); }
};

Spans aad_spans(const Case& question, Bytes aad) noexcept {
  const auto pieces = differential::cut(aad.size(), question.aad_cut_count, question.aad_cuts);
  Spans spans;
  // Of nothing in one piece, a list has no span.
  if (aad.empty() && is_scattered(question) && question.aad_cut_count == 0) return spans;
  for (; spans.count < pieces.count; ++spans.count) {
    spans.list[spans.count] = aad.subspan(pieces.bounds[spans.count], pieces.bytes(spans.count));
  }
  return spans;
}

// What differs between sealing and opening.
Status crypt(library::SealMessage& message, Bytes in, std::span<std::uint8_t> out) {
  return message.encrypt(in, out);
}
Status crypt(library::SealMessage& message, ConstBuffers in, MutableBuffers out) {
  return message.encrypt(in, out);
}
Status crypt(library::OpenMessage& message, Bytes in, std::span<std::uint8_t> out) {
  return message.decrypt_unverified(in, out);
}
Status crypt(library::OpenMessage& message, ConstBuffers in, MutableBuffers out) {
  return message.decrypt_unverified(in, out);
}
template <class Message>
constexpr bool seals = std::is_same_v<Message, library::SealMessage>;

// A message in calls. Between two of them it may be exported and taken up by a new object, copied, handed
// over.
template <class Message>
class Incremental {
 public:
  // The tag is an output of a SealMessage, and an input of an OpenMessage.
  using Tag = std::conditional_t<seals<Message>, std::span<std::uint8_t>, Bytes>;

  // `contents`: what the text holds.
  Incremental(const Case& question, Bytes contents, Keys& keys, Buffers& buffers, Outcome& outcome)
      : question_(question),
        contents_(contents),
        by_seed_(question.fill_seed),
        keys_(keys),
        buffers_(buffers),
        outcome_(outcome),
        message_(buffers.message_object, question.object_placement, outcome) {}

  Status run(Bytes nonce, Bytes aad, const Text& text, Tag tag) {
    if (question_.reuse != Reuse::none) {
      if (!question_.rekey && by_seed_.other_object) {
        use_before(keys_.other(), question_.reuse);
      } else {
        keys_.before([&](const library::Key& key) { use_before(key, question_.reuse); });
      }
    }
    Status status = begin(nonce);
    if (status == Status::ok) status = feed_aad(aad);
    if (status == Status::ok) status = feed_text(text);
    if constexpr (seals<Message>) {
      if (status == Status::ok) answer_state();
    }
    if (status == Status::ok) status = next_call();
    if (status == Status::ok) {
      status = end(*message_, tag);
      if (status != Status::bad_tag_size) {
        message_.demand_wiped("the end of the message");
        demand_idle_refused(*message_, keys_.of_call(call_), outcome_);
        message_.demand_wiped("calls that were refused");
      }
      if (copy_) keys_.while_replaced(by_seed_.replace_key, [&] { end_copy(status, text, tag); });
    }
    return status;
  }

 private:
  static Status end(library::SealMessage& message, std::span<std::uint8_t> tag) {
    return message.finish(tag);
  }
  static Status end(library::OpenMessage& message, Bytes tag) { return message.verify(tag); }

  void demand(bool promise, std::string_view broken) {
    if (!promise) outcome_.violate(ViolationKind::contract, broken);
  }

  // An earlier message of the same object; of it nothing may be left.
  void use_before(const library::Key& key, Reuse how) {
    constexpr std::size_t most = 48;
    const auto nonce = Bytes(other_bytes).first(12);
    const auto aad = Bytes(other_bytes).subspan(5, question_.fill_seed % most);
    // Not the constants themselves, which nobody can write to; and a block away from both ends: what reads
    // too far is met by the guards of the case, which name the participant.
    const auto memory = other_bytes;
    const auto contents = Bytes(memory).subspan(16, (question_.fill_seed >> 8U) % (memory.size() - 32));
    auto sealed_memory = memory;
    auto out_memory = memory;
    std::array<std::uint8_t, 16> tag;
    const auto sealed = std::span(sealed_memory).subspan(16, contents.size());
    const auto to = std::span(out_memory).subspan(16, contents.size());
    Bytes in = contents;
    if (!seals<Message> && how != Reuse::after_abandonment) {
      in = sealed;
      demand(library::seal(key, nonce, aad, contents, sealed, tag) == Status::ok,
             "an earlier message was refused");
    }
    demand(message_->start(key, nonce) == Status::ok && message_->aad(aad) == Status::ok &&
               crypt(*message_, in, to) == Status::ok,
           "an earlier message was refused");
    switch (how) {
      case Reuse::none:
      case Reuse::after_abandonment:
        return;
      case Reuse::after_success:
        demand(end(*message_, tag) == Status::ok, "an earlier message was refused");
        break;
      case Reuse::after_rejection:
        if constexpr (seals<Message>) {
          demand(end(*message_, std::span(tag).first(5)) == Status::bad_tag_size,
                 "a tag of 5 bytes was not refused");
          return;
        }
        tag[question_.fill_seed % tag.size()] ^= 1;
        demand(end(*message_, tag) == Status::authentication_failed, "a wrong tag was accepted");
        break;
    }
    message_.demand_wiped("an earlier message");
  }

  Status begin(Bytes nonce) {
    if (!question_.preset) return message_->start(keys_.of_call(call_), nonce);
    write_state(question_, seals<Message>, exported_);
    return take_up();
  }

  Status feed_aad(Bytes aad) {
    // A text that has begun has left the AAD behind.
    if (question_.preset && question_.before.text_bytes != 0) return Status::ok;
    const Spans pieces = aad_spans(question_, aad);
    if (is_scattered(question_)) {
      const ConstBuffers list = differential::place_list(buffers_.aad_list, pieces.all());
      return next_call([&](Message& message) { return message.aad(list); });
    }
    Status status = Status::ok;
    for (std::size_t i = 0; i < pieces.count && status == Status::ok; ++i) {
      status = next_call([&](Message& message) { return message.aad(pieces.list[i]); });
    }
    return status;
  }

  Status feed_text(const Text& text) {
    std::size_t done = 0;
    for (const Text::Call& call : text.calls()) {
      if (const Status status = next_call(); status != Status::ok) return status;
      std::size_t bytes = 0;
      for (const Bytes span : call.in) bytes += span.size();
      // The copy first, since the original may work in place.
      Status of_copy = Status::ok;
      if (copy_) {
        if (copied_text_ == nullptr) {
          copied_text_ = &text;
          copied_from_ = done;
          copied_output_ =
              buffers_.out_of_copy.place_output(question_.text.size() - done, question_.in_placement);
        }
        const auto out = copied_output_.subspan(done - copied_from_, bytes);
        const std::span<std::uint8_t> outs[] = {out};
        of_copy = is_scattered(question_) ? crypt(**copy_, call.in, outs) : crypt(**copy_, call.in[0], out);
      }
      const Status status = is_scattered(question_) ? crypt(*message_, call.in, call.out)
                                                    : crypt(*message_, call.in[0], call.out[0]);
      if (copy_) demand(of_copy == status, "a copy is not accepted alike");
      if (status != Status::ok) {
        demand(text.untouched(contents_, done), "wrote before refusing");
        return status;
      }
      done += bytes;
    }
    return Status::ok;
  }

  // Everything that happens between the call before and the next.
  Status next_call() {
    ++call_;
    Status status = Status::ok;
    if (is_set(question_.export_before, call_)) {
      const auto out = buffers_.state.place_output(exported_.size(), question_.state_placement);
      status = message_->export_state(out);
      buffers_.state.check(outcome_);
      if (status != Status::ok) return status;
      std::ranges::copy(out, exported_.begin());
      if (by_seed_.import_over) {
        use_before(keys_.other(), Reuse::after_abandonment);
      } else {
        message_.renew();
      }
      status = take_up();
    }
    // A copy has an output of its own, so what is wrong with that of the original is not asked of it.
    const bool copies = is_set(question_.copy_before, call_) && shared_bytes(question_) == 0;
    if (status == Status::ok && !copy_ && copies) copy();
    if (status == Status::ok && keys_.mixture()) status = message_->hand_over(keys_.of_call(call_));
    if (status == Status::ok && is_set(by_seed_.refuse_before, call_)) {
      demand_refusals(*message_, keys_.of_call(call_), keys_.other(),
                      PlaceState{buffers_.state, question_.state_placement}, outcome_);
    }
    return status;
  }
  template <class Action>
  Status next_call(Action&& action) {
    const Status status = next_call();
    if (status != Status::ok) return status;
    const Status of_copy = copy_ ? action(**copy_) : Status::ok;
    const Status of_original = action(*message_);
    if (copy_) demand(of_copy == of_original, "a copy is not accepted alike");
    return of_original;
  }

  Status take_up() {
    const auto placed = buffers_.state.place_input(exported_, question_.state_placement);
    const Status status = message_->import_state(keys_.of_call(call_), placed);
    buffers_.state.check(outcome_);
    return status;
  }

  // The copy goes on under a copy of the key, wherever that lies.
  void copy() {
    copy_.emplace(buffers_.message_copy, question_.object_placement, outcome_, *message_);
    key_copy_.emplace(buffers_.key_copy, question_.key_placement, outcome_, keys_.of_call(call_));
    demand((*copy_)->hand_over(**key_copy_) == Status::ok, "a copied key is refused");
  }

  void end_copy(Status expected, const Text& text, Tag tag) {
    if constexpr (seals<Message>) {
      std::array<std::uint8_t, 32> room;
      const auto own = std::span(room).first(std::min(room.size(), tag.size()));
      demand(end(**copy_, own) == expected && (expected != Status::ok || std::ranges::equal(own, tag)),
             "a copy has another tag");
    } else {
      demand(end(**copy_, tag) == expected, "a copy is not accepted alike");
    }
    if (expected != Status::bad_tag_size) copy_->demand_wiped("the end of the message");
    if (copied_text_ == nullptr) return;
    buffers_.out_of_copy.check(outcome_);
    static std::vector<std::uint8_t> gathered;
    gathered.resize(question_.text.size());
    text.gather(gathered);
    demand(std::ranges::equal(std::span(gathered).subspan(copied_from_), copied_output_),
           "a copy has another text");
  }

  void answer_state() {
    std::array<std::uint8_t, Message::exported_state_bytes> bytes;
    if (message_->export_state(bytes) != Status::ok) return;
    outcome_.set(running_ghash, std::span(bytes).subspan(8, 16));
    outcome_.set(next_counter, std::span(bytes).subspan(24, 16));
  }

  const Case& question_;
  const Bytes contents_;
  const BySeed by_seed_;
  Keys& keys_;
  Buffers& buffers_;
  Outcome& outcome_;
  Placed<Message> message_;
  std::optional<Placed<library::Key>> key_copy_;
  std::optional<Placed<Message>> copy_;
  const Text* copied_text_ = nullptr;
  std::size_t copied_from_ = 0;
  std::span<std::uint8_t> copied_output_;
  std::size_t call_ = 0;
  std::array<std::uint8_t, Message::exported_state_bytes> exported_;
};

bool unwritten(Bytes bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == differential::unwritten_value; });
}

void check(Buffers& buffers, const Text& text, Outcome& outcome) {
  for (const differential::GuardedRegion* region :
       {&buffers.key, &buffers.nonce, &buffers.aad, &buffers.tag, &buffers.key_object}) {
    region->check(outcome);
  }
  text.check(outcome);
}

Status seal(const Case& question, Keys& keys, Buffers& buffers, Bytes nonce, Bytes aad, Outcome& outcome) {
  const Text text(question, buffers, question.text);
  const std::span<std::uint8_t> tag = buffers.tag.place_output(question.tag_bytes, question.tag_placement);
  const Text::Call& first = text.calls()[0];
  Status status = Status::ok;
  if (question.call == Call::incremental) {
    status = Incremental<library::SealMessage>(question, question.text, keys, buffers, outcome)
                 .run(nonce, aad, text, tag);
  } else if (is_scattered(question)) {
    const ConstBuffers aad_list = differential::place_list(buffers.aad_list, aad_spans(question, aad).all());
    status = library::seal(keys.of_call(0), nonce, aad_list, first.in, first.out, tag);
  } else {
    status = library::seal(keys.of_call(0), nonce, aad, first.in[0], first.out[0], tag);
  }
  // A refused call writes nothing. Incremental looks at the text itself: others have written before.
  const bool alone = question.call == Call::one_shot;
  if (status != Status::ok && !(unwritten(tag) && (!alone || text.untouched(question.text)))) {
    outcome.violate(ViolationKind::contract, "wrote before refusing");
  }
  check(buffers, text, outcome);
  outcome.set(seal_status, to_string(status));
  if (status == Status::ok) {
    text.gather(outcome.allocate(ciphertext, question.text.size()));
    outcome.set(Answer::tag, tag);
  }
  return status;
}

void open(const Case& question, Keys& keys, Buffers& buffers, Bytes nonce, Bytes aad, Bytes contents,
          Bytes tag, Outcome& outcome) {
  const Text text(question, buffers, contents);
  const Bytes expected = buffers.tag.place_input(tag, question.tag_placement);
  const Text::Call& first = text.calls()[0];
  Status status = Status::ok;
  if (question.call == Call::incremental) {
    status = Incremental<library::OpenMessage>(question, contents, keys, buffers, outcome)
                 .run(nonce, aad, text, expected);
  } else if (is_scattered(question)) {
    const ConstBuffers aad_list = differential::place_list(buffers.aad_list, aad_spans(question, aad).all());
    status = library::open(keys.of_call(0), nonce, aad_list, first.in, first.out, expected);
  } else {
    status = library::open(keys.of_call(0), nonce, aad, first.in[0], first.out[0], expected);
  }
  if (status == Status::authentication_failed && question.call == Call::one_shot) {
    text.gather(outcome.allocate(destination_after_reject, contents.size()));
  }
  const bool alone = question.call == Call::one_shot;
  if (status != Status::ok && status != Status::authentication_failed && alone && !text.untouched(contents)) {
    outcome.violate(ViolationKind::contract, "wrote before refusing");
  }
  check(buffers, text, outcome);
  outcome.set(open_status, to_string(status));
  outcome.set(accepted, status == Status::ok);
  if (status == Status::ok) text.gather(outcome.allocate(plaintext, contents.size()));
}

void run(const void* self, const Case& question, Buffers& buffers, Outcome& outcome) {
  auto nonce = buffers.nonce.place_input(question.nonce, question.nonce_placement);
  auto aad = buffers.aad.place_input(question.aad, question.aad_placement);
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  Keys keys(available(), static_cast<const library::Implementation*>(self),
            {.key = key,
             .other = Bytes(other_bytes).first(question.key_bytes == 16 ? 32 : 16),
             .schedule = question.schedule,
             .rekey = question.rekey,
             .placement = question.object_placement},
            buffers, outcome);
  if (keys.status() != Status::ok) {
    outcome.set(question.operation == Operation::open ? open_status : seal_status, to_string(keys.status()));
    outcome.set(accepted, false);
    return;
  }
  if (question.operation == Operation::open) {
    open(question, keys, buffers, nonce, aad, question.text, question.tag, outcome);
    return;
  }
  if (question.call == Call::one_shot && BySeed(question.fill_seed).refuse_overlap) {
    demand_overlap_refused(keys.of_call(0), question.fill_seed, outcome);
    demand_sizes_refused(keys.of_call(0), outcome);
  }
  if (seal(question, keys, buffers, nonce, aad, outcome) != Status::ok) {
    // What could not be sealed is not opened.
    outcome.set(accepted, false);
    return;
  }
  static Tampered message;
  tamper(question, outcome.get(ciphertext), outcome.get(Answer::tag), message);
  if (question.tamper == Tamper::nonce)
    nonce = buffers.nonce.place_input(message.nonce, question.nonce_placement);
  if (question.tamper == Tamper::aad) aad = buffers.aad.place_input(message.aad, question.aad_placement);
  open(question, keys, buffers, nonce, aad, message.ciphertext, message.tag, outcome);
}

bool usual_sizes(const Case& question) noexcept {
  const auto tag_bytes = question.tag_bytes;
  return (question.key_bytes == 16 || question.key_bytes == 24 || question.key_bytes == 32) &&
         question.nonce_bytes > 0 &&
         (tag_bytes == 4 || tag_bytes == 8 || (tag_bytes >= 12 && tag_bytes <= 16));
}

// A preset may lie at the limit of the standard, where refusing is right.
AnswerSet declares(const Case& question) noexcept {
  AnswerSet owed = {accepted};
  if (question.operation == Operation::open) {
    owed.insert(open_status);
    return owed;
  }
  owed.insert(seal_status);
  if (!usual_sizes(question) || question.preset || shared_bytes(question) > 0) return owed;
  for (const Answer answer : {ciphertext, Answer::tag, open_status}) owed.insert(answer);
  if (question.call == Call::incremental) {
    owed.insert(next_counter);
    owed.insert(running_ghash);
  }
  return owed;
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
  aes_gcm::steer(question);
}
void Algorithm::plan(Case& question) noexcept {
  aes_gcm::plan(question);
}

std::span<const Case> Algorithm::typical() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> list(4);
    list[1].call = Call::incremental;
    list[1].hand_over = true;
    list[2].tamper = Tamper::tag;
    list[3].operation = Operation::open;
    return list;
  }();
  return cases;
}

differential::Facts Algorithm::facts(const Case& question) {
  return {.text_bytes = question.text_bytes,
          .steered = question.steering != Steering::none,
          .hand_over = question.hand_over && question.call == Call::incremental,
          .operations = static_cast<std::uint8_t>(question.operation == Operation::open ? 2 : 3)};
}

void Algorithm::lanes(const Case& question, std::vector<differential::LaneHit>& hits) {
  const Wrap wrap = wrap_of(question);
  if (!wrap.happens || question.operation == Operation::open) return;
  for (const TextPiece& piece : text_pieces_of(question)) {
    const std::size_t first_block = piece.first_block();
    if (wrap.block < first_block || wrap.block >= first_block + (piece.kernel_bytes() + 15) / 16) continue;
    const std::size_t block = wrap.block - first_block;
    for (std::size_t p = 0; p < available().strides.size(); ++p) {
      const std::size_t stride = available().strides[p];
      const std::size_t bulk_blocks = piece.bulk_blocks(stride);
      const bool bulk = block < bulk_blocks;
      const auto lane = static_cast<std::uint16_t>(bulk ? block % stride : block - bulk_blocks);
      for (std::uint8_t operation = 0; operation < 2; ++operation) {
        // An opening with a changed nonce has another J0.
        if (operation == 1 && question.tamper == Tamper::nonce) continue;
        hits.push_back({static_cast<std::uint8_t>(p), operation, bulk, lane});
      }
    }
  }
}

differential::Place Algorithm::locate(const Case& question, AnswerId answer, std::size_t byte,
                                      std::size_t participant) {
  differential::Place place;
  if (answer != ciphertext && answer != plaintext) return place;
  const std::size_t block = byte / 16;
  place.block = block;
  place.words = "block " + std::to_string(block) + " of " + std::to_string((question.text_bytes + 15) / 16);
  const Wrap wrap = wrap_of(question);
  if (wrap.happens) place.words += ", the counter wraps at block " + std::to_string(wrap.block);
  if (participant >= available().strides.size()) return place;
  const TextPieces pieces = text_pieces_of(question);
  const TextPiece* piece = pieces.begin();
  while (!piece->last && piece->end <= byte) ++piece;
  if (pieces.count > 1) {
    place.words +=
        ", piece " + std::to_string(piece - pieces.begin() + 1) + " of " + std::to_string(pieces.count);
  }
  const std::size_t first_block = piece->first_block();
  if (block < first_block) {
    place.words += ", the rest of a block that an earlier piece started";
    return place;
  }
  const std::size_t stride = available().strides[participant];
  const std::size_t bulk_blocks = piece->bulk_blocks(stride);
  const std::size_t at = block - first_block;
  if (at < bulk_blocks) {
    place.lane = at % stride;
    place.words += ", lane " + std::to_string(at % stride) + " of " + std::to_string(stride) + " in stride " +
                   std::to_string(at / stride) + " of the bulk loop";
  } else {
    place.words += ", block " + std::to_string(at - bulk_blocks) + " of the tail after " +
                   std::to_string(bulk_blocks / stride) + " strides of " + std::to_string(stride);
  }
  return place;
}

}  // namespace lockstep::oracles::aes_gcm
