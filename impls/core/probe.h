#pragma once

#include <cstdint>

// Harness builds count the iterations of every bulk loop, so that a test can hold the loop that ran against
// the stride that the descriptor claims. In shipped builds this is nothing.
namespace lockstep::core {

#ifdef LOCKSTEP_PROBE
extern constinit thread_local std::uint64_t bulk_iterations;
#endif

namespace {

inline void count_bulk_iteration() noexcept {
#ifdef LOCKSTEP_PROBE
  ++bulk_iterations;
#endif
}

}  // namespace

}  // namespace lockstep::core
