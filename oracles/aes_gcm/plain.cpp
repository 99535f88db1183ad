#include "oracles/aes_gcm/plain.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "oracles/aes/plain.h"
#include "oracles/aes_gcm/case.h"

// Section and algorithm numbers are those of NIST SP 800-38D.
namespace lockstep::oracles::aes_gcm {
namespace {

using aes::Aes;
using differential::Outcome;
using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t block_bytes = 16;
using Block = std::array<std::uint8_t, block_bytes>;

// 6.1: the block u_0 u_1 ... u_127; u_0 is the highest bit of `high`, u_127 the lowest of `low`.
struct Element {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // The element or 0.
  [[nodiscard]] constexpr Element only_if(std::uint64_t bit) const noexcept {
    return {high & (0 - bit), low & (0 - bit)};
  }
};

constexpr Element operator^(Element a, Element b) noexcept {
  return {a.high ^ b.high, a.low ^ b.low};
}

constexpr std::uint64_t load_word(const std::uint8_t* bytes) noexcept {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word = word << 8 | bytes[i];
  return word;
}

constexpr void store_word(std::uint8_t* bytes, std::uint64_t word) noexcept {
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (56 - 8 * i));
}

constexpr Element load(const Block& block) noexcept {
  return {load_word(&block[0]), load_word(&block[8])};
}

constexpr Block store(Element element) noexcept {
  Block block = {};
  store_word(&block[0], element.high);
  store_word(&block[8], element.low);
  return block;
}

// 6.2: inc_32, `times` times. Only the rightmost 32 bits move, and they wrap.
constexpr Block inc32(Block block, std::uint32_t times = 1) noexcept {
  std::uint32_t counter = 0;
  for (unsigned i = 12; i < 16; ++i) counter = counter << 8 | block[i];
  counter += times;
  for (unsigned i = 12; i < 16; ++i) block[i] = static_cast<std::uint8_t>(counter >> (120 - 8 * i));
  return block;
}

// 6.3, algorithm 1: X · Y, bit by bit. Here every product is one with H, and the V_i depend on Y alone: they
// are made once. The conditions are masks, so that there is no branch to predict.
class Factor {
 public:
  explicit constexpr Factor(Element y) noexcept {
    constexpr std::uint64_t r = std::uint64_t{0b11100001} << 56;  // R = 11100001 || 0^120
    for (Element& v : v_) {
      v = y;
      const std::uint64_t if_lsb = 0 - (y.low & 1);
      y.low = y.low >> 1 | y.high << 63;
      y.high = y.high >> 1 ^ (r & if_lsb);
    }
  }

  [[nodiscard]] constexpr Element times(Element x) const noexcept {
    Element z;
    for (std::size_t i = 0; i < 64; ++i) {
      z = z ^ (v_[i].only_if(x.high >> (63 - i) & 1) ^ v_[64 + i].only_if(x.low >> (63 - i) & 1));
    }
    return z;
  }

 private:
  std::array<Element, 128> v_;
};

// 6.4, algorithm 2: GHASH_H of blocks that arrive in pieces.
class Ghash {
 public:
  explicit Ghash(const Factor& h, Element y = {}) noexcept : h_(h), y_(y) {}

  void add(Bytes data) noexcept {
    for (const std::uint8_t byte : data) {
      block_[filled_++] = byte;
      if (filled_ == block_bytes) add_block();
    }
  }
  // || 0^v or 0^u: zeros up to a whole block.
  void pad() noexcept {
    if (filled_ != 0) add_block();
  }
  // || [a]_64 || [b]_64
  void add_lengths(std::uint64_t a, std::uint64_t b) noexcept { y_ = h_.times(y_ ^ Element{a, b}); }
  // Over the whole blocks so far.
  [[nodiscard]] Block value() const noexcept { return store(y_); }

 private:
  void add_block() noexcept {
    y_ = h_.times(y_ ^ load(block_));
    block_ = {};
    filled_ = 0;
  }

  const Factor& h_;
  Element y_;
  Block block_ = {};
  std::size_t filled_ = 0;
};

// 6.5, algorithm 3: GCTR_K(ICB, X), for the bytes of X from byte `offset` on.
void gctr(const Aes& k, const Block& icb, std::uint64_t offset, Bytes x, std::span<std::uint8_t> y) noexcept {
  Block keystream = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t at = offset + i;
    if (i == 0 || at % block_bytes == 0) {
      k.encrypt_block(inc32(icb, static_cast<std::uint32_t>(at / block_bytes)), keystream);
    }
    y[i] = static_cast<std::uint8_t>(x[i] ^ keystream[at % block_bytes]);
  }
}

// A message of which a part may be behind us already (Case::before); usually nothing is.
class Gcm {
 public:
  Gcm(Bytes key, const Preset& before) noexcept : k_(key), h_(hash_subkey(k_)), before_(before) {}

