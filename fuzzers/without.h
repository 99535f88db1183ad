#pragma once

#include <string_view>

namespace lockstep::fuzzers {

// Whether LOCKSTEP_WITHOUT, a list with commas, names this part. Parts can be left out to see what they are
// good for:
//   cells   the engine is not told of them, and no mutation aims at them; they are counted all the same
bool without(std::string_view part);

}  // namespace lockstep::fuzzers
