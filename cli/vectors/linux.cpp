// Answers of the Linux kernel's drivers, one JSON object a line. Hex; `key` null: no key was set; an absent
// member is empty; `errno` and `stage` stand in place of `out` where the driver refused.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "cli/input_error.h"
#include "cli/vectors/json_object.h"
#include "cli/vectors/readers.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

constexpr auto known_fields =
    std::to_array<std::string_view>({"alg", "op", "key", "iv", "aad", "in", "out", "authsize", "errno",
                                     "stage", "iv_out", "update_chunk", "kernel_drivers"});
constexpr std::size_t authentication_failed = 74;  // EBADMSG

// Cuts into pieces of `chunk` bytes; if the case cannot hold so many, as many as it can, all on borders of
// chunks.
void cut_into_chunks(std::size_t bytes, std::size_t chunk, differential::Vector& vector) {
  constexpr std::size_t most_cuts = 7;
  constexpr std::size_t last_position = 0xffff;
  const std::size_t borders = bytes == 0 ? 0 : std::min(bytes - 1, last_position) / chunk;
  const std::size_t cuts = std::min(borders, most_cuts);
  vector.fields.emplace("call", "incremental");
  vector.fields.emplace("in_cut_count", std::to_string(cuts));
  for (std::size_t i = 1; i <= cuts; ++i) {
    vector.fields.emplace("in_cut_" + std::to_string(i), std::to_string(borders * i / cuts * chunk));
  }
}

class Reader {
 public:
  Reader(Targets targets, VectorFile& file)
      : file_(file),
        aes_gcm_(find_target(targets, "aes_gcm")),
        ghash_(find_target(targets, "ghash")),
        blake2b_(find_target(targets, "blake2b")) {}

  void read(std::string_view contents) {
    Lines lines(contents);
    for (std::string_view line; lines.next(line);) {
      line_ = lines.number();
      if (!trimmed(line).empty()) read_request(trimmed(line));
    }
  }

 private:
  [[noreturn]] void fail(std::string_view field, std::string_view problem) const {
    throw InputError(file_.path, line_, std::string(field), std::string(problem),
                     "The format is that of the Linux answers: one JSON object a line.");
  }

  void read_request(std::string_view line) {
    json parsed;
    try {
      parsed = parse_json(line);
    } catch (const std::exception& error) {
      fail("", error.what());
    }
    const JsonObject request(parsed, known_fields, [this](std::string_view field, std::string_view problem) {
      fail(field, problem);
    });
    ++index_;
    const std::string_view algorithm = request.string("alg");
    const std::string_view op = request.string("op");
    if (op != "encrypt" && op != "decrypt" && op != "digest") fail("op", "is not encrypt, decrypt or digest");
    if (request.has("out") == request.has("errno")) {
      fail(request.has("out") ? "errno" : "out", "a request has either an answer (`out`) or an `errno`");
    }
    const bool refused = request.has("errno");
    const std::size_t error = refused ? request.number("errno") : 0;
    const std::string_view stage = request.has("stage") ? request.string("stage") : "";
    const std::string drivers = request.words("kernel_drivers");
    const std::string_view text = request.hex_or_empty("in");
    const std::string_view out = request.hex_or_empty("out");
    const std::string_view nonce = request.hex_or_empty("iv");
    const std::string_view aad = request.hex_or_empty("aad");
    static_cast<void>(request.hex_or_empty("iv_out"));  // of modes without a target; read, so that it is hex
    const std::size_t chunk = request.has("update_chunk") ? request.number("update_chunk") : 0;
    if (request.has("update_chunk") && chunk == 0) fail("update_chunk", "is 0");
    const bool keyed = request.has("key") && !request.need("key").is_null();
    const std::string_view key = keyed ? request.hex("key") : "";

    FileVector vector;
    vector.index = index_;
    vector.line = line_;
    vector.label = std::string(algorithm) + " " + std::string(op);
    vector.remarks.emplace_back("kernel_drivers", drivers);

    if (algorithm == "ghash" && ghash_ != nullptr) {
      vector.target = ghash_;
      if (!keyed) return file_.skip(no_key);
      if (refused) return file_.skip(hash_refused(algorithm, error, stage));
      Question question;
      question.vector.fields = {{"key", std::string(key)}, {"text", std::string(text)}};
      question.vector.answers = {{"hash", std::string(out)}};
      if (chunk != 0) cut_into_chunks(text.size() / 2, chunk, question.vector);
      vector.questions.push_back(std::move(question));
    } else if (algorithm.starts_with("blake2b-") && blake2b_ != nullptr) {
      vector.target = blake2b_;
      if (op != "digest") fail("op", "is not digest, of a hash");
      if (refused) return file_.skip(hash_refused(algorithm, error, stage));
      if (std::to_string(4 * out.size()) != algorithm.substr(std::string_view("blake2b-").size())) {
        fail("out", "is not of the size that `alg` says");
      }
      Question question = hash_question(key, text, out);
      if (chunk != 0) cut_into_chunks(text.size() / 2, chunk, question.vector);
      vector.questions.push_back(std::move(question));
    } else if ((algorithm == "gcm(aes)" || algorithm == "rfc4106(gcm(aes))") && aes_gcm_ != nullptr) {
      vector.target = aes_gcm_;
      if (!keyed) return file_.skip(no_key);
      if (op == "digest") fail("op", "digest, of an algorithm that encrypts");
      GcmVector v = {.key = key, .nonce = nonce, .aad = aad, .plaintext = {}, .ciphertext = {}, .tag = {}};
      std::string salted_nonce;
      if (algorithm != "gcm(aes)" && !unpack_rfc4106(v, salted_nonce)) return;
      if (!ask_gcm(v, op == "encrypt", text, out, 2 * request.number("authsize"), refused, error, vector))
        return;
    } else {
      return file_.skip(no_target(algorithm));
    }
    file_.vectors.push_back(std::move(vector));
  }