  // 7.1, algorithm 4, steps 2 and 3, which are steps 3 and 4 of algorithm 5: GCTR_K(inc_32(J0), X).
  void crypt(Bytes nonce, Bytes x, std::span<std::uint8_t> y) const noexcept {
    gctr(k_, inc32(j0(nonce)), before_.text_bytes, x, y);
  }

  // Steps 4 to 6 (5 to 7 of algorithm 5), and what stands in a message just before them.
  struct Authentication {
    Block next_counter;
    Block running_ghash;
    Block tag;
  };
  [[nodiscard]] Authentication authenticate(Bytes nonce, Bytes aad, Bytes ciphertext) const noexcept {
    const bool in_text = before_.text_bytes != 0;
    const Bytes started =
        Bytes(before_.partial).first((in_text ? before_.text_bytes : before_.aad_bytes) % block_bytes);
    const std::uint64_t text_bytes = before_.text_bytes + ciphertext.size();
    const std::uint64_t text_blocks = text_bytes / block_bytes + (text_bytes % block_bytes != 0 ? 1 : 0);
    Authentication result = {};

    // A || 0^v || C || 0^u || [len(A)]_64 || [len(C)]_64
    Ghash ghash(h_, load(before_.ghash));
    ghash.add(started);
    if (!in_text) {
      ghash.add(aad);
      // While there is no text, nobody knows that the AAD has ended.
      if (ciphertext.empty()) result.running_ghash = ghash.value();
      ghash.pad();
    }
    ghash.add(ciphertext);
    if (text_bytes != 0) result.running_ghash = ghash.value();
    ghash.pad();
    ghash.add_lengths(8 * (before_.aad_bytes + aad.size()), 8 * text_bytes);

    const Block j = j0(nonce);
    result.next_counter = inc32(j, static_cast<std::uint32_t>(1 + text_blocks));
    gctr(k_, j, 0, ghash.value(), result.tag);
    return result;
  }

 private:
  // Step 2 of algorithm 4: the pre-counter block.
  [[nodiscard]] Block j0(Bytes nonce) const noexcept {
    if (nonce.size() == 12) {
      Block block = {};  // IV || 0^31 || 1
      std::ranges::copy(nonce, block.begin());
      block[15] = 1;
      return block;
    }
    Ghash ghash(h_);  // IV || 0^(s + 64) || [len(IV)]_64
    ghash.add(nonce);
    ghash.pad();
    ghash.add_lengths(0, 8 * std::uint64_t{nonce.size()});
    return ghash.value();
  }

  // Step 1: H = CIPH_K(0^128).
  static Element hash_subkey(const Aes& k) noexcept {
    Block h = {};
    k.encrypt_block(h, h);
    return load(h);
  }

  Aes k_;
  Factor h_;
  const Preset& before_;
};

constexpr bool is_tag_size(std::uint32_t bytes) noexcept {
  return bytes == 4 || bytes == 8 || (bytes >= 12 && bytes <= 16);  // 5.2.1.2
}

constexpr std::string_view bad_tag_size = "bad_tag_size";

// Why the call is refused; empty if they are not. Incremental calls are told the size of the tag last.
std::string_view refusal(const Case& question) noexcept {
  constexpr std::uint64_t max_aad_bytes = (std::uint64_t{1} << 61) - 1;    // 5.2.1.1: 2^64 - 1 bits
  constexpr std::uint64_t max_text_bytes = (std::uint64_t{1} << 36) - 32;  // 5.2.1.1: 2^39 - 256 bits
  const Preset before = question.preset ? question.before : Preset{};
  if (!Aes::is_key_size(question.key_bytes)) return "bad_key_size";
  if (question.nonce_bytes == 0) return "bad_nonce_size";
  if (question.call == Call::one_shot && !is_tag_size(question.tag_bytes)) return bad_tag_size;
  if (question.aad_bytes > max_aad_bytes - before.aad_bytes) return "aad_too_long";
  if (question.text_bytes > max_text_bytes - before.text_bytes) return "text_too_long";
  if (shared_bytes(question) > 0) return "overlapping_buffers";
  if (!is_tag_size(question.tag_bytes)) return bad_tag_size;
  return {};
}

// What is opened; with one bit changed, if the case says so.
struct Sealed {
  std::vector<std::uint8_t> nonce, aad, ciphertext, tag;

  void change_bit(Tamper where, std::uint32_t bit) noexcept {
    std::vector<std::uint8_t>* const changed = where == Tamper::ciphertext ? &ciphertext
                                               : where == Tamper::tag      ? &tag
                                               : where == Tamper::aad      ? &aad
                                               : where == Tamper::nonce    ? &nonce
                                                                           : nullptr;
    if (changed == nullptr || changed->empty()) return;
    const std::size_t at = bit % (8 * changed->size());
    (*changed)[at / 8] = static_cast<std::uint8_t>((*changed)[at / 8] ^ 1U << (at % 8));
  }
};

