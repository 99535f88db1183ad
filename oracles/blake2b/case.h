#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "oracles/differential/fields.h"
#include "oracles/differential/guarded.h"
#include "oracles/differential/outcome.h"

// One question about BLAKE2b: what is asked, and how it is called. Version 1.
namespace lockstep::oracles::blake2b {

using differential::AnswerId;
using differential::AnswerSet;
using differential::ImplementationRef;
using differential::Placement;

enum class Call : std::uint8_t { one_shot, incremental };
enum class Reuse : std::uint8_t { none, after_success, after_rejection, after_abandonment };
enum class Steering : std::uint8_t { none, preset_counter };
enum class Boundary : std::uint8_t { at_2_32, at_2_64, at_2_128 };

inline constexpr std::uint32_t block_bytes = 128;
inline constexpr std::uint32_t usual_text_limit = 4400;
inline constexpr std::size_t max_pieces = 8;

// A message of which t bytes are already compressed and `buffered` more are kept, without anyone having had
// to process them: a state that some real message reaches. h is Case::chain, the kept bytes begin
// Case::buffer.
struct Preset {
  std::array<std::uint64_t, 2> t = {};  // low word first
  std::uint32_t buffered = 0;
};

struct Case {
  // What.
  std::uint32_t digest_bytes = 64;
  std::uint32_t key_bytes = 0;
  std::uint32_t salt_bytes = 0;
  std::uint32_t personal_bytes = 0;
  std::uint32_t text_bytes = 0;
  bool tree = false;  // else the six fields below have no effect: sequential mode
  std::uint8_t fanout = 1;
  std::uint8_t depth = 1;
  std::uint32_t leaf_length = 0;
  std::uint64_t node_offset = 0;
  std::uint8_t node_depth = 0;
  std::uint8_t inner_length = 0;
  bool last_node = false;

  // How. A cut is a position modulo (bytes + 1); the cuts of a text, sorted, make its pieces. A
  // one-shot call gathers them.
  Call call = Call::one_shot;
  std::uint8_t in_cut_count = 0;
  std::array<std::uint16_t, max_pieces - 1> in_cuts = {};
  bool hand_over = false;
  // Call number n of a message (start, each piece of text, finish) is made by entry n mod 8.
  std::array<ImplementationRef, max_pieces> schedule = {};
  std::uint8_t export_before = 0;  // bit n mod 8: exported, imported into a new object, before call n
  std::uint8_t copy_before = 0;    // lowest bit n: the object is copied before call n, both are finished
  bool rekey = false;              // the message before (see `reuse`) has another key and other parameters
  Reuse reuse = Reuse::none;       // what the object did before
  Placement key_placement, salt_placement, personal_placement, in_placement, out_placement, state_placement,
      object_placement;

  // Where the start is made up: see steering.h.
  Steering steering = Steering::none;
  Boundary boundary = Boundary::at_2_32;
  std::uint32_t counter_end = 0;

  // Content. Fuzz bytes come first; what they do not give is drawn from fill_seed.
  std::uint64_t fill_seed = 0;
  std::vector<std::uint8_t> key, salt, personal, chain, buffer, text;  // chain, buffer: only of a preset

  // Solved from the above by steering, not part of the file.
  bool preset = false;
  Preset before;
};

// The list of fields, once. Their order is the file format: version 1 never changes.
template <class Visitor, class CaseOrConst>
void visit(Visitor& v, CaseOrConst& c) {
  static_assert(std::is_same_v<std::remove_const_t<CaseOrConst>, Case>);
  static constexpr std::string_view calls[] = {"one_shot", "incremental"};
  static constexpr std::string_view reuses[] = {"none", "after_success", "after_rejection",
                                                "after_abandonment"};
  static constexpr std::string_view steerings[] = {"none", "preset_counter"};
  static constexpr std::string_view boundaries[] = {"2^32", "2^64", "2^128"};
  static constexpr std::uint32_t digest_sizes[] = {64, 32, 48, 20, 1, 63, 16, 33};
  static constexpr std::uint32_t key_sizes[] = {0, 64, 32, 16, 1, 0, 63, 0};
  static constexpr std::uint32_t salt_sizes[] = {0, 16, 0, 0};
  static constexpr std::string_view in_cut_names[] = {"in_cut_1", "in_cut_2", "in_cut_3", "in_cut_4",
                                                      "in_cut_5", "in_cut_6", "in_cut_7"};
  static constexpr std::string_view schedule_names[] = {"schedule_0", "schedule_1", "schedule_2",
                                                        "schedule_3", "schedule_4", "schedule_5",
                                                        "schedule_6", "schedule_7"};

  v.size("digest_bytes", c.digest_bytes, digest_sizes, 80);
  v.size("key_bytes", c.key_bytes, key_sizes, 80);
  v.size("salt_bytes", c.salt_bytes, salt_sizes, 32);
  v.size("personal_bytes", c.personal_bytes, salt_sizes, 32);
  v.length("text_bytes", c.text_bytes, usual_text_limit);
  v.flag("tree", c.tree);
  v.number("fanout", c.fanout, 0xff);
  v.number("depth", c.depth, 0xff);
  v.number("leaf_length", c.leaf_length, UINT32_MAX);
  v.number("node_offset", c.node_offset, UINT64_MAX);
  v.number("node_depth", c.node_depth, 0xff);
  v.number("inner_length", c.inner_length, 0xff);
  v.flag("last_node", c.last_node);
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
  v.placement("salt_placement", c.salt_placement);
  v.placement("personal_placement", c.personal_placement);
  v.placement("in_placement", c.in_placement);
  v.placement("out_placement", c.out_placement);
  v.placement("state_placement", c.state_placement);
  v.placement("object_placement", c.object_placement);
  v.choice("steering", c.steering, steerings);
  v.choice("boundary", c.boundary, boundaries);
  v.number("counter_end", c.counter_end, UINT32_MAX);
  v.fill_seed("fill_seed", c.fill_seed);
  v.bytes("key", c.key, c.key_bytes);
  v.bytes("salt", c.salt, c.salt_bytes);
  v.bytes("personal", c.personal, c.personal_bytes);
  v.bytes("chain", c.chain, c.steering == Steering::preset_counter ? 64 : 0);
  v.bytes("buffer", c.buffer, c.steering == Steering::preset_counter ? block_bytes : 0);
  v.bytes("text", c.text, c.text_bytes);
}

// The answers of BLAKE2b, by name.
enum Answer : AnswerId {
  violation,
  hash_status,  // "ok" or why it was refused; shipped implementations and plain
  digest,
  state,  // h and t before the last block of an incremental call, 80 bytes; shipped implementations and plain
  accepted,
  answer_count,
};
inline constexpr std::string_view answer_names[] = {"violation", "hash_status", "digest", "state",
                                                    "accepted"};
static_assert(std::size(answer_names) == answer_count);

// Whoever says whether the parameters were accepted has taken part; a digest is owed beside it if they were.
inline constexpr AnswerSet core_answers = {accepted};

}  // namespace lockstep::oracles::blake2b
