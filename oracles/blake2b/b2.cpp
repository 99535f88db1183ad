// libb2, by the authors of BLAKE2: the whole parameter block through blake2b_init_param. Its state is public,
// so that it is the one foreign library that can take up a message in the middle.
#include <blake2.h>

#include <algorithm>
#include <cstring>

#include "oracles/blake2b/foreign.h"
#include "oracles/differential/pieces.h"

namespace lockstep::oracles::blake2b {
namespace {

using differential::Buffers;
using differential::Limit;
using differential::Outcome;

bool sizes_exist(const Case& question) noexcept {
  return question.digest_bytes >= 1 && question.digest_bytes <= 64 && question.key_bytes <= 64;
}

// Numbers of the block are little-endian whatever the machine is.
template <class Number>
void store(Number& field, Number value) noexcept {
  std::uint8_t bytes[sizeof field];
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
  std::memcpy(&field, bytes, sizeof field);
}

bool start_with_block(::blake2b_state& running, const Case& question, std::span<const std::uint8_t> key) {
  ::blake2b_param p = {};
  p.digest_length = static_cast<std::uint8_t>(question.digest_bytes);
  p.key_length = static_cast<std::uint8_t>(question.key_bytes);
  p.fanout = question.tree ? question.fanout : 1;
  p.depth = question.tree ? question.depth : 1;
  if (question.tree) {
    std::uint32_t leaf_length = 0;
    std::uint64_t node_offset = 0;
    store(leaf_length, question.leaf_length);
    store(node_offset, question.node_offset);
    p.leaf_length = leaf_length;  // a packed field: nothing may refer to it
    p.node_offset = node_offset;
    p.node_depth = question.node_depth;
    p.inner_length = question.inner_length;
  }
  std::ranges::copy(question.salt, p.salt);
  std::ranges::copy(question.personal, p.personal);
  if (::blake2b_init_param(&running, &p) != 0) return false;
  running.last_node = question.last_node ? 1 : 0;
  if (key.empty()) return true;
  std::uint8_t padded[BLAKE2B_BLOCKBYTES] = {};
  std::ranges::copy(key, padded);
  return ::blake2b_update(&running, padded, sizeof padded) == 0;
}

bool start(::blake2b_state& running, const Case& question, std::span<const std::uint8_t> key) {
  if (question.preset) {
    running = {};
    std::memcpy(running.h, question.chain.data(), sizeof running.h);
    std::ranges::copy(question.before.t, running.t);
    std::copy_n(question.buffer.begin(), question.before.buffered, running.buf);
    running.buflen = question.before.buffered;
    running.outlen = static_cast<std::uint8_t>(question.digest_bytes);
    running.last_node = question.last_node ? 1 : 0;
    return true;
  }
  // A parameter block says what it likes; sizes are checked by the others.
  if (!sizes_exist(question) ||
      (question.key_bytes > 0 && question.call == Call::one_shot && question.salt_bytes == 0 &&
       question.personal_bytes == 0 && !question.tree && !question.last_node)) {
    return (question.key_bytes == 0
                ? ::blake2b_init(&running, question.digest_bytes)
                : ::blake2b_init_key(&running, question.digest_bytes, key.data(), key.size())) == 0;
  }
  return start_with_block(running, question, key);
}

bool hash(const Case& question, std::span<const std::uint8_t> key, std::span<const std::uint8_t> text,
          std::span<std::uint8_t> out) {
  static ::blake2b_state running;
  if (!start(running, question, key)) return false;
  const std::size_t cuts = question.call == Call::incremental ? question.in_cut_count : 0;
  const auto pieces = differential::cut(text.size(), cuts, question.in_cuts);
  for (std::size_t i = 0; i < pieces.count; ++i) {
    if (::blake2b_update(&running, text.data() + pieces.bounds[i], pieces.bounds[i + 1] - pieces.bounds[i]) !=
        0) {
      return false;
    }
  }
  return ::blake2b_final(&running, out.data(), out.size()) == 0;
}

void run(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  const auto text = buffers.in.place_input(question.text, question.in_placement);
  const auto out = buffers.out.place_output(question.digest_bytes, question.out_placement);
  const bool hashed = hash(question, key, text, out);
  buffers.key.check(outcome);
  buffers.in.check(outcome);
  buffers.out.check(outcome);
  outcome.set(accepted, hashed);
  if (hashed) outcome.set(digest, out);
}

// Sizes that do not exist are asked about: libb2 must refuse them.
AnswerSet declares(const Case& question) noexcept {
  if (!sizes_exist(question)) return {accepted};
  return {accepted, digest};
}

constexpr Limit<Case> limits[] = {
    {"salt and personalisation are fields of 16 bytes; their sizes are not said",
     [](const Case& c) noexcept {
       return (c.salt_bytes != 0 && c.salt_bytes != 16) || (c.personal_bytes != 0 && c.personal_bytes != 16);
     }},
    {"no opinion on depth 0 and inner lengths above 64: any parameter block is taken",
     [](const Case& c) noexcept { return c.tree && (c.depth == 0 || c.inner_length > 64); }},
};

}  // namespace

differential::Participant<Case> b2_participant() {
  return {.info = {.name = "b2", .origin = "b2", .version = LOCKSTEP_LIBB2_VERSION},
          .limits = limits,
          .declares = declares,
          .run = run};
}

}  // namespace lockstep::oracles::blake2b
