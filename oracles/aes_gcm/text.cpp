#include "oracles/aes_gcm/text.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace lockstep::oracles::aes_gcm {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Between the pieces of a scatter/gather call, which a user has anywhere: not a multiple of anything.
constexpr std::size_t gap_bytes = 13;
constexpr std::uint8_t gap_value = 0xee;

bool is_untouched(std::uint8_t byte) noexcept {
  return byte == differential::unwritten_value;
}

// As std::ranges::copy, of which sanitizers make a loop over bytes. (Inlined, gcc 12 warns of sizes that
// cannot be.)
[[gnu::noinline]] void copy_bytes(Bytes from, std::span<std::uint8_t> to) noexcept {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace

Text::Text(const Case& question, differential::Buffers& buffers, std::span<const std::uint8_t> contents)
    : buffers_(buffers),
      scattered_(is_scattered(question)),
      in_pieces_(in_bounds(question)),
      out_pieces_(out_bounds(question)) {
  const std::size_t bytes = contents.size();
  if (const std::size_t shared = shared_bytes(question); shared > 0) {
    const std::size_t apart = bytes - shared;
    shared_ = buffers.out.place_output(bytes + apart, question.out_placement);
    const bool out_in_front = question.overlap_bytes % 2 != 0;
    const auto in = shared_.subspan(out_in_front ? apart : 0, bytes);
    copy_bytes(contents, in);
    in_ = in;
    out_ = shared_.subspan(out_in_front ? 0 : apart, bytes);
  } else if (question.aliasing == Aliasing::in_place) {
    out_ = buffers.out.place_output(bytes, question.out_placement);
    copy_bytes(contents, out_);
    in_ = out_;
  } else {
    gap_ = is_scattered(question) ? gap_bytes : 0;
    out_ = buffers.out.place_output(bytes + gap_ * (out_pieces_.count - 1), question.out_placement);
    if (gap_ == 0) {
      in_ = buffers.in.place_input(contents, question.in_placement);
    } else {
      static std::vector<std::uint8_t> spread;
      spread.assign(bytes + gap_ * (in_pieces_.count - 1), gap_value);
      for (std::size_t i = 0; i < in_pieces_.count; ++i) {
        copy_bytes(contents.subspan(in_pieces_.bounds[i], in_pieces_.bytes(i)),
                   std::span(spread).subspan(in_pieces_.bounds[i] + i * gap_));
      }
      in_ = buffers.in.place_input(spread, question.in_placement);
    }
  }
  cut_into_calls(question);
}

void Text::cut_into_calls(const Case& question) {
  const TextBounds calls = call_bounds(question);
  std::size_t in_at = 0;
  std::size_t out_at = 0;
  std::size_t in_piece = 0;
  std::size_t out_piece = 0;
  // Every piece that ends within the call, and of the output the part of one that does not.
  for (call_count_ = 0; call_count_ < calls.count; ++call_count_) {
    const std::size_t begin = calls.bounds[call_count_];
    const std::size_t end = calls.bounds[call_count_ + 1];
    const bool last = call_count_ + 1 == calls.count;
    const std::size_t in_first = in_at;
    const std::size_t out_first = out_at;
    const auto belongs = [&](const TextBounds& pieces, std::size_t piece) {
      return piece < pieces.count && (last || pieces.bounds[piece + 1] <= end);
    };
    if (!is_scattered(question)) {
      in_spans_[in_at++] = in_.subspan(begin, end - begin);
      out_spans_[out_at++] = out_.subspan(begin, end - begin);
    } else {
      for (; belongs(in_pieces_, in_piece); ++in_piece) {
        in_spans_[in_at++] =
            in_.subspan(in_pieces_.bounds[in_piece] + in_piece * gap_, in_pieces_.bytes(in_piece));
      }
      std::size_t done = begin;
      for (; belongs(out_pieces_, out_piece); ++out_piece) {
        const std::size_t from = std::max(out_pieces_.bounds[out_piece], begin);
        done = out_pieces_.bounds[out_piece + 1];
        out_spans_[out_at++] = out_.subspan(from + out_piece * gap_, done - from);
      }
      if (done < end) {
        out_spans_[out_at++] = out_.subspan(done + out_piece * gap_, end - done);
      }
    }
    calls_[call_count_] = {std::span(in_spans_).subspan(in_first, in_at - in_first),
                           std::span(out_spans_).subspan(out_first, out_at - out_first)};
  }
  if (!scattered_) return;
  // Behind the lists of the last call lies an unmapped page.
  const ConstBuffers in_list =
      differential::place_list(buffers_.in_list, ConstBuffers(in_spans_).first(in_at));
  const MutableBuffers out_list =
      differential::place_list(buffers_.out_list, MutableBuffers(out_spans_).first(out_at));
  in_at = 0;
  out_at = 0;
  for (Call& call : std::span(calls_).first(call_count_)) {
    call = {in_list.subspan(in_at, call.in.size()), out_list.subspan(out_at, call.out.size())};
    in_at += call.in.size();
    out_at += call.out.size();
  }
}

void Text::gather(std::span<std::uint8_t> to) const noexcept {
  if (gap_ == 0) return copy_bytes(out_, to);
  for (std::size_t i = 0; i < out_pieces_.count; ++i) {
    copy_bytes(out_.subspan(out_pieces_.bounds[i] + i * gap_, out_pieces_.bytes(i)),
               to.subspan(out_pieces_.bounds[i]));
  }
}

bool Text::untouched(std::span<const std::uint8_t> contents, std::size_t from) const {
  if (!shared_.empty()) {
    const auto in_begin = static_cast<std::size_t>(in_.data() - shared_.data());
    return std::ranges::equal(in_, contents) && std::ranges::all_of(shared_.first(in_begin), is_untouched) &&
           std::ranges::all_of(shared_.subspan(in_begin + in_.size()), is_untouched);
  }
  if (in_.data() == out_.data()) return std::ranges::equal(out_.subspan(from), contents.subspan(from));
  if (from == 0) return std::ranges::all_of(out_, is_untouched);
  static std::vector<std::uint8_t> gathered;
  gathered.resize(contents.size());
  gather(gathered);
  return std::ranges::all_of(std::span(gathered).subspan(from), is_untouched);
}

void Text::check(differential::Outcome& outcome) const {
  if (shared_.empty() && in_.data() != out_.data()) buffers_.in.check(outcome);
  buffers_.out.check(outcome);
  if (scattered_) {
    buffers_.in_list.check(outcome);
    buffers_.out_list.check(outcome);
  }
  if (gap_ == 0) return;
  for (std::size_t i = 1; i < out_pieces_.count; ++i) {
    const auto gap = out_.subspan(out_pieces_.bounds[i] + (i - 1) * gap_, gap_);
    if (!std::ranges::all_of(gap, is_untouched)) {
      outcome.violate(differential::ViolationKind::memory, "wrote between two pieces of out");
    }
  }
}

}  // namespace lockstep::oracles::aes_gcm
