// The shipped implementations as participants: each alone, and the mixture that a case's schedule asks for.
// Everything goes through the public interface, on buffers between guard pages.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "lockstep/ghash.h"
#include "oracles/differential/pieces.h"
#include "oracles/ghash/algorithm.h"
#include "oracles/ghash/steering.h"

namespace lockstep::oracles::ghash {
namespace {

namespace library = ::lockstep::ghash;
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

std::size_t scheduled(const Case& question, std::size_t call) noexcept {
  return differential::resolve(question.schedule[call % question.schedule.size()], available().references);
}

// An object of the library between guard pages, destroyed with its scope.
template <class Object>
class Placed {
 public:
  Placed(differential::GuardedRegion& region, Placement placement)
      : object_(new (region.place(sizeof(Object), placement, alignof(Object)).data()) Object) {
    region.arm();
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() { std::destroy_at(object_); }
  Object& operator*() const noexcept { return *object_; }
  Object* operator->() const noexcept { return object_; }

 private:
  Object* object_;
};

// The expanded keys of a case: one for a single implementation, one for each that takes part in a mixture.
class Keys {
 public:
  Keys(const library::Implementation* implementation, const Case& question, std::span<const std::uint8_t> h,
       Buffers& buffers)
      : question_(question),
        h_(h),
        first_(buffers.key_object, question.object_placement),
        status_(first_->set(h, implementation)),
        mixture_(implementation == nullptr) {}

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] bool mixture() const noexcept { return mixture_; }

  // The key of call number `call`.
  const library::Key& of_call(std::size_t call) {
    if (!mixture_) return *first_;
    const std::size_t index = scheduled(question_, call);
    static std::vector<library::Key> others(available().list.size());
    if ((set_ >> index & 1U) == 0) {
      // The key was accepted by the first; it cannot be refused by another that this CPU runs.
      if (others[index].set(h_, available().list[index]) != Status::ok) std::abort();
      set_ |= std::uint64_t{1} << index;
    }
    return others[index];
  }

 private:
  const Case& question_;
  std::span<const std::uint8_t> h_;
  Placed<library::Key> first_;
  Status status_;
  bool mixture_;
  std::uint64_t set_ = 0;
};

Status hash_in_pieces(const Case& question, Keys& keys, Buffers& buffers, std::span<const std::uint8_t> text,
                      std::span<std::uint8_t> out, Outcome& outcome) {
  Placed<library::Hash> message(buffers.message_object, question.object_placement);
  std::size_t call = 0;
  Status status = message->start(keys.of_call(call));
  const auto pieces = differential::cut(text.size(), question.in_cut_count, question.in_cuts);
  for (std::size_t i = 0; i < pieces.count && status == Status::ok; ++i, ++call) {
    if (keys.mixture() && (status = message->hand_over(keys.of_call(call))) != Status::ok) return status;
    status = message->update(text.subspan(pieces.bounds[i], pieces.bounds[i + 1] - pieces.bounds[i]));
  }
  if (status == Status::ok && keys.mixture()) status = message->hand_over(keys.of_call(call));
  if (status == Status::ok) status = message->finish(out);
  buffers.message_object.check(outcome);
  return status;
}

void run(const void* self, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto h = buffers.key.place_input(question.key, question.key_placement);
  const auto text = buffers.in.place_input(question.text, question.in_placement);
  const auto out = buffers.tag.place_output(library::block_bytes, question.out_placement);
  Keys keys(static_cast<const library::Implementation*>(self), question, h, buffers);
  Status status = keys.status();
  if (status == Status::ok) {
    status = question.call == Call::one_shot ? library::hash(keys.of_call(0), text, out)
                                             : hash_in_pieces(question, keys, buffers, text, out, outcome);
  }
  buffers.key.check(outcome);
  buffers.in.check(outcome);
  buffers.tag.check(outcome);
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
  const std::size_t cuts = question.call == Call::incremental ? question.in_cut_count : 0;
  differential::Place place;
  place.words = std::to_string(blocks) + " blocks in " + std::to_string(cuts + 1) + " pieces, " +
                std::to_string(blocks / stride) + " strides of " + std::to_string(stride) + " and " +
                std::to_string(blocks % stride) + " more if in one";
  return place;
}

}  // namespace lockstep::oracles::ghash
