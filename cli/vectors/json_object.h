#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

// Parses JSON in which no object may say a key twice: the library would keep the last silently. Throws
// std::runtime_error with the place.
nlohmann::json parse_json(std::string_view text);

// Reads the members of one object and knows which ones the format does not have. `fail(field, problem)` must
// throw.
template <class Fail>
class JsonObject {
 public:
  JsonObject(const nlohmann::json& object, std::span<const std::string_view> known, Fail fail)
      : object_(object), fail_(std::move(fail)) {
    if (!object.is_object()) fail_("", "is not a JSON object");
    for (const auto& [name, value] : object.items()) {
      if (std::ranges::find(known, name) == known.end()) fail_(name, "is no field of this format");
    }
  }

  [[nodiscard]] bool has(std::string_view name) const { return object_.contains(name); }
  // Null if it is absent.
  [[nodiscard]] const nlohmann::json& get(std::string_view name) const {
    static const nlohmann::json nothing;
    const auto found = object_.find(name);
    return found == object_.end() ? nothing : *found;
  }
  [[nodiscard]] const nlohmann::json& need(std::string_view name) const {
    if (!has(name)) fail_(name, "is missing");
    return object_[std::string(name)];
  }
  [[nodiscard]] std::string_view string(std::string_view name) const {
    const nlohmann::json& value = need(name);
    if (!value.is_string()) fail_(name, "is not a string");
    return value.get_ref<const std::string&>();
  }
  [[nodiscard]] std::size_t number(std::string_view name) const {
    const nlohmann::json& value = need(name);
    if (!value.is_number_unsigned()) fail_(name, "is not a whole number of 0 or more");
    return value.get<std::size_t>();
  }
  [[nodiscard]] const nlohmann::json& array(std::string_view name) const {
    const nlohmann::json& value = need(name);
    if (!value.is_array()) fail_(name, "is not an array");
    return value;
  }
  // Absent means empty.
  [[nodiscard]] std::string_view hex_or_empty(std::string_view name) const {
    return has(name) ? hex(name) : "";
  }
  [[nodiscard]] std::string_view hex(std::string_view name) const {
    const std::string_view text = string(name);
    if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
      fail_(name, "is not an even number of hex digits");
    }
    return text;
  }
  // A list of strings as one line.
  [[nodiscard]] std::string words(std::string_view name) const {
    std::string text;
    for (const nlohmann::json& word : array(name)) {
      if (!word.is_string()) fail_(name, "is not a list of strings");
      text += (text.empty() ? "" : ", ") + word.get<std::string>();
    }
    return text;
  }

 private:
  const nlohmann::json& object_;
  Fail fail_;
};

}  // namespace lockstep::cli
