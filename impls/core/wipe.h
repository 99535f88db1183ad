#pragma once

#include <cstddef>

namespace lockstep::core {

// Zeroes memory that held secrets; the optimiser may not drop it although nobody reads the zeros.
void wipe(void* p, std::size_t bytes) noexcept;

}  // namespace lockstep::core
