#include "lockstep/ghash.h"

#include <algorithm>
#include <cstring>

#include "impls/core/constant_time.h"
#include "impls/core/overlap.h"
#include "impls/core/wipe.h"
#include "impls/ghash/kernel.h"

namespace lockstep::ghash {
namespace {

// Offsets in an exported state.
namespace in_export {
constexpr std::size_t version = 0, started_bytes = 1, zero = 2, y = 8, started = 24;
}  // namespace in_export
constexpr std::uint8_t export_version = 1;

bool all_zero(const std::uint8_t* p, std::size_t bytes) noexcept {
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < bytes; ++i) any |= p[i];
  return any == 0;
}

}  // namespace

const ImplementationInfo& info(const Implementation& implementation) noexcept {
  return implementation.info;
}

Key::~Key() {
  if (implementation_ != nullptr) core::wipe(this, sizeof *this);
}

Status Key::set(std::span<const std::uint8_t> h, const Implementation* implementation) noexcept {
  static_assert(context_bytes == max_context_bytes);
  if (h.size() != block_bytes) return Status::bad_key_size;
  if (implementation == nullptr) implementation = select(implementations(), cpu_features());
  if (!cpu_features().contains_all(implementation->info.required)) return Status::cpu_lacks_features;
  // Another implementation may not cover all of what stands there.
  if (implementation_ != nullptr && implementation_ != implementation) core::wipe(context_, sizeof context_);
  implementation_ = implementation;
  implementation->expand_key(context_, h.data());
  return Status::ok;
}

Hash::~Hash() {
  if (key_ != nullptr) wipe();
}

void Hash::wipe() noexcept {
  static_assert(sizeof(Hash) == 2 * block_bytes + 2 * sizeof(void*), "no padding");
  // In front of the wipe: in a destructor the compiler drops stores that nothing reads.
  key_ = nullptr;
  partial_bytes_ = 0;
  core::wipe(y_, sizeof y_);
  core::wipe(partial_, sizeof partial_);
}

Status Hash::start(const Key& key) noexcept {
  if (key.implementation_ == nullptr) return Status::wrong_order;
  key_ = &key;
  std::memset(y_, 0, sizeof y_);
  partial_bytes_ = 0;
  return Status::ok;
}

Status Hash::update(std::span<const std::uint8_t> data) noexcept {
  if (key_ == nullptr) return Status::wrong_order;
  if (data.empty()) return Status::ok;
  const Implementation& kernel = *key_->implementation_;
  if (partial_bytes_ > 0) {
    const std::size_t bytes = std::min(block_bytes - partial_bytes_, data.size());
    std::memcpy(partial_ + partial_bytes_, data.data(), bytes);
    partial_bytes_ += bytes;
    if (partial_bytes_ < block_bytes) return Status::ok;
    kernel.hash(key_->context_, y_, partial_, block_bytes);
    data = data.subspan(bytes);
  }
  const std::size_t rest = data.size() % block_bytes;
  const std::size_t whole = data.size() - rest;
  if (whole > 0) kernel.hash(key_->context_, y_, data.data(), whole);
  if (rest > 0) std::memcpy(partial_, data.data() + whole, rest);
  partial_bytes_ = rest;
  return Status::ok;
}

template <class>
Status Hash::update(ConstBuffers data) noexcept {
  if (key_ == nullptr) return Status::wrong_order;
  for (const std::span<const std::uint8_t> piece : data) static_cast<void>(update(piece));
  return Status::ok;
}
template Status Hash::update<void>(ConstBuffers data) noexcept;

Status Hash::hand_over(const Key& same_h) noexcept {
  if (key_ == nullptr || same_h.implementation_ == nullptr) return Status::wrong_order;
  // Every context starts with H itself.
  if (!core::equal_constant_time(key_->context_, same_h.context_, block_bytes)) return Status::key_mismatch;
  key_ = &same_h;
  return Status::ok;
}

Status Hash::finish(std::span<std::uint8_t> out) noexcept {
  if (key_ == nullptr) return Status::wrong_order;
  if (out.size() != block_bytes) return Status::bad_output_size;
  if (partial_bytes_ > 0) key_->implementation_->hash(key_->context_, y_, partial_, partial_bytes_);
  std::memcpy(out.data(), y_, block_bytes);
  wipe();
  return Status::ok;
}

Status Hash::export_state(std::span<std::uint8_t> out) const noexcept {
  if (key_ == nullptr) return Status::wrong_order;
  if (out.size() != exported_state_bytes) return Status::bad_output_size;
  std::uint8_t* const p = out.data();
  std::memset(p, 0, exported_state_bytes);
  p[in_export::version] = export_version;
  p[in_export::started_bytes] = static_cast<std::uint8_t>(partial_bytes_);
  std::memcpy(p + in_export::y, y_, block_bytes);
  std::memcpy(p + in_export::started, partial_, partial_bytes_);
  return Status::ok;
}

Status Hash::import_state(const Key& key, std::span<const std::uint8_t> state) noexcept {
  if (key.implementation_ == nullptr) return Status::wrong_order;
  if (state.size() != exported_state_bytes) return Status::bad_state;
  const std::uint8_t* const p = state.data();
  const std::size_t started_bytes = p[in_export::started_bytes];
  if (p[in_export::version] != export_version || started_bytes >= block_bytes ||
      !all_zero(p + in_export::zero, in_export::y - in_export::zero) ||
      !all_zero(p + in_export::started + started_bytes, block_bytes - started_bytes)) {
    return Status::bad_state;
  }
  key_ = &key;
  std::memcpy(y_, p + in_export::y, block_bytes);
  std::memcpy(partial_, p + in_export::started, block_bytes);
  partial_bytes_ = started_bytes;
  return Status::ok;
}

namespace {

// Inlined, so that the contiguous call does not pay for a list of one span.
[[gnu::always_inline]] inline Status hash_list(const Key& key, ConstBuffers data,
                                               std::span<std::uint8_t> out) noexcept {
  Hash running;
  const Status status = running.start(key);
  if (status != Status::ok) return status;
  if (out.size() != block_bytes) return Status::bad_output_size;
  if (core::overlap(data, out)) return Status::overlapping_buffers;
  for (const std::span<const std::uint8_t> piece : data) static_cast<void>(running.update(piece));
  return running.finish(out);
}

}  // namespace

template <class>
Status hash(const Key& key, ConstBuffers data, std::span<std::uint8_t> out) noexcept {
  return hash_list(key, data, out);
}
template Status hash<void>(const Key& key, ConstBuffers data, std::span<std::uint8_t> out) noexcept;

Status hash(const Key& key, std::span<const std::uint8_t> data, std::span<std::uint8_t> out) noexcept {
  return hash_list(key, ConstBuffers(&data, 1), out);
}

}  // namespace lockstep::ghash
