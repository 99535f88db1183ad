// Nettle: gcm_set_key takes any block function, so that H can be anything; what gcm_update makes of
// associated data before any lengths are added is GHASH, zero-padded, and stands in the public context.
#include <nettle/gcm.h>
#include <nettle/version.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "oracles/differential/pieces.h"
#include "oracles/ghash/foreign.h"

namespace lockstep::oracles::ghash {
namespace {

using differential::Buffers;
using differential::Outcome;

// A "cipher" under which every block, so also the zero block that Nettle makes its H from, becomes H.
void give_h(const void* h, std::size_t bytes, std::uint8_t* out, const std::uint8_t* /*in*/) {
  for (std::size_t at = 0; at < bytes; at += GCM_BLOCK_SIZE) {
    std::copy_n(static_cast<const std::uint8_t*>(h), GCM_BLOCK_SIZE, out + at);
  }
}

void run(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto h = buffers.key.place_input(question.key, question.key_placement);
  const auto text = buffers.in.place_input(question.text, question.in_placement);
  static constexpr std::array<std::uint8_t, GCM_IV_SIZE> nonce = {};
  static gcm_key key;
  static gcm_ctx context;
  gcm_set_key(&key, h.data(), give_h);
  gcm_set_iv(&context, &key, nonce.size(), nonce.data());

  const std::size_t cuts = question.call == Call::incremental ? question.in_cut_count : 0;
  const auto pieces = differential::cut(text.size(), cuts, question.in_cuts);
  // Only its last piece may end inside a block; the cuts are rounded down.
  std::size_t done = 0;
  for (std::size_t i = 0; i < pieces.count; ++i) {
    const bool last = i + 1 == pieces.count;
    const std::size_t end = last ? text.size() : pieces.bounds[i + 1] / GCM_BLOCK_SIZE * GCM_BLOCK_SIZE;
    gcm_update(&context, &key, end - done, text.data() + done);
    done = end;
  }
  buffers.key.check(outcome);
  buffers.in.check(outcome);
  outcome.set(hash, std::span<const std::uint8_t>(context.x.b));
}

std::string_view version() {
  static const auto text = [] {
    std::array<char, 24> digits = {};
    std::snprintf(digits.data(), digits.size(), "%d.%d", nettle_version_major(), nettle_version_minor());
    return digits;
  }();
  return text.data();
}

}  // namespace

differential::Participant<Case> nettle_participant() {
  return {.info = {.name = "nettle", .origin = "nettle", .version = version()},
          .limits = {},
          .declares = [](const Case&) noexcept -> AnswerSet { return {hash}; },
          .run = run};
}

}  // namespace lockstep::oracles::ghash
