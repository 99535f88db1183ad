#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "oracles/differential/guarded.h"

namespace lockstep::differential {

// An object in the middle of other memory: who reads beyond it is met by the guards of the case, which name
// him, and not by a sanitizer, which cannot.
template <class Object>
struct Amid {
  std::array<std::uint8_t, 64> front = {};
  Object object;
  std::array<std::uint8_t, 64> behind = {};
};

// An object of the library between guard pages, destroyed with its scope. When nothing secret may be left,
// every byte of it, padding too, must be what a new object has.
template <class Object>
class Placed {
 public:
  template <class... Arguments>
  Placed(GuardedRegion& region, Placement placement, Outcome& outcome, Arguments&&... arguments)
      : region_(region),
        outcome_(outcome),
        bytes_(region.place(sizeof(Object), placement, alignof(Object))),
        object_(make(bytes_, std::forward<Arguments>(arguments)...)) {
    region.arm();
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() {
    std::destroy_at(object_);
    demand_wiped("destruction");
    region_.check(outcome_);
  }
  Object& operator*() const noexcept { return *object_; }
  Object* operator->() const noexcept { return object_; }

  // Destroyed, and in its place a new one.
  void renew() {
    std::destroy_at(object_);
    demand_wiped("destruction");
    object_ = make(bytes_);
  }

  // A copy of the bytes, padding too.
  [[nodiscard]] std::array<std::uint8_t, sizeof(Object)> image() const noexcept {
    std::array<std::uint8_t, sizeof(Object)> bytes;
    std::memcpy(bytes.data(), bytes_.data(), bytes.size());
    return bytes;
  }
  [[nodiscard]] bool still(std::span<const std::uint8_t, sizeof(Object)> image) const noexcept {
    return same_bytes(bytes_, image);
  }

  void demand_wiped(std::string_view after) const {
    // A compiler may hold what a dead object left for unreadable; of this memory it knows nothing.
    __asm__ __volatile__("" : : "r"(bytes_.data()) : "memory");
    const std::array<std::uint8_t, sizeof(Object)>& fresh = pristine().bytes;
    if (same_bytes(bytes_, fresh)) return;
    const auto at = std::mismatch(bytes_.begin(), bytes_.end(), fresh.begin()).first - bytes_.begin();
    outcome_.violate(ViolationKind::contract, std::string(region_.name()) + " is not wiped after " +
                                                  std::string(after) + ": byte " + std::to_string(at));
  }

 private:
  template <class... Arguments>
  static Object* make(std::span<std::uint8_t> bytes, Arguments&&... arguments) {
    if (!pristine().whole) {
      std::memset(bytes.data(), 0, bytes.size());
      // A compiler may drop stores to where an object is about to live.
      __asm__ __volatile__("" : : "r"(bytes.data()) : "memory");
    }
    return new (bytes.data()) Object(std::forward<Arguments>(arguments)...);
  }

  struct Pristine {
    std::array<std::uint8_t, sizeof(Object)> bytes;
    bool whole;  // constructing writes every byte
  };
  static const Pristine& pristine() {
    static const auto on = [](std::uint8_t background) {
      alignas(Object) std::array<std::uint8_t, sizeof(Object)> bytes;
      bytes.fill(background);
      Object* const object = new (bytes.data()) Object;
      const auto copy = bytes;
      std::destroy_at(object);
      return copy;
    };
    static const Pristine fresh = {on(0), on(0) == on(0xff)};
    return fresh;
  }

  GuardedRegion& region_;
  Outcome& outcome_;
  std::span<std::uint8_t> bytes_;
  Object* object_;
};

}  // namespace lockstep::differential
