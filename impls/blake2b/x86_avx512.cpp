// BLAKE2b's compression function (RFC 7693, section 3.2), one message, a row to a register (x86_ymm_core.h),
// with what AVX-512VL adds to 256-bit registers: rotation is one instruction, and a message word is loaded,
// broadcast and merged into its column by one more. No table, no branch on data: constant time.
#include "impls/blake2b/kernel.h"
#include "impls/blake2b/x86_ymm_core.h"
#include "impls/core/endian.h"

namespace lockstep::blake2b {
namespace {

struct Avx512 {
  template <int n>
  [[gnu::always_inline]] static __m256i rotate(__m256i x) noexcept {
    return _mm256_ror_epi64(x, n);
  }

  [[gnu::always_inline]] static __m128i word(const std::uint8_t* at) noexcept {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  }

  template <int i, int j, int k, int l>
  [[gnu::always_inline]] static __m256i gather(const std::uint8_t* block) noexcept {
    __m256i words = _mm256_zextsi128_si256(word(block + 8 * i));
    words = _mm256_mask_broadcastq_epi64(words, 0b0010, word(block + 8 * j));
    words = _mm256_mask_broadcastq_epi64(words, 0b0100, word(block + 8 * k));
    return _mm256_mask_broadcastq_epi64(words, 0b1000, word(block + 8 * l));
  }
};

void compress(State& state, const std::uint8_t* blocks, std::size_t count, std::uint64_t increment) noexcept {
  compress_rows<Avx512>(state, blocks, count, increment);
}

}  // namespace

extern constinit const Implementation x86_avx512 = {
    .info =
        {
            .name = "x86_avx512",
            .arch = "x86",
            .required = {CpuFeature::avx, CpuFeature::avx2, CpuFeature::avx512f, CpuFeature::avx512vl},
            .priority = 400,
            .constant_time = true,
            .stride_blocks = 1,
            .tail_strides = {},
            .linux_aliases = {},
        },
    .compress = compress,
};

}  // namespace lockstep::blake2b
