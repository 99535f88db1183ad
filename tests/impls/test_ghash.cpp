#include <cstring>

#include "impls/core/probe.h"
#include "impls/ghash/kernel.h"
#include "lockstep/ghash.h"
#include "support.h"

namespace lockstep::test {
namespace {

using ghash::Hash;
using ghash::Implementation;
using ghash::Key;

Bytes hash_with(const Implementation* implementation, const Bytes& h, std::span<const std::uint8_t> data) {
  Key key;
  EXPECT_EQ(key.set(h, implementation), Status::ok);
  Bytes out(16);
  EXPECT_EQ(ghash::hash(key, data, out), Status::ok);
  return out;
}

class Ghash : public testing::TestWithParam<const Implementation*> {};

INSTANTIATE_TEST_SUITE_P(Every, Ghash, testing::ValuesIn(runnable(ghash::implementations())),
                         test_name<Implementation>);

TEST_P(Ghash, KnownAnswers) {
  // McGrew and Viega, test cases 2 and 4, with their length blocks.
  const Bytes h2 = from_hex("66e94bd4ef8a2c3b884cfa59ca342b2e");
  const Bytes x2 = from_hex("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080");
  EXPECT_EQ(hash_with(GetParam(), h2, x2), from_hex("f38cbb1ad69223dcc3457ae5b6b0f885"));
  const Bytes h4 = from_hex("b83b533708bf535d0aa6e52980d53b78");
  const Bytes x4 = from_hex(
      "feedfacedeadbeeffeedfacedeadbeefabaddad200000000000000000000000042831ec2217774244b7221b784d0d49ce3aa21"
      "2f2c"
      "02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0910000000000000000000000a0"
      "0000"
      "0000000001e0");
  EXPECT_EQ(hash_with(GetParam(), h4, x4), from_hex("698e57f70e6ecc7fd9463b7260a9ae5f"));
}

TEST_P(Ghash, EveryLengthAgainstBitByBit) {
  Random random(2);
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
    const Bytes h = random.bytes(16);
    const Bytes data = random.bytes(bytes);
    EXPECT_EQ(hash_with(GetParam(), h, data), ghash_bitwise(h, Bytes(16), data)) << bytes;
  }
}

TEST_P(Ghash, ExtremeKeysAndBlocks) {
  Random random(3);
  std::vector<Bytes> values = {Bytes(16), Bytes(16, 0xFF)};
  for (std::size_t bit : {0U, 1U, 6U, 7U, 56U, 57U, 62U, 63U, 64U, 65U, 70U, 120U, 121U, 126U, 127U}) {
    Bytes one(16);
    one[bit / 8] = static_cast<std::uint8_t>(0x80 >> bit % 8);
    values.push_back(one);
    for (std::uint8_t& b : one) b = static_cast<std::uint8_t>(~b);
    values.push_back(one);
  }
  for (const Bytes& h : values) {
    for (const Bytes& x : values) {
      Bytes data;
      for (int i = 0; i < 5; ++i) data.insert(data.end(), x.begin(), x.end());
      EXPECT_EQ(hash_with(GetParam(), h, data), ghash_bitwise(h, Bytes(16), data));
    }
  }
}

TEST_P(Ghash, KernelContinuesFromAnyValue) {
  Random random(4);
  const Implementation& kernel = *GetParam();
  for (std::size_t bytes = 0; bytes <= 150; ++bytes) {
    const Bytes h = random.bytes(16);
    const Bytes data = random.bytes(bytes);
    Bytes y = random.bytes(16);
    const Bytes expected = ghash_bitwise(h, y, data);
    std::vector<std::uint64_t> context(ghash::max_context_bytes / 8);
    kernel.expand_key(context.data(), h.data());
    EXPECT_EQ(std::memcmp(context.data(), h.data(), 16), 0);
    kernel.hash(context.data(), y.data(), data.data(), bytes);
    EXPECT_EQ(y, expected) << bytes;
  }
}

TEST_P(Ghash, SplitsAndHandOver) {
  Random random(5);
  const auto list = runnable(ghash::implementations());
  for (int round = 0; round < 300; ++round) {
    const Bytes h = random.bytes(16);
    const Bytes data = random.bytes(random.below(200));
    const Bytes expected = hash_with(GetParam(), h, data);
    std::vector<Key> keys(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) ASSERT_EQ(keys[i].set(h, list[i]), Status::ok);
    Key own;
    ASSERT_EQ(own.set(h, GetParam()), Status::ok);
    Hash hash;
    ASSERT_EQ(hash.start(own), Status::ok);
    std::span<const std::uint8_t> rest(data);
    for (std::size_t piece : cut(random, data.size())) {
      if (random.below(3) == 0) {
        ASSERT_EQ(hash.hand_over(keys[random.below(keys.size())]), Status::ok);
      }
      ASSERT_EQ(hash.update(rest.first(piece)), Status::ok);
      rest = rest.subspan(piece);
      const Hash copy = hash;
      hash = copy;
    }
    Bytes out(16);
    ASSERT_EQ(hash.finish(out), Status::ok);
    EXPECT_EQ(out, expected);
  }
}

Bytes exported(const Hash& hash) {
  Bytes state(Hash::exported_state_bytes, 0xAA);
  EXPECT_EQ(hash.export_state(state), Status::ok);
  return state;
}

// The bytes of a state by its documented layout.
Bytes make_state(const Bytes& y, std::span<const std::uint8_t> started) {
  Bytes state = {1, static_cast<std::uint8_t>(started.size()), 0, 0, 0, 0, 0, 0};
  state.insert(state.end(), y.begin(), y.end());
  state.insert(state.end(), started.begin(), started.end());
  state.resize(40);
  return state;
}

// After every byte: out of one object into another, which goes on with another implementation.
TEST_P(Ghash, ExportAndImportAtEveryByte) {
  Random random(8);
  const auto list = runnable(ghash::implementations());
  const Bytes h = random.bytes(16);
  Key own;
  ASSERT_EQ(own.set(h, GetParam()), Status::ok);
  for (const std::size_t bytes : {0U, 1U, 16U, 33U, 100U}) {
    const Bytes data = random.bytes(bytes);
    const Bytes expected = ghash_bitwise(h, Bytes(16), data);
    for (std::size_t at = 0; at <= bytes; ++at) {
      const auto all = std::span<const std::uint8_t>(data);
      Hash first;
      ASSERT_EQ(first.start(own), Status::ok);
      std::size_t done = 0;
      for (const std::size_t piece : cut(random, at)) {
        ASSERT_EQ(first.update(all.subspan(done, piece)), Status::ok);
        done += piece;
      }
      const Bytes state = exported(first);
      const std::size_t whole = at / 16 * 16;
      ASSERT_EQ(state,
                make_state(ghash_bitwise(h, Bytes(16), all.first(whole)), all.subspan(whole, at - whole)));
      Key other;
      ASSERT_EQ(other.set(h, list[random.below(list.size())]), Status::ok);
      Hash second;
      if (random.below(2) == 0) {
        ASSERT_EQ(second.start(own), Status::ok);
        ASSERT_EQ(second.update(random.bytes(23)), Status::ok);
      }
      ASSERT_EQ(second.import_state(other, state), Status::ok);
      ASSERT_EQ(exported(second), state);
      for (Hash* hash : {&first, &second}) {
        ASSERT_EQ(hash->update(all.subspan(at)), Status::ok);
        Bytes out(16);
        ASSERT_EQ(hash->finish(out), Status::ok);
        ASSERT_EQ(out, expected) << bytes << " at " << at;
      }
    }
  }
}

TEST_P(Ghash, RekeyingLeavesNothingOfTheOldKey) {
  Random random(7);
  const auto bytes_of = [](const Key& key) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(&key);
    return Bytes(p, p + sizeof key);
  };
  for (const Implementation* before : runnable(ghash::implementations())) {
    const Bytes h = random.bytes(16);
    Key key;
    Key fresh;
    ASSERT_EQ(key.set(random.bytes(16), before), Status::ok);
    ASSERT_EQ(key.set(h, GetParam()), Status::ok);
    ASSERT_EQ(fresh.set(h, GetParam()), Status::ok);
    EXPECT_EQ(bytes_of(key), bytes_of(fresh)) << info(*before).name;
  }
}

