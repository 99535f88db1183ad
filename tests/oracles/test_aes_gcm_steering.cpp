#include <array>
#include <bitset>

#include "lockstep/aes_gcm.h"
#include "oracles/aes/plain.h"
#include "oracles/aes_gcm/field.h"
#include "oracles/aes_gcm/plain.h"
#include "oracles/aes_gcm/preset.h"
#include "oracles/aes_gcm/steering.h"
#include "support.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using namespace lockstep::oracles::test;
using differential::Outcome;
using differential::Random;
namespace library = ::lockstep::aes_gcm;

constexpr unsigned cases_per_mode = 10'000;
constexpr std::uint64_t max_text_bytes = (std::uint64_t{1} << 36) - 32;
constexpr std::uint64_t max_aad_bytes = (std::uint64_t{1} << 61) - 1;

// A random case that can be steered, mostly of a text that plain can walk through quickly.
Case asked(Random& random, Steering steering) {
  auto question = random_case<Case>(random);
  question.steering = steering;
  question.operation = Operation::seal_then_open;
  question.aliasing = Aliasing::apart;
  if (!aes::Aes::is_key_size(question.key_bytes)) question.key_bytes = 16;
  if (random.chance(80)) question.text_bytes %= 400;
  if (random.chance(80)) question.nonce_bytes %= 40;
  if (random.chance(70)) question.boundary_block %= 30;
  question = decode<Case>(encode(question));
  return question;
}

Bytes solved_bytes(const Case& question) {
  Bytes bytes = encode(question);
  for (const auto& block : {question.before.ghash, question.before.partial}) {
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  for (const std::uint64_t total :
       {question.before.aad_bytes, question.before.text_bytes, std::uint64_t{question.preset}}) {
    for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(total >> (8 * i)));
  }
  return bytes;
}

// What is solved is solved again to the same, and survives being written to a file.
void expect_idempotent(const Case& question) {
  Case again = question;
  steer(again);
  EXPECT_EQ(solved_bytes(again), solved_bytes(question));
  auto decoded = decode<Case>(encode(question));
  steer(decoded);
  EXPECT_EQ(solved_bytes(decoded), solved_bytes(question));
}

std::uint32_t low_word(std::span<const std::uint8_t> block) {
  std::uint32_t word = 0;
  for (const std::uint8_t byte : block.subspan(12)) word = word << 8 | byte;
  return word;
}

std::uint64_t blocks_of(std::uint64_t bytes) {
  return (bytes + 15) / 16;
}

// J0 as plain computes it by the standard: what it says the next counter is, less the blocks of the text and
// one.
std::uint32_t j0_low_word(Case question) {
  question.call = Call::incremental;
  question.tag_bytes = 16;
  question.text.resize(1);
  question.text_bytes = 1;
  return low_word(ask(plain_participant(), question).get(next_counter)) - 2;
}

std::uint32_t carry_mask(const Case& question) {
  return question.boundary == 3 ? UINT32_MAX : (1U << (8 * (question.boundary + 1U))) - 1;
}

TEST(AesGcmField, InverseAndProduct) {
  Random random(3);
  const Polynomial one = {0, 1};
  for (unsigned i = 0; i < 2000; ++i) {
    const unsigned sparse = static_cast<unsigned>(random.below(64));
    const Polynomial a = {random.next() >> sparse, random.next() << sparse};
    const Polynomial b = {random.next(), random.next()};
    const Polynomial c = {random.next(), random.next()};
    if (a != Polynomial{}) {
      EXPECT_EQ(multiply(a, invert(a)), one);
    }
    EXPECT_EQ(multiply(a, b), multiply(b, a));
    EXPECT_EQ(multiply(a, b ^ c), multiply(a, b) ^ multiply(a, c));
    EXPECT_EQ(from_block(to_block(a)), a);
  }
  for (unsigned bit = 0; bit < 128; ++bit) {
    const Polynomial power = {bit < 64 ? 0 : std::uint64_t{1} << (bit - 64),
                              bit < 64 ? std::uint64_t{1} << bit : 0};
    EXPECT_EQ(multiply(power, invert(power)), one) << bit;
  }
  EXPECT_EQ(invert(Polynomial{}), Polynomial{});
  // x^127 · x = x^128 = x^7 + x^2 + x + 1; x^0 is the first bit of a block.
  EXPECT_EQ(multiply({std::uint64_t{1} << 63, 0}, {0, 2}), (Polynomial{0, 0x87}));
  EXPECT_EQ(copy(to_block({0, 3})), from_hex("c0000000000000000000000000000000"));
}

