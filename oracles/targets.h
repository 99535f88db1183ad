#pragma once

#include <span>

#include "oracles/differential/target.h"

namespace lockstep::oracles {

// THE list of targets, in the order of their ids.
std::span<const differential::Target* const> targets();

// Null if there is none of that name or id.
const differential::Target* find_target(std::string_view name);
const differential::Target* find_target(std::uint8_t id);

}  // namespace lockstep::oracles