TEST_P(Ghash, BulkLoopRunsAsDescribed) {
#ifdef LOCKSTEP_PROBE
  const Bytes data(16 * 40);
  Key key;
  ASSERT_EQ(key.set(Bytes(16, 1), GetParam()), Status::ok);
  Bytes out(16);
  for (std::size_t bytes = 0; bytes <= data.size(); bytes += 8) {
    core::bulk_iterations = 0;
    ASSERT_EQ(ghash::hash(key, std::span(data).first(bytes), out), Status::ok);
    EXPECT_EQ(core::bulk_iterations, bytes / 16 / info(*GetParam()).stride_blocks) << bytes;
  }
#else
  GTEST_SKIP() << "built without LOCKSTEP_PROBE";
#endif
}

TEST(GhashRefusals, AnswersAndLeavesAlone) {
  Key key;
  Key unset;
  Hash hash;
  Bytes out(16, 0xAA);
  EXPECT_EQ(key.set(Bytes(15)), Status::bad_key_size);
  EXPECT_EQ(key.set(Bytes(17)), Status::bad_key_size);
  EXPECT_EQ(key.set({}), Status::bad_key_size);
  EXPECT_EQ(hash.start(unset), Status::wrong_order);
  EXPECT_EQ(hash.update({}), Status::wrong_order);
  EXPECT_EQ(hash.finish(out), Status::wrong_order);
  EXPECT_EQ(hash.hand_over(unset), Status::wrong_order);
  EXPECT_EQ(ghash::hash(unset, {}, out), Status::wrong_order);
  EXPECT_EQ(out, Bytes(16, 0xAA));

  Random random(6);
  const Bytes h = random.bytes(16);
  const Bytes data = random.bytes(50);
  ASSERT_EQ(key.set(h), Status::ok);
  EXPECT_EQ(ghash::hash(key, data, std::span(out).first(15)), Status::bad_output_size);
  EXPECT_EQ(out, Bytes(16, 0xAA));
  Bytes both = random.bytes(48);
  const Bytes before = both;
  EXPECT_EQ(ghash::hash(key, std::span(both).first(33), std::span(both).last(16)),
            Status::overlapping_buffers);
  EXPECT_EQ(both, before);
  EXPECT_EQ(ghash::hash(key, std::span(both).first(32), std::span(both).last(16)), Status::ok);

  Key other;
  ASSERT_EQ(other.set(random.bytes(16)), Status::ok);
  ASSERT_EQ(hash.start(key), Status::ok);
  ASSERT_EQ(hash.update(data), Status::ok);
  EXPECT_EQ(hash.hand_over(other), Status::key_mismatch);
  EXPECT_EQ(hash.hand_over(unset), Status::wrong_order);
  EXPECT_EQ(hash.finish(std::span(out).first(15)), Status::bad_output_size);
  ASSERT_EQ(hash.finish(out), Status::ok);
  EXPECT_EQ(out, ghash_bitwise(h, Bytes(16), data));
  EXPECT_EQ(hash.update(data), Status::wrong_order);
}

