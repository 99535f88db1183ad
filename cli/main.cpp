#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "cli/check.h"
#include "cli/exit_code.h"
#include "cli/fuzz.h"
#include "cli/input_error.h"
#include "cli/list.h"
#include "cli/mutants.h"
#include "cli/repro.h"
#include "cli/terminal.h"

namespace lockstep::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Runs optimised crypto kernels in lockstep with oracles, and says where they differ.",
               "lockstep");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  lockstep list\n"
      "  lockstep fuzz aes_gcm --for 10m\n"
      "  lockstep repro finding.case\n"
      "  lockstep check vectors/*.json\n"
      "Each command has its own --help.\n"
      "Exit codes: 0 clean, 1 participants disagree, 2 memory fault, 3 time-out, 4 nothing was compared,\n"
      "            5 usage or unreadable input.");

  int exit_code = exit_clean;
  add_list(app, exit_code);
  add_fuzz(app, exit_code);
  add_repro(app, exit_code);
  add_check(app, exit_code);
  add_mutants(app, exit_code);

  const std::string error_word = Style(stderr).red("error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);  // --help, --version
  } catch (const CLI::ParseError& error) {
    std::string command = "lockstep";
    for (const CLI::App* chosen : app.get_subcommands()) command += " " + chosen->get_name();
    fmt::print(stderr, "lockstep: {}: {}\n  `{} --help` says how it is used.\n", error_word, error.what(),
               command);
    return exit_unusable;
  } catch (const InputError& error) {
    fmt::print(stderr, "lockstep: {}: {}\n", error_word, error.what());
    return exit_unusable;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lockstep: {}: {}\n", error_word, error.what());
    return exit_unusable;
  }
  return exit_code;
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) {
  return lockstep::cli::run(argc, argv);
}
