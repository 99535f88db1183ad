// What is refused, what a refusal leaves alone, and what is wiped. All above the kernels: one of them is
// enough.
#include <algorithm>
#include <new>

#include "aes_gcm_support.h"

namespace lockstep::test {
namespace {

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
  // The second would wrap around when added to what was there.
  for (const std::size_t bytes : {~std::size_t{0} / 2, ~std::size_t{0} - 3}) {
    const std::span<std::uint8_t> huge(text.data(), bytes);
    EXPECT_EQ(message.encrypt(huge, huge), Status::text_too_long);
  }
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
  for (const std::size_t bytes : {~std::size_t{0} / 2, ~std::size_t{0} - 3}) {
    EXPECT_EQ(message.aad(std::span(piece.data(), bytes)), Status::aad_too_long);
  }
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
