#include "cli/vectors/vector_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/input_error.h"
#include "cli/vectors/readers.h"

namespace lockstep::cli {
namespace {

enum class Format { text, wycheproof, nist, linux };

// A section of our own format is an identifier; NIST writes `[Keylen = 128]`, `[ENCRYPT]`, `[K-256,SHA-384]`.
bool names_a_target(std::string_view line) noexcept {
  if (line.size() < 3 || line.front() != '[' || line.back() != ']') return false;
  line = line.substr(1, line.size() - 2);
  return line.front() >= 'a' && line.front() <= 'z' && std::ranges::all_of(line, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

Format recognise(const std::string& path, std::string_view contents) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (contents.starts_with("LS")) {
    throw InputError(path, 0, "", "this is a case file, not a file of vectors",
                     "Use `lockstep repro " + path + "`.");
  }
  if (contents.find('\0') != std::string_view::npos) {
    throw InputError(path, 0, "", "binary data, not a file of vectors",
                     "If it is the input of a fuzz target: `lockstep repro " + path + " --target NAME`.");
  }
  if (extension == ".rsp") return Format::nist;
  if (extension == ".jsonl") return Format::linux;
  if (extension == ".json" && trimmed(contents).starts_with('[')) return Format::wycheproof;

  Lines lines(contents);
  for (std::string_view line; lines.next(line);) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    if (text.front() == '{') {
      const nlohmann::json first = nlohmann::json::parse(text, nullptr, false);
      return first.is_object() && first.contains("alg") ? Format::linux : Format::wycheproof;
    }
    if (names_a_target(text)) return Format::text;
    std::string_view name, value;
    if (text.front() == '[' || split_assignment(text, name, value)) return Format::nist;
    throw InputError(
        path, lines.number(), "", "this is no format that is known here",
        "Known: our own text ([aes_gcm] and `name = value`), Wycheproof .json, NIST .rsp and .txt, the "
        "Linux .jsonl.");
  }
  throw InputError(path, 0, "", "holds no vectors: nothing but blank lines and comments",
                   "Name a file of vectors.");
}

}  // namespace

void VectorFile::skip(std::string_view reason, std::size_t count) {
  const auto found = std::ranges::find(skips, reason, &Skip::reason);
  if (found != skips.end()) {
    found->count += count;
  } else {
    skips.push_back({std::string(reason), count});
  }
}

std::string read_whole_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(path, 0, "", "is a directory", "Name the files in it.");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw InputError(path, 0, "", std::string("cannot be opened: ") + std::strerror(errno),
                     "Check the name and the permissions.");
  }
  std::string contents{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) {
    throw InputError(path, 0, "", std::string("cannot be read: ") + std::strerror(errno), "Check the file.");
  }
  return contents;
}

VectorFile read_vector_file(const std::string& path, Targets targets) {
  VectorFile file;
  file.path = path;
  const std::string contents = read_whole_file(path);
  switch (recognise(path, contents)) {
    case Format::text:
      read_text(contents, targets, file);
      break;
    case Format::wycheproof:
      read_wycheproof(contents, targets, file);
      break;
    case Format::nist:
      read_nist(contents, targets, file);
      break;
    case Format::linux:
      read_linux(contents, targets, file);
      break;
  }
  return file;
}

// ---- what the readers share ----

const differential::Target* find_target(Targets targets, std::string_view name) noexcept {
  for (const differential::Target* target : targets) {
    if (target->name() == name) return target;
  }
  return nullptr;
}

std::string no_target(std::string_view algorithm) {
  return std::string(algorithm) + " has no target yet";
}

bool Lines::next(std::string_view& line) noexcept {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool split_assignment(std::string_view line, std::string_view& name, std::string_view& value) noexcept {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  name = trimmed(line.substr(0, equals));
  value = trimmed(line.substr(equals + 1));
  return !name.empty();
}

bool is_hex(std::string_view text) noexcept {
  return text.size() % 2 == 0 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

Question gcm_open(const GcmVector& v, bool accepted) {
  Question question;
  question.vector.fields = {
      {"operation", "open"},       {"key", std::string(v.key)},         {"nonce", std::string(v.nonce)},
      {"aad", std::string(v.aad)}, {"text", std::string(v.ciphertext)}, {"tag", std::string(v.tag)}};
  question.vector.answers = {{"accepted", accepted ? "1" : "0"}};
  if (accepted) {
    question.vector.answers.emplace("open_status", "ok");
    question.vector.answers.emplace("plaintext", v.plaintext);
  }
  return question;
}

Question gcm_seal(const GcmVector& v) {
  Question question;
  question.vector.fields = {
      {"operation", "seal_then_open"},    {"key", std::string(v.key)},
      {"nonce", std::string(v.nonce)},    {"aad", std::string(v.aad)},
      {"text", std::string(v.plaintext)}, {"tag_bytes", std::to_string(v.tag.size() / 2)}};
  question.vector.answers = {{"seal_status", "ok"},       {"ciphertext", std::string(v.ciphertext)},
                             {"tag", std::string(v.tag)}, {"open_status", "ok"},
                             {"accepted", "1"},           {"plaintext", std::string(v.plaintext)}};
  return question;
}

Question hash_question(std::string_view key, std::string_view text, std::string_view digest) {
  Question question;
  question.vector.fields = {{"digest_bytes", std::to_string(digest.size() / 2)},
                            {"key", std::string(key)},
                            {"text", std::string(text)}};
  question.vector.answers = {{"hash_status", "ok"}, {"accepted", "1"}, {"digest", std::string(digest)}};
  return question;
}

}  // namespace lockstep::cli
