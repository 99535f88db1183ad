#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lockstep/buffers.h"
#include "lockstep/implementation.h"
#include "lockstep/status.h"

// GHASH (SP 800-38D, section 6.4) as a keyed hash of its own: H is the key, the message is zero-padded to
// whole blocks, no length block is added. Alone it is no MAC: who sees two hashes can compute H.
namespace lockstep::ghash {

inline constexpr std::size_t block_bytes = 16;

struct Implementation;  // self-describing; see implementation.h for `info`
std::span<const Implementation* const> implementations() noexcept;
const ImplementationInfo& info(const Implementation& implementation) noexcept;

// An expanded hash subkey. Immutable after set(), may be shared by threads. Destruction wipes every byte of
// the object.
class Key {
 public:
  Key() noexcept = default;
  Key(const Key&) noexcept = default;
  Key& operator=(const Key&) noexcept = default;
  ~Key();

  // `h`: 16 bytes. Null `implementation` takes the best constant-time one for this CPU.
  Status set(std::span<const std::uint8_t> h, const Implementation* implementation = nullptr) noexcept;
  [[nodiscard]] const Implementation* implementation() const noexcept { return implementation_; }

 private:
  friend class Hash;
  static constexpr std::size_t context_bytes = 1024;
  alignas(8) std::uint8_t context_[context_bytes] = {};
  const Implementation* implementation_ = nullptr;
};

// Incremental: start, update*, finish; then perhaps start again. Pieces may have any size, zero included. A
// refused call leaves the hash as it was. The key must outlive the hash. Copyable at any point. finish and
// destruction wipe every byte of the object.
class Hash {
 public:
  // The same bytes for the same message, however it was cut and whoever computed it:
  //     0    version, 1
  //     1    bytes in the started block, 0 .. 15
  //     2    6 zero bytes
  //     8    y, the running value over whole blocks
  //    24    the started block, zero-padded to 16 bytes
  static constexpr std::size_t exported_state_bytes = 8 + 2 * block_bytes;

  Hash() noexcept = default;
  Hash(const Hash&) noexcept = default;
  Hash& operator=(const Hash&) noexcept = default;
  ~Hash();

  Status start(const Key& key) noexcept;
  Status update(std::span<const std::uint8_t> data) noexcept;
  template <class = void>
  Status update(ConstBuffers data) noexcept;
  // Goes on with another expansion of the same H, perhaps for another implementation. At any byte.
  Status hand_over(const Key& same_h) noexcept;
  // `out`: 16 bytes. Afterwards the hash must be started anew.
  Status finish(std::span<std::uint8_t> out) noexcept;

  // `out`: exported_state_bytes. Allowed between start and finish. The bytes are secret: they tell of
  // H as a hash does.
  Status export_state(std::span<std::uint8_t> out) const noexcept;
  // Takes up a message under the same H. Bytes that no export could have written are refused as `bad_state`;
  // that they belong to this key cannot be checked.
  Status import_state(const Key& key, std::span<const std::uint8_t> state) noexcept;

 private:
  void wipe() noexcept;

  const Key* key_ = nullptr;
  std::uint8_t y_[block_bytes] = {};
  std::uint8_t partial_[block_bytes] = {};
  std::size_t partial_bytes_ = 0;
};

// One call. `out`: 16 bytes, apart from `data`.
Status hash(const Key& key, std::span<const std::uint8_t> data, std::span<std::uint8_t> out) noexcept;
template <class = void>
Status hash(const Key& key, ConstBuffers data, std::span<std::uint8_t> out) noexcept;

}  // namespace lockstep::ghash
