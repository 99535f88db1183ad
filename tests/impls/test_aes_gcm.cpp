// The message logic: one-shot and incremental, with every implementation and between them.
#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>

#include "impls/aes_gcm/kernel.h"
#include "impls/core/endian.h"
#include "impls/core/probe.h"
#include "lockstep/aes_gcm.h"
#include "lockstep/ghash.h"
#include "support.h"

namespace lockstep::test {
namespace {

using aes_gcm::Implementation;
using aes_gcm::Key;
using aes_gcm::Message;
using aes_gcm::OpenMessage;
using aes_gcm::SealMessage;

constexpr std::size_t key_sizes[] = {16, 24, 32};

struct Sealed {
  Bytes ciphertext;
  Bytes tag;
  bool operator==(const Sealed&) const = default;
};

Key make_key(const Bytes& key, const Implementation* implementation) {
  Key made;
  EXPECT_EQ(made.set(key, implementation), Status::ok);
  return made;
}

Sealed seal(const Key& key, const Bytes& nonce, const Bytes& aad, const Bytes& plaintext) {
  Sealed sealed = {Bytes(plaintext.size()), Bytes(16)};
  EXPECT_EQ(aes_gcm::seal(key, nonce, aad, plaintext, sealed.ciphertext, sealed.tag), Status::ok);
  return sealed;
}

template <class Any>
Bytes exported(const Any& message) {
  Bytes state(Message::exported_state_bytes);
  EXPECT_EQ(message.export_state(state), Status::ok);
  return state;
}

// Where fields stand in an exported state.
constexpr std::size_t at_version = 0, at_direction = 1, at_phase = 2, at_reserved = 3, at_ghash = 8;
constexpr std::size_t at_counter = 24, at_tag_mask = 40, at_keystream = 56, at_partial = 72;
constexpr std::size_t at_aad_bytes = 88, at_text_bytes = 96;
static_assert(Message::exported_state_bytes == 104);

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

// What SP 800-38D, section 7.1, makes of a message whose first counter block is `counter`, from single
// blocks.
class ByBlocks {
 public:
  explicit ByBlocks(const Bytes& key) : context_(aes_gcm::max_context_bytes / 8), h_(16) {
    kernel_->expand_key(context_.data(), key.data(), key.size(), h_.data());
  }
  [[nodiscard]] const Bytes& h() const { return h_; }
  [[nodiscard]] Bytes encrypt(Bytes block) const {
    kernel_->encrypt_block(context_.data(), block.data(), block.data());
    return block;
  }
  [[nodiscard]] Bytes ctr(Bytes counter, const Bytes& in) const {
    Bytes out = in;
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i] ^= encrypt(counter)[i % 16];
      if (i % 16 == 15) core::store_be32(counter.data() + 12, core::load_be32(counter.data() + 12) + 1);
    }
    return out;
  }

 private:
  const Implementation* kernel_ = find(aes_gcm::implementations(), "portable");
  std::vector<std::uint64_t> context_;
  Bytes h_;
};

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
    Bytes first = j0;
    core::store_be32(first.data() + 12, 1 - wrap);

    const Bytes aad = random.bytes(20);
    const Bytes plaintext = random.bytes(8 * 16 + 7);
    const Sealed sealed = seal(own, nonce, aad, plaintext);
    EXPECT_EQ(sealed.ciphertext, model.ctr(first, plaintext)) << wrap;
    Bytes hashed = aad;
    hashed.resize(32);
    hashed.insert(hashed.end(), sealed.ciphertext.begin(), sealed.ciphertext.end());
    hashed.resize(32 + 9 * 16 + 16);
    core::store_be64(hashed.data() + hashed.size() - 16, aad.size() * 8);
    core::store_be64(hashed.data() + hashed.size() - 8, plaintext.size() * 8);
    Bytes tag = ghash_bitwise(model.h(), Bytes(16), hashed);
    const Bytes mask = model.encrypt(j0);
    for (std::size_t i = 0; i < 16; ++i) tag[i] ^= mask[i];
    EXPECT_EQ(sealed.tag, tag) << wrap;
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

// What remains is above the kernels, and one of them is enough.

