#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lockstep/buffers.h"
#include "lockstep/implementation.h"
#include "lockstep/status.h"

// BLAKE2b: RFC 7693, and for what it leaves out the BLAKE2 specification of 2013-01-29: salt at bytes 32 ..
// 47 and personalisation at bytes 48 .. 63 of the parameter block, its tree fields, the last-node flag f1.
//
// Sizes in bytes: digest 1 .. 64; key 0 (none) .. 64; salt 0 (none) or 16; personalisation 0 (none) or 16.
// None is the same as 16 zero bytes; shorter ones are not padded, since then two of them could mean the same.
// Anything else is refused before a byte is written. A shorter digest is another hash, not the beginning of a
// longer one.
//
// The counter has 128 bits and counts the padded key too. The standard ends at 2^128 - 1 bytes; beyond, the
// counter wraps to 0.
namespace lockstep::blake2b {

inline constexpr std::size_t block_bytes = 128;
inline constexpr std::size_t max_digest_bytes = 64;
inline constexpr std::size_t max_key_bytes = 64;
inline constexpr std::size_t salt_bytes = 16;
inline constexpr std::size_t personal_bytes = 16;
// BLAKE2b-160, -256, -384 and -512.
inline constexpr std::size_t digest_bytes_160 = 20;
inline constexpr std::size_t digest_bytes_256 = 32;
inline constexpr std::size_t digest_bytes_384 = 48;
inline constexpr std::size_t digest_bytes_512 = 64;

struct Implementation;
// Every implementation built into this library, whether or not this CPU can run it.
std::span<const Implementation* const> implementations() noexcept;
const ImplementationInfo& info(const Implementation& implementation) noexcept;

// The parameter block, but for the key. Left as it is: the sequential mode, which is all of RFC 7693. A tree
// is the caller's to build: each node is a message of its own. If a node has a key, the padded key is its
// first block, whatever its depth.
struct Parameters {
  std::size_t digest_bytes = digest_bytes_512;
  std::span<const std::uint8_t> salt = {};      // read by start() alone
  std::span<const std::uint8_t> personal = {};  // read by start() alone
  std::uint8_t fanout = 1;                      // 0: unlimited
  std::uint8_t depth = 1;                       // 1 .. 255
  std::uint32_t leaf_length = 0;
  std::uint64_t node_offset = 0;
  std::uint8_t node_depth = 0;
  std::uint8_t inner_length = 0;  // 0 .. 64
  bool last_node = false;         // f1: the last node of its level; not part of the block
};

// What a message carries from block to block; the same for every implementation.
struct State {
  std::uint64_t h[8];  // chaining value
  std::uint64_t t[2];  // bytes compressed, low word first
  std::uint64_t f[2];  // finalisation flags: all ones in the last block; in that of the last node
};

// Incremental: start, update*, finish; then perhaps start again. Pieces may have any size, zero included. A
// refused call leaves the hash as it was. Copyable at any point. finish and destruction wipe every byte of
// the object.
class Hash {
 public:
  // The same bytes for the same message, however it was cut and whoever computed it:
  //     0    version, 1
  //     1    digest_bytes
  //     2    bytes in the buffer, 0 .. 128; 0 only if there was no key and no byte yet
  //     3    1 if last_node, else 0
  //     4    4 zero bytes
  //     8    h, 8 words of 64 bits, little-endian
  //    72    t, 2 words: a multiple of 128
  //    88    the buffer, zero-padded to 128 bytes
  static constexpr std::size_t exported_state_bytes = 88 + block_bytes;

  Hash() noexcept = default;
  Hash(const Hash&) noexcept = default;
  Hash& operator=(const Hash&) noexcept = default;
  ~Hash();

  // Refused as bad_digest_size, bad_key_size, bad_salt_size, bad_personal_size, bad_tree_parameter,
  // cpu_lacks_features, in this order. Null `implementation` takes the best constant-time one for this CPU,
  // here and below.
  Status start(const Parameters& parameters = {}, std::span<const std::uint8_t> key = {},
               const Implementation* implementation = nullptr) noexcept;
  Status update(std::span<const std::uint8_t> data) noexcept;
  template <class = void>
  Status update(ConstBuffers data) noexcept;
  // Goes on with another implementation. At any byte.
  Status hand_over(const Implementation* implementation) noexcept;
  // Who computes it; null if it is not under way.
  [[nodiscard]] const Implementation* implementation() const noexcept { return implementation_; }
  // `out`: as many bytes as the digest was started with. Afterwards the hash must be started anew.
  Status finish(std::span<std::uint8_t> out) noexcept;

  // `out`: exported_state_bytes. Allowed between start and finish. With a key the bytes are secret: who has
  // them can go on with the message.
  Status export_state(std::span<std::uint8_t> out) const noexcept;
  // Takes up a message. Bytes that no export could have written are refused as `bad_state`.
  Status import_state(std::span<const std::uint8_t> state,
                      const Implementation* implementation = nullptr) noexcept;

 private:
  void wipe() noexcept;

  State state_ = {};
  std::uint8_t buffer_[block_bytes] = {};
  std::size_t buffered_ = 0;
  std::size_t digest_bytes_ = 0;
  // 0 or 1. Not a bool, which would leave padding, which a copy fills with anything.
  std::size_t last_node_ = 0;
  const Implementation* implementation_ = nullptr;  // null: not started
};

// One call. `out`: parameters.digest_bytes, apart from all inputs.
Status hash(const Parameters& parameters, std::span<const std::uint8_t> key,
            std::span<const std::uint8_t> data, std::span<std::uint8_t> out,
            const Implementation* implementation = nullptr) noexcept;
template <class = void>
Status hash(const Parameters& parameters, std::span<const std::uint8_t> key, ConstBuffers data,
            std::span<std::uint8_t> out, const Implementation* implementation = nullptr) noexcept;

}  // namespace lockstep::blake2b
