#include "cli/campaign/statistics_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace lockstep::cli::campaign {

StatisticsFile::StatisticsFile(std::filesystem::path path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0 || ftruncate(file_, sizeof(fuzzers::Statistics)) != 0) {
    throw std::runtime_error(fmt::format("{}: {}", path_.string(), std::strerror(errno)));
  }
  void* const mapping = mmap(nullptr, sizeof(fuzzers::Statistics), PROT_READ, MAP_SHARED, file_, 0);
  if (mapping == MAP_FAILED)
    throw std::runtime_error(fmt::format("{}: {}", path_.string(), std::strerror(errno)));
  mapping_ = static_cast<const fuzzers::Statistics*>(mapping);
}

StatisticsFile::~StatisticsFile() {
  if (mapping_ != nullptr) munmap(const_cast<fuzzers::Statistics*>(mapping_), sizeof(fuzzers::Statistics));
  if (file_ >= 0) close(file_);
}

bool StatisticsFile::understood() const noexcept {
  struct stat status = {};
  if (fstat(file_, &status) != 0 || status.st_size != static_cast<off_t>(sizeof(fuzzers::Statistics)))
    return false;
  return mapping_->magic == fuzzers::statistics_magic || mapping_->magic == 0;
}

}  // namespace lockstep::cli::campaign
