// The shipped implementations as participants: each alone, and the mixture that a case's schedule asks for.
// Everything goes through the public interface, on buffers between guard pages.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "lockstep/aes_gcm.h"
#include "oracles/aes_gcm/algorithm.h"
#include "oracles/aes_gcm/kernel_calls.h"
#include "oracles/aes_gcm/preset.h"
#include "oracles/aes_gcm/steering.h"
#include "oracles/aes_gcm/tamper.h"
#include "oracles/differential/pieces.h"

namespace lockstep::oracles::aes_gcm {
namespace {

namespace library = ::lockstep::aes_gcm;
using differential::Buffers;
using differential::Limit;
using differential::Outcome;
using differential::Participant;
using differential::ViolationKind;

struct Available {
  std::vector<const library::Implementation*> list;
  std::vector<std::string_view> names;
  std::vector<ImplementationRef> references;
  std::vector<unsigned> strides;
};

const Available& available() {
  static const Available found = [] {
    Available lists;
    for (const library::Implementation* implementation : library::implementations()) {
      const ImplementationInfo& info = library::info(*implementation);
      if (!cpu_features().contains_all(info.required)) continue;
      lists.list.push_back(implementation);
      lists.names.push_back(info.name);
      lists.references.push_back(differential::reference(info.name));
      lists.strides.push_back(info.stride_blocks);
    }
    return lists;
  }();
  return found;
}

// The expanded keys of one case: one for a single implementation, one for each that takes part in a mixture.
class Keys {
 public:
  // The implementation alone; its key object lies between guard pages.
  Keys(const library::Implementation* implementation, const Case& question, std::span<const std::uint8_t> key,
       Buffers& buffers)
      : question_(question), key_(key) {
    const std::span<std::uint8_t> place =
        buffers.key_object.place(sizeof(library::Key), question.object_placement, alignof(library::Key));
    buffers.key_object.arm();
    first_ = new (place.data()) library::Key;
    status_ = first_->set(key_, implementation);
    mixture_ = implementation == nullptr;
  }
  // The mixture of the schedule.
  Keys(const Case& question, std::span<const std::uint8_t> key, Buffers& buffers)
      : Keys(nullptr, question, key, buffers) {}
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys() { std::destroy_at(first_); }

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] bool mixture() const noexcept { return mixture_; }

  // The key of call number `call`.
  const library::Key& of_call(std::size_t call) {
    if (!mixture_) return *first_;
    const std::size_t index =
        differential::resolve(question_.schedule[call % question_.schedule.size()], available().references);
    static std::vector<library::Key> others(available().list.size());
    if ((set_ >> index & 1U) == 0) {
      // The key was accepted by the first; it cannot be refused by another that this CPU runs.
      if (others[index].set(key_, available().list[index]) != Status::ok) std::abort();
      set_ |= std::uint64_t{1} << index;
    }
    return others[index];
  }

