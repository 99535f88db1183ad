#pragma once

#include "oracles/differential/participant.h"
#include "oracles/ghash/case.h"

// The foreign oracle of GHASH.
namespace lockstep::oracles::ghash {

differential::Participant<Case> nettle_participant();

}  // namespace lockstep::oracles::ghash
