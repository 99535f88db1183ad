#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace lockstep {

// What an implementation may require. A feature counts as present only if the operating system also saves the
// registers that it uses (XCR0 for ymm and zmm; what Linux says in HWCAP), so `present` means `may be
// executed`.
enum class CpuFeature : std::uint8_t {
  ssse3,
  sse41,
  aesni,
  pclmul,
  avx,
  avx2,
  bmi2,
  vaes,
  vpclmulqdq,
  avx512f,
  avx512vl,
  avx512bw,
  avx512dq,
  gfni,
  // Arm, 64- and 32-bit: Advanced SIMD, and the Crypto Extensions by their parts.
  neon,
  aes,
  pmull,
  sha3,  // EOR3 among them
  count_,
};

std::string_view to_string(CpuFeature feature) noexcept;

// A set of features; a plain value, so that selection can be tried for any CPU on any machine.
class CpuFeatures {
 public:
  constexpr CpuFeatures() noexcept = default;
  constexpr CpuFeatures(std::initializer_list<CpuFeature> features) noexcept {
    for (CpuFeature feature : features) insert(feature);
  }
  constexpr void insert(CpuFeature feature) noexcept {
    bits_ |= std::uint64_t{1} << static_cast<unsigned>(feature);
  }
  [[nodiscard]] constexpr bool contains(CpuFeature feature) const noexcept {
    return (bits_ >> static_cast<unsigned>(feature) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool contains_all(CpuFeatures other) const noexcept {
    return (other.bits_ & ~bits_) == 0;
  }
  constexpr bool operator==(const CpuFeatures&) const noexcept = default;

 private:
  std::uint64_t bits_ = 0;
};

// The features of the CPU that runs this. Detected once, by cpuid and xgetbv or getauxval; no environment
// variable changes it.
CpuFeatures cpu_features() noexcept;

}  // namespace lockstep
