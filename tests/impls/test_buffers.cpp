// Calls on lists of buffers: the result is that of the contiguous call, and so are the refusals.
#include <algorithm>

#include "aes_gcm_support.h"
#include "impls/core/overlap.h"
#include "lockstep/blake2b.h"
#include "lockstep/ghash.h"
#include "scattered.h"

namespace lockstep::test {
namespace {

using In = std::vector<std::span<const std::uint8_t>>;
using Out = std::vector<std::span<std::uint8_t>>;

constexpr std::size_t half = ~std::size_t{0} / 2 + 1;  // two of them wrap to 0

class AesGcmLists : public testing::TestWithParam<const Implementation*> {};

INSTANTIATE_TEST_SUITE_P(Every, AesGcmLists, testing::ValuesIn(runnable(aes_gcm::implementations())),
                         test_name<Implementation>);

struct Sample {
  explicit Sample(Random& random, const Implementation* implementation = nullptr)
      : key(make_key(random.bytes(key_sizes[random.below(3)]), implementation)),
        nonce(random.bytes(random.below(2) == 0 ? 12 : 1 + random.below(40))),
        aad(random.bytes(random.below(4) == 0 ? 0 : random.below(100))),
        plaintext(random.bytes(random.below(8) == 0 ? 0 : random.below(600))),
        sealed(seal(key, nonce, aad, plaintext)) {}
  Key key;
  Bytes nonce, aad, plaintext;
  Sealed sealed;
};

TEST_P(AesGcmLists, OneShotHoweverCut) {
  Random random(50);
  for (int round = 0; round < 500; ++round) {
    const Sample sample(random, GetParam());
    const Scattered aad(random, sample.aad);
    const Scattered plaintext(random, sample.plaintext);
    const Scattered ciphertext(random, Bytes(sample.plaintext.size(), 0xAA));
    Bytes tag(16);
    ASSERT_EQ(aes_gcm::seal(sample.key, sample.nonce, aad.in(), plaintext.in(), ciphertext.out(), tag),
              Status::ok);
    ASSERT_EQ(ciphertext.joined(), sample.sealed.ciphertext);
    ASSERT_EQ(tag, sample.sealed.tag);
    ASSERT_EQ(aad.joined(), sample.aad);
    ASSERT_EQ(plaintext.joined(), sample.plaintext);

    const Scattered opened(random, Bytes(sample.plaintext.size(), 0xAA));
    const Scattered again(random, sample.aad);
    ASSERT_EQ(aes_gcm::open(sample.key, sample.nonce, again.in(), ciphertext.in(), opened.out(), tag),
              Status::ok);
    ASSERT_EQ(opened.joined(), sample.plaintext);
    ASSERT_EQ(ciphertext.joined(), sample.sealed.ciphertext);
  }
}

// Each output span lies either where its bytes came from or apart; both lists are cut on their own.
TEST_P(AesGcmLists, InPlaceWithOtherCuts) {
  Random random(51);
  for (int round = 0; round < 500; ++round) {
    const Sample sample(random, GetParam());
    const std::size_t apart_every = random.below(3);  // 0: all in place
    for (const bool sealing : {true, false}) {
      Bytes buffer = sealing ? sample.plaintext : sample.sealed.ciphertext;
      Bytes other(buffer.size(), 0xAA);
      const In in = cut_span(random, std::span<const std::uint8_t>(buffer));
      Out out = cut_span(random, std::span<std::uint8_t>(buffer));
      std::size_t done = 0;
      for (auto& piece : out) {
        const std::size_t bytes = piece.size();
        if (apart_every != 0 && random.below(apart_every + 1) == 0) {
          piece = std::span(other).subspan(done, bytes);
        }
        done += bytes;
      }
      const Scattered aad(random, sample.aad);
      Bytes tag = sealing ? Bytes(16) : sample.sealed.tag;
      ASSERT_EQ(sealing ? aes_gcm::seal(sample.key, sample.nonce, aad.in(), in, out, tag)
                        : aes_gcm::open(sample.key, sample.nonce, aad.in(), in, out, tag),
                Status::ok);
      Bytes made;
      for (const auto piece : out) made.insert(made.end(), piece.begin(), piece.end());
      ASSERT_EQ(made, sealing ? sample.sealed.ciphertext : sample.plaintext);
      ASSERT_EQ(tag, sample.sealed.tag);
    }
  }
}

// Lists and contiguous pieces in one message; the state is that of the contiguous message after every call.
TEST_P(AesGcmLists, MessageHoweverCut) {
  Random random(52);
  for (int round = 0; round < 300; ++round) {
    const Sample sample(random, GetParam());
    SealMessage sealing;
    SealMessage contiguous;
    OpenMessage opening;
    ASSERT_EQ(sealing.start(sample.key, sample.nonce), Status::ok);
    ASSERT_EQ(contiguous.start(sample.key, sample.nonce), Status::ok);
    ASSERT_EQ(opening.start(sample.key, sample.nonce), Status::ok);
    std::span<const std::uint8_t> rest(sample.aad);
    for (const std::size_t piece : cut(random, sample.aad.size())) {
      const auto bytes = rest.first(piece);
      rest = rest.subspan(piece);
      ASSERT_EQ(sealing.aad(Scattered(random, bytes).in()), Status::ok);
      ASSERT_EQ(opening.aad(Scattered(random, bytes).in()), Status::ok);
      ASSERT_EQ(contiguous.aad(bytes), Status::ok);
      ASSERT_EQ(exported(sealing), exported(contiguous));
    }
    rest = sample.plaintext;
    std::size_t done = 0;
    for (const std::size_t piece : cut(random, sample.plaintext.size())) {
      const auto bytes = rest.subspan(done, piece);
      const Scattered in(random, bytes);
      const Scattered out(random, Bytes(piece, 0xAA));
      const Scattered back(random, Bytes(piece, 0xAA));
      Bytes expected(piece);
      ASSERT_EQ(contiguous.encrypt(bytes, expected), Status::ok);
      if (random.below(4) == 0) {
        Bytes made(piece);
        ASSERT_EQ(sealing.encrypt(bytes, made), Status::ok);
        ASSERT_EQ(made, expected);
        ASSERT_EQ(opening.decrypt_unverified(made, made), Status::ok);
      } else {
        ASSERT_EQ(sealing.encrypt(in.in(), out.out()), Status::ok);
        ASSERT_EQ(out.joined(), expected);
        ASSERT_EQ(opening.decrypt_unverified(out.in(), back.out()), Status::ok);
        ASSERT_EQ(back.joined(), Bytes(bytes.begin(), bytes.end()));
      }
      ASSERT_EQ(exported(sealing), exported(contiguous));
      done += piece;
    }
    Bytes tag(16);
    ASSERT_EQ(sealing.finish(tag), Status::ok);
    EXPECT_EQ(tag, sample.sealed.tag);
    EXPECT_EQ(opening.verify(tag), Status::ok);
  }
}

TEST_P(AesGcmLists, AFailedOpenWipesEverySpan) {
  Random random(53);
  for (int round = 0; round < 200; ++round) {
    const Sample sample(random, GetParam());
    const std::size_t bytes = sample.plaintext.size();
    Bytes tag = sample.sealed.tag;
    tag[random.below(16)] ^= 0x10;
    const Scattered aad(random, sample.aad);
    const Scattered in(random, sample.sealed.ciphertext);
    const Scattered out(random, Bytes(bytes, 0xAA));
    ASSERT_EQ(aes_gcm::open(sample.key, sample.nonce, aad.in(), in.in(), out.out(), tag),
              Status::authentication_failed);
    ASSERT_EQ(out.joined(), Bytes(bytes));
    ASSERT_EQ(in.joined(), sample.sealed.ciphertext);

    Bytes buffer = sample.sealed.ciphertext;
    buffer.resize(bytes + 8, 0x5A);
    const auto text = std::span(buffer).first(bytes);
    const In from = cut_span(random, std::span<const std::uint8_t>(text));
    const Out to = cut_span(random, text);
    ASSERT_EQ(aes_gcm::open(sample.key, sample.nonce, aad.in(), from, to, tag),
              Status::authentication_failed);
    Bytes expected(bytes);
    expected.resize(bytes + 8, 0x5A);
    ASSERT_EQ(buffer, expected) << "in place";
  }
}

TEST(AesGcmListsRefusals, EmptyLists) {
  Random random(54);
  const Key key = make_key(random.bytes(16), nullptr);
  const Bytes nonce = random.bytes(12);
  const Sealed nothing = seal(key, nonce, {}, {});
  const In no_bytes(3);
  const Out no_room(2);
  Bytes tag(16);
  EXPECT_EQ(aes_gcm::seal(key, nonce, ConstBuffers(), ConstBuffers(), MutableBuffers(), tag), Status::ok);
  EXPECT_EQ(tag, nothing.tag);
  EXPECT_EQ(aes_gcm::seal(key, nonce, no_bytes, no_bytes, MutableBuffers(), tag), Status::ok);
  EXPECT_EQ(tag, nothing.tag);
  EXPECT_EQ(aes_gcm::open(key, nonce, ConstBuffers(), no_bytes, no_room, tag), Status::ok);
  SealMessage message;
  ASSERT_EQ(message.start(key, nonce), Status::ok);
  EXPECT_EQ(message.encrypt(no_bytes, no_room), Status::ok);
  EXPECT_EQ(message.aad(no_bytes), Status::ok) << "an empty piece of text ends nothing";
  EXPECT_EQ(message.aad(ConstBuffers()), Status::ok);
  EXPECT_EQ(message.encrypt(ConstBuffers(), MutableBuffers()), Status::ok);
  EXPECT_EQ(message.finish(tag), Status::ok);
  EXPECT_EQ(tag, nothing.tag);
}

// Everything wrong at once, then one after the other put right, as Refusals.Precedence for contiguous calls.
TEST(AesGcmListsRefusals, InTheOrderOfTheContiguousCall) {
  if constexpr (sizeof(std::size_t) < 8) GTEST_SKIP() << "sums cannot wrap";
  Random random(55);
  const Key key = make_key(random.bytes(16), nullptr);
  const Key unset;
  const Bytes nonce = random.bytes(12);
  Bytes buffer = random.bytes(128);
  const Bytes before = buffer;
  const std::span<std::uint8_t> all(buffer);
  const auto huge = [&](std::size_t bytes) { return std::span<std::uint8_t>(buffer.data(), bytes); };
  const In much = {huge(half), huge(half), huge(20)};  // wraps to 20
  const Out much_room = {huge(half), huge(half), huge(20)};
  const In aad = {all.first(1), huge(aes_gcm::max_aad_bytes)};
  const Out short_room = {all.subspan(1, 10), all.subspan(5, 9)};
  const auto both = [&](Status expected, const Key& with, std::size_t nonce_bytes, std::size_t tag_bytes,
                        ConstBuffers extra, ConstBuffers in, MutableBuffers out) {
    const auto some = std::span(nonce).first(nonce_bytes);
    EXPECT_EQ(aes_gcm::seal(with, some, extra, in, out, all.first(tag_bytes)), expected);
    EXPECT_EQ(aes_gcm::open(with, some, extra, in, out, all.first(tag_bytes)), expected);
    EXPECT_EQ(buffer, before);
  };
  both(Status::wrong_order, unset, 0, 3, much, much, short_room);
  both(Status::bad_nonce_size, key, 0, 3, much, much, short_room);
  both(Status::bad_tag_size, key, 12, 3, much, much, short_room);
  both(Status::bad_output_size, key, 12, 4, much, much, short_room);
  both(Status::aad_too_long, key, 12, 4, much, much, much_room);
  both(Status::aad_too_long, key, 12, 4, aad, much, much_room);
  both(Status::text_too_long, key, 12, 4, In{all.first(1)}, much, much_room);
  const In over = {huge(aes_gcm::max_text_bytes), all.first(1)};
  const Out over_room = {all.first(1), huge(aes_gcm::max_text_bytes)};
  both(Status::text_too_long, key, 12, 4, In{all.first(1)}, over, over_room);
  const Out room = {all.subspan(1, 10), all.subspan(5, 10)};
  both(Status::overlapping_buffers, key, 12, 4, In{all.first(1)}, In{all.first(20)}, room);
  for (const std::size_t bytes : {0U, 9U, 11U}) {
    const Out wrong = {all.subspan(40, 10), all.subspan(60, bytes)};
    both(Status::bad_output_size, key, 12, 16, In{}, In{all.subspan(80, 20)}, wrong);
  }
}

TEST(AesGcmListsRefusals, LeaveTheMessageAsItWas) {
  Random random(56);
  const Key key = make_key(random.bytes(16), nullptr);
  const Bytes nonce = random.bytes(12);
  const Bytes aad = random.bytes(21);
  Bytes buffer = random.bytes(200);
  const Bytes before = buffer;
  const Bytes text = random.bytes(37);
  const Sealed sealed = seal(key, nonce, aad, text);
  const std::span<std::uint8_t> all(buffer);
  const auto huge = [&](std::size_t bytes) { return std::span<std::uint8_t>(buffer.data(), bytes); };

  SealMessage sealing;
  OpenMessage opening;
  EXPECT_EQ(sealing.aad(In{aad}), Status::wrong_order);
  EXPECT_EQ(sealing.encrypt(In{all.first(5)}, Out{all.first(4)}), Status::wrong_order);
  EXPECT_EQ(opening.decrypt_unverified(In{all.first(5)}, Out{all.first(4)}), Status::wrong_order);
  ASSERT_EQ(sealing.start(key, nonce), Status::ok);
  ASSERT_EQ(opening.start(key, nonce), Status::ok);

  const auto refuse_all = [&](bool in_aad) {
    const Bytes seal_state = exported(sealing);
    const Bytes open_state = exported(opening);
    const auto refused = [&](Status expected, const In& in, const Out& out) {
      EXPECT_EQ(sealing.encrypt(in, out), expected);
      EXPECT_EQ(opening.decrypt_unverified(in, out), expected);
    };
    refused(Status::bad_output_size, {all.first(20), all.subspan(20, 5)}, {all.subspan(100, 20)});
    refused(Status::bad_output_size, {all.first(20)}, {all.subspan(100, 20), all.subspan(130, 1)});
    refused(Status::bad_output_size, {all.first(20)}, {});
    refused(Status::overlapping_buffers, {all.first(20), all.subspan(40, 20)},
            {all.subspan(100, 39), all.subspan(58, 1)});
    refused(Status::overlapping_buffers, {all.first(20)}, {all.subspan(1, 20)});
    if constexpr (sizeof(std::size_t) == 8) {
      refused(Status::text_too_long, {huge(half), huge(half), huge(5)}, {huge(half), huge(half), huge(5)});
      refused(Status::text_too_long, {all.first(1), huge(aes_gcm::max_text_bytes)},
              {huge(aes_gcm::max_text_bytes), all.first(1)});
      refused(Status::bad_output_size, {huge(half), huge(half), huge(5)}, {all.subspan(100, 5)});
      for (const In& wrong : {In{huge(half), huge(half), huge(5)}, In{aad, huge(aes_gcm::max_aad_bytes)}}) {
        const Status expected = in_aad ? Status::aad_too_long : Status::wrong_order;
        EXPECT_EQ(sealing.aad(wrong), expected);
        EXPECT_EQ(opening.aad(wrong), expected);
      }
    }
    EXPECT_EQ(exported(sealing), seal_state);
    EXPECT_EQ(exported(opening), open_state);
    EXPECT_EQ(buffer, before);
  };
  refuse_all(true);
  ASSERT_EQ(sealing.aad(Scattered(random, aad).in()), Status::ok);
  ASSERT_EQ(opening.aad(Scattered(random, aad).in()), Status::ok);
  refuse_all(true);
  const Scattered in(random, text);
  const Scattered out(random, Bytes(text.size()));
  const Scattered back(random, Bytes(text.size()));
  ASSERT_EQ(sealing.encrypt(in.in(), out.out()), Status::ok);
  ASSERT_EQ(opening.decrypt_unverified(out.in(), back.out()), Status::ok);
  refuse_all(false);
  EXPECT_EQ(sealing.aad(In{}), Status::wrong_order);
  EXPECT_EQ(out.joined(), sealed.ciphertext);
  EXPECT_EQ(back.joined(), text);
  Bytes tag(16);
  ASSERT_EQ(sealing.finish(tag), Status::ok);
  EXPECT_EQ(tag, sealed.tag);
  EXPECT_EQ(opening.verify(tag), Status::ok);
}

// Two spans a list: who may touch whom, by one byte, at either end.
TEST(AesGcmListsRefusals, Overlaps) {
  Random random(57);
  const Key key = make_key(random.bytes(16), nullptr);
  struct Place {
    std::size_t at, bytes;
  };
  struct Places {
    Place in[2] = {{0, 20}, {40, 30}};
    Place out[2] = {{100, 33}, {150, 17}};
    Place nonce = {200, 12};
    Place aad[2] = {{220, 10}, {240, 10}};
    Place tag = {260, 16};
  };
  const auto status_of = [&](const Places& places, bool sealing) {
    Bytes buffer = random.bytes(300);
    const Bytes before = buffer;
    const auto at = [&](Place place) { return std::span(buffer).subspan(place.at, place.bytes); };
    const In in = {at(places.in[0]), at(places.in[1])};
    const Out out = {at(places.out[0]), at(places.out[1])};
    const In aad = {at(places.aad[0]), at(places.aad[1])};
    const Status status = sealing ? aes_gcm::seal(key, at(places.nonce), aad, in, out, at(places.tag))
                                  : aes_gcm::open(key, at(places.nonce), aad, in, out, at(places.tag));
    if (status == Status::overlapping_buffers) {
      EXPECT_EQ(buffer, before);
    }
    return status;
  };
  for (const bool sealing : {true, false}) {
    const auto refused = [&](const Places& places) {
      const Status status = status_of(places, sealing);
      if (status == Status::overlapping_buffers) return true;
      EXPECT_EQ(status, sealing ? Status::ok : Status::authentication_failed);
      return false;
    };
    EXPECT_FALSE(refused({}));
    // Each input against each output, by one byte and by none.
    for (const Place out : {Place{100, 33}, Place{150, 17}}) {
      const auto must_not_touch = [&](std::size_t bytes, auto with) {
        EXPECT_TRUE(refused(with(Place{out.at - bytes + 1, bytes}))) << out.at;
        EXPECT_TRUE(refused(with(Place{out.at + out.bytes - 1, bytes}))) << out.at;
        EXPECT_FALSE(refused(with(Place{out.at - bytes, bytes}))) << out.at;
        EXPECT_FALSE(refused(with(Place{out.at + out.bytes, bytes}))) << out.at;
      };
      must_not_touch(12, [](Place nonce) { return Places{.nonce = nonce}; });
      must_not_touch(10, [](Place aad) { return Places{.aad = {aad, {240, 10}}}; });
      must_not_touch(10, [](Place aad) { return Places{.aad = {{220, 10}, aad}}; });
      must_not_touch(16, [](Place tag) { return Places{.tag = tag}; });
      must_not_touch(15, [](Place in) { return Places{.in = {in, {40, 35}}}; });
      must_not_touch(15, [](Place in) { return Places{.in = {{40, 35}, in}}; });
    }
    // The tag is an output of seal and an input of open.
    for (const Place input : {Place{0, 20}, Place{40, 30}, Place{200, 12}, Place{220, 10}, Place{240, 10}}) {
      EXPECT_EQ(refused({.tag = {input.at + input.bytes - 1, 4}}), sealing) << input.at;
      EXPECT_EQ(refused({.tag = {input.at, 4}}), sealing) << input.at;
      if (input.at != 0) {
        EXPECT_EQ(refused({.tag = {input.at - 3, 4}}), sealing) << input.at;
      }
      EXPECT_FALSE(refused({.tag = {input.at + input.bytes, 4}})) << input.at;
    }
    EXPECT_FALSE(refused({.nonce = {0, 12}, .aad = {{5, 10}, {8, 10}}})) << "inputs may share";
    EXPECT_FALSE(refused({.in = {{0, 25}, {10, 25}}})) << "inputs may share";

    // The outputs against one another.
    EXPECT_TRUE(refused({.out = {{100, 33}, {132, 17}}}));
    EXPECT_TRUE(refused({.out = {{116, 33}, {100, 17}}}));
    EXPECT_FALSE(refused({.out = {{100, 33}, {133, 17}}}));
    EXPECT_TRUE(refused({.out = {{100, 25}, {100, 25}}}));

    // In place.
    EXPECT_FALSE(refused({.out = {{0, 20}, {40, 30}}})) << "same cuts";
    EXPECT_FALSE(refused({.out = {{0, 20}, {150, 30}}})) << "the first alone";
    EXPECT_FALSE(refused({.out = {{150, 20}, {40, 30}}})) << "the second alone";
    EXPECT_FALSE(refused({.in = {{0, 20}, {20, 30}}, .out = {{0, 33}, {33, 17}}})) << "other cuts";
    EXPECT_FALSE(refused({.in = {{0, 20}, {20, 30}}, .out = {{0, 33}, {150, 17}}})) << "partly";
    EXPECT_FALSE(refused({.in = {{0, 20}, {20, 30}}, .out = {{150, 33}, {33, 17}}})) << "partly";
    EXPECT_TRUE(refused({.out = {{0, 33}, {150, 17}}, .aad = {{200, 4}, {32, 4}}}))
        << "aad behind an in-place";
    EXPECT_TRUE(refused({.out = {{1, 20}, {150, 30}}})) << "shifted";
    EXPECT_TRUE(refused({.in = {{1, 20}, {40, 30}}, .out = {{0, 20}, {150, 30}}})) << "shifted back";
    EXPECT_TRUE(refused({.in = {{0, 20}, {20, 30}}, .out = {{0, 33}, {34, 17}}})) << "shifted by the second";
    EXPECT_TRUE(refused({.in = {{0, 25}, {40, 25}}, .out = {{40, 25}, {0, 25}}})) << "swapped";
    EXPECT_TRUE(refused({.in = {{0, 50}, {60, 0}}, .out = {{25, 25}, {0, 25}}})) << "swapped halves";
    EXPECT_TRUE(refused({.in = {{0, 25}, {0, 25}}, .out = {{0, 25}, {150, 25}}})) << "in place of both";
    EXPECT_TRUE(refused({.in = {{0, 25}, {0, 25}}, .out = {{150, 25}, {0, 25}}})) << "in place of both";
    EXPECT_TRUE(refused({.in = {{0, 25}, {24, 25}}, .out = {{0, 25}, {150, 25}}})) << "one byte of the other";
    EXPECT_TRUE(refused({.in = {{0, 20}, {40, 30}}, .out = {{150, 20}, {19, 30}}}))
        << "the first's last byte";
    // Empty spans touch nothing.
    EXPECT_FALSE(refused({.in = {{0, 50}, {110, 0}}, .out = {{100, 50}, {10, 0}}}));
    EXPECT_FALSE(refused({.aad = {{110, 0}, {155, 0}}}));
  }
}

TEST(Lists, SegmentsAndTotals) {
  Random random(58);
  for (int round = 0; round < 500; ++round) {
    const Bytes bytes = random.bytes(random.below(100));
    const Scattered in(random, bytes);
    const Scattered out(random, Bytes(bytes.size()));
    EXPECT_EQ(core::total_bytes(in.in()), bytes.size());
    EXPECT_EQ(core::total_bytes(out.out()), bytes.size());
    std::size_t segments = 0;
    core::each_segment(in.in(), out.out(), [&](auto from, auto to, std::size_t own) {
      const auto span = in.in()[own];
      EXPECT_TRUE(from.data() >= span.data() && from.data() + from.size() <= span.data() + span.size());
      EXPECT_EQ(from.size(), to.size());
      std::copy(from.begin(), from.end(), to.begin());
      ++segments;
    });
    EXPECT_EQ(out.joined(), bytes);
    EXPECT_LE(segments, std::max<std::size_t>(1, in.in().size() + out.out().size()));
    EXPECT_TRUE(core::in_place_or_apart(in.in(), out.out()));
  }
  const std::uint8_t byte = 0;
  const std::uint64_t most = ~std::uint64_t{0};
  if constexpr (sizeof(std::size_t) == 8) {
    const In all = {{&byte, half}, {&byte, half - 1}};
    const In one_more = {{&byte, half}, {&byte, half - 1}, {&byte, 1}};
    const In wrapped = {{&byte, half}, {&byte, half}, {&byte, 1}};
    for (const In& list : {all, one_more, wrapped}) EXPECT_EQ(core::total_bytes(ConstBuffers(list)), most);
  }
}

TEST(GhashLists, HoweverCut) {
  Random random(59);
  for (const ghash::Implementation* implementation : runnable(ghash::implementations())) {
    for (int round = 0; round < 300; ++round) {
      ghash::Key key;
      ASSERT_EQ(key.set(random.bytes(16), implementation), Status::ok);
      const Bytes data = random.bytes(random.below(300));
      Bytes expected(16);
      ASSERT_EQ(ghash::hash(key, data, expected), Status::ok);
      Bytes out(16);
      ASSERT_EQ(ghash::hash(key, Scattered(random, data).in(), out), Status::ok);
      ASSERT_EQ(out, expected);
      ghash::Hash hash;
      ASSERT_EQ(hash.start(key), Status::ok);
      std::span<const std::uint8_t> rest(data);
      for (const std::size_t piece : cut(random, data.size())) {
        ASSERT_EQ(hash.update(Scattered(random, rest.first(piece)).in()), Status::ok);
        rest = rest.subspan(piece);
      }
      ASSERT_EQ(hash.finish(out), Status::ok);
      ASSERT_EQ(out, expected);
    }
  }
}

TEST(GhashLists, Refusals) {
  Random random(60);
  ghash::Key key;
  const ghash::Key unset;
  ghash::Hash hash;
  Bytes both = random.bytes(100);
  const Bytes before = both;
  const std::span<std::uint8_t> all(both);
  const auto out = all.subspan(40, 16);
  EXPECT_EQ(hash.update(In{all}), Status::wrong_order);
  EXPECT_EQ(hash.update(In{}), Status::wrong_order);
  EXPECT_EQ(ghash::hash(unset, In{all}, all.first(15)), Status::wrong_order);
  ASSERT_EQ(key.set(random.bytes(16)), Status::ok);
  EXPECT_EQ(ghash::hash(key, In{all}, all.first(15)), Status::bad_output_size);
  EXPECT_EQ(ghash::hash(key, In{all.first(41), all.subspan(60, 5)}, out), Status::overlapping_buffers);
  EXPECT_EQ(ghash::hash(key, In{all.subspan(60, 5), all.subspan(55, 5)}, out), Status::overlapping_buffers);
  EXPECT_EQ(both, before);
  EXPECT_EQ(ghash::hash(key, In{all.first(40), all.subspan(56, 9), all.subspan(45, 0)}, out), Status::ok);
}

TEST(Blake2bLists, HoweverCut) {
  Random random(61);
  for (const blake2b::Implementation* implementation : runnable(blake2b::implementations())) {
    for (int round = 0; round < 300; ++round) {
      blake2b::Parameters parameters;
      parameters.digest_bytes = 1 + random.below(64);
      const Bytes key = random.bytes(random.below(2) == 0 ? 0 : random.below(65));
      const Bytes data = random.bytes(128 * random.below(4) + random.below(3) * random.below(60));
      Bytes expected(parameters.digest_bytes);
      ASSERT_EQ(blake2b::hash(parameters, key, data, expected, implementation), Status::ok);
      Bytes out(parameters.digest_bytes);
      ASSERT_EQ(blake2b::hash(parameters, key, Scattered(random, data).in(), out, implementation),
                Status::ok);
      ASSERT_EQ(out, expected);
      blake2b::Hash hash;
      ASSERT_EQ(hash.start(parameters, key, implementation), Status::ok);
      std::span<const std::uint8_t> rest(data);
      for (const std::size_t piece : cut(random, data.size())) {
        ASSERT_EQ(hash.update(Scattered(random, rest.first(piece)).in()), Status::ok);
        rest = rest.subspan(piece);
      }
      ASSERT_EQ(hash.finish(out), Status::ok);
      ASSERT_EQ(out, expected);
    }
  }
}

TEST(Blake2bLists, Refusals) {
  Random random(62);
  blake2b::Hash hash;
  Bytes both = random.bytes(300);
  const Bytes before = both;
  const std::span<std::uint8_t> all(both);
  const auto out = all.subspan(100, 64);
  const In touching[] = {{all.first(101), all.subspan(200, 5)},
                         {all.subspan(200, 5), all.subspan(163, 5)},
                         {{}, all.subspan(110, 1)}};
  EXPECT_EQ(hash.update(In{all}), Status::wrong_order);
  EXPECT_EQ(hash.update(In{}), Status::wrong_order);
  blake2b::Parameters parameters;
  parameters.digest_bytes = 0;
  EXPECT_EQ(blake2b::hash(parameters, {}, touching[0], out.first(63)), Status::bad_digest_size);
  parameters.digest_bytes = 64;
  EXPECT_EQ(blake2b::hash(parameters, all.first(65), touching[0], out.first(63)), Status::bad_key_size);
  EXPECT_EQ(blake2b::hash(parameters, {}, touching[0], out.first(63)), Status::bad_output_size);
  for (const In& data : touching) {
    EXPECT_EQ(blake2b::hash(parameters, {}, data, out), Status::overlapping_buffers);
  }
  EXPECT_EQ(blake2b::hash(parameters, all.subspan(163, 9), In{}, out), Status::overlapping_buffers);
  EXPECT_EQ(both, before);
  EXPECT_EQ(blake2b::hash(parameters, {}, In{all.first(100), all.subspan(164, 9), all.subspan(110, 0)}, out),
            Status::ok);
}

}  // namespace
}  // namespace lockstep::test