TEST(AesGcmSteering, NonceGivesTheCarryAtTheBlock) {
  Random random(4);
  std::array<unsigned, 4> boundaries = {};
  std::bitset<32> ones, zeros;
  unsigned wraps = 0;
  for (unsigned i = 0; i < cases_per_mode; ++i) {
    Case question = asked(random, Steering::nonce);
    const std::uint16_t wanted_block = question.boundary_block;
    steer(question);
    ASSERT_EQ(question.steering, Steering::nonce);
    ASSERT_FALSE(question.preset);
    ASSERT_GE(question.nonce_bytes, 16U);
    ASSERT_EQ(question.nonce.size(), question.nonce_bytes);
    const std::uint64_t blocks = blocks_of(question.text_bytes);
    ASSERT_LE(question.boundary_block, blocks);
    if (wanted_block <= blocks) {
      ASSERT_EQ(question.boundary_block, wanted_block);
    }

    const std::uint32_t j0 = j0_low_word(question);
    ASSERT_EQ((j0 + 1 + question.boundary_block) & carry_mask(question), 0U) << "case " << i;
    ++boundaries[question.boundary];
    ones |= std::bitset<32>(j0);
    zeros |= ~std::bitset<32>(j0);

    const Wrap wrap = wrap_of(question);
    ASSERT_EQ(wrap.happens, question.boundary == 3 && question.boundary_block < blocks);
    if (wrap.happens) {
      ++wraps;
      ASSERT_EQ(wrap.block, question.boundary_block);
    }
    if (i % 10 == 0) expect_idempotent(question);
  }
  for (const unsigned count : boundaries) EXPECT_GT(count, cases_per_mode / 5);
  EXPECT_GT(wraps, cases_per_mode / 6);
  EXPECT_TRUE(ones.all() && zeros.all());
}

// Only the bits that carry are solved for; whoever has a fault in the others must meet all of theirs.
TEST(AesGcmSteering, TheRestOfJ0IsRandom) {
  Random random(9);
  std::bitset<128> ones, zeros;
  for (unsigned i = 0; i < 200; ++i) {
    Case question = asked(random, Steering::nonce);
    question.boundary = 0;
    question.call = Call::incremental;
    question.tag_bytes = 16;
    steer(question);
    const Outcome outcome = ask(plain_participant(), question);
    const std::span<const std::uint8_t> counter = outcome.get(next_counter);
    ASSERT_EQ(counter.size(), 16U);
    for (std::size_t bit = 0; bit < 120; ++bit) {
      const bool set = (counter[bit / 8] >> (bit % 8) & 1U) != 0;
      (set ? ones : zeros).set(bit);
    }
  }
  EXPECT_EQ(ones.count(), 120U);
  EXPECT_EQ(zeros.count(), 120U);
}

// A preset is a state that some message reaches: so says the standard, and so says whoever has to take it up.
void expect_reachable(const Case& question) {
  ASSERT_TRUE(question.preset);
  ASSERT_EQ(question.call, Call::incremental);
  ASSERT_EQ(question.nonce_bytes, 12U);
  ASSERT_EQ(question.nonce.size(), 12U);
  ASSERT_EQ(question.aad.size(), question.aad_bytes);
  const Preset& before = question.before;
  ASSERT_LE(before.aad_bytes, max_aad_bytes);
  ASSERT_LE(before.text_bytes, max_text_bytes);
  const bool in_text = before.text_bytes != 0;
  if (in_text) {
    ASSERT_EQ(question.aad_bytes, 0U);
  }
  const std::size_t filled = (in_text ? before.text_bytes : before.aad_bytes) % 16;
  for (std::size_t i = filled; i < 16; ++i) ASSERT_EQ(before.partial[i], 0);

  static library::Key key;
  ASSERT_EQ(key.set(question.key), Status::ok);
  std::array<std::uint8_t, 104> state = {};
  library::SealMessage seal;
  write_state(question, true, state);
  ASSERT_EQ(seal.import_state(key, state), Status::ok);
  library::OpenMessage open;
  write_state(question, false, state);
  ASSERT_EQ(open.import_state(key, state), Status::ok);
}

