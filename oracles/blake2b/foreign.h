#pragma once

#include "oracles/blake2b/case.h"
#include "oracles/differential/participant.h"

// The foreign oracles of BLAKE2b, one library per file. What each cannot do stands there as its limits.
namespace lockstep::oracles::blake2b {

differential::Participant<Case> botan_participant();
differential::Participant<Case> openssl_participant();
differential::Participant<Case> sodium_participant();
differential::Participant<Case> b2_participant();

}  // namespace lockstep::oracles::blake2b
