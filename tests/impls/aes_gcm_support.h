#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "impls/aes_gcm/kernel.h"
#include "impls/core/endian.h"
#include "lockstep/aes_gcm.h"
#include "support.h"

namespace lockstep::test {

using aes_gcm::Implementation;
using aes_gcm::Key;
using aes_gcm::Message;
using aes_gcm::OpenMessage;
using aes_gcm::SealMessage;

inline constexpr std::size_t key_sizes[] = {16, 24, 32};

struct Sealed {
  Bytes ciphertext;
  Bytes tag;
  bool operator==(const Sealed&) const = default;
};

inline Key make_key(const Bytes& key, const Implementation* implementation) {
  Key made;
  EXPECT_EQ(made.set(key, implementation), Status::ok);
  return made;
}

inline Sealed seal(const Key& key, const Bytes& nonce, const Bytes& aad, const Bytes& plaintext) {
  Sealed sealed = {Bytes(plaintext.size()), Bytes(16)};
  EXPECT_EQ(aes_gcm::seal(key, nonce, aad, plaintext, sealed.ciphertext, sealed.tag), Status::ok);
  return sealed;
}

template <class Any>
Bytes exported(const Any& message) {
  Bytes state(Message::exported_state_bytes);
  EXPECT_EQ(message.export_state(state), Status::ok);
  return state;
}

// Where fields stand in an exported state.
inline constexpr std::size_t at_version = 0, at_direction = 1, at_phase = 2, at_reserved = 3, at_ghash = 8;
inline constexpr std::size_t at_counter = 24, at_tag_mask = 40, at_keystream = 56, at_partial = 72;
inline constexpr std::size_t at_aad_bytes = 88, at_text_bytes = 96;
static_assert(Message::exported_state_bytes == 104);

// SP 800-38D, section 7.1, from single blocks of the cipher and a GHASH bit by bit.
class ByBlocks {
 public:
  explicit ByBlocks(const Bytes& key) : context_(aes_gcm::max_context_bytes / 8), h_(16) {
    kernel_->expand_key(context_.data(), key.data(), key.size(), h_.data());
  }
  [[nodiscard]] const Bytes& h() const { return h_; }
  [[nodiscard]] Bytes encrypt(Bytes block) const {
    kernel_->encrypt_block(context_.data(), block.data(), block.data());
    return block;
  }
  [[nodiscard]] Bytes ctr(Bytes counter, const Bytes& in) const {
    Bytes out = in;
    Bytes mask;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i % 16 == 0) {
        mask = encrypt(counter);
        core::store_be32(counter.data() + 12, core::load_be32(counter.data() + 12) + 1);
      }
      out[i] ^= mask[i % 16];
    }
    return out;
  }

  [[nodiscard]] Bytes j0(const Bytes& nonce) const {
    Bytes block = nonce;
    if (nonce.size() == 12) {
      block.insert(block.end(), {0, 0, 0, 1});
      return block;
    }
    block.resize((nonce.size() + 15) / 16 * 16 + 16);
    core::store_be64(block.data() + block.size() - 8, nonce.size() * 8);
    return ghash_bitwise(h_, Bytes(16), block);
  }
  [[nodiscard]] Sealed seal(const Bytes& nonce, const Bytes& aad, const Bytes& plaintext) const {
    const Bytes first = j0(nonce);
    Bytes counter = first;
    core::store_be32(counter.data() + 12, core::load_be32(counter.data() + 12) + 1);
    Bytes ciphertext = ctr(counter, plaintext);
    Bytes lengths(16);
    core::store_be64(lengths.data(), aad.size() * 8);
    core::store_be64(lengths.data() + 8, plaintext.size() * 8);
    Bytes tag = ghash_bitwise(h_, ghash_bitwise(h_, ghash_bitwise(h_, Bytes(16), aad), ciphertext), lengths);
    const Bytes mask = encrypt(first);
    for (std::size_t i = 0; i < 16; ++i) tag[i] ^= mask[i];
    return {std::move(ciphertext), std::move(tag)};
  }

 private:
  const Implementation* kernel_ = find(aes_gcm::implementations(), "portable");
  std::vector<std::uint64_t> context_;
  Bytes h_;
};

}  // namespace lockstep::test