TEST(GhashRefusals, StatesThatNoMessageReaches) {
  static_assert(Hash::exported_state_bytes == 40);
  Random random(9);
  Key key;
  const Key unset;
  const Bytes h = random.bytes(16);
  const Bytes data = random.bytes(23);
  ASSERT_EQ(key.set(h), Status::ok);
  Hash hash;
  Bytes room(41, 0xAA);
  EXPECT_EQ(hash.export_state(std::span(room).first(40)), Status::wrong_order);
  EXPECT_EQ(hash.export_state({}), Status::wrong_order);
  ASSERT_EQ(hash.start(key), Status::ok);
  ASSERT_EQ(hash.update(data), Status::ok);
  for (const std::size_t bytes : {0U, 39U, 41U}) {
    EXPECT_EQ(hash.export_state(std::span(room).first(bytes)), Status::bad_output_size);
  }
  EXPECT_EQ(room, Bytes(41, 0xAA));

  const Bytes good = exported(hash);
  EXPECT_EQ(hash.import_state(unset, Bytes(3)), Status::wrong_order);
  const auto refused = [&](const Bytes& state) {
    const Status status = hash.import_state(key, state);
    if (status != Status::ok) {
      EXPECT_EQ(status, Status::bad_state);
      EXPECT_EQ(exported(hash), good);
      Hash idle;
      EXPECT_EQ(idle.import_state(key, state), Status::bad_state);
      EXPECT_EQ(idle.update(data), Status::wrong_order);
    } else {
      EXPECT_EQ(exported(hash), state);
      EXPECT_EQ(hash.import_state(key, good), Status::ok);
    }
    return status != Status::ok;
  };
  const auto changed = [&](std::size_t at, unsigned value) {
    Bytes bytes = good;
    bytes[at] = static_cast<std::uint8_t>(value);
    return bytes;
  };
  EXPECT_FALSE(refused(good));
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused(Bytes(good.begin(), good.end() - 1)));
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer));
  for (unsigned value = 0; value < 256; ++value) {
    EXPECT_EQ(refused(changed(0, value)), value != 1) << value;
    EXPECT_EQ(refused(changed(1, value)), value < 7 || value > 15) << value;
    for (std::size_t at = 2; at < 8; ++at) EXPECT_EQ(refused(changed(at, value)), value != 0) << value;
  }
  for (std::size_t at = 8; at < 40; ++at) EXPECT_EQ(refused(changed(at, good[at] ^ 0x80U)), at >= 24 + 7);
  Bytes out(16);
  ASSERT_EQ(hash.finish(out), Status::ok);
  EXPECT_EQ(out, ghash_bitwise(h, Bytes(16), data));
}

TEST(GhashKey, RefusesWhatTheCpuCannotRun) {
  Implementation beyond = **ghash::implementations().begin();
  beyond.info.required.insert(static_cast<CpuFeature>(63));
  Key key;
  const Bytes h(16, 7);
  ASSERT_EQ(key.set(h), Status::ok);
  EXPECT_EQ(key.set(Bytes(16, 8), &beyond), Status::cpu_lacks_features);
  Bytes out(16);
  ASSERT_EQ(ghash::hash(key, h, out), Status::ok);
  EXPECT_EQ(out, ghash_bitwise(h, Bytes(16), h));
}

}  // namespace
}  // namespace lockstep::test
