#include <algorithm>

#include "lockstep/blake2b.h"
#include "oracles/blake2b/algorithm.h"
#include "oracles/blake2b/plain.h"
#include "oracles/blake2b/preset.h"
#include "oracles/blake2b/steering.h"
#include "support.h"

namespace lockstep::oracles::blake2b {
namespace {

using namespace lockstep::oracles::test;
using differential::Random;

Bytes counting(std::size_t bytes, std::uint8_t from = 0) {
  Bytes out(bytes);
  for (std::uint8_t& byte : out) byte = from++;
  return out;
}

Case asked(std::uint32_t digest_bytes, Bytes key, Bytes text) {
  Case question;
  question.digest_bytes = digest_bytes;
  question.key_bytes = static_cast<std::uint32_t>(key.size());
  question.text_bytes = static_cast<std::uint32_t>(text.size());
  question.key = std::move(key);
  question.text = std::move(text);
  return question;
}

Bytes plain_digest(const Case& question) {
  return copy(ask(plain_participant(), question).get(digest));
}

TEST(Blake2bPlain, KnownAnswers) {
  // RFC 7693, appendix A.
  EXPECT_EQ(plain_digest(asked(64, {}, {'a', 'b', 'c'})),
            from_hex("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                     "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"));
  // The published keyed answers, first and last.
  EXPECT_EQ(plain_digest(asked(64, counting(64), {})),
            from_hex("10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
                     "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568"));
  EXPECT_EQ(plain_digest(asked(64, counting(64), counting(255))),
            from_hex("142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e9248"
                     "4be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461"));
  EXPECT_EQ(plain_digest(asked(64, {}, counting(128))),
            from_hex("2319e3789c47e2daa5fe807f61bec2a1a6537fa03f19ff32e87eecbfd64b7e0e"
                     "8ccff439ac333b040f19b0c4ddd11a61e24ac1fe0f10a039806c5dcc0da3d115"));
  // Of the reference implementation.
  Case question = asked(48, counting(17), counting(200));
  question.salt = counting(16, 0x10);
  question.salt_bytes = 16;
  question.personal = counting(16, 0x20);
  question.personal_bytes = 16;
  question.tree = true;
  question.fanout = 2;
  question.depth = 255;
  question.leaf_length = 0x01020304;
  question.node_offset = 0x1122334455667788;
  question.node_depth = 3;
  question.inner_length = 64;
  question.last_node = true;
  EXPECT_EQ(plain_digest(question),
            from_hex("7b1f4d381eafea3c42c991c358da8e83030f4c21eec259fa3df4d8270b0ab2ab"
                     "77275238f2b0529df995c663d4c24da7"));
}

// RFC 7693, appendix E.
TEST(Blake2bPlain, SelfTestOfTheRfc) {
  const auto sequence = [](std::uint32_t bytes) {
    Bytes out(bytes);
    std::uint32_t a = 0xDEAD4BAD * bytes;
    std::uint32_t b = 1;
    for (std::uint8_t& each : out) {
      const std::uint32_t t = a + b;
      a = b;
      b = t;
      each = static_cast<std::uint8_t>(t >> 24);
    }
    return out;
  };
  Bytes all;
  for (const std::uint32_t digest_bytes : {20U, 32U, 48U, 64U}) {
    for (const std::uint32_t bytes : {0U, 3U, 128U, 129U, 255U, 1024U}) {
      for (const Bytes& key : {Bytes{}, sequence(digest_bytes)}) {
        const Bytes each = plain_digest(asked(digest_bytes, key, sequence(bytes)));
        all.insert(all.end(), each.begin(), each.end());
      }
    }
  }
  EXPECT_EQ(plain_digest(asked(32, {}, all)),
            from_hex("c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"));
}

// An answer to a message, and to its end from the middle, is the same.
TEST(Blake2bPlain, GoesOnFromItsOwnState) {
  Random random(1);
  for (std::uint32_t bytes = 0; bytes < 400; bytes += 7) {
    Case question = asked(64, {}, counting(bytes + 128 + bytes % 128));
    question.call = Call::incremental;
    const differential::Outcome whole = ask(plain_participant(), question);

    const std::uint32_t behind = bytes / 128 * 128;
    Case before = asked(64, {}, Bytes(question.text.begin(), question.text.begin() + behind + 1));
    before.call = Call::incremental;
    const Bytes middle = copy(ask(plain_participant(), before).get(state));
    Case rest = question;
    rest.preset = true;
    rest.chain.assign(middle.begin(), middle.begin() + 64);
    rest.before.t = {behind, 0};
    rest.before.buffered = static_cast<std::uint32_t>(1 + random.below(128));
    const auto kept = question.text.begin() + behind + rest.before.buffered;
    rest.buffer.assign(question.text.begin() + behind, kept);
    rest.buffer.resize(block_bytes);
    rest.text.assign(kept, question.text.end());
    rest.text_bytes = static_cast<std::uint32_t>(rest.text.size());
    const differential::Outcome same = ask(plain_participant(), rest);
    EXPECT_EQ(copy(same.get(digest)), copy(whole.get(digest))) << bytes;
    EXPECT_EQ(copy(same.get(state)), copy(whole.get(state))) << bytes;
  }
}

struct Total {
  std::uint64_t low = 0, high = 0;
  void add(std::uint64_t bytes) {
    low += bytes;
    if (low < bytes) ++high;
  }
  bool operator==(const Total&) const = default;
};

Total minus(Total a, Total b) {
  return {a.low - b.low, a.high - b.high - (a.low < b.low ? 1 : 0)};
}

constexpr Total boundaries[] = {{std::uint64_t{1} << 32, 0}, {0, 1}, {0, 0}};

TEST(Blake2bSteering, EndsWhereItIsAskedTo) {
  Random random(2);
  unsigned exact = 0;
  unsigned in_last_block = 0;
  unsigned earlier = 0;
  unsigned short_of = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    auto question = random_case<Case>(random);
    question.steering = Steering::preset_counter;
    const std::uint64_t ends[] = {1, 300, question.text_bytes + 385};
    question.counter_end = static_cast<std::uint32_t>(random.below(ends[i % 3]));
    question.digest_bytes = static_cast<std::uint32_t>(1 + random.below(64));
    question = decode<Case>(encode(question));
    question.chain.resize(64);
    question.buffer.resize(block_bytes);
    const Bytes text = question.text;
    steer(question);
    ASSERT_EQ(question.text, text);
    ASSERT_TRUE(question.preset);
    ASSERT_EQ(question.call, Call::incremental);
    ASSERT_TRUE(question.key.empty() && question.salt.empty() && question.personal.empty());
    const Preset& before = question.before;
    ASSERT_EQ(before.t[0] % block_bytes, 0U);
    ASSERT_GE(before.buffered, 1U);
    ASSERT_LE(before.buffered, block_bytes);

    Total end = {before.t[0], before.t[1]};
    end.add(std::uint64_t{before.buffered} + question.text_bytes);
    const Total beyond = minus(end, boundaries[static_cast<std::size_t>(question.boundary)]);
    const std::int64_t asked_for = counter_end(question);
    ASSERT_EQ(beyond.low, static_cast<std::uint64_t>(asked_for));
    ASSERT_EQ(beyond.high, asked_for < 0 ? ~std::uint64_t{0} : 0);
    ASSERT_EQ(asked_for, question.counter_end <= question.text_bytes + 256
                             ? question.counter_end
                             : std::int64_t{question.text_bytes} + 256 - question.counter_end);
    if (asked_for == 0) {
      ++exact;
      ASSERT_EQ((before.buffered + question.text_bytes) % block_bytes, 0U);
    } else if (asked_for < 0) {
      ++short_of;
    } else if (asked_for < block_bytes) {
      ++in_last_block;
    } else {
      ++earlier;
    }

    Case again = question;
    steer(again);
    ASSERT_EQ(encode(again), encode(question));
    auto decoded = decode<Case>(encode(question));
    steer(decoded);
    ASSERT_EQ(encode(decoded), encode(question));
    ASSERT_EQ(decoded.before.t, before.t);
  }
  EXPECT_GT(exact, 1999U);
  EXPECT_GT(in_last_block, 500U);
  EXPECT_GT(earlier, 500U);
  EXPECT_GT(short_of, 50U);
}

TEST(Blake2bSteering, WithoutASizeNothingIsAskedFor) {
  Random random(3);
  for (const std::uint32_t digest_bytes : {0U, 65U, 80U}) {
    auto question = random_case<Case>(random);
    question.steering = Steering::preset_counter;
    question = decode<Case>(encode(question));
    question.digest_bytes = digest_bytes;
    steer(question);
    EXPECT_EQ(question.steering, Steering::none);
    EXPECT_FALSE(question.preset);
    auto decoded = decode<Case>(encode(question));
    steer(decoded);
    EXPECT_EQ(encode(decoded), encode(question));
  }
}

// The states that we write are, byte for byte, those that the library exports from real messages.
TEST(Blake2bSteering, WrittenStateIsAnExportedOne) {
  namespace library = ::lockstep::blake2b;
  Random random(4);
  for (std::uint32_t bytes = 1; bytes < 400; ++bytes) {
    Case question = asked(static_cast<std::uint32_t>(1 + random.below(64)), {}, counting(bytes));
    question.last_node = random.chance(50);
    library::Parameters parameters;
    parameters.digest_bytes = question.digest_bytes;
    parameters.last_node = question.last_node;
    library::Hash hash;
    ASSERT_EQ(hash.start(parameters), Status::ok);
    ASSERT_EQ(hash.update(question.text), Status::ok);
    std::array<std::uint8_t, state_bytes> exported = {};
    std::array<std::uint8_t, state_bytes> written = {};
    ASSERT_EQ(hash.export_state(exported), Status::ok);
    question.before.t = {(bytes - 1) / 128 * 128, 0};
    question.before.buffered = (bytes - 1) % 128 + 1;
    question.chain.assign(exported.begin() + 8, exported.begin() + 72);
    question.buffer.assign(question.text.begin() + (bytes - 1) / 128 * 128, question.text.end());
    question.buffer.resize(block_bytes, 0xee);
    write_state(question, written);
    EXPECT_EQ(copy(written), copy(exported)) << bytes;
  }
}

TEST(Blake2bDraw, SharesAndEdges) {
  Random random(5);
  constexpr unsigned count = 8000;
  double text = 0;
  unsigned hand_over = 0;
  unsigned steered = 0;
  unsigned full_last_block = 0;
  for (unsigned i = 0; i < count; ++i) {
    Case question;
    Algorithm::draw(question, random);
    steer(question);
    const differential::Facts facts = Algorithm::facts(question);
    text += static_cast<double>(facts.text_bytes);
    if (facts.hand_over) ++hand_over;
    if (facts.steered) ++steered;
    if (question.text_bytes % block_bytes == 0) ++full_last_block;
  }
  EXPECT_GE(text / count, 200);
  EXPECT_GE(hand_over, count / 4);
  EXPECT_GE(steered, count / 4);
  EXPECT_GE(full_last_block, count / 4);
}

// Everyone against everyone: who gives an answer gives plain's.
TEST(Blake2bParticipants, Agree) {
  Random random(6);
  unsigned refused = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    Case question;
    if (i % 2 == 0) {
      question = random_case<Case>(random);
    } else {
      Algorithm::draw(question, random);
      question = decode<Case>(encode(question));
    }
    steer(question);
    const differential::Outcome expected = ask(plain_participant(), question);
    EXPECT_TRUE(expected.given().contains_all(plain_participant().declares(question)));
    if (expected.text(hash_status) != "ok") ++refused;
    for (const differential::Participant<Case>& participant : participants()) {
      if (!participant.unsupported(question).empty()) continue;
      const differential::Outcome outcome = ask(participant, question);
      ASSERT_TRUE(outcome.given().contains_all(participant.declares(question))) << participant.info.name;
      for (const Answer answer : {hash_status, digest, state, accepted}) {
        if (!outcome.has(answer)) continue;
        ASSERT_EQ(copy(outcome.get(answer)), copy(expected.get(answer)))
            << participant.info.name << ", " << answer_names[answer] << ", case " << i;
      }
    }
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace lockstep::oracles::blake2b
