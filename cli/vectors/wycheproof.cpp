// Wycheproof, schemas of version 1. https://github.com/C2SP/wycheproof
#include <algorithm>
#include <array>
#include <stdexcept>

#include "cli/input_error.h"
#include "cli/vectors/json_object.h"
#include "cli/vectors/readers.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;

constexpr std::string_view aead_schema = "aead_test_schema_v1.json";

// Schemas of other sorts of algorithms, without the ending `_schema_v1.json`.
constexpr auto other_schemas = std::to_array<std::string_view>({
    "bls_aggregate_verify",
    "bls_hash_to_g2",
    "bls_sig_verify",
    "daead_test",
    "dsa_p1363_verify",
    "dsa_verify",
    "ec_curve_test",
    "ecdh_ecpoint_test",
    "ecdh_pem_test",
    "ecdh_test",
    "ecdh_webcrypto_test",
    "ecdsa_bitcoin_verify",
    "ecdsa_p1363_verify",
    "ecdsa_verify",
    "eddsa_to_xdh",
    "eddsa_verify",
    "fpe_list_test",
    "fpe_str_test",
    "hkdf_test",
    "ind_cpa_test",
    "json_web_crypto",
    "json_web_encryption",
    "json_web_key",
    "json_web_signature",
    "kdf_test",
    "keywrap_test",
    "mac_test",
    "mac_with_iv_test",
    "mldsa_sign_noseed",
    "mldsa_sign_seed",
    "mldsa_verify",
    "mlkem_decaps_test",
    "mlkem_encaps_test",
    "mlkem_test",
    "pbe_test",
    "pbkdf_test",
    "primality_test",
    "ristretto_scalar_test",
    "rsaes_oaep_decrypt",
    "rsaes_pkcs1_decrypt",
    "rsassa_pkcs1_generate",
    "rsassa_pkcs1_verify",
    "rsassa_pss_verify",
    "rsassa_pss_with_parameters_verify",
    "secretstream_test",
    "stream_cipher_test",
    "xdh_asn_comp",
    "xdh_comp",
    "xdh_jwk_comp",
    "xdh_pem_comp",
});

constexpr auto file_fields = std::to_array<std::string_view>(
    {"algorithm", "generatorVersion", "header", "notes", "numberOfTests", "schema", "testGroups"});
constexpr auto group_fields =
    std::to_array<std::string_view>({"type", "source", "ivSize", "keySize", "tagSize", "tests"});
constexpr auto test_fields = std::to_array<std::string_view>(
    {"tcId", "comment", "flags", "key", "iv", "aad", "msg", "ct", "tag", "result"});

