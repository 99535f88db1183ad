#include "oracles/differential/outcome.h"

#include <algorithm>
#include <cstring>

namespace lockstep::differential {

bool same_bytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) noexcept {
  if (a.size() != b.size()) return false;
  std::size_t i = 0;
  std::uint64_t difference = 0;
  for (; a.size() - i >= sizeof difference; i += sizeof difference) {
    std::uint64_t one = 0;
    std::uint64_t other = 0;
    std::memcpy(&one, a.data() + i, sizeof one);
    std::memcpy(&other, b.data() + i, sizeof other);
    difference |= one ^ other;
  }
  for (; i < a.size(); ++i) difference |= static_cast<std::uint64_t>(a[i] ^ b[i]);
  return difference == 0;
}

void Outcome::clear() noexcept {
  storage_.clear();
  given_ = {};
  violation_ = ViolationKind::none;
  unsupported_ = {};
}

std::span<std::uint8_t> Outcome::allocate(AnswerId answer, std::size_t bytes) {
  const std::size_t offset = storage_.size();
  storage_.resize(offset + bytes);
  slices_[answer] = {offset, bytes};
  given_.insert(answer);
  return std::span(storage_).subspan(offset, bytes);
}

void Outcome::set(AnswerId answer, std::span<const std::uint8_t> bytes) {
  const std::span<std::uint8_t> room = allocate(answer, bytes.size());
  if (!bytes.empty()) std::memcpy(room.data(), bytes.data(), bytes.size());
}

void Outcome::set(AnswerId answer, std::string_view text) {
  set(answer, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void Outcome::set(AnswerId answer, bool value) {
  allocate(answer, 1)[0] = value ? 1 : 0;
}

void Outcome::violate(ViolationKind kind, std::string_view text) {
  violation_ = std::max(violation_, kind);
  const std::span<const std::uint8_t> before =
      has(violation_answer) ? get(violation_answer) : std::span<const std::uint8_t>{};
  std::vector<std::uint8_t> joined(before.begin(), before.end());
  if (!joined.empty()) joined.insert(joined.end(), {';', ' '});
  joined.insert(joined.end(), text.begin(), text.end());
  set(violation_answer, std::span<const std::uint8_t>(joined));
}

std::span<const std::uint8_t> Outcome::get(AnswerId answer) const noexcept {
  if (!has(answer)) return {};
  return std::span(storage_).subspan(slices_[answer].offset, slices_[answer].bytes);
}

std::string_view Outcome::text(AnswerId answer) const noexcept {
  const std::span<const std::uint8_t> bytes = get(answer);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace lockstep::differential
