#include <algorithm>
#include <bit>
#include <cstring>

#include "impls/blake2b/kernel.h"
#include "impls/core/endian.h"
#include "impls/core/probe.h"
#include "lockstep/blake2b.h"
#include "support.h"

namespace lockstep::test {
namespace {

using blake2b::Hash;
using blake2b::Implementation;
using blake2b::Parameters;
using blake2b::State;

constexpr std::size_t state_bytes = Hash::exported_state_bytes;

// RFC 7693, sections 2.6, 2.7, 3.1 and 3.2, with its words v[16] and nothing clever.
constexpr std::uint64_t initial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                      0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                      0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr std::string_view schedule[12] = {"0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194",
                                           "7931dcbe265a40f8", "905724afe1bc683d", "2c6a0b834d75fe19",
                                           "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5",
                                           "a2847615fb9e3cd0", "0123456789abcdef", "ea489fd61c02b753"};

void compress_by_the_letter(State& state, const std::uint8_t* block, std::uint64_t increment) {
  state.t[0] += increment;
  if (state.t[0] < increment) ++state.t[1];
  std::uint64_t v[16];
  for (std::size_t i = 0; i < 8; ++i) v[i] = state.h[i];
  for (std::size_t i = 0; i < 8; ++i) v[8 + i] = initial[i];
  for (std::size_t i = 0; i < 2; ++i) v[12 + i] ^= state.t[i];
  for (std::size_t i = 0; i < 2; ++i) v[14 + i] ^= state.f[i];
  for (const std::string_view round : schedule) {
    for (std::size_t i = 0; i < 8; ++i) {
      const auto word = [&](std::size_t at) {
        const char c = round[at];
        return core::load_le64(block + 8 * static_cast<std::size_t>(c <= '9' ? c - '0' : c - 'a' + 10));
      };
      const std::size_t diagonal = i / 4;
      std::uint64_t& a = v[i % 4];
      std::uint64_t& b = v[4 + (i + diagonal) % 4];
      std::uint64_t& c = v[8 + (i + 2 * diagonal) % 4];
      std::uint64_t& d = v[12 + (i + 3 * diagonal) % 4];
      a = a + b + word(2 * i);
      d = std::rotr(d ^ a, 32);
      c = c + d;
      b = std::rotr(b ^ c, 24);
      a = a + b + word(2 * i + 1);
      d = std::rotr(d ^ a, 16);
      c = c + d;
      b = std::rotr(b ^ c, 63);
    }
  }
  for (std::size_t i = 0; i < 8; ++i) state.h[i] ^= v[i] ^ v[8 + i];
}

// Section 3.3, on from any state: `rest` is what was not compressed yet.
Bytes finish_by_the_letter(State state, Bytes rest, bool last_node, std::size_t digest_bytes) {
  std::size_t done = 0;
  for (; rest.size() - done > 128; done += 128) compress_by_the_letter(state, rest.data() + done, 128);
  const std::size_t last = rest.size() - done;
  rest.resize(done + 128);
  state.f[0] = ~std::uint64_t{0};
  if (last_node) state.f[1] = ~std::uint64_t{0};
  compress_by_the_letter(state, rest.data() + done, last);
  Bytes digest(64);
  for (std::size_t i = 0; i < 8; ++i) core::store_le64(digest.data() + 8 * i, state.h[i]);
  digest.resize(digest_bytes);
  return digest;
}

Bytes hash_by_the_letter(std::size_t digest_bytes, const Bytes& key, std::span<const std::uint8_t> data) {
  State state = {};
  for (std::size_t i = 0; i < 8; ++i) state.h[i] = initial[i];
  state.h[0] ^= 0x01010000 ^ key.size() << 8 ^ digest_bytes;
  Bytes message = key;
  if (!key.empty()) message.resize(128);
  message.insert(message.end(), data.begin(), data.end());
  return finish_by_the_letter(state, message, false, digest_bytes);
}

Bytes hash_with(const Implementation* implementation, const Parameters& parameters, const Bytes& key,
                std::span<const std::uint8_t> data) {
  Bytes out(parameters.digest_bytes);
  EXPECT_EQ(blake2b::hash(parameters, key, data, out, implementation), Status::ok);
  return out;
}

Parameters sized(std::size_t digest_bytes) {
  Parameters parameters;
  parameters.digest_bytes = digest_bytes;
  return parameters;
}

Bytes counting(std::size_t bytes, std::uint8_t from = 0) {
  Bytes out(bytes);
  for (std::uint8_t& b : out) b = from++;
  return out;
}

// The bytes of a state by its documented layout.
Bytes make_state(std::size_t digest_bytes, const State& state, std::span<const std::uint8_t> buffer,
                 bool last_node = false) {
  Bytes bytes(state_bytes);
  bytes[0] = 1;
  bytes[1] = static_cast<std::uint8_t>(digest_bytes);
  bytes[2] = static_cast<std::uint8_t>(buffer.size());
  bytes[3] = last_node ? 1 : 0;
  for (std::size_t i = 0; i < 8; ++i) core::store_le64(bytes.data() + 8 + 8 * i, state.h[i]);
  for (std::size_t i = 0; i < 2; ++i) core::store_le64(bytes.data() + 72 + 8 * i, state.t[i]);
  std::ranges::copy(buffer, bytes.data() + 88);
  return bytes;
}

State random_state(Random& random) {
  State state = {};
  for (std::uint64_t& word : state.h) word = random.next();
  return state;
}

Bytes flat(const State& state) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(&state);
  return Bytes(p, p + sizeof state);
}

class Blake2b : public testing::TestWithParam<const Implementation*> {};

INSTANTIATE_TEST_SUITE_P(Every, Blake2b, testing::ValuesIn(runnable(blake2b::implementations())),
                         test_name<Implementation>);

TEST_P(Blake2b, KnownAnswers) {
  const Bytes abc = {'a', 'b', 'c'};
  // RFC 7693, appendix A; the other sizes are those of the reference implementation.
  EXPECT_EQ(hash_with(GetParam(), {}, {}, abc),
            from_hex("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                     "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"));
  EXPECT_EQ(hash_with(GetParam(), sized(blake2b::digest_bytes_160), {}, abc),
            from_hex("384264f676f39536840523f284921cdc68b6846b"));
  EXPECT_EQ(hash_with(GetParam(), sized(blake2b::digest_bytes_256), {}, abc),
            from_hex("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"));
  EXPECT_EQ(hash_with(GetParam(), sized(blake2b::digest_bytes_384), {}, abc),
            from_hex("6f56a82c8e7ef526dfe182eb5212f7db9df1317e57815dbda46083fc30f54ee6"
                     "c66ba83be64b302d7cba6ce15bb556f4"));
  EXPECT_EQ(hash_with(GetParam(), {}, {}, {}),
            from_hex("786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
                     "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce"));
  // A block that is full and last.
  EXPECT_EQ(hash_with(GetParam(), {}, {}, counting(128)),
            from_hex("2319e3789c47e2daa5fe807f61bec2a1a6537fa03f19ff32e87eecbfd64b7e0e"
                     "8ccff439ac333b040f19b0c4ddd11a61e24ac1fe0f10a039806c5dcc0da3d115"));
  // The first and the last of the published keyed answers; of the empty message the key is the only block.
  const Bytes key = counting(64);
  EXPECT_EQ(hash_with(GetParam(), {}, key, {}),
            from_hex("10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
                     "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568"));
  EXPECT_EQ(hash_with(GetParam(), {}, key, counting(255)),
            from_hex("142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e9248"
                     "4be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461"));
}

// RFC 7693, appendix E: a hash of hashes of several sizes, with and without key.
TEST_P(Blake2b, SelfTestOfTheRfc) {
  const auto sequence = [](std::size_t bytes, std::uint32_t seed) {
    Bytes out(bytes);
    std::uint32_t a = 0xDEAD4BAD * seed;
    std::uint32_t b = 1;
    for (std::uint8_t& each : out) {
      const std::uint32_t t = a + b;
      a = b;
      b = t;
      each = static_cast<std::uint8_t>(t >> 24);
    }
    return out;
  };
  Hash all;
  ASSERT_EQ(all.start(sized(32), {}, GetParam()), Status::ok);
  for (const std::size_t digest_bytes : {20U, 32U, 48U, 64U}) {
    for (const std::size_t bytes : {0U, 3U, 128U, 129U, 255U, 1024U}) {
      const Bytes data = sequence(bytes, static_cast<std::uint32_t>(bytes));
      const Bytes key = sequence(digest_bytes, static_cast<std::uint32_t>(digest_bytes));
      ASSERT_EQ(all.update(hash_with(GetParam(), sized(digest_bytes), {}, data)), Status::ok);
      ASSERT_EQ(all.update(hash_with(GetParam(), sized(digest_bytes), key, data)), Status::ok);
    }
  }
  Bytes out(32);
  ASSERT_EQ(all.finish(out), Status::ok);
  EXPECT_EQ(out, from_hex("c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"));
}

// Answers of the reference implementation, as Python carries it.
TEST_P(Blake2b, SaltPersonalisationAndTree) {
  const Bytes salt = counting(16, 0x10);
  const Bytes personal = counting(16, 0x20);
  Parameters parameters = sized(32);
  parameters.salt = salt;
  parameters.personal = personal;
  EXPECT_EQ(hash_with(GetParam(), parameters, counting(5), counting(129)),
            from_hex("1d1445d3902df37458bc81d68a486fcee64186fd50337c162dc2f5b2fc343d19"));
  parameters.digest_bytes = 48;
  parameters.fanout = 2;
  parameters.depth = 255;
  parameters.leaf_length = 0x01020304;
  parameters.node_offset = 0x1122334455667788;
  parameters.node_depth = 3;
  parameters.inner_length = 64;
  parameters.last_node = true;
  EXPECT_EQ(hash_with(GetParam(), parameters, counting(17), counting(200)),
            from_hex("7b1f4d381eafea3c42c991c358da8e83030f4c21eec259fa3df4d8270b0ab2ab"
                     "77275238f2b0529df995c663d4c24da7"));
  Parameters leaf = sized(1);
  leaf.fanout = 0;
  leaf.depth = 2;
  leaf.leaf_length = 4096;
  leaf.node_offset = 1;
  leaf.inner_length = 32;
  EXPECT_EQ(hash_with(GetParam(), leaf, {}, counting(128)), from_hex("73"));
}

TEST_P(Blake2b, NoSaltIsSixteenZeros) {
  const Bytes zeros(16);
  Parameters parameters;
  const Bytes expected = hash_with(GetParam(), parameters, {}, zeros);
  parameters.salt = zeros;
  parameters.personal = zeros;
  EXPECT_EQ(hash_with(GetParam(), parameters, {}, zeros), expected);
}

TEST_P(Blake2b, EveryLengthAndSplit) {
  Random random(1);
  for (std::size_t bytes = 0; bytes <= 600; ++bytes) {
    const Bytes data = random.bytes(bytes);
    const Bytes key = random.bytes(random.below(2) * (1 + random.below(64)));
    const std::size_t digest_bytes = 1 + random.below(64);
    const Bytes expected = hash_by_the_letter(digest_bytes, key, data);
    ASSERT_EQ(hash_with(GetParam(), sized(digest_bytes), key, data), expected) << bytes;
    for (int round = 0; round < 4; ++round) {
      Hash hash;
      ASSERT_EQ(hash.start(sized(digest_bytes), key, GetParam()), Status::ok);
      std::span<const std::uint8_t> rest(data);
      for (const std::size_t piece : cut(random, bytes)) {
        ASSERT_EQ(hash.update(rest.first(piece)), Status::ok);
        rest = rest.subspan(piece);
        const Hash copy = hash;
        hash = copy;
      }
      Bytes out(digest_bytes);
      ASSERT_EQ(hash.finish(out), Status::ok);
      ASSERT_EQ(out, expected) << bytes;
    }
  }
}

// Two pieces around every edge, where a full buffer must wait for a further byte.
TEST_P(Blake2b, EverySplitInTwo) {
  Random random(2);
  for (const std::size_t bytes : {1U, 127U, 128U, 129U, 255U, 256U, 257U, 384U}) {
    for (const std::size_t key_bytes : {0U, 32U}) {
      const Bytes data = random.bytes(bytes);
      const Bytes key = random.bytes(key_bytes);
      const Bytes expected = hash_by_the_letter(64, key, data);
      for (std::size_t first = 0; first <= bytes; ++first) {
        Hash hash;
        ASSERT_EQ(hash.start({}, key, GetParam()), Status::ok);
        ASSERT_EQ(hash.update(std::span(data).first(first)), Status::ok);
        ASSERT_EQ(hash.update({}), Status::ok);
        ASSERT_EQ(hash.update(std::span(data).subspan(first)), Status::ok);
        Bytes out(64);
        ASSERT_EQ(hash.finish(out), Status::ok);
        ASSERT_EQ(out, expected) << bytes << " split at " << first;
      }
    }
  }
}

TEST_P(Blake2b, EverySizeOfDigestAndKey) {
  Random random(3);
  const Bytes data = random.bytes(130);
  for (std::size_t size = 1; size <= 64; ++size) {
    const Bytes key = random.bytes(size);
    EXPECT_EQ(hash_with(GetParam(), sized(size), {}, data), hash_by_the_letter(size, {}, data));
    EXPECT_EQ(hash_with(GetParam(), sized(65 - size), key, data), hash_by_the_letter(65 - size, key, data));
  }
}

TEST_P(Blake2b, KernelContinuesFromAnyState) {
  Random random(4);
  const std::uint64_t starts[] = {0,
                                  128,
                                  0xFFFFFF80,
                                  0xFFFFFF00,
                                  0x7FFFFFFFFFFFFF80,
                                  0xFFFFFFFFFFFFFF80,
                                  0xFFFFFFFFFFFFFF00,
                                  0xFFFFFFFFFFFFFFFF,
                                  random.next()};
  for (const std::uint64_t low : starts) {
    for (const std::uint64_t high : {std::uint64_t{0}, ~std::uint64_t{0}, random.next()}) {
      for (std::size_t count = 0; count <= 5; ++count) {
        for (const std::uint64_t increment : {128U, 0U, 1U, 127U, 77U}) {
          State expected = random_state(random);
          expected.t[0] = low;
          expected.t[1] = high;
          expected.f[0] = random.below(2) == 0 ? 0 : ~std::uint64_t{0};
          expected.f[1] = random.below(2) == 0 ? 0 : random.next();
          State state = expected;
          const std::size_t shift = random.below(64);
          const Bytes data = random.bytes(shift + 128 * count);
          for (std::size_t i = 0; i < count; ++i) {
            compress_by_the_letter(expected, data.data() + shift + 128 * i, increment);
          }
          GetParam()->compress(state, data.data() + shift, count, increment);
          ASSERT_EQ(flat(state), flat(expected)) << low << " " << high << " " << count << " " << increment;
        }
      }
    }
  }
}

// A message in whose middle, or at whose end, the counter passes a boundary: all lengths up to 128 beyond it.
TEST_P(Blake2b, CounterCarries) {
  Random random(5);
  struct Boundary {
    std::uint64_t low, high;
  };
  // 2^32, 2^64, 2^128, and 3 * 2^64, where the high word carries too.
  for (const Boundary boundary : {Boundary{std::uint64_t{1} << 32, 0}, Boundary{0, 1}, Boundary{0, 0},
                                  Boundary{0, 3}, Boundary{0, std::uint64_t{1} << 32}}) {
    for (const std::size_t blocks_before : {1U, 2U, 3U}) {
      for (std::size_t beyond = 0; beyond <= 130; ++beyond) {
        for (const std::size_t buffered : {1U, 100U, 128U}) {
          const std::size_t total = 128 * blocks_before + beyond;
          State state = random_state(random);
          state.t[0] = boundary.low - 128 * blocks_before;
          state.t[1] = boundary.high - (boundary.low == 0 ? 1 : 0);
          const Bytes rest = random.bytes(total);
          const bool last_node = random.below(2) == 0;
          const Bytes expected = finish_by_the_letter(state, rest, last_node, 64);
          Hash hash;
          ASSERT_EQ(hash.import_state(make_state(64, state, std::span(rest).first(buffered), last_node),
                                      GetParam()),
                    Status::ok);
          ASSERT_EQ(hash.update(std::span(rest).subspan(buffered)), Status::ok);
          Bytes out(64);
          ASSERT_EQ(hash.finish(out), Status::ok);
          ASSERT_EQ(out, expected) << boundary.high << " " << blocks_before << " " << beyond;
        }
      }
    }
  }
}

// After every byte: out of one object into another, which goes on with another implementation.
TEST_P(Blake2b, ExportImportAndHandOverAtEveryByte) {
  Random random(6);
  const auto list = runnable(blake2b::implementations());
  for (const std::size_t bytes : {0U, 1U, 128U, 129U, 256U, 300U}) {
    for (const std::size_t key_bytes : {0U, 64U}) {
      const Bytes data = random.bytes(bytes);
      const Bytes key = random.bytes(key_bytes);
      const Bytes expected = hash_by_the_letter(33, key, data);
      for (std::size_t at = 0; at <= bytes; ++at) {
        Hash first;
        ASSERT_EQ(first.start(sized(33), key, GetParam()), Status::ok);
        ASSERT_EQ(first.update(std::span(data).first(at)), Status::ok);
        Bytes state(state_bytes, 0xAA);
        ASSERT_EQ(first.export_state(state), Status::ok);
        const Implementation* other = list[random.below(list.size())];
        Hash second;
        ASSERT_EQ(second.import_state(state, other), Status::ok);
        ASSERT_EQ(first.hand_over(other), Status::ok);
        Bytes again(state_bytes);
        ASSERT_EQ(second.export_state(again), Status::ok);
        ASSERT_EQ(state, again);
        for (Hash* hash : {&first, &second}) {
          ASSERT_EQ(hash->update(std::span(data).subspan(at)), Status::ok);
          Bytes out(33);
          ASSERT_EQ(hash->finish(out), Status::ok);
          ASSERT_EQ(out, expected) << bytes << " at " << at;
        }
      }
    }
  }
}

// However a message was cut, and whoever computed it, its state is the same.
TEST_P(Blake2b, StateIsCanonical) {
  Random random(7);
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
    const Bytes data = random.bytes(bytes);
    Hash whole;
    ASSERT_EQ(whole.start({}, {}, blake2b::implementations().front()), Status::ok);
    ASSERT_EQ(whole.update(data), Status::ok);
    Bytes expected(state_bytes);
    ASSERT_EQ(whole.export_state(expected), Status::ok);
    EXPECT_EQ(expected[2], bytes == 0 ? 0 : (bytes - 1) % 128 + 1);
    Hash pieces;
    ASSERT_EQ(pieces.start({}, {}, GetParam()), Status::ok);
    std::span<const std::uint8_t> rest(data);
    for (const std::size_t piece : cut(random, bytes)) {
      ASSERT_EQ(pieces.update(rest.first(piece)), Status::ok);
      rest = rest.subspan(piece);
    }
    Bytes state(state_bytes);
    ASSERT_EQ(pieces.export_state(state), Status::ok);
    EXPECT_EQ(state, expected) << bytes;
  }
}

TEST_P(Blake2b, BulkLoopRunsAsDescribed) {
#ifdef LOCKSTEP_PROBE
  const Bytes data(128 * 5);
  Bytes out(64);
  for (std::size_t bytes = 0; bytes <= data.size(); bytes += 8) {
    core::bulk_iterations = 0;
    ASSERT_EQ(blake2b::hash({}, {}, std::span(data).first(bytes), out, GetParam()), Status::ok);
    EXPECT_EQ(GetParam()->info.stride_blocks, 1U);
    EXPECT_EQ(core::bulk_iterations, bytes == 0 ? 1 : (bytes + 127) / 128) << bytes;
  }
#else
  GTEST_SKIP() << "built without LOCKSTEP_PROBE";
#endif
}

TEST_P(Blake2b, ReuseKnowsNothingOfBefore) {
  Random random(8);
  const Bytes salt = random.bytes(16);
  Parameters salted = sized(20);
  salted.salt = salt;
  salted.fanout = 7;
  salted.last_node = true;
  const Bytes data = random.bytes(140);
  Hash hash;
  Bytes out(20);
  ASSERT_EQ(hash.start(salted, random.bytes(64), GetParam()), Status::ok);
  ASSERT_EQ(hash.update(data), Status::ok);
  ASSERT_EQ(hash.finish(out), Status::ok);
  for (const bool abandoned : {false, true}) {
    if (abandoned) {
      ASSERT_EQ(hash.start(salted, random.bytes(64), GetParam()), Status::ok);
      ASSERT_EQ(hash.update(data), Status::ok);
    }
    ASSERT_EQ(hash.start({}, {}, GetParam()), Status::ok);
    ASSERT_EQ(hash.update(data), Status::ok);
    Bytes digest(64);
    ASSERT_EQ(hash.finish(digest), Status::ok);
    EXPECT_EQ(digest, hash_by_the_letter(64, {}, data));
  }
}

TEST(Blake2bRefusals, SizesInOrder) {
  const Bytes bytes(100, 1);
  const std::span<const std::uint8_t> all(bytes);
  Hash hash;
  Parameters parameters = sized(0);
  parameters.salt = all.first(15);
  parameters.personal = all.first(17);
  parameters.depth = 0;
  parameters.inner_length = 65;
  for (const std::size_t digest_bytes :
       {std::size_t{0}, std::size_t{65}, std::size_t{257}, ~std::size_t{0}}) {
    parameters.digest_bytes = digest_bytes;
    EXPECT_EQ(hash.start(parameters, all.first(65)), Status::bad_digest_size);
  }
  parameters.digest_bytes = 1;
  EXPECT_EQ(hash.start(parameters, all.first(65)), Status::bad_key_size);
  EXPECT_EQ(hash.start(parameters, all.first(64)), Status::bad_salt_size);
  for (const std::size_t size : {1U, 8U, 15U, 17U, 32U}) {
    parameters.salt = all.first(size);
    EXPECT_EQ(hash.start(parameters), Status::bad_salt_size);
  }
  parameters.salt = all.first(16);
  for (const std::size_t size : {1U, 8U, 15U, 17U, 32U}) {
    parameters.personal = all.first(size);
    EXPECT_EQ(hash.start(parameters), Status::bad_personal_size);
  }
  parameters.personal = all.first(16);
  EXPECT_EQ(hash.start(parameters), Status::bad_tree_parameter);
  parameters.depth = 1;
  EXPECT_EQ(hash.start(parameters), Status::bad_tree_parameter);
  parameters.inner_length = 64;
  EXPECT_EQ(hash.start(parameters), Status::ok);
}

TEST(Blake2bRefusals, AnswersAndLeavesAlone) {
  Random random(9);
  Hash hash;
  Bytes out(64, 0xAA);
  Bytes state(state_bytes, 0xAA);
  EXPECT_EQ(hash.update({}), Status::wrong_order);
  EXPECT_EQ(hash.finish(out), Status::wrong_order);
  EXPECT_EQ(hash.hand_over(nullptr), Status::wrong_order);
  EXPECT_EQ(hash.export_state(state), Status::wrong_order);
  EXPECT_EQ(out, Bytes(64, 0xAA));
  EXPECT_EQ(state, Bytes(state_bytes, 0xAA));

  const Bytes data = random.bytes(200);
  ASSERT_EQ(hash.start(sized(20)), Status::ok);
  ASSERT_EQ(hash.update(data), Status::ok);
  EXPECT_EQ(hash.start(sized(65)), Status::bad_digest_size);
  EXPECT_EQ(hash.import_state(state), Status::bad_state);
  EXPECT_EQ(hash.export_state(std::span(state).first(state_bytes - 1)), Status::bad_output_size);
  for (const std::size_t size : {0U, 19U, 21U, 64U}) {
    EXPECT_EQ(hash.finish(std::span(out).first(size)), Status::bad_output_size);
  }
  EXPECT_EQ(out, Bytes(64, 0xAA));
  ASSERT_EQ(hash.finish(std::span(out).first(20)), Status::ok);
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 20), hash_by_the_letter(20, {}, data));
  EXPECT_EQ(hash.update(data), Status::wrong_order);
  EXPECT_EQ(hash.finish(std::span(out).first(20)), Status::wrong_order);
}

