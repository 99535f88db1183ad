// Good files of every format, and for each error the line and field that it names.
#include <functional>
#include <string>

#include "cli/vectors/vector_file.h"
#include "oracles/targets.h"
#include "support.h"

namespace lockstep::cli::test {
namespace {

VectorFile read(const std::string& name, const std::string& contents) {
  const TemporaryFile file(name, contents);
  return read_vector_file(file.path(), oracles::targets());
}

// What the error of a file says.
struct Told {
  std::size_t line = 0;
  std::string field, problem, words;
};
Told error_of(const std::string& name, const std::string& contents) {
  try {
    read(name, contents);
  } catch (const InputError& error) {
    EXPECT_FALSE(error.advice.empty());
    EXPECT_NE(error.words.find(name), std::string::npos);
    return {error.line, error.field, error.problem, error.words};
  }
  ADD_FAILURE() << "read without an error:\n" << contents;
  return {};
}

void expect_error(const std::string& name, const std::string& contents, std::size_t line,
                  const std::string& field, const std::string& part_of_problem) {
  SCOPED_TRACE(contents);
  const Told told = error_of(name, contents);
  EXPECT_EQ(told.line, line);
  EXPECT_EQ(told.field, field);
  EXPECT_NE(told.problem.find(part_of_problem), std::string::npos) << told.problem;
}

const std::string& field(const FileVector& vector, std::size_t question, const std::string& name) {
  return vector.questions.at(question).vector.fields.at(name);
}
const std::string& answer(const FileVector& vector, std::size_t question, const std::string& name) {
  return vector.questions.at(question).vector.answers.at(name);
}

// ---- our own text ----

const std::string text =
    "# two vectors\n"                                         // 1
    "[aes_gcm]\n"                                             // 2
    "operation = seal_then_open\n"                            // 3
    "key = 00000000000000000000000000000000\n"                // 4
    "nonce = 000000000000000000000000\n"                      // 5
    "text = 00000000000000000000000000000000\n"               // 6
    "expect.ciphertext = 0388dace60b6a392f328c2b971b2fe78\n"  // 7
    "expect.seal_status = ok\n"                               // 8
    "expect.accepted = 1\n"                                   // 9
    "source = test case 2\n"                                  // 10
    "comment = of the paper\n"                                // 11
    "\n"                                                      // 12
    "[ghash]\n"                                               // 13
    "# H\n"                                                   // 14
    "key = 66e94bd4ef8a2c3b884cfa59ca342b2e\n"                // 15
    "call = incremental\n"                                    // 16
    "text =\n"                                                // 17
    "expect.hash = 00000000000000000000000000000000\n";       // 18

TEST(Text, ReadsBlocks) {
  const VectorFile file = read("ours.txt", text);
  ASSERT_EQ(file.vectors.size(), 2U);
  const FileVector& first = file.vectors[0];
  EXPECT_EQ(first.target->name(), "aes_gcm");
  EXPECT_EQ(first.index, 1U);
  EXPECT_EQ(first.line, 2U);
  EXPECT_EQ(field(first, 0, "nonce"), "000000000000000000000000");
  EXPECT_EQ(answer(first, 0, "accepted"), "1");
  EXPECT_EQ(answer(first, 0, "seal_status"), "ok");
  ASSERT_EQ(first.remarks.size(), 2U);
  EXPECT_EQ(first.remarks[0].second, "test case 2");
  EXPECT_FALSE(first.questions[0].only_as_written);
  const FileVector& second = file.vectors[1];
  EXPECT_EQ(second.target->name(), "ghash");
  EXPECT_EQ(second.line, 13U);
  EXPECT_TRUE(second.questions[0].only_as_written) << "it says how it is called";
}

TEST(Text, TakesCarriageReturns) {
  std::string dos;
  for (const char c : text) dos += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(read("ours.txt", dos).vectors.size(), 2U);
}

TEST(Text, NamesTheLineOfEachError) {
  expect_error("a.txt", replaced(text, "nonce =", "nonse ="), 5, "nonse", "is not a field of aes_gcm");
  expect_error("a.txt", replaced(text, "expect.hash", "expect.tag"), 18, "expect.tag",
               "is not an answer of ghash");
  expect_error("a.txt", replaced(text, "expect.accepted", "expect.violation"), 9, "expect.violation",
               "is not an answer");
  expect_error("a.txt", replaced(text, "[ghash]", "[gash]"), 13, "[gash]", "is no target");
  expect_error("a.txt", replaced(text, "[ghash]", "[ghash"), 13, "[ghash", "is no target");
  expect_error("a.txt", replaced(text, "\n\n[ghash]", "\n[ghash]"), 12, "[ghash]", "a second target");
  expect_error("a.txt", replaced(text, "seal_then_open", "steal"), 3, "operation", "'steal'");
  expect_error("a.txt", replaced(text, "nonce = 00", "nonce = 0"), 5, "nonce", "hex");
  expect_error("a.txt", replaced(text, "expect.ciphertext = 03", "expect.ciphertext = 3"), 7,
               "expect.ciphertext", "hex");
  expect_error("a.txt", replaced(text, "comment =", "comment:"), 11, "comment: of the paper", "neither");
  expect_error("a.txt", replaced(text, "comment =", "source ="), 11, "source", "twice");
  expect_error("a.txt", replaced(text, "\n[ghash]", "\nx = 1\n\n[ghash]"), 13, "x", "outside a block");
}

// ---- Wycheproof ----

const std::string wycheproof = R"({
  "algorithm": "AES-GCM", "schema": "aead_test_schema_v1.json", "generatorVersion": "1", "numberOfTests": 3,
  "header": ["about"], "notes": {"Ktv": {"bugType": "BASIC", "description": "Known test vector."}},
  "testGroups": [{"type": "AeadTest", "keySize": 128, "ivSize": 96, "tagSize": 128,
    "source": {"name": "somebody", "version": "1.0"},
    "tests": [
      {"tcId": 7, "comment": "first", "flags": ["Ktv"], "key": "00000000000000000000000000000000",
       "iv": "000000000000000000000000", "aad": "", "msg": "", "ct": "",
       "tag": "58e2fccefa7e3061367f1d57a4e7455a", "result": "valid"},
      {"tcId": 8, "comment": "", "flags": [], "key": "00000000000000000000000000000000",
       "iv": "000000000000000000000000", "aad": "", "msg": "", "ct": "",
       "tag": "58e2fccefa7e3061367f1d57a4e7455b", "result": "invalid"},
      {"tcId": 9, "comment": "", "flags": [], "key": "00000000000000000000000000000000",
       "iv": "000000000000000000000000", "aad": "", "msg": "", "ct": "",
       "tag": "58e2fccefa7e3061367f1d57a4e7455a", "result": "acceptable"}]}]})";

