// NIST's response files (CAVP .rsp, and .txt of the same form): comments in `#`, group sizes in `[Name =
// value]`, then `Name = value`; a decryption that must be rejected has a line `FAIL` in place of its
// plaintext.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>

#include "cli/input_error.h"
#include "cli/vectors/readers.h"

namespace lockstep::cli {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// The comments before the first line that is none.
std::string_view heading(std::string_view contents) noexcept {
  Lines lines(contents);
  std::size_t bytes = 0;
  for (std::string_view line; lines.next(line);
       bytes = static_cast<std::size_t>(line.data() - contents.data()) + line.size()) {
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '#') break;
  }
  return contents.substr(0, bytes);
}

struct Word {
  std::string_view written, name;
};

// Names an algorithm for people, from the heading and the last parts of the path: only for the reason of a
// skip.
std::string algorithm_in_words(const std::string& path, std::string_view head) {
  static constexpr Word whole[] = {
      {"GCM-AES-XPN", "AES-GCM-XPN"},
      {"HMAC", "HMAC"},
      {"HKDF", "HKDF"},
      {"PBKDF2", "PBKDF2"},
      {"SCRYPT", "scrypt"},
      {"KBKDF", "KBKDF"},
      {"BLAKE2B", "BLAKE2b"},
      {"BLAKE2S", "BLAKE2s"},
      {"SHAKE", "SHAKE"},
      {"SHA3", "SHA-3"},
      {"POLY1305", "Poly1305"},
      {"800-38F", "AES key wrap"},
      {"CHACHA20", "ChaCha20"},
      {"ECDSA", "ECDSA"},
      {"RSA", "RSA"},
      {"DSA", "DSA"},
      {"SHA", "SHA"},
      {"MD5", "MD5"},
      {"RIPEMD", "RIPEMD"},
      {"SM3", "SM3"},
      {"ARC4", "RC4"},
      {"RC4", "RC4"},
  };
  static constexpr Word ciphers[] = {
      {"TDES", "3DES"},   {"3DES", "3DES"}, {"CAMELLIA", "Camellia"}, {"AES", "AES"},
      {"SM4", "SM4"},     {"IDEA", "IDEA"}, {"BLOWFISH", "Blowfish"}, {"BF-", "Blowfish"},
      {"CAST5", "CAST5"}, {"SEED", "SEED"},
  };
  static constexpr std::string_view modes[] = {"CMAC", "XTS", "CCM", "OCB3", "SIV", "CBC",
                                               "CFB",  "CTR", "ECB", "OFB",  "GCM"};
  std::string text(head);
  std::filesystem::path rest = path;
  for (int parts = 0; parts < 3 && rest.has_filename(); ++parts, rest = rest.parent_path()) {
    text += ' ' + rest.filename().string();
  }
  text = upper(text);
  for (const Word& cipher : ciphers) {
    if (text.find(cipher.written) == std::string::npos) continue;
    for (std::string_view mode : modes) {
      if (text.find(mode) != std::string::npos) return std::string(cipher.name) + "-" + std::string(mode);
    }
  }
  for (const Word& word : whole) {
    if (text.find(word.written) != std::string::npos) return std::string(word.name);
  }
  return "the algorithm of " + std::filesystem::path(path).filename().string();
}

constexpr auto gcm_sizes = std::to_array<std::string_view>({"KEYLEN", "IVLEN", "PTLEN", "AADLEN", "TAGLEN"});

// Whether this is about AES-GCM: the heading or the name of the file says so, or the sizes of its first group
// do.
bool is_gcm(const std::string& path, std::string_view contents, std::string_view head) {
  const std::string words = upper(head) + upper(std::filesystem::path(path).filename().string());
  if (words.find("XPN") != std::string::npos || words.find("SIV") != std::string::npos) return false;
  if (words.find("GCM") != std::string::npos) return true;
  std::array<bool, gcm_sizes.size()> seen = {};
  Lines lines(contents);
  for (std::string_view line; lines.next(line);) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    std::string_view name, value;
    if (text.front() != '[' || !split_assignment(text.substr(1), name, value)) break;
    const auto found = std::ranges::find(gcm_sizes, upper(name));
    if (found == gcm_sizes.end()) return false;
    seen[static_cast<std::size_t>(found - gcm_sizes.begin())] = true;
  }
  return std::ranges::all_of(seen, [](bool each) { return each; });
}

class GcmReader {
 public:
  GcmReader(const differential::Target& target, std::string_view head, VectorFile& file)
      : target_(target), file_(file) {
    // "# GCM Encrypt with keysize 128 test information"
    Lines lines(head);
    for (std::string_view line; lines.next(line);) {
      if (upper(line).find("GCM") != std::string::npos) source_ = trimmed(line.substr(line.find('#') + 1));
    }
  }

  void read(std::string_view contents) {
    Lines lines(contents);
    for (std::string_view raw; lines.next(raw);) {
      line_ = lines.number();
      const std::string_view line = trimmed(raw);
      if (line.empty() || line.front() == '#') continue;
      if (line.front() == '[') {
        finish();
        set_size(line);
      } else if (upper(line) == "FAIL") {
        if (!count_) fail("FAIL", "stands before the first Count");
        if (failed_) fail("FAIL", "stands twice");
        failed_ = true;
      } else {
        assign(line);
      }
    }
    finish();
  }

 private:
  enum Name : std::size_t { key, iv, pt, aad, tag, ct };
  static constexpr std::array<std::string_view, 6> names = {"KEY", "IV", "PT", "AAD", "TAG", "CT"};
  static constexpr std::array<std::string_view, 6> written_names = {"Key", "IV", "PT", "AAD", "Tag", "CT"};
  struct Value {
    std::string_view hex;
    std::size_t line = 0;  // 0: absent
  };

