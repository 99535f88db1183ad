// The keys of a case, with a library of which all is seen.
#include "oracles/differential/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace lockstep::differential {
namespace {

struct Kernel {
  ImplementationInfo its;
};
const ImplementationInfo& info(const Kernel& kernel) {
  return kernel.its;
}

constexpr Kernel named(std::string_view name) {
  return {{name, "any", {}, 1, true, 1, {}, {}}};
}
constexpr Kernel one = named("one");
constexpr Kernel two = named("two");
constexpr const Kernel* kernels[] = {&one, &two};

// What a key was set to, by whom; of all keys, in order.
std::vector<std::string> sets;

struct Key {
  static inline bool takes_all = false;
  static inline bool keeps_rest = false;   // of a longer key before
  static inline bool takes_first = false;  // whomever it is asked for

  std::array<std::uint8_t, 32> bytes = {};
  const Kernel* by = nullptr;

  Key() noexcept = default;
  ~Key() {
    bytes = {};
    by = nullptr;
    __asm__ __volatile__("" : : "r"(this) : "memory");
  }
  [[nodiscard]] const Kernel* implementation() const noexcept { return by; }
  Status set(std::span<const std::uint8_t> key, const Kernel* kernel = nullptr) {
    if (key.size() != 16 && key.size() != 32) return takes_all ? Status::ok : Status::bad_key_size;
    if (!keeps_rest) bytes = {};
    std::ranges::copy(key, bytes.begin());
    by = takes_first ? &one : kernel;
    sets.push_back(std::to_string(key[0]) +
                   (kernel == nullptr ? "" : std::string(" by ") + std::string(kernel->its.name)));
    return Status::ok;
  }
};

const Available<Kernel> available{std::span(kernels)};
const std::vector<std::uint8_t> key_bytes(16, 1);
const std::vector<std::uint8_t> other_key_bytes(32, 2);

class KeysTest : public testing::Test {
 protected:
  void SetUp() override {
    sets.clear();
    Key::takes_all = false;
    Key::keeps_rest = false;
    Key::takes_first = false;
  }

  // Runs `use` with keys; returns what was broken.
  template <class Use>
  std::string run(const Kernel* kernel, bool rekey, Use&& use) {
    Outcome outcome;
    {
      Keys<Key, Kernel> keys(available, kernel,
                             {.key = key_bytes,
                              .other = other_key_bytes,
                              .schedule = schedule_,
                              .rekey = rekey,
                              .placement = Placement::behind()},
                             buffers_, outcome);
      EXPECT_EQ(keys.status(), Status::ok);
      EXPECT_EQ(keys.mixture(), kernel == nullptr);
      use(keys);
    }
    return std::string(outcome.text(violation_answer));
  }
  static Key& writable(const Key& key) { return const_cast<Key&>(key); }

