#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cli/vectors/vector_file.h"

// Published vectors as cases of a campaign.
namespace lockstep::cli {

struct VectorCase {
  const differential::Target* target = nullptr;
  std::vector<std::uint8_t> bytes;  // with header
};

// One case for each question, called in the first of the ways in which `lockstep check` calls it: at once,
// buffers in front of unmapped pages. Questions that may be answered in several ways are left out, and
// counted in `open`. Throws InputError.
std::vector<VectorCase> cases_of(const VectorFile& file, std::size_t& open);

}  // namespace lockstep::cli
