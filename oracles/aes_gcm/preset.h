#pragma once

#include <cstdint>
#include <span>

#include "oracles/aes_gcm/case.h"

namespace lockstep::oracles::aes_gcm {

// The state that a case with a preset starts from, as Message::export_state would have written it. `sealing`
// false: that of the message which is opened afterwards; if the case tampers with the nonce, under the
// changed nonce.
void write_state(const Case& question, bool sealing, std::span<std::uint8_t, 104> out);

}  // namespace lockstep::oracles::aes_gcm