class Refusals : public testing::Test {
 protected:
  Random random_{40};
  Bytes raw_ = random_.bytes(16);
  Key key_ = make_key(raw_, nullptr);
  Bytes nonce_ = random_.bytes(12);
  Bytes aad_ = random_.bytes(10);
};

TEST_F(Refusals, KeySizes) {
  const Bytes plaintext = random_.bytes(10);
  const Sealed before = seal(key_, nonce_, aad_, plaintext);
  for (std::size_t bytes = 0; bytes <= 70; ++bytes) {
    if (bytes == 16 || bytes == 24 || bytes == 32) continue;
    EXPECT_EQ(key_.set(Bytes(bytes)), Status::bad_key_size) << bytes;
  }
  Implementation beyond = *find(aes_gcm::implementations(), "portable");
  beyond.info.required.insert(static_cast<CpuFeature>(63));
  EXPECT_EQ(key_.set(Bytes(16), &beyond), Status::cpu_lacks_features);
  EXPECT_EQ(key_.set(Bytes(15), &beyond), Status::bad_key_size);
  EXPECT_EQ(seal(key_, nonce_, aad_, plaintext), before);
}

TEST_F(Refusals, DefaultIsTheBestConstantTimeOne) {
  EXPECT_EQ(key_.implementation(), select(aes_gcm::implementations(), cpu_features(), Policy::constant_time));
  EXPECT_EQ(Key().implementation(), nullptr);
}

TEST_F(Refusals, TagSizes) {
  for (std::size_t bytes = 0; bytes <= 20; ++bytes) {
    const bool valid = bytes == 4 || bytes == 8 || (bytes >= 12 && bytes <= 16);
    Bytes text = random_.bytes(33);
    const Bytes before = text;
    Bytes tag(bytes, 0x11);
    const Status status = aes_gcm::seal(key_, nonce_, aad_, text, text, tag);
    EXPECT_EQ(status, valid ? Status::ok : Status::bad_tag_size) << bytes;
    if (!valid) {
      EXPECT_EQ(text, before);
      EXPECT_EQ(tag, Bytes(bytes, 0x11));
      EXPECT_EQ(aes_gcm::open(key_, nonce_, aad_, text, text, tag), Status::bad_tag_size);
      EXPECT_EQ(text, before);
    }
    SealMessage sealing;
    OpenMessage opening;
    ASSERT_EQ(sealing.start(key_, nonce_), Status::ok);
    ASSERT_EQ(opening.start(key_, nonce_), Status::ok);
    EXPECT_EQ(sealing.finish(tag), valid ? Status::ok : Status::bad_tag_size) << bytes;
    EXPECT_EQ(opening.verify(tag), valid ? Status::ok : Status::bad_tag_size) << bytes;
    if (valid) continue;
    // A refusal is not the end: the message goes on.
    Bytes right(16);
    EXPECT_EQ(sealing.finish(right), Status::ok);
    EXPECT_EQ(opening.verify(right), Status::ok);
  }
}

TEST_F(Refusals, Sizes) {
  Bytes in = random_.bytes(20);
  Bytes out(21, 0x22);
  Bytes tag(16, 0x33);
  const auto untouched = [&] { return out == Bytes(21, 0x22) && tag == Bytes(16, 0x33); };
  for (const std::size_t bytes : {0U, 1U, 19U, 21U}) {
    const auto part = std::span(out).first(bytes);
    EXPECT_EQ(aes_gcm::seal(key_, nonce_, aad_, in, part, tag), Status::bad_output_size);
    EXPECT_EQ(aes_gcm::open(key_, nonce_, aad_, in, part, tag), Status::bad_output_size);
    SealMessage message;
    ASSERT_EQ(message.start(key_, nonce_), Status::ok);
    const Bytes before = exported(message);
    EXPECT_EQ(message.encrypt(in, part), Status::bad_output_size);
    EXPECT_EQ(exported(message), before);
  }
  const auto right = std::span(out).first(20);
  EXPECT_EQ(aes_gcm::seal(key_, {}, aad_, in, right, tag), Status::bad_nonce_size);
  EXPECT_EQ(aes_gcm::open(key_, {}, aad_, in, right, tag), Status::bad_nonce_size);
  SealMessage message;
  EXPECT_EQ(message.start(key_, {}), Status::bad_nonce_size);
  EXPECT_EQ(message.aad({}), Status::wrong_order);
  EXPECT_TRUE(untouched());
}