 private:
  const Case& question_;
  std::span<const std::uint8_t> key_;
  library::Key* first_ = nullptr;
  std::uint64_t set_ = 0;
  Status status_ = Status::ok;
  bool mixture_ = false;
};

// A message object between guard pages, destroyed with its scope.
template <class Message>
class Placed {
 public:
  Placed(const Case& question, Buffers& buffers) {
    const std::span<std::uint8_t> place =
        buffers.message_object.place(sizeof(Message), question.object_placement, alignof(Message));
    buffers.message_object.arm();
    message_ = new (place.data()) Message;
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() { std::destroy_at(message_); }
  Message* operator->() const noexcept { return message_; }

 private:
  Message* message_;
};

std::string_view name_of(Status status) {
  return to_string(status);
}

// start (or taking up the preset state), then the AAD in its pieces. `call` counts the calls of the message.
template <class Message>
Status begin(Message& message, const Case& question, Keys& keys, Buffers& buffers,
             std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> aad, std::size_t& call) {
  Status status = Status::ok;
  if (question.preset) {
    std::uint8_t state[library::Message::exported_state_bytes];
    write_state(question, std::is_same_v<Message, Placed<library::SealMessage>>, state);
    status =
        message->import_state(keys.of_call(call), buffers.state.place_input(state, question.state_placement));
  } else {
    status = message->start(keys.of_call(call), nonce);
  }
  ++call;
  if (status != Status::ok || (question.preset && question.before.text_bytes != 0)) return status;
  const auto pieces = differential::cut(aad.size(), question.aad_cut_count, question.aad_cuts);
  for (std::size_t i = 0; i < pieces.count; ++i, ++call) {
    if (keys.mixture() && (status = message->hand_over(keys.of_call(call))) != Status::ok) return status;
    status = message->aad(aad.subspan(pieces.bounds[i], pieces.bounds[i + 1] - pieces.bounds[i]));
    if (status != Status::ok) return status;
  }
  return status;
}

template <class Message>
Status text_pieces(Message& message, const Case& question, Keys& keys, std::span<const std::uint8_t> in,
                   std::span<std::uint8_t> out, std::size_t& call) {
  const auto pieces = differential::cut(in.size(), question.in_cut_count, question.in_cuts);
  for (std::size_t i = 0; i < pieces.count; ++i, ++call) {
    Status status = Status::ok;
    if (keys.mixture() && (status = message->hand_over(keys.of_call(call))) != Status::ok) return status;
    const std::size_t bytes = pieces.bounds[i + 1] - pieces.bounds[i];
    const auto in_piece = in.subspan(pieces.bounds[i], bytes);
    const auto out_piece = out.subspan(pieces.bounds[i], bytes);
    if constexpr (std::is_same_v<Message, Placed<library::SealMessage>>) {
      status = message->encrypt(in_piece, out_piece);
    } else {
      status = message->decrypt_unverified(in_piece, out_piece);
    }
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

// The output of a call: apart from `in`, or the same bytes.
struct Text {
  std::span<const std::uint8_t> in;
  std::span<std::uint8_t> out;
};

Text place_text(const Case& question, Buffers& buffers, std::span<const std::uint8_t> contents) {
  const std::span<std::uint8_t> out = buffers.out.place_output(contents.size(), question.out_placement);
  if (question.aliasing == Aliasing::in_place) {
    if (!contents.empty()) std::memcpy(out.data(), contents.data(), contents.size());
    return {out, out};
  }
  return {buffers.in.place_input(contents, question.in_placement), out};
}

// A refused one-shot call writes nothing.
void demand_untouched(const Text& text, std::span<const std::uint8_t> contents,
                      std::span<const std::uint8_t> tag, Outcome& outcome) {
  const auto untouched = [](std::uint8_t byte) { return byte == differential::unwritten_value; };
  const bool text_kept = text.in.data() == text.out.data() ? std::ranges::equal(text.out, contents)
                                                           : std::ranges::all_of(text.out, untouched);
  if (!text_kept || !std::ranges::all_of(tag, untouched)) {
    outcome.violate(ViolationKind::contract, "wrote before refusing");
  }
}

void check(const Case& question, Buffers& buffers, Outcome& outcome) {
  buffers.key.check(outcome);
  buffers.nonce.check(outcome);
  buffers.aad.check(outcome);
  if (question.aliasing != Aliasing::in_place) buffers.in.check(outcome);
  buffers.out.check(outcome);
  buffers.tag.check(outcome);
  buffers.key_object.check(outcome);
  if (question.call == Call::incremental) buffers.message_object.check(outcome);
  if (question.preset) buffers.state.check(outcome);
}

Status seal(const Case& question, Keys& keys, Buffers& buffers, std::span<const std::uint8_t> nonce,
            std::span<const std::uint8_t> aad, Outcome& outcome) {
  const Text text = place_text(question, buffers, question.text);
  const std::span<std::uint8_t> tag = buffers.tag.place_output(question.tag_bytes, question.tag_placement);
  Status status = Status::ok;
  if (question.call == Call::one_shot) {
    status = library::seal(keys.of_call(0), nonce, aad, text.in, text.out, tag);
    if (status != Status::ok) demand_untouched(text, question.text, tag, outcome);
  } else {
    Placed<library::SealMessage> message(question, buffers);
    std::size_t call = 0;
    status = begin(message, question, keys, buffers, nonce, aad, call);
    if (status == Status::ok) status = text_pieces(message, question, keys, text.in, text.out, call);
    std::uint8_t state[library::Message::exported_state_bytes];
    if (status == Status::ok) status = message->export_state(state);
    if (status == Status::ok && keys.mixture()) status = message->hand_over(keys.of_call(call));
    if (status == Status::ok) status = message->finish(tag);
    if (status == Status::ok) {
      outcome.set(running_ghash, std::span(state).subspan(8, 16));
      outcome.set(next_counter, std::span(state).subspan(24, 16));
    }
  }
  check(question, buffers, outcome);
  outcome.set(seal_status, name_of(status));
  if (status == Status::ok) {
    outcome.set(ciphertext, text.out);
    outcome.set(Answer::tag, tag);
  }
  return status;
}

void open(const Case& question, Keys& keys, Buffers& buffers, std::span<const std::uint8_t> nonce,
          std::span<const std::uint8_t> aad, std::span<const std::uint8_t> contents,
          std::span<const std::uint8_t> tag, Outcome& outcome) {
  const Text text = place_text(question, buffers, contents);
  const std::span<const std::uint8_t> expected = buffers.tag.place_input(tag, question.tag_placement);
  Status status = Status::ok;
  if (question.call == Call::one_shot) {
    status = library::open(keys.of_call(0), nonce, aad, text.in, text.out, expected);
    if (status == Status::authentication_failed) {
      outcome.set(destination_after_reject, text.out);
    } else if (status != Status::ok) {
      demand_untouched(text, contents, {}, outcome);
    }
  } else {
    Placed<library::OpenMessage> message(question, buffers);
    std::size_t call = 0;
    status = begin(message, question, keys, buffers, nonce, aad, call);
    if (status == Status::ok) status = text_pieces(message, question, keys, text.in, text.out, call);
    if (status == Status::ok && keys.mixture()) status = message->hand_over(keys.of_call(call));
    if (status == Status::ok) status = message->verify(expected);
  }
  check(question, buffers, outcome);
  outcome.set(open_status, name_of(status));
  outcome.set(accepted, status == Status::ok);
  if (status == Status::ok) outcome.set(plaintext, text.out);
}

void run_with(Keys& keys, const Case& question, Buffers& buffers, Outcome& outcome,
              std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> aad) {
  if (keys.status() != Status::ok) {
    outcome.set(question.operation == Operation::open ? open_status : seal_status, name_of(keys.status()));
    outcome.set(accepted, false);
    return;
  }
  if (question.operation == Operation::open) {
    open(question, keys, buffers, nonce, aad, question.text, question.tag, outcome);
    return;
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

void run(const void* self, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto nonce = buffers.nonce.place_input(question.nonce, question.nonce_placement);
  const auto aad = buffers.aad.place_input(question.aad, question.aad_placement);
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  if (self == nullptr) {
    Keys keys(question, key, buffers);
    run_with(keys, question, buffers, outcome, nonce, aad);
  } else {
    Keys keys(static_cast<const library::Implementation*>(self), question, key, buffers);
    run_with(keys, question, buffers, outcome, nonce, aad);
  }
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
  if (!usual_sizes(question) || question.preset) return owed;
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
  for (const library::Implementation* implementation : available().list) {
    const ImplementationInfo& info = library::info(*implementation);
    list.push_back({.info = {.name = info.name,
                             .origin = "lockstep",
                             .version = {},
                             .shipped = true,
                             .stride_blocks = info.stride_blocks},
                    .self = implementation,
                    .limits = {},
                    .declares = declares,
                    .run = run});
  }
  list.push_back({.info = {.name = "hand_over", .origin = "lockstep", .version = {}, .shipped = true},
                  .self = nullptr,
                  .limits = mixture_limits,
                  .declares = declares,
                  .run = run});
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
