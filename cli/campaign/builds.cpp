#include "cli/campaign/builds.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "cli/input_error.h"

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;
namespace {

constexpr const char* advice =
    "Build it with `ci/build libfuzzer afl`; --builds DIR names another folder of builds.";

}  // namespace

fs::path own_program() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path("lockstep") : path;
}

Builds Builds::find(const fs::path& root, const fs::path& libfuzzer, const fs::path& afl) {
  Builds builds;
  builds.own_bin = own_program().parent_path();
  builds.root = root.empty() ? builds.own_bin.parent_path().parent_path() : fs::absolute(root);
  builds.libfuzzer = libfuzzer.empty() ? builds.root / "libfuzzer" : fs::absolute(libfuzzer);
  builds.afl = afl.empty() ? builds.root / "afl" : fs::absolute(afl);
  builds.corpora = builds.own_bin.parent_path().parent_path().parent_path() / "corpora";
  return builds;
}

fs::path Builds::program(std::string_view engine, std::string_view target) const {
  fs::path path = (engine == "afl" ? afl : libfuzzer) / "bin" / ("fuzz_" + std::string(target));
  if (access(path.c_str(), X_OK) == 0) return path;
  throw InputError(typed(path), 0, "",
                   "there is no fuzz build of " + std::string(target) + " for " + std::string(engine),
                   advice);
}

fs::path Builds::afl_mutator(std::string_view target) const {
  const std::string name = "afl_mutator_" + std::string(target) + ".so";
  for (const fs::path& folder : {own_bin, root / "release" / "bin"}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  throw InputError(typed(own_bin / name), 0, "", "AFL++ has no mutator library",
                   "It is built beside this program: `ci/build`.");
}

std::string typed(const fs::path& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || !path.is_absolute()) return path.string();
  const fs::path relative = path.lexically_relative(here);
  return relative.empty() || relative.string().size() >= path.string().size() ? path.string()
                                                                              : relative.string();
}

fs::path find_program(std::string_view name) {
  const char* const variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    fs::path path = fs::path(folders.substr(0, end)) / name;
    if (access(path.c_str(), X_OK) == 0) return path;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

}  // namespace lockstep::cli::campaign
