#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Scatter and gather: a text, AAD or message that lies in several places. The bytes are those of the spans,
// one span after the other. Spans may have any size, zero included; a list may have any number of them, none
// included. The result is that of the contiguous call, however the bytes are cut.
//
// An output list is cut independently of the input list; only the totals must be equal. A total that does not
// fit 64 bits is too long, as any other that is above the limit. All that can be refused is refused, in the
// order of the contiguous call, before a byte is written, and leaves a message as it was.
//
// Aliasing: cut both lists wherever either is cut. Each segment of the output is then either exactly its own
// segment of the input (in place) or apart from every input span; in place or not, it must not touch any
// other input. Output spans are apart from one another. Inputs may share bytes. The check takes time
// proportional to segments x spans: a list of thousands is better cut into several calls.
//
// The spans of a list are read during the call alone, and must not lie in its outputs.
namespace lockstep {

using ConstBuffers = std::span<const std::span<const std::uint8_t>>;
using MutableBuffers = std::span<const std::span<std::uint8_t>>;

// The overloads on lists are templates, with nothing to deduce, for one reason: of two overloads that fit
// `{}` equally well the one that is no template is taken, so `{}` stays the empty span.

}  // namespace lockstep
