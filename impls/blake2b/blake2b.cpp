#include "lockstep/blake2b.h"

#include <algorithm>
#include <cstring>

#include "impls/blake2b/constants_core.h"
#include "impls/blake2b/kernel.h"
#include "impls/core/endian.h"
#include "impls/core/overlap.h"
#include "impls/core/wipe.h"

namespace lockstep::blake2b {
namespace {

// Offsets in the parameter block, BLAKE2 specification, section 2.8.
namespace at {
constexpr std::size_t digest_length = 0, key_length = 1, fanout = 2, depth = 3, leaf_length = 4,
                      node_offset = 8, node_depth = 16, inner_length = 17, reserved = 18, salt = 32,
                      personal = 48, end = 64;
}  // namespace at

// Offsets in an exported state.
namespace in_export {
constexpr std::size_t version = 0, digest_bytes = 1, buffered = 2, flags = 3, zero = 4, h = 8, t = 72,
                      buffer = 88;
}  // namespace in_export
constexpr std::uint8_t export_version = 1;

bool all_zero(const std::uint8_t* p, std::size_t bytes) noexcept {
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < bytes; ++i) any |= p[i];
  return any == 0;
}

Status check(const Parameters& parameters, std::span<const std::uint8_t> key) noexcept {
  if (parameters.digest_bytes == 0 || parameters.digest_bytes > max_digest_bytes) {
    return Status::bad_digest_size;
  }
  if (key.size() > max_key_bytes) return Status::bad_key_size;
  if (!parameters.salt.empty() && parameters.salt.size() != salt_bytes) return Status::bad_salt_size;
  if (!parameters.personal.empty() && parameters.personal.size() != personal_bytes) {
    return Status::bad_personal_size;
  }
  if (parameters.depth == 0 || parameters.inner_length > max_digest_bytes) return Status::bad_tree_parameter;
  return Status::ok;
}

const Implementation* or_best(const Implementation* implementation) noexcept {
  return implementation != nullptr ? implementation : select(implementations(), cpu_features());
}

bool runs_here(const Implementation* implementation) noexcept {
  return cpu_features().contains_all(implementation->info.required);
}

// h as start() leaves it, for a message without a key: the one state in which nothing is buffered.
bool untouched(const State& state, std::size_t digest_bytes) noexcept {
  std::uint8_t block[at::end];
  for (unsigned i = 0; i < 8; ++i) core::store_le64(block + std::size_t{8} * i, state.h[i] ^ iv[i]);
  return state.t[0] == 0 && state.t[1] == 0 && block[at::digest_length] == digest_bytes &&
         block[at::key_length] == 0 && block[at::depth] != 0 && block[at::inner_length] <= max_digest_bytes &&
         all_zero(block + at::reserved, at::salt - at::reserved);
}

}  // namespace

const ImplementationInfo& info(const Implementation& implementation) noexcept {
  return implementation.info;
}

Hash::~Hash() {
  if (implementation_ != nullptr) wipe();
}

void Hash::wipe() noexcept {
  static_assert(sizeof(Hash) == sizeof(State) + block_bytes + 4 * sizeof(void*), "no padding");
  // In front of the wipe: in a destructor the compiler drops stores that nothing reads.
  buffered_ = 0;
  digest_bytes_ = 0;
  last_node_ = 0;
  implementation_ = nullptr;
  core::wipe(&state_, sizeof state_);
  core::wipe(buffer_, sizeof buffer_);
}

