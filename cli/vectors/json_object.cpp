#include "cli/vectors/json_object.h"

#include <set>
#include <stdexcept>

namespace lockstep::cli {

nlohmann::json parse_json(std::string_view text) {
  std::vector<std::set<std::string>> open;  // the keys of each object that is not closed yet
  const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second) {
      throw std::runtime_error("the key `" + parsed.get<std::string>() + "` stands twice in one object");
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, ...": the class of the exception says nothing
    // here.
    const std::string_view words = error.what();
    const std::size_t end = words.find("] ");
    throw std::runtime_error(std::string(end == std::string_view::npos ? words : words.substr(end + 2)));
  }
}

}  // namespace lockstep::cli
