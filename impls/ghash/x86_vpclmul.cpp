// GHASH (SP 800-38D, section 6.4) with VPCLMULQDQ on 512 bits, sixteen blocks an iteration: Karatsuba
// products of four vectors added up and reduced once, lane by lane; the lanes are added in the last iteration
// only (x86_vpclmul_core.h). What is left, up to 255 bytes, is one more such sum, its last vector masked. 512
// bits and not 256, because a multiplication takes as long for four blocks as for two on every CPU measured,
// and the masks of AVX-512 load a tail without a buffer. No table, no branch on data: constant time.
#include "impls/ghash/kernel.h"
#include "impls/ghash/x86_vpclmul_core.h"

namespace lockstep::ghash {
namespace {

struct Context {
  std::uint8_t h[block_bytes];
  WidePowers powers;
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

void expand_key(void* context, const std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  std::memcpy(c.h, h, block_bytes);
  expand(c.powers, h);
}

void hash_bytes(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  store_block(y, absorb_bytes<true>(c.powers, load_block(y), data, bytes));
}

constexpr unsigned tail_strides[] = {wide_vector_blocks};

}  // namespace

extern constinit const Implementation x86_vpclmul = {
    .info =
        {
            .name = "x86_vpclmul",
            .arch = "x86",
            .required = {CpuFeature::ssse3, CpuFeature::pclmul, CpuFeature::avx2, CpuFeature::vpclmulqdq,
                         CpuFeature::avx512f, CpuFeature::avx512bw},
            .priority = 400,
            .constant_time = true,
            .stride_blocks = wide_stride_blocks,
            .tail_strides = tail_strides,
            .linux_aliases = {},
        },
    .expand_key = expand_key,
    .hash = hash_bytes,
};

}  // namespace lockstep::ghash
