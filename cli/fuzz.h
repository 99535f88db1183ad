#pragma once

#include <CLI/App.hpp>

namespace lockstep::cli {

void add_fuzz(CLI::App& app, int& exit_code);

}  // namespace lockstep::cli
