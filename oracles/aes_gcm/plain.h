#pragma once

#include "oracles/aes_gcm/case.h"
#include "oracles/differential/participant.h"

// The plain oracle: SP 800-38D by its text. Shares nothing with impls/.
namespace lockstep::oracles::aes_gcm {

differential::Participant<Case> plain_participant();

}  // namespace lockstep::oracles::aes_gcm