TEST(AesGcmSteering, PresetCounterGivesTheCarryAtTheBlock) {
  Random random(5);
  unsigned started = 0;
  unsigned refused = 0;
  unsigned permitted_at_the_limit = 0;
  std::array<unsigned, 4> boundaries = {};
  for (unsigned i = 0; i < cases_per_mode; ++i) {
    Case question = asked(random, Steering::preset_counter);
    steer(question);
    ASSERT_EQ(question.steering, Steering::preset_counter);
    expect_reachable(question);
    if (HasFatalFailure()) FAIL() << "case " << i;
    const Preset& before = question.before;
    ASSERT_NE(before.text_bytes, 0U);
    // By the standard: block n of a text is encrypted under J0 + 1 + n, and J0 ends in 1.
    const std::uint64_t counter = 2 + before.text_bytes / 16 + question.boundary_block;
    ASSERT_EQ(counter & carry_mask(question), 0U) << "case " << i;
    // The carry is still to come, not behind.
    ASSERT_TRUE(before.text_bytes % 16 == 0 || question.boundary_block > 0);
    ++boundaries[question.boundary];
    if (before.text_bytes % 16 != 0) ++started;

    const bool too_long = before.text_bytes + question.text_bytes > max_text_bytes;
    if (question.boundary == 3) {
      const std::uint64_t fits = 16 * std::uint64_t{question.boundary_block} - before.text_bytes % 16;
      ASSERT_EQ(too_long, question.text_bytes > fits);
      if (!too_long) ++permitted_at_the_limit;
    }
    if (too_long) ++refused;
    if (i % 10 == 0) {
      question.tag_bytes = 16;
      const Outcome outcome = ask(plain_participant(), question);
      ASSERT_EQ(outcome.text(seal_status), too_long ? "text_too_long" : "ok");
      if (!too_long) {
        const std::uint64_t total = before.text_bytes + question.text_bytes;
        ASSERT_EQ(low_word(outcome.get(next_counter)), static_cast<std::uint32_t>(2 + blocks_of(total)));
      }
      expect_idempotent(question);
    }
  }
  for (const unsigned count : boundaries) EXPECT_GT(count, cases_per_mode / 5);
  EXPECT_GT(started, cases_per_mode / 4);
  EXPECT_GT(refused, 0U);
  EXPECT_GT(permitted_at_the_limit, 0U);
}

TEST(AesGcmSteering, VirtualTotalsStraddleTheirMark) {
  Random random(6);
  std::array<std::array<unsigned, 2>, 6> sides = {};
  for (unsigned i = 0; i < cases_per_mode; ++i) {
    Case question = asked(random, Steering::virtual_totals);
    steer(question);
    ASSERT_EQ(question.steering, Steering::virtual_totals);
    expect_reachable(question);
    if (HasFatalFailure()) FAIL() << "case " << i;
    static constexpr std::array<std::uint64_t, 6> marks = {std::uint64_t{1} << 29, std::uint64_t{1} << 32,
                                                           max_text_bytes,         std::uint64_t{1} << 29,
                                                           std::uint64_t{1} << 32, max_aad_bytes};
    const auto which = static_cast<std::size_t>(question.virtual_total);
    const bool of_text = question.virtual_total <= VirtualTotal::text_limit;
    const bool limit = question.virtual_total == VirtualTotal::text_limit ||
                       question.virtual_total == VirtualTotal::aad_limit;
    const std::uint64_t total = of_text ? question.before.text_bytes : question.before.aad_bytes;
    const std::uint64_t after = total + (of_text ? question.text_bytes : question.aad_bytes);
    ASSERT_LE(total, marks[which]);
    ASSERT_LT(marks[which] - total, 600U);
    if (!limit) {
      ASSERT_GE(after, marks[which]);
    }
    const bool beyond = after > marks[which];
    ++sides[which][beyond ? 1 : 0];
    if (i % 10 == 0) {
      question.tag_bytes = 16;
      const std::string_view refusal = of_text ? "text_too_long" : "aad_too_long";
      ASSERT_EQ(ask(plain_participant(), question).text(seal_status), limit && beyond ? refusal : "ok");
      expect_idempotent(question);
    }
  }
  for (const std::size_t which : {2U, 5U}) {
    EXPECT_GT(sides[which][0], cases_per_mode / 30) << "permitted";
    EXPECT_GT(sides[which][1], cases_per_mode / 30) << "refused";
  }
}

