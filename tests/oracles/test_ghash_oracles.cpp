#include "oracles/ghash/algorithm.h"
#include "oracles/ghash/plain.h"
#include "oracles/ghash/steering.h"
#include "support.h"

namespace lockstep::oracles::ghash {
namespace {

using namespace lockstep::oracles::test;
using differential::Random;

Bytes plain_hash(Bytes h, Bytes text) {
  Case question;
  question.text_bytes = static_cast<std::uint32_t>(text.size());
  question.key = std::move(h);
  question.text = std::move(text);
  return copy(ask(plain_participant(), question).get(hash));
}

TEST(GhashPlain, KnownAnswers) {
  // McGrew and Viega, test cases 2 and 4, with their length blocks.
  EXPECT_EQ(plain_hash(from_hex("66e94bd4ef8a2c3b884cfa59ca342b2e"),
                       from_hex("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080")),
            from_hex("f38cbb1ad69223dcc3457ae5b6b0f885"));
  EXPECT_EQ(plain_hash(from_hex("b83b533708bf535d0aa6e52980d53b78"),
                       from_hex("feedfacedeadbeeffeedfacedeadbeefabaddad2000000000000000000000000"
                                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                                "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e09100000000"
                                "00000000000000a000000000000001e0")),
            from_hex("698e57f70e6ecc7fd9463b7260a9ae5f"));
}

TEST(GhashPlain, SpecialKeys) {
  Bytes text(100);
  Random(1).fill(text);
  EXPECT_EQ(plain_hash(Bytes(16), text), Bytes(16));
  Bytes one(16);
  one[0] = 0x80;
  Bytes sum(16);
  for (std::size_t i = 0; i < text.size(); ++i) sum[i % 16] ^= text[i];
  EXPECT_EQ(plain_hash(one, text), sum);
  EXPECT_EQ(plain_hash(one, {}), Bytes(16));
  // A last block is as good as its zero-padding.
  Bytes padded = text;
  padded.resize(112);
  EXPECT_EQ(plain_hash(Bytes(16, 0x5c), text), plain_hash(Bytes(16, 0x5c), padded));
}

TEST(GhashSteering, MakesWhatIsAskedForAndIsIdempotent) {
  Random random(2);
  for (unsigned i = 0; i < 3000; ++i) {
    auto question = random_case<Case>(random);
    const Bytes key = question.key;
    const Bytes text = question.text;
    steer(question);
    Bytes expected(16);
    switch (question.key_steering) {
      case KeySteering::none:
        expected = key;
        break;
      case KeySteering::zero:
        break;
      case KeySteering::one:
        expected[0] = 0x80;
        break;
      case KeySteering::x:
        expected[0] = 0x40;
        break;
      case KeySteering::all_ones:
        expected.assign(16, 0xff);
        break;
      case KeySteering::single_bit:
        expected[question.steered_bit % 128 / 8] =
            static_cast<std::uint8_t>(0x80U >> (question.steered_bit % 8));
        break;
    }
    ASSERT_EQ(question.key, expected);
    ASSERT_EQ(question.text.size(), text.size());
    Bytes expected_text(text.size());
    switch (question.text_steering) {
      case TextSteering::none:
        expected_text = text;
        break;
      case TextSteering::zero:
        break;
      case TextSteering::all_ones:
        expected_text.assign(text.size(), 0xff);
        break;
      case TextSteering::single_bit:
        if (!text.empty()) {
          const std::size_t bit = question.steered_bit % (8 * text.size());
          expected_text[bit / 8] = static_cast<std::uint8_t>(0x80U >> (bit % 8));
        }
        break;
      case TextSteering::equal_blocks:
        for (std::size_t at = 0; at < text.size(); ++at) expected_text[at] = text[at % 16];
        break;
    }
    ASSERT_EQ(question.text, expected_text);
    Case again = question;
    steer(again);
    ASSERT_EQ(encode(again), encode(question));
    auto decoded = decode<Case>(encode(question));
    steer(decoded);
    ASSERT_EQ(encode(decoded), encode(question));
  }
}

TEST(GhashDraw, MeanTextAndShares) {
  Random random(3);
  constexpr unsigned count = 4000;
  double text = 0;
  unsigned hand_over = 0;
  unsigned special = 0;
  for (unsigned i = 0; i < count; ++i) {
    Case question;
    Algorithm::draw(question, random);
    const differential::Facts facts = Algorithm::facts(question);
    text += static_cast<double>(facts.text_bytes);
    if (facts.hand_over) ++hand_over;
    if (facts.steered) ++special;
  }
  EXPECT_GE(text / count, 200);
  EXPECT_GE(hand_over, count / 5);
  EXPECT_GE(special, count / 4);
}

// Everyone against everyone.
TEST(GhashParticipants, Agree) {
  Random random(4);
  for (unsigned i = 0; i < 3000; ++i) {
    auto question = random_case<Case>(random);
    steer(question);
    const Bytes expected = copy(ask(plain_participant(), question).get(hash));
    for (const differential::Participant<Case>& participant : participants()) {
      if (!participant.unsupported(question).empty()) continue;
      ASSERT_EQ(copy(ask(participant, question).get(hash)), expected)
          << participant.info.name << " in case " << i;
    }
  }
}

}  // namespace
}  // namespace lockstep::oracles::ghash
