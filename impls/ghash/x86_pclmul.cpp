// GHASH (SP 800-38D, section 6.4) with PCLMULQDQ. Four blocks an iteration:
// y = (y + c0) H^4 + c1 H^3 + c2 H^2 + c3 H, Karatsuba products added up and reduced once
// (x86_pclmul_core.h). Blocks left over go one by one. No table, no branch on data: constant time.
#include "impls/core/probe.h"
#include "impls/ghash/kernel.h"
#include "impls/ghash/x86_pclmul_core.h"

namespace lockstep::ghash {
namespace {

constexpr unsigned stride_blocks = 4;
constexpr std::size_t stride_bytes = stride_blocks * block_bytes;

struct Context {
  std::uint8_t h[block_bytes];
  ClmulPower powers[stride_blocks];
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

void expand_key(void* context, const std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  std::memcpy(c.h, h, block_bytes);
  expand(c.powers, h);
}

void hash_bytes(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  __m128i sum = load_block(y);
  for (; bytes >= stride_bytes; bytes -= stride_bytes, data += stride_bytes) {
    core::count_bulk_iteration();
    const ClmulProduct p0 = multiply(c.powers[3], _mm_xor_si128(sum, load_block(data)));
    const ClmulProduct p1 = multiply(c.powers[2], load_block(data + 16));
    const ClmulProduct p2 = multiply(c.powers[1], load_block(data + 32));
    const ClmulProduct p3 = multiply(c.powers[0], load_block(data + 48));
    sum = reduce(add(add(p0, p1), add(p2, p3)));
  }
  for (; bytes >= block_bytes; bytes -= block_bytes, data += block_bytes) {
    sum = reduce(multiply(c.powers[0], _mm_xor_si128(sum, load_block(data))));
  }
  if (bytes > 0) {
    std::uint8_t padded[block_bytes] = {};
    std::memcpy(padded, data, bytes);
    sum = reduce(multiply(c.powers[0], _mm_xor_si128(sum, load_block(padded))));
  }
  store_block(y, sum);
}

constexpr unsigned tail_strides[] = {1};
constexpr std::string_view linux_aliases[] = {"ghash-clmulni"};

}  // namespace

extern constinit const Implementation x86_pclmul = {
    .info =
        {
            .name = "x86_pclmul",
            .arch = "x86",
            .required = {CpuFeature::ssse3, CpuFeature::pclmul},
            .priority = 300,
            .constant_time = true,
            .stride_blocks = stride_blocks,
            .tail_strides = tail_strides,
            .linux_aliases = linux_aliases,
        },
    .expand_key = expand_key,
    .hash = hash_bytes,
};

}  // namespace lockstep::ghash
