#include <array>
#include <cstdint>

#include "oracles/aes/plain.h"
#include "support.h"

namespace lockstep::oracles::test {
namespace {

Bytes encrypt(std::string_view key, std::string_view block) {
  const aes::Aes cipher(from_hex(key));
  std::array<std::uint8_t, 16> out = {};
  cipher.encrypt_block(std::span<const std::uint8_t, 16>(from_hex(block)), out);
  return copy(out);
}

TEST(AesPlain, Fips197AppendixB) {
  EXPECT_EQ(encrypt("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734"),
            from_hex("3925841d02dc09fbdc118597196a0b32"));
}

TEST(AesPlain, Fips197AppendixC) {
  const std::string_view block = "00112233445566778899aabbccddeeff";
  EXPECT_EQ(encrypt("000102030405060708090a0b0c0d0e0f", block), from_hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
  EXPECT_EQ(encrypt("000102030405060708090a0b0c0d0e0f1011121314151617", block),
            from_hex("dda97ca4864cdfe06eaf70a0ec0d7191"));
  EXPECT_EQ(encrypt("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", block),
            from_hex("8ea2b7ca516745bfeafc49904b496089"));
}

TEST(AesPlain, InPlace) {
  const aes::Aes cipher(from_hex("2b7e151628aed2a6abf7158809cf4f3c"));
  Bytes block = from_hex("3243f6a8885a308d313198a2e0370734");
  const std::span<std::uint8_t, 16> view(block);
  cipher.encrypt_block(view, view);
  EXPECT_EQ(block, from_hex("3925841d02dc09fbdc118597196a0b32"));
}

TEST(AesPlain, KeySizes) {
  const Bytes key(64);
  for (std::size_t bytes = 0; bytes <= key.size(); ++bytes) {
    aes::Aes cipher;
    EXPECT_EQ(cipher.set_key(std::span(key).first(bytes)), bytes == 16 || bytes == 24 || bytes == 32)
        << bytes;
  }
}

}  // namespace
}  // namespace lockstep::oracles::test
