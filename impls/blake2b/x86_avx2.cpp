// BLAKE2b's compression function (RFC 7693, section 3.2), one message, a row to a register (x86_ymm_core.h).
// AVX2 has no rotation: 32, 24 and 16 bits are moves of bytes, 63 is a shift and a doubling. Message words
// are broadcast and blended: both leave the shuffle port to the rotations. No table, no branch on data:
// constant time.
#include "impls/blake2b/kernel.h"
#include "impls/blake2b/x86_ymm_core.h"
#include "impls/core/endian.h"

namespace lockstep::blake2b {
namespace {

struct Avx2 {
  template <int n>
  [[gnu::always_inline]] static __m256i rotate(__m256i x) noexcept {
    if constexpr (n == 32) return _mm256_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1));
    if constexpr (n == 63) return _mm256_xor_si256(_mm256_srli_epi64(x, 63), _mm256_add_epi64(x, x));
    if constexpr (n == 24)
      return move_bytes(x, _mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10));
    if constexpr (n == 16)
      return move_bytes(x, _mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9));
  }

  [[gnu::always_inline]] static __m256i move_bytes(__m256i x, __m128i order) noexcept {
    __m256i both = _mm256_broadcastsi128_si256(order);
    // Unknown to the compiler: where it knows the order, clang makes two moves of words out of one of bytes.
    __asm__("" : "+x"(both));
    return _mm256_shuffle_epi8(x, both);
  }

  [[gnu::always_inline]] static __m256i everywhere(const std::uint8_t* word) noexcept {
    return _mm256_set1_epi64x(static_cast<long long>(core::load_le64(word)));
  }

  template <int i, int j, int k, int l>
  [[gnu::always_inline]] static __m256i gather(const std::uint8_t* block) noexcept {
    const __m256i ij = _mm256_blend_epi32(everywhere(block + 8 * i), everywhere(block + 8 * j), 0b00001100);
    const __m256i kl = _mm256_blend_epi32(everywhere(block + 8 * k), everywhere(block + 8 * l), 0b11000000);
    return _mm256_blend_epi32(ij, kl, 0b11110000);
  }
};

void compress(State& state, const std::uint8_t* blocks, std::size_t count, std::uint64_t increment) noexcept {
  compress_rows<Avx2>(state, blocks, count, increment);
}

}  // namespace

extern constinit const Implementation x86_avx2 = {
    .info =
        {
            .name = "x86_avx2",
            .arch = "x86",
            .required = {CpuFeature::avx, CpuFeature::avx2},
            .priority = 300,
            .constant_time = true,
            .stride_blocks = 1,
            .tail_strides = {},
            .linux_aliases = {},
        },
    .compress = compress,
};

}  // namespace lockstep::blake2b
