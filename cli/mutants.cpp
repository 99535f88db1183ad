#include "cli/mutants.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/campaign/builds.h"
#include "cli/input_error.h"
#include "fuzzers/without.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> ids;
  std::vector<std::string> kinds;
  std::vector<std::string> without;
  std::optional<unsigned> trials, first_seed, sample, planted_sample, seed, jobs;
  std::optional<std::uint64_t> cases;
  std::optional<double> cpu_seconds;
  bool side_by_side = false;
  bool all = false;
  bool json = false;
};

// Mutants are made of sources: the matrix itself is a script of the tree that this program was built in.
fs::path matrix_script() {
  const fs::path tree = campaign::own_program().parent_path().parent_path().parent_path().parent_path();
  fs::path script = tree / "mutants" / "engine" / "matrix.py";
  if (!fs::exists(script)) {
    throw InputError(campaign::typed(script), 0, "", "mutants are made of the sources, which are not there",
                     "Run build/<preset>/bin/lockstep of a clone.");
  }
  return script;
}

[[noreturn]] void make_matrix(const Options& options) {
  std::vector<std::string> words = {"python3", "-B", matrix_script().string()};
  const auto add = [&words](std::string_view name, const auto& value) {
    words.emplace_back(name);
    words.push_back(fmt::format("{}", value));
  };
  if (options.trials) add("--trials", *options.trials);
  if (!options.kinds.empty()) add("--kind", fmt::format("{}", fmt::join(options.kinds, ",")));
  if (!options.without.empty()) add("--without", fmt::format("{}", fmt::join(options.without, ",")));
  if (options.first_seed) add("--first-seed", *options.first_seed);
  if (options.sample) add("--sample", *options.sample);
  if (options.planted_sample) add("--planted-sample", *options.planted_sample);
  if (options.seed) add("--seed", *options.seed);
  if (options.jobs) add("--jobs", *options.jobs);
  if (options.cases) add("--cases", *options.cases);
  if (options.cpu_seconds) add("--cpu-seconds", *options.cpu_seconds);
  if (options.side_by_side) words.emplace_back("--side-by-side");
  if (options.all) words.emplace_back("--all");
  if (options.json) words.emplace_back("--json");
  words.insert(words.end(), options.ids.begin(), options.ids.end());

  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw InputError(words[0], 0, "", fmt::format("cannot be run: {}", std::strerror(errno)),
                   "`ci/setup` installs it.");
}

}  // namespace

void add_mutants(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand(
      "mutants", "The kill matrix: planted faults, whether they are detected, and after how many cases");
  const auto options = std::make_shared<Options>();
  command->add_option("ID", options->ids, "Mutants, by id or glob; all without any");
  command->add_option("--trials", options->trials, "Seeds, each from an empty corpus [10; 3 side by side]")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U));
  command
      ->add_option("--kind", options->kinds,
                   "historic (happened in public), own (our ideas), systematic (made by rules), harness "
                   "(planted in the "
                   "judge, for the tests to see) [the first three]")
      ->type_name("NAMES")
      ->delimiter(',')
      ->check(CLI::IsMember({"historic", "own", "systematic", "harness"}));
  command->add_option("--sample", options->sample, "Systematic mutants that compile [500]")->type_name("N");
  command->add_option("--planted-sample", options->planted_sample, "Of the planted ones only so many [all]")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Seed of the samples [1]")->type_name("N");
  command->add_option("--first-seed", options->first_seed, "Seed of the first trial [1]")->type_name("N");
  command->add_option("--cases", options->cases, "Executions of a campaign at most [200000]")->type_name("N");
  command
      ->add_option("--cpu-seconds", options->cpu_seconds, "CPU time of a campaign at most [30 side by side]")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--without", options->without,
                   "Parts to leave out, to see what they are good for: steering, mutator, cells")
      ->type_name("NAMES")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(fuzzers::parts), std::end(fuzzers::parts))));
  command->add_flag(
      "--side-by-side", options->side_by_side,
      "The same faults without some part, by published vectors, by a naive target, in the same CPU time");
  command->add_option("--jobs", options->jobs, "How many at once; one per core without")->type_name("N");
  command->add_flag("--all", options->all, "Also the rows of systematic mutants that fell soon");
  command->add_flag("--json", options->json, "The matrix, machine-readable, to stdout");
  command->footer(
      "Examples:\n"
      "  lockstep mutants\n"
      "  lockstep mutants --kind historic --trials 10 --json > matrix.json\n"
      "  lockstep mutants '2way_*' --trials 3\n"
      "  lockstep mutants --kind systematic --sample 50 --seed 7\n"
      "Builds what it needs. A case of a mutant is one in which its answers were held against the verdict "
      "of\n"
      "the unmutated. Exit code 1: a fault was not detected, or not soon enough; each is named.");
  command->callback([options] { make_matrix(*options); });
}

}  // namespace lockstep::cli
