#pragma once

#include <cstdint>
#include <span>

#include "oracles/blake2b/case.h"

namespace lockstep::oracles::blake2b {

inline constexpr std::size_t state_bytes = 216;

// The state that a case with a preset starts from, as Hash::export_state would have written it.
void write_state(const Case& question, std::span<std::uint8_t, state_bytes> out) noexcept;

}  // namespace lockstep::oracles::blake2b
