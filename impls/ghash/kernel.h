#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/ghash.h"

namespace lockstep::ghash {

inline constexpr std::size_t max_context_bytes = 1024;

// The seam between the buffering (ghash.cpp) and a kernel. `context` is what expand_key wrote: at most
// max_context_bytes, aligned to 8 only, never written again. Its first 16 bytes are H as given.
struct Implementation {
  ImplementationInfo info;
  void (*expand_key)(void* context, const std::uint8_t* h) noexcept;
  // y = GHASH_H continued from y over `bytes` bytes, the last block zero-padded (section 6.4).
  void (*hash)(const void* context, std::uint8_t* y, const std::uint8_t* data, std::size_t bytes) noexcept;
};

}  // namespace lockstep::ghash
