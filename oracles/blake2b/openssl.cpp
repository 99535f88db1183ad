// OpenSSL 3, through EVP: BLAKE2B-512 without a key, BLAKE2BMAC with one.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "oracles/blake2b/foreign.h"
#include "oracles/differential/pieces.h"

namespace lockstep::oracles::blake2b {
namespace {

using differential::Buffers;
using differential::Limit;
using differential::Outcome;

[[noreturn]] void give_up() {
  std::fputs("lockstep: OpenSSL cannot make a context\n", stderr);
  std::abort();
}

// Fetched once, contexts kept.
struct Digest {
  EVP_MD* function = EVP_MD_fetch(nullptr, "BLAKE2B-512", nullptr);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  Digest() {
    if (function == nullptr || context == nullptr) give_up();
  }
};

struct Mac {
  EVP_MAC* function = EVP_MAC_fetch(nullptr, "BLAKE2BMAC", nullptr);
  EVP_MAC_CTX* context = function == nullptr ? nullptr : EVP_MAC_CTX_new(function);
  Mac() {
    if (context == nullptr) give_up();
  }
};

// Calls `update` with each piece, until it refuses.
template <class Update>
bool in_pieces(const Case& question, std::span<const std::uint8_t> text, Update update) {
  const std::size_t cuts = question.call == Call::incremental ? question.in_cut_count : 0;
  const auto pieces = differential::cut(text.size(), cuts, question.in_cuts);
  for (std::size_t i = 0; i < pieces.count; ++i) {
    const std::size_t bytes = pieces.bounds[i + 1] - pieces.bounds[i];
    if (update(text.data() + pieces.bounds[i], bytes) != 1) return false;
  }
  return true;
}

bool hash(const Case& question, std::span<const std::uint8_t> text, std::span<std::uint8_t> out) {
  static const Digest& digest = *new Digest;
  unsigned written = 0;
  return EVP_DigestInit_ex2(digest.context, digest.function, nullptr) == 1 &&
         in_pieces(question, text,
                   [](const std::uint8_t* at, std::size_t bytes) {
                     return EVP_DigestUpdate(digest.context, at, bytes);
                   }) &&
         EVP_DigestFinal_ex(digest.context, out.data(), &written) == 1 && written == out.size();
}

// Parameters stay with the context, so all of them are said each time. Its interface is not const.
bool authenticate(const Case& question, std::span<const std::uint8_t> key, std::span<const std::uint8_t> salt,
                  std::span<const std::uint8_t> personal, std::span<const std::uint8_t> text,
                  std::span<std::uint8_t> out) {
  static const Mac& mac = *new Mac;
  static constexpr std::array<std::uint8_t, 16> zeros = {};
  const auto octets = [](const char* name, std::span<const std::uint8_t> given) {
    const std::span<const std::uint8_t> bytes = given.empty() ? std::span<const std::uint8_t>(zeros) : given;
    return OSSL_PARAM_construct_octet_string(name, const_cast<std::uint8_t*>(bytes.data()), bytes.size());
  };
  std::size_t size = out.size();
  const std::array<OSSL_PARAM, 4> parameters = {
      OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size), octets(OSSL_MAC_PARAM_SALT, salt),
      octets(OSSL_MAC_PARAM_CUSTOM, personal), OSSL_PARAM_construct_end()};
  std::size_t written = 0;
  return EVP_MAC_init(mac.context, key.data(), key.size(), parameters.data()) == 1 &&
         in_pieces(question, text,
                   [](const std::uint8_t* at, std::size_t bytes) {
                     return EVP_MAC_update(mac.context, at, bytes);
                   }) &&
         EVP_MAC_final(mac.context, out.data(), &written, out.size()) == 1 && written == out.size();
}

void run(const void* /*self*/, const Case& question, Buffers& buffers, Outcome& outcome) {
  const auto key = buffers.key.place_input(question.key, question.key_placement);
  const auto salt = buffers.salt.place_input(question.salt, question.salt_placement);
  const auto personal = buffers.personal.place_input(question.personal, question.personal_placement);
  const auto text = buffers.in.place_input(question.text, question.in_placement);
  const auto out = buffers.out.place_output(question.digest_bytes, question.out_placement);
  const bool hashed = question.key_bytes == 0 ? hash(question, text, out)
                                              : authenticate(question, key, salt, personal, text, out);
  buffers.key.check(outcome);
  buffers.salt.check(outcome);
  buffers.personal.check(outcome);
  buffers.in.check(outcome);
  buffers.out.check(outcome);
  outcome.set(accepted, hashed);
  if (hashed) outcome.set(digest, out);
}

// Sizes that do not exist are asked about: OpenSSL must refuse them.
AnswerSet declares(const Case& question) noexcept {
  if (question.digest_bytes == 0 || question.digest_bytes > 64 || question.key_bytes > 64) return {accepted};
  return {accepted, digest};
}

constexpr Limit<Case> limits[] = {
    {"without a key no digest but that of 64 bytes",
     [](const Case& c) noexcept { return c.key_bytes == 0 && c.digest_bytes != 64; }},
    {"without a key no salt and no personalisation",
     [](const Case& c) noexcept { return c.key_bytes == 0 && (c.salt_bytes != 0 || c.personal_bytes != 0); }},
    {"no opinion on salts and personalisations that are not of 16 bytes: shorter ones are padded",
     [](const Case& c) noexcept {
       return (c.salt_bytes != 0 && c.salt_bytes != 16) || (c.personal_bytes != 0 && c.personal_bytes != 16);
     }},
    {"no tree fields: sequential mode only", [](const Case& c) noexcept { return c.tree || c.last_node; }},
    {"a message cannot be taken up in the middle",
     [](const Case& c) noexcept { return c.steering == Steering::preset_counter; }},
};

}  // namespace

differential::Participant<Case> openssl_participant() {
  return {
      .info = {.name = "openssl", .origin = "openssl", .version = OpenSSL_version(OPENSSL_VERSION_STRING)},
      .limits = limits,
      .declares = declares,
      .run = run};
}

}  // namespace lockstep::oracles::blake2b
