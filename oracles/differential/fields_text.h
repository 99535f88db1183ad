#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/differential/fields.h"
#include "oracles/differential/target.h"

// The two visitors between a case and words: names and values as a report prints them and a vector file holds
// them.
namespace lockstep::differential {

std::string to_hex(std::span<const std::uint8_t> bytes);
// Nothing if `text` is not an even number of hex digits.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

class FieldPrinter {
 public:
  FieldPrinter(std::vector<Field>& output, std::span<const std::string_view> names,
               std::span<const ImplementationRef> references)
      : output_(output), names_(names), references_(references) {}

  template <class Enum, std::size_t count>
  void choice(std::string_view name, const Enum& value, const std::string_view (&words)[count]) {
    output_.push_back({name, std::string(words[static_cast<std::size_t>(value)]), false});
  }
  template <std::size_t count>
  void size(std::string_view name, const std::uint32_t& value, const std::uint32_t (&)[count],
            std::uint32_t) {
    print_number(name, value);
  }
  void length(std::string_view name, const std::uint32_t& value, std::uint32_t) { print_number(name, value); }
  template <class Unsigned>
  void number(std::string_view name, const Unsigned& value, std::uint64_t) {
    print_number(name, value);
  }
  void flag(std::string_view name, const bool& value) { print_number(name, value ? 1 : 0); }
  void placement(std::string_view name, const Placement& value) {
    output_.push_back({name, to_string(value), false});
  }
  void implementation(std::string_view name, const ImplementationRef& value) {
    const std::size_t index = resolve(value, references_);
    if (references_[index] == value) {
      output_.push_back({name, std::string(names_[index]), false});
      return;
    }
    const std::uint8_t bytes[] = {static_cast<std::uint8_t>(value.name_hash >> 8U),
                                  static_cast<std::uint8_t>(value.name_hash)};
    output_.push_back({name, "0x" + to_hex(bytes) + " -> " + std::string(names_[index]), false});
  }
  void fill_seed(std::string_view name, const std::uint64_t& value) { print_number(name, value); }
  void bytes(std::string_view name, const std::vector<std::uint8_t>& value, std::size_t) {
    output_.push_back({name, to_hex(value), false});
  }

 private:
  void print_number(std::string_view name, std::uint64_t value) {
    output_.push_back({name, std::to_string(value), true});
  }

  std::vector<Field>& output_;
  std::span<const std::string_view> names_;
  std::span<const ImplementationRef> references_;
};

// Fields that are absent keep their value; the size of a content that is given follows from it.
class FieldParser {
 public:
  FieldParser(const Vector& vector, std::span<const std::string_view> names,
              std::span<const ImplementationRef> references)
      : vector_(vector), names_(names), references_(references) {}

  // The first thing that was wrong; empty if nothing was.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  // To be called when all fields were visited.
  void finish() {
    for (const auto& [name, value] : vector_.fields) {
      if (std::ranges::find(visited_, name) == visited_.end())
        fail(name, "is not a field of this case format");
    }
  }

  template <class Enum, std::size_t count>
  void choice(std::string_view name, Enum& value, const std::string_view (&words)[count]) {
    const std::string* text = take(name);
    if (text == nullptr) return;
    const auto* const found = std::find(words, words + count, *text);
    if (found == words + count) {
      std::string known;
      for (std::string_view word : words) known += " " + std::string(word);
      return fail(name, "is '" + *text + "', not one of:" + known);
    }
    value = static_cast<Enum>(found - words);
  }
  template <std::size_t count>
  void size(std::string_view name, std::uint32_t& value, const std::uint32_t (&)[count],
            std::uint32_t limit) {
    parse_bytes_field(name, value, limit);
  }
  void length(std::string_view name, std::uint32_t& value, std::uint32_t) {
    parse_bytes_field(name, value, long_length_limit);
  }
  template <class Unsigned>
  void number(std::string_view name, Unsigned& value, std::uint64_t limit) {
    if (const std::string* text = take(name)) value = static_cast<Unsigned>(parse_number(name, *text, limit));
  }
  void flag(std::string_view name, bool& value) {
    if (const std::string* text = take(name)) value = parse_number(name, *text, 1) != 0;
  }
  void placement(std::string_view name, Placement& value) {
    const std::string* text = take(name);
    if (text != nullptr && !from_string(*text, value)) {
      fail(name, "is '" + *text + "', not 'aligned 0' .. 'aligned 63', 'flush in front' or 'flush behind'");
    }
  }
  void implementation(std::string_view name, ImplementationRef& value) {
    const std::string* text = take(name);
    if (text == nullptr) return;
    const auto found = std::ranges::find(names_, *text);
    if (found != names_.end()) {
      value = references_[static_cast<std::size_t>(found - names_.begin())];
      return;
    }
    unsigned hash = 0;
    if (text->starts_with("0x") && text->size() >= 6 &&
        std::from_chars(text->data() + 2, text->data() + 6, hash, 16).ptr == text->data() + 6) {
      value.name_hash = static_cast<std::uint16_t>(hash);
      return;
    }
    // An implementation of another machine: its name still means the same reference.
    value = reference(*text);
  }
  void fill_seed(std::string_view name, std::uint64_t& value) {
    if (const std::string* text = take(name)) value = parse_number(name, *text, UINT64_MAX);
    fill_ = ContentFill(value);
  }
  void bytes(std::string_view name, std::vector<std::uint8_t>& value, std::size_t count) {
    const std::string* text = take(name);
    if (text == nullptr) {
      value.resize(count);
      fill_.fill(value);
      return;
    }
    std::optional<std::vector<std::uint8_t>> parsed = from_hex(*text);
    if (!parsed) return fail(name, "is not an even number of hex digits");
    if (parsed->size() != count) {
      return fail(name, "has " + std::to_string(parsed->size()) + " bytes where the case says " +
                            std::to_string(count));
    }
    value = std::move(*parsed);
  }

 private:
  const std::string* take(std::string_view name) {
    visited_.emplace_back(name);
    const auto found = vector_.fields.find(name);
    return found == vector_.fields.end() ? nullptr : &found->second;
  }
  void fail(std::string_view name, const std::string& what) {
    if (error_.empty()) error_ = "field '" + std::string(name) + "' " + what;
  }
  std::uint64_t parse_number(std::string_view name, std::string_view text, std::uint64_t limit) {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || value > limit) {
      fail(name, "is '" + std::string(text) + "', not a number from 0 to " + std::to_string(limit));
      return 0;
    }
    return value;
  }
  // `key_bytes` may be said, or follow from `key`.
  void parse_bytes_field(std::string_view name, std::uint32_t& value, std::uint32_t limit) {
    std::uint64_t bytes = value;
    if (const std::string* text = take(name)) {
      bytes = parse_number(name, *text, limit);
    } else if (const auto content =
                   vector_.fields.find(name.substr(0, name.size() - std::string_view("_bytes").size()));
               content != vector_.fields.end()) {
      bytes = content->second.size() / 2;
    }
    if (bytes > limit) {
      return fail(
          name, "is " + std::to_string(bytes) + "; this case format holds at most " + std::to_string(limit));
    }
    value = static_cast<std::uint32_t>(bytes);
  }

  const Vector& vector_;
  std::span<const std::string_view> names_;
  std::span<const ImplementationRef> references_;
  std::vector<std::string> visited_;
  std::string error_;
  ContentFill fill_{0};
};

}  // namespace lockstep::differential
