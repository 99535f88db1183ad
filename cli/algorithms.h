#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/implementation.h"

namespace lockstep::cli {

// An implementation of the library on this machine.
struct ListedImplementation {
  ImplementationInfo info;
  std::vector<std::string_view> required;     // names of features
  std::vector<std::string_view> missing;      // those of them that this CPU lacks; none: it can run here
  std::vector<std::string_view> selected_by;  // policies

  [[nodiscard]] bool available() const noexcept { return missing.empty(); }
};

struct Algorithm {
  std::string_view name;  // as its target
  std::vector<ListedImplementation> (*implementations)();
};

// Every algorithm of the library.
std::span<const Algorithm> algorithms() noexcept;

// The names of the implementations of a target that can run here.
std::vector<std::string_view> available_implementations(std::string_view algorithm);

}  // namespace lockstep::cli
