#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Scatter and gather: a text, AAD or message that lies in several places. The bytes are those of the spans,
// one span after the other. Spans may have any size, zero included; a list may have any number of them, none
// included. The result is that of the contiguous call, however the bytes are cut. A call takes contiguous
// spans alone or lists alone; beside lists, a single span is a list of one.
//
//     const std::span<const std::uint8_t> in[] = {header, body};
//     const std::span<std::uint8_t> out[] = {first_half, second_half};
//     seal(key, nonce, {}, in, out, tag);
//
// An output list is cut independently of the input list; only the totals must be equal (else
// bad_output_size). A total that does not fit 64 bits is too long, as any other that is above the limit. All
// that can be refused is refused, in the order of the contiguous call, before a byte is written, and leaves a
// message as it was.
//
// Aliasing: byte n of the output lies exactly where byte n of the input does (in place, however both are
// cut), or its span is apart from every input span. Output spans are apart from one another. Inputs may share
// bytes. The check takes time proportional to the product of the numbers of spans: a list of thousands is
// better cut into several calls.
//
// The spans of a list are read during the call alone, and must not lie in its outputs.
namespace lockstep {

using ConstBuffers = std::span<const std::span<const std::uint8_t>>;
using MutableBuffers = std::span<const std::span<std::uint8_t>>;

// The overloads on lists are templates, with nothing to deduce, for one reason: of two overloads that fit
// `{}` equally well the one that is no template is taken, so `{}` stays the empty span.

}  // namespace lockstep
