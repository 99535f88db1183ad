#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "oracles/differential/guarded.h"
#include "tests/differential/cpu_time.h"

namespace lockstep::differential {
namespace {

const std::vector<std::uint8_t> contents = {1, 2, 3, 4, 5};

std::string broken(const GuardedRegion& region, ViolationKind kind = ViolationKind::none) {
  Outcome outcome;
  region.check(outcome);
  EXPECT_EQ(outcome.violation(), kind);
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
    EXPECT_EQ(broken(region, ViolationKind::memory),
              at < 0 ? "wrote " + std::to_string(-at) + " bytes in front of out"
                     : "wrote " + std::to_string(at - 4) + " bytes beyond the end of out");
    byte ^= 1;
    EXPECT_EQ(broken(region), "");
  }
}

// What is between an object and the page behind it, since its start must be aligned.
TEST(Guarded, SeesEveryByteUpToThePage) {
  GuardedRegion region("object");
  region.place_input(std::vector<std::uint8_t>(8192, 7), Placement::behind());
  const auto object = region.place(17, Placement::behind(), 16);
  region.arm();
  EXPECT_EQ(broken(region), "");
  for (std::size_t at = 17; at < 32; ++at) {
    std::uint8_t& byte = *(object.data() + at);
    byte ^= 1;
    EXPECT_NE(broken(region, ViolationKind::memory), "") << at;
    byte ^= 1;
  }
}

TEST(Guarded, SeesAModifiedInput) {
  GuardedRegion region("nonce");
  for (const Placement placement : {Placement::aligned(0), Placement::front(), Placement::behind()}) {
    auto* inside = const_cast<std::uint8_t*>(region.place_input(contents, placement).data());
    for (std::size_t at = 0; at < contents.size(); ++at) {
      inside[at] ^= 0x80;
      EXPECT_EQ(broken(region, ViolationKind::contract), "nonce was modified at byte " + std::to_string(at));
      inside[at] ^= 0x80;
    }
    EXPECT_EQ(broken(region), "");
  }
}

// So that a byte that nobody writes is a wrong one, whatever was written there before.
TEST(Guarded, AnOutputHoldsNothingOfBefore) {
  GuardedRegion region("out");
  for (const Placement placement : {Placement::aligned(3), Placement::front(), Placement::behind()}) {
    for (const std::size_t bytes : {700U, 20U, 300U}) {
      const auto out = region.place_output(bytes, placement);
      for (const std::uint8_t byte : out) ASSERT_EQ(byte, unwritten_value);
      std::ranges::fill(out, std::uint8_t{9});
    }
  }
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

// Of any size, also where an earlier, smaller one was.
TEST(Guarded, BothPagesAreUnmapped) {
  GuardedRegion region("in");
  Fault fault;
  for (const std::size_t bytes : {5U, 4096U, 100'000U, 7U}) {
    const std::vector<std::uint8_t> large(bytes, 7);
    const auto behind = region.place_input(large, Placement::behind());
    auto read_behind = [&] { peek(behind.data() + behind.size()); };
    EXPECT_FALSE(run_catching_faults(read_behind, fault)) << bytes;
    auto write_behind = [&] { *const_cast<volatile std::uint8_t*>(behind.data() + behind.size()) = 1; };
    EXPECT_FALSE(run_catching_faults(write_behind, fault)) << bytes;
    const auto front = region.place_input(large, Placement::front());
    auto read_front = [&] { peek(front.data() - 1); };
    EXPECT_FALSE(run_catching_faults(read_front, fault)) << bytes;
  }
}

TEST(Guarded, EveryBufferIsNamed) {
  Buffers buffers;
  Fault fault;
  const auto all = buffers.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& region = const_cast<GuardedRegion&>(*all[i]);
    const auto bytes = region.place_input(contents, Placement::behind());
    auto read_behind = [&] { peek(bytes.data() + bytes.size() + 2); };
    EXPECT_FALSE(run_catching_faults(read_behind, fault));
    EXPECT_EQ(describe(fault, buffers), "SIGSEGV, 2 bytes behind the end of " + std::string(region.name()));
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[j]->name(), region.name());
  }
}

TEST(Guarded, EveryFaultIsCaughtAgainAndAgain) {
  const Buffers buffers;
  std::vector<int> signals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#ifndef LOCKSTEP_SANITIZED
  signals.push_back(SIGABRT);
#endif
  Fault fault;
  for (int round = 0; round < 3; ++round) {
    for (const int signal : signals) {
      auto die = [&] { raise(signal); };
      EXPECT_FALSE(run_catching_faults(die, fault));
      EXPECT_EQ(fault.signal, signal);
    }
  }
}

#ifndef LOCKSTEP_SANITIZED
[[gnu::noinline]] std::size_t endless(volatile std::size_t* depth) {
  volatile std::uint8_t room[4096];
  room[*depth % sizeof room] = 1;
  *depth = *depth + 1;
  return *depth == 0 ? 0 : endless(depth) + room[0];
}

TEST(Guarded, AStackThatRunsOutIsCaught) {
  Fault fault;
  volatile std::size_t depth = 0;
  auto overflow = [&] { endless(&depth); };
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(run_catching_faults(overflow, fault));
    EXPECT_EQ(fault.signal, SIGSEGV);
  }
}
#endif

TEST(GuardedDeathTest, AFaultOfNoCallEndsTheProcess) {
  Fault fault;
  auto nothing = [] {};
  EXPECT_TRUE(run_catching_faults(nothing, fault));
  const GuardedRegion none("none");
  EXPECT_DEATH(peek(nullptr), "");
}

auto hang = [] {
  for (volatile bool for_ever = true; for_ever;) {
  }
};
auto be_slow = [] { spend_cpu_time(0.7); };

TEST(Guarded, SlowCallsDoNotAddUpToAHang) {
  Fault fault;
  begin_case();
  EXPECT_TRUE(run_catching_faults(be_slow, fault));
  EXPECT_TRUE(run_catching_faults(be_slow, fault));
}

TEST(Guarded, PatienceIsShortAfterAHangUntilTheNextCase) {
  Fault fault;
  begin_case();
  EXPECT_FALSE(run_catching_faults(hang, fault));
  EXPECT_EQ(fault.signal, hang_signal);
  EXPECT_FALSE(run_catching_faults(be_slow, fault));
  begin_case();
  EXPECT_TRUE(run_catching_faults(be_slow, fault));
}

// A fork server's child has to notice as well.
TEST(GuardedDeathTest, AForkedChildNoticesAHang) {
  Fault fault;
  auto nothing = [] {};
  EXPECT_TRUE(run_catching_faults(nothing, fault));
  const auto in_child = [&] {
    alarm(30);
    _exit(run_catching_faults(hang, fault) ? 1 : 0);
  };
  EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
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
