#include "fuzzers/loop.h"
#include "oracles/ghash/target.h"

namespace lockstep::fuzzers {

const differential::Target& target() {
  return oracles::ghash::target();
}

}  // namespace lockstep::fuzzers
