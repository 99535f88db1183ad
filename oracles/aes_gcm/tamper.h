#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracles/aes_gcm/case.h"

// What is opened after a seal, perhaps changed in one bit; for everyone but plain, which has its own.
namespace lockstep::oracles::aes_gcm {

struct Tampered {
  std::vector<std::uint8_t> nonce, aad, ciphertext, tag;  // reused from case to case
};

// Flips bit tamper_bit, modulo the bits there are, of what the case names; bit 0 is the lowest of byte 0. If
// that is empty nothing is flipped, and the message is genuine.
inline void flip_bit(std::span<std::uint8_t> bytes, std::uint32_t bit) noexcept {
  if (bytes.empty()) return;
  const std::uint64_t at = bit % (8 * std::uint64_t{bytes.size()});
  bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] ^ 1U << (at % 8));
}

inline void tamper(const Case& question, std::span<const std::uint8_t> ciphertext,
                   std::span<const std::uint8_t> tag, Tampered& message) {
  message.nonce.assign(question.nonce.begin(), question.nonce.end());
  message.aad.assign(question.aad.begin(), question.aad.end());
  message.ciphertext.assign(ciphertext.begin(), ciphertext.end());
  message.tag.assign(tag.begin(), tag.end());
  switch (question.tamper) {
    case Tamper::none:
      break;
    case Tamper::ciphertext:
      flip_bit(message.ciphertext, question.tamper_bit);
      break;
    case Tamper::tag:
      flip_bit(message.tag, question.tamper_bit);
      break;
    case Tamper::aad:
      flip_bit(message.aad, question.tamper_bit);
      break;
    case Tamper::nonce:
      flip_bit(message.nonce, question.tamper_bit);
      break;
  }
}

}  // namespace lockstep::oracles::aes_gcm