// Spans of impossible length over a few bytes: whoever reads before checking crashes here.
TEST_F(Refusals, LimitsOfOneShot) {
  if constexpr (sizeof(std::size_t) < 8) GTEST_SKIP() << "cannot be reached";
  Bytes text = random_.bytes(16);
  const Bytes before = text;
  Bytes tag(16, 0x44);
  const auto huge = [&text](std::size_t bytes) { return std::span<std::uint8_t>(text.data(), bytes); };
  const auto too_much_text = huge(aes_gcm::max_text_bytes + 1);
  EXPECT_EQ(aes_gcm::seal(key_, nonce_, aad_, too_much_text, too_much_text, tag), Status::text_too_long);
  EXPECT_EQ(aes_gcm::open(key_, nonce_, aad_, too_much_text, too_much_text, tag), Status::text_too_long);
  Bytes out(5, 0x55);
  const Bytes five = random_.bytes(5);
  EXPECT_EQ(aes_gcm::seal(key_, nonce_, huge(aes_gcm::max_aad_bytes + 1), five, out, tag),
            Status::aad_too_long);
  EXPECT_EQ(aes_gcm::open(key_, nonce_, huge(aes_gcm::max_aad_bytes + 1), five, out, tag),
            Status::aad_too_long);
  EXPECT_EQ(aes_gcm::seal(key_, huge(aes_gcm::max_nonce_bytes + 1), {}, five, out, tag),
            Status::bad_nonce_size);
  SealMessage message;
  EXPECT_EQ(message.start(key_, huge(aes_gcm::max_nonce_bytes + 1)), Status::bad_nonce_size);
  EXPECT_EQ(text, before);
  EXPECT_EQ(out, Bytes(5, 0x55));
  EXPECT_EQ(tag, Bytes(16, 0x44));
}

TEST_F(Refusals, OverlapOfOneShot) {
  constexpr std::size_t bytes = 40;
  // Room for text, output, nonce, AAD and tag side by side; then one of them is moved so that it touches.
  struct Places {
    std::size_t in = 0, out = 64, nonce = 128, aad = 192, tag = 256;
  };
  const auto status_of = [&](Places at, bool sealing) {
    Bytes buffer = random_.bytes(400);
    const Bytes before = buffer;
    const std::span<std::uint8_t> all(buffer);
    const auto in = all.subspan(at.in, bytes);
    const auto out = all.subspan(at.out, bytes);
    const auto nonce = all.subspan(at.nonce, 12);
    const auto aad = all.subspan(at.aad, 20);
    const auto tag = all.subspan(at.tag, 16);
    const Status status = sealing ? aes_gcm::seal(key_, nonce, aad, in, out, tag)
                                  : aes_gcm::open(key_, nonce, aad, in, out, tag);
    if (status == Status::overlapping_buffers) {
      EXPECT_EQ(buffer, before);
    }
    return status;
  };
  const auto refused = [&](Places at, bool sealing) {
    return status_of(at, sealing) == Status::overlapping_buffers;
  };
  for (const bool sealing : {true, false}) {
    EXPECT_FALSE(refused({}, sealing));
    EXPECT_FALSE(refused({.out = 0}, sealing)) << "exactly in place";
    EXPECT_FALSE(refused({.out = 40}, sealing)) << "adjacent";
    EXPECT_FALSE(refused({.nonce = 10, .aad = 15}, sealing)) << "inputs may share";
    for (const std::size_t shift : {1U, 15U, 16U, 32U, 39U}) {
      EXPECT_TRUE(refused({.out = shift}, sealing)) << shift;
      EXPECT_TRUE(refused({.in = shift, .out = 0}, sealing)) << shift;
    }
    EXPECT_TRUE(refused({.nonce = 64 + 39}, sealing));
    EXPECT_TRUE(refused({.nonce = 64 - 11}, sealing));
    EXPECT_FALSE(refused({.nonce = 64 - 12}, sealing));
    EXPECT_TRUE(refused({.aad = 64 + 39}, sealing));
    EXPECT_TRUE(refused({.aad = 64 - 19}, sealing));
    EXPECT_FALSE(refused({.aad = 64 - 20}, sealing));
    EXPECT_TRUE(refused({.tag = 64 + 39}, sealing));
    EXPECT_TRUE(refused({.tag = 64 - 15}, sealing));
    EXPECT_TRUE(refused({.out = 0, .tag = 39}, sealing)) << "in place, tag on its end";
    EXPECT_FALSE(refused({.out = 0, .tag = 40}, sealing)) << "in place, tag behind";
    // The tag is an output of seal and an input of open.
    EXPECT_EQ(refused({.tag = 30}, sealing), sealing);
    EXPECT_EQ(refused({.tag = 128}, sealing), sealing);
    EXPECT_EQ(refused({.tag = 192 + 19}, sealing), sealing);
  }
}

