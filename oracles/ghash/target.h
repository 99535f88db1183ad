#pragma once

#include "oracles/differential/target.h"

namespace lockstep::oracles::ghash {

const differential::Target& target();

}  // namespace lockstep::oracles::ghash