TEST(Wycheproof, ReadsTheThreeResults) {
  const VectorFile file = read("gcm.json", wycheproof);
  ASSERT_EQ(file.vectors.size(), 3U);
  EXPECT_EQ(file.vectors[0].label, "tcId 7");
  ASSERT_EQ(file.vectors[0].questions.size(), 2U);
  EXPECT_EQ(field(file.vectors[0], 0, "operation"), "open");
  EXPECT_EQ(answer(file.vectors[0], 0, "accepted"), "1");
  EXPECT_EQ(field(file.vectors[0], 1, "operation"), "seal_then_open");
  EXPECT_EQ(answer(file.vectors[0], 1, "tag"), "58e2fccefa7e3061367f1d57a4e7455a");
  std::string remarks;
  for (const auto& [name, words] : file.vectors[0].remarks) remarks += name + "=" + words + ";";
  EXPECT_EQ(remarks, "result=valid;comment=first;flags=Ktv;note=Known test vector.;source=somebody 1.0;");

  ASSERT_EQ(file.vectors[1].questions.size(), 1U);
  EXPECT_EQ(answer(file.vectors[1], 0, "accepted"), "0");
  ASSERT_EQ(file.vectors[2].questions.size(), 1U);
  EXPECT_FALSE(file.vectors[2].questions[0].vector.answers.contains("accepted"));
  EXPECT_EQ(file.vectors[2].questions[0].open_answers.size(), 2U);
}