TEST_F(Refusals, OverlapOfPieces) {
  Bytes buffer = random_.bytes(100);
  const Bytes before = buffer;
  const std::span<std::uint8_t> all(buffer);
  SealMessage sealing;
  OpenMessage opening;
  ASSERT_EQ(sealing.start(key_, nonce_), Status::ok);
  ASSERT_EQ(opening.start(key_, nonce_), Status::ok);
  ASSERT_EQ(sealing.aad(aad_), Status::ok);
  const Bytes state = exported(sealing);
  for (const std::size_t shift : {1U, 7U, 16U, 31U, 32U, 39U}) {
    EXPECT_EQ(sealing.encrypt(all.first(40), all.subspan(shift, 40)), Status::overlapping_buffers);
    EXPECT_EQ(opening.decrypt_unverified(all.subspan(shift, 40), all.first(40)), Status::overlapping_buffers);
  }
  EXPECT_EQ(buffer, before);
  EXPECT_EQ(exported(sealing), state);
  EXPECT_EQ(sealing.encrypt(all.first(40), all.subspan(40, 40)), Status::ok);
}

TEST_F(Refusals, WrongOrder) {
  const Key unset;
  Bytes text(5, 0x66);
  Bytes tag(16, 0x77);
  EXPECT_EQ(aes_gcm::seal(unset, {}, aad_, text, std::span(text).first(4), std::span(tag).first(3)),
            Status::wrong_order);
  EXPECT_EQ(aes_gcm::open(unset, nonce_, aad_, text, text, tag), Status::wrong_order);
  Bytes state(Message::exported_state_bytes, 0x88);
  SealMessage message;
  EXPECT_EQ(message.start(unset, nonce_), Status::wrong_order);
  const auto idle = [&] {
    EXPECT_EQ(message.aad({}), Status::wrong_order);
    EXPECT_EQ(message.encrypt(text, text), Status::wrong_order);
    EXPECT_EQ(message.encrypt({}, {}), Status::wrong_order);
    EXPECT_EQ(message.finish(tag), Status::wrong_order);
    EXPECT_EQ(message.finish(std::span(tag).first(3)), Status::wrong_order);
    EXPECT_EQ(message.hand_over(key_), Status::wrong_order);
    EXPECT_EQ(message.export_state(state), Status::wrong_order);
    EXPECT_EQ(message.export_state({}), Status::wrong_order);
  };
  idle();
  EXPECT_EQ(text, Bytes(5, 0x66));
  EXPECT_EQ(tag, Bytes(16, 0x77));
  EXPECT_EQ(state, Bytes(Message::exported_state_bytes, 0x88));

  ASSERT_EQ(message.start(key_, nonce_), Status::ok);
  EXPECT_EQ(message.encrypt({}, {}), Status::ok);
  EXPECT_EQ(message.aad(aad_), Status::ok) << "an empty piece of text ends nothing";
  const Bytes before = exported(message);
  EXPECT_EQ(message.aad({}), Status::ok);
  EXPECT_EQ(message.encrypt({}, {}), Status::ok);
  EXPECT_EQ(exported(message), before);
  EXPECT_EQ(message.hand_over(unset), Status::wrong_order);
  EXPECT_EQ(message.import_state(unset, before), Status::wrong_order);
  EXPECT_EQ(message.export_state(std::span(state).first(103)), Status::bad_output_size);
  ASSERT_EQ(message.encrypt(text, text), Status::ok);
  EXPECT_EQ(message.aad(aad_), Status::wrong_order);
  EXPECT_EQ(message.aad({}), Status::wrong_order);
  ASSERT_EQ(message.finish(tag), Status::ok);
  idle();
}

