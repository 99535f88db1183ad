#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lockstep/buffers.h"
#include "lockstep/implementation.h"
#include "lockstep/status.h"

// AES-GCM, NIST SP 800-38D, for AES-128, AES-192 and AES-256 (FIPS 197).
//
// Sizes in bytes: key 16, 24 or 32; nonce 1 .. 2^61 - 1 (12 is the fast one); AAD 0 .. 2^61 - 1; text
// 0 .. 2^36 - 32; tag 4, 8, 12, 13, 14, 15 or 16. Anything else is refused before a byte is written.
// A nonce must never be used twice under one key (section 8).
//
// Aliasing: the output is either the input exactly (in place) or apart from it. Outputs (text and tag) must
// not touch any other buffer of the call. Everything else is refused as `overlapping_buffers`, with nothing
// written. Lists of buffers: buffers.h.
namespace lockstep::aes_gcm {

inline constexpr std::size_t block_bytes = 16;
inline constexpr std::uint64_t max_aad_bytes = (std::uint64_t{1} << 61) - 1;
inline constexpr std::uint64_t max_nonce_bytes = (std::uint64_t{1} << 61) - 1;
inline constexpr std::uint64_t max_text_bytes = (std::uint64_t{1} << 36) - 32;

struct Implementation;
// Every implementation built into this library, whether or not this CPU can run it.
std::span<const Implementation* const> implementations() noexcept;
const ImplementationInfo& info(const Implementation& implementation) noexcept;

// An expanded AES key with its hash subkey, in the form of one implementation. Immutable from set() to
// the next set(), may be shared by threads. Destruction wipes every byte of the object.
class Key {
 public:
  Key() noexcept = default;
  Key(const Key&) noexcept = default;
  Key& operator=(const Key&) noexcept = default;
  ~Key();

  // `key`: 16, 24 or 32 bytes. Null `implementation` takes the best constant-time one for this CPU. Refused
  // as bad_key_size, cpu_lacks_features; the object then keeps what it was. A key that was not set is refused
  // by every call as wrong_order.
  Status set(std::span<const std::uint8_t> key, const Implementation* implementation = nullptr) noexcept;
  [[nodiscard]] const Implementation* implementation() const noexcept { return implementation_; }

 private:
  friend class Message;
  static constexpr std::size_t context_bytes = 1536;
  alignas(8) std::uint8_t context_[context_bytes] = {};
  std::uint8_t hash_subkey_[block_bytes] = {};
  const Implementation* implementation_ = nullptr;
};

// `ciphertext` is as long as `plaintext`; `tag` has the wanted tag size.
Status seal(const Key& key, std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> aad,
            std::span<const std::uint8_t> plaintext, std::span<std::uint8_t> ciphertext,
            std::span<std::uint8_t> tag) noexcept;
template <class = void>
Status seal(const Key& key, std::span<const std::uint8_t> nonce, ConstBuffers aad, ConstBuffers plaintext,
            MutableBuffers ciphertext, std::span<std::uint8_t> tag) noexcept;

// `plaintext` is as long as `ciphertext`. If the tag is wrong, returns `authentication_failed` and
// `plaintext` is all zero (in place too). The tag is compared in constant time.
Status open(const Key& key, std::span<const std::uint8_t> nonce, std::span<const std::uint8_t> aad,
            std::span<const std::uint8_t> ciphertext, std::span<std::uint8_t> plaintext,
            std::span<const std::uint8_t> tag) noexcept;
// A wrong tag leaves every span of `plaintext` all zero.
template <class = void>
Status open(const Key& key, std::span<const std::uint8_t> nonce, ConstBuffers aad, ConstBuffers ciphertext,
            MutableBuffers plaintext, std::span<const std::uint8_t> tag) noexcept;

// What a message carries between two calls; the same for every implementation. Secret: it holds keystream.
struct MessageState {
  std::uint8_t ghash[block_bytes];      // the running value, over whole blocks
  std::uint8_t counter[block_bytes];    // the next counter block
  std::uint8_t tag_mask[block_bytes];   // E(K, J0)
  std::uint8_t keystream[block_bytes];  // of the started block, if text_bytes % 16 != 0
  std::uint8_t partial[block_bytes];    // AAD or ciphertext of the started block, zero-padded
  std::uint64_t aad_bytes;
  std::uint64_t text_bytes;
};

// The shared half of SealMessage and OpenMessage. Order of calls: start, aad*, then encrypt* and finish, or
// decrypt_unverified* and verify; start is allowed at any time, and forgets what was under way. Pieces may
// have any size, zero included. A refused call leaves the message as it was; so does a finish or verify with
// a wrong size of tag. The key must outlive the message, and must not be set again meanwhile. Copyable at any
// point. finish, verify (ok or authentication_failed) and destruction wipe every byte of the object but the
// one that says whether it seals or opens.
class Message {
 public:
  // version, direction, phase, 5 reserved zero bytes, the five blocks of MessageState, aad_bytes and
  // text_bytes as 64-bit little-endian.
  static constexpr std::size_t exported_state_bytes = 8 + 5 * block_bytes + 16;