TEST(Wycheproof, SkipsWhatHasNoTarget) {
  const VectorFile ccm = read("ccm.json", replaced(wycheproof, "AES-GCM", "AES-CCM"));
  EXPECT_TRUE(ccm.vectors.empty());
  ASSERT_EQ(ccm.skips.size(), 1U);
  EXPECT_EQ(ccm.skips[0].reason, "AES-CCM has no target yet");
  EXPECT_EQ(ccm.skips[0].count, 3U);
  const VectorFile mac =
      read("mac.json", R"({"algorithm": "AES-CMAC", "schema": "mac_test_schema_v1.json", "anything": 1,
                           "testGroups": [{"tests": [{}, {}]}, {"tests": [{}]}]})");
  ASSERT_EQ(mac.skips.size(), 1U);
  EXPECT_EQ(mac.skips[0].reason, "AES-CMAC has no target yet");
  EXPECT_EQ(mac.skips[0].count, 3U);
}

TEST(Wycheproof, SkipsTagsOfAnotherSizeThanTheGroups) {
  const VectorFile file = read("gcm.json", replaced(wycheproof, "7455b", "745"));
  EXPECT_EQ(file.vectors.size(), 2U);
  ASSERT_EQ(file.skips.size(), 1U);
  EXPECT_NE(file.skips[0].reason.find("tagSize"), std::string::npos);
}

TEST(Wycheproof, NamesTheFieldOfEachError) {
  expect_error("a.json", replaced(wycheproof, "\"header\"", "\"heading\""), 0, "heading", "is no field");
  expect_error("a.json", replaced(wycheproof, "\"keySize\"", "\"keySise\""), 0, "keySise", "testGroups[0]");
  expect_error("a.json", replaced(wycheproof, "\"iv\"", "\"nonce\""), 0, "nonce",
               "testGroups[0].tests[0], tcId 7");
  expect_error("a.json", replaced(wycheproof, "\"aad\": \"\", ", ""), 0, "aad", "is missing");
  expect_error("a.json", replaced(wycheproof, "\"valid\"", "\"vaild\""), 0, "result", "'vaild'");
  expect_error("a.json", replaced(wycheproof, "\"msg\": \"\"", "\"msg\": \"0\""), 0, "msg", "hex");
  expect_error("a.json", replaced(wycheproof, "\"msg\": \"\"", "\"msg\": 0"), 0, "msg", "is not a string");
  expect_error("a.json", replaced(wycheproof, "\"keySize\": 128", "\"keySize\": 256"), 0, "key", "keySize");
  expect_error("a.json", replaced(wycheproof, "\"ivSize\": 96", "\"ivSize\": 64"), 0, "iv", "ivSize");
  expect_error("a.json", replaced(wycheproof, "\"numberOfTests\": 3", "\"numberOfTests\": 4"), 0,
               "numberOfTests", "holds 3");
  expect_error("a.json", replaced(wycheproof, "\"tcId\": 8,", "\"tcId\": 8, \"tcId\": 9,"), 0, "",
               "`tcId` stands twice");
  expect_error("a.json", replaced(wycheproof, "aead_test_schema_v1", "bread_test_schema_v1"), 0, "schema",
               "no schema");
  expect_error("a.json", replaced(wycheproof, "\"header\":", "\"header\""), 0, "", "line 3");
  expect_error("a.json", "[1, 2]", 0, "", "not a JSON object");
}

// ---- NIST ----

const std::string rsp =
    "# CAVS 14.0\n"                                      // 1
    "# GCM Decrypt with keysize 128 test information\n"  // 2
    "\n"                                                 // 3
    "[Keylen = 128]\n"                                   // 4
    "[IVlen = 96]\n"                                     // 5
    "[PTlen = 0]\n"                                      // 6
    "[AADlen = 0]\n"                                     // 7
    "[Taglen = 128]\n"                                   // 8
    "\n"                                                 // 9
    "Count = 0\n"                                        // 10
    "Key = 00000000000000000000000000000000\n"           // 11
    "IV = 000000000000000000000000\n"                    // 12
    "CT = \n"                                            // 13
    "AAD = \n"                                           // 14
    "Tag = 58e2fccefa7e3061367f1d57a4e7455a\n"           // 15
    "PT = \n"                                            // 16
    "\n"                                                 // 17
    "Count = 1\n"                                        // 18
    "Key = 00000000000000000000000000000000\n"           // 19
    "IV = 000000000000000000000000\n"                    // 20
    "CT = \n"                                            // 21
    "AAD = \n"                                           // 22
    "Tag = 58e2fccefa7e3061367f1d57a4e7455b\n"           // 23
    "FAIL\n";                                            // 24

