// What the foreign oracles say they cannot do, against what they do: over all parameter values, one library
// by one.
#include "oracles/aes_gcm/foreign.h"
#include "oracles/aes_gcm/plain.h"
#include "oracles/ghash/foreign.h"
#include "oracles/ghash/plain.h"
#include "support.h"

namespace lockstep::oracles {
namespace {

using namespace lockstep::oracles::test;
using differential::Outcome;
using differential::Participant;

namespace gcm = lockstep::oracles::aes_gcm;

constexpr std::uint32_t nonce_sizes[] = {0,  1,  2,  7,  8,  11, 12,  13,  14,  15,  16,  17,  24,  31, 32,
                                         33, 47, 48, 63, 64, 65, 100, 112, 127, 128, 129, 144, 160, 200};

bool standard_tag(std::uint32_t bytes) {
  return bytes == 4 || bytes == 8 || (bytes >= 12 && bytes <= 16);
}
bool standard_key(std::uint32_t bytes) {
  return bytes == 16 || bytes == 24 || bytes == 32;
}

gcm::Case gcm_case(std::uint32_t key, std::uint32_t tag, std::uint32_t nonce, std::uint32_t aad = 5,
                   std::uint32_t text = 21) {
  gcm::Case question;
  question.key_bytes = key;
  question.tag_bytes = tag;
  question.nonce_bytes = nonce;
  question.aad_bytes = aad;
  question.text_bytes = text;
  question.fill_seed = 9;
  return decode<gcm::Case>(encode(question));
}

bool is_accepted(const Outcome& outcome) {
  return outcome.get(gcm::accepted)[0] == 1;
}

// Sealed, opened again, and the same as plain says.
void expect_works(const Participant<gcm::Case>& library, const gcm::Case& question) {
  const Outcome outcome = ask(library, question);
  const Outcome expected = ask(gcm::plain_participant(), question);
  EXPECT_TRUE(outcome.given().contains_all(library.declares(question)));
  for (const gcm::Answer answer : {gcm::accepted, gcm::ciphertext, gcm::tag, gcm::plaintext}) {
    EXPECT_EQ(copy(outcome.get(answer)), copy(expected.get(answer))) << gcm::answer_names[answer];
  }
  EXPECT_TRUE(is_accepted(outcome));

  gcm::Case again = question;
  again.operation = gcm::Operation::open;
  again.text = copy(expected.get(gcm::ciphertext));
  again.tag = copy(expected.get(gcm::tag));
  EXPECT_TRUE(library.unsupported(again).empty());
  const Outcome opened = ask(library, again);
  EXPECT_TRUE(is_accepted(opened));
  EXPECT_EQ(copy(opened.get(gcm::plaintext)), question.text);
  again.tag[0] ^= 1;
  EXPECT_FALSE(is_accepted(ask(library, again)));
  EXPECT_FALSE(ask(library, again).has(gcm::plaintext));
}

void expect_refused(const Participant<gcm::Case>& library, const gcm::Case& question) {
  const Outcome outcome = ask(library, question);
  EXPECT_FALSE(is_accepted(outcome));
  EXPECT_FALSE(outcome.has(gcm::ciphertext) || outcome.has(gcm::tag) || outcome.has(gcm::plaintext));
  gcm::Case open = question;
  open.operation = gcm::Operation::open;
  open.tag.resize(question.tag_bytes);
  EXPECT_FALSE(is_accepted(ask(library, open)));
}

// `takes_what_is_no_standard`: a limit may stand for an opinion that is missing instead of one that differs.
template <class TakesWhatIsNoStandard>
void hold_limits_against_behaviour(const Participant<gcm::Case>& library,
                                   TakesWhatIsNoStandard takes_what_is_no_standard) {
  for (std::uint32_t key = 0; key <= 64; ++key) {
    for (std::uint32_t tag = 0; tag <= 20; ++tag) {
      for (const std::uint32_t nonce : nonce_sizes) {
        // Beside the sizes that exist, a few combinations are enough.
        if (!standard_key(key) && (tag % 4 != 0 || nonce % 4 != 0)) continue;
        SCOPED_TRACE(testing::Message()
                     << library.info.name << ", key " << key << ", tag " << tag << ", nonce " << nonce);
        const gcm::Case question = gcm_case(key, tag, nonce);
        if (library.unsupported(question).empty()) {
          ASSERT_TRUE(standard_key(key) && standard_tag(tag));
          if (nonce == 0) {
            expect_refused(library, question);  // asked, and refuses as it must
          } else {
            expect_works(library, question);
          }
        } else if (takes_what_is_no_standard(question)) {
          EXPECT_TRUE(is_accepted(ask(library, question)));
        } else {
          expect_refused(library, question);
        }
      }
    }
  }
  for (const std::uint32_t aad : {0U, 1U, 16U, 300U, 70000U}) {
    for (const std::uint32_t text : {0U, 1U, 16U, 63U, 64U, 65U, 4400U, 70000U}) {
      SCOPED_TRACE(testing::Message() << library.info.name << ", aad " << aad << ", text " << text);
      const gcm::Case question = gcm_case(16, 16, 12, aad, text);
      ASSERT_TRUE(library.unsupported(question).empty());
      expect_works(library, question);
    }
  }
  for (const gcm::Steering steering : {gcm::Steering::preset_counter, gcm::Steering::virtual_totals}) {
    gcm::Case question = gcm_case(16, 16, 12);
    question.steering = steering;
    EXPECT_FALSE(library.unsupported(question).empty());
  }
}

TEST(Capabilities, Botan) {
  hold_limits_against_behaviour(gcm::botan_participant(), [](const gcm::Case&) { return false; });
}

TEST(Capabilities, OpenSsl) {
  hold_limits_against_behaviour(gcm::openssl_participant(), [](const gcm::Case& question) {
    return standard_key(question.key_bytes) && !standard_tag(question.tag_bytes) && question.tag_bytes >= 1 &&
           question.tag_bytes <= 16 && question.nonce_bytes >= 1 && question.nonce_bytes <= 128;
  });
}

TEST(Capabilities, Nettle) {
  const Participant<ghash::Case> library = ghash::nettle_participant();
  EXPECT_TRUE(library.limits.empty());
  for (std::uint32_t text = 0; text <= 700; ++text) {
    ghash::Case question;
    question.text_bytes = text;
    question.fill_seed = text;
    question.call = text % 2 == 0 ? ghash::Call::one_shot : ghash::Call::incremental;
    question.in_cut_count = static_cast<std::uint8_t>(text % 8);
    for (std::uint32_t i = 0; i < question.in_cuts.size(); ++i) {
      question.in_cuts[i] = static_cast<std::uint16_t>(text * 31 + i * 977);
    }
    question = decode<ghash::Case>(encode(question));
    EXPECT_EQ(copy(ask(library, question).get(ghash::hash)),
              copy(ask(ghash::plain_participant(), question).get(ghash::hash)))
        << text;
  }
}

TEST(Capabilities, VersionsAreKnown) {
  EXPECT_TRUE(gcm::botan_participant().info.version.starts_with("2."));
  EXPECT_TRUE(gcm::openssl_participant().info.version.starts_with("3."));
  EXPECT_TRUE(ghash::nettle_participant().info.version.starts_with("3."));
}

}  // namespace
}  // namespace lockstep::oracles
