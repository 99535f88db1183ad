#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "oracles/aes_gcm/case.h"
#include "oracles/differential/pieces.h"

// How the text of a case comes to the kernels: once for lanes, for locating a difference, and for cells.
namespace lockstep::oracles::aes_gcm {

using TextBounds = differential::Pieces<max_pieces>;

// The pieces of a text that is fed in one after the other; of a call that scatters and gathers, its input
// spans.
inline TextBounds in_bounds(const Case& question) noexcept {
  // Pieces of a partial overlap could be apart each from its own output, and clobber the next.
  const bool cut =
      is_scattered(question) || (question.call == Call::incremental && shared_bytes(question) == 0);
  return differential::cut(question.text_bytes, cut ? question.in_cut_count : 0, question.in_cuts);
}

// The output spans of a call that scatters.
inline TextBounds out_bounds(const Case& question) noexcept {
  return is_scattered(question)
             ? differential::cut(question.text_bytes, question.out_cut_count, question.out_cuts)
             : in_bounds(question);
}

// The calls of the library that take text: one for a one-shot message; for an incremental one a call for each
// piece, or two that scatter, the first with half of the input spans.
inline TextBounds call_bounds(const Case& question) noexcept {
  const TextBounds in = in_bounds(question);
  if (!is_scattered(question)) return in;
  TextBounds calls = differential::cut(question.text_bytes, 0, question.in_cuts);
  if (question.call == Call::one_shot || shared_bytes(question) > 0) return calls;
  calls.bounds[2] = calls.bounds[1];
  calls.bounds[1] = in.bounds[in.count / 2];
  calls.count = 2;
  return calls;
}

// A stretch of text that comes in one piece to one call of a message.
struct TextPiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t call = 0;    // of the message: start is call 0
  bool ends_call = false;  // a call that scatters has several pieces
  bool last = false;

  // A kernel is called for what follows the block that an earlier piece had started; for nothing, if that is
  // all.
  [[nodiscard]] std::size_t first_block() const noexcept { return (begin + 15) / 16; }
  [[nodiscard]] std::size_t kernel_bytes() const noexcept {
    return end > 16 * first_block() ? end - 16 * first_block() : 0;
  }
  // Of the kernel call, in whole strides of the bulk loop.
  [[nodiscard]] std::size_t bulk_blocks(std::size_t stride) const noexcept {
    return kernel_bytes() / 16 / stride * stride;
  }
};

struct TextPieces {
  std::array<TextPiece, 2 * max_pieces> list;
  std::size_t count = 0;

  [[nodiscard]] const TextPiece* begin() const noexcept { return list.data(); }
  [[nodiscard]] const TextPiece* end() const noexcept { return list.data() + count; }
};

// The number of the first call of a message that takes text: start comes before it, and the calls with AAD,
// which there are unless a preset is in the text already.
inline std::size_t first_text_call(const Case& question) noexcept {
  if (question.preset && question.before.text_bytes != 0) return 1;
  return is_scattered(question) ? 2 : question.aad_cut_count + std::size_t{2};
}

// In order, empty pieces of a text in pieces included. Those of a call that scatters lie between any two cuts
// of input and output.
inline TextPieces text_pieces_of(const Case& question) noexcept {
  const TextBounds in = in_bounds(question);
  const TextBounds out = out_bounds(question);
  const TextBounds calls = call_bounds(question);
  TextPieces pieces;
  std::size_t at = 0;
  std::size_t i = 1;
  std::size_t o = 1;
  for (std::size_t call = 0; call < calls.count; ++call) {
    const std::size_t end_of_call = calls.bounds[call + 1];
    do {
      std::size_t end = end_of_call;
      if (is_scattered(question)) {
        while (i < in.count && in.bounds[i] <= at) ++i;
        while (o < out.count && out.bounds[o] <= at) ++o;
        end = std::min({in.bounds[i], out.bounds[o], end_of_call});
      }
      pieces.list[pieces.count++] = {at, end, first_text_call(question) + call, end == end_of_call, false};
      at = end;
    } while (at < end_of_call);
  }
  pieces.list[pieces.count - 1].last = true;
  return pieces;
}

}  // namespace lockstep::oracles::aes_gcm
