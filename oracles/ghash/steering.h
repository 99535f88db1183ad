#pragma once

#include "oracles/ghash/case.h"

namespace lockstep::oracles::ghash {

// Makes key and text what the case asks for; idempotent, so that an encoded case decodes to itself.
//
// Key: 0; the field's 1 (0x80 00 ..., under which the hash is the sum of the blocks); x (0x40 00 ..., under
//   which each block costs one step of the reduction); all ones; a single bit.
// Text: zeros; all ones; a single bit; all blocks equal to the first.
void steer(Case& question) noexcept;

}  // namespace lockstep::oracles::ghash
