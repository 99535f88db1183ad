#include "oracles/aes_gcm/preset.h"

#include <algorithm>
#include <array>

#include "lockstep/aes_gcm.h"
#include "oracles/aes/plain.h"
#include "oracles/aes_gcm/tamper.h"

namespace lockstep::oracles::aes_gcm {

void write_state(const Case& question, bool sealing, std::span<std::uint8_t, 104> out) {
  static_assert(::lockstep::aes_gcm::Message::exported_state_bytes == 104);
  using Block = std::array<std::uint8_t, 16>;
  const Preset& before = question.before;
  const bool in_text = before.text_bytes != 0;

  // J0 = nonce || 0^31 || 1; block i of the text is encrypted under J0 + 1 + i.
  Block j0 = {};
  std::copy_n(question.nonce.begin(), 12, j0.begin());
  j0[15] = 1;
  if (!sealing && question.tamper == Tamper::nonce) flip_bit(std::span(j0).first(12), question.tamper_bit);
  const auto counter_of_block = [&](std::uint64_t block) {
    Block counter = j0;
    const auto low = static_cast<std::uint32_t>(2 + block);
    for (unsigned i = 0; i < 4; ++i) counter[12 + i] = static_cast<std::uint8_t>(low >> (24 - 8 * i));
    return counter;
  };
  const aes::Aes k(question.key);
  const auto encrypt = [&](const Block& block) {
    Block result = {};
    k.encrypt_block(block, result);
    return result;
  };

  constexpr std::uint8_t version = 1;
  const std::array<std::uint8_t, 8> head = {version, static_cast<std::uint8_t>(sealing ? 1 : 2),
                                            static_cast<std::uint8_t>(in_text ? 2 : 1)};
  const std::uint64_t started_block = before.text_bytes / 16;
  const bool started = before.text_bytes % 16 != 0;
  auto* at = std::copy(head.begin(), head.end(), out.data());
  for (const Block& block : {before.ghash, counter_of_block(started_block + (started ? 1 : 0)), encrypt(j0),
                             started ? encrypt(counter_of_block(started_block)) : Block{}, before.partial}) {
    at = std::copy(block.begin(), block.end(), at);
  }
  for (const std::uint64_t total : {before.aad_bytes, before.text_bytes}) {
    for (unsigned i = 0; i < 8; ++i) *at++ = static_cast<std::uint8_t>(total >> (8 * i));
  }
}

}  // namespace lockstep::oracles::aes_gcm
