#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "impls/aes_gcm/kernel.h"
#include "impls/core/endian.h"

// The last 1 .. 15 bytes of a piece. Its block is left open: later bytes belong into it before it may be
// hashed.
namespace lockstep::aes_gcm {
namespace {

enum class Direction { seal, open };

// Works on whole blocks in local buffers, so that no byte outside in and out is touched.
template <Direction direction>
inline void start_block(MessageState& state, const std::uint8_t* keystream, const std::uint8_t* in,
                        std::uint8_t* out, std::size_t bytes) noexcept {
  std::uint8_t given[block_bytes] = {};
  std::uint8_t made[block_bytes];
  std::memcpy(given, in, bytes);
  for (unsigned i = 0; i < block_bytes; i += 8) {
    core::store_le64(made + i, core::load_le64(given + i) ^ core::load_le64(keystream + i));
  }
  std::memcpy(out, made, bytes);
  std::memcpy(state.keystream, keystream, block_bytes);
  std::memset(made + bytes, 0, block_bytes - bytes);
  std::memcpy(state.partial, direction == Direction::seal ? made : given, block_bytes);
}

}  // namespace
}  // namespace lockstep::aes_gcm
