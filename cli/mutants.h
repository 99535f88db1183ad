#pragma once

namespace CLI {
class App;
}

namespace lockstep::cli {

void add_mutants(CLI::App& app, int& exit_code);

}  // namespace lockstep::cli