TEST(Nist, ReadsDecryption) {
  for (const char* name : {"gcmDecrypt128.rsp", "any.txt"}) {
    const VectorFile file = read(name, rsp);
    ASSERT_EQ(file.vectors.size(), 2U);
    EXPECT_EQ(file.vectors[1].index, 2U);
    EXPECT_EQ(file.vectors[1].line, 18U);
    EXPECT_EQ(file.vectors[1].label, "Count = 1");
    ASSERT_EQ(file.vectors[0].questions.size(), 2U);
    EXPECT_EQ(field(file.vectors[0], 0, "operation"), "open");
    EXPECT_EQ(field(file.vectors[0], 1, "operation"), "seal_then_open");
    EXPECT_EQ(field(file.vectors[0], 1, "tag_bytes"), "16");
    ASSERT_EQ(file.vectors[1].questions.size(), 1U);
    EXPECT_EQ(answer(file.vectors[1], 0, "accepted"), "0");
  }
}

TEST(Nist, KnowsGcmByItsGroupsAlone) {
  EXPECT_EQ(read("unnamed.rsp", rsp.substr(rsp.find("[Keylen"))).vectors.size(), 2U);
}

TEST(Nist, ReadsEncryption) {
  std::string encrypt = replaced(rsp, "CT = \nAAD = \nTag = 58e2fccefa7e3061367f1d57a4e7455a\nPT = \n",
                                 "PT = \nAAD = \nCT = \nTag = 58e2fccefa7e3061367f1d57a4e7455a\n");
  encrypt = encrypt.substr(0, encrypt.find("Count = 1"));
  const VectorFile file = read("gcmEncryptExtIV128.rsp", encrypt);
  ASSERT_EQ(file.vectors.size(), 1U);
  ASSERT_EQ(file.vectors[0].questions.size(), 1U);
  EXPECT_EQ(field(file.vectors[0], 0, "operation"), "seal_then_open");
}

TEST(Nist, SkipsOtherAlgorithms) {
  const VectorFile cbc = read("CBCGFSbox128.rsp",
                              "# CAVS 11.1\n# AESVS GFSbox test data for CBC\n[ENCRYPT]\n\nCOUNT = 0\nKEY = "
                              "00\nIV = 00\n\nCOUNT = 1\n");
  EXPECT_TRUE(cbc.vectors.empty());
  ASSERT_EQ(cbc.skips.size(), 1U);
  EXPECT_EQ(cbc.skips[0].reason, "AES-CBC has no target yet");
  EXPECT_EQ(cbc.skips[0].count, 2U);
  const VectorFile blake = read("blake2s.txt", "Len = 0\nMsg = 00\nMD = 78\n\nLen = 8\nMsg = 61\nMD = 33\n");
  ASSERT_EQ(blake.skips.size(), 1U);
  EXPECT_EQ(blake.skips[0].reason, "BLAKE2s has no target yet");
  EXPECT_EQ(blake.skips[0].count, 2U);
}

TEST(Nist, NamesTheLineOfEachError) {
  expect_error("a.rsp", replaced(rsp, "IV =", "VI ="), 12, "VI", "is no field");
  expect_error("a.rsp", replaced(rsp, "[IVlen", "[VIlen"), 5, "VIlen", "is no size of a group");
  expect_error("a.rsp", replaced(rsp, "[IVlen = 96]", "[IVlen = 96"), 5, "[IVlen = 96", "not closed");
  expect_error("a.rsp", replaced(rsp, "[IVlen = 96]", "[IVlen = x]"), 5, "IVlen", "not a number");
  expect_error("a.rsp", replaced(rsp, "[IVlen = 96]", "[IVlen = 64]"), 12, "IV", "96 bits");
  expect_error("a.rsp", replaced(rsp, "Key = 00", "Key = 0"), 11, "Key", "hex");
  expect_error("a.rsp", replaced(rsp, "AAD = \n", ""), 10, "AAD", "is missing");
  expect_error("a.rsp", replaced(rsp, "AAD = \n", "CT = \n"), 14, "CT", "stands twice");
  expect_error("a.rsp", replaced(rsp, "FAIL\n", ""), 18, "PT", "both missing");
  expect_error("a.rsp", replaced(rsp, "FAIL\n", "FAIL\nPT =\n"), 18, "PT", "beside FAIL");
  expect_error("a.rsp", replaced(rsp, "FAIL\n", "FAIL\nFAIL\n"), 25, "FAIL", "twice");
  expect_error("a.rsp", replaced(rsp, "FAIL\n", "FALL\n"), 24, "FALL", "neither");
  expect_error("a.rsp", replaced(rsp, "Count = 0\n", ""), 10, "Key", "before the first Count");
}

