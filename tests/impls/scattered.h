#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/buffers.h"
#include "support.h"

namespace lockstep::test {

// Bytes in pieces of their own on the heap, some of them empty: a sanitizer sees every step beyond one.
class Scattered {
 public:
  Scattered(Random& random, std::span<const std::uint8_t> bytes) {
    for (const std::size_t piece : cut(random, bytes.size())) {
      parts_.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(piece));
      bytes = bytes.subspan(piece);
    }
    for (Bytes& part : parts_) {
      in_.emplace_back(part);
      out_.emplace_back(part);
    }
  }
  Scattered(const Scattered&) = delete;
  Scattered& operator=(const Scattered&) = delete;
  ~Scattered() = default;

  [[nodiscard]] ConstBuffers in() const { return in_; }
  [[nodiscard]] MutableBuffers out() const { return out_; }
  [[nodiscard]] Bytes joined() const {
    Bytes all;
    for (const Bytes& part : parts_) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

 private:
  std::vector<Bytes> parts_;
  std::vector<std::span<const std::uint8_t>> in_;
  std::vector<std::span<std::uint8_t>> out_;
};

// The same bytes in place, cut.
template <class Byte>
std::vector<std::span<Byte>> cut_span(Random& random, std::span<Byte> bytes) {
  std::vector<std::span<Byte>> list;
  for (const std::size_t piece : cut(random, bytes.size())) {
    list.push_back(bytes.first(piece));
    bytes = bytes.subspan(piece);
  }
  return list;
}

}  // namespace lockstep::test
