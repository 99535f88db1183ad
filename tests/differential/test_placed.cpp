#include "oracles/differential/placed.h"

#include <gtest/gtest.h>

namespace lockstep::differential {
namespace {

// Something that keeps a byte when it should not.
struct Careless {
  static constexpr std::size_t bytes = 24;
  std::uint8_t secret[bytes] = {};
  int kept;

  explicit Careless(int kept_byte = -1) noexcept : kept(kept_byte) {}
  ~Careless() { wipe(); }
  void wipe() noexcept {
    for (std::uint8_t& byte : secret) byte = 0;
    if (kept >= 0) secret[kept] = 9;
    kept = -1;
    __asm__ __volatile__("" : : "r"(this) : "memory");
  }
};

class PlacedTest : public testing::Test {
 protected:
  template <class Use>
  std::string run(int kept, Use&& use) {
    Outcome outcome;
    {
      Placed<Careless> object(region_, Placement::aligned(16), outcome, kept);
      object->secret[2] = 1;
      use(object);
    }
    return std::string(outcome.text(violation_answer));
  }

 private:
  GuardedRegion region_{"object"};
};

TEST_F(PlacedTest, EveryByteThatIsKeptIsSeen) {
  const auto nothing = [](auto&) {};
  EXPECT_EQ(run(-1, nothing), "");
  for (int kept = 0; kept < static_cast<int>(Careless::bytes); ++kept) {
    const std::string broken = "object is not wiped after destruction: byte " + std::to_string(kept);
    EXPECT_EQ(run(kept, nothing), broken);
    EXPECT_EQ(run(kept, [](auto& object) { object.renew(); }), broken) << "of the one that is renewed";
    EXPECT_EQ(run(kept,
                  [](auto& object) {
                    object->wipe();
                    object.demand_wiped("its end");
                  }),
              "object is not wiped after its end: byte " + std::to_string(kept));
  }
}

TEST_F(PlacedTest, StillMeansEveryByte) {
  run(-1, [](auto& object) {
    const auto before = object.image();
    EXPECT_TRUE(object.still(before));
    for (std::uint8_t& byte : object->secret) {
      byte ^= 1;
      EXPECT_FALSE(object.still(before));
      byte ^= 1;
    }
    object->kept = -2;
    EXPECT_FALSE(object.still(before));
    object->kept = -1;
  });
}

TEST_F(PlacedTest, WhatIsWrittenAroundIsSeen) {
  const auto write_at = [](std::ptrdiff_t at) {
    return [at](auto& object) { *(reinterpret_cast<std::uint8_t*>(&*object) + at) ^= 1; };
  };
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(Careless));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(run(-1, write_at(-1)), "wrote 1 bytes in front of object");
    EXPECT_EQ(run(-1, write_at(size)), "wrote 1 bytes beyond the end of object");
    EXPECT_EQ(run(-1, write_at(0)), "") << "and not what was written around an earlier one";
  }
}

}  // namespace
}  // namespace lockstep::differential