  Status start(const Key& key, std::span<const std::uint8_t> nonce) noexcept;
  Status aad(std::span<const std::uint8_t> piece) noexcept;
  template <class = void>
  Status aad(ConstBuffers pieces) noexcept;
  // Goes on with another expansion of the same AES key, perhaps for another implementation. At any byte.
  Status hand_over(const Key& same_key) noexcept;

  // `out`: exported_state_bytes. Allowed between start and finish. The bytes are secret.
  Status export_state(std::span<std::uint8_t> out) const noexcept;
  // Takes up a message of the same direction under the same AES key. Bytes that no export could have written
  // are refused as `bad_state`; that they belong to this key cannot be checked.
  Status import_state(const Key& key, std::span<const std::uint8_t> state) noexcept;

 protected:
  enum class Direction : std::uint8_t { seal = 1, open = 2 };
  enum class Phase : std::uint8_t { idle, aad, text };

  explicit Message(Direction direction) noexcept : direction_(direction) {}
  Message(const Message&) noexcept = default;
  Message& operator=(const Message&) noexcept = default;
  ~Message();

  // Inline in aes_gcm.cpp, which alone calls it.
  inline Status crypt(ConstBuffers in, MutableBuffers out) noexcept;
  // For calls that have made their checks.
  void take_aad(std::span<const std::uint8_t> piece) noexcept;
  void take_text(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) noexcept;
  void finish_tag(std::uint8_t (&tag)[block_bytes]) noexcept;
  void wipe() noexcept;
  [[nodiscard]] bool started() const noexcept { return phase_ != Phase::idle; }

 private:
  inline Status authenticate(ConstBuffers pieces) noexcept;
  void begin_text() noexcept;

  MessageState state_ = {};
  const Key* key_ = nullptr;
  Direction direction_;
  Phase phase_ = Phase::idle;
  // Would be padding, which a copy fills with anything.
  [[maybe_unused]] std::uint8_t zero_[sizeof(void*) - 2] = {};
};

class SealMessage : public Message {
 public:
  SealMessage() noexcept : Message(Direction::seal) {}
  // `ciphertext` is as long as `plaintext`.
  Status encrypt(std::span<const std::uint8_t> plaintext, std::span<std::uint8_t> ciphertext) noexcept;
  template <class = void>
  Status encrypt(ConstBuffers plaintext, MutableBuffers ciphertext) noexcept;
  Status finish(std::span<std::uint8_t> tag) noexcept;
};

class OpenMessage : public Message {
 public:
  OpenMessage() noexcept : Message(Direction::open) {}
  // The bytes are NOT verified: nothing may be done with them until verify() has returned ok, and they must
  // be thrown away if it does not.
  Status decrypt_unverified(std::span<const std::uint8_t> ciphertext,
                            std::span<std::uint8_t> plaintext) noexcept;
  template <class = void>
  Status decrypt_unverified(ConstBuffers ciphertext, MutableBuffers plaintext) noexcept;
  Status verify(std::span<const std::uint8_t> tag) noexcept;
};

}  // namespace lockstep::aes_gcm
