// What the foreign oracles of BLAKE2b say they cannot do, against what they do: over all parameter values,
// one library by one.
#include "oracles/blake2b/foreign.h"
#include "oracles/blake2b/plain.h"
#include "support.h"

namespace lockstep::oracles::blake2b {
namespace {

using namespace lockstep::oracles::test;
using differential::Outcome;
using differential::Participant;

bool sizes_exist(const Case& question) {
  return question.digest_bytes >= 1 && question.digest_bytes <= 64 && question.key_bytes <= 64;
}

bool is_accepted(const Outcome& outcome) {
  return outcome.get(accepted)[0] == 1;
}

// One question, filled. It is asked if no limit speaks against it; then the library does as plain says.
template <class Expected>
void hold(const Participant<Case>& library, Case question, Expected supported) {
  question.fill_seed = 7 + question.digest_bytes + 100 * question.key_bytes;
  question = decode<Case>(encode(question));
  SCOPED_TRACE(testing::Message() << library.info.name << ", digest " << question.digest_bytes << ", key "
                                  << question.key_bytes << ", salt " << question.salt_bytes << ", personal "
                                  << question.personal_bytes << ", text " << question.text_bytes);
  ASSERT_EQ(library.unsupported(question).empty(), supported(question));
  if (!library.unsupported(question).empty()) return;
  const Outcome outcome = ask(library, question);
  const Outcome expected = ask(plain_participant(), question);
  EXPECT_TRUE(outcome.given().contains_all(library.declares(question)));
  EXPECT_EQ(is_accepted(outcome), sizes_exist(question));
  EXPECT_EQ(is_accepted(outcome), is_accepted(expected));
  EXPECT_EQ(copy(outcome.get(digest)), copy(expected.get(digest)));
}

template <class Expected>
void hold_limits_against_behaviour(const Participant<Case>& library, Expected supported) {
  for (const Call call : {Call::one_shot, Call::incremental}) {
    Case question;
    question.call = call;
    question.in_cut_count = 3;
    question.in_cuts = {5, 128, 150};
    question.text_bytes = 200;
    for (question.digest_bytes = 0; question.digest_bytes <= 80; ++question.digest_bytes) {
      for (question.key_bytes = 0; question.key_bytes <= 80; ++question.key_bytes) {
        hold(library, question, supported);
      }
    }
    for (question.salt_bytes = 0; question.salt_bytes <= 32; ++question.salt_bytes) {
      for (question.personal_bytes = 0; question.personal_bytes <= 32; ++question.personal_bytes) {
        for (const std::uint32_t key_bytes : {0U, 20U}) {
          question.digest_bytes = 64;
          question.key_bytes = key_bytes;
          hold(library, question, supported);
        }
      }
    }
    question.salt_bytes = question.personal_bytes = 0;
    for (const std::uint32_t text : {0U, 1U, 127U, 128U, 129U, 256U, 4400U, 70000U}) {
      for (const std::uint32_t key_bytes : {0U, 64U}) {
        question.key_bytes = key_bytes;
        question.text_bytes = text;
        hold(library, question, supported);
      }
    }
    question.text_bytes = 130;
    question.last_node = true;
    hold(library, question, supported);
    question.tree = true;
    for (const std::uint8_t depth : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{255}}) {
      for (const std::uint8_t inner_length : {std::uint8_t{0}, std::uint8_t{64}, std::uint8_t{65}}) {
        question.depth = depth;
        question.inner_length = inner_length;
        question.fanout = 2;
        question.leaf_length = 0x01020304;
        question.node_offset = 0x05060708090a0b0c;
        question.node_depth = 13;
        hold(library, question, supported);
      }
    }
  }
  Case preset;
  preset.steering = Steering::preset_counter;
  EXPECT_EQ(library.unsupported(preset).empty(), supported(preset));
}

bool whole_or_none(std::uint32_t bytes) {
  return bytes == 0 || bytes == 16;
}
bool sequential(const Case& c) {
  return !c.tree && !c.last_node && c.steering == Steering::none;
}

TEST(Blake2bCapabilities, Botan) {
  hold_limits_against_behaviour(botan_participant(), [](const Case& c) {
    return c.key_bytes == 0 && c.salt_bytes == 0 && c.personal_bytes == 0 && sequential(c);
  });
}

TEST(Blake2bCapabilities, OpenSsl) {
  hold_limits_against_behaviour(openssl_participant(), [](const Case& c) {
    if (!sequential(c)) return false;
    if (c.key_bytes == 0) return c.digest_bytes == 64 && c.salt_bytes == 0 && c.personal_bytes == 0;
    return whole_or_none(c.salt_bytes) && whole_or_none(c.personal_bytes);
  });
}

TEST(Blake2bCapabilities, Sodium) {
  hold_limits_against_behaviour(sodium_participant(), [](const Case& c) {
    return whole_or_none(c.salt_bytes) && whole_or_none(c.personal_bytes) && sequential(c);
  });
}

TEST(Blake2bCapabilities, B2) {
  hold_limits_against_behaviour(b2_participant(), [](const Case& c) {
    return whole_or_none(c.salt_bytes) && whole_or_none(c.personal_bytes) &&
           (!c.tree || (c.depth > 0 && c.inner_length <= 64));
  });
}

// Not asked because they take what the standard does not have; if they stop, they can be asked.
TEST(Blake2bCapabilities, NoOpinionMeansThatAnythingIsTaken) {
  Case question;
  question.key_bytes = 10;
  question.salt_bytes = 8;
  question = decode<Case>(encode(question));
  const Outcome shorter = ask(openssl_participant(), question);
  ASSERT_TRUE(is_accepted(shorter));
  question.salt_bytes = 16;
  question.salt.resize(16);
  EXPECT_EQ(copy(shorter.get(digest)), copy(ask(plain_participant(), question).get(digest)));

  Case tree;
  tree.tree = true;
  tree.depth = 0;
  tree.inner_length = 65;
  EXPECT_TRUE(is_accepted(ask(b2_participant(), tree)));
}

TEST(Blake2bCapabilities, VersionsAreKnown) {
  EXPECT_TRUE(botan_participant().info.version.starts_with("2."));
  EXPECT_TRUE(openssl_participant().info.version.starts_with("3."));
  EXPECT_TRUE(sodium_participant().info.version.starts_with("1."));
  EXPECT_TRUE(b2_participant().info.version.starts_with("0."));
}

}  // namespace
}  // namespace lockstep::oracles::blake2b