TEST_F(Refusals, AnotherKey) {
  const Key other = make_key(random_.bytes(16), nullptr);
  SealMessage message;
  ASSERT_EQ(message.start(key_, nonce_), Status::ok);
  const Bytes before = exported(message);
  EXPECT_EQ(message.hand_over(other), Status::key_mismatch);
  EXPECT_EQ(exported(message), before);
  Bytes tag(16);
  ASSERT_EQ(message.finish(tag), Status::ok);
  EXPECT_EQ(tag, seal(key_, nonce_, {}, {}).tag);
}

TEST_F(Refusals, Precedence) {
  // Everything wrong at once, then one after the other put right.
  Bytes buffer(64);
  const std::span<std::uint8_t> all(buffer);
  const auto in = all.first(20);
  EXPECT_EQ(aes_gcm::seal(key_, {}, aad_, in, all.subspan(1, 19), all.first(3)), Status::bad_nonce_size);
  EXPECT_EQ(aes_gcm::seal(key_, nonce_, aad_, in, all.subspan(1, 19), all.first(3)), Status::bad_tag_size);
  EXPECT_EQ(aes_gcm::seal(key_, nonce_, aad_, in, all.subspan(1, 19), all.first(4)), Status::bad_output_size);
  EXPECT_EQ(aes_gcm::seal(key_, nonce_, aad_, in, all.subspan(1, 20), all.first(4)),
            Status::overlapping_buffers);
  EXPECT_EQ(aes_gcm::seal(key_, nonce_, aad_, in, all.subspan(20, 20), all.subspan(40, 4)), Status::ok);
}

class State : public Refusals {
 protected:
  // After `aad` bytes of AAD and `text` bytes of text.
  Bytes state_after(std::size_t aad, std::size_t text) {
    SealMessage message;
    EXPECT_EQ(message.start(key_, nonce_), Status::ok);
    EXPECT_EQ(message.aad(random_.bytes(aad)), Status::ok);
    Bytes scratch = random_.bytes(text);
    EXPECT_EQ(message.encrypt(scratch, scratch), Status::ok);
    return exported(message);
  }
  Status import(const Bytes& state) {
    SealMessage message;
    const Status status = message.import_state(key_, state);
    Bytes again(Message::exported_state_bytes);
    EXPECT_EQ(message.export_state(again), status == Status::ok ? Status::ok : Status::wrong_order);
    if (status == Status::ok) {
      EXPECT_EQ(again, state);
    }
    return status;
  }
  static Bytes with(Bytes state, std::size_t at, std::uint8_t value) {
    state[at] = value;
    return state;
  }
  static Bytes with_total(Bytes state, std::size_t at, std::uint64_t total) {
    core::store_le64(state.data() + at, total);
    return state;
  }
};

TEST_F(State, HeaderIsChecked) {
  const Bytes good = state_after(5, 7);
  EXPECT_EQ(import(good), Status::ok);
  for (unsigned value = 0; value < 256; ++value) {
    const auto byte = static_cast<std::uint8_t>(value);
    EXPECT_EQ(import(with(good, at_version, byte)), value == 1 ? Status::ok : Status::bad_state);
    EXPECT_EQ(import(with(good, at_direction, byte)), value == 1 ? Status::ok : Status::bad_state);
    EXPECT_EQ(import(with(good, at_phase, byte)), value == 2 ? Status::ok : Status::bad_state);
    for (std::size_t i = at_reserved; i < at_ghash; ++i) {
      EXPECT_EQ(import(with(good, i, byte)), value == 0 ? Status::ok : Status::bad_state);
    }
  }
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_EQ(import(longer), Status::bad_state);
  EXPECT_EQ(import(Bytes(good.begin(), good.end() - 1)), Status::bad_state);
  EXPECT_EQ(import({}), Status::bad_state);
  OpenMessage opening;
  EXPECT_EQ(opening.import_state(key_, good), Status::bad_state);
  EXPECT_EQ(opening.import_state(key_, with(good, at_direction, 2)), Status::ok);
}

