#pragma once

#include <string>

#include "cli/campaign/summary.h"
#include "cli/terminal.h"

namespace lockstep::cli::campaign {

// The end of a campaign in words: what it did, what it reached, what it found, and what the exit code means.
std::string report_in_words(const Summary& summary, const Style& style);

}  // namespace lockstep::cli::campaign
