// THE list of everyone who is asked about AES-GCM.
#include <vector>

#include "oracles/aes_gcm/algorithm.h"
#include "oracles/aes_gcm/foreign.h"
#include "oracles/aes_gcm/plain.h"

namespace lockstep::oracles::aes_gcm {

std::span<const differential::Participant<Case>> participants() {
  static const auto list = [] {
    std::vector<differential::Participant<Case>> everyone;
    append_implementations(everyone);
    everyone.push_back(plain_participant());
#ifndef LOCKSTEP_NO_FOREIGN
    everyone.push_back(botan_participant());
    everyone.push_back(openssl_participant());
#endif
    return everyone;
  }();
  return list;
}

}  // namespace lockstep::oracles::aes_gcm
