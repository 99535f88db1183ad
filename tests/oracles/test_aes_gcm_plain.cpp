#include <array>

#include "oracles/aes_gcm/plain.h"
#include "support.h"

namespace lockstep::oracles::aes_gcm {
namespace {

using namespace lockstep::oracles::test;
using differential::Outcome;
using differential::Random;

Case question_of(Bytes key, Bytes nonce, Bytes aad, Bytes text) {
  Case question;
  question.key_bytes = static_cast<std::uint32_t>(key.size());
  question.nonce_bytes = static_cast<std::uint32_t>(nonce.size());
  question.aad_bytes = static_cast<std::uint32_t>(aad.size());
  question.text_bytes = static_cast<std::uint32_t>(text.size());
  question.key = std::move(key);
  question.nonce = std::move(nonce);
  question.aad = std::move(aad);
  question.text = std::move(text);
  return question;
}

Case some_case() {
  return question_of(Bytes(16, 1), Bytes(12, 2), Bytes(20, 3), Bytes(40, 4));
}

struct Known {
  std::string_view key, nonce, aad, plaintext, ciphertext, tag;
};

// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 1 to 8, 13, 14 and 16.
constexpr std::string_view key_3 = "feffe9928665731c6d6a8f9467308308";
constexpr std::string_view nonce_3 = "cafebabefacedbaddecaf888";
constexpr std::string_view aad_4 = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
constexpr std::string_view text_4 =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
constexpr Known known[] = {
    {"00000000000000000000000000000000", "000000000000000000000000", "", "", "",
     "58e2fccefa7e3061367f1d57a4e7455a"},
    {"00000000000000000000000000000000", "000000000000000000000000", "", "00000000000000000000000000000000",
     "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"},
    {key_3, nonce_3, "",
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
     "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
     "4d5c2af327cd64a62cf35abd2ba6fab4"},
    {key_3, nonce_3, aad_4, text_4,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {key_3, "cafebabefacedbad", aad_4, text_4,
     "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
     "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
     "3612d2e79e3b0785561be14aaca2fccb"},
    {key_3,
     "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
     "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
     aad_4, text_4,
     "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7"
     "01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
     "619cc5aefffe0bfa462af43c1699d050"},
    {"000000000000000000000000000000000000000000000000", "000000000000000000000000", "", "", "",
     "cd33b28ac773f74ba00ed1f312572435"},
    {"000000000000000000000000000000000000000000000000", "000000000000000000000000", "",
     "00000000000000000000000000000000", "98e7247c07f0fe411c267e4384b0f600",
     "2ff58d80033927ab8ef4d4587514f0fb"},
    {"0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000", "", "",
     "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {"0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000", "",
     "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18",
     "d0d1c8a799996bf0265b98b5d48ab919"},
    {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce_3, aad_4, text_4,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
};

TEST(AesGcmPlain, KnownAnswers) {
  for (const Known& each : known) {
    Case question =
        question_of(from_hex(each.key), from_hex(each.nonce), from_hex(each.aad), from_hex(each.plaintext));
    Outcome outcome = ask(plain_participant(), question);
    EXPECT_EQ(outcome.text(seal_status), "ok");
    EXPECT_EQ(copy(outcome.get(ciphertext)), from_hex(each.ciphertext));
    EXPECT_EQ(copy(outcome.get(tag)), from_hex(each.tag));
    EXPECT_EQ(outcome.text(open_status), "ok");
    EXPECT_EQ(copy(outcome.get(plaintext)), from_hex(each.plaintext));
    EXPECT_FALSE(outcome.has(next_counter));

    question.operation = Operation::open;
    question.text = from_hex(each.ciphertext);
    question.tag = from_hex(each.tag);
    outcome = ask(plain_participant(), question);
    EXPECT_EQ(outcome.text(open_status), "ok");
    EXPECT_EQ(copy(outcome.get(accepted)), Bytes{1});
    EXPECT_EQ(copy(outcome.get(plaintext)), from_hex(each.plaintext));
    EXPECT_FALSE(outcome.has(seal_status));

    question.tag.back() ^= 1;
    outcome = ask(plain_participant(), question);
    EXPECT_EQ(outcome.text(open_status), "authentication_failed");
    EXPECT_EQ(copy(outcome.get(accepted)), Bytes{0});
    EXPECT_FALSE(outcome.has(plaintext));
    EXPECT_EQ(copy(outcome.get(destination_after_reject)), Bytes(question.text.size()));
  }
}

TEST(AesGcmPlain, OneChangedBitIsRejected) {
  for (const Tamper where : {Tamper::ciphertext, Tamper::tag, Tamper::aad, Tamper::nonce}) {
    for (std::uint32_t bit = 0; bit < 400; ++bit) {
      Case question = some_case();
      question.tamper = where;
      question.tamper_bit = bit;
      EXPECT_EQ(copy(ask(plain_participant(), question).get(accepted)), Bytes{0})
          << static_cast<int>(where) << bit;
    }
  }
}

TEST(AesGcmPlain, NothingToTamperWithIsAccepted) {
  Case question = question_of(Bytes(16), Bytes(12), {}, {});
  for (const Tamper where : {Tamper::ciphertext, Tamper::aad}) {
    question.tamper = where;
    EXPECT_EQ(copy(ask(plain_participant(), question).get(accepted)), Bytes{1});
  }
}

TEST(AesGcmPlain, Refusals) {
  const auto status = [](const Case& question) {
    const Outcome outcome = ask(plain_participant(), question);
    EXPECT_EQ(copy(outcome.get(accepted)), Bytes{0});
    EXPECT_FALSE(outcome.has(ciphertext) || outcome.has(tag) || outcome.has(plaintext));
    EXPECT_TRUE(outcome.given().contains_all(plain_participant().declares(question)));
    return std::string(outcome.text(question.operation == Operation::open ? open_status : seal_status));
  };
  for (const Operation operation : {Operation::seal_then_open, Operation::open}) {
    Case question = some_case();
    question.operation = operation;
    question.tag_bytes = 5;
    question.tag.resize(5);
    EXPECT_EQ(status(question), "bad_tag_size");
    question.nonce_bytes = 0;
    question.nonce.clear();
    EXPECT_EQ(status(question), "bad_nonce_size");
    question.key_bytes = 17;
    question.key.resize(17);
    EXPECT_EQ(status(question), "bad_key_size");
  }
  Case question = some_case();
  question.call = Call::incremental;
  question.preset = true;
  question.before.aad_bytes = (std::uint64_t{1} << 61) - 20;
  question.tag_bytes = 7;
  EXPECT_EQ(status(question), "aad_too_long");
  question.aad.resize(19);
  question.aad_bytes = 19;
  EXPECT_EQ(status(question), "bad_tag_size");
  question.aad.clear();
  question.aad_bytes = 0;
  question.before.text_bytes = (std::uint64_t{1} << 36) - 32 - 39;
  EXPECT_EQ(status(question), "text_too_long");
  question.text.resize(39);
  question.text_bytes = 39;
  EXPECT_EQ(status(question), "bad_tag_size");
}

TEST(AesGcmPlain, TagSizes) {
  for (std::uint32_t bytes = 0; bytes <= 32; ++bytes) {
    Case question = some_case();
    question.tag_bytes = bytes;
    const bool good = bytes == 4 || bytes == 8 || (bytes >= 12 && bytes <= 16);
    const Outcome outcome = ask(plain_participant(), question);
    EXPECT_EQ(outcome.text(seal_status), good ? "ok" : "bad_tag_size") << bytes;
    if (good) {
      EXPECT_EQ(outcome.get(tag).size(), bytes);
    }
  }
}

// A message that is taken up in the middle ends as it would have without that; from the AAD and from the
// text.
TEST(AesGcmPlain, PresetGoesOnWithTheSameMessage) {
  Random random(1);
  for (unsigned round = 0; round < 300; ++round) {
    const auto draw = [&](std::size_t bytes) {
      Bytes drawn(bytes);
      random.fill(drawn);
      return drawn;
    };
    const Bytes key = draw(16 + 8 * random.below(3));
    const Bytes nonce = draw(12);
    const bool in_text = round % 2 == 0;
    const Bytes aad = draw(random.below(70));
    const Bytes text = draw(1 + random.below(70));
    const std::size_t cut = in_text ? 1 + random.below(text.size()) : random.below(aad.size() + 1);
    const auto split = static_cast<std::ptrdiff_t>(cut);

    Case whole = question_of(key, nonce, aad, text);
    whole.call = Call::incremental;
    const Outcome expected = ask(plain_participant(), whole);

    Case first = question_of(key, nonce, in_text ? aad : Bytes(aad.begin(), aad.begin() + split),
                             in_text ? Bytes(text.begin(), text.begin() + split) : Bytes{});
    first.call = Call::incremental;
    const Outcome middle = ask(plain_participant(), first);
    Case second = question_of(key, nonce, in_text ? Bytes{} : Bytes(aad.begin() + split, aad.end()),
                              in_text ? Bytes(text.begin() + split, text.end()) : text);
    second.call = Call::incremental;
    second.preset = true;
    second.before.aad_bytes = first.aad.size();
    second.before.text_bytes = first.text.size();
    std::ranges::copy(middle.get(running_ghash), second.before.ghash.begin());
    const Bytes hashed = in_text ? copy(middle.get(ciphertext)) : first.aad;
    std::copy(hashed.end() - static_cast<std::ptrdiff_t>(hashed.size() % 16), hashed.end(),
              second.before.partial.begin());
    const Outcome outcome = ask(plain_participant(), second);

    EXPECT_EQ(copy(outcome.get(ciphertext)), copy(expected.get(ciphertext).last(second.text.size())));
    for (const Answer answer : {tag, next_counter, running_ghash, accepted}) {
      EXPECT_EQ(copy(outcome.get(answer)), copy(expected.get(answer)))
          << answer_names[answer] << " in round " << round;
    }
    second.tamper = Tamper::nonce;
    EXPECT_EQ(copy(ask(plain_participant(), second).get(accepted)), Bytes{0});
  }
}

TEST(AesGcmPlain, LongCasesAreSampled) {
  Random random(2);
  unsigned taken = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    Case question;
    question.fill_seed = random.next();
    question.aad_bytes = 40;
    question.text_bytes = 640;
    EXPECT_TRUE(plain_participant().unsupported(question).empty());
    question.text_bytes = 641;
    if (plain_participant().unsupported(question).empty()) ++taken;
    question.steering = i % 2 == 0 ? Steering::preset_counter : Steering::virtual_totals;
    EXPECT_TRUE(plain_participant().unsupported(question).empty());
  }
  EXPECT_NEAR(taken, 1000, 100);
}

}  // namespace
}  // namespace lockstep::oracles::aes_gcm
