#pragma once

#include <emmintrin.h>
#include <wmmintrin.h>

#include <cstddef>
#include <cstdint>

#include "impls/core/endian.h"

// AES (FIPS 197) with the AES New Instructions (Intel SDM volume 2A). The instructions take the same time for
// all data: constant time.
namespace lockstep::aes {
namespace {

struct AesniKey {
  std::uint8_t round_keys[15][16];
  std::uint64_t rounds;
};

[[gnu::always_inline]] inline __m128i round_key(const AesniKey& key, std::uint64_t n) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(key.round_keys[n]));
}

// AESENCLAST with a zero key is SubBytes and ShiftRows, and rows of four equal bytes do not notice the
// latter.
inline std::uint32_t substitute_word(std::uint32_t word) noexcept {
  const __m128i columns = _mm_set1_epi32(static_cast<int>(word));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_aesenclast_si128(columns, _mm_setzero_si128())));
}

// Section 5.2, on words with their first byte in the low bits; the same for all three sizes.
inline void expand_key(AesniKey& out, const std::uint8_t* key, std::size_t key_bytes) noexcept {
  const std::size_t key_words = key_bytes / 4;
  const std::size_t rounds = key_words + 6;
  std::uint8_t* const w = out.round_keys[0];
  std::memcpy(w, key, key_bytes);
  std::uint32_t t = core::load_le32(w + key_bytes - 4);
  std::uint32_t round_constant = 1;
  std::size_t phase = 0;
  for (std::size_t i = key_bytes; i < 16 * (rounds + 1); i += 4) {
    if (phase == 0) {
      t = substitute_word(t >> 8 | t << 24) ^ round_constant;
      round_constant = round_constant << 1 ^ (round_constant >> 7) * 0x11B;
    } else if (key_words == 8 && phase == 4) {
      t = substitute_word(t);
    }
    t ^= core::load_le32(w + i - key_bytes);
    core::store_le32(w + i, t);
    if (++phase == key_words) phase = 0;
  }
  out.rounds = rounds;
}

inline __m128i encrypt(const AesniKey& key, __m128i block) noexcept {
  block = _mm_xor_si128(block, round_key(key, 0));
  for (std::uint64_t n = 1; n < key.rounds; ++n) block = _mm_aesenc_si128(block, round_key(key, n));
  return _mm_aesenclast_si128(block, round_key(key, key.rounds));
}

inline void encrypt_block(const AesniKey& key, const std::uint8_t* in, std::uint8_t* out) noexcept {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), encrypt(key, block));
}

}  // namespace
}  // namespace lockstep::aes
