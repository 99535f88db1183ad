// The entry of a module that holds a copy of the library (Target::take_copy).
#include "oracles/aes_gcm/algorithm.h"

extern "C" void lockstep_copy(void* participants);

void lockstep_copy(void* participants) {
  using Case = lockstep::oracles::aes_gcm::Case;
  lockstep::oracles::aes_gcm::append_implementations(
      *static_cast<std::vector<lockstep::differential::Participant<Case>>*>(participants));
}