Status Hash::start(const Parameters& parameters, std::span<const std::uint8_t> key,
                   const Implementation* implementation) noexcept {
  if (const Status status = check(parameters, key); status != Status::ok) return status;
  implementation = or_best(implementation);
  if (!runs_here(implementation)) return Status::cpu_lacks_features;

  std::uint8_t block[at::end] = {};
  block[at::digest_length] = static_cast<std::uint8_t>(parameters.digest_bytes);
  block[at::key_length] = static_cast<std::uint8_t>(key.size());
  block[at::fanout] = parameters.fanout;
  block[at::depth] = parameters.depth;
  core::store_le32(block + at::leaf_length, parameters.leaf_length);
  core::store_le64(block + at::node_offset, parameters.node_offset);
  block[at::node_depth] = parameters.node_depth;
  block[at::inner_length] = parameters.inner_length;
  std::ranges::copy(parameters.salt, block + at::salt);
  std::ranges::copy(parameters.personal, block + at::personal);

  state_ = {};
  for (unsigned i = 0; i < 8; ++i) state_.h[i] = iv[i] ^ core::load_le64(block + std::size_t{8} * i);
  // The key, zero-padded, is the first block; whether it is also the last is not known yet.
  std::memset(buffer_, 0, sizeof buffer_);
  std::ranges::copy(key, buffer_);
  buffered_ = key.empty() ? 0 : block_bytes;
  digest_bytes_ = parameters.digest_bytes;
  last_node_ = parameters.last_node ? 1 : 0;
  implementation_ = implementation;
  return Status::ok;
}

// The last block is compressed with f0 set. So the buffer, even full, is kept until a further byte comes: it
// may be the last.
Status Hash::update(std::span<const std::uint8_t> data) noexcept {
  if (implementation_ == nullptr) return Status::wrong_order;
  if (data.empty()) return Status::ok;
  if (const std::size_t room = block_bytes - buffered_; data.size() > room) {
    if (buffered_ > 0) {
      std::memcpy(buffer_ + buffered_, data.data(), room);
      implementation_->compress(state_, buffer_, 1, block_bytes);
      buffered_ = 0;
      data = data.subspan(room);
    }
    const std::size_t blocks = (data.size() - 1) / block_bytes;
    if (blocks > 0) implementation_->compress(state_, data.data(), blocks, block_bytes);
    data = data.subspan(blocks * block_bytes);
  }
  std::memcpy(buffer_ + buffered_, data.data(), data.size());
  buffered_ += data.size();
  return Status::ok;
}

template <class>
Status Hash::update(ConstBuffers data) noexcept {
  if (implementation_ == nullptr) return Status::wrong_order;
  for (const std::span<const std::uint8_t> piece : data) static_cast<void>(update(piece));
  return Status::ok;
}
template Status Hash::update<void>(ConstBuffers data) noexcept;

Status Hash::hand_over(const Implementation* implementation) noexcept {
  if (implementation_ == nullptr) return Status::wrong_order;
  implementation = or_best(implementation);
  if (!runs_here(implementation)) return Status::cpu_lacks_features;
  implementation_ = implementation;
  return Status::ok;
}

Status Hash::finish(std::span<std::uint8_t> out) noexcept {
  if (implementation_ == nullptr) return Status::wrong_order;
  if (out.size() != digest_bytes_) return Status::bad_output_size;
  std::memset(buffer_ + buffered_, 0, block_bytes - buffered_);
  state_.f[0] = ~std::uint64_t{0};
  state_.f[1] = last_node_ != 0 ? ~std::uint64_t{0} : 0;
  implementation_->compress(state_, buffer_, 1, buffered_);
  std::uint8_t digest[max_digest_bytes];
  for (unsigned i = 0; i < 8; ++i) core::store_le64(digest + std::size_t{8} * i, state_.h[i]);
  std::memcpy(out.data(), digest, out.size());
  // What a short digest leaves out is nobody's to see.
  core::wipe(digest, sizeof digest);
  wipe();
  return Status::ok;
}

Status Hash::export_state(std::span<std::uint8_t> out) const noexcept {
  if (implementation_ == nullptr) return Status::wrong_order;
  if (out.size() != exported_state_bytes) return Status::bad_output_size;
  std::uint8_t* const p = out.data();
  std::memset(p, 0, exported_state_bytes);
  p[in_export::version] = export_version;
  p[in_export::digest_bytes] = static_cast<std::uint8_t>(digest_bytes_);
  p[in_export::buffered] = static_cast<std::uint8_t>(buffered_);
  p[in_export::flags] = static_cast<std::uint8_t>(last_node_);
  for (unsigned i = 0; i < 8; ++i) core::store_le64(p + in_export::h + std::size_t{8} * i, state_.h[i]);
  for (unsigned i = 0; i < 2; ++i) core::store_le64(p + in_export::t + std::size_t{8} * i, state_.t[i]);
  std::memcpy(p + in_export::buffer, buffer_, buffered_);
  return Status::ok;
}

