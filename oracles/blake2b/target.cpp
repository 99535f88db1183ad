#include "oracles/blake2b/target.h"

#include "oracles/blake2b/algorithm.h"
#include "oracles/differential/harness.h"

namespace lockstep::oracles::blake2b {

const differential::Target& target() {
  static const differential::TargetOf<Algorithm> instance;
  return instance;
}

}  // namespace lockstep::oracles::blake2b
