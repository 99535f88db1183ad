#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "oracles/aes_gcm/case.h"
#include "oracles/differential/pieces.h"

// How the text of a case comes to the kernels: once for lanes, for locating a difference, and for cells.
namespace lockstep::oracles::aes_gcm {

// Whether the text goes through the calls that scatter and gather.
inline bool scatters(const Case& question) noexcept {
  return question.out_cut_count > 0;
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

// The number of the first call of a message that takes text: start comes before it, and the pieces of AAD,
// which there are unless a preset is in the text already.
inline std::size_t first_text_call(const Case& question) noexcept {
  return 1 +
         (question.preset && question.before.text_bytes != 0 ? 0 : question.aad_cut_count + std::size_t{1});
}

// The kernel calls of a text in order, empty pieces of a text in pieces included. With cuts of the output the
// pieces are those between any two cuts of input and output, and an incremental message takes them in two
// calls, the first of which has half of the pieces of input.
inline TextPieces text_pieces_of(const Case& question) noexcept {
  const bool incremental = question.call == Call::incremental;
  const bool scatter = scatters(question);
  const std::size_t in_cuts = incremental || scatter ? question.in_cut_count : 0;
  const auto in = differential::cut(question.text_bytes, in_cuts, question.in_cuts);
  TextPieces pieces;
  std::size_t call = first_text_call(question);
  if (!scatter) {
    for (std::size_t i = 0; i < in.count; ++i, ++call)
      pieces.list[pieces.count++] = {in.bounds[i], in.bounds[i + 1], call, true, i + 1 == in.count};
    return pieces;
  }
  const auto out = differential::cut(question.text_bytes, question.out_cut_count, question.out_cuts);
  const std::size_t split = incremental ? in.bounds[in.count / 2] : question.text_bytes;
  std::size_t at = 0;
  std::size_t i = 1;
  std::size_t o = 1;
  const auto take_until = [&](std::size_t end_of_call) {
    do {
      while (i < in.count && in.bounds[i] <= at) ++i;
      while (o < out.count && out.bounds[o] <= at) ++o;
      const std::size_t end = std::min({in.bounds[i], out.bounds[o], end_of_call});
      pieces.list[pieces.count++] = {at, end, call, end == end_of_call, false};
      at = end;
    } while (at < end_of_call);
    ++call;
  };
  take_until(split);
  if (incremental) take_until(question.text_bytes);
  pieces.list[pieces.count - 1].last = true;
  return pieces;
}

}  // namespace lockstep::oracles::aes_gcm
