// What only shows beyond the lengths of the other tests: several strides of a wide kernel, with the counter
// wrapping at every block of them, and every tail flush against an unmapped page.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "impls/aes_gcm/kernel.h"
#include "impls/core/endian.h"
#include "impls/ghash/kernel.h"
#include "support.h"

namespace lockstep::test {
namespace {

using aes_gcm::MessageState;

// Three strides and a tail, and never less than 600 bytes.
std::size_t long_enough(const ImplementationInfo& info) {
  return std::max<std::size_t>(600, 3 * 16 * std::size_t{info.stride_blocks} + 17);
}

// GHASH over every prefix of `data`, zero-padded, bit by bit.
class Prefixes {
 public:
  Prefixes(const Bytes& h, const Bytes& y, const Bytes& data) : h_(h), data_(data), whole_{y} {
    for (std::size_t i = 0; i + 16 <= data.size(); i += 16) {
      whole_.push_back(ghash_bitwise(h, whole_.back(), std::span(data).subspan(i, 16)));
    }
  }
  [[nodiscard]] const Bytes& whole_blocks(std::size_t bytes) const { return whole_[bytes / 16]; }
  [[nodiscard]] Bytes padded(std::size_t bytes) const {
    return ghash_bitwise(h_, whole_blocks(bytes), std::span(data_).subspan(bytes / 16 * 16, bytes % 16));
  }

 private:
  const Bytes& h_;
  const Bytes& data_;
  std::vector<Bytes> whole_;
};

struct Expanded {
  Expanded(const aes_gcm::Implementation& implementation, const Bytes& key)
      : context(aes_gcm::max_context_bytes / 8), h(16) {
    implementation.expand_key(context.data(), key.data(), key.size(), h.data());
  }
  std::vector<std::uint64_t> context;
  Bytes h;
};

Bytes counter_after(Bytes counter, std::size_t blocks) {
  core::store_be32(counter.data() + 12,
                   core::load_be32(counter.data() + 12) + static_cast<std::uint32_t>(blocks));
  return counter;
}

class LongStrides : public testing::TestWithParam<const aes_gcm::Implementation*> {
 protected:
  // The keystream that starts with `counter`, from single blocks of the portable implementation.
  static Bytes keystream(const Bytes& key, const Bytes& counter, std::size_t bytes) {
    const aes_gcm::Implementation& portable = *find(aes_gcm::implementations(), "portable");
    const Expanded expanded(portable, key);
    Bytes stream((bytes + 15) / 16 * 16);
    for (std::size_t i = 0; i < stream.size(); i += 16) {
      const Bytes block = counter_after(counter, i / 16);
      portable.encrypt_block(expanded.context.data(), block.data(), stream.data() + i);
    }
    return stream;
  }

  // Every length up to `longest`, sealed and opened, all of them prefixes of one message.
  static void check_every_length(const Bytes& key, const Bytes& counter, std::size_t longest,
                                 Random& random) {
    const aes_gcm::Implementation& kernel = *GetParam();
    const Expanded expanded(kernel, key);
    const std::vector<std::uint64_t> context = expanded.context;
    const Bytes stream = keystream(key, counter, longest + 16);
    const Bytes plaintext = random.bytes(longest);
    Bytes ciphertext = plaintext;
    for (std::size_t i = 0; i < longest; ++i) ciphertext[i] ^= stream[i];
    const Bytes y = random.bytes(16);
    const Prefixes prefixes(expanded.h, y, ciphertext);
    Bytes text(longest);
    for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
      const std::size_t started = bytes % 16;
      for (const bool sealing : {true, false}) {
        const Bytes& in = sealing ? plaintext : ciphertext;
        const Bytes& out = sealing ? ciphertext : plaintext;
        MessageState state = {};
        std::copy(y.begin(), y.end(), state.ghash);
        std::copy(counter.begin(), counter.end(), state.counter);
        const bool in_place = (bytes + sealing) % 2 == 0;
        std::fill(text.begin(), text.end(), std::uint8_t{0xA5});
        if (in_place) std::copy_n(in.begin(), bytes, text.begin());
        (sealing ? kernel.seal : kernel.open)(expanded.context.data(), state,
                                              in_place ? text.data() : in.data(), text.data(), bytes);

        ASSERT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(bytes), text.begin()))
            << "bytes " << bytes << " sealing " << sealing;
        for (std::size_t i = bytes; i < longest; ++i) ASSERT_EQ(text[i], 0xA5) << bytes;
        MessageState expected = {};
        std::memcpy(expected.ghash, prefixes.whole_blocks(bytes).data(), 16);
        std::memcpy(expected.counter, counter_after(counter, (bytes + 15) / 16).data(), 16);
        if (started != 0) {
          std::memcpy(expected.keystream, stream.data() + bytes - started, 16);
          std::memcpy(expected.partial, ciphertext.data() + bytes - started, started);
        }
        ASSERT_EQ(std::memcmp(&state, &expected, sizeof state), 0)
            << "bytes " << bytes << " sealing " << sealing;
      }
    }
    EXPECT_EQ(expanded.context, context);  // immutable once set up
  }
};

INSTANTIATE_TEST_SUITE_P(Every, LongStrides, testing::ValuesIn(runnable(aes_gcm::implementations())),
                         test_name<aes_gcm::Implementation>);

