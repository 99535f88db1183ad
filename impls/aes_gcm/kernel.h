#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/aes_gcm.h"

namespace lockstep::aes_gcm {

inline constexpr std::size_t max_context_bytes = 1536;

// The seam between the message logic (aes_gcm.cpp) and a kernel. `context` is what expand_key wrote: at most
// max_context_bytes, aligned to 8 only, never written again. Kernels check nothing: sizes and aliasing
// are settled above.
struct Implementation {
  ImplementationInfo info;

  // `key`: 16, 24 or 32 bytes. `h`: receives E(K, 0^128).
  void (*expand_key)(void* context, const std::uint8_t* key, std::size_t key_bytes, std::uint8_t* h) noexcept;

  // One block, 16 bytes each; `out` may be `in`.
  void (*encrypt_block)(const void* context, const std::uint8_t* in, std::uint8_t* out) noexcept;

  // y = GHASH_H continued from y over `bytes` bytes, the last block zero-padded (section 6.4).
  void (*hash)(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept;

  // GCTR (section 6.5) fused with GHASH over the ciphertext. Starts on a block boundary of the text; `bytes`
  // may be anything, zero included; `out` is `in` or apart from it. Whole blocks are hashed into state.ghash,
  // state.counter advances by inc32 for every block touched. If bytes % 16 != 0, the started block is left
  // unhashed: its keystream in state.keystream, its ciphertext, zero-padded, in state.partial. Totals are not
  // touched.
  void (*seal)(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) noexcept;
  void (*open)(const void* context, MessageState& state, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) noexcept;
};

}  // namespace lockstep::aes_gcm