Status Hash::import_state(std::span<const std::uint8_t> state,
                          const Implementation* implementation) noexcept {
  if (state.size() != exported_state_bytes) return Status::bad_state;
  const std::uint8_t* const p = state.data();
  const std::size_t digest_bytes = p[in_export::digest_bytes];
  const std::size_t buffered = p[in_export::buffered];
  if (p[in_export::version] != export_version || digest_bytes == 0 || digest_bytes > max_digest_bytes ||
      buffered > block_bytes || p[in_export::flags] > 1 ||
      !all_zero(p + in_export::zero, in_export::h - in_export::zero) ||
      !all_zero(p + in_export::buffer + buffered, block_bytes - buffered)) {
    return Status::bad_state;
  }
  State taken = {};
  for (unsigned i = 0; i < 8; ++i) taken.h[i] = core::load_le64(p + in_export::h + std::size_t{8} * i);
  for (unsigned i = 0; i < 2; ++i) taken.t[i] = core::load_le64(p + in_export::t + std::size_t{8} * i);
  // Only whole blocks are compressed before the last, and from the first byte on something is kept for it. A
  // counter of 0 says nothing about h: it may have wrapped.
  bool reachable = taken.t[0] % block_bytes == 0;
  if (buffered == 0) reachable = reachable && untouched(taken, digest_bytes);
  implementation = or_best(implementation);
  const Status status = !reachable                   ? Status::bad_state
                        : !runs_here(implementation) ? Status::cpu_lacks_features
                                                     : Status::ok;
  if (status == Status::ok) {
    state_ = taken;
    std::memcpy(buffer_, p + in_export::buffer, block_bytes);
    buffered_ = buffered;
    digest_bytes_ = digest_bytes;
    last_node_ = p[in_export::flags];
    implementation_ = implementation;
  }
  core::wipe(&taken, sizeof taken);
  return status;
}

namespace {

// Inlined, so that the contiguous call does not pay for a list of one span.
[[gnu::always_inline]] inline Status hash_list(const Parameters& parameters,
                                               std::span<const std::uint8_t> key, ConstBuffers data,
                                               std::span<std::uint8_t> out,
                                               const Implementation* implementation) noexcept {
  Hash running;
  const Status status = running.start(parameters, key, implementation);
  if (status != Status::ok) return status;
  if (out.size() != parameters.digest_bytes) return Status::bad_output_size;
  for (const std::span<const std::uint8_t> input : {key, parameters.salt, parameters.personal}) {
    if (core::overlap(input, out)) return Status::overlapping_buffers;
  }
  if (core::overlap(data, out)) return Status::overlapping_buffers;
  for (const std::span<const std::uint8_t> piece : data) static_cast<void>(running.update(piece));
  return running.finish(out);
}

}  // namespace

template <class>
Status hash(const Parameters& parameters, std::span<const std::uint8_t> key, ConstBuffers data,
            std::span<std::uint8_t> out, const Implementation* implementation) noexcept {
  return hash_list(parameters, key, data, out, implementation);
}
template Status hash<void>(const Parameters& parameters, std::span<const std::uint8_t> key, ConstBuffers data,
                           std::span<std::uint8_t> out, const Implementation* implementation) noexcept;

Status hash(const Parameters& parameters, std::span<const std::uint8_t> key,
            std::span<const std::uint8_t> data, std::span<std::uint8_t> out,
            const Implementation* implementation) noexcept {
  return hash_list(parameters, key, ConstBuffers(&data, 1), out, implementation);
}

}  // namespace lockstep::blake2b
