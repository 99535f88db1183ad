#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "oracles/differential/fields.h"
#include "oracles/differential/guarded.h"
#include "oracles/differential/outcome.h"

// One question about GHASH as a keyed hash of its own: what is asked, and how it is called. Version 1.
namespace lockstep::oracles::ghash {

using differential::AnswerId;
using differential::AnswerSet;
using differential::ImplementationRef;
using differential::Placement;

enum class Call : std::uint8_t { one_shot, incremental };
enum class Reuse : std::uint8_t { none, after_success, after_abandonment };
enum class KeySteering : std::uint8_t { none, zero, one, x, all_ones, single_bit };
enum class TextSteering : std::uint8_t { none, zero, all_ones, single_bit, equal_blocks };

inline constexpr std::uint32_t key_bytes = 16;  // H
inline constexpr std::uint32_t usual_text_limit = 4400;
inline constexpr std::size_t max_pieces = 8;

struct Case {
  // What.
  std::uint32_t text_bytes = 0;

  // How. A cut is a position modulo (bytes + 1); the cuts of a text, sorted, make its pieces. A
  // one-shot call gathers them.
  Call call = Call::one_shot;
  std::uint8_t in_cut_count = 0;
  std::array<std::uint16_t, max_pieces - 1> in_cuts = {};
  bool hand_over = false;
  // Call number n of a hash (each piece of text, finish) is made by entry n mod 8.
  std::array<ImplementationRef, max_pieces> schedule = {};
  std::uint8_t export_before = 0;  // bit n mod 8: exported, imported into a new object, before call n
  std::uint8_t copy_before = 0;    // lowest bit n: the object is copied before call n, both are finished
  bool rekey = false;              // the key object held another key before
  Reuse reuse = Reuse::none;       // what an incremental hash's object did before; under that other key
  Placement key_placement, in_placement, out_placement, state_placement, object_placement;

  // Where the input is solved for: see steering.h.
  KeySteering key_steering = KeySteering::none;
  TextSteering text_steering = TextSteering::none;
  std::uint32_t steered_bit = 0;  // the single bit, modulo the bits there are

  // Content. Fuzz bytes come first; what they do not give is drawn from fill_seed.
  std::uint64_t fill_seed = 0;
  std::vector<std::uint8_t> key, text;
};

// The list of fields, once. Their order is the file format: version 1 never changes.
template <class Visitor, class CaseOrConst>
void visit(Visitor& v, CaseOrConst& c) {
  static_assert(std::is_same_v<std::remove_const_t<CaseOrConst>, Case>);
  static constexpr std::string_view calls[] = {"one_shot", "incremental"};
  static constexpr std::string_view reuses[] = {"none", "after_success", "after_abandonment"};
  static constexpr std::string_view key_steerings[] = {"none", "zero", "one", "x", "all_ones", "single_bit"};
  static constexpr std::string_view text_steerings[] = {"none", "zero", "all_ones", "single_bit",
                                                        "equal_blocks"};
  static constexpr std::string_view in_cut_names[] = {"in_cut_1", "in_cut_2", "in_cut_3", "in_cut_4",
                                                      "in_cut_5", "in_cut_6", "in_cut_7"};
  static constexpr std::string_view schedule_names[] = {"schedule_0", "schedule_1", "schedule_2",
                                                        "schedule_3", "schedule_4", "schedule_5",
                                                        "schedule_6", "schedule_7"};

  v.length("text_bytes", c.text_bytes, usual_text_limit);
  v.choice("call", c.call, calls);
  v.number("in_cut_count", c.in_cut_count, max_pieces - 1);
  for (std::size_t i = 0; i < c.in_cuts.size(); ++i) v.number(in_cut_names[i], c.in_cuts[i], 0xffff);
  v.flag("hand_over", c.hand_over);
  for (std::size_t i = 0; i < c.schedule.size(); ++i) v.implementation(schedule_names[i], c.schedule[i]);
  v.number("export_before", c.export_before, 0xff);
  v.number("copy_before", c.copy_before, 0xff);
  v.flag("rekey", c.rekey);
  v.choice("reuse", c.reuse, reuses);
  v.placement("key_placement", c.key_placement);
  v.placement("in_placement", c.in_placement);
  v.placement("out_placement", c.out_placement);
  v.placement("state_placement", c.state_placement);
  v.placement("object_placement", c.object_placement);
  v.choice("key_steering", c.key_steering, key_steerings);
  v.choice("text_steering", c.text_steering, text_steerings);
  v.number("steered_bit", c.steered_bit, UINT32_MAX);
  v.fill_seed("fill_seed", c.fill_seed);
  v.bytes("key", c.key, key_bytes);
  v.bytes("text", c.text, c.text_bytes);
}

// The answers of GHASH, by name.
enum Answer : AnswerId {
  violation,
  hash,
  answer_count,
};
inline constexpr std::string_view answer_names[] = {"violation", "hash"};
static_assert(std::size(answer_names) == answer_count);

inline constexpr AnswerSet core_answers = {hash};

}  // namespace lockstep::oracles::ghash
