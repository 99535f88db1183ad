// What dying processes say, as clang 14 and AFL++ 4.04c print it.
#include "cli/campaign/crash_log.h"
#include "support.h"

namespace lockstep::cli::campaign::test {
namespace {

TEST(CrashLog, OwnSignatureWins) {
  const auto crash =
      read_crash("aes_gcm",
                 "INFO: Seed: 1\ncase aes_gcm, format version 1\n  key_bytes = 16\n"
                 "LOCKSTEP-SIGNATURE aes_gcm/disagreement/x86_aesni+x86_aesni_2way/ciphertext\n"
                 "==14220== ERROR: libFuzzer: deadly signal\n    #0 0x56  (/b/fuzz+0xe9c91)\n");
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->signature, "aes_gcm/disagreement/x86_aesni+x86_aesni_2way/ciphertext");
  EXPECT_EQ(crash->kind, "disagreement");
  EXPECT_EQ(crash->participants, (std::vector<std::string>{"x86_aesni", "x86_aesni_2way"}));
  EXPECT_TRUE(crash->raw.empty());
}

TEST(CrashLog, NoMajorityAndMemoryInSignatures) {
  const auto split =
      read_crash("ghash", "LOCKSTEP-SIGNATURE ghash/disagreement/no_majority:plain+nettle/digest\n");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->participants, (std::vector<std::string>{"plain", "nettle"}));
  const auto memory = read_crash("ghash", "LOCKSTEP-SIGNATURE ghash/memory/table/violation");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->kind, "memory");
}

constexpr std::string_view overflow =
    "=================================================================\n"
    "==14677==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000056 at pc 0x561a bp 0x7ffc "
    "sp 0x7f\n"
    "WRITE of size 1 at 0x602000000056 thread T0\n"
    "    #0 0x561a in __asan_memcpy (/b/fuzz_aes_gcm+0x11d58a) (BuildId: 7ee3)\n"
    "    #1 0x561a in std::copy(unsigned char const*) /usr/include/c++/12/bits/stl_algobase.h:400:1\n"
    "    #2 0x561b in void lockstep::aes_gcm::(anonymous "
    "namespace)::crypt<(lockstep::aes_gcm::Direction)0>(void const*, "
    "unsigned long) /w/impls/aes_gcm/x86_aesni.cpp:66:71\n"
    "    #3 0x561c in lockstep::aes_gcm::Message::crypt(int) /w/impls/aes_gcm/aes_gcm.cpp:20:3\n"
    "\n"
    "0x602000000056 is located 0 bytes to the right of 6-byte region [0x602000000050,0x602000000056)\n"
    "allocated by thread T0 here:\n"
    "    #0 0x561a in lockstep::oracles::aes_gcm::other() /w/oracles/aes_gcm/plain.cpp:6:53\n"
    "SUMMARY: AddressSanitizer: heap-buffer-overflow /w/impls/aes_gcm/x86_aesni.cpp:66:71 in crypt\n";

TEST(CrashLog, SanitizerBlamesTheFirstKernelOfTheFirstStack) {
  const auto crash = read_crash("aes_gcm", overflow);
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->signature, "aes_gcm/memory/heap-buffer-overflow/x86_aesni:crypt");
  EXPECT_EQ(crash->kind, "memory");
  EXPECT_EQ(crash->participants, (std::vector<std::string>{"x86_aesni", "aes_gcm"}));
  EXPECT_FALSE(crash->raw.empty());
}

TEST(CrashLog, RawTellsPlacesApartWithoutSymbols) {
  const auto log = [](std::string_view offset) {
    return "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000008 (pc 0x5618 bp 0x7ffe sp "
           "0x7ffe T0)\n"
           "==1==The signal is caused by a WRITE memory access.\n"
           "    #0 0x5618cd445403  (/b/fuzz_ghash+" +
           std::string(offset) + ") (BuildId: 7ee3)\n    #1 0x7f4  (/lib/libc.so.6+0x27249)\n";
  };
  const auto a = read_crash("ghash", log("0x11d403"));
  const auto b = read_crash("ghash", log("0x11d404"));
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->raw, b->raw);
  EXPECT_EQ(a->raw, read_crash("ghash", log("0x11d403"))->raw);
  EXPECT_EQ(a->signature, "ghash/memory/SEGV/fuzz_ghash+0x11d403");
}

TEST(CrashLog, UndefinedBehaviour) {
  const auto crash = read_crash(
      "ghash",
      "/w/impls/ghash/table.cpp:8:41: runtime error: shift exponent 152 is too large for 32-bit type 'int'\n"
      "    #0 0x5645  (/b/fuzz_ghash+0x11d731)\n\n"
      "SUMMARY: UndefinedBehaviorSanitizer: invalid-shift-exponent /w/impls/ghash/table.cpp:8:41 in \n");
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->signature, "ghash/memory/invalid-shift-exponent/table.cpp:8:41");
  EXPECT_EQ(crash->kind, "memory");
}