TEST_F(State, OnlyReachableFieldsAreTaken) {
  for (const auto& [aad, text] : {std::pair<std::size_t, std::size_t>{0, 0},
                                  {5, 0},
                                  {16, 0},
                                  {21, 0},
                                  {0, 5},
                                  {5, 5},
                                  {0, 16},
                                  {40, 32},
                                  {40, 37},
                                  {3, 15}}) {
    const Bytes good = state_after(aad, text);
    ASSERT_EQ(import(good), Status::ok);
    const bool in_text = text > 0;
    const std::size_t filled = (in_text ? text : aad) % 16;
    const bool any_hashed = in_text ? aad > 0 || text >= 16 : aad >= 16;
    for (std::size_t i = 0; i < 16; ++i) {
      const auto flipped = [&](std::size_t at) {
        return import(with(good, at + i, static_cast<std::uint8_t>(good[at + i] ^ 0x80)));
      };
      const auto expected = [](bool allowed) { return allowed ? Status::ok : Status::bad_state; };
      EXPECT_EQ(flipped(at_partial), expected(i < filled)) << aad << " " << text << " " << i;
      EXPECT_EQ(flipped(at_keystream), expected(in_text && filled > 0)) << aad << " " << text << " " << i;
      EXPECT_EQ(flipped(at_ghash), expected(any_hashed)) << aad << " " << text << " " << i;
      EXPECT_EQ(flipped(at_counter), Status::ok);
      EXPECT_EQ(flipped(at_tag_mask), Status::ok);
    }
    EXPECT_EQ(import(with(good, at_phase, in_text ? 1 : 2)), Status::bad_state);
  }
}

TEST_F(State, ARefusedImportLeavesTheMessage) {
  SealMessage message;
  ASSERT_EQ(message.start(key_, nonce_), Status::ok);
  ASSERT_EQ(message.aad(aad_), Status::ok);
  const Bytes before = exported(message);
  EXPECT_EQ(message.import_state(key_, with(before, at_phase, 7)), Status::bad_state);
  EXPECT_EQ(exported(message), before);
}

TEST_F(State, TextLimit) {
  const std::uint64_t limit = aes_gcm::max_text_bytes;
  const Bytes base = state_after(3, 16);
  EXPECT_EQ(import(with_total(base, at_text_bytes, limit)), Status::ok);
  EXPECT_EQ(import(with_total(base, at_text_bytes, limit + 16)), Status::bad_state);
  EXPECT_EQ(import(with_total(base, at_text_bytes, 0 - std::uint64_t{16})), Status::bad_state);

  SealMessage message;
  ASSERT_EQ(message.import_state(key_, with_total(base, at_text_bytes, limit - 32)), Status::ok);
  const Bytes before = exported(message);
  Bytes text(40, 0x99);
  const std::span<std::uint8_t> all(text);
  EXPECT_EQ(message.encrypt(all.first(33), all.first(33)), Status::text_too_long);
  const std::span<std::uint8_t> huge(text.data(), ~std::size_t{0} / 2);
  EXPECT_EQ(message.encrypt(huge, huge), Status::text_too_long);
  EXPECT_EQ(text, Bytes(40, 0x99));
  EXPECT_EQ(exported(message), before);
  EXPECT_EQ(message.encrypt(all.first(31), all.first(31)), Status::ok);
  EXPECT_EQ(message.encrypt(all.first(2), all.first(2)), Status::text_too_long);
  EXPECT_EQ(message.encrypt(all.first(1), all.first(1)), Status::ok);
  EXPECT_EQ(message.encrypt(all.first(1), all.first(1)), Status::text_too_long);
  EXPECT_EQ(message.encrypt({}, {}), Status::ok);
  EXPECT_EQ(core::load_le64(exported(message).data() + at_text_bytes), limit);
  Bytes tag(16);
  EXPECT_EQ(message.finish(tag), Status::ok);
}

