#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "oracles/differential/guarded.h"
#include "oracles/differential/random.h"

// A case lists its fields once, in `template <class Visitor, class Case> void visit(Visitor&, Case&)`.
// Decoding fuzz bytes, encoding, printing, parsing a vector, mutating and splicing are visitors over that
// list.
//
// A visitor has one member for each kind of field:
//   choice(name, value, names)            one of a list of words
//   size(name, value, usual, limit)       a parameter in bytes with usual values; 0 .. limit may be asked too
//   length(name, value, usual_limit)      a number of bytes, 0 .. usual_limit; up to 2^20 - 1 on purpose
//   number(name, value, limit)            0 .. limit
//   flag(name, value)
//   placement(name, value)
//   implementation(name, value)           an implementation by name
//   bytes(name, value, count)             content; all of these stand last
namespace lockstep::differential {

// Names an implementation by a hash of its name, so that a file means the same implementation in every build.
struct ImplementationRef {
  std::uint16_t name_hash = 0;
  constexpr bool operator==(const ImplementationRef&) const noexcept = default;
};

// FNV-1a, folded to 16 bits.
constexpr ImplementationRef reference(std::string_view name) noexcept {
  std::uint32_t hash = 2166136261U;
  for (char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
  return {static_cast<std::uint16_t>(hash ^ (hash >> 16))};
}

// The implementation of that hash; if there is none here, the next one on the ring of hashes, so that any 16
// bits name one. `hashes` must not be empty.
inline std::size_t resolve(ImplementationRef wanted, std::span<const ImplementationRef> hashes) noexcept {
  std::size_t best = 0;
  std::uint16_t best_distance = 0xffff;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto distance = static_cast<std::uint16_t>(hashes[i].name_hash - wanted.name_hash);
    if (distance <= best_distance) {
      best = i;
      best_distance = distance;
    }
  }
  return best;
}

inline constexpr std::uint32_t long_length_mark = 0xa7cU
                                                  << 20U;  // top 12 bits of a length above its usual limit
inline constexpr std::uint32_t long_length_limit = (1U << 20U) - 1;

// Whether a visitor deals with content too, or with the fields in front of it alone.
enum class Content : bool { leave, take };

// Bytes -> case. Total: every byte string is a case; missing bytes read as zero, content beyond the end of
// the input is drawn from `fill_seed`, which must be visited before the first content.
class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> input, Content content = Content::take) noexcept
      : input_(input), content_(content) {}
  // What was not read yet.
  [[nodiscard]] std::span<const std::uint8_t> rest() const noexcept { return input_; }

  template <class Enum, std::size_t count>
  void choice(std::string_view /*name*/, Enum& value, const std::string_view (&)[count]) {
    value = static_cast<Enum>(integer(1) % count);
  }
  template <std::size_t count>
  void size(std::string_view /*name*/, std::uint32_t& value, const std::uint32_t (&usual)[count],
            std::uint32_t limit) {
    const auto low = static_cast<std::uint32_t>(integer(1));
    const bool literal = integer(1) == 0xff;
    value = literal ? low % (limit + 1) : usual[low % count];
  }
  void length(std::string_view /*name*/, std::uint32_t& value, std::uint32_t usual_limit) {
    const auto raw = static_cast<std::uint32_t>(integer(4));
    value =
        (raw & ~long_length_limit) == long_length_mark ? raw & long_length_limit : raw % (usual_limit + 1);
  }
  template <class Unsigned>
  void number(std::string_view /*name*/, Unsigned& value, std::uint64_t limit) {
    const std::uint64_t raw = integer(sizeof(Unsigned));
    value = static_cast<Unsigned>(limit == UINT64_MAX ? raw : raw % (limit + 1));
  }
  void flag(std::string_view /*name*/, bool& value) { value = (integer(1) & 1U) != 0; }
  void placement(std::string_view /*name*/, Placement& value) {
    const auto raw = static_cast<std::uint8_t>(integer(1));
    value.code = raw < 64 ? raw : static_cast<std::uint8_t>(Placement::front_code + raw % 2U);
  }
  void implementation(std::string_view /*name*/, ImplementationRef& value) {
    value.name_hash = static_cast<std::uint16_t>(integer(2));
  }
  void fill_seed(std::string_view /*name*/, std::uint64_t& value) {
    value = integer(8);
    fill_ = ContentFill(value);
  }
  void bytes(std::string_view /*name*/, std::vector<std::uint8_t>& value, std::size_t count) {
    if (content_ == Content::leave) return;
    value.resize(count);
    const std::size_t given = std::min(count, input_.size());
    if (given != 0) std::memcpy(value.data(), input_.data(), given);
    input_ = input_.subspan(given);
    fill_.fill(std::span(value).subspan(given));
  }

 private:
  std::uint64_t integer(std::size_t bytes) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes && i < input_.size(); ++i) value |= std::uint64_t{input_[i]} << (8 * i);
    input_ = input_.subspan(std::min(bytes, input_.size()));
    return value;
  }

  std::span<const std::uint8_t> input_;
  Content content_;
  ContentFill fill_{0};
};

