#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracles/differential/target.h"

// Vector files of every format that `lockstep check` reads, as one kind of thing.
namespace lockstep::cli {

// One question of a vector and the answers to it.
struct Question {
  differential::Vector vector;
  // Answers on which participants may differ: the file leaves them open ("acceptable").
  std::vector<std::string> open_answers;
  // It says itself how it is called, and is called in no other way.
  bool only_as_written = false;
};

struct FileVector {
  const differential::Target* target = nullptr;
  std::vector<Question> questions;  // the same vector sealed and opened, say
  std::size_t index = 0;            // in the file, from 1
  std::size_t line = 0;             // 0: the format has no lines
  std::string label;                // the file's own name for it: "tcId 17", "Count = 3"
  std::vector<std::pair<std::string, std::string>>
      remarks;  // source, comment, flags ...: for reports of a failure
};

struct Skip {
  std::string reason;
  std::size_t count = 0;
};

struct VectorFile {
  std::string path;
  std::vector<FileVector> vectors;
  std::vector<Skip> skips;

  void skip(std::string_view reason, std::size_t count = 1);
};

using Targets = std::span<const differential::Target* const>;

// Recognises the format by the contents, with the name as a hint where they leave it open. Throws InputError.
VectorFile read_vector_file(const std::string& path, Targets targets);

// The bytes of a file. Throws InputError.
std::string read_whole_file(const std::string& path);

}  // namespace lockstep::cli
