#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "oracles/differential/fields.h"
#include "oracles/differential/guarded.h"
#include "oracles/differential/outcome.h"

// One question about AES-GCM: what is asked, and how it is called. Version 1.
namespace lockstep::oracles::aes_gcm {

using differential::AnswerId;
using differential::AnswerSet;
using differential::ImplementationRef;
using differential::Placement;

enum class Operation : std::uint8_t { seal_then_open, open };
enum class Call : std::uint8_t { one_shot, incremental };
enum class Reuse : std::uint8_t { none, after_success, after_rejection, after_abandonment };
enum class Aliasing : std::uint8_t { apart, in_place, partial_overlap };
enum class Tamper : std::uint8_t { none, ciphertext, tag, aad, nonce };
enum class Steering : std::uint8_t { none, nonce, preset_counter, virtual_totals };
enum class VirtualTotal : std::uint8_t { text_2_29, text_2_32, text_limit, aad_2_29, aad_2_32, aad_limit };

inline constexpr std::uint32_t usual_nonce_limit = 160;
inline constexpr std::uint32_t usual_aad_limit = 300;
inline constexpr std::uint32_t usual_text_limit = 4400;
inline constexpr std::size_t max_pieces = 8;
inline constexpr std::size_t max_aad_pieces = 4;

// A message of which `aad_bytes` and `text_bytes` are already behind us, without anyone having had to process
// them: a state that some real message reaches. The counter follows from J0 and text_bytes.
struct Preset {
  std::uint64_t aad_bytes = 0;
  std::uint64_t text_bytes = 0;
  std::array<std::uint8_t, 16> ghash = {};    // over the whole blocks so far
  std::array<std::uint8_t, 16> partial = {};  // AAD or ciphertext of the started block, zero-padded
};

struct Case {
  // What.
  Operation operation = Operation::seal_then_open;
  std::uint32_t key_bytes = 16;
  std::uint32_t nonce_bytes = 12;
  std::uint32_t aad_bytes = 0;
  std::uint32_t text_bytes = 0;  // of the plaintext, or for `open` of the ciphertext
  std::uint32_t tag_bytes = 16;

  // How. A cut is a position modulo (bytes + 1); the cuts of a text, sorted, make its pieces.
  Call call = Call::one_shot;
  std::uint8_t aad_cut_count = 0;
  std::array<std::uint16_t, max_aad_pieces - 1> aad_cuts = {};
  std::uint8_t in_cut_count = 0;
  std::array<std::uint16_t, max_pieces - 1> in_cuts = {};
  std::uint8_t out_cut_count = 0;  // above 0, AAD and text go through scatter/gather calls
  std::array<std::uint16_t, max_pieces - 1> out_cuts = {};
  bool hand_over = false;
  // Call number n of a message (start, each piece of AAD, each piece of text, finish) is made by entry n
  // mod 8.
  std::array<ImplementationRef, max_pieces> schedule = {};
  std::uint8_t export_before = 0;  // bit n mod 8: exported, imported into a new object, before call n
  std::uint8_t copy_before = 0;    // lowest bit n: the object is copied before call n, both are finished
  bool rekey = false;              // the key object held another key before
  Reuse reuse = Reuse::none;       // what an incremental message's object did before; under that other key
  Aliasing aliasing = Aliasing::apart;
  std::uint8_t overlap_bytes = 0;  // of a partial overlap: see shared_bytes()
  Placement key_placement, nonce_placement, aad_placement, in_placement, out_placement, tag_placement,
      state_placement, object_placement;
  Tamper tamper = Tamper::none;
  std::uint32_t tamper_bit = 0;  // modulo the bits of what is tampered with

  // Where the input is solved for: see steering.h.
  Steering steering = Steering::none;
  std::uint8_t boundary = 0;         // the counter carries out of its low 8 * (boundary + 1) bits ...
  std::uint16_t boundary_block = 0;  // ... at this block of the text
  VirtualTotal virtual_total = VirtualTotal::text_2_29;
  std::uint16_t virtual_distance = 0;

  // Content. Fuzz bytes come first; what they do not give is drawn from fill_seed.
  std::uint64_t fill_seed = 0;
  std::vector<std::uint8_t> key, nonce, aad, text, tag;  // tag: only for `open`

