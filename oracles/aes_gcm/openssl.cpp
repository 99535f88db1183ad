// OpenSSL 3, through EVP.
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "oracles/aes_gcm/foreign.h"
#include "oracles/aes_gcm/tamper.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using differential::Buffers;
using differential::Limit;
using differential::Outcome;

enum Direction : std::uint8_t { decrypting, encrypting };  // EVP_CipherInit_ex2's numbers

// Ciphers are fetched once, contexts kept: one for each key size and direction. Null if there is no such
// cipher.
EVP_CIPHER_CTX* context_of(std::uint32_t key_bytes, Direction direction) {
  static std::array<std::array<EVP_CIPHER_CTX*, 2>, 65> contexts = {};
  EVP_CIPHER_CTX*& found = contexts.at(key_bytes)[direction];
  if (found != nullptr) return found;
  std::array<char, 24> name = {};
  std::snprintf(name.data(), name.size(), "AES-%u-GCM", 8 * key_bytes);
  EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, name.data(), nullptr);
  if (cipher == nullptr) return nullptr;
  found = EVP_CIPHER_CTX_new();
  if (found == nullptr || EVP_CipherInit_ex2(found, cipher, nullptr, nullptr, direction, nullptr) != 1) {
    std::fputs("lockstep: OpenSSL cannot make a context\n", stderr);
    std::abort();
  }
  EVP_CIPHER_free(cipher);
  return found;
}

// Everything up to the tag. False if OpenSSL refuses.
bool crypt(EVP_CIPHER_CTX* context, Direction direction, std::span<const std::uint8_t> key,
           std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> aad,
           std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const auto nonce_bytes = static_cast<int>(nonce.size());
  int written = 0;
  if (context == nullptr) return false;
  if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, nonce_bytes, nullptr) != 1) return false;
  if (EVP_CipherInit_ex2(context, nullptr, key.data(), nonce.data(), direction, nullptr) != 1) return false;
  if (!aad.empty() &&
      EVP_CipherUpdate(context, nullptr, &written, aad.data(), static_cast<int>(aad.size())) != 1) {
    return false;
  }
  if (in.empty()) return true;
  return EVP_CipherUpdate(context, out.data(), &written, in.data(), static_cast<int>(in.size())) == 1 &&
         static_cast<std::size_t>(written) == in.size();
}

struct Text {
  std::span<const std::uint8_t> in;
  std::span<std::uint8_t> out;
};

Text place_text(const Case& question, Buffers& buffers, std::span<const std::uint8_t> contents) {
  const auto out = buffers.out.place_output(contents.size(), question.out_placement);
  if (question.aliasing == Aliasing::in_place) {
    std::ranges::copy(contents, out.begin());
    return {out, out};
  }
  return {buffers.in.place_input(contents, question.in_placement), out};
}

void check(const Case& question, const Buffers& buffers, Outcome& outcome) {
  buffers.key.check(outcome);
  buffers.nonce.check(outcome);
  buffers.aad.check(outcome);
  if (question.aliasing != Aliasing::in_place) buffers.in.check(outcome);
  buffers.out.check(outcome);
  buffers.tag.check(outcome);
}

bool seal(const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  const auto nonce = buffers.nonce.place_input(question.nonce, question.nonce_placement);
  const auto aad = buffers.aad.place_input(question.aad, question.aad_placement);
  const Text text = place_text(question, buffers, question.text);
  const auto written_tag = buffers.tag.place_output(question.tag_bytes, question.tag_placement);
  EVP_CIPHER_CTX* const with = context_of(question.key_bytes, encrypting);
  std::array<std::uint8_t, 16> nothing = {};
  int last = 0;
  const bool sealed = crypt(with, encrypting, key, nonce, aad, text.in, text.out) &&
                      EVP_CipherFinal_ex(with, nothing.data(), &last) == 1 && last == 0 &&
                      EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(written_tag.size()),
                                          written_tag.data()) == 1;
  check(question, buffers, outcome);
  if (sealed) {
    outcome.set(ciphertext, text.out);
    outcome.set(tag, written_tag);
  }
  return sealed;
}

void open(const Case& question, Buffers& buffers, std::span<const std::uint8_t> nonce,
          std::span<const std::uint8_t> aad, std::span<const std::uint8_t> sealed,
          std::span<const std::uint8_t> tag, Outcome& outcome) {
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  const auto placed_nonce = buffers.nonce.place_input(nonce, question.nonce_placement);
  const auto placed_aad = buffers.aad.place_input(aad, question.aad_placement);
  const auto placed_tag = buffers.tag.place_input(tag, question.tag_placement);
  const Text text = place_text(question, buffers, sealed);
  EVP_CIPHER_CTX* const with = context_of(question.key_bytes, decrypting);
  std::array<std::uint8_t, 16> nothing = {};
  int last = 0;
  // OpenSSL copies the tag; its interface is not const.
  const bool genuine = crypt(with, decrypting, key, placed_nonce, placed_aad, text.in, text.out) &&
                       EVP_CIPHER_CTX_ctrl(with, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(placed_tag.size()),
                                           const_cast<std::uint8_t*>(placed_tag.data())) == 1 &&
                       EVP_CipherFinal_ex(with, nothing.data(), &last) == 1 && last == 0;
  check(question, buffers, outcome);
  outcome.set(accepted, genuine);
  if (genuine) outcome.set(plaintext, text.out);
}

void run(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
  if (question.operation == Operation::open) {
    open(question, buffers, question.nonce, question.aad, question.text, question.tag, outcome);
    return;
  }
  if (!seal(question, buffers, outcome)) {
    outcome.set(accepted, false);
    return;
  }
  static Tampered message;
  tamper(question, outcome.get(ciphertext), outcome.get(tag), message);
  open(question, buffers, message.nonce, message.aad, message.ciphertext, message.tag, outcome);
}

// An empty nonce is asked about: OpenSSL must refuse it.
AnswerSet declares(const Case& question) noexcept {
  if (question.operation == Operation::open || question.nonce_bytes == 0) return {accepted};
  return {ciphertext, tag, accepted};
}

constexpr Limit<Case> limits[] = {
    {"no AES of this key size",
     [](const Case& c) noexcept { return c.key_bytes != 16 && c.key_bytes != 24 && c.key_bytes != 32; }},
    {"no opinion on tag sizes outside SP 800-38D: any from 1 to 16 bytes is taken",
     [](const Case& c) noexcept {
       return c.tag_bytes != 4 && c.tag_bytes != 8 && (c.tag_bytes < 12 || c.tag_bytes > 16);
     }},
    {"no nonce above 128 bytes", [](const Case& c) noexcept { return c.nonce_bytes > 128; }},
    {"no promise about buffers that overlap in part",
     [](const Case& c) noexcept { return shared_bytes(c) > 0; }},
    {"a message cannot be taken up in the middle",
     [](const Case& c) noexcept {
       return c.steering == Steering::preset_counter || c.steering == Steering::virtual_totals;
     }},
};

}  // namespace

differential::Participant<Case> openssl_participant() {
  return {
      .info = {.name = "openssl", .origin = "openssl", .version = OpenSSL_version(OPENSSL_VERSION_STRING)},
      .limits = limits,
      .declares = declares,
      .run = run};
}

}  // namespace lockstep::oracles::aes_gcm