  [[noreturn]] void fail(std::string_view field, std::string_view problem, std::size_t line = 0) const {
    throw InputError(
        file_.path, line != 0 ? line : line_, std::string(field), std::string(problem),
        "The format is NIST's for GCM: [Keylen, IVlen, PTlen, AADlen, Taglen], then Count, Key, IV, PT, "
        "CT, AAD, Tag, FAIL.");
  }

  void set_size(std::string_view line) {
    if (!line.ends_with(']')) fail(line, "the bracket is not closed");
    std::string_view name, value;
    if (!split_assignment(line.substr(1, line.size() - 2), name, value)) fail(line, "is no size of a group");
    const auto found = std::ranges::find(gcm_sizes, upper(name));
    if (found == gcm_sizes.end()) fail(name, "is no size of a group");
    sizes_[static_cast<std::size_t>(found - gcm_sizes.begin())] = number(name, value);
  }

  void assign(std::string_view line) {
    std::string_view name, value;
    if (!split_assignment(line, name, value)) fail(line, "neither `Name = value`, `[Name = value]` nor FAIL");
    if (upper(name) == "COUNT") {
      finish();
      count_ = number(name, value);
      count_line_ = line_;
      return;
    }
    const auto found = std::ranges::find(names, upper(name));
    if (found == names.end()) fail(name, "is no field of this format");
    if (!count_) fail(name, "stands before the first Count");
    const auto which = static_cast<std::size_t>(found - names.begin());
    if (values_[which].line != 0) fail(name, "stands twice in one vector");
    if (!is_hex(value)) fail(name, "is not an even number of hex digits");
    // The ciphertext is as long as the plaintext.
    const std::optional<std::size_t> bits = sizes_[which == ct ? pt : which];
    if (bits && 4 * value.size() != *bits) {
      fail(name,
           "has " + std::to_string(4 * value.size()) + " bits, its group says " + std::to_string(*bits));
    }
    if (which == ct && values_[pt].line == 0) opens_ = true;
    values_[which] = {value, line_};
  }

  void finish() {
    if (!count_) return;
    for (const Name each : {key, iv, tag, ct, aad}) {
      if (values_[each].line == 0)
        fail(written_names[each], "is missing in the vector that starts here", count_line_);
    }
    if ((values_[pt].line != 0) == failed_) {
      fail("PT",
           failed_ ? "stands beside FAIL in the vector that starts here"
                   : "and FAIL are both missing in the vector that starts here",
           count_line_);
    }
    if (!failed_ && values_[pt].hex.size() != values_[ct].hex.size()) {
      fail("CT", "is not as long as PT", values_[ct].line);
    }
    const GcmVector v = {.key = values_[key].hex,
                         .nonce = values_[iv].hex,
                         .aad = values_[aad].hex,
                         .plaintext = values_[pt].hex,
                         .ciphertext = values_[ct].hex,
                         .tag = values_[tag].hex};
    FileVector vector;
    vector.target = &target_;
    vector.index = file_.vectors.size() + 1;
    vector.line = count_line_;
    vector.label = "Count = " + std::to_string(*count_);
    // Only what stands the way of a decryption is asked as one: seal_then_open opens what it sealed.
    if (failed_ || opens_) vector.questions.push_back(gcm_open(v, !failed_));
    if (!failed_) vector.questions.push_back(gcm_seal(v));
    if (!source_.empty()) vector.remarks.emplace_back("source", source_);
    file_.vectors.push_back(std::move(vector));
    values_ = {};
    count_.reset();
    failed_ = false;
    opens_ = false;
  }

  std::size_t number(std::string_view name, std::string_view value) const {
    std::size_t result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc{} || end != value.data() + value.size()) fail(name, "is not a number");
    return result;
  }

  const differential::Target& target_;
  VectorFile& file_;
  std::string source_;
  std::array<std::optional<std::size_t>, gcm_sizes.size()> sizes_;  // in bits
  std::array<Value, names.size()> values_;
  std::optional<std::size_t> count_;
  std::size_t count_line_ = 0;
  std::size_t line_ = 0;
  bool failed_ = false;
  bool opens_ = false;
};

// How many vectors a file of another algorithm holds: its counts, or if it does not count, its blocks.
std::size_t count_vectors(std::string_view contents) {
  std::size_t counts = 0, blocks = 0;
  bool in_block = false;
  Lines lines(contents);
  for (std::string_view line; lines.next(line);) {
    const std::string_view text = trimmed(line);
    std::string_view name, value;
    if (text.empty() || text.front() == '#' || text.front() == '[') {
      in_block = false;
    } else if (split_assignment(text, name, value)) {
      if (upper(name) == "COUNT") ++counts;
      if (!in_block) ++blocks;
      in_block = true;
    }
  }
  return counts != 0 ? counts : blocks;
}

}  // namespace

void read_nist(std::string_view contents, Targets targets, VectorFile& file) {
  const std::string_view head = heading(contents);
  const differential::Target* target = find_target(targets, "aes_gcm");
  if (target != nullptr && is_gcm(file.path, contents, head))
    return GcmReader(*target, head, file).read(contents);
  const std::string algorithm = algorithm_in_words(file.path, head);
  const differential::Target* const blake2b = find_target(targets, "blake2b");
  if (blake2b != nullptr && algorithm == "BLAKE2b") return read_digests(contents, *blake2b, file);
  const std::size_t vectors = count_vectors(contents);
  if (vectors == 0) {
    throw InputError(file.path, 0, "", "holds no `Name = value`: this is no file of vectors",
                     "Name a file of vectors.");
  }
  file.skip(no_target(algorithm), vectors);
}

}  // namespace lockstep::cli
