#include "lockstep/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__linux__) && (defined(__aarch64__) || defined(__arm__))
#include <sys/auxv.h>
#endif

namespace lockstep {

namespace {

#if defined(__x86_64__) || defined(__i386__)

std::uint64_t enabled_register_states() noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  // An instruction, not the intrinsic: that one would need this file built for XSAVE.
  __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

// Bit numbers: Intel SDM volume 2A, CPUID, leaves 1 and 7; XCR0: volume 1, section 13.3.
CpuFeatures detect() noexcept {
  CpuFeatures features;
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return features;
  const auto insert_if = [&features](std::uint32_t word, unsigned bit, CpuFeature feature) noexcept {
    if ((word >> bit & 1U) != 0) features.insert(feature);
  };
  insert_if(ecx, 1, CpuFeature::pclmul);
  insert_if(ecx, 9, CpuFeature::ssse3);
  insert_if(ecx, 19, CpuFeature::sse41);
  insert_if(ecx, 25, CpuFeature::aesni);

  const bool os_uses_xsave = (ecx >> 27 & 1U) != 0;
  const std::uint64_t states = os_uses_xsave ? enabled_register_states() : 0;
  constexpr std::uint64_t ymm_states = 0x06;  // SSE, AVX
  constexpr std::uint64_t zmm_states = 0xE6;  // and opmask, upper halves of zmm0..15, zmm16..31
  const bool ymm = (states & ymm_states) == ymm_states;
  const bool zmm = (states & zmm_states) == zmm_states;
  const bool avx = ymm && (ecx >> 28 & 1U) != 0;
  if (avx) features.insert(CpuFeature::avx);

  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return features;
  insert_if(ebx, 8, CpuFeature::bmi2);
  insert_if(ecx, 8, CpuFeature::gfni);
  if (avx) {
    insert_if(ebx, 5, CpuFeature::avx2);
    insert_if(ecx, 9, CpuFeature::vaes);
    insert_if(ecx, 10, CpuFeature::vpclmulqdq);
  }
  if (avx && zmm) {
    insert_if(ebx, 16, CpuFeature::avx512f);
    insert_if(ebx, 17, CpuFeature::avx512dq);
    insert_if(ebx, 30, CpuFeature::avx512bw);
    insert_if(ebx, 31, CpuFeature::avx512vl);
  }
  return features;
}

#elif defined(__linux__) && (defined(__aarch64__) || defined(__arm__))

// Bit numbers: Linux, arch/arm64 and arch/arm, asm/hwcap.h, which is part of its ABI. On 32-bit Arm the
// second word has what Armv8 added.
CpuFeatures detect() noexcept {
  struct Bit {
    unsigned long type;
    unsigned bit;
    CpuFeature feature;
  };
  static constexpr Bit bits[] = {
#if defined(__aarch64__)
    {AT_HWCAP, 1, CpuFeature::neon},
    {AT_HWCAP, 3, CpuFeature::aes},
    {AT_HWCAP, 4, CpuFeature::pmull},
    {AT_HWCAP, 17, CpuFeature::sha3},
#else
    {AT_HWCAP, 12, CpuFeature::neon},
    {AT_HWCAP2, 0, CpuFeature::aes},
    {AT_HWCAP2, 1, CpuFeature::pmull},
#endif
  };
  CpuFeatures features;
  for (const Bit& each : bits) {
    if ((getauxval(each.type) >> each.bit & 1U) != 0) features.insert(each.feature);
  }
  return features;
}

#else

CpuFeatures detect() noexcept {
  return {};
}

#endif

}  // namespace

std::string_view to_string(CpuFeature feature) noexcept {
  switch (feature) {
    case CpuFeature::ssse3:
      return "ssse3";
    case CpuFeature::sse41:
      return "sse41";
    case CpuFeature::aesni:
      return "aesni";
    case CpuFeature::pclmul:
      return "pclmul";
    case CpuFeature::avx:
      return "avx";
    case CpuFeature::avx2:
      return "avx2";
    case CpuFeature::bmi2:
      return "bmi2";
    case CpuFeature::vaes:
      return "vaes";
    case CpuFeature::vpclmulqdq:
      return "vpclmulqdq";
    case CpuFeature::avx512f:
      return "avx512f";
    case CpuFeature::avx512vl:
      return "avx512vl";
    case CpuFeature::avx512bw:
      return "avx512bw";
    case CpuFeature::avx512dq:
      return "avx512dq";
    case CpuFeature::gfni:
      return "gfni";
    case CpuFeature::neon:
      return "neon";
    case CpuFeature::aes:
      return "aes";
    case CpuFeature::pmull:
      return "pmull";
    case CpuFeature::sha3:
      return "sha3";
    case CpuFeature::count_:
      break;
  }
  return "unknown";
}

CpuFeatures cpu_features() noexcept {
  static const CpuFeatures features = detect();
  return features;
}

}  // namespace lockstep
