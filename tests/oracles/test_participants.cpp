// Who is asked, about what: that nobody is left out, and that the campaign's distribution has something for
// everyone.
#include <algorithm>
#include <map>
#include <set>

#include "lockstep/aes_gcm.h"
#include "lockstep/blake2b.h"
#include "lockstep/ghash.h"
#include "oracles/differential/cells.h"
#include "oracles/targets.h"
#include "support.h"

namespace lockstep::oracles {
namespace {

using differential::CellPoint;
using differential::ParticipantInfo;
using differential::Target;

template <class Implementation>
std::vector<std::string> of_the_library(std::span<const Implementation* const> list) {
  std::vector<std::string> names;
  for (const Implementation* each : list) {
    if (cpu_features().contains_all(info(*each).required)) names.emplace_back(info(*each).name);
  }
  return names;
}

void expect_participants(std::string_view target, std::vector<std::string> names,
                         std::initializer_list<const char*> others) {
  const std::vector<std::string> shipped = names;
  names.emplace_back("hand_over");
  names.insert(names.end(), others.begin(), others.end());
  std::vector<std::string> found;
  for (const ParticipantInfo& info : find_target(target)->participants()) {
    found.emplace_back(info.name);
    const bool ours = std::ranges::find(shipped, info.name) != shipped.end();
    EXPECT_EQ(info.shipped, ours || info.name == "hand_over") << info.name;
    EXPECT_EQ(info.stride_blocks > 0, ours) << info.name;
    // Votes are counted by origin: the library has one.
    EXPECT_EQ(info.origin, info.shipped ? "lockstep" : info.name);
    EXPECT_EQ(info.version.empty(), info.shipped) << info.name;
  }
  EXPECT_EQ(found, names) << target;
}

TEST(Participants, NobodyIsLeftOut) {
  expect_participants("aes_gcm", of_the_library(::lockstep::aes_gcm::implementations()),
                      {"plain", "botan", "openssl"});
  expect_participants("ghash", of_the_library(::lockstep::ghash::implementations()), {"plain", "nettle"});
  expect_participants("blake2b", of_the_library(::lockstep::blake2b::implementations()),
                      {"plain", "botan", "openssl", "sodium", "b2"});
}

// What somebody has to answer, so that a participant who falls silent is a finding.
TEST(Participants, OweTheirAnswers) {
  const std::map<std::string_view, std::vector<std::string_view>> owed = {
      {"aes_gcm", {"ciphertext", "tag", "accepted"}},
      {"ghash", {"hash"}},
      {"blake2b", {"accepted", "digest"}}};
  for (const Target* target : targets()) {
    for (std::size_t i = 0; i < target->participants().size(); ++i) {
      const auto demand = [&](std::string_view name) {
        const auto answer = std::ranges::find(target->answers(), name) - target->answers().begin();
        EXPECT_TRUE(target->declared(i).contains(static_cast<differential::AnswerId>(answer)))
            << target->participants()[i].name << " of " << target->name() << ": " << name;
      };
      for (const std::string_view name : owed.at(target->name())) demand(name);
      if (!target->participants()[i].shipped && target->participants()[i].name != "plain") continue;
      if (target->name() == "aes_gcm") {
        for (const char* name : {"seal_status", "next_counter", "running_ghash", "open_status"}) demand(name);
      } else if (target->name() == "blake2b") {
        for (const char* name : {"hash_status", "state"}) demand(name);
      }
    }
  }
}

// Of everything that is counted as a cell: who judged it at least once in a few thousand drawn cases. Whoever
// can judge a value of an attribute does; the exceptions are those of README.md.
TEST(Participants, JudgeEveryKindOfCase) {
  // `boundary` stands for all that presets a counter.
  const std::map<std::string, std::set<std::string>> cannot = {
      {"aes_gcm, hand_over", {"call = one_shot", "call = scatter one_shot"}},
      {"aes_gcm, botan", {"aliasing = partial_overlap", "tag = 4"}},
      {"aes_gcm, openssl", {"aliasing = partial_overlap"}},
      {"ghash, hand_over", {"call = one_shot"}},
      {"blake2b, hand_over", {"call = one_shot"}},
      {"blake2b, botan",
       {"boundary", "key = 1..63", "key = 64", "last_node = yes", "personal = yes", "salt = yes",
        "tree = yes"}},
      {"blake2b, openssl", {"boundary", "last_node = yes", "tree = yes"}},
      {"blake2b, sodium", {"boundary", "last_node = yes", "tree = yes"}},
  };
  for (const Target* target : targets()) {
    const auto attributes = target->cells().attributes();
    const auto infos = target->participants();
    std::map<std::string, std::uint64_t> judged;
    differential::Run run;
    for (std::uint64_t seed = 0; seed < 16000; ++seed) {
      target->run(target->draw(seed), run, differential::Effort::sampled);
      for (const CellPoint& point : run.points) {
        for (std::size_t i = 0; i < attributes.size(); ++i) {
          judged[attributes[i].name + " = " + attributes[i].values[point[i]]] |= run.verdict.answered;
        }
      }
    }
    const differential::CellMap& map = target->cells();
    for (std::size_t cell = 0; cell < map.size(); ++cell) {
      if (map.reachable()[cell] == 0) continue;
      const differential::CellMap::Cell parts = map.at(cell);
      for (const auto& [attribute, value] : std::span(parts.parts).first(2)) {
        const std::string what = attributes[attribute].name + " = " + attributes[attribute].values[value];
        ASSERT_TRUE(judged.contains(what)) << target->name() << ": " << what << " never happens";
      }
    }
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const std::string who = std::string(target->name()) + ", " + std::string(infos[i].name);
      std::set<std::string> missing;
      for (const auto& attribute : attributes) {
        for (const std::string& value : attribute.values) {
          const std::string what = attribute.name + " = " + value;
          if (!judged.contains(what) || (judged[what] >> i & 1U) != 0) continue;
          missing.insert(attribute.name == "boundary" ? attribute.name : what);
        }
      }
      const auto exceptions = cannot.find(who);
      EXPECT_EQ(missing, exceptions == cannot.end() ? std::set<std::string>() : exceptions->second) << who;
    }
  }
}

struct Wanted {
  std::string_view field;
  std::vector<std::string> values;
};

void expect_drawn(std::string_view target_name, const std::vector<Wanted>& wanted) {
  const Target& target = *find_target(target_name);
  std::map<std::string, std::map<std::string, unsigned>> seen;
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    for (const differential::Field& field : target.fields(target.draw(seed))) {
      if (field.value.size() < 30) ++seen[std::string(field.name)][field.value];
    }
  }
  for (const Wanted& each : wanted) {
    for (const std::string& value : each.values) {
      EXPECT_GE(seen[std::string(each.field)][value], 4U)
          << target_name << ": " << each.field << " = " << value;
    }
  }
  const auto implementations = [&] {
    std::vector<std::string> names;
    for (const ParticipantInfo& info : target.participants()) {
      if (info.stride_blocks > 0) names.emplace_back(info.name);
    }
    return names;
  }();
  for (const std::string& name : implementations) {
    for (const char* const entry : {"schedule_0", "schedule_1", "schedule_7"}) {
      EXPECT_GE(seen[entry][name], 100U) << target_name << ": " << entry << " = " << name;
    }
  }
}