// Case -> bytes, the inverse of Decoder.
class Encoder {
 public:
  explicit Encoder(std::vector<std::uint8_t>& output, Content content = Content::take) noexcept
      : output_(output), content_(content) {}

  template <class Enum, std::size_t count>
  void choice(std::string_view /*name*/, const Enum& value, const std::string_view (&)[count]) {
    integer(static_cast<std::uint64_t>(value), 1);
  }
  template <std::size_t count>
  void size(std::string_view /*name*/, const std::uint32_t& value, const std::uint32_t (&usual)[count],
            std::uint32_t /*limit*/) {
    const auto* const found = std::find(usual, usual + count, value);
    integer(found != usual + count ? static_cast<std::uint64_t>(found - usual) : value, 1);
    integer(found != usual + count ? 0 : 0xff, 1);
  }
  void length(std::string_view /*name*/, const std::uint32_t& value, std::uint32_t usual_limit) {
    integer(value <= usual_limit ? value : long_length_mark | value, 4);
  }
  template <class Unsigned>
  void number(std::string_view /*name*/, const Unsigned& value, std::uint64_t /*limit*/) {
    integer(value, sizeof(Unsigned));
  }
  void flag(std::string_view /*name*/, const bool& value) { integer(value ? 1 : 0, 1); }
  void placement(std::string_view /*name*/, const Placement& value) {
    integer(value.code, 1);  // front_code is even, behind_code odd: Decoder gives them back
  }
  void implementation(std::string_view /*name*/, const ImplementationRef& value) {
    integer(value.name_hash, 2);
  }
  void fill_seed(std::string_view /*name*/, const std::uint64_t& value) { integer(value, 8); }
  void bytes(std::string_view /*name*/, const std::vector<std::uint8_t>& value, std::size_t /*count*/) {
    if (content_ == Content::take) output_.insert(output_.end(), value.begin(), value.end());
  }

 private:
  void integer(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) output_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  std::vector<std::uint8_t>& output_;
  Content content_;
};
static_assert(Placement::front_code % 2 == 0 && Placement::behind_code == Placement::front_code + 1);

// Counts the fields that are not content.
class FieldCounter {
 public:
  std::size_t count = 0;

