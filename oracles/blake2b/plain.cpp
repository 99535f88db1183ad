#include "oracles/blake2b/plain.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "oracles/blake2b/case.h"

// Section numbers are those of RFC 7693, or with an S of the BLAKE2 specification, "BLAKE2: simpler, smaller,
// fast as MD5", of 2013-01-29.
namespace lockstep::oracles::blake2b {
namespace {

using Word = std::uint64_t;      // 2.1: w = 64
constexpr unsigned r = 12;       // rounds in F
constexpr unsigned bb = 128;     // block bytes
constexpr unsigned max_nn = 64;  // hash bytes, 1 <= nn <= 64
constexpr unsigned max_kk = 64;  // key bytes, 0 <= kk <= 64
constexpr unsigned R1 = 32, R2 = 24, R3 = 16, R4 = 63;

// 2.6: the first 64 bits of the fractions of the square roots of the first eight primes.
constexpr std::array<Word, 8> IV = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                    0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// 2.7
constexpr std::uint8_t SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

// 2.3: x >>> n
constexpr Word rotated_right(Word x, unsigned n) noexcept {
  return x >> n ^ x << (64 - n);
}

// 2.4: little-endian.
constexpr Word word_of(std::span<const std::uint8_t> bytes) noexcept {
  Word word = 0;
  for (unsigned i = 0; i < 8; ++i) word |= Word{bytes[i]} << (8 * i);
  return word;
}

void bytes_of(Word word, std::span<std::uint8_t> bytes) noexcept {
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

// 2.2: t, the "offset counter" of 2w bits, as its two words.
struct Counter {
  Word low = 0;
  Word high = 0;

  void add(Word bytes) noexcept {
    low += bytes;
    if (low < bytes) ++high;
  }
};

using Work = std::array<Word, 16>;

// 3.1
void G(Work& v, unsigned a, unsigned b, unsigned c, unsigned d, Word x, Word y) noexcept {
  v[a] = v[a] + v[b] + x;
  v[d] = rotated_right(v[d] ^ v[a], R1);
  v[c] = v[c] + v[d];
  v[b] = rotated_right(v[b] ^ v[c], R2);
  v[a] = v[a] + v[b] + y;
  v[d] = rotated_right(v[d] ^ v[a], R3);
  v[c] = v[c] + v[d];
  v[b] = rotated_right(v[b] ^ v[c], R4);
}

// 3.2; f is the final block flag, and beside it S 2.4 has that of the last node.
void F(std::array<Word, 8>& h, std::span<const std::uint8_t> block, Counter t, bool f,
       bool last_node) noexcept {
  Work m;
  for (unsigned i = 0; i < 16; ++i) m[i] = word_of(block.subspan(8 * i));
  Work v;
  for (unsigned i = 0; i < 8; ++i) v[i] = h[i];
  for (unsigned i = 0; i < 8; ++i) v[8 + i] = IV[i];
  v[12] = v[12] ^ t.low;
  v[13] = v[13] ^ t.high;
  if (f) v[14] = ~v[14];
  if (last_node) v[15] = ~v[15];
  for (unsigned i = 0; i < r; ++i) {
    const auto& s = SIGMA[i % 10];
    G(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
    G(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
    G(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
    G(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
    G(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
    G(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
    G(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
    G(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
  }
  for (unsigned i = 0; i < 8; ++i) h[i] = h[i] ^ v[i] ^ v[i + 8];
}

// 2.5 and S 2.8: the parameter block.
std::array<std::uint8_t, 64> parameter_block(const Case& question) noexcept {
  std::array<std::uint8_t, 64> p = {};
  p[0] = static_cast<std::uint8_t>(question.digest_bytes);
  p[1] = static_cast<std::uint8_t>(question.key_bytes);
  p[2] = 1;  // fanout and depth of sequential mode
  p[3] = 1;
  if (question.tree) {
    p[2] = question.fanout;
    p[3] = question.depth;
    bytes_of(question.leaf_length, std::span(p).subspan(4, 4));
    bytes_of(question.node_offset, std::span(p).subspan(8, 8));
    p[16] = question.node_depth;
    p[17] = question.inner_length;
  }
  std::ranges::copy(question.salt, p.begin() + 32);
  std::ranges::copy(question.personal, p.begin() + 48);
  return p;
}

// 3.3: the data as blocks d[0 .. dd - 1], of which d[0] is the padded key if there is one. Whoever is given a
// preset is in the middle of it.
class Hash {
 public:
  explicit Hash(const Case& question) noexcept : last_node_(question.last_node) {
    if (question.preset) {
      for (unsigned i = 0; i < 8; ++i) h_[i] = word_of(std::span(question.chain).subspan(8 * i));
      t_ = {question.before.t[0], question.before.t[1]};
      add(std::span(question.buffer).first(question.before.buffered));
      return;
    }
    const std::array<std::uint8_t, 64> p = parameter_block(question);
    for (unsigned i = 0; i < 8; ++i) h_[i] = IV[i] ^ word_of(std::span(p).subspan(8 * i));
    if (question.key_bytes > 0) {
      std::array<std::uint8_t, bb> padded = {};
      std::ranges::copy(question.key, padded.begin());
      add(padded);
    }
  }

  // A block is done with when there is a byte behind it: until then it may be the last.
  void add(std::span<const std::uint8_t> data) noexcept {
    for (const std::uint8_t byte : data) {
      if (filled_ == bb) {
        t_.add(bb);
        F(h_, block_, t_, false, false);
        filled_ = 0;
      }
      block_[filled_++] = byte;
    }
  }

  // h and t as they stand before the last block.
  void write_state(std::span<std::uint8_t> out) const noexcept {
    for (unsigned i = 0; i < 8; ++i) bytes_of(h_[i], out.subspan(8 * i, 8));
    bytes_of(t_.low, out.subspan(64, 8));
    bytes_of(t_.high, out.subspan(72, 8));
  }

  void finish(std::span<std::uint8_t> out) noexcept {
    std::fill(block_.begin() + filled_, block_.end(), std::uint8_t{0});
    t_.add(filled_);
    F(h_, block_, t_, true, last_node_);
    for (unsigned i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(h_[i / 8] >> (8 * (i % 8)));
  }

 private:
  std::array<Word, 8> h_ = {};
  Counter t_;
  std::array<std::uint8_t, bb> block_ = {};
  unsigned filled_ = 0;
  bool last_node_;
};

// Why the parameters are refused, 2.1 and S 2.8; empty if they are not.
std::string_view refusal(const Case& question) noexcept {
  if (question.digest_bytes < 1 || question.digest_bytes > max_nn) return "bad_digest_size";
  if (question.key_bytes > max_kk) return "bad_key_size";
  if (question.salt_bytes != 0 && question.salt_bytes != 16) return "bad_salt_size";
  if (question.personal_bytes != 0 && question.personal_bytes != 16) return "bad_personal_size";
  if (question.tree && (question.depth < 1 || question.inner_length > max_nn)) return "bad_tree_parameter";
  return {};
}

void run(const void* /*self*/, const Case& question, differential::Buffers& /*buffers*/,
         differential::Outcome& outcome) {
  const std::string_view why = refusal(question);
  outcome.set(hash_status, why.empty() ? "ok" : why);
  outcome.set(accepted, why.empty());
  if (!why.empty()) return;
  Hash hash(question);
  hash.add(question.text);
  if (question.call == Call::incremental) hash.write_state(outcome.allocate(state, 80));
  hash.finish(outcome.allocate(digest, question.digest_bytes));
}

AnswerSet declares(const Case& question) noexcept {
  if (!refusal(question).empty()) return {hash_status, accepted};
  if (question.call == Call::one_shot) return {hash_status, accepted, digest};
  return {hash_status, accepted, digest, state};
}

}  // namespace

differential::Participant<Case> plain_participant() {
  return {.info = {.name = "plain", .origin = "plain", .version = "RFC 7693, BLAKE2 2013-01-29"},
          .limits = {},
          .declares = declares,
          .run = run};
}

}  // namespace lockstep::oracles::blake2b
