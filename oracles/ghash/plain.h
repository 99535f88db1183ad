#pragma once

#include "oracles/differential/participant.h"
#include "oracles/ghash/case.h"

// The plain oracle: SP 800-38D, sections 6.3 and 6.4, by their text. Shares nothing with impls/.
namespace lockstep::oracles::ghash {

differential::Participant<Case> plain_participant();

}  // namespace lockstep::oracles::ghash
