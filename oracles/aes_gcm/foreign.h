#pragma once

#include "oracles/aes_gcm/case.h"
#include "oracles/differential/participant.h"

// The foreign oracles of AES-GCM, one library per file. What each cannot do stands there as its limits.
namespace lockstep::oracles::aes_gcm {

differential::Participant<Case> botan_participant();
differential::Participant<Case> openssl_participant();

}  // namespace lockstep::oracles::aes_gcm
