// Botan 2, through AEAD_Mode::create alone.
#include <botan/aead.h>
#include <botan/version.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>

#include "oracles/aes_gcm/foreign.h"
#include "oracles/aes_gcm/tamper.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using differential::Buffers;
using differential::Limit;
using differential::Outcome;

// Modes are made once: one for each key size, tag size and direction. The size of the tag stands in the name.
// Never destroyed, like `last` below: at the end of the process Botan's allocator is gone before them. Throws
// if Botan has no such mode.
Botan::AEAD_Mode& mode_of(const Case& question, Botan::Cipher_Dir direction) {
  using Modes = std::array<std::array<std::array<std::unique_ptr<Botan::AEAD_Mode>, 2>, 33>, 65>;
  static auto& modes = *new Modes;
  std::unique_ptr<Botan::AEAD_Mode>& found =
      modes.at(question.key_bytes).at(question.tag_bytes)[direction == Botan::ENCRYPTION ? 0 : 1];
  if (found == nullptr) {
    const std::string name =
        "AES-" + std::to_string(8 * question.key_bytes) + "/GCM(" + std::to_string(question.tag_bytes) + ")";
    found = Botan::AEAD_Mode::create_or_throw(name, direction);
  }
  return *found;
}

struct Message {
  std::span<const std::uint8_t> key, nonce, aad;
  std::span<std::uint8_t> text;
  std::span<const std::uint8_t> tag;  // empty when sealing
};

// Turns the text into what comes out, in place; `last` is left holding the tag, when sealing. Botan wants the
// bytes after the last whole multiple of its granularity, and the tag, in a vector of its own. False if Botan
// refuses, which it says by an exception.
bool crypt(const Case& question, Botan::Cipher_Dir direction, const Message& message,
           Botan::secure_vector<std::uint8_t>& last) {
  Botan::AEAD_Mode* mode = nullptr;
  try {
    mode = &mode_of(question, direction);
    mode->set_key(message.key.data(), message.key.size());
    mode->set_associated_data(message.aad.data(), message.aad.size());
    mode->start(message.nonce.data(), message.nonce.size());
    const std::size_t granularity = mode->update_granularity();
    const std::span<std::uint8_t> whole = message.text.first(message.text.size() / granularity * granularity);
    const std::span<std::uint8_t> rest = message.text.subspan(whole.size());
    if (!whole.empty() && mode->process(whole.data(), whole.size()) != whole.size()) return false;
    last.assign(rest.begin(), rest.end());
    last.insert(last.end(), message.tag.begin(), message.tag.end());
    mode->finish(last);
    if (last.size() < rest.size()) return false;
    const auto rest_end = last.begin() + static_cast<std::ptrdiff_t>(rest.size());
    std::copy(last.begin(), rest_end, rest.begin());
    last.erase(last.begin(), rest_end);
    return true;
  } catch (const std::exception&) {
    if (mode != nullptr) mode->reset();
    return false;
  }
}

void check(const Buffers& buffers, Outcome& outcome) {
  buffers.key.check(outcome);
  buffers.nonce.check(outcome);
  buffers.aad.check(outcome);
  buffers.out.check(outcome);
}

void open(const Case& question, Buffers& buffers, std::span<const std::uint8_t> nonce,
          std::span<const std::uint8_t> aad, std::span<const std::uint8_t> sealed,
          std::span<const std::uint8_t> tag, Botan::secure_vector<std::uint8_t>& last, Outcome& outcome) {
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  const auto placed_nonce = buffers.nonce.place_input(nonce, question.nonce_placement);
  const auto placed_aad = buffers.aad.place_input(aad, question.aad_placement);
  const auto text = buffers.out.place_output(sealed.size(), question.out_placement);
  std::ranges::copy(sealed, text.begin());
  const bool genuine = crypt(question, Botan::DECRYPTION, {key, placed_nonce, placed_aad, text, tag}, last);
  check(buffers, outcome);
  outcome.set(accepted, genuine);
  if (genuine) outcome.set(plaintext, text);
}

void run(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
  static auto& last = *new Botan::secure_vector<std::uint8_t>;
  if (question.operation == Operation::open) {
    open(question, buffers, question.nonce, question.aad, question.text, question.tag, last, outcome);
    return;
  }
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  const auto nonce = buffers.nonce.place_input(question.nonce, question.nonce_placement);
  const auto aad = buffers.aad.place_input(question.aad, question.aad_placement);
  const auto text = buffers.out.place_output(question.text.size(), question.out_placement);
  std::ranges::copy(question.text, text.begin());
  const bool sealed = crypt(question, Botan::ENCRYPTION, {key, nonce, aad, text, {}}, last);
  check(buffers, outcome);
  if (!sealed) {
    outcome.set(accepted, false);
    return;
  }
  outcome.set(ciphertext, text);
  outcome.set(tag, std::span<const std::uint8_t>(last));
  static Tampered message;
  tamper(question, text, last, message);
  open(question, buffers, message.nonce, message.aad, message.ciphertext, message.tag, last, outcome);
}

// An empty nonce is asked about: Botan must refuse it.
AnswerSet declares(const Case& question) noexcept {
  if (question.operation == Operation::open || question.nonce_bytes == 0) return {accepted};
  return {ciphertext, tag, accepted};
}

constexpr Limit<Case> limits[] = {
    {"no AES of this key size",
     [](const Case& c) noexcept { return c.key_bytes != 16 && c.key_bytes != 24 && c.key_bytes != 32; }},
    {"no GCM with a tag of this size: 8 and 12 to 16 bytes only",
     [](const Case& c) noexcept { return c.tag_bytes != 8 && (c.tag_bytes < 12 || c.tag_bytes > 16); }},
    {"no promise about buffers that overlap in part",
     [](const Case& c) noexcept { return shared_bytes(c) > 0; }},
    {"a message cannot be taken up in the middle",
     [](const Case& c) noexcept {
       return c.steering == Steering::preset_counter || c.steering == Steering::virtual_totals;
     }},
};

}  // namespace

differential::Participant<Case> botan_participant() {
  return {.info = {.name = "botan", .origin = "botan", .version = Botan::short_version_cstr()},
          .limits = limits,
          .declares = declares,
          .run = run};
}

}  // namespace lockstep::oracles::aes_gcm
