#include "fuzzers/loop.h"
#include "oracles/blake2b/target.h"

namespace lockstep::fuzzers {

const differential::Target& target() {
  return oracles::blake2b::target();
}

}  // namespace lockstep::fuzzers
