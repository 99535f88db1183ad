// THE list of everyone who is asked about BLAKE2b.
#include <vector>

#include "oracles/blake2b/algorithm.h"
#include "oracles/blake2b/foreign.h"
#include "oracles/blake2b/plain.h"

namespace lockstep::oracles::blake2b {

std::span<const differential::Participant<Case>> participants() {
  static const auto list = [] {
    std::vector<differential::Participant<Case>> everyone;
    append_implementations(everyone);
    everyone.push_back(plain_participant());
#ifndef LOCKSTEP_NO_FOREIGN
    everyone.push_back(botan_participant());
    everyone.push_back(openssl_participant());
    everyone.push_back(sodium_participant());
    everyone.push_back(b2_participant());
#endif
    return everyone;
  }();
  return list;
}

}  // namespace lockstep::oracles::blake2b