// ---- Linux ----

const std::string key16 = "00000000000000000000000000000000";
const std::string sealed = "58e2fccefa7e3061367f1d57a4e7455a";
const std::string encrypt_line =
    R"j({"alg": "gcm(aes)", "op": "encrypt", "key": ")j" + key16 +
    R"j(", "iv": "000000000000000000000000", "authsize": 16, "in": "", "out": ")j" + sealed +
    R"j(", "kernel_drivers": ["arm64:gcm-aes-ce", "amd64:x"]})j" + "\n";
const std::string reject_line =
    R"j({"alg": "gcm(aes)", "op": "decrypt", "key": ")j" + key16 +
    R"j(", "iv": "000000000000000000000000", "aad": "00", "authsize": 16, "in": ")j" + sealed +
    R"j(", "errno": 74, "stage": "read", "kernel_drivers": ["arm64:gcm-aes-ce"]})j" + "\n";
std::string ghash_line(std::size_t bytes, std::size_t chunk) {
  return R"j({"alg": "ghash", "op": "digest", "key": ")j" + key16 + R"j(", "in": ")j" +
         std::string(2 * bytes, '0') + R"j(", "out": ")j" + key16 + R"j(", "update_chunk": )j" +
         std::to_string(chunk) + R"j(, "kernel_drivers": []})j" + "\n";
}

TEST(Linux, ReadsAead) {
  const VectorFile file = read("gcm.jsonl", encrypt_line + reject_line);
  ASSERT_EQ(file.vectors.size(), 2U);
  EXPECT_EQ(file.vectors[1].line, 2U);
  EXPECT_EQ(answer(file.vectors[0], 0, "tag"), sealed);
  EXPECT_EQ(field(file.vectors[0], 0, "tag_bytes"), "16");
  EXPECT_EQ(file.vectors[0].remarks[0].second, "arm64:gcm-aes-ce, amd64:x");
  ASSERT_EQ(file.vectors[1].questions.size(), 1U);
  EXPECT_EQ(field(file.vectors[1], 0, "tag"), sealed);
  EXPECT_EQ(answer(file.vectors[1], 0, "accepted"), "0");
}

TEST(Linux, CutsDigestsIntoTheirChunks) {
  const FileVector few = read("a.jsonl", ghash_line(64, 15)).vectors.at(0);
  EXPECT_EQ(field(few, 0, "call"), "incremental");
  EXPECT_EQ(field(few, 0, "in_cut_count"), "4");
  EXPECT_EQ(field(few, 0, "in_cut_1"), "15");
  EXPECT_EQ(field(few, 0, "in_cut_4"), "60");
  EXPECT_EQ(field(read("a.jsonl", ghash_line(64, 16)).vectors.at(0), 0, "in_cut_count"), "3");
  EXPECT_EQ(field(read("a.jsonl", ghash_line(32, 33)).vectors.at(0), 0, "in_cut_count"), "0");
  const FileVector many = read("a.jsonl", ghash_line(600, 17)).vectors.at(0);
  EXPECT_EQ(field(many, 0, "in_cut_count"), "7");
  for (int cut = 1; cut <= 7; ++cut)
    EXPECT_EQ(std::stoi(field(many, 0, "in_cut_" + std::to_string(cut))) % 17, 0);
}

TEST(Linux, UnpacksRfc4106) {
  const std::string line =
      R"j({"alg": "rfc4106(gcm(aes))", "op": "encrypt", "key": ")j" + key16 +
      R"j(01020304", "iv": "1112131415161718", "aad": "aabbccddeeff00111112131415161718")j" +
      R"j(, "authsize": 16, "in": "", "out": ")j" + sealed + R"j(", "kernel_drivers": []})j";
  const FileVector vector = read("a.jsonl", line).vectors.at(0);
  EXPECT_EQ(field(vector, 0, "key"), key16);
  EXPECT_EQ(field(vector, 0, "nonce"), "010203041112131415161718");
  EXPECT_EQ(field(vector, 0, "aad"), "aabbccddeeff0011");
  expect_error("a.jsonl", replaced(line, "161718\", \"auth", "161719\", \"auth"), 1, "aad", "IV");
}

