// AES-GCM (SP 800-38D) with VAES and VPCLMULQDQ on 512 bits, sixteen blocks an iteration, CTR fused with
// GHASH. Schedule: an iteration makes the keystream of its stride while it hashes the ciphertext of the
// stride before, AES rounds and multiplications alternating; Karatsuba products of all sixteen blocks, one
// reduction, lanes apart until the last stride (ghash/x86_vpclmul_core.h). What is left is 0 .. 255 bytes,
// made in one step of one to four vectors, the last one masked in bytes, hashed with the powers from H^n down
// to H. Every instruction takes the same time for all data: constant time.
#include "impls/aes/x86_aesni_core.h"
#include "impls/aes_gcm/kernel.h"
#include "impls/aes_gcm/started_block_core.h"
#include "impls/core/probe.h"
#include "impls/ghash/x86_vpclmul_core.h"

namespace lockstep::aes_gcm {
namespace {

constexpr unsigned stride_blocks = ghash::wide_stride_blocks;
constexpr std::size_t stride_bytes = ghash::wide_stride_bytes;
constexpr std::size_t vector_bytes = ghash::wide_vector_bytes;
constexpr unsigned begun_rounds = 4;

struct Context {
  ghash::WidePowers powers;
  aes::AesniKey aes;
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

void hash(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept {
  const Context& c = *static_cast<const Context*>(context);
  ghash::store_block(y, ghash::absorb_bytes<false>(c.powers, ghash::load_block(y), data, bytes));
}

[[gnu::always_inline]] inline __m512i round_key(const Context& c, std::uint64_t n) noexcept {
  return ghash::broadcast(c.aes.round_keys[n]);
}

// Byte-reversed, the 32 bits that count are the lowest of each lane, and VPADDD carries into no other.
[[gnu::always_inline]] inline __m512i first_counters(__m128i counter) noexcept {
  return _mm512_add_epi32(_mm512_broadcast_i32x4(counter),
                          _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0));
}

[[gnu::always_inline]] inline __m512i next_counters(__m512i counters) noexcept {
  return _mm512_add_epi32(counters, _mm512_set_epi32(0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4));
}

[[gnu::always_inline]] inline __m128i advance(__m128i counter, std::uint64_t blocks) noexcept {
  return _mm_add_epi32(counter, _mm_cvtsi32_si128(static_cast<int>(static_cast<std::uint32_t>(blocks))));
}

// A stride of AES states, or of text.
struct Quad {
  __m512i first, second, third, fourth;
};

[[gnu::always_inline]] inline Quad load(const std::uint8_t* p) noexcept {
  return {ghash::load_wide(p), ghash::load_wide(p + vector_bytes), ghash::load_wide(p + 2 * vector_bytes),
          ghash::load_wide(p + 3 * vector_bytes)};
}

[[gnu::always_inline]] inline void store(std::uint8_t* p, const Quad& q) noexcept {
  ghash::store_wide(p, q.first);
  ghash::store_wide(p + vector_bytes, q.second);
  ghash::store_wide(p + 2 * vector_bytes, q.third);
  ghash::store_wide(p + 3 * vector_bytes, q.fourth);
}

[[gnu::always_inline]] inline ghash::WideStride reverse_bytes(const Quad& q) noexcept {
  return {ghash::reverse_bytes(q.first), ghash::reverse_bytes(q.second), ghash::reverse_bytes(q.third),
          ghash::reverse_bytes(q.fourth)};
}

[[gnu::always_inline]] inline Quad add_key(const Quad& q, __m512i key) noexcept {
  return {_mm512_xor_si512(q.first, key), _mm512_xor_si512(q.second, key), _mm512_xor_si512(q.third, key),
          _mm512_xor_si512(q.fourth, key)};
}

template <unsigned vectors = 4>
[[gnu::always_inline]] inline void round(Quad& q, __m512i key) noexcept {
  q.first = _mm512_aesenc_epi128(q.first, key);
  if constexpr (vectors > 1) q.second = _mm512_aesenc_epi128(q.second, key);
  if constexpr (vectors > 2) q.third = _mm512_aesenc_epi128(q.third, key);
  if constexpr (vectors > 3) q.fourth = _mm512_aesenc_epi128(q.fourth, key);
}

// The last round and the text in one: AESENCLAST adds its key at the very end.
[[gnu::always_inline]] inline Quad last_round(const Quad& q, const Quad& keys) noexcept {
  return {_mm512_aesenclast_epi128(q.first, keys.first), _mm512_aesenclast_epi128(q.second, keys.second),
          _mm512_aesenclast_epi128(q.third, keys.third), _mm512_aesenclast_epi128(q.fourth, keys.fourth)};
}

[[gnu::always_inline]] inline Quad take_counters(__m512i& counters) noexcept {
  Quad q;
  q.first = ghash::reverse_bytes(counters);
  counters = next_counters(counters);
  q.second = ghash::reverse_bytes(counters);
  counters = next_counters(counters);
  q.third = ghash::reverse_bytes(counters);
  counters = next_counters(counters);
  q.fourth = ghash::reverse_bytes(counters);
  counters = next_counters(counters);
  return q;
}

// Round keys 0 .. 9, kept in registers through the bulk loop.
struct EarlyKeys {
  explicit EarlyKeys(const Context& c) noexcept
      : key{round_key(c, 0), round_key(c, 1), round_key(c, 2), round_key(c, 3), round_key(c, 4),
            round_key(c, 5), round_key(c, 6), round_key(c, 7), round_key(c, 8), round_key(c, 9)} {}
  __m512i key[10];
};

// The first rounds of a stride, up to round 4.
[[gnu::always_inline]] inline Quad begin(const EarlyKeys& early, __m512i& counters) noexcept {
  Quad q = add_key(take_counters(counters), early.key[0]);
  for (unsigned n = 1; n <= begun_rounds; ++n) round(q, early.key[n]);
  return q;
}

// Rounds 10 and up, which not every key size has, and the text.
[[gnu::always_inline]] inline Quad finish_late_rounds(const Context& c, Quad& q, const Quad& text) noexcept {
  for (std::uint64_t n = 10; n < c.aes.rounds; ++n) round(q, round_key(c, n));
  return last_round(q, add_key(text, round_key(c, c.aes.rounds)));
}

[[gnu::always_inline]] inline Quad finish(const Context& c, const EarlyKeys& early, Quad q,
                                          const Quad& text) noexcept {
  for (unsigned n = begun_rounds + 1; n < 10; ++n) round(q, early.key[n]);
  return finish_late_rounds(c, q, text);
}

// What was written before stays before. Without it clang gathers all multiplications behind the AES rounds.
[[gnu::always_inline]] inline void keep_order(Quad& q, Quad& r, __m512i& x) noexcept {
  __asm__ volatile(""
                   : "+v"(q.first), "+v"(q.second), "+v"(q.third), "+v"(q.fourth), "+v"(r.first),
                     "+v"(r.second), "+v"(r.third), "+v"(r.fourth), "+v"(x));
}

// Three things at once: finish() of one stride, begin() of the next and ghash::absorb_running of the one
// before, in an order that leaves no unit idle. The blocks that wait for `lanes` come last.
[[gnu::always_inline]] inline Quad step(const Context& c, const EarlyKeys& early, __m512i& counters,
                                        Quad& begun, const std::uint8_t* in, Quad& given, __m512i& lanes,
                                        const ghash::WideStride& before) noexcept {
  const ghash::WidePowers& h = c.powers;
  Quad q = begun;
  Quad next = take_counters(counters);
  ghash::WideProduct later =
      ghash::multiply_pair(before.third, before.fourth, ghash::load_wide(h.running[2]),
                           ghash::load_wide(h.running[3]), ghash::load_wide(h.running_sums[1]));
  round(q, early.key[5]);
  next = add_key(next, early.key[0]);
  keep_order(q, next, later.middle);
  const __m512i second_power = ghash::load_wide(h.running[1]);
  const __m512i second_low = _mm512_clmulepi64_epi128(before.second, second_power, 0x00);
  round(next, early.key[1]);
  round(q, early.key[6]);
  const __m512i second_high = _mm512_clmulepi64_epi128(before.second, second_power, 0x11);
  const __m512i first = _mm512_xor_si512(before.first, lanes);
  const __m512i first_power = ghash::load_wide(h.running[0]);
  __m512i low = ghash::xor3(later.low, second_low, _mm512_clmulepi64_epi128(first, first_power, 0x00));
  const __m512i sums = ghash::sums_of_halves(first, before.second);
  keep_order(q, next, low);
  round(next, early.key[2]);
  round(q, early.key[7]);
  const __m512i high =
      ghash::xor3(later.high, second_high, _mm512_clmulepi64_epi128(first, first_power, 0x11));
  const __m512i power_sums = ghash::load_wide(h.running_sums[0]);
  __m512i middle = ghash::xor3(later.middle, _mm512_clmulepi64_epi128(sums, power_sums, 0x00),
                               _mm512_clmulepi64_epi128(sums, power_sums, 0x11));
  keep_order(q, next, middle);
  round(next, early.key[3]);
  round(q, early.key[8]);
  __m512i folded = ghash::fold_low({low, high, middle});
  keep_order(q, next, folded);
  round(q, early.key[9]);
  round(next, early.key[4]);
  lanes = ghash::fold_middle(high, folded);
  keep_order(q, next, lanes);
  begun = next;
  given = load(in);
  return finish_late_rounds(c, q, given);
}

// What is left after the last stride, and how far it is.
struct Rest {
  const std::uint8_t* in;
  std::uint8_t* out;
  const std::uint8_t* power;  // of the next block
  __m512i lanes;              // to be added to the next blocks
  ghash::WideProduct product;
};

[[gnu::always_inline]] inline void absorb(Rest& rest, __m512i ciphertext, __m512i powers) noexcept {
  const __m512i sum = _mm512_xor_si512(rest.lanes, ghash::reverse_bytes(ciphertext));
  rest.product = ghash::add(rest.product, ghash::multiply(sum, powers));
}

template <Direction direction>
[[gnu::always_inline]] inline void crypt_whole_vector(Rest& rest, __m512i keystream) noexcept {
  const __m512i given = ghash::load_wide(rest.in);
  const __m512i made = _mm512_xor_si512(given, keystream);
  ghash::store_wide(rest.out, made);
  absorb(rest, direction == Direction::seal ? made : given, ghash::load_wide(rest.power));
  rest.in += vector_bytes;
  rest.out += vector_bytes;
  rest.power += vector_bytes;
  rest.lanes = _mm512_setzero_si512();
}

// 1 .. 64 bytes. The words of a started block go to `state` and not into the sum.
template <Direction direction>
[[gnu::always_inline]] inline void crypt_last_vector(MessageState& state, Rest& rest, __m512i keystream,
                                                     std::size_t bytes) noexcept {
  const __mmask64 mask = ghash::first_bytes(bytes);
  const __m512i given = _mm512_maskz_loadu_epi8(mask, rest.in);
  const __m512i made = _mm512_xor_si512(given, keystream);
  _mm512_mask_storeu_epi8(rest.out, mask, made);
  const __m512i ciphertext = direction == Direction::seal ? _mm512_maskz_mov_epi8(mask, made) : given;
  const std::size_t blocks = bytes / block_bytes;
  if (bytes % block_bytes != 0) {
    const auto started = static_cast<__mmask8>(3U << 2 * blocks);
    ghash::store(state.keystream, _mm512_castsi512_si128(_mm512_maskz_compress_epi64(started, keystream)));
    ghash::store(state.partial, _mm512_castsi512_si128(_mm512_maskz_compress_epi64(started, ciphertext)));
  }
  const __mmask8 whole = ghash::first_blocks(blocks);
  absorb(rest, _mm512_maskz_mov_epi64(whole, ciphertext), _mm512_maskz_loadu_epi64(whole, rest.power));
}

// More than 64 (vectors - 1) bytes, not more than 64 vectors.
template <Direction direction, unsigned vectors>
[[gnu::always_inline]] inline __m128i crypt_rest(const Context& c, MessageState& state, Quad q, __m128i sum,
                                                 const std::uint8_t* in, std::uint8_t* out,
                                                 std::size_t bytes) noexcept {
  for (std::uint64_t n = begun_rounds + 1; n < c.aes.rounds; ++n) round<vectors>(q, round_key(c, n));
  const __m512i zero = _mm512_setzero_si512();
  const __m512i last_key = round_key(c, c.aes.rounds);
  Rest rest = {in,
               out,
               ghash::powers_from(c.powers, bytes / block_bytes),
               ghash::in_first_lane(sum),
               {zero, zero, zero}};
  const Quad keystream = last_round(q, {last_key, last_key, last_key, last_key});
  if constexpr (vectors > 1) crypt_whole_vector<direction>(rest, keystream.first);
  if constexpr (vectors > 2) crypt_whole_vector<direction>(rest, keystream.second);
  if constexpr (vectors > 3) crypt_whole_vector<direction>(rest, keystream.third);
  const __m512i last_keystream[] = {keystream.first, keystream.second, keystream.third, keystream.fourth};
  crypt_last_vector<direction>(state, rest, last_keystream[vectors - 1],
                               bytes - vector_bytes * (vectors - 1));
  if (bytes < block_bytes) return sum;
  return ghash::add_lanes(ghash::reduce(rest.product));
}

template <Direction direction>
void crypt(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const Context& c = *static_cast<const Context*>(context);
  const __m128i counter = ghash::load_block(state.counter);
  __m128i sum = ghash::load_block(state.ghash);
  ghash::store_block(state.counter, advance(counter, (std::uint64_t{bytes} + block_bytes - 1) / block_bytes));
  __m512i counters = first_counters(counter);
  const EarlyKeys early(c);
  Quad begun = begin(early, counters);
  if (bytes >= stride_bytes) {
    core::count_bulk_iteration();
    Quad given = load(in);
    Quad made = finish(c, early, begun, given);
    store(out, made);
    ghash::WideStride before = reverse_bytes(direction == Direction::seal ? made : given);
    __m512i lanes = ghash::in_first_lane(sum);
    begun = begin(early, counters);
    in += stride_bytes;
    out += stride_bytes;
    for (bytes -= stride_bytes; bytes >= stride_bytes; bytes -= stride_bytes) {
      core::count_bulk_iteration();
      made = step(c, early, counters, begun, in, given, lanes, before);
      store(out, made);
      before = reverse_bytes(direction == Direction::seal ? made : given);
      in += stride_bytes;
      out += stride_bytes;
    }
    sum = ghash::absorb_last(c.powers, lanes, before);
  }
  switch ((bytes + vector_bytes - 1) / vector_bytes) {
    case 1:
      sum = crypt_rest<direction, 1>(c, state, begun, sum, in, out, bytes);
      break;
    case 2:
      sum = crypt_rest<direction, 2>(c, state, begun, sum, in, out, bytes);
      break;
    case 3:
      sum = crypt_rest<direction, 3>(c, state, begun, sum, in, out, bytes);
      break;
    case 4:
      sum = crypt_rest<direction, 4>(c, state, begun, sum, in, out, bytes);
      break;
    default:
      break;
  }
  ghash::store_block(state.ghash, sum);
}

constexpr unsigned tail_strides[] = {ghash::wide_vector_blocks};
constexpr std::string_view linux_aliases[] = {"generic-gcm-vaes-avx512", "generic-gcm-vaes-avx10_512"};

}  // namespace

extern constinit const Implementation x86_vaes_avx512 = {
    .info =
        {
            .name = "x86_vaes_avx512",
            .arch = "x86",
            .required = {CpuFeature::ssse3, CpuFeature::aesni, CpuFeature::pclmul, CpuFeature::avx2,
                         CpuFeature::vaes, CpuFeature::vpclmulqdq, CpuFeature::avx512f, CpuFeature::avx512bw},
            .priority = 600,
            .constant_time = true,
            .stride_blocks = stride_blocks,
            .tail_strides = tail_strides,
            .linux_aliases = linux_aliases,
        },
    .expand_key = expand_key,
    .encrypt_block = encrypt_block,
    .hash = hash,
    .seal = crypt<Direction::seal>,
    .open = crypt<Direction::open>,
};

}  // namespace lockstep::aes_gcm
