#include "oracles/aes_gcm/target.h"

#include "oracles/aes_gcm/algorithm.h"
#include "oracles/differential/harness.h"

namespace lockstep::oracles::aes_gcm {

const differential::Target& target() {
  static const differential::TargetOf<Algorithm> instance;
  return instance;
}

}  // namespace lockstep::oracles::aes_gcm
