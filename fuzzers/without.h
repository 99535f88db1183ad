#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::fuzzers {

// Parts that can be left out to see what they are good for:
//   cells     the engine is not told of them, and no mutation aims at them; they are counted all the same
//   steering  every case is asked as it is, with nothing solved for and no state preset
//   mutator   the engine mutates bytes by itself, and knows nothing of fields
inline constexpr std::string_view parts[] = {"cells", "steering", "mutator"};

// Whether LOCKSTEP_WITHOUT, a list with commas, names this part.
bool without(std::string_view part);

// For the kill matrix, to compare with (LOCKSTEP_NAIVE):
//   bytes (1)  inputs are raw bytes, of which a small function makes one plain call; of a mutant only bytes
//              are held against a foreign library's, and memory errors seen
//   cases      inputs are cases made of published vectors; the same is seen of a mutant, and what it accepts
enum class Naive : std::uint8_t { no, bytes, cases };
Naive naive();

}  // namespace lockstep::fuzzers
