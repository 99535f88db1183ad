#include "fuzzers/without.h"

#include <cstdlib>

namespace lockstep::fuzzers {

bool without(std::string_view part) {
  const char* const list = std::getenv("LOCKSTEP_WITHOUT");
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (name == part) return true;
    rest.remove_prefix(name.size() < rest.size() ? name.size() + 1 : rest.size());
  }
  return false;
}

Naive naive() {
  static const Naive mode = [] {
    const char* const text = std::getenv("LOCKSTEP_NAIVE");
    if (text == nullptr) return Naive::no;
    return std::string_view(text) == "cases" ? Naive::cases : Naive::bytes;
  }();
  return mode;
}

}  // namespace lockstep::fuzzers
