#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lockstep/buffers.h"
#include "oracles/aes_gcm/case.h"
#include "oracles/aes_gcm/kernel_calls.h"

// The text of a message in guarded buffers, laid out and cut into calls as a case says.
namespace lockstep::oracles::aes_gcm {

class Text {
 public:
  // One call. Without scattering, both lists have one span.
  struct Call {
    ConstBuffers in;
    MutableBuffers out;
  };

  Text(const Case& question, differential::Buffers& buffers, std::span<const std::uint8_t> contents);
  Text(const Text&) = delete;  // calls_ points into itself
  Text& operator=(const Text&) = delete;

  [[nodiscard]] std::span<const Call> calls() const noexcept { return std::span(calls_).first(call_count_); }
  // The output, gathered.
  void gather(std::span<std::uint8_t> to) const noexcept;
  // Did a refused call leave everything as it was, from byte `from` of the text on?
  [[nodiscard]] bool untouched(std::span<const std::uint8_t> contents, std::size_t from = 0) const;
  // Says what was written between the pieces, or around the buffers.
  void check(differential::Outcome& outcome) const;

 private:
  void cut_into_calls(const Case& question);

  differential::Buffers& buffers_;
  bool scattered_;
  TextBounds in_pieces_, out_pieces_;
  std::span<const std::uint8_t> in_;  // pieces, with gap_ bytes between two of them
  std::span<std::uint8_t> out_;
  std::span<std::uint8_t> shared_;  // of a partial overlap: the memory of both
  std::size_t gap_ = 0;
  std::array<std::span<const std::uint8_t>, max_pieces> in_spans_;
  std::array<std::span<std::uint8_t>, max_pieces + 1> out_spans_;  // one may be cut by the end of a call
  std::array<Call, max_pieces> calls_;
  std::size_t call_count_ = 0;
};

}  // namespace lockstep::oracles::aes_gcm
