// THE list of everyone who is asked about GHASH. Botan 2 has it in internal headers only; OpenSSL has it with
// an H that is AES of zero, as GMAC, which the case of aes_gcm covers.
#include <vector>

#include "oracles/ghash/algorithm.h"
#include "oracles/ghash/foreign.h"
#include "oracles/ghash/plain.h"

namespace lockstep::oracles::ghash {

std::span<const differential::Participant<Case>> participants() {
  static const auto list = [] {
    std::vector<differential::Participant<Case>> everyone;
    append_implementations(everyone);
    everyone.push_back(plain_participant());
#ifndef LOCKSTEP_NO_FOREIGN
    everyone.push_back(nettle_participant());
#endif
    return everyone;
  }();
  return list;
}

}  // namespace lockstep::oracles::ghash
