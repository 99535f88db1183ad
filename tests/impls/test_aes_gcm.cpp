// The message logic with every implementation, and between them.
#include <algorithm>
#include <type_traits>

#include "aes_gcm_support.h"
#include "impls/core/probe.h"
#include "lockstep/ghash.h"

namespace lockstep::test {
namespace {

// One way to call both directions in the tests that do not care which.
template <class Any>
Status update(Any& message, std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  if constexpr (std::is_same_v<Any, SealMessage>) {
    return message.encrypt(in, out);
  } else {
    return message.decrypt_unverified(in, out);
  }
}

class AesGcm : public testing::TestWithParam<const Implementation*> {};

INSTANTIATE_TEST_SUITE_P(Every, AesGcm, testing::ValuesIn(runnable(aes_gcm::implementations())),
                         test_name<Implementation>);

TEST_P(AesGcm, AgreesWithEveryOtherOverAllLengths) {
  const auto list = runnable(aes_gcm::implementations());
  // All others against the first is every pair; the first has its turn with the last.
  const Implementation* other = GetParam() == list.front() ? list.back() : list.front();
  Random random(20);
  for (std::size_t text_bytes = 0; text_bytes <= 200; ++text_bytes) {
    const Bytes key = random.bytes(key_sizes[random.below(3)]);
    const Key first = make_key(key, other);
    const Key own = make_key(key, GetParam());
    for (std::size_t aad_bytes = 0; aad_bytes <= 40; ++aad_bytes) {
      const Bytes nonce = random.bytes(random.below(2) == 0 ? 12 : 1 + random.below(40));
      const Bytes aad = random.bytes(aad_bytes);
      const Bytes plaintext = random.bytes(text_bytes);
      const Sealed sealed = seal(own, nonce, aad, plaintext);
      ASSERT_EQ(sealed, seal(first, nonce, aad, plaintext)) << text_bytes << " " << aad_bytes;
      Bytes opened(text_bytes);
      ASSERT_EQ(aes_gcm::open(own, nonce, aad, sealed.ciphertext, opened, sealed.tag), Status::ok);
      ASSERT_EQ(opened, plaintext);
    }
  }
}

// The implementations share the logic above them, so their agreement says nothing about it.
TEST_P(AesGcm, AgreesWithTheStandardBlockByBlock) {
  Random random(19);
  for (const std::size_t key_bytes : key_sizes) {
    const Bytes key = random.bytes(key_bytes);
    const Key own = make_key(key, GetParam());
    const ByBlocks model(key);
    for (std::size_t aad_bytes = 0; aad_bytes <= 34; ++aad_bytes) {
      for (const std::size_t text_bytes : {0U, 1U, 16U, 47U}) {
        const Bytes nonce = random.bytes(text_bytes == 16 ? 12 : 1 + aad_bytes);
        const Bytes aad = random.bytes(aad_bytes);
        const Bytes plaintext = random.bytes(text_bytes);
        ASSERT_EQ(seal(own, nonce, aad, plaintext), model.seal(nonce, aad, plaintext))
            << "nonce " << nonce.size() << " aad " << aad_bytes << " text " << text_bytes;
      }
    }
  }
}

TEST_P(AesGcm, LongTextAndAad) {
  const auto list = runnable(aes_gcm::implementations());
  Random random(21);
  for (int round = 0; round < 20; ++round) {
    const Bytes key = random.bytes(key_sizes[random.below(3)]);
    const Bytes nonce = random.bytes(1 + random.below(300));
    const Bytes aad = random.bytes(random.below(2000));
    const Bytes plaintext = random.bytes(random.below(6000));
    EXPECT_EQ(seal(make_key(key, GetParam()), nonce, aad, plaintext),
              seal(make_key(key, list.front()), nonce, aad, plaintext));
  }
}

// However the bytes are cut: the same state at every cut, the same output, the same tag.
TEST_P(AesGcm, SplitsChangeNothing) {
  Random random(22);
  for (int round = 0; round < 400; ++round) {
    const Key key = make_key(random.bytes(key_sizes[random.below(3)]), GetParam());
    const Bytes nonce = random.bytes(random.below(2) == 0 ? 12 : 1 + random.below(40));
    const Bytes aad = random.bytes(random.below(80));
    const Bytes plaintext = random.bytes(random.below(260));
    const Sealed expected = seal(key, nonce, aad, plaintext);

    SealMessage sealing;
    OpenMessage opening;
    SealMessage whole;
    ASSERT_EQ(sealing.start(key, nonce), Status::ok);
    ASSERT_EQ(opening.start(key, nonce), Status::ok);
    ASSERT_EQ(whole.start(key, nonce), Status::ok);
    std::size_t done = 0;
    for (std::size_t piece : cut(random, aad.size())) {
      const auto part = std::span(aad).subspan(done, piece);
      ASSERT_EQ(sealing.aad(part), Status::ok);
      ASSERT_EQ(opening.aad(part), Status::ok);
      done += piece;
    }
    ASSERT_EQ(whole.aad(aad), Status::ok);
    EXPECT_EQ(exported(sealing), exported(whole));

    Bytes ciphertext(plaintext.size());
    Bytes opened(plaintext.size());
    done = 0;
    for (std::size_t piece : cut(random, plaintext.size())) {
      const auto out = std::span(ciphertext).subspan(done, piece);
      ASSERT_EQ(sealing.encrypt(std::span(plaintext).subspan(done, piece), out), Status::ok);
      ASSERT_EQ(opening.decrypt_unverified(out, std::span(opened).subspan(done, piece)), Status::ok);
      done += piece;

      SealMessage at_once = whole;
      Bytes scratch(done);
      ASSERT_EQ(at_once.encrypt(std::span(plaintext).first(done), scratch), Status::ok);
      ASSERT_EQ(exported(sealing), exported(at_once));
      Bytes open_state = exported(opening);
      open_state[at_direction] = 1;
      ASSERT_EQ(exported(sealing), open_state);
    }
    Bytes tag(16);
    ASSERT_EQ(sealing.finish(tag), Status::ok);
    EXPECT_EQ(ciphertext, expected.ciphertext);
    EXPECT_EQ(tag, expected.tag);
    EXPECT_EQ(opening.verify(tag), Status::ok);
    EXPECT_EQ(opened, plaintext);
  }
}

TEST_P(AesGcm, HandOverAtEveryByte) {
  Random random(23);
  const Bytes key = random.bytes(32);
  const Key own = make_key(key, GetParam());
  const Bytes nonce = random.bytes(12);
  const Bytes aad = random.bytes(37);
  const Bytes plaintext = random.bytes(5 * 32 + 23);
  const Sealed expected = seal(own, nonce, aad, plaintext);
  for (const Implementation* next : runnable(aes_gcm::implementations())) {
    const Key other = make_key(key, next);
    const auto run = [&](auto message, const Bytes& in, std::size_t aad_at, std::size_t text_at) {
      const std::span<const std::uint8_t> all_aad(aad);
      const std::span<const std::uint8_t> all(in);
      Bytes out(in.size());
      const std::span<std::uint8_t> all_out(out);
      EXPECT_EQ(message.start(own, nonce), Status::ok);
      EXPECT_EQ(message.aad(all_aad.first(aad_at)), Status::ok);
      EXPECT_EQ(message.hand_over(other), Status::ok);
      EXPECT_EQ(message.aad(all_aad.subspan(aad_at)), Status::ok);
      EXPECT_EQ(message.hand_over(own), Status::ok);
      EXPECT_EQ(update(message, all.first(text_at), all_out.first(text_at)), Status::ok);
      EXPECT_EQ(message.hand_over(other), Status::ok);
      EXPECT_EQ(update(message, all.subspan(text_at), all_out.subspan(text_at)), Status::ok);
      if constexpr (std::is_same_v<decltype(message), SealMessage>) {
        Bytes tag(16);
        EXPECT_EQ(message.finish(tag), Status::ok);
        EXPECT_EQ(tag, expected.tag) << aad_at << " " << text_at;
        EXPECT_EQ(out, expected.ciphertext) << aad_at << " " << text_at;
      } else {
        EXPECT_EQ(message.verify(expected.tag), Status::ok) << aad_at << " " << text_at;
        EXPECT_EQ(out, plaintext) << aad_at << " " << text_at;
      }
    };
    for (std::size_t at = 0; at <= plaintext.size(); ++at) {
      run(SealMessage(), plaintext, at % (aad.size() + 1), at);
      run(OpenMessage(), expected.ciphertext, at % (aad.size() + 1), at);
    }
  }
}

TEST_P(AesGcm, ExportAndImportAtEveryByte) {
  Random random(24);
  const Bytes key = random.bytes(16);
  const Key own = make_key(key, GetParam());
  const auto list = runnable(aes_gcm::implementations());
  const Bytes nonce = random.bytes(9);
  const Bytes aad = random.bytes(21);
  const Bytes plaintext = random.bytes(101);
  const Sealed expected = seal(own, nonce, aad, plaintext);
  for (std::size_t at = 0; at <= aad.size() + plaintext.size(); ++at) {
    const std::size_t aad_at = std::min(at, aad.size());
    const std::size_t text_at = at - aad_at;
    Bytes ciphertext(plaintext.size());
    const std::span<const std::uint8_t> in(plaintext);
    const std::span<std::uint8_t> out(ciphertext);
    SealMessage first;
    ASSERT_EQ(first.start(own, nonce), Status::ok);
    ASSERT_EQ(first.aad(std::span(aad).first(aad_at)), Status::ok);
    ASSERT_EQ(first.encrypt(in.first(text_at), out.first(text_at)), Status::ok);
    const Key other = make_key(key, list[random.below(list.size())]);
    SealMessage second;
    ASSERT_EQ(second.import_state(other, exported(first)), Status::ok);
    ASSERT_EQ(exported(second), exported(first));
    if (text_at == 0) {
      ASSERT_EQ(second.aad(std::span(aad).subspan(aad_at)), Status::ok);
    }
    ASSERT_EQ(second.encrypt(in.subspan(text_at), out.subspan(text_at)), Status::ok);
    Bytes tag(16);
    ASSERT_EQ(second.finish(tag), Status::ok);
    EXPECT_EQ(tag, expected.tag) << at;
    EXPECT_EQ(ciphertext, expected.ciphertext) << at;
  }
}

TEST_P(AesGcm, CounterWrapsIn32BitsAtEveryBlock) {
  Random random(25);
  const std::size_t blocks = 2 * std::size_t{info(*GetParam()).stride_blocks} + 3;
  for (const std::size_t key_bytes : key_sizes) {
    const Bytes key = random.bytes(key_bytes);
    const Key own = make_key(key, GetParam());
    const ByBlocks model(key);
    for (std::uint32_t wrap = 0; wrap <= blocks; ++wrap) {
      for (const std::size_t rest : {0U, 1U, 15U}) {
        SealMessage message;
        ASSERT_EQ(message.start(own, random.bytes(12)), Status::ok);
        Bytes state = exported(message);
        if (wrap % 2 == 0) std::fill_n(state.begin() + at_counter + 4, 8, std::uint8_t{0xFF});
        core::store_be32(state.data() + at_counter + 12, 0 - wrap);
        const Bytes counter(state.begin() + at_counter, state.begin() + at_counter + 16);
        const Bytes plaintext = random.bytes(blocks * 16 + rest);
        const Bytes expected = model.ctr(counter, plaintext);
        for (const std::size_t first : {0U, 5U, 16U, 33U}) {
          ASSERT_EQ(message.import_state(own, state), Status::ok);
          Bytes text = plaintext;
          const std::span<std::uint8_t> all(text);
          ASSERT_EQ(message.encrypt(all.first(first), all.first(first)), Status::ok);
          ASSERT_EQ(message.encrypt(all.subspan(first), all.subspan(first)), Status::ok);
          ASSERT_EQ(text, expected) << "wrap " << wrap << " rest " << rest << " first " << first;
          Bytes next = counter;
          const auto touched = static_cast<std::uint32_t>((plaintext.size() + 15) / 16);
          core::store_be32(next.data() + 12, touched - wrap);
          const Bytes after = exported(message);
          ASSERT_TRUE(std::equal(next.begin(), next.end(), after.begin() + at_counter));
        }
      }
    }
  }
}

// In GF(2^128) every a but 0 has a^(2^128 - 2) = 1/a; the product by GHASH of one block.
Bytes product(const Bytes& a, const Bytes& b) {
  ghash::Key key;
  EXPECT_EQ(key.set(b, find(ghash::implementations(), "portable")), Status::ok);
  Bytes out(16);
  EXPECT_EQ(ghash::hash(key, a, out), Status::ok);
  return out;
}

Bytes inverse(const Bytes& a) {
  Bytes power = a;
  Bytes result;
  for (int i = 1; i < 128; ++i) {
    power = product(power, power);
    result = result.empty() ? power : product(result, power);
  }
  return result;
}

// The same through the front door: a 16-byte nonce chosen so that J0 stands just before the wrap.
TEST_P(AesGcm, CounterWrapsFromASixteenByteNonce) {
  Random random(26);
  const Bytes key = random.bytes(32);
  const Key own = make_key(key, GetParam());
  const ByBlocks model(key);
  const Bytes h_inverse = inverse(model.h());
  for (std::uint32_t wrap = 1; wrap <= 9; ++wrap) {
    Bytes j0 = random.bytes(16);
    core::store_be32(j0.data() + 12, 0 - wrap);
    Bytes nonce = product(j0, h_inverse);
    nonce[15] ^= 128;  // the length block
    nonce = product(nonce, h_inverse);
    ASSERT_EQ(model.j0(nonce), j0);
    const Bytes aad = random.bytes(20);
    const Bytes plaintext = random.bytes(8 * 16 + 7);
    EXPECT_EQ(seal(own, nonce, aad, plaintext), model.seal(nonce, aad, plaintext)) << wrap;
  }
}

TEST_P(AesGcm, InPlace) {
  Random random(27);
  const Key key = make_key(random.bytes(24), GetParam());
  const Bytes nonce = random.bytes(12);
  for (std::size_t bytes = 0; bytes <= 150; ++bytes) {
    const Bytes aad = random.bytes(bytes % 20);
    const Bytes plaintext = random.bytes(bytes);
    const Sealed expected = seal(key, nonce, aad, plaintext);
    // The tag right behind the text, as protocols have it.
    Bytes buffer = plaintext;
    buffer.resize(bytes + 16);
    const auto text = std::span(buffer).first(bytes);
    const auto tag = std::span(buffer).last(16);
    ASSERT_EQ(aes_gcm::seal(key, nonce, aad, text, text, tag), Status::ok);
    EXPECT_TRUE(std::equal(text.begin(), text.end(), expected.ciphertext.begin()));
    EXPECT_TRUE(std::equal(tag.begin(), tag.end(), expected.tag.begin()));
    ASSERT_EQ(aes_gcm::open(key, nonce, aad, text, text, tag), Status::ok);
    EXPECT_TRUE(std::equal(text.begin(), text.end(), plaintext.begin()));
  }
}

TEST_P(AesGcm, EveryFlippedBitIsRefusedAndTheDestinationWiped) {
  Random random(28);
  const Key key = make_key(random.bytes(16), GetParam());
  const Bytes nonce = random.bytes(12);
  const Bytes aad = random.bytes(19);
  const Bytes plaintext = random.bytes(53);
  const Sealed sealed = seal(key, nonce, aad, plaintext);
  struct Input {
    Bytes nonce, aad, ciphertext, tag;
  };
  const Input right = {nonce, aad, sealed.ciphertext, sealed.tag};
  Bytes Input::*const fields[] = {&Input::nonce, &Input::aad, &Input::ciphertext, &Input::tag};
  for (Bytes Input::*const field : fields) {
    for (std::size_t bit = 0; bit < 8 * (right.*field).size(); ++bit) {
      Input wrong = right;
      (wrong.*field)[bit / 8] = static_cast<std::uint8_t>((wrong.*field)[bit / 8] ^ 1U << bit % 8);
      Bytes opened(plaintext.size() + 8, 0x5A);
      const auto out = std::span(opened).first(plaintext.size());
      ASSERT_EQ(aes_gcm::open(key, wrong.nonce, wrong.aad, wrong.ciphertext, out, wrong.tag),
                Status::authentication_failed);
      ASSERT_TRUE(std::all_of(out.begin(), out.end(), [](std::uint8_t b) { return b == 0; }));
      ASSERT_TRUE(std::all_of(opened.end() - 8, opened.end(), [](std::uint8_t b) { return b == 0x5A; }));
      ASSERT_EQ(aes_gcm::open(key, wrong.nonce, wrong.aad, wrong.ciphertext, wrong.ciphertext, wrong.tag),
                Status::authentication_failed);
      ASSERT_EQ(wrong.ciphertext, Bytes(plaintext.size())) << "in place";

      OpenMessage message;
      ASSERT_EQ(message.start(key, wrong.nonce), Status::ok);
      ASSERT_EQ(message.aad(wrong.aad), Status::ok);
      ASSERT_EQ(
          message.decrypt_unverified(field == &Input::ciphertext ? right.ciphertext : wrong.ciphertext, out),
          Status::ok);
      if (field != &Input::ciphertext) continue;
      ASSERT_EQ(message.verify(wrong.tag), Status::ok);
    }
  }
}

TEST_P(AesGcm, EveryTagByteIsCompared) {
  Random random(29);
  const Key key = make_key(random.bytes(32), GetParam());
  const Bytes nonce = random.bytes(12);
  const Bytes plaintext = random.bytes(20);
  const Sealed sealed = seal(key, nonce, {}, plaintext);
  for (const std::size_t tag_bytes : {4U, 8U, 12U, 13U, 14U, 15U, 16U}) {
    for (std::size_t i = 0; i < tag_bytes; ++i) {
      Bytes tag(sealed.tag.begin(), sealed.tag.begin() + static_cast<std::ptrdiff_t>(tag_bytes));
      tag[i] ^= 1;
      Bytes opened(plaintext.size());
      EXPECT_EQ(aes_gcm::open(key, nonce, {}, sealed.ciphertext, opened, tag), Status::authentication_failed);
      OpenMessage message;
      ASSERT_EQ(message.start(key, nonce), Status::ok);
      ASSERT_EQ(message.decrypt_unverified(sealed.ciphertext, opened), Status::ok);
      EXPECT_EQ(message.verify(tag), Status::authentication_failed);
      EXPECT_EQ(message.verify(tag), Status::wrong_order);
    }
  }
}

TEST_P(AesGcm, CopiesAndRekeying) {
  Random random(30);
  Key key = make_key(random.bytes(32), GetParam());
  const Bytes nonce = random.bytes(12);
  const Bytes plaintext = random.bytes(75);
  const Sealed expected = seal(key, nonce, {}, plaintext);
  SealMessage message;
  Bytes ciphertext(plaintext.size());
  const std::span<const std::uint8_t> in(plaintext);
  const std::span<std::uint8_t> out(ciphertext);
  ASSERT_EQ(message.start(key, nonce), Status::ok);
  ASSERT_EQ(message.encrypt(in.first(37), out.first(37)), Status::ok);
  SealMessage copy = message;
  const Key key_copy = key;
  ASSERT_EQ(copy.hand_over(key_copy), Status::ok);
  for (SealMessage* each : {&message, &copy}) {
    Bytes tag(16);
    ASSERT_EQ(each->encrypt(in.subspan(37), out.subspan(37)), Status::ok);
    ASSERT_EQ(each->finish(tag), Status::ok);
    EXPECT_EQ(ciphertext, expected.ciphertext);
    EXPECT_EQ(tag, expected.tag);
  }
  // The same objects again: another, shorter key, after an abandoned message.
  ASSERT_EQ(message.start(key, nonce), Status::ok);
  ASSERT_EQ(message.encrypt(in.first(5), out.first(5)), Status::ok);
  const Bytes other = random.bytes(16);
  for (const Implementation* implementation : runnable(aes_gcm::implementations())) {
    ASSERT_EQ(key.set(other, implementation), Status::ok);
    EXPECT_EQ(key.implementation(), implementation);
    ASSERT_EQ(message.start(key, nonce), Status::ok);
    ASSERT_EQ(message.encrypt(in, out), Status::ok);
    Bytes tag(16);
    ASSERT_EQ(message.finish(tag), Status::ok);
    EXPECT_EQ((Sealed{ciphertext, tag}), seal(make_key(other, GetParam()), nonce, {}, plaintext));
  }
}

// Byte for byte what a fresh object would be: nothing of the key before.
TEST_P(AesGcm, RekeyingLeavesNothingOfTheOldKey) {
  Random random(32);
  const auto bytes_of = [](const Key& key) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(&key);
    return Bytes(p, p + sizeof key);
  };
  for (const Implementation* before : runnable(aes_gcm::implementations())) {
    for (const std::size_t key_bytes : key_sizes) {
      Key key = make_key(random.bytes(32), before);
      const Bytes next = random.bytes(key_bytes);
      ASSERT_EQ(key.set(next, GetParam()), Status::ok);
      EXPECT_EQ(bytes_of(key), bytes_of(make_key(next, GetParam())))
          << info(*before).name << " " << key_bytes;
    }
  }
}

TEST_P(AesGcm, BulkLoopRunsAsDescribed) {
#ifdef LOCKSTEP_PROBE
  Random random(31);
  const Key key = make_key(random.bytes(16), GetParam());
  const std::size_t stride_bytes = 16 * std::size_t{info(*GetParam()).stride_blocks};
  for (std::size_t bytes = 0; bytes <= 400; ++bytes) {
    const Bytes plaintext = random.bytes(bytes);
    core::bulk_iterations = 0;
    seal(key, Bytes(30), Bytes(100), plaintext);
    EXPECT_EQ(core::bulk_iterations, bytes / stride_bytes) << bytes;
  }
#else
  GTEST_SKIP() << "built without LOCKSTEP_PROBE";
#endif
}

}  // namespace
}  // namespace lockstep::test
