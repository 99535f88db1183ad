// BLAKE2b's compression function (RFC 7693, section 3.2) for every machine, word by word, all rounds unrolled
// so that the schedule of message words is fixed when compiling. Additions, exclusive ors and rotations by
// constants: constant time.
#include <bit>
#include <utility>

#include "impls/blake2b/constants_core.h"
#include "impls/blake2b/kernel.h"
#include "impls/core/endian.h"
#include "impls/core/probe.h"

namespace lockstep::blake2b {
namespace {

[[gnu::always_inline]] inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d,
                                       std::uint64_t x, std::uint64_t y) noexcept {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

template <std::size_t round>
[[gnu::always_inline]] inline void mix_round(std::uint64_t (&v)[16], const std::uint64_t (&m)[16]) noexcept {
  constexpr const auto& s = sigma[round % 10];
  mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
  mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
  mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
  mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
  mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
  mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
  mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
  mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
}

template <std::size_t... round>
[[gnu::always_inline]] inline void mix_rounds(std::uint64_t (&v)[16], const std::uint64_t (&m)[16],
                                              std::index_sequence<round...> /*all*/) noexcept {
  (mix_round<round>(v, m), ...);
}

void compress(State& state, const std::uint8_t* blocks, std::size_t count, std::uint64_t increment) noexcept {
  for (; count > 0; --count, blocks += block_bytes) {
    core::count_bulk_iteration();
    advance(state.t, increment);
    std::uint64_t m[16];
    for (unsigned i = 0; i < 16; ++i) m[i] = core::load_le64(blocks + std::size_t{8} * i);
    std::uint64_t v[16];
    for (unsigned i = 0; i < 8; ++i) {
      v[i] = state.h[i];
      v[8 + i] = iv[i];
    }
    v[12] ^= state.t[0];
    v[13] ^= state.t[1];
    v[14] ^= state.f[0];
    v[15] ^= state.f[1];
    mix_rounds(v, m, std::make_index_sequence<rounds>());
    for (unsigned i = 0; i < 8; ++i) state.h[i] ^= v[i] ^ v[8 + i];
  }
}

constexpr std::string_view linux_aliases[] = {"blake2b-160-generic", "blake2b-256-generic",
                                              "blake2b-384-generic", "blake2b-512-generic"};

}  // namespace

extern constinit const Implementation portable = {
    .info =
        {
            .name = "portable",
            .arch = "any",
            .required = {},
            .priority = 100,
            .constant_time = true,
            .stride_blocks = 1,
            .tail_strides = {},
            .linux_aliases = linux_aliases,
        },
    .compress = compress,
};

}  // namespace lockstep::blake2b
