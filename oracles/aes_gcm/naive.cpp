// What somebody writes first: raw bytes in, one call each way, compared with one library.
#include "oracles/aes_gcm/algorithm.h"
#include "oracles/differential/by_seed.h"
#include "oracles/differential/raw_bytes.h"

namespace lockstep::oracles::aes_gcm {

Case Algorithm::naive(std::span<const std::uint8_t> raw) {
  static constexpr std::uint32_t key_sizes[] = {16, 24, 32};
  differential::RawBytes bytes(raw);
  Case question;
  question.fill_seed = differential::quiet_seed;
  question.key_bytes = key_sizes[bytes.byte() % std::size(key_sizes)];
  question.key = bytes.take(question.key_bytes);
  question.nonce = bytes.take(question.nonce_bytes);
  const std::size_t aad_bytes = bytes.byte();
  question.aad = bytes.take(aad_bytes % (bytes.size() + 1));
  question.text = bytes.take(bytes.size());
  question.aad_bytes = static_cast<std::uint32_t>(question.aad.size());
  question.text_bytes = static_cast<std::uint32_t>(question.text.size());
  // An address sanitizer would see what reads or writes behind them.
  question.key_placement = question.nonce_placement = question.aad_placement = question.in_placement =
      question.out_placement = question.tag_placement = Placement::behind();
  return question;
}

}  // namespace lockstep::oracles::aes_gcm
