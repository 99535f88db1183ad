#pragma once

#include "oracles/aes_gcm/case.h"

// Reach by construction: a case asks for the places where fast paths break, and this solves for the input.
namespace lockstep::oracles::aes_gcm {

// Makes the case what it asks for, by its own `steering`; idempotent, so that an encoded case decodes to
// itself.
//
// `nonce`: a nonce shorter than 16 bytes becomes 16 bytes. Its last whole block is solved with H^-1 so that
// J0 has
//   the low bits for which inc32 carries out of the low 8 * (boundary + 1) bits between block boundary_block
//   - 1 and block boundary_block of the text (block 0 is encrypted under inc32(J0)); all other bits of J0 are
//   drawn from fill_seed. With boundary = 3 this is the 32-bit wrap.
// `preset_counter`: a 12-byte nonce and a text total in `before` such that the carry falls on that block of
// the text
//   that follows; the total may end inside a block. With boundary = 3 this is the limit of SP 800-38D itself.
// `virtual_totals`: a 12-byte nonce and a total in `before` shortly below the named one.
// The two latter are incremental, and where the total is of text, the case has no AAD (aad_bytes becomes 0).
// They need operation seal_then_open and a valid key size; otherwise the case asks for nothing (steering
// becomes none), likewise `nonce` with an invalid key size.
void steer(Case& question);

// The part of it that is about the fields, content left alone: a hundredth of the time, for whoever only asks
// what a case will be like.
void plan(Case& question) noexcept;

// The totals and the wrap in words that lanes can be computed from.
struct Wrap {
  bool happens = false;
  std::uint32_t block =
      0;  // first whole or started block of the case's text whose counter has the low bits zero
};
// The 32-bit wrap of the counter inside the case's text, if steering put one there.
Wrap wrap_of(const Case& question) noexcept;

}  // namespace lockstep::oracles::aes_gcm
