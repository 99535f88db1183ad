#pragma once

#include <immintrin.h>

#include <utility>

#include "impls/blake2b/constants_core.h"
#include "impls/blake2b/kernel.h"
#include "impls/core/probe.h"

// BLAKE2b's F (RFC 7693, section 3.2) with a row of v to a 256-bit register: the four G of a half-round side
// by side. What instruction sets do differently, rotations and the gathering of message words, is `Isa`:
//   rotate<n>(x)                        each word to the right
//   gather<i, j, k, l>(block)           words i, j, k, l of the block
//
// The chain of dependencies runs through b: every other row is done before it. So to bring the diagonals into
// columns b stays, and the others turn the other way: column i holds a[i - 1], b[i], c[i + 1], d[i + 2], and
// the diagonals are mixed in the order 3, 0, 1, 2. Their turns then cost no time.
namespace lockstep::blake2b {
namespace {

struct Rows {
  __m256i a, b, c, d;
};

[[gnu::always_inline]] inline __m256i load_row(const std::uint64_t* words) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
}

// Column i receives column i + n.
template <int n>
[[gnu::always_inline]] inline __m256i turn(__m256i row) noexcept {
  constexpr int order = n % 4 | (n + 1) % 4 << 2 | (n + 2) % 4 << 4 | (n + 3) % 4 << 6;
  return _mm256_permute4x64_epi64(row, order);
}

template <class Isa>
[[gnu::always_inline]] inline void mix(Rows& v, __m256i x, __m256i y) noexcept {
  // a + m first: it can be had before b.
  v.a = _mm256_add_epi64(_mm256_add_epi64(v.a, x), v.b);
  v.d = Isa::template rotate<32>(_mm256_xor_si256(v.d, v.a));
  v.c = _mm256_add_epi64(v.c, v.d);
  v.b = Isa::template rotate<24>(_mm256_xor_si256(v.b, v.c));
  v.a = _mm256_add_epi64(_mm256_add_epi64(v.a, y), v.b);
  v.d = Isa::template rotate<16>(_mm256_xor_si256(v.d, v.a));
  v.c = _mm256_add_epi64(v.c, v.d);
  v.b = Isa::template rotate<63>(_mm256_xor_si256(v.b, v.c));
}

template <class Isa, std::size_t round>
[[gnu::always_inline]] inline void mix_round(Rows& v, const std::uint8_t* block) noexcept {
  constexpr const auto& s = sigma[round % 10];
  mix<Isa>(v, Isa::template gather<s[0], s[2], s[4], s[6]>(block),
           Isa::template gather<s[1], s[3], s[5], s[7]>(block));
  v.a = turn<3>(v.a);
  v.c = turn<1>(v.c);
  v.d = turn<2>(v.d);
  mix<Isa>(v, Isa::template gather<s[14], s[8], s[10], s[12]>(block),
           Isa::template gather<s[15], s[9], s[11], s[13]>(block));
  v.a = turn<1>(v.a);
  v.c = turn<3>(v.c);
  v.d = turn<2>(v.d);
}

template <class Isa, std::size_t... round>
[[gnu::always_inline]] inline void mix_rounds(Rows& v, const std::uint8_t* block,
                                              std::index_sequence<round...> /*all*/) noexcept {
  (mix_round<Isa, round>(v, block), ...);
}

template <class Isa>
[[gnu::always_inline]] inline void compress_rows(State& state, const std::uint8_t* blocks, std::size_t count,
                                                 std::uint64_t increment) noexcept {
  const __m256i iv_low = load_row(iv);
  const __m256i flags = _mm256_xor_si256(
      load_row(iv + 4),
      _mm256_set_epi64x(static_cast<long long>(state.f[1]), static_cast<long long>(state.f[0]), 0, 0));
  __m256i low = load_row(state.h);
  __m256i high = load_row(state.h + 4);
  std::uint64_t t[2] = {state.t[0], state.t[1]};
  for (; count > 0; --count, blocks += block_bytes) {
    core::count_bulk_iteration();
    advance(t, increment);
    const __m256i counter =
        _mm256_set_epi64x(0, 0, static_cast<long long>(t[1]), static_cast<long long>(t[0]));
    Rows v = {low, high, iv_low, _mm256_xor_si256(flags, counter)};
    mix_rounds<Isa>(v, blocks, std::make_index_sequence<rounds>());
    low = _mm256_xor_si256(low, _mm256_xor_si256(v.a, v.c));
    high = _mm256_xor_si256(high, _mm256_xor_si256(v.b, v.d));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(state.h), low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(state.h + 4), high);
  state.t[0] = t[0];
  state.t[1] = t[1];
}

}  // namespace
}  // namespace lockstep::blake2b