std::vector<std::string> numbers(unsigned from, unsigned to) {
  std::vector<std::string> list;
  for (unsigned i = from; i <= to; ++i) list.push_back(std::to_string(i));
  return list;
}

const std::vector<std::string> no_yes = {"0", "1"};

TEST(Distribution, AesGcmAsksForAll) {
  expect_drawn("aes_gcm", {{"operation", {"seal_then_open", "open"}},
                           {"call", {"one_shot", "incremental"}},
                           {"reuse", {"none", "after_success", "after_rejection", "after_abandonment"}},
                           {"aliasing", {"apart", "in_place", "partial_overlap"}},
                           {"tamper", {"none", "ciphertext", "tag", "aad", "nonce"}},
                           {"steering", {"none", "nonce", "preset_counter", "virtual_totals"}},
                           {"virtual_total",
                            {"text_2_29", "text_2_32", "text_limit", "aad_2_29", "aad_2_32", "aad_limit"}},
                           {"boundary", numbers(0, 3)},
                           {"boundary_block", numbers(0, 34)},
                           {"key_bytes", {"16", "24", "32"}},
                           {"tag_bytes", {"4", "8", "12", "13", "14", "15", "16"}},
                           {"nonce_bytes", {"1", "8", "11", "12", "13", "15", "16", "17", "31", "32"}},
                           {"aad_bytes", {"0", "1", "13", "15", "16", "17", "20", "32", "48"}},
                           {"text_bytes", numbers(0, 34)},
                           {"aad_cut_count", numbers(0, 3)},
                           {"in_cut_count", numbers(0, 7)},
                           {"out_cut_count", numbers(0, 7)},
                           {"hand_over", no_yes},
                           {"rekey", no_yes}});
}

