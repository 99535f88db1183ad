// libsodium, through crypto_generichash_blake2b_*: salt and personalisation, no tree.
#include <sodium/core.h>
#include <sodium/crypto_generichash_blake2b.h>
#include <sodium/version.h>

#include <cstdio>
#include <cstdlib>

#include "oracles/blake2b/foreign.h"
#include "oracles/differential/pieces.h"

namespace lockstep::oracles::blake2b {
namespace {

using differential::Buffers;
using differential::Limit;
using differential::Outcome;

// Until it is initialised libsodium would run its slow code alone.
void initialise() {
  static const bool initialised = sodium_init() >= 0;
  if (initialised) return;
  std::fputs("lockstep: libsodium cannot be initialised\n", stderr);
  std::abort();
}

const std::uint8_t* null_if_empty(std::span<const std::uint8_t> bytes) noexcept {
  return bytes.empty() ? nullptr : bytes.data();
}

struct Inputs {
  std::span<const std::uint8_t> key, salt, personal, text;
};

bool hash(const Case& question, const Inputs& in, std::span<std::uint8_t> out) {
  const std::uint8_t* const key = null_if_empty(in.key);
  const std::uint8_t* const salt = null_if_empty(in.salt);
  const std::uint8_t* const personal = null_if_empty(in.personal);
  if (question.call == Call::one_shot) {
    return crypto_generichash_blake2b_salt_personal(out.data(), out.size(), in.text.data(), in.text.size(),
                                                    key, in.key.size(), salt, personal) == 0;
  }
  static crypto_generichash_blake2b_state running;
  if (crypto_generichash_blake2b_init_salt_personal(&running, key, in.key.size(), out.size(), salt,
                                                    personal) != 0) {
    return false;
  }
  const auto pieces = differential::cut(in.text.size(), question.in_cut_count, question.in_cuts);
  for (std::size_t i = 0; i < pieces.count; ++i) {
    if (crypto_generichash_blake2b_update(&running, in.text.data() + pieces.bounds[i],
                                          pieces.bounds[i + 1] - pieces.bounds[i]) != 0) {
      return false;
    }
  }
  return crypto_generichash_blake2b_final(&running, out.data(), out.size()) == 0;
}

void run(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
  initialise();
  const Inputs in = {.key = buffers.key.place_input(question.key, question.key_placement),
                     .salt = buffers.salt.place_input(question.salt, question.salt_placement),
                     .personal = buffers.personal.place_input(question.personal, question.personal_placement),
                     .text = buffers.in.place_input(question.text, question.in_placement)};
  const auto out = buffers.out.place_output(question.digest_bytes, question.out_placement);
  const bool hashed = hash(question, in, out);
  buffers.key.check(outcome);
  buffers.salt.check(outcome);
  buffers.personal.check(outcome);
  buffers.in.check(outcome);
  buffers.out.check(outcome);
  outcome.set(accepted, hashed);
  if (hashed) outcome.set(digest, out);
}

// Sizes that do not exist are asked about: libsodium must refuse them.
AnswerSet declares(const Case& question) noexcept {
  if (question.digest_bytes == 0 || question.digest_bytes > 64 || question.key_bytes > 64) return {accepted};
  return {accepted, digest};
}

constexpr Limit<Case> limits[] = {
    {"salt and personalisation are of 16 bytes or none; their sizes are not said",
     [](const Case& c) noexcept {
       return (c.salt_bytes != 0 && c.salt_bytes != 16) || (c.personal_bytes != 0 && c.personal_bytes != 16);
     }},
    {"no tree fields: sequential mode only", [](const Case& c) noexcept { return c.tree || c.last_node; }},
    {"a message cannot be taken up in the middle: the state is opaque",
     [](const Case& c) noexcept { return c.steering == Steering::preset_counter; }},
};

}  // namespace

differential::Participant<Case> sodium_participant() {
  return {.info = {.name = "sodium", .origin = "sodium", .version = sodium_version_string()},
          .limits = limits,
          .declares = declares,
          .run = run};
}

}  // namespace lockstep::oracles::blake2b
