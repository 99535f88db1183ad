#pragma once

#include "oracles/differential/target.h"

namespace lockstep::oracles::aes_gcm {

const differential::Target& target();

}  // namespace lockstep::oracles::aes_gcm
