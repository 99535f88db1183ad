#include "oracles/targets.h"

#include "oracles/aes_gcm/target.h"
#include "oracles/blake2b/target.h"
#include "oracles/ghash/target.h"

namespace lockstep::oracles {

std::span<const differential::Target* const> targets() {
  static const differential::Target* const list[] = {&aes_gcm::target(), &ghash::target(),
                                                     &blake2b::target()};
  return list;
}

const differential::Target* find_target(std::string_view name) {
  for (const differential::Target* target : targets()) {
    if (target->name() == name) return target;
  }
  return nullptr;
}

const differential::Target* find_target(std::uint8_t id) {
  for (const differential::Target* target : targets()) {
    if (target->id() == id) return target;
  }
  return nullptr;
}

}  // namespace lockstep::oracles
