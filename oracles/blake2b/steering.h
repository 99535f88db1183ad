#pragma once

#include "oracles/blake2b/case.h"

// Reach by construction: a case asks for the places where fast paths break, and this makes the start for it.
namespace lockstep::oracles::blake2b {

// Makes the case what it asks for; idempotent, so that an encoded case decodes to itself.
//
// `preset_counter`: a state in `before`, such that behind the text the total of bytes is boundary + e, with e
// =
//   counter_end mod (text_bytes + 385), and from text_bytes + 257 on -1, -2, ... -128. So e = 0 reaches the
//   boundary exactly, by a full last block; 1 .. 127 passes it in the last block, which a design that first
//   takes off the padding gets wrong; more passes it in an earlier block, or before the text. Whole blocks
//   are behind us, 1 .. 128 bytes are buffered: other states are reached by no message. Beyond 2^128 the
//   counter has wrapped. The case is incremental and has no key, salt, personalisation or tree: they are long
//   since part of h. With a digest size that does not exist the case asks for nothing (steering becomes
//   none).
void steer(Case& question) noexcept;

// The part of it that is about the fields, content left alone.
void plan(Case& question) noexcept;

// Bytes behind the text beyond the boundary, as above.
std::int64_t counter_end(const Case& question) noexcept;

}  // namespace lockstep::oracles::blake2b
