// Botan 2, through HashFunction::create alone. It has neither key nor parameter block, but every digest size.
#include <botan/hash.h>
#include <botan/version.h>

#include <array>
#include <exception>
#include <memory>
#include <string>

#include "oracles/blake2b/foreign.h"
#include "oracles/differential/pieces.h"

namespace lockstep::oracles::blake2b {
namespace {

using differential::Buffers;
using differential::Limit;
using differential::Outcome;

// Made once, one for each digest size. Never destroyed: at the end of the process Botan's allocator is gone
// before them. Throws if Botan has no such hash.
Botan::HashFunction& hash_of(std::uint32_t digest_bytes) {
  using Hashes = std::array<std::unique_ptr<Botan::HashFunction>, 81>;
  static auto& hashes = *new Hashes;
  std::unique_ptr<Botan::HashFunction>& found = hashes.at(digest_bytes);
  if (found == nullptr) {
    found = Botan::HashFunction::create_or_throw("BLAKE2b(" + std::to_string(8 * digest_bytes) + ")");
  }
  return *found;
}

// False if Botan refuses, which it says by an exception.
bool hash(const Case& question, std::span<const std::uint8_t> text, std::span<std::uint8_t> out) {
  try {
    Botan::HashFunction& function = hash_of(question.digest_bytes);
    if (function.output_length() != out.size()) return false;
    const std::size_t cuts = question.call == Call::incremental ? question.in_cut_count : 0;
    const auto pieces = differential::cut(text.size(), cuts, question.in_cuts);
    for (std::size_t i = 0; i < pieces.count; ++i) {
      function.update(text.data() + pieces.bounds[i], pieces.bounds[i + 1] - pieces.bounds[i]);
    }
    function.final(out.data());
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void run(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto text = buffers.in.place_input(question.text, question.in_placement);
  const auto out = buffers.out.place_output(question.digest_bytes, question.out_placement);
  const bool hashed = hash(question, text, out);
  buffers.in.check(outcome);
  buffers.out.check(outcome);
  outcome.set(accepted, hashed);
  if (hashed) outcome.set(digest, out);
}

// A digest size that does not exist is asked about: Botan must refuse it.
AnswerSet declares(const Case& question) noexcept {
  if (question.digest_bytes == 0 || question.digest_bytes > 64) return {accepted};
  return {accepted, digest};
}

constexpr Limit<Case> limits[] = {
    {"no keyed hash", [](const Case& c) noexcept { return c.key_bytes != 0; }},
    {"no salt and no personalisation",
     [](const Case& c) noexcept { return c.salt_bytes != 0 || c.personal_bytes != 0; }},
    {"no parameter block: sequential mode only",
     [](const Case& c) noexcept { return c.tree || c.last_node; }},
    {"a message cannot be taken up in the middle",
     [](const Case& c) noexcept { return c.steering == Steering::preset_counter; }},
};

}  // namespace

differential::Participant<Case> botan_participant() {
  return {.info = {.name = "botan", .origin = "botan", .version = Botan::short_version_cstr()},
          .limits = limits,
          .declares = declares,
          .run = run};
}

}  // namespace lockstep::oracles::blake2b