  // Solved from the above by steering, not part of the file.
  bool preset = false;
  Preset before;
};

constexpr bool is_scattered(const Case& question) noexcept {
  return question.out_cut_count > 0;
}

// How many bytes the input and the output of a partial overlap share: 1 .. text_bytes - 1, both ends of that
// range by small codes. 0: apart, or exactly in place. Bit 0 of the code says which of the two lies in front.
constexpr std::size_t shared_bytes(const Case& question) noexcept {
  if (question.aliasing != Aliasing::partial_overlap || question.text_bytes < 2) return 0;
  const std::size_t most = question.text_bytes - std::size_t{1};
  const std::size_t code = question.overlap_bytes / 2U;
  return code < 64 ? 1 + code % most : most - (code - 64) % most;
}

// The list of fields, once. Their order is the file format: version 1 never changes.
template <class Visitor, class CaseOrConst>
void visit(Visitor& v, CaseOrConst& c) {
  static_assert(std::is_same_v<std::remove_const_t<CaseOrConst>, Case>);
  static constexpr std::string_view operations[] = {"seal_then_open", "open"};
  static constexpr std::string_view calls[] = {"one_shot", "incremental"};
  static constexpr std::string_view reuses[] = {"none", "after_success", "after_rejection",
                                                "after_abandonment"};
  static constexpr std::string_view aliasings[] = {"apart", "in_place", "partial_overlap"};
  static constexpr std::string_view tampers[] = {"none", "ciphertext", "tag", "aad", "nonce"};
  static constexpr std::string_view steerings[] = {"none", "nonce", "preset_counter", "virtual_totals"};
  static constexpr std::string_view totals[] = {"text_2_29", "text_2_32", "text_limit",
                                                "aad_2_29",  "aad_2_32",  "aad_limit"};
  static constexpr std::uint32_t key_sizes[] = {16, 24, 32};
  static constexpr std::uint32_t tag_sizes[] = {16, 12, 13, 14, 15, 8, 4};
  static constexpr std::string_view aad_cut_names[] = {"aad_cut_1", "aad_cut_2", "aad_cut_3"};
  static constexpr std::string_view in_cut_names[] = {"in_cut_1", "in_cut_2", "in_cut_3", "in_cut_4",
                                                      "in_cut_5", "in_cut_6", "in_cut_7"};
  static constexpr std::string_view out_cut_names[] = {"out_cut_1", "out_cut_2", "out_cut_3", "out_cut_4",
                                                       "out_cut_5", "out_cut_6", "out_cut_7"};
  static constexpr std::string_view schedule_names[] = {"schedule_0", "schedule_1", "schedule_2",
                                                        "schedule_3", "schedule_4", "schedule_5",
                                                        "schedule_6", "schedule_7"};

  v.choice("operation", c.operation, operations);
  v.size("key_bytes", c.key_bytes, key_sizes, 64);
  v.length("nonce_bytes", c.nonce_bytes, usual_nonce_limit);
  v.length("aad_bytes", c.aad_bytes, usual_aad_limit);
  v.length("text_bytes", c.text_bytes, usual_text_limit);
  v.size("tag_bytes", c.tag_bytes, tag_sizes, 32);
  v.choice("call", c.call, calls);
  v.number("aad_cut_count", c.aad_cut_count, max_aad_pieces - 1);
  for (std::size_t i = 0; i < c.aad_cuts.size(); ++i) v.number(aad_cut_names[i], c.aad_cuts[i], 0xffff);
  v.number("in_cut_count", c.in_cut_count, max_pieces - 1);
  for (std::size_t i = 0; i < c.in_cuts.size(); ++i) v.number(in_cut_names[i], c.in_cuts[i], 0xffff);
  v.number("out_cut_count", c.out_cut_count, max_pieces - 1);
  for (std::size_t i = 0; i < c.out_cuts.size(); ++i) v.number(out_cut_names[i], c.out_cuts[i], 0xffff);
  v.flag("hand_over", c.hand_over);
  for (std::size_t i = 0; i < c.schedule.size(); ++i) v.implementation(schedule_names[i], c.schedule[i]);
  v.number("export_before", c.export_before, 0xff);
  v.number("copy_before", c.copy_before, 0xff);
  v.flag("rekey", c.rekey);
  v.choice("reuse", c.reuse, reuses);
  v.choice("aliasing", c.aliasing, aliasings);
  v.number("overlap_bytes", c.overlap_bytes, 0xff);
  v.placement("key_placement", c.key_placement);
  v.placement("nonce_placement", c.nonce_placement);
  v.placement("aad_placement", c.aad_placement);
  v.placement("in_placement", c.in_placement);
  v.placement("out_placement", c.out_placement);
  v.placement("tag_placement", c.tag_placement);
  v.placement("state_placement", c.state_placement);
  v.placement("object_placement", c.object_placement);
  v.choice("tamper", c.tamper, tampers);
  v.number("tamper_bit", c.tamper_bit, UINT32_MAX);
  v.choice("steering", c.steering, steerings);
  v.number("boundary", c.boundary, 3);
  v.number("boundary_block", c.boundary_block, 0xffff);
  v.choice("virtual_total", c.virtual_total, totals);
  v.number("virtual_distance", c.virtual_distance, 0xffff);
  v.fill_seed("fill_seed", c.fill_seed);
  v.bytes("key", c.key, c.key_bytes);
  v.bytes("nonce", c.nonce, c.nonce_bytes);
  v.bytes("aad", c.aad, c.aad_bytes);
  v.bytes("text", c.text, c.text_bytes);
  v.bytes("tag", c.tag, c.operation == Operation::open ? c.tag_bytes : 0);
}

// The answers of AES-GCM, by name.
enum Answer : AnswerId {
  violation,
  seal_status,  // "ok" or why sealing was refused; shipped implementations and plain
  ciphertext,
  tag,
  next_counter,   // after the last text of an incremental seal, 16 bytes; shipped implementations and plain
  running_ghash,  // over the whole blocks of the same moment, 16 bytes; shipped implementations and plain
  open_status,    // "ok" or why opening was refused; shipped implementations and plain
  accepted,
  plaintext,                 // only if accepted
  destination_after_reject,  // only of a one-shot open; shipped implementations and plain
  answer_count,
};
inline constexpr std::string_view answer_names[] = {
    "violation",     "seal_status", "ciphertext", "tag",       "next_counter",
    "running_ghash", "open_status", "accepted",   "plaintext", "destination_after_reject"};
static_assert(std::size(answer_names) == answer_count);

// Whoever says whether the message was accepted has taken part; bytes are owed beside it wherever there are
// any.
inline constexpr AnswerSet core_answers = {accepted};

}  // namespace lockstep::oracles::aes_gcm
