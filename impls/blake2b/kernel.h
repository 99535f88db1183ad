#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/blake2b.h"

namespace lockstep::blake2b {

// The seam between the buffering (blake2b.cpp) and a kernel. Kernels check nothing.
struct Implementation {
  ImplementationInfo info;

  // For each of `count` blocks: t += increment, as one number of 128 bits that carries and wraps, then h =
  // F(h, block, t, f) (RFC 7693, section 3.2). f is left as it is. `blocks` and `state` may have any address
  // that their types allow; nothing outside the blocks is read.
  void (*compress)(State& state, const std::uint8_t* blocks, std::size_t count,
                   std::uint64_t increment) noexcept;
};

}  // namespace lockstep::blake2b