  Buffers buffers_;
  std::vector<ImplementationRef> schedule_ = {reference("one"), reference("two"), reference("one")};
};

TEST_F(KeysTest, EveryByteIsWatchedToTheEnd) {
  EXPECT_EQ(run(&one, false, [](auto&) {}), "");
  for (std::size_t byte = 0; byte < 32; ++byte) {
    EXPECT_EQ(run(&one, false, [&](auto& keys) { writable(keys.of_call(0)).bytes[byte] ^= 1; }),
              "a key was changed by its use")
        << byte;
  }
  const auto change_then_replace = [](auto& keys) {
    writable(keys.of_call(0)).bytes[5] ^= 1;
    keys.while_replaced(true, [] {});
  };
  EXPECT_EQ(run(&one, false, change_then_replace), "a key was changed by its use");
  const auto change_before = [](auto& keys) {
    keys.before([](const Key& key) { writable(key).bytes[5] ^= 1; });
  };
  EXPECT_EQ(run(&one, true, change_before), "a key was changed by its use");
}

TEST_F(KeysTest, AnotherKeyIsHeldBeforeIfTheCaseSaysSo) {
  std::uint8_t before = 0;
  const auto look = [&](auto& keys) {
    keys.before([&](const Key& key) { before = key.bytes[0]; });
    EXPECT_EQ(keys.of_call(0).bytes[0], 1);
    EXPECT_EQ(keys.of_call(0).by, &one);
  };
  EXPECT_EQ(run(&one, false, look), "");
  EXPECT_EQ(before, 1);
  EXPECT_EQ(sets, std::vector<std::string>{"1 by one"});
  sets.clear();
  EXPECT_EQ(run(&one, true, look), "");
  EXPECT_EQ(before, 2);
  // The other, the case's own, the same in an object that has held nothing else; and both again.
  ASSERT_EQ(sets.size(), 5U);
  EXPECT_TRUE(sets[0].starts_with("2 ") && sets[3].starts_with("2 "));
  EXPECT_TRUE(sets[1] == "1 by one" && sets[2] == "1 by one" && sets[4] == "1 by one");
}

TEST_F(KeysTest, TheOtherKeyIsNowAndThenOfAnotherImplementation) {
  bool by_one = false;
  bool by_two = false;
  for (unsigned hash = 0; hash < 0x10000; hash += 251) {
    sets.clear();
    schedule_.back().name_hash = static_cast<std::uint16_t>(hash);
    EXPECT_EQ(run(&one, true, [](auto&) {}), "");
    by_one |= sets[0] == "2 by one";
    by_two |= sets[0] == "2 by two";
  }
  EXPECT_TRUE(by_one);
  EXPECT_TRUE(by_two);
}

TEST_F(KeysTest, ACopyMustNotNoticeThatItsKeyIsReplaced) {
  for (const bool replaced : {false, true}) {
    std::uint8_t within = 0;
    const auto look = [&](auto& keys) {
      const Key& key = keys.of_call(0);
      keys.while_replaced(replaced, [&] { within = key.bytes[0]; });
      EXPECT_EQ(key.bytes[0], 1);
      EXPECT_EQ(keys.other().bytes[0], 2);
    };
    EXPECT_EQ(run(&one, false, look), "");
    EXPECT_EQ(within, replaced ? 2 : 1);
  }
}

TEST_F(KeysTest, AMixtureHasTheKeyOfEachCall) {
  EXPECT_EQ(run(nullptr, true,
                [](auto& keys) {
                  EXPECT_EQ(keys.of_call(0).by, &one);
                  EXPECT_EQ(keys.of_call(1).by, &two);
                  EXPECT_EQ(keys.of_call(2).by, &one);
                  EXPECT_EQ(keys.of_call(4).by, &two);
                  EXPECT_EQ(keys.of_call(1).bytes[0], 1);
                }),
            "");
}

TEST(Available, ACallIsThatOfItsEntry) {
  const std::array<ImplementationRef, 3> schedule = {reference("two"), reference("one"), reference("two")};
  const std::vector<std::size_t> expected = {1, 0, 1, 1, 0, 1};
  for (std::size_t call = 0; call < expected.size(); ++call) {
    EXPECT_EQ(available.scheduled(schedule, call), expected[call]) << call;
  }
  EXPECT_EQ(available.names, (std::vector<std::string_view>{"one", "two"}));
}

TEST_F(KeysTest, AKeyOfAnotherSizeMustBeRefused) {
  Key::takes_all = true;
  EXPECT_EQ(run(&one, false, [](auto&) {}),
            "a key of another size was taken; a key of another size was taken");
}

TEST_F(KeysTest, AKeyIsOfTheImplementationThatIsAskedFor) {
  Key::takes_first = true;
  EXPECT_EQ(run(&one, false, [](auto&) {}), "");
  EXPECT_EQ(run(&two, false, [](auto&) {}), "a key is of another implementation than asked for");
}

TEST_F(KeysTest, OfAKeyBeforeNothingMayBeLeft) {
  Key::keeps_rest = true;
  EXPECT_EQ(run(&one, false, [](auto&) {}), "");
  EXPECT_EQ(run(&one, true, [](auto&) {}), "a key that was set again holds something of the one before");
}

TEST_F(KeysTest, WhatIsWrittenAroundAKeyIsSeen) {
  const auto write_in_front = [](auto& keys) {
    *(reinterpret_cast<std::uint8_t*>(&writable(keys.of_call(0))) - 1) ^= 1;
  };
  EXPECT_EQ(run(&one, false, write_in_front), "wrote 1 bytes in front of key object");
}

}  // namespace
}  // namespace lockstep::differential
