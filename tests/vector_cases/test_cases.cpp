// A vector as a case: the same question, called as the vector says and in no other way.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "oracles/aes_gcm/target.h"
#include "oracles/differential/fields_text.h"
#include "oracles/targets.h"
#include "tests/vector_cases/cases.h"

namespace lockstep::cli {
namespace {

std::vector<VectorCase> cases_of_text(const std::string& name, const std::string& contents,
                                      std::size_t& open) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << contents;
  const VectorFile file = read_vector_file(path.string(), oracles::targets());
  std::filesystem::remove(path);
  return cases_of(file, open);
}

std::string field(const VectorCase& of, std::string_view name) {
  for (const differential::Field& each : of.target->fields(of.bytes)) {
    if (each.name == name) return each.value;
  }
  return "no such field";
}

constexpr const char* cavp = R"([Keylen = 128]
[IVlen = 96]
[PTlen = 128]
[AADlen = 0]
[Taglen = 128]

Count = 0
Key = 7fddb57453c241d03efbed3ac44e371c
IV = ee283a3fc75575e33efd4887
PT = d5de42b461646c255c87bd2962d3b9a2
AAD =
CT = 2ccda4a5415cb91e135c2a0f78c9b2fd
Tag = b36d1df9b9d5e596f83e8b7f52971cb3
)";

TEST(VectorCases, DecodeToTheVector) {
  std::size_t open = 0;
  const auto cases = cases_of_text("gcmEncryptExtIV128.rsp", cavp, open);
  ASSERT_FALSE(cases.empty());
  EXPECT_EQ(open, 0U);
  const VectorCase& sealed = cases.front();
  EXPECT_EQ(sealed.target->name(), "aes_gcm");
  EXPECT_EQ(field(sealed, "operation"), "seal_then_open");
  EXPECT_EQ(field(sealed, "key"), "7fddb57453c241d03efbed3ac44e371c");
  EXPECT_EQ(field(sealed, "nonce"), "ee283a3fc75575e33efd4887");
  EXPECT_EQ(field(sealed, "aad"), "");
  EXPECT_EQ(field(sealed, "text"), "d5de42b461646c255c87bd2962d3b9a2");
  EXPECT_EQ(field(sealed, "tag_bytes"), "16");
  EXPECT_EQ(field(sealed, "call"), "one_shot");
  EXPECT_EQ(field(sealed, "steering"), "none");
  EXPECT_EQ(field(sealed, "tamper"), "none");
  EXPECT_EQ(field(sealed, "in_placement"), "flush behind");

  differential::Run run;
  sealed.target->run(sealed.bytes, run);
  EXPECT_TRUE(run.verdict.agrees());
  const auto tag = std::ranges::find(sealed.target->answers(), "tag") - sealed.target->answers().begin();
  EXPECT_EQ(differential::to_hex(run.outcomes[0].get(static_cast<differential::AnswerId>(tag))),
            "b36d1df9b9d5e596f83e8b7f52971cb3");
}

TEST(VectorCases, NoneOfWhatMayBeAnsweredInSeveralWays) {
  FileVector vector;
  vector.target = &oracles::aes_gcm::target();
  vector.questions.resize(3);
  for (Question& question : vector.questions) question.vector.fields["text_bytes"] = "5";
  vector.questions[1].open_answers = {"accepted"};
  VectorFile file;
  file.vectors.push_back(vector);
  std::size_t open = 0;
  EXPECT_EQ(cases_of(file, open).size(), 2U);
  EXPECT_EQ(open, 1U);
}

}  // namespace
}  // namespace lockstep::cli
