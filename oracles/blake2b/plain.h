#pragma once

#include "oracles/blake2b/case.h"
#include "oracles/differential/participant.h"

// The plain oracle: RFC 7693, and the BLAKE2 specification for what it leaves out, by their text. Shares
// nothing with impls/.
namespace lockstep::oracles::blake2b {

differential::Participant<Case> plain_participant();

}  // namespace lockstep::oracles::blake2b