  template <class... Arguments>
  void choice(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void size(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void length(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void number(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void flag(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void placement(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void implementation(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void fill_seed(Arguments&&...) {
    ++count;
  }
  template <class... Arguments>
  void bytes(Arguments&&...) {}
};

// Changes the field of a given index, towards edges: the neighbours of 0, of multiples of 16, of the strides
// of the implementations.
class FieldMutator {
 public:
  FieldMutator(std::size_t index, Random& random, std::span<const unsigned> strides,
               std::span<const ImplementationRef> implementations) noexcept
      : index_(index), random_(random), strides_(strides), implementations_(implementations) {}

  template <class Enum, std::size_t count>
  void choice(std::string_view /*name*/, Enum& value, const std::string_view (&)[count]) {
    if (here()) value = static_cast<Enum>(random_.below(count));
  }
  template <std::size_t count>
  void size(std::string_view /*name*/, std::uint32_t& value, const std::uint32_t (&usual)[count],
            std::uint32_t limit) {
    if (!here()) return;
    value = random_.chance(92) ? usual[random_.below(count)]
                               : static_cast<std::uint32_t>(random_.below(limit + 1));
  }
  void length(std::string_view /*name*/, std::uint32_t& value, std::uint32_t usual_limit) {
    if (here()) value = edge_length(random_, strides_, usual_limit);
  }
  template <class Unsigned>
  void number(std::string_view /*name*/, Unsigned& value, std::uint64_t limit) {
    if (!here()) return;
    switch (random_.below(4)) {
      case 0:
        value = static_cast<Unsigned>(value + 1);
        break;
      case 1:
        value = static_cast<Unsigned>(value - 1);
        break;
      case 2:
        value = static_cast<Unsigned>(random_.below(34));
        break;
      default:
        value = static_cast<Unsigned>(random_.next());
        break;
    }
    if (limit != UINT64_MAX) value = static_cast<Unsigned>(value % (limit + 1));
  }
  void flag(std::string_view /*name*/, bool& value) {
    if (here()) value = !value;
  }
  void placement(std::string_view /*name*/, Placement& value) {
    if (here()) value = draw_placement(random_);
  }
  void implementation(std::string_view /*name*/, ImplementationRef& value) {
    if (here()) value = implementations_[random_.below(implementations_.size())];
  }
  void fill_seed(std::string_view /*name*/, std::uint64_t& value) {
    if (here()) value = random_.next();
  }
  void bytes(std::string_view /*name*/, std::vector<std::uint8_t>& /*value*/, std::size_t /*count*/) {}

  // A length that favours edges: 0, 1, every residue around 16, every stride, two strides and one block of
  // the largest; a share anywhere up to `limit`.
  static std::uint32_t edge_length(Random& random, std::span<const unsigned> strides, std::uint32_t limit) {
    std::uint64_t length = 0;
    switch (random.below(8)) {
      case 0:
        length = random.below(35);
        break;
      case 1:
        length = 16 * random.below(20) + random.below(16);
        break;
      case 2:
      case 3:
      case 4: {
        const std::uint64_t stride = 16 * (strides.empty() ? 1 : strides[random.below(strides.size())]);
        length = stride * random.below(3) + 16 * random.below(stride / 16 + 2) +
                 random.below(4) * random.below(16);
        break;
      }
      case 5:
        length = 256 + random.below(400);
        break;
      case 6:
        length = random.below(700);
        break;
      default:
        length = random.chance(20) ? random.below(std::uint64_t{limit} + 1) : 200 + random.below(440);
        break;
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(length, limit));
  }

  static Placement draw_placement(Random& random) {
    const std::uint64_t draw = random.below(10);
    if (draw < 4) return Placement::behind();
    if (draw < 6) return Placement::front();
    return Placement::aligned(static_cast<unsigned>(random.below(64)));
  }

 private:
  bool here() noexcept { return next_++ == index_; }

  std::size_t index_;
  std::size_t next_ = 0;
  Random& random_;
  std::span<const unsigned> strides_;
  std::span<const ImplementationRef> implementations_;
};

// Writes the fields that are not content as plain numbers, and takes them back, some of them: the two halves
// of splicing two cases.
class FieldReader {
 public:
  std::vector<std::uint64_t> values;

  template <class Enum, std::size_t count>
  void choice(std::string_view /*name*/, const Enum& value, const std::string_view (&)[count]) {
    values.push_back(static_cast<std::uint64_t>(value));
  }
  template <std::size_t count>
  void size(std::string_view /*name*/, const std::uint32_t& value, const std::uint32_t (&)[count],
            std::uint32_t) {
    values.push_back(value);
  }
  void length(std::string_view /*name*/, const std::uint32_t& value, std::uint32_t) {
    values.push_back(value);
  }
  template <class Unsigned>
  void number(std::string_view /*name*/, const Unsigned& value, std::uint64_t) {
    values.push_back(value);
  }
  void flag(std::string_view /*name*/, const bool& value) { values.push_back(value ? 1 : 0); }
  void placement(std::string_view /*name*/, const Placement& value) { values.push_back(value.code); }
  void implementation(std::string_view /*name*/, const ImplementationRef& value) {
    values.push_back(value.name_hash);
  }
  void fill_seed(std::string_view /*name*/, const std::uint64_t& value) { values.push_back(value); }
  void bytes(std::string_view /*name*/, const std::vector<std::uint8_t>&, std::size_t) {}
};

class FieldSplicer {
 public:
  FieldSplicer(std::span<const std::uint64_t> values, Random& random) noexcept
      : values_(values), random_(random) {}

  template <class Enum, std::size_t count>
  void choice(std::string_view /*name*/, Enum& value, const std::string_view (&)[count]) {
    take(value);
  }
  template <std::size_t count>
  void size(std::string_view /*name*/, std::uint32_t& value, const std::uint32_t (&)[count], std::uint32_t) {
    take(value);
  }
  void length(std::string_view /*name*/, std::uint32_t& value, std::uint32_t) { take(value); }
  template <class Unsigned>
  void number(std::string_view /*name*/, Unsigned& value, std::uint64_t) {
    take(value);
  }
  void flag(std::string_view /*name*/, bool& value) { take(value); }
  void placement(std::string_view /*name*/, Placement& value) { take(value.code); }
  void implementation(std::string_view /*name*/, ImplementationRef& value) { take(value.name_hash); }
  void fill_seed(std::string_view /*name*/, std::uint64_t& value) { take(value); }
  void bytes(std::string_view /*name*/, std::vector<std::uint8_t>&, std::size_t) {}

 private:
  template <class Value>
  void take(Value& value) noexcept {
    const std::uint64_t other = values_[next_++];
    if ((random_.next() & 1U) != 0) value = static_cast<Value>(other);
  }

  std::span<const std::uint64_t> values_;
  std::size_t next_ = 0;
  Random& random_;
};

}  // namespace lockstep::differential