TEST(Blake2bRefusals, OneShotAndItsBuffers) {
  Random random(10);
  Bytes both = random.bytes(64 + 128);
  const Bytes before = both;
  const std::span<std::uint8_t> out = std::span(both).first(64);
  const std::span<const std::uint8_t> touching = std::span(both).subspan(63, 16);
  const std::span<const std::uint8_t> apart = std::span(both).subspan(64, 16);
  EXPECT_EQ(blake2b::hash({}, {}, touching, out), Status::overlapping_buffers);
  EXPECT_EQ(blake2b::hash({}, {}, out, out), Status::overlapping_buffers);
  EXPECT_EQ(blake2b::hash({}, touching, {}, out), Status::overlapping_buffers);
  Parameters parameters;
  parameters.salt = touching;
  EXPECT_EQ(blake2b::hash(parameters, {}, apart, out), Status::overlapping_buffers);
  parameters.salt = apart;
  parameters.personal = touching;
  EXPECT_EQ(blake2b::hash(parameters, {}, apart, out), Status::overlapping_buffers);
  EXPECT_EQ(blake2b::hash({}, {}, apart, out.first(63)), Status::bad_output_size);
  EXPECT_EQ(blake2b::hash(sized(0), {}, apart, out.first(0)), Status::bad_digest_size);
  EXPECT_EQ(both, before);
  parameters.personal = apart;
  EXPECT_EQ(blake2b::hash(parameters, apart, apart, out), Status::ok);
}

