// BLAKE2b's compression function (RFC 7693, section 3.2), one message, a row to two registers. Rotations by
// 32, 24 and 16 are moves of bytes, 63 is a shift and a doubling; message words are loaded two by two. As in
// x86_ymm_core.h row b stays where it is and the others turn: that of d is free. No table, no branch on data:
// constant time.
#include <smmintrin.h>

#include <utility>

#include "impls/blake2b/constants_core.h"
#include "impls/blake2b/kernel.h"
#include "impls/core/endian.h"
#include "impls/core/probe.h"

namespace lockstep::blake2b {
namespace {

// Words 0 and 1, words 2 and 3.
struct Row {
  __m128i low, high;
};
struct Rows {
  Row a, b, c, d;
};

[[gnu::always_inline]] inline Row operator+(Row x, Row y) noexcept {
  return {_mm_add_epi64(x.low, y.low), _mm_add_epi64(x.high, y.high)};
}
[[gnu::always_inline]] inline Row operator^(Row x, Row y) noexcept {
  return {_mm_xor_si128(x.low, y.low), _mm_xor_si128(x.high, y.high)};
}

[[gnu::always_inline]] inline Row load_row(const std::uint64_t* words) noexcept {
  const auto* const p = reinterpret_cast<const __m128i*>(words);
  return {_mm_loadu_si128(p), _mm_loadu_si128(p + 1)};
}
[[gnu::always_inline]] inline void store_row(std::uint64_t* words, Row row) noexcept {
  auto* const p = reinterpret_cast<__m128i*>(words);
  _mm_storeu_si128(p, row.low);
  _mm_storeu_si128(p + 1, row.high);
}

[[gnu::always_inline]] inline __m128i move_bytes(__m128i x, __m128i order) noexcept {
  // Unknown to the compiler: where it knows the order, clang makes two moves of words out of one of bytes.
  __asm__("" : "+x"(order));
  return _mm_shuffle_epi8(x, order);
}

// Each word to the right.
template <int n>
[[gnu::always_inline]] inline __m128i rotate(__m128i x) noexcept {
  if constexpr (n == 32) return _mm_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1));
  if constexpr (n == 63) return _mm_xor_si128(_mm_srli_epi64(x, 63), _mm_add_epi64(x, x));
  if constexpr (n == 24)
    return move_bytes(x, _mm_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10));
  if constexpr (n == 16)
    return move_bytes(x, _mm_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9));
}
template <int n>
[[gnu::always_inline]] inline Row rotate(Row x) noexcept {
  return {rotate<n>(x.low), rotate<n>(x.high)};
}

// Column i receives column i + n.
template <int n>
[[gnu::always_inline]] inline Row turn(Row x) noexcept {
  if constexpr (n == 1) return {_mm_alignr_epi8(x.high, x.low, 8), _mm_alignr_epi8(x.low, x.high, 8)};
  if constexpr (n == 2) return {x.high, x.low};
  if constexpr (n == 3) return {_mm_alignr_epi8(x.low, x.high, 8), _mm_alignr_epi8(x.high, x.low, 8)};
}

[[gnu::always_inline]] inline __m128i pair(const std::uint8_t* block, std::size_t i, std::size_t j) noexcept {
  const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(block + 8 * i));
  return _mm_insert_epi64(first, static_cast<long long>(core::load_le64(block + 8 * j)), 1);
}

[[gnu::always_inline]] inline void mix(Rows& v, Row x, Row y) noexcept {
  v.a = v.a + x + v.b;
  v.d = rotate<32>(v.d ^ v.a);
  v.c = v.c + v.d;
  v.b = rotate<24>(v.b ^ v.c);
  v.a = v.a + y + v.b;
  v.d = rotate<16>(v.d ^ v.a);
  v.c = v.c + v.d;
  v.b = rotate<63>(v.b ^ v.c);
}

template <std::size_t round>
[[gnu::always_inline]] inline void mix_round(Rows& v, const std::uint8_t* m) noexcept {
  constexpr const auto& s = sigma[round % 10];
  mix(v, {pair(m, s[0], s[2]), pair(m, s[4], s[6])}, {pair(m, s[1], s[3]), pair(m, s[5], s[7])});
  v.a = turn<3>(v.a);
  v.c = turn<1>(v.c);
  v.d = turn<2>(v.d);
  mix(v, {pair(m, s[14], s[8]), pair(m, s[10], s[12])}, {pair(m, s[15], s[9]), pair(m, s[11], s[13])});
  v.a = turn<1>(v.a);
  v.c = turn<3>(v.c);
  v.d = turn<2>(v.d);
}

template <std::size_t... round>
[[gnu::always_inline]] inline void mix_rounds(Rows& v, const std::uint8_t* m,
                                              std::index_sequence<round...> /*all*/) noexcept {
  (mix_round<round>(v, m), ...);
}

void compress(State& state, const std::uint8_t* blocks, std::size_t count, std::uint64_t increment) noexcept {
  Row low = load_row(state.h);
  Row high = load_row(state.h + 4);
  for (; count > 0; --count, blocks += block_bytes) {
    core::count_bulk_iteration();
    advance(state.t, increment);
    const Row counter_and_flags = {
        _mm_set_epi64x(static_cast<long long>(state.t[1]), static_cast<long long>(state.t[0])),
        _mm_set_epi64x(static_cast<long long>(state.f[1]), static_cast<long long>(state.f[0]))};
    Rows v = {low, high, load_row(iv), load_row(iv + 4) ^ counter_and_flags};
    mix_rounds(v, blocks, std::make_index_sequence<rounds>());
    low = low ^ v.a ^ v.c;
    high = high ^ v.b ^ v.d;
  }
  store_row(state.h, low);
  store_row(state.h + 4, high);
}

}  // namespace

extern constinit const Implementation x86_sse41 = {
    .info =
        {
            .name = "x86_sse41",
            .arch = "x86",
            .required = {CpuFeature::ssse3, CpuFeature::sse41},
            .priority = 200,
            .constant_time = true,
            .stride_blocks = 1,
            .tail_strides = {},
            .linux_aliases = {},
        },
    .compress = compress,
};

}  // namespace lockstep::blake2b
