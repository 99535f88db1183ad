// Over every target: what the format promises.
#include <gtest/gtest.h>

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
