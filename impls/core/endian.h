#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

// Everything here has internal linkage: kernels built for special instruction sets include it, and the linker
// must not take their copy for the whole program.
namespace lockstep::core {
namespace {

[[gnu::always_inline]] inline std::uint32_t little_or_swapped(std::uint32_t x) noexcept {
  if constexpr (std::endian::native == std::endian::little) return x;
  return __builtin_bswap32(x);
}
[[gnu::always_inline]] inline std::uint64_t little_or_swapped(std::uint64_t x) noexcept {
  if constexpr (std::endian::native == std::endian::little) return x;
  return __builtin_bswap64(x);
}

// memcpy, so that any address will do and sanitizers check one access instead of eight.
[[gnu::always_inline]] inline std::uint32_t load_le32(const std::uint8_t* p) noexcept {
  std::uint32_t x;
  std::memcpy(&x, p, sizeof x);
  return little_or_swapped(x);
}
[[gnu::always_inline]] inline std::uint64_t load_le64(const std::uint8_t* p) noexcept {
  std::uint64_t x;
  std::memcpy(&x, p, sizeof x);
  return little_or_swapped(x);
}
[[gnu::always_inline]] inline std::uint32_t load_be32(const std::uint8_t* p) noexcept {
  return __builtin_bswap32(load_le32(p));
}
[[gnu::always_inline]] inline std::uint64_t load_be64(const std::uint8_t* p) noexcept {
  return __builtin_bswap64(load_le64(p));
}

[[gnu::always_inline]] inline void store_le32(std::uint8_t* p, std::uint32_t x) noexcept {
  x = little_or_swapped(x);
  std::memcpy(p, &x, sizeof x);
}
[[gnu::always_inline]] inline void store_le64(std::uint8_t* p, std::uint64_t x) noexcept {
  x = little_or_swapped(x);
  std::memcpy(p, &x, sizeof x);
}
[[gnu::always_inline]] inline void store_be32(std::uint8_t* p, std::uint32_t x) noexcept {
  store_le32(p, __builtin_bswap32(x));
}
[[gnu::always_inline]] inline void store_be64(std::uint8_t* p, std::uint64_t x) noexcept {
  store_le64(p, __builtin_bswap64(x));
}

}  // namespace
}  // namespace lockstep::core
