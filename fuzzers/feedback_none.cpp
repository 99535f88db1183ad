#include "fuzzers/feedback.h"

namespace lockstep::fuzzers {

const bool engine_wants_new_cells_only = true;

std::span<std::uint8_t> engine_cells(std::size_t /*cells*/) {
  return {};
}

}  // namespace lockstep::fuzzers