TEST(CrashLog, TimeOutsAreNamedByFileAlone) {
  const auto crash =
      read_crash("ghash",
                 "ALARM: working on the last Unit for 10 seconds\n"
                 "==7== ERROR: libFuzzer: timeout after 10 seconds\n"
                 "    #0 0x1 in __sanitizer_print_stack_trace (/b/f+0x1)\n"
                 "    #1 0x2 in fuzzer::Fuzzer::AlarmCallback() (/b/f+0x2)\n"
                 "    #2 0x3 in __restore_rt sigaction.c\n"
                 "    #3 0x4 in lockstep::ghash::hash(void*) /w/impls/ghash/portable.cpp:30:5\n");
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->kind, "timeout");
  EXPECT_EQ(crash->signature, "ghash/timeout/portable");
}

TEST(CrashLog, OutOfMemory) {
  for (const std::string_view line :
       {"==1== ERROR: libFuzzer: out-of-memory (malloc(3221225472))\n",
        "==1==ERROR: AddressSanitizer: requested allocation size 0xc0000000 exceeds maximum supported size\n",
        "==1==ERROR: AddressSanitizer: allocator is out of memory trying to allocate 0x1000 bytes\n"}) {
    const auto crash = read_crash("ghash", line);
    ASSERT_TRUE(crash) << line;
    EXPECT_EQ(crash->kind, "oom");
    EXPECT_EQ(crash->signature, "ghash/oom/unknown");
  }
}

TEST(CrashLog, OtherReports) {
  EXPECT_EQ(read_crash("t", "==1==ERROR: AddressSanitizer: attempting double-free on 0x602 in thread T0:\n")
                ->signature,
            "t/memory/double-free/unknown");
  EXPECT_EQ(read_crash("t", "==1==ERROR: LeakSanitizer: detected memory leaks\n")->signature,
            "t/memory/leak/unknown");
  EXPECT_EQ(read_crash("t", "==1== ERROR: libFuzzer: deadly signal\n")->signature,
            "t/memory/deadly-signal/unknown");
}

TEST(CrashLog, NothingInAnOrdinaryLog) {
  EXPECT_FALSE(read_crash("ghash", ""));
  EXPECT_FALSE(read_crash("ghash",
                          "INFO: Running with entropic power schedule\n#2 INITED cov: 3 ft: 4 corp: 1/1b\n"
                          "[*] Fuzzing test case #0 (1 total, 0 crashes saved)\n"));
}

TEST(CrashLog, Functions) {
  EXPECT_EQ(short_function("hash"), "hash");
  EXPECT_EQ(short_function("lockstep::a::(anonymous namespace)::seal(unsigned char const*, unsigned long)"),
            "seal");
  EXPECT_EQ(short_function("void ns::seal<16, (ns::Direction)0>(std::span<unsigned char, 5ul>)"), "seal");
  EXPECT_EQ(short_function("ns::Thing::size() const"), "size");
  EXPECT_EQ(short_function("ns::run(int)::$_0::operator()(int) const"), "run");
}

TEST(CrashLog, Frames) {
  const auto symbols = parse_frame("    #3 0x55d2 in lockstep::f(int) /w/oracles/aes_gcm/botan.cpp:5:1");
  ASSERT_TRUE(symbols);
  EXPECT_EQ(symbols->file, "botan");
  EXPECT_EQ(symbols->function, "f");
  EXPECT_EQ(symbols->rank, 1);
  const auto bare = parse_frame("    #12 0x55d2  (/b/fuzz+0xdf) (BuildId: 0)");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->function, "fuzz+0xdf");
  EXPECT_EQ(bare->rank, 4);
  EXPECT_FALSE(parse_frame("#2 INITED cov: 3"));
  EXPECT_FALSE(parse_frame("0x602 is located 0 bytes"));
}

TEST(CrashLog, TailIsReadable) {
  EXPECT_EQ(tail_of("one\ntwo\nthree\n", 2), "two\nthree");
  EXPECT_EQ(tail_of("one\n", 5), "one");
  EXPECT_EQ(tail_of("", 5), "");
  EXPECT_EQ(tail_of("\x1b[1;91m\n[-] PROGRAM ABORT : \x1b[0mno seed\x1b[1;91m\n)\x1b(B\x1b[?25h", 1), ")");
  EXPECT_EQ(tail_of(std::string(500, 'x') + "\nlast", 2), std::string(160, 'x') + "...\nlast");
  EXPECT_EQ(without_escapes("\x1b[1;92m[+] \x1b[0mgood"), "[+] good");
}

TEST(CrashLog, ReportPartEndsWithTheSignature) {
  EXPECT_EQ(report_part("INFO: Seed: 1\n/b/f: Running 1 inputs 1 time(s) each.\nRunning: x\ncase\n"
                        "LOCKSTEP-SIGNATURE a/b/c/d\n==1== ERROR: libFuzzer: deadly signal\n"),
            "case\nLOCKSTEP-SIGNATURE a/b/c/d\n");
}

}  // namespace
}  // namespace lockstep::cli::campaign::test
