#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// AES encryption by the text of FIPS 197. Shares nothing with impls/. Table look-ups: not for secrets.
namespace lockstep::oracles::aes {

class Aes {
 public:
  static constexpr std::size_t block_bytes = 16;

  static constexpr bool is_key_size(std::size_t bytes) noexcept {
    return bytes == 16 || bytes == 24 || bytes == 32;
  }

  Aes() noexcept = default;
  explicit Aes(std::span<const std::uint8_t> key) noexcept { set_key(key); }

  // `key`: 16, 24 or 32 bytes; another size leaves the object as it was and returns false.
  bool set_key(std::span<const std::uint8_t> key) noexcept;
  // `out` may be `in`.
  void encrypt_block(std::span<const std::uint8_t, block_bytes> in,
                     std::span<std::uint8_t, block_bytes> out) const noexcept;

 private:
  static constexpr std::size_t max_rounds = 14;

  std::array<std::uint32_t, 4 * (max_rounds + 1)> w_ = {};  // the key schedule, a word per column
  std::size_t rounds_ = 10;                                 // Nr
};

}  // namespace lockstep::oracles::aes
