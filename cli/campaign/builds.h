#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::cli::campaign {

// Where the fuzz builds are, seen from build/<preset>/bin/lockstep.
struct Builds {
  std::filesystem::path root;       // build/
  std::filesystem::path libfuzzer;  // build/libfuzzer
  std::filesystem::path afl;        // build/afl
  std::filesystem::path own_bin;    // build/<preset>/bin
  std::filesystem::path corpora;    // beside build/; may be absent

  // Empty arguments: found from this program's own place.
  static Builds find(const std::filesystem::path& root, const std::filesystem::path& libfuzzer,
                     const std::filesystem::path& afl);

  // The fuzzing program of a target under an engine. Throws InputError that says how it is built.
  std::filesystem::path program(std::string_view engine, std::string_view target) const;
  // The mutator that afl-fuzz loads; the same.
  std::filesystem::path afl_mutator(std::string_view target) const;
};

std::filesystem::path own_program();

// `path` as it is shortest to type from here.
std::string typed(const std::filesystem::path& path);

// Full path of a program of PATH; empty if there is none.
std::filesystem::path find_program(std::string_view name);

}  // namespace lockstep::cli::campaign