TEST_F(State, AadLimit) {
  const std::uint64_t limit = aes_gcm::max_aad_bytes;  // 15 mod 16
  const Bytes base = state_after(16, 0);
  EXPECT_EQ(import(with_total(base, at_aad_bytes, limit)), Status::ok);
  EXPECT_EQ(import(with_total(base, at_aad_bytes, limit + 1)), Status::bad_state);
  EXPECT_EQ(import(with_total(base, at_aad_bytes, 0 - std::uint64_t{16})), Status::bad_state);

  SealMessage message;
  ASSERT_EQ(message.import_state(key_, with_total(base, at_aad_bytes, limit - 31)), Status::ok);
  const Bytes before = exported(message);
  const Bytes piece = random_.bytes(40);
  const std::span<const std::uint8_t> all(piece);
  EXPECT_EQ(message.aad(all.first(32)), Status::aad_too_long);
  EXPECT_EQ(message.aad(std::span<const std::uint8_t>(piece.data(), ~std::size_t{0} / 2)),
            Status::aad_too_long);
  EXPECT_EQ(exported(message), before);
  EXPECT_EQ(message.aad(all.first(30)), Status::ok);
  EXPECT_EQ(message.aad(all.first(2)), Status::aad_too_long);
  EXPECT_EQ(message.aad(all.first(1)), Status::ok);
  EXPECT_EQ(message.aad(all.first(1)), Status::aad_too_long);
  EXPECT_EQ(message.aad({}), Status::ok);
  EXPECT_EQ(core::load_le64(exported(message).data() + at_aad_bytes), limit);
  Bytes tag(16);
  EXPECT_EQ(message.finish(tag), Status::ok);
}

// The lengths hashed at the end have all 64 bits.
TEST_F(State, VirtualTotalsReachTheTag) {
  const ByBlocks model(raw_);
  for (const std::uint64_t text_bytes :
       {std::uint64_t{1} << 29, std::uint64_t{1} << 32, aes_gcm::max_text_bytes}) {
    for (const std::uint64_t aad_bytes :
         {std::uint64_t{1} << 29, std::uint64_t{1} << 32, std::uint64_t{1} << 60}) {
      Bytes state = with_total(state_after(16, 16), at_text_bytes, text_bytes);
      state = with_total(state, at_aad_bytes, aad_bytes);
      SealMessage message;
      ASSERT_EQ(message.import_state(key_, state), Status::ok);
      Bytes lengths(16);
      core::store_be64(lengths.data(), aad_bytes * 8);
      core::store_be64(lengths.data() + 8, text_bytes * 8);
      const auto block = [&state](std::size_t at) {
        const auto first = state.begin() + static_cast<std::ptrdiff_t>(at);
        return Bytes(first, first + 16);
      };
      Bytes expected = ghash_bitwise(model.h(), block(at_ghash), lengths);
      for (std::size_t i = 0; i < 16; ++i) expected[i] ^= state[at_tag_mask + i];
      Bytes tag(16);
      ASSERT_EQ(message.finish(tag), Status::ok);
      EXPECT_EQ(tag, expected);
    }
  }
}

// finish() and destruction leave nothing of the state in the object's bytes.
TEST_F(State, WipedByFinishAndDestruction) {
  for (const bool finish : {true, false}) {
    alignas(SealMessage) std::uint8_t storage[sizeof(SealMessage)] = {};
    auto* message = new (storage) SealMessage;
    ASSERT_EQ(message->start(key_, nonce_), Status::ok);
    Bytes text = random_.bytes(21);
    ASSERT_EQ(message->encrypt(text, text), Status::ok);
    const Bytes state = exported(*message);
    Bytes tag(16);
    if (finish) {
      ASSERT_EQ(message->finish(tag), Status::ok);
    }
    if (!finish) message->~SealMessage();
    // Through a volatile pointer: the compiler may hold what a dead object left for unreadable.
    const volatile std::uint8_t* p = storage;
    Bytes left(sizeof storage);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = p[i];
    for (const std::size_t at : {at_ghash, at_counter, at_tag_mask, at_keystream}) {
      const auto first = state.begin() + static_cast<std::ptrdiff_t>(at);
      EXPECT_EQ(std::search(left.begin(), left.end(), first, first + 4), left.end()) << at;
    }
    if (finish) message->~SealMessage();
  }
  alignas(Key) std::uint8_t storage[sizeof(Key)] = {};
  Key* key = new (storage) Key(key_);
  key->~Key();
  const volatile std::uint8_t* p = storage;
  for (std::size_t i = 0; i < sizeof(Key); ++i) ASSERT_EQ(p[i], 0) << i;
}

}  // namespace
}  // namespace lockstep::test
