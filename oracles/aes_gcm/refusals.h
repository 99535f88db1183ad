#pragma once

#include <cstdint>
#include <span>

#include "lockstep/aes_gcm.h"
#include "oracles/differential/guarded.h"
#include "oracles/differential/outcome.h"

// Calls that must be refused, whatever the case asks: with nothing written, and the message as it was.
namespace lockstep::oracles::aes_gcm {

// Where a case has its states.
struct PlaceState {
  differential::GuardedRegion& region;
  differential::Placement placement;
  std::span<const std::uint8_t> operator()(std::span<const std::uint8_t> state) const {
    return region.place_input(state, placement);
  }
};

// Of a message that has started: wrong sizes, lists that are too long, outputs that touch, states that no
// export wrote, another key. `other` holds another key than `message`.
void demand_refusals(lockstep::aes_gcm::SealMessage& message, const lockstep::aes_gcm::Key& key,
                     const lockstep::aes_gcm::Key& other, const PlaceState& place_state,
                     differential::Outcome& outcome);
void demand_refusals(lockstep::aes_gcm::OpenMessage& message, const lockstep::aes_gcm::Key& key,
                     const lockstep::aes_gcm::Key& other, const PlaceState& place_state,
                     differential::Outcome& outcome);

// Of a message that has not started, or has ended: it takes nothing, and gives nothing.
void demand_idle_refused(lockstep::aes_gcm::SealMessage& message, const lockstep::aes_gcm::Key& key,
                         differential::Outcome& outcome);
void demand_idle_refused(lockstep::aes_gcm::OpenMessage& message, const lockstep::aes_gcm::Key& key,
                         differential::Outcome& outcome);

// Of one-shot calls: sizes that are beyond a limit, of buffers that nobody may look into.
void demand_sizes_refused(const lockstep::aes_gcm::Key& key, differential::Outcome& outcome);

// Of a one-shot call: one of its outputs, drawn from `seed`, shares one byte with another buffer.
void demand_overlap_refused(const lockstep::aes_gcm::Key& key, std::uint64_t seed,
                            differential::Outcome& outcome);

}  // namespace lockstep::oracles::aes_gcm
