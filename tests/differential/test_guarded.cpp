#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>

#include "oracles/differential/guarded.h"

namespace lockstep::differential {
namespace {

const std::vector<std::uint8_t> contents = {1, 2, 3, 4, 5};

std::string broken(const GuardedRegion& region) {
  Outcome outcome;
  region.check(outcome);
  return std::string(outcome.text(violation_answer));
}

TEST(Guarded, PlacesAsAsked) {
  GuardedRegion region("in");
  for (unsigned alignment = 0; alignment < 64; ++alignment) {
    const auto bytes = region.place_input(contents, Placement::aligned(alignment));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, alignment);
    EXPECT_EQ(broken(region), "");
  }
  const auto front = region.place_input(contents, Placement::front());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(front.data()) % 4096, 0U);
  const auto behind = region.place_input(contents, Placement::behind());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(behind.data() + behind.size()) % 4096, 0U);
  const auto object = region.place(24, Placement::behind(), 16);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object.data()) % 16, 0U);
}

TEST(Guarded, GrowsAndKeepsItsPromises) {
  GuardedRegion region("in");
  const std::vector<std::uint8_t> large(100000, 7);
  for (const Placement placement : {Placement::front(), Placement::behind(), Placement::aligned(9)}) {
    const auto bytes = region.place_input(large, placement);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), large.begin(), large.end()));
    EXPECT_EQ(broken(region), "");
  }
}

TEST(Guarded, SeesEveryByteAround) {
  GuardedRegion region("out");
  const auto bytes = region.place_output(5, Placement::aligned(3));
  for (std::ptrdiff_t at = -64; at < 5 + 64; ++at) {
    if (at >= 0 && at < 5) continue;
    std::uint8_t& byte = *(bytes.data() + at);
    byte ^= 1;
    EXPECT_NE(broken(region), "") << at;
    byte ^= 1;
    EXPECT_EQ(broken(region), "");
  }
}

TEST(Guarded, SeesAModifiedInput) {
  GuardedRegion region("nonce");
  region.place_input(contents, Placement::aligned(0));
  auto* inside = const_cast<std::uint8_t*>(region.place_input(contents, Placement::aligned(0)).data());
  inside[3] ^= 0x80;
  EXPECT_EQ(broken(region), "nonce was modified at byte 3");
}

TEST(Guarded, AnOutputMayBeWritten) {
  GuardedRegion region("out");
  for (std::uint8_t& byte : region.place_output(5, Placement::behind())) byte = 9;
  EXPECT_EQ(broken(region), "");
}

// Reads without the compiler's or a sanitizer's knowledge of the address.
[[gnu::noinline]] std::uint8_t peek(const volatile std::uint8_t* address) {
  return *address;
}

TEST(Guarded, FaultsAreCaughtAndPlaced) {
  Buffers buffers;
  const auto bytes = buffers.aad.place_input(contents, Placement::behind());
  Fault fault;
  auto read_behind = [&] { peek(bytes.data() + bytes.size()); };
  EXPECT_FALSE(run_catching_faults(read_behind, fault));
  EXPECT_EQ(fault.signal, SIGSEGV);
  EXPECT_EQ(describe(fault, buffers), "SIGSEGV, 0 bytes behind the end of aad");
  const auto first = buffers.aad.place_input(contents, Placement::front());
  auto read_front = [&] { peek(first.data() - 1); };
  EXPECT_FALSE(run_catching_faults(read_front, fault));
  EXPECT_EQ(describe(fault, buffers), "SIGSEGV, 1 bytes in front of aad");
  auto read_inside = [&] { peek(first.data()); };
  EXPECT_TRUE(run_catching_faults(read_inside, fault)) << "and the next call is a fresh one";
}

TEST(Guarded, PlacementsInWords) {
  for (unsigned code = 0; code < 66; ++code) {
    const Placement placement{static_cast<std::uint8_t>(code)};
    Placement back;
    ASSERT_TRUE(from_string(to_string(placement), back));
    EXPECT_EQ(back, placement);
  }
  Placement any;
  EXPECT_FALSE(from_string("aligned 64", any));
  EXPECT_FALSE(from_string("aligned", any));
  EXPECT_FALSE(from_string("", any));
}

}  // namespace
}  // namespace lockstep::differential
