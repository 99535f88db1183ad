#include "oracles/ghash/target.h"

#include "oracles/differential/harness.h"
#include "oracles/ghash/algorithm.h"

namespace lockstep::oracles::ghash {

const differential::Target& target() {
  static const differential::TargetOf<Algorithm> instance;
  return instance;
}

}  // namespace lockstep::oracles::ghash
