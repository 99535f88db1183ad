// Over every target: what the format promises.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "oracles/differential/fields_text.h"
#include "oracles/targets.h"

namespace lockstep::differential {
namespace {

std::vector<std::uint8_t> random_bytes(Random& random, std::size_t limit) {
  std::vector<std::uint8_t> bytes(random.below(limit));
  random.fill(bytes);
  return bytes;
}

std::vector<std::pair<std::string, std::string>> words(const Target& target,
                                                       std::span<const std::uint8_t> input) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Field& field : target.fields(input)) list.emplace_back(field.name, field.value);
  return list;
}

TEST(Fields, AnyBytesAreACaseAndItsWordsAreTheSameCase) {
  for (const Target* target : oracles::targets()) {
    Random random(1);
    for (int i = 0; i < 2000; ++i) {
      const std::vector<std::uint8_t> input =
          i % 2 == 0 ? random_bytes(random, 400) : target->draw(random.next());
      Vector vector;
      for (const Field& field : target->fields(input)) vector.fields.emplace(field.name, field.value);
      std::string error;
      const auto encoded = target->encode(vector, error);
      ASSERT_TRUE(encoded) << target->name() << ": " << error;
      ASSERT_EQ(words(*target, input), words(*target, *encoded)) << target->name() << " " << to_hex(input);
    }
  }
}

// What a file can say is what it says, beyond usual values too.
TEST(Fields, EveryValueSurvivesTheFile) {
  const std::vector<std::map<std::string, std::string, std::less<>>> cases = {
      {{"operation", "open"},
       {"key_bytes", "5"},
       {"nonce_bytes", "1048575"},
       {"aad_bytes", "301"},
       {"text_bytes", "4401"},
       {"tag_bytes", "31"},
       {"call", "incremental"},
       {"in_cut_count", "7"},
       {"in_cut_7", "65535"},
       {"hand_over", "1"},
       {"rekey", "1"},
       {"reuse", "after_abandonment"},
       {"aliasing", "partial_overlap"},
       {"key_placement", "flush in front"},
       {"in_placement", "flush behind"},
       {"out_placement", "aligned 63"},
       {"tamper", "nonce"},
       {"tamper_bit", "4294967295"},
       {"virtual_total", "aad_limit"},
       {"fill_seed", "18446744073709551615"}},
      {{"operation", "seal_then_open"},
       {"key_bytes", "24"},
       {"text_bytes", "1048575"},
       {"tag_bytes", "4"},
       {"hand_over", "0"},
       {"steering", "virtual_totals"},
       {"nonce_bytes", "12"},
       {"boundary", "3"}}};
  const Target& target = *oracles::find_target("aes_gcm");
  for (const auto& fields : cases) {
    std::string error;
    const auto encoded = target.encode({.fields = fields, .answers = {}}, error);
    ASSERT_TRUE(encoded) << error;
    std::map<std::string, std::string, std::less<>> back;
    for (const auto& [name, value] : words(target, *encoded)) back[name] = value;
    for (const auto& [name, value] : fields) EXPECT_EQ(back[name], value) << name;
  }
}

// Content is the input's, as far as that goes; then it is drawn, from the seed.
TEST(Fields, ContentIsGivenOrDrawn) {
  for (const Target* target : oracles::targets()) {
    const auto content_of = [&](std::span<const std::uint8_t> input) {
      std::string text;
      for (const auto& [name, value] : words(*target, input)) {
        if (name == "key") text = value;
      }
      return text;
    };
    // In each seed there is another key; and the first byte of content is the first of the key.
    std::map<std::string, unsigned> keys;
    unsigned given = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      std::vector<std::uint8_t> input = target->draw(seed);
      const std::string drawn = content_of(input);
      if (drawn.size() < 32) continue;
      ++keys[drawn];
      input.push_back(0xe7);
      if (!drawn.starts_with("e7") && content_of(input).starts_with("e7")) ++given;
    }
    EXPECT_GE(keys.size(), 50U) << target->name();
    EXPECT_GE(given, 50U) << target->name();
  }
}

TEST(Fields, MutationIsPureAndKeepsTheHeader) {
  for (const Target* target : oracles::targets()) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      std::vector<std::uint8_t> a = target->draw(seed / 3);
      const std::size_t size = a.size();
      a.resize(8192);
      std::vector<std::uint8_t> b = a;
      const std::size_t a_size = target->mutate(a, size, seed);
      ASSERT_EQ(target->mutate(b, size, seed), a_size);
      ASSERT_EQ(a, b);
      ASSERT_EQ(header_target(std::span(a).first(a_size)), target->id());
    }
  }
}

