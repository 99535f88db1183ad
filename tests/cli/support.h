#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/input_error.h"

namespace lockstep::cli::test {

// A file that is gone when the test is over.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& contents)
      : directory_(testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                   std::to_string(counter()++)),
        path_(directory_ + "/" + name) {
    std::filesystem::create_directories(directory_);
    std::ofstream(path_, std::ios::binary) << contents;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove_all(directory_); }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  static int& counter() {
    static int count = 0;
    return count;
  }
  std::string directory_;
  std::string path_;
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the test's own text does not hold '" << from << "'";
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace lockstep::cli::test
