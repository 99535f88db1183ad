// AES-GCM (SP 800-38D) with AES-NI and PCLMULQDQ in the plainest order: encrypt a counter block, XOR,
// multiply by H, reduce, next block. Both chains are latency-bound; it is the short, obviously right one.
// Every instruction takes the same time for all data: constant time.
#include <cstring>

#include "impls/aes/x86_aesni_core.h"
#include "impls/aes_gcm/kernel.h"
#include "impls/aes_gcm/started_block_core.h"
#include "impls/core/probe.h"
#include "impls/ghash/x86_pclmul_core.h"

namespace lockstep::aes_gcm {
namespace {

struct Context {
  aes::AesniKey aes;
  ghash::ClmulPower powers[1];
};
static_assert(sizeof(Context) <= max_context_bytes && alignof(Context) <= 8);

void expand_key(void* context, const std::uint8_t* key, std::size_t key_bytes, std::uint8_t* h) noexcept {
  Context& c = *static_cast<Context*>(context);
  aes::expand_key(c.aes, key, key_bytes);
  std::memset(h, 0, block_bytes);
  aes::encrypt_block(c.aes, h, h);
  ghash::expand(c.powers, h);
}

void encrypt_block(const void* context, const std::uint8_t* in, std::uint8_t* out) noexcept {
  aes::encrypt_block(static_cast<const Context*>(context)->aes, in, out);
}

__m128i absorb(const Context& c, __m128i sum, __m128i block) noexcept {
  return ghash::reduce(ghash::multiply(c.powers[0], _mm_xor_si128(sum, block)));
}

void hash(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  __m128i sum = ghash::load_block(y);
  for (; bytes >= block_bytes; bytes -= block_bytes, data += block_bytes) {
    sum = absorb(c, sum, ghash::load_block(data));
  }
  if (bytes > 0) {
    std::uint8_t padded[block_bytes] = {};
    std::memcpy(padded, data, bytes);
    sum = absorb(c, sum, ghash::load_block(padded));
  }
  ghash::store_block(y, sum);
}

template <Direction direction>
void crypt(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  // Byte-reversed, the 32 bits that count are the lowest lane, and PADDD carries into no other.
  const __m128i one = _mm_set_epi32(0, 0, 0, 1);
  __m128i counter = ghash::load_block(state.counter);
  __m128i sum = ghash::load_block(state.ghash);
  while (bytes > 0) {
    const __m128i keystream = aes::encrypt(c.aes, ghash::reverse_bytes(counter));
    counter = _mm_add_epi32(counter, one);
    if (bytes < block_bytes) {
      std::uint8_t mask[block_bytes];
      ghash::store(mask, keystream);
      start_block<direction>(state, mask, in, out, bytes);
      break;
    }
    core::count_bulk_iteration();
    const __m128i given = ghash::load(in);
    const __m128i made = _mm_xor_si128(given, keystream);
    ghash::store(out, made);
    sum = absorb(c, sum, ghash::reverse_bytes(direction == Direction::seal ? made : given));
    in += block_bytes;
    out += block_bytes;
    bytes -= block_bytes;
  }
  ghash::store_block(state.counter, counter);
  ghash::store_block(state.ghash, sum);
}

constexpr std::string_view linux_aliases[] = {"generic-gcm-aesni"};

}  // namespace

extern constinit const Implementation x86_aesni = {
    .info =
        {
            .name = "x86_aesni",
            .arch = "x86",
            .required = {CpuFeature::ssse3, CpuFeature::aesni, CpuFeature::pclmul},
            .priority = 300,
            .constant_time = true,
            .stride_blocks = 1,
            .tail_strides = {},
            .linux_aliases = linux_aliases,
        },
    .expand_key = expand_key,
    .encrypt_block = encrypt_block,
    .hash = hash,
    .seal = crypt<Direction::seal>,
    .open = crypt<Direction::open>,
};

}  // namespace lockstep::aes_gcm