TEST(Linux, SkipsWithReasons) {
  const VectorFile file =
      read("a.jsonl", replaced(encrypt_line, "gcm(aes)", "ccm(aes)") +
                          replaced(encrypt_line, "\"key\": \"" + key16 + "\"", "\"key\": null"));
  EXPECT_TRUE(file.vectors.empty());
  ASSERT_EQ(file.skips.size(), 2U);
  EXPECT_EQ(file.skips[0].reason, "ccm(aes) has no target yet");
  EXPECT_NE(file.skips[1].reason.find("no key was set"), std::string::npos);
}

TEST(Linux, ARefusalIsNothingAccepted) {
  std::string line = replaced(reject_line, "\"errno\": 74", "\"errno\": 22");
  line = replaced(line, "\"authsize\": 16", "\"authsize\": 5");
  EXPECT_EQ(answer(read("a.jsonl", line).vectors.at(0), 0, "accepted"), "0");
  line = replaced(line, "\"decrypt\"", "\"encrypt\"");
  const FileVector sealing = read("a.jsonl", line).vectors.at(0);
  EXPECT_EQ(field(sealing, 0, "operation"), "seal_then_open");
  EXPECT_EQ(field(sealing, 0, "tag_bytes"), "5");
  EXPECT_EQ(answer(sealing, 0, "accepted"), "0");
}

TEST(Linux, NamesTheLineOfEachError) {
  const std::string good = encrypt_line;
  expect_error("a.jsonl", good + replaced(good, "\"iv\"", "\"nonce\""), 2, "nonce", "is no field");
  expect_error("a.jsonl", good + "\n" + replaced(good, "\"alg\"", "\"alg"), 3, "", "parse error");
  expect_error("a.jsonl", good + replaced(good, "\"op\": \"encrypt\"", "\"op\": \"digest\""), 2, "op",
               "digest");
  expect_error("a.jsonl", good + replaced(good, "\"op\": \"encrypt\"", "\"op\": \"x\""), 2, "op",
               "is not encrypt");
  expect_error("a.jsonl", good + replaced(good, "\"out\": \"58", "\"out\": \"5"), 2, "out", "hex");
  expect_error("a.jsonl", good + replaced(good, "\"out\": \"58", "\"out\": \""), 2, "out", "shorter");
  expect_error("a.jsonl", good + replaced(good, "\"in\": \"\"", "\"in\": \"00\""), 2, "out", "as long");
  expect_error("a.jsonl", good + replaced(good, "\"authsize\": 16, ", ""), 2, "authsize", "is missing");
  expect_error("a.jsonl", good + replaced(good, ", \"kernel", ", \"errno\": 22, \"kernel"), 2, "errno",
               "either");
  expect_error("a.jsonl", replaced(good, "\"op\"", "\"op\": \"encrypt\", \"op\""), 1, "",
               "`op` stands twice");
}

// ---- which format it is ----

TEST(Formats, AreToldApartByContents) {
  EXPECT_EQ(read("x", text).vectors.size(), 2U);
  EXPECT_EQ(read("x", wycheproof).vectors.size(), 3U);
  EXPECT_EQ(read("x", rsp).vectors.size(), 2U);
  EXPECT_EQ(read("x", encrypt_line + reject_line).vectors.size(), 2U);
}

TEST(Formats, OtherFilesAreErrors) {
  expect_error("a.txt", "Dear reader,\n", 1, "", "no format");
  expect_error("a.txt", "\n# nothing\n", 0, "", "holds no vectors");
  expect_error("a.txt", "", 0, "", "holds no vectors");
  expect_error("a.rsp", "Dear reader,\n", 0, "", "no file of vectors");
  expect_error("a.bin", std::string("LS\1\1abc", 7), 0, "", "case file");
  expect_error("a.bin", std::string("ab\0cd", 5), 0, "", "binary");
  EXPECT_THROW(read_vector_file("/nonexistent/file", oracles::targets()), InputError);
  EXPECT_THROW(read_vector_file("/", oracles::targets()), InputError);
}

}  // namespace
}  // namespace lockstep::cli::test