TEST_P(LongStrides, CounterWrapsAtEveryBlock) {
  Random random(60);
  const std::size_t longest = long_enough(GetParam()->info);
  for (std::uint32_t wrap = 0; wrap <= longest / 16 + 2; ++wrap) {
    SCOPED_TRACE(wrap);
    Bytes counter = random.bytes(16);
    core::store_be32(counter.data() + 12, 0 - wrap);
    // Upper parts that a carry would run through, or that would show it as one step.
    if (wrap % 2 == 0) std::memset(counter.data() + 4, 0xFF, 8);
    check_every_length(random.bytes(16 + wrap % 3 * 8), counter, longest, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(LongStrides, CounterCarriesFromByteToByte) {
  Random random(61);
  const std::size_t longest = long_enough(GetParam()->info);
  for (const std::uint32_t boundary : {0x100U, 0x10000U, 0x1000000U, 0x80000000U}) {
    for (const std::uint32_t before : {1U, 2U, 3U, 5U, 9U, 17U, 30U}) {
      SCOPED_TRACE(boundary - before);
      Bytes counter = random.bytes(16);
      core::store_be32(counter.data() + 12, boundary - before);
      check_every_length(random.bytes(32), counter, longest, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(LongStrides, Hash) {
  Random random(62);
  const std::size_t longest = long_enough(GetParam()->info);
  const Expanded expanded(*GetParam(), random.bytes(16));
  const Bytes data = random.bytes(longest);
  const Bytes y = random.bytes(16);
  const Prefixes prefixes(expanded.h, y, data);
  for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
    Bytes sum = y;
    GetParam()->hash(expanded.context.data(), sum.data(), data.data(), bytes);
    ASSERT_EQ(sum, prefixes.padded(bytes)) << bytes;
  }
}

// Some bytes between two unmapped pages, flush against one of them.
class Guarded {
 public:
  Guarded() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* const mapping = mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::uint8_t*>(mapping) + page_;
    if (mprotect(begin_, page_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { munmap(begin_ - page_, 3 * page_); }

  [[nodiscard]] std::uint8_t* place(std::size_t bytes, bool in_front) const {
    return in_front ? begin_ : begin_ + page_ - bytes;
  }
  [[nodiscard]] std::size_t size() const { return page_; }

 private:
  std::size_t page_;
  std::uint8_t* begin_;
};

// A byte read or written outside ends the test program.
TEST_P(LongStrides, TouchesNothingOutside) {
  Random random(63);
  const aes_gcm::Implementation& kernel = *GetParam();
  const std::size_t longest = long_enough(kernel.info);
  const Guarded in_pages;
  const Guarded out_pages;
  const Guarded context_pages;
  ASSERT_LE(longest, in_pages.size());
  const Bytes text = random.bytes(longest);
  for (const bool context_in_front : {true, false}) {
    std::uint8_t* const context = context_pages.place(aes_gcm::max_context_bytes, context_in_front);
    Bytes h(16);
    kernel.expand_key(context, random.bytes(32).data(), 32, h.data());
    for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
      for (const bool in_front : {true, false}) {
        std::uint8_t* const in = in_pages.place(bytes, in_front);
        std::uint8_t* const out = out_pages.place(bytes, in_front);
        std::copy_n(text.begin(), bytes, in);
        MessageState sealed = {};
        MessageState opened = {};
        kernel.seal(context, sealed, in, out, bytes);
        kernel.open(context, opened, out, out, bytes);
        ASSERT_TRUE(std::equal(out, out + bytes, text.begin())) << bytes;
        ASSERT_TRUE(std::equal(sealed.ghash, sealed.ghash + 16, opened.ghash)) << bytes;
        kernel.seal(context, opened, out, out, bytes);
        kernel.hash(context, sealed.ghash, in, bytes);
        ASSERT_TRUE(std::equal(in, in + bytes, text.begin())) << bytes;
      }
    }
  }
}

class LongGhash : public testing::TestWithParam<const ghash::Implementation*> {};

INSTANTIATE_TEST_SUITE_P(Every, LongGhash, testing::ValuesIn(runnable(ghash::implementations())),
                         test_name<ghash::Implementation>);

TEST_P(LongGhash, EveryLengthFlushAgainstUnmappedPages) {
  Random random(64);
  const ghash::Implementation& kernel = *GetParam();
  const std::size_t longest = long_enough(kernel.info);
  const Guarded pages;
  const Guarded context_pages;
  ASSERT_LE(longest, pages.size());
  for (const bool in_front : {true, false}) {
    const Bytes h = random.bytes(16);
    const Bytes data = random.bytes(longest);
    const Bytes y = random.bytes(16);
    const Prefixes prefixes(h, y, data);
    std::uint8_t* const context = context_pages.place(ghash::max_context_bytes, in_front);
    kernel.expand_key(context, h.data());
    for (std::size_t bytes = 0; bytes <= longest; ++bytes) {
      std::uint8_t* const placed = pages.place(bytes, in_front);
      std::copy_n(data.begin(), bytes, placed);
      Bytes sum = y;
      kernel.hash(context, sum.data(), placed, bytes);
      ASSERT_EQ(sum, prefixes.padded(bytes)) << bytes;
    }
  }
}

}  // namespace
}  // namespace lockstep::test
