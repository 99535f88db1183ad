// The entry of a module that holds a copy of the library (Target::take_copy).
#include "oracles/ghash/algorithm.h"

extern "C" void lockstep_copy(void* participants);

void lockstep_copy(void* participants) {
  using Case = lockstep::oracles::ghash::Case;
  lockstep::oracles::ghash::append_implementations(
      *static_cast<std::vector<lockstep::differential::Participant<Case>>*>(participants));
}