// How many fields are others than they were.
std::vector<std::string> changed(const Target& target, std::span<const std::uint8_t> before,
                                 std::span<const std::uint8_t> after) {
  const auto old = words(target, before);
  const auto now = words(target, after);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const bool content = old[i].first == "key" || old[i].first == "nonce" || old[i].first == "aad" ||
                         old[i].first == "text" || old[i].first == "tag" || old[i].first == "salt" ||
                         old[i].first == "personal" || old[i].first == "chain" || old[i].first == "buffer";
    if (!content && old[i].second != now[i].second) names.push_back(old[i].first);
  }
  return names;
}

// Fresh cases, all of them others; and near ones, in which every field is changed in its turn.
TEST(Fields, MutationGoesFarAndNear) {
  for (const Target* target : oracles::targets()) {
    constexpr int mutations = 4000;
    const std::vector<std::uint8_t> origin = target->draw(11);
    std::map<std::string, unsigned> in_near_ones;
    std::set<std::vector<std::uint8_t>> fresh;
    int near = 0;
    for (int seed = 0; seed < mutations; ++seed) {
      std::vector<std::uint8_t> data = origin;
      data.resize(8192);
      data.resize(target->mutate(data, origin.size(), static_cast<std::uint64_t>(seed)));
      const std::vector<std::string> names = changed(*target, origin, data);
      if (names.size() > 8) fresh.insert(data);
      if (names.empty() || names.size() > 4) continue;
      ++near;
      for (const std::string& name : names) ++in_near_ones[name];
    }
    EXPECT_GT(fresh.size(), mutations / 2U) << target->name();
    EXPECT_GT(near, mutations / 10) << target->name();
    // All that a field can do is be another one; but for those that rebalancing or steering sets back.
    std::size_t never = 0;
    for (const auto& [name, value] : words(*target, origin)) never += in_near_ones.contains(name) ? 0U : 1U;
    EXPECT_LE(never, 16U) << target->name();
    EXPECT_TRUE(in_near_ones.contains(words(*target, origin).front().first)) << target->name();
  }
}

// A splice has of each something, and nothing else.
TEST(Fields, ASpliceIsOfBoth) {
  for (const Target* target : oracles::targets()) {
    const std::vector<std::uint8_t> a = target->draw(21);
    const std::vector<std::uint8_t> b = target->draw(22);
    const std::size_t apart = changed(*target, a, b).size();
    ASSERT_GT(apart, 10U);
    int mixed = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      std::vector<std::uint8_t> out(8192);
      out.resize(target->cross_over(a, b, out, seed));
      const std::size_t from_a = changed(*target, a, out).size();
      const std::size_t from_b = changed(*target, b, out).size();
      mixed += from_a > apart / 4 && from_b > apart / 4 ? 1 : 0;
    }
    EXPECT_GT(mixed, 80) << target->name();
  }
}

TEST(Fields, MutationStaysWithinItsRoom) {
  for (const Target* target : oracles::targets()) {
    for (std::size_t room = 1; room < 300; ++room) {
      std::vector<std::uint8_t> data(room);
      EXPECT_LE(target->mutate(data, room / 2, room), room);
      EXPECT_LE(target->cross_over(target->draw(1), target->draw(2), data, room), room);
    }
  }
}

TEST(Fields, TheDistributionIsWhatTheCampaignPromises) {
  for (const Target* target : oracles::targets()) {
    constexpr int cases = 2000;
    std::size_t text_bytes = 0;
    int compared = 0;
    int steered = 0;
    int hand_over = 0;
    differential::Run run;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
      target->run(target->draw(seed), run);
      ASSERT_TRUE(run.verdict.agrees()) << target->name() << " seed " << seed;
      text_bytes += run.facts.text_bytes;
      compared += run.verdict.comparisons > 0 ? 1 : 0;
      steered += run.facts.steered ? 1 : 0;
      hand_over += run.facts.hand_over ? 1 : 0;
    }
    EXPECT_GE(text_bytes, 200U * cases) << target->name();
    EXPECT_GE(compared, cases * 95 / 100) << target->name();
    // Where steering puts a case out of the reach of foreign libraries, it has to be the smaller part.
    EXPECT_GE(steered, cases * (target->has_lanes() ? 60 : 20) / 100) << target->name();
    EXPECT_GE(hand_over, cases * 20 / 100) << target->name();
  }
}

TEST(Fields, AnImplementationIsNamedByItsHash) {
  const ImplementationRef names[] = {reference("portable"), reference("table"), reference("x86_aesni")};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(resolve(names[i], names), i);
  for (unsigned hash = 0; hash < 0x10000; ++hash) {
    EXPECT_LT(resolve({static_cast<std::uint16_t>(hash)}, names), 3U);
  }
}

}  // namespace
}  // namespace lockstep::differential
