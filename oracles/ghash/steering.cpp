#include "oracles/ghash/steering.h"

#include <algorithm>
#include <span>

namespace lockstep::oracles::ghash {
namespace {

void fill(std::span<std::uint8_t> bytes, std::uint8_t value) noexcept {
  std::ranges::fill(bytes, value);
}

// Bit 0 is the first bit of the first byte, as the standard counts.
void set_single_bit(std::span<std::uint8_t> bytes, std::uint32_t bit) noexcept {
  fill(bytes, 0);
  if (bytes.empty()) return;
  const std::size_t at = bit % (8 * bytes.size());
  bytes[at / 8] = static_cast<std::uint8_t>(0x80U >> (at % 8));
}

}  // namespace

void steer(Case& question) noexcept {
  switch (question.key_steering) {
    case KeySteering::none:
      break;
    case KeySteering::zero:
      fill(question.key, 0);
      break;
    case KeySteering::one:
      set_single_bit(question.key, 0);
      break;
    case KeySteering::x:
      set_single_bit(question.key, 1);
      break;
    case KeySteering::all_ones:
      fill(question.key, 0xff);
      break;
    case KeySteering::single_bit:
      set_single_bit(question.key, question.steered_bit);
      break;
  }
  switch (question.text_steering) {
    case TextSteering::none:
      break;
    case TextSteering::zero:
      fill(question.text, 0);
      break;
    case TextSteering::all_ones:
      fill(question.text, 0xff);
      break;
    case TextSteering::single_bit:
      set_single_bit(question.text, question.steered_bit);
      break;
    case TextSteering::equal_blocks:
      for (std::size_t i = 16; i < question.text.size(); ++i) question.text[i] = question.text[i - 16];
      break;
  }
}

}  // namespace lockstep::oracles::ghash