TEST(AesGcmSteering, WhatCannotBeSteeredAsksForNothing) {
  Random random(7);
  for (const Steering steering : {Steering::nonce, Steering::preset_counter, Steering::virtual_totals}) {
    Case question = asked(random, steering);
    question.key_bytes = 17;
    question.key.resize(17);
    const Bytes nonce = question.nonce;
    steer(question);
    EXPECT_EQ(question.steering, Steering::none);
    EXPECT_FALSE(question.preset);
    EXPECT_EQ(question.nonce, nonce);

    question = asked(random, steering);
    question.operation = Operation::open;
    question.tag.resize(question.tag_bytes);
    steer(question);
    EXPECT_EQ(question.steering, steering == Steering::nonce ? Steering::nonce : Steering::none);
    EXPECT_FALSE(question.preset);
  }
}

// The states that we write are, byte for byte, those that the library exports from real messages.
TEST(AesGcmSteering, WrittenStateIsAnExportedOne) {
  Random random(8);
  for (unsigned round = 0; round < 500; ++round) {
    Case question;
    question.key_bytes = static_cast<std::uint32_t>(16 + 8 * random.below(3));
    question.nonce_bytes = 12;
    question.aad_bytes = static_cast<std::uint32_t>(random.below(50));
    question.text_bytes = static_cast<std::uint32_t>(round % 2 == 0 ? 0 : 1 + random.below(70));
    question.fill_seed = random.next();
    question = decode<Case>(encode(question));
    library::Key key;
    ASSERT_EQ(key.set(question.key), Status::ok);

    library::SealMessage seal;
    library::OpenMessage open;
    Bytes ciphertext(question.text.size());
    Bytes plaintext(question.text.size());
    ASSERT_EQ(seal.start(key, question.nonce), Status::ok);
    ASSERT_EQ(open.start(key, question.nonce), Status::ok);
    ASSERT_EQ(seal.aad(question.aad), Status::ok);
    ASSERT_EQ(open.aad(question.aad), Status::ok);
    if (!ciphertext.empty()) {
      ASSERT_EQ(seal.encrypt(question.text, ciphertext), Status::ok);
      ASSERT_EQ(open.decrypt_unverified(ciphertext, plaintext), Status::ok);
    }
    std::array<std::uint8_t, 104> exported = {};
    std::array<std::uint8_t, 104> written = {};
    ASSERT_EQ(seal.export_state(exported), Status::ok);
    question.preset = true;
    question.before.aad_bytes = question.aad_bytes;
    question.before.text_bytes = question.text_bytes;
    std::copy_n(exported.begin() + 8, 16, question.before.ghash.begin());
    std::copy_n(exported.begin() + 72, 16, question.before.partial.begin());
    write_state(question, true, written);
    EXPECT_EQ(copy(written), copy(exported));
    ASSERT_EQ(open.export_state(exported), Status::ok);
    write_state(question, false, written);
    EXPECT_EQ(copy(written), copy(exported));
  }
}

}  // namespace
}  // namespace lockstep::oracles::aes_gcm
