#pragma once

#include <cstdlib>

#include "oracles/differential/harness.h"
#include "tests/differential/cpu_time.h"

// An invented algorithm whose first participant behaves as the case tells it to.
namespace lockstep::differential {

enum class Behaviour : std::uint8_t {
  honest,
  wrong,
  silent,
  segfault,
  abort,
  hang,
  slow,      // does return
  drifting,  // right whenever it is asked first, like the following
  silent_later,
  talking_later,  // gives an answer more
  segfault_later,
  breaking_later,      // breaks a promise
  not_for_plain,       // a case that plain does not take
  spares_plain,        // one that plain is not asked in campaigns
  wrong_beside_plain,  // wrong, where plain is not asked in campaigns
  wrong_at_first,
  count_,
};

struct ToyCase {
  Behaviour behaviour = Behaviour::honest;
  std::uint64_t fill_seed = 0;
  bool steered = false;
};

template <class Visitor, class CaseOrConst>
void visit(Visitor& v, CaseOrConst& c) {
  static constexpr std::string_view behaviours[] = {
      "honest",         "wrong",          "silent",        "segfault",     "abort",
      "hang",           "slow",           "drifting",      "silent_later", "talking_later",
      "segfault_later", "breaking_later", "not_for_plain", "spares_plain", "wrong_beside_plain",
      "wrong_at_first"};
  static_assert(std::size(behaviours) == static_cast<std::size_t>(Behaviour::count_));
  v.choice("behaviour", c.behaviour, behaviours);
  v.fill_seed("fill_seed", c.fill_seed);
}

struct Toy {
  using Case = ToyCase;
  enum : AnswerId { sum = 1, more = 2 };
  static constexpr std::string_view name = "toy";
  static constexpr std::uint8_t id = 99;
  static constexpr std::string_view names[] = {"violation", "sum", "more"};
  static constexpr std::span<const std::string_view> answer_names = names;
  static constexpr AnswerSet core_answers = {sum};
  static constexpr std::string_view operation_names[] = {"add"};
  static constexpr std::span<const std::string_view> operations = operation_names;
  static constexpr bool has_lanes = false;

  // How often the first one was asked; to be set to 0 before a case.
  static inline int times_asked = 0;
  static inline bool was_steered = false;
  static inline int dirt_seen = 0;  // bytes of the stack below that the harness has scribbled on

  [[gnu::noinline, gnu::no_sanitize_address]] static int dirt_below() {
    const auto* const frame = static_cast<const volatile std::uint8_t*>(__builtin_frame_address(0));
    int count = 0;
    for (std::ptrdiff_t at = 256; at < 2304; ++at) count += *(frame - at) == 0xa6 ? 1 : 0;
    return count;
  }

  static void honest(const void* /*self*/, const Case& /*question*/, Buffers& /*buffers*/, Outcome& outcome) {
    outcome.set(sum, std::string_view("42"));
  }

  static void toy(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
    const bool later = ++times_asked > 1;
    was_steered = question.steered;
    dirt_seen = dirt_below();
    const std::span<std::uint8_t> out = buffers.out.place_output(3, Placement::behind());
    const auto segfault = [&] { *const_cast<volatile std::uint8_t*>(out.data() + 3) = 1; };
    switch (question.behaviour) {
      case Behaviour::wrong:
      case Behaviour::wrong_beside_plain:
        return outcome.set(sum, std::string_view("43"));
      case Behaviour::silent:
        return;
      case Behaviour::segfault:
        segfault();
        break;
      case Behaviour::abort:
        std::abort();
      case Behaviour::hang:
        for (volatile bool for_ever = true; for_ever;) {
        }
        break;
      case Behaviour::slow:
        spend_cpu_time(0.7);
        break;
      case Behaviour::drifting:
        return outcome.set(sum, later ? std::string_view("41") : std::string_view("42"));
      case Behaviour::wrong_at_first:
        return outcome.set(sum, later ? std::string_view("42") : std::string_view("43"));
      case Behaviour::silent_later:
        if (later) return;
        break;
      case Behaviour::talking_later:
        if (later) outcome.set(more, std::string_view("1"));
        break;
      case Behaviour::segfault_later:
        if (later) segfault();
        break;
      case Behaviour::breaking_later:
        if (later) outcome.violate(ViolationKind::contract, "broke it");
        break;
      default:
        break;
    }
    outcome.set(sum, std::string_view("42"));
  }

  static AnswerSet declares(const Case& /*question*/) noexcept { return {sum}; }

  static std::span<const Participant<Case>> participants() {
    static constexpr Limit<Case> limits[] = {
        {"not for plain", [](const Case& c) noexcept { return c.behaviour == Behaviour::not_for_plain; }},
        {"plain is slow",
         [](const Case& c) noexcept {
           return c.behaviour == Behaviour::spares_plain || c.behaviour == Behaviour::wrong_beside_plain;
         },
         true}};
    static const std::vector<Participant<Case>> list = {
        {.info = {.name = "toy", .origin = "lockstep", .version = {}, .shipped = true, .stride_blocks = 1},
         .self = nullptr,
         .limits = {},
         .declares = declares,
         .run = toy},
        {.info = {.name = "plain", .origin = "plain", .version = {}},
         .self = nullptr,
         .limits = limits,
         .declares = declares,
         .run = honest},
        {.info = {.name = "other", .origin = "other", .version = {}},
         .self = nullptr,
         .limits = {},
         .declares = declares,
         .run = honest}};
    return list;
  }
  static std::span<const std::string_view> implementation_names() {
    static constexpr std::string_view list[] = {"toy"};
    return list;
  }
  static std::span<const ImplementationRef> implementation_references() {
    static constexpr ImplementationRef list[] = {reference("toy")};
    return list;
  }
  static std::span<const unsigned> strides() {
    static constexpr unsigned list[] = {1};
    return list;
  }
  static std::span<const Case> typical() { return {}; }
  static void plan(Case& /*question*/) {}
  static void steer(Case& question) { question.steered = true; }
  static CellDeclaration cell_declaration() {
    return {.attributes = {{"implementation", {"toy"}}, {"behaviour", {"any"}}},
            .strides = {1},
            .triples = {},
            .constraints = {}};
  }
  static void cells(const Case& /*question*/, std::vector<CellPoint>& points) { points.push_back({}); }
  static void draw(Case& question, Random& random) { question.fill_seed = random.next(); }
  static Facts facts(const Case& /*question*/) { return {.text_bytes = 3, .operations = 1}; }
  static void lanes(const Case& /*question*/, std::vector<LaneHit>& hits) { hits.push_back({}); }
  static Place locate(const Case& /*question*/, AnswerId /*answer*/, std::size_t /*byte*/,
                      std::size_t participant) {
    Place place;
    place.words = "in " + std::string(participants()[participant].info.name);
    return place;
  }

  // A case as a file.
  static std::vector<std::uint8_t> input(Behaviour behaviour, std::uint64_t fill_seed) {
    Case question;
    question.behaviour = behaviour;
    question.fill_seed = fill_seed;
    std::vector<std::uint8_t> bytes = {'L', 'S', id, format_version};
    Encoder encoder(bytes);
    visit(encoder, std::as_const(question));
    return bytes;
  }
};

}  // namespace lockstep::differential
