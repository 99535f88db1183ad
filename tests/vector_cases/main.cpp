// vector_cases FILE... -o DIR: each question of vector files as a case, DIR/<target>/<number>. For the kill
// matrix, which asks what published vectors alone would have detected.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/input_error.h"
#include "oracles/targets.h"
#include "tests/vector_cases/cases.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

int write_cases(const std::vector<std::string>& files, const fs::path& folder) {
  std::map<std::string_view, std::size_t> counts;
  std::size_t open = 0;
  for (const std::string& path : files) {
    for (const VectorCase& each : cases_of(read_vector_file(path, oracles::targets()), open)) {
      const fs::path of_target = folder / each.target->name();
      std::size_t& count = counts[each.target->name()];
      if (count == 0) fs::create_directories(of_target);
      std::ofstream file(of_target / fmt::format("{:06}", count++), std::ios::binary);
      file.write(reinterpret_cast<const char*>(each.bytes.data()),
                 static_cast<std::streamsize>(each.bytes.size()));
      if (!file.flush()) {
        fmt::print(stderr, "vector_cases: {} cannot be written\n", of_target.string());
        return exit_unusable;
      }
    }
  }
  for (const auto& [target, count] : counts) fmt::print("{}: {} cases\n", target, count);
  if (open != 0) fmt::print("{} left out: answers that differ are acceptable\n", open);
  return counts.empty() ? exit_nothing_compared : exit_clean;
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) {
  CLI::App app("Writes the questions of vector files as cases, DIR/<target>/<number>.", "vector_cases");
  std::vector<std::string> files;
  std::string folder;
  app.add_option("FILE", files, "Any that lockstep check reads")->required();
  app.add_option("-o", folder, "Where to")->required()->type_name("DIR");
  CLI11_PARSE(app, argc, argv);
  try {
    return lockstep::cli::write_cases(files, folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "vector_cases: {}\n", error.what());
    return lockstep::cli::exit_unusable;
  }
}
