#include "oracles/blake2b/preset.h"

#include <algorithm>

#include "lockstep/blake2b.h"

namespace lockstep::oracles::blake2b {

void write_state(const Case& question, std::span<std::uint8_t, state_bytes> out) noexcept {
  static_assert(::lockstep::blake2b::Hash::exported_state_bytes == state_bytes);
  constexpr std::uint8_t version = 1;
  std::ranges::fill(out, std::uint8_t{0});
  out[0] = version;
  out[1] = static_cast<std::uint8_t>(question.digest_bytes);
  out[2] = static_cast<std::uint8_t>(question.before.buffered);
  out[3] = question.last_node ? 1 : 0;
  auto at = std::ranges::copy(question.chain, out.begin() + 8).out;
  for (const std::uint64_t word : question.before.t) {
    for (unsigned i = 0; i < 8; ++i) *at++ = static_cast<std::uint8_t>(word >> (8 * i));
  }
  std::copy_n(question.buffer.begin(), question.before.buffered, at);
}

}  // namespace lockstep::oracles::blake2b
