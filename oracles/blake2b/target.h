#pragma once

#include "oracles/differential/target.h"

namespace lockstep::oracles::blake2b {

const differential::Target& target();

}  // namespace lockstep::oracles::blake2b
