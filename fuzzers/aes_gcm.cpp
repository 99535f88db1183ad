#include "fuzzers/loop.h"
#include "oracles/aes_gcm/target.h"

namespace lockstep::fuzzers {

const differential::Target& target() {
  return oracles::aes_gcm::target();
}

}  // namespace lockstep::fuzzers