TEST(Blake2bRefusals, WhatTheCpuCannotRun) {
  Implementation beyond = *blake2b::implementations().front();
  beyond.info.required.insert(static_cast<CpuFeature>(63));
  Hash hash;
  Bytes state(state_bytes);
  EXPECT_EQ(hash.start({}, {}, &beyond), Status::cpu_lacks_features);
  EXPECT_EQ(hash.update({}), Status::wrong_order);
  ASSERT_EQ(hash.start(), Status::ok);
  EXPECT_EQ(hash.hand_over(&beyond), Status::cpu_lacks_features);
  ASSERT_EQ(hash.export_state(state), Status::ok);
  EXPECT_EQ(hash.import_state(state, &beyond), Status::cpu_lacks_features);
  Bytes out(64);
  ASSERT_EQ(hash.finish(out), Status::ok);
  EXPECT_EQ(out, hash_by_the_letter(64, {}, {}));
}

TEST(Blake2bRefusals, StatesThatNoMessageReaches) {
  Random random(11);
  Hash hash;
  const auto refused = [&](const Bytes& state) { return hash.import_state(state) == Status::bad_state; };
  State middle = random_state(random);
  middle.t[0] = 0x12380;
  const Bytes good = make_state(20, middle, random.bytes(77), true);
  ASSERT_FALSE(refused(good));
  EXPECT_TRUE(refused(Bytes(good.begin(), good.end() - 1)));
  EXPECT_TRUE(refused({}));
  const auto changed = [&](std::size_t at, unsigned value) {
    Bytes bytes = good;
    bytes[at] = static_cast<std::uint8_t>(value);
    return bytes;
  };
  for (const unsigned version : {0U, 2U, 255U}) EXPECT_TRUE(refused(changed(0, version)));
  for (const unsigned digest_bytes : {0U, 65U, 255U}) EXPECT_TRUE(refused(changed(1, digest_bytes)));
  for (const unsigned buffered : {129U, 255U}) EXPECT_TRUE(refused(changed(2, buffered)));
  EXPECT_TRUE(refused(changed(2, 0)));
  for (const unsigned flags : {2U, 3U, 255U}) EXPECT_TRUE(refused(changed(3, flags)));
  for (std::size_t at = 4; at < 8; ++at) EXPECT_TRUE(refused(changed(at, 1)));
  for (std::size_t at = 88 + 77; at < state_bytes; ++at) EXPECT_TRUE(refused(changed(at, 0x80)));
  for (const unsigned t : {1U, 64U, 127U, 129U, 255U}) EXPECT_TRUE(refused(changed(72, t)));
  for (std::size_t at = 8; at < 88 + 77; ++at) {
    if (at != 72) {
      EXPECT_FALSE(refused(changed(at, 0x5C))) << at;
    }
  }
  // A counter of 0 behind a full turn.
  middle.t[0] = 0;
  EXPECT_FALSE(refused(make_state(20, middle, random.bytes(1))));

  // Nothing buffered: only what start() leaves when there is no key.
  Bytes start(state_bytes);
  ASSERT_EQ(hash.start(sized(20)), Status::ok);
  ASSERT_EQ(hash.export_state(start), Status::ok);
  EXPECT_FALSE(refused(start));
  const auto started = [&](std::size_t at, std::uint8_t bits) {
    Bytes bytes = start;
    bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ bits);
    return bytes;
  };
  EXPECT_TRUE(refused(started(1, 1)));    // the digest's size in front, but not in h
  EXPECT_TRUE(refused(started(8, 1)));    // and the reverse
  EXPECT_TRUE(refused(started(9, 32)));   // a key that is not in the buffer
  EXPECT_TRUE(refused(started(11, 1)));   // depth 0
  EXPECT_TRUE(refused(started(25, 65)));  // inner length
  EXPECT_TRUE(refused(started(26, 1)));   // reserved
  EXPECT_TRUE(refused(started(39, 1)));
  EXPECT_TRUE(refused(started(72, 128)));
  EXPECT_TRUE(refused(started(80, 1)));
  EXPECT_FALSE(refused(started(10, 77)));    // fanout
  EXPECT_FALSE(refused(started(40, 0xFF)));  // salt
  EXPECT_FALSE(refused(started(71, 0xFF)));  // personalisation
}

TEST(Blake2bList, Sane) {
  const auto list = blake2b::implementations();
  EXPECT_EQ(info(*select(list, {})).name, "portable");
  for (const Implementation* implementation : list) {
    EXPECT_TRUE(info(*implementation).constant_time);
    EXPECT_EQ(select(list, info(*implementation).required), implementation);
    EXPECT_EQ(select(list, info(*implementation).required, Policy::fastest), implementation);
  }
  ASSERT_NE(find(list, "blake2b-256-generic"), nullptr);
  EXPECT_EQ(info(*find(list, "blake2b-256-generic")).name, "portable");
}

}  // namespace
}  // namespace lockstep::test