bool has(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

class Reader {
 public:
  Reader(Targets targets, VectorFile& file) : targets_(targets), file_(file) {}

  void read(std::string_view contents) {
    json root;
    try {
      root = parse_json(contents);
    } catch (const std::exception& error) {
      fail("", "", error.what());
    }
    if (!root.is_object()) fail("", "", "is not a JSON object");
    const auto in_file = [this](std::string_view field, std::string_view problem) {
      fail("", field, problem);
    };
    if (!root.contains("schema") || !root["schema"].is_string())
      in_file("schema", "is missing or not a string");
    const auto& schema = root["schema"].get_ref<const std::string&>();
    const std::string algorithm = root.contains("algorithm") && root["algorithm"].is_string()
                                      ? root["algorithm"].get<std::string>()
                                      : "";
    if (schema != aead_schema) return skip_other_schema(schema, algorithm, root);

    const JsonObject object(root, file_fields, in_file);
    notes_ = &object.need("notes");
    if (!notes_->is_object()) in_file("notes", "is not an object");
    in_algorithm_ = object.string("algorithm");
    target_ = in_algorithm_ == "AES-GCM" ? find_target(targets_, "aes_gcm") : nullptr;
    std::size_t tests = 0;
    const json& groups = object.array("testGroups");
    for (std::size_t i = 0; i < groups.size(); ++i) tests += read_group(groups[i], i);
    if (tests != object.number("numberOfTests")) {
      in_file("numberOfTests", "says " + std::to_string(object.number("numberOfTests")) +
                                   ", the file holds " + std::to_string(tests));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& where, std::string_view field, std::string_view problem) const {
    throw InputError(
        file_.path, 0, std::string(field), (where.empty() ? "" : where + ": ") + std::string(problem),
        "The format is Wycheproof's, " + std::string(aead_schema) + ", where nothing may be left unread.");
  }

  void skip_other_schema(std::string_view schema, const std::string& algorithm, const json& root) {
    constexpr std::string_view ending = "_schema_v1.json";
    std::string_view name = schema;
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
    // A few schemas carry no version in their name.
    constexpr std::string_view bare_ending = "_schema.json";
    if (name.ends_with(bare_ending)) name.remove_suffix(bare_ending.size());
    if (!has(other_schemas, name)) {
      fail("", "schema", "'" + std::string(schema) + "' is no schema of Wycheproof that is known here");
    }
    std::size_t tests = 0;
    if (const auto groups = root.find("testGroups"); groups != root.end() && groups->is_array()) {
      for (const json& group : *groups) {
        if (group.is_object() && group.contains("tests") && group["tests"].is_array())
          tests += group["tests"].size();
      }
    }
    file_.skip(no_target(algorithm.empty() ? schema : algorithm), tests);
  }

  std::size_t read_group(const json& json_group, std::size_t index) {
    const std::string where = "testGroups[" + std::to_string(index) + "]";
    const JsonObject group(json_group, group_fields, [&](std::string_view field, std::string_view problem) {
      fail(where, field, problem);
    });
    if (group.string("type") != "AeadTest") fail(where, "type", "is not AeadTest");
    const json& tests = group.array("tests");
    const std::array<std::size_t, 3> bits = {group.number("keySize"), group.number("ivSize"),
                                             group.number("tagSize")};
    for (std::size_t i = 0; i < tests.size(); ++i) {
      std::string test_where = where + ".tests[" + std::to_string(i) + "]";
      if (tests[i].is_object() && tests[i].contains("tcId"))
        test_where += ", tcId " + tests[i]["tcId"].dump();
      read_test(tests[i], group.get("source"), bits, test_where);
    }
    return tests.size();
  }

  void read_test(const json& json_test, const json& source, const std::array<std::size_t, 3>& bits,
                 const std::string& where) {
    const JsonObject test(json_test, test_fields, [&](std::string_view field, std::string_view problem) {
      fail(where, field, problem);
    });
    const GcmVector v = {.key = test.hex("key"),
                         .nonce = test.hex("iv"),
                         .aad = test.hex("aad"),
                         .plaintext = test.hex("msg"),
                         .ciphertext = test.hex("ct"),
                         .tag = test.hex("tag")};
    const std::string_view result = test.string("result");
    if (result != "valid" && result != "invalid" && result != "acceptable") {
      fail(where, "result", "'" + std::string(result) + "' is not valid, invalid or acceptable");
    }
    const std::size_t id = test.number("tcId");
    const std::string flags = test.words("flags");
    const std::string_view comment = test.string("comment");
    ++index_;

    if (target_ == nullptr) return file_.skip(no_target(in_algorithm_));
    // Only an invalid test may disagree with its group.
    if (result != "invalid") {
      if (4 * v.key.size() != bits[0]) fail(where, "key", "is not of the group's keySize");
      if (4 * v.nonce.size() != bits[1]) fail(where, "iv", "is not of the group's ivSize");
      if (4 * v.tag.size() != bits[2]) fail(where, "tag", "is not of the group's tagSize");
    } else if (4 * v.tag.size() != bits[2]) {
      return file_.skip(
          "the tag is not of its group's tagSize: here the size of the tag is a parameter, not data");
    }

    FileVector vector;
    vector.target = target_;
    vector.index = index_;
    vector.label = "tcId " + std::to_string(id);
    vector.questions.push_back(gcm_open(v, result != "invalid"));
    if (result == "acceptable") {
      // Whoever accepts it must find the message; nobody has to.
      for (const char* open : {"accepted", "open_status"}) {
        vector.questions[0].vector.answers.erase(open);
        vector.questions[0].open_answers.emplace_back(open);
      }
    }
    if (result == "valid") vector.questions.push_back(gcm_seal(v));

    vector.remarks.emplace_back("result", result);
    if (!comment.empty()) vector.remarks.emplace_back("comment", comment);
    if (!flags.empty()) vector.remarks.emplace_back("flags", flags);
    for (const json& flag : test.array("flags")) {
      const auto note = notes_->find(flag.get<std::string>());
      if (note != notes_->end() && note->is_object() && note->contains("description") &&
          (*note)["description"].is_string()) {
        vector.remarks.emplace_back("note", (*note)["description"].get<std::string>());
      }
    }
    vector.remarks.emplace_back("source", source.is_object()
                                              ? source.value("name", "") + " " + source.value("version", "")
                                              : std::string("Wycheproof"));
    file_.vectors.push_back(std::move(vector));
  }

  Targets targets_;
  VectorFile& file_;
  const differential::Target* target_ = nullptr;  // null: the algorithm has none
  std::string in_algorithm_;
  const json* notes_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace

void read_wycheproof(std::string_view contents, Targets targets, VectorFile& file) {
  Reader(targets, file).read(contents);
}

}  // namespace lockstep::cli
