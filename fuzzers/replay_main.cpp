// Runs files through a target without any engine: replay_<target> FILE-OR-FOLDER...
// C interfaces only: under MSan the inside of iostream and std::string would give false reports.
#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzzers/loop.h"

namespace {

constexpr std::size_t max_path = 4096;
std::size_t executed = 0;
unsigned long long comparisons = 0;

bool replay_file(const char* path) {
  std::FILE* file = std::fopen(path, "rbe");
  if (file == nullptr) {
    std::fprintf(stderr, "%s: %s\n", path, std::strerror(errno));
    return false;
  }
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::rewind(file);
  // Exactly as large as the file, so that a sanitizer sees the decoder read beyond it.
  auto* data = static_cast<std::uint8_t*>(std::malloc(size > 0 ? static_cast<std::size_t>(size) : 1));
  const std::size_t got = std::fread(data, 1, static_cast<std::size_t>(size), file);
  std::fclose(file);
  lockstep::fuzzers::execute({data, got});
  comparisons += lockstep::fuzzers::last_run().verdict.comparisons;
  ++executed;
  std::free(data);
  return true;
}

bool replay(const char* path) {
  struct stat status = {};
  if (stat(path, &status) != 0) {
    std::fprintf(stderr, "%s: %s\n", path, std::strerror(errno));
    return false;
  }
  if (!S_ISDIR(status.st_mode)) return replay_file(path);
  dirent** entries = nullptr;
  const int count = scandir(path, &entries, nullptr, alphasort);
  bool good = count >= 0;
  for (int i = 0; i < count; ++i) {
    if (entries[i]->d_name[0] != '.') {
      char name[max_path];
      std::snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
      good &= replay(name);
    }
    std::free(entries[i]);
  }
  std::free(entries);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = true;
  for (int i = 1; i < argc; ++i) good &= replay(argv[i]);
  std::printf("%zu inputs, %llu comparisons\n", executed, comparisons);
  if (!good) return 5;
  return comparisons == 0 ? 4 : 0;
}