  static std::string hash_refused(std::string_view algorithm, std::size_t error, std::string_view stage) {
    return std::string(algorithm) + ": the kernel refused (" + std::to_string(error) + " at " +
           std::string(stage) + "); a hash case has no answer for that";
  }

  // RFC 4106: the key ends with a salt of 4 bytes that opens the nonce; the kernel's AAD ends with the 8-byte
  // IV.
  bool unpack_rfc4106(GcmVector& v, std::string& nonce) {
    constexpr std::size_t salt = 8, iv = 16;  // in hex digits
    if (v.key.size() < salt || v.nonce.size() != iv || v.aad.size() < iv) {
      file_.skip("rfc4106: the kernel's own size rules, not those of AES-GCM");
      return false;
    }
    if (v.aad.substr(v.aad.size() - iv) != v.nonce)
      fail("aad", "does not end with the IV, as rfc4106 has it");
    nonce = std::string(v.key.substr(v.key.size() - salt)) + std::string(v.nonce);
    v.key.remove_suffix(salt);
    v.aad.remove_suffix(iv);
    v.nonce = nonce;
    return true;
  }

  // False: skipped, the reason is noted. `tag_digits`: of the tag, in hex.
  bool ask_gcm(GcmVector v, bool encrypt, std::string_view text, std::string_view out, std::size_t tag_digits,
               bool refused, std::size_t error, FileVector& vector) {
    if (refused && error != authentication_failed && v.nonce.size() != 24) {
      file_.skip(
          "gcm(aes): the kernel takes only 12-byte nonces; here any size is taken, as SP 800-38D says");
      return false;
    }
    std::string_view& sealed = encrypt ? out : text;
    if (!refused || !encrypt) {
      if (sealed.size() < tag_digits) {
        if (!refused) fail(encrypt ? "out" : "in", "is shorter than the tag (`authsize`)");
        file_.skip("gcm(aes): shorter than its tag: no such case can be written");
        return false;
      }
      v.tag = sealed.substr(sealed.size() - tag_digits);
      v.ciphertext = sealed.substr(0, sealed.size() - tag_digits);
    }
    v.plaintext = encrypt ? text : out;
    if (!refused) {
      if (v.plaintext.size() != v.ciphertext.size())
        fail("out", "is not as long as `in` and `authsize` ask for");
      vector.questions.push_back(gcm_seal(v));
      vector.questions.push_back(gcm_open(v, true));
    } else if (!encrypt) {
      vector.questions.push_back(gcm_open(v, false));
    } else {
      // Refused for its sizes: nothing comes of sealing, and there is nothing to accept.
      Question question = gcm_seal(v);
      question.vector.fields["tag_bytes"] = std::to_string(tag_digits / 2);
      question.vector.answers = {{"accepted", "0"}};
      vector.questions.push_back(std::move(question));
    }
    return true;
  }

  static constexpr std::string_view no_key =
      "no key was set: a state of the kernel's socket, not a question of a case";

  VectorFile& file_;
  const differential::Target* aes_gcm_;
  const differential::Target* ghash_;
  const differential::Target* blake2b_;
  std::size_t line_ = 0;
  std::size_t index_ = 0;
};

}  // namespace

void read_linux(std::string_view contents, Targets targets, VectorFile& file) {
  Reader(targets, file).read(contents);
}

}  // namespace lockstep::cli