TEST(Distribution, AesGcmAsksForTheUsualAndTheUnusual) {
  const Target& target = *find_target("aes_gcm");
  std::map<std::string, unsigned> seen;
  std::map<std::string, unsigned> usual;
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    std::map<std::string_view, unsigned long> fields;
    for (const differential::Field& field : target.fields(target.draw(seed))) {
      if (field.number && field.value.size() < 10) fields[field.name] = std::stoul(field.value);
    }
    const auto key = fields["key_bytes"];
    const auto tag = fields["tag_bytes"];
    seen["key sizes that do not exist"] += key != 16 && key != 24 && key != 32 ? 1U : 0U;
    seen["tag sizes that do not exist"] += tag != 4 && tag != 8 && (tag < 12 || tag > 16) ? 1U : 0U;
    usual["nonces of 12 bytes"] += fields["nonce_bytes"] == 12 ? 1U : 0U;
    usual["nonces of 16 bytes"] += fields["nonce_bytes"] == 16 ? 1U : 0U;
    usual["tags of 16 bytes"] += tag == 16 ? 1U : 0U;
    seen["long texts"] += fields["text_bytes"] > 4400 ? 1U : 0U;
    seen["long AAD"] += fields["aad_bytes"] > 300 ? 1U : 0U;
    seen["long nonces"] += fields["nonce_bytes"] > 160 ? 1U : 0U;
  }
  for (const auto& [what, times] : seen) EXPECT_GE(times, 10U) << what;
  for (const auto& [what, times] : usual) EXPECT_GE(times, 800U) << what;
}

TEST(Distribution, Blake2bAsksForAll) {
  std::vector<std::string> digests = numbers(1, 64);
  digests.emplace_back("0");
  digests.emplace_back("65");
  expect_drawn("blake2b", {{"call", {"one_shot", "incremental"}},
                           {"reuse", {"none", "after_success", "after_rejection", "after_abandonment"}},
                           {"steering", {"none", "preset_counter"}},
                           {"boundary", {"2^32", "2^64", "2^128"}},
                           {"digest_bytes", numbers(1, 64)},
                           {"key_bytes", numbers(0, 64)},
                           {"salt_bytes", {"0", "16"}},
                           {"personal_bytes", {"0", "16"}},
                           {"text_bytes", {"0", "1", "127", "128", "129", "255", "256", "257", "384"}},
                           {"in_cut_count", numbers(0, 7)},
                           {"tree", no_yes},
                           {"last_node", no_yes},
                           {"depth", {"1", "2", "3"}},
                           {"hand_over", no_yes},
                           {"rekey", no_yes}});
}

TEST(Distribution, GhashAsksForAll) {
  expect_drawn("ghash", {{"call", {"one_shot", "incremental"}},
                         {"reuse", {"none", "after_success", "after_abandonment"}},
                         {"key_steering", {"none", "zero", "one", "x", "all_ones", "single_bit"}},
                         {"text_steering", {"none", "zero", "all_ones", "single_bit", "equal_blocks"}},
                         {"text_bytes", numbers(0, 34)},
                         {"in_cut_count", numbers(0, 7)},
                         {"hand_over", no_yes},
                         {"rekey", no_yes}});
}

}  // namespace
}  // namespace lockstep::oracles
