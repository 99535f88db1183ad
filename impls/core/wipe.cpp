#include "impls/core/wipe.h"

#include <cstring>

namespace lockstep::core {

void wipe(void* p, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  std::memset(p, 0, bytes);
  // The compiler must assume that this reads all memory, so the stores before it stay, under link-time
  // optimisation too.
  __asm__ __volatile__("" : : "r"(p) : "memory");
}

}  // namespace lockstep::core
