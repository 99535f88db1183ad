// The seam below the message logic: every kernel against a model made of single blocks, field by field.
#include <algorithm>
#include <cstring>

#include "impls/aes_gcm/kernel.h"
#include "impls/core/endian.h"
#include "impls/core/probe.h"
#include "support.h"

namespace lockstep::test {
namespace {

using aes_gcm::Implementation;
using aes_gcm::MessageState;

class Kernel : public testing::TestWithParam<const Implementation*> {};

INSTANTIATE_TEST_SUITE_P(Every, Kernel, testing::ValuesIn(runnable(aes_gcm::implementations())),
                         test_name<Implementation>);

struct Expanded {
  Expanded(const Implementation& implementation, const Bytes& key)
      : kernel(implementation), context(aes_gcm::max_context_bytes / 8), h(16) {
    kernel.expand_key(context.data(), key.data(), key.size(), h.data());
  }
  const Implementation& kernel;
  std::vector<std::uint64_t> context;
  Bytes h;
};

const Implementation& model_implementation() {
  return *find(aes_gcm::implementations(), "portable");
}

// GCTR and GHASH one block at a time; `sealing` says which side is the ciphertext.
Bytes model(const Expanded& key, MessageState& state, const Bytes& in, bool sealing) {
  Bytes out(in.size());
  for (std::size_t i = 0; i < in.size(); i += 16) {
    const std::size_t bytes = std::min<std::size_t>(16, in.size() - i);
    std::uint8_t keystream[16];
    key.kernel.encrypt_block(key.context.data(), state.counter, keystream);
    for (std::size_t j = 0; j < bytes; ++j) out[i + j] = in[i + j] ^ keystream[j];
    core::store_be32(state.counter + 12, core::load_be32(state.counter + 12) + 1);
    const std::uint8_t* ciphertext = (sealing ? out : in).data() + i;
    if (bytes == 16) {
      key.kernel.hash(key.context.data(), state.ghash, ciphertext, 16);
    } else {
      std::memcpy(state.keystream, keystream, 16);
      std::memset(state.partial, 0, 16);
      std::memcpy(state.partial, ciphertext, bytes);
    }
  }
  return out;
}

Bytes flat(const MessageState& state) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(&state);
  return Bytes(p, p + sizeof state);
}

MessageState random_state(Random& random, std::uint32_t counter) {
  MessageState state = {};
  const Bytes bytes = random.bytes(64);
  std::memcpy(state.ghash, bytes.data(), 16);
  std::memcpy(state.counter, bytes.data() + 16, 12);
  core::store_be32(state.counter + 12, counter);
  std::memcpy(state.tag_mask, bytes.data() + 32, 16);
  state.aad_bytes = random.next();
  state.text_bytes = random.next();
  return state;
}

// The wrap of the 32-bit counter at every block of every length, and one wrap further on so that none
// happens.
TEST_P(Kernel, EveryLengthAndWrap) {
  Random random(10);
  for (const std::size_t key_bytes : {16U, 24U, 32U}) {
    const Bytes key = random.bytes(key_bytes);
    const Expanded tested(*GetParam(), key);
    const Expanded reference(model_implementation(), key);
    ASSERT_EQ(tested.h, reference.h);
    for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
      for (std::uint32_t wrap = 0; wrap <= bytes / 16 + 2; ++wrap) {
        for (const bool sealing : {true, false}) {
          MessageState expected_state = random_state(random, 0 - wrap);
          // Upper parts that a carry would change visibly, and such that it would run through.
          if (random.below(2) == 0) std::memset(expected_state.counter + 4, 0xFF, 8);
          MessageState state = expected_state;
          const Bytes in = random.bytes(bytes);
          const Bytes expected = model(reference, expected_state, in, sealing);
          const bool in_place = random.below(2) == 0;
          Bytes out = in_place ? in : Bytes(bytes);
          (sealing ? tested.kernel.seal : tested.kernel.open)(
              tested.context.data(), state, in_place ? out.data() : in.data(), out.data(), bytes);
          ASSERT_EQ(out, expected) << "bytes " << bytes << " wrap " << wrap << " sealing " << sealing;
          ASSERT_EQ(flat(state), flat(expected_state))
              << "bytes " << bytes << " wrap " << wrap << " sealing " << sealing;
        }
      }
    }
  }
}

TEST_P(Kernel, BulkLoopRunsAsDescribed) {
#ifdef LOCKSTEP_PROBE
  Random random(11);
  const Expanded tested(*GetParam(), random.bytes(16));
  const unsigned stride = GetParam()->info.stride_blocks;
  for (std::size_t bytes = 0; bytes <= 16 * (3 * std::size_t{stride} + 2); ++bytes) {
    for (const bool sealing : {true, false}) {
      MessageState state = random_state(random, 2);
      Bytes text = random.bytes(bytes);
      core::bulk_iterations = 0;
      (sealing ? tested.kernel.seal : tested.kernel.open)(tested.context.data(), state, text.data(),
                                                          text.data(), bytes);
      EXPECT_EQ(core::bulk_iterations, bytes / (16 * std::size_t{stride})) << bytes;
      // Only text counts: not AAD, nor lengths.
      tested.kernel.hash(tested.context.data(), state.ghash, text.data(), bytes);
      EXPECT_EQ(core::bulk_iterations, bytes / (16 * std::size_t{stride})) << bytes;
    }
  }
#else
  GTEST_SKIP() << "built without LOCKSTEP_PROBE";
#endif
}

TEST_P(Kernel, HashAgainstBitByBit) {
  Random random(12);
  for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
    const Expanded tested(*GetParam(), random.bytes(16));
    const Bytes data = random.bytes(bytes);
    Bytes y = random.bytes(16);
    const Bytes expected = ghash_bitwise(tested.h, y, data);
    tested.kernel.hash(tested.context.data(), y.data(), data.data(), bytes);
    EXPECT_EQ(y, expected) << bytes;
  }
}

// Neither a byte before nor behind the output, at every alignment.
TEST_P(Kernel, TouchesOutputOnly) {
  Random random(13);
  const Expanded tested(*GetParam(), random.bytes(32));
  for (std::size_t bytes = 0; bytes <= 100; ++bytes) {
    const std::size_t offset = 32 + random.below(16);
    Bytes buffer(bytes + 96, 0xA5);
    const Bytes in = random.bytes(bytes);
    MessageState state = random_state(random, 7);
    tested.kernel.seal(tested.context.data(), state, in.data(), buffer.data() + offset, bytes);
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      if (i < offset || i >= offset + bytes) {
        ASSERT_EQ(buffer[i], 0xA5) << bytes;
      }
    }
  }
}

// Contexts promise alignment to 8 only.
TEST_P(Kernel, ContextAtAnyMultipleOfEight) {
  Random random(14);
  const Bytes key = random.bytes(24);
  const Bytes in = random.bytes(90);
  Bytes first;
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::uint64_t> storage(aes_gcm::max_context_bytes / 8 + shift);
    Bytes h(16);
    GetParam()->expand_key(storage.data() + shift, key.data(), key.size(), h.data());
    MessageState state = {};
    Bytes out(in.size());
    GetParam()->seal(storage.data() + shift, state, in.data(), out.data(), in.size());
    if (shift == 0) first = out;
    EXPECT_EQ(out, first);
  }
}

}  // namespace
}  // namespace lockstep::test