void set_state(const Gcm::Authentication& proof, Outcome& outcome) {
  outcome.set(next_counter, proof.next_counter);
  outcome.set(running_ghash, proof.running_ghash);
}

bool is_sealed_in_pieces(const Case& question) noexcept {
  return question.operation == Operation::seal_then_open && question.call == Call::incremental;
}

void seal(const Gcm& gcm, const Case& question, Sealed& sealed, Outcome& outcome) {
  sealed.ciphertext.resize(question.text.size());
  gcm.crypt(question.nonce, question.text, sealed.ciphertext);
  const Gcm::Authentication proof = gcm.authenticate(question.nonce, question.aad, sealed.ciphertext);
  sealed.tag.assign(proof.tag.begin(), proof.tag.begin() + question.tag_bytes);

  outcome.set(seal_status, std::string_view("ok"));
  outcome.set(ciphertext, sealed.ciphertext);
  outcome.set(tag, sealed.tag);
  if (question.call == Call::incremental) set_state(proof, outcome);
}

// 7.2, algorithm 5. P (step 4) is computed last, since nobody may have it before the tag has matched.
void open(const Gcm& gcm, const Case& question, const Sealed& sealed, Outcome& outcome) {
  const Gcm::Authentication proof = gcm.authenticate(sealed.nonce, sealed.aad, sealed.ciphertext);
  const bool genuine = std::equal(sealed.tag.begin(), sealed.tag.end(), proof.tag.begin());
  outcome.set(accepted, genuine);
  outcome.set(open_status, std::string_view(genuine ? "ok" : "authentication_failed"));
  if (genuine) {
    gcm.crypt(sealed.nonce, sealed.ciphertext, outcome.allocate(plaintext, sealed.ciphertext.size()));
  } else if (question.call == Call::one_shot) {
    std::ranges::fill(outcome.allocate(destination_after_reject, sealed.ciphertext.size()), std::uint8_t{0});
  }
}

void run(const void* /*self*/, const Case& question, differential::Buffers& /*buffers*/, Outcome& outcome) {
  static const Preset nothing;
  if (const std::string_view why = refusal(question); !why.empty()) {
    outcome.set(question.operation == Operation::open ? open_status : seal_status, why);
    outcome.set(accepted, false);
    // Only finish() looks at the size of a tag: all before it has been done.
    if (why == bad_tag_size && is_sealed_in_pieces(question)) {
      const Gcm gcm(question.key, question.preset ? question.before : nothing);
      std::vector<std::uint8_t> sealed(question.text.size());
      gcm.crypt(question.nonce, question.text, sealed);
      set_state(gcm.authenticate(question.nonce, question.aad, sealed), outcome);
    }
    return;
  }
  static Sealed sealed;  // keeps its capacity from case to case
  const Gcm gcm(question.key, question.preset ? question.before : nothing);
  sealed.nonce.assign(question.nonce.begin(), question.nonce.end());
  sealed.aad.assign(question.aad.begin(), question.aad.end());
  if (question.operation == Operation::open) {
    sealed.ciphertext.assign(question.text.begin(), question.text.end());
    sealed.tag.assign(question.tag.begin(), question.tag.end());
  } else {
    seal(gcm, question, sealed, outcome);
    sealed.change_bit(question.tamper, question.tamper_bit);
  }
  open(gcm, question, sealed, outcome);
}

AnswerSet declares(const Case& question) noexcept {
  if (question.operation == Operation::open) return {open_status, accepted};
  if (const std::string_view why = refusal(question); !why.empty()) {
    if (why == bad_tag_size && is_sealed_in_pieces(question)) {
      return {seal_status, next_counter, running_ghash, accepted};
    }
    return {seal_status, accepted};
  }
  if (question.call == Call::one_shot) return {seal_status, ciphertext, tag, open_status, accepted};
  return {seal_status, ciphertext, tag, next_counter, running_ghash, open_status, accepted};
}

// Bit by bit is slow. Where others can answer, a quarter of the long cases is enough; a preset nobody foreign
// can take up, and fill_seed 0 is that of a test vector, which gives all its content.
bool left_to_others(const Case& question) noexcept {
  const bool preset =
      question.steering == Steering::preset_counter || question.steering == Steering::virtual_totals;
  if (preset) return false;
  // Of buffers that overlap nobody else says anything, and to refuse them takes no time.
  if (!refusal(question).empty()) return false;
  if (question.text_bytes <= 640 || question.fill_seed == 0) return false;
  return (question.fill_seed * 0x9e3779b97f4a7c15U) >> 62 != 0;
}

constexpr differential::Limit<Case> limits[] = {
    {"above 640 bytes plain judges a quarter of the cases", left_to_others, true},
};

}  // namespace

differential::Participant<Case> plain_participant() {
  return {.info = {.name = "plain", .origin = "plain", .version = "SP 800-38D, FIPS 197"},
          .limits = limits,
          .declares = declares,
          .run = run};
}

}  // namespace lockstep::oracles::aes_gcm
