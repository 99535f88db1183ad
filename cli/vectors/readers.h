#pragma once

#include <string>
#include <string_view>

#include "cli/vectors/vector_file.h"

// One reader for each format; `contents` are those of `file.path`. All throw InputError.
namespace lockstep::cli {

void read_text(std::string_view contents, Targets targets, VectorFile& file);
void read_wycheproof(std::string_view contents, Targets targets, VectorFile& file);
void read_nist(std::string_view contents, Targets targets, VectorFile& file);
void read_linux(std::string_view contents, Targets targets, VectorFile& file);
// Of read_nist, once it is known whose hashes these are.
void read_digests(std::string_view contents, const differential::Target& target, VectorFile& file);

// What the readers share.

const differential::Target* find_target(Targets targets, std::string_view name) noexcept;
// "AES-CBC has no target yet".
std::string no_target(std::string_view algorithm);

// Takes line after line off a text, counting them; line ends may be LF or CR LF.
class Lines {
 public:
  explicit Lines(std::string_view text) noexcept : rest_(text) {}
  bool next(std::string_view& line) noexcept;
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

std::string_view trimmed(std::string_view text) noexcept;

// `name = value`, both trimmed. False if there is no `=` or no name.
bool split_assignment(std::string_view line, std::string_view& name, std::string_view& value) noexcept;

// An even number of hex digits.
bool is_hex(std::string_view text) noexcept;

// What AES-GCM is asked in every format.
struct GcmVector {
  std::string_view key, nonce, aad, plaintext, ciphertext, tag;  // hex
};
// "Open this": accepted with the plaintext, or rejected.
Question gcm_open(const GcmVector& v, bool accepted);
// "Seal this, then open it."
Question gcm_seal(const GcmVector& v);

// What an unkeyed or keyed hash of any digest size is asked; all in hex.
Question hash_question(std::string_view key, std::string_view text, std::string_view digest);

}  // namespace lockstep::cli
