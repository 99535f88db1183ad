// Over every target: numbers and names of cells, and that constraints are true.
#include <gtest/gtest.h>

#include <set>

#include "oracles/differential/cells.h"
#include "oracles/differential/random.h"
#include "oracles/targets.h"

namespace lockstep::differential {
namespace {

// Drawn cases, and some whose fields hold anything.
std::vector<std::uint8_t> some_input(const Target& target, Random& random, int number) {
  if (number % 3 != 0) return target.draw(random.next());
  std::vector<std::uint8_t> bytes(300);
  random.fill(bytes);
  return bytes;
}

TEST(Cells, IndicesPartsAndWordsAreTheSameThing) {
  for (const Target* target : oracles::targets()) {
    const CellMap& map = target->cells();
    EXPECT_LE(map.size(), max_cells) << target->name();
    std::set<std::string> seen;
    for (std::size_t index = 0; index < map.size(); ++index) {
      ASSERT_EQ(map.index_of(map.at(index)), index) << target->name();
      const std::string words = map.words(index);
      ASSERT_TRUE(seen.insert(words).second) << words;
      ASSERT_EQ(map.find(words), index) << words;
    }
    EXPECT_FALSE(map.find("implementation = nobody, tail = 0 blocks"));
    EXPECT_FALSE(map.find("implementation"));
    EXPECT_FALSE(map.find(""));
  }
}

TEST(Cells, APointMarksEveryPairAndTripleOnce) {
  for (const Target* target : oracles::targets()) {
    const CellMap& map = target->cells();
    const std::size_t attributes = map.attributes().size();
    CellPoint point = {};
    Random random(1);
    for (int i = 0; i < 100; ++i) {
      for (std::size_t a = 0; a < attributes; ++a) {
        point[a] = static_cast<std::uint8_t>(random.below(map.attributes()[a].values.size()));
      }
      std::vector<std::uint8_t> bytes(map.size());
      EXPECT_TRUE(map.unset(point, bytes));
      map.mark(point, bytes);
      EXPECT_FALSE(map.unset(point, bytes));
      std::size_t pairs = 0;
      for (std::size_t index = 0; index < map.size(); ++index) {
        const CellMap::Cell cell = map.at(index);
        const bool in_it = CellMap::nearness(cell, {&point, 1}) == cell.count;
        ASSERT_EQ(bytes[index] == 1, in_it) << map.words(index);
        pairs += in_it && cell.count == 2 ? 1U : 0U;
      }
      EXPECT_EQ(pairs, attributes * (attributes - 1) / 2);
    }
  }
}

TEST(Cells, NearIsWhoeverIsNearest) {
  const CellMap::Cell cell = {.parts = {{{0, 1}, {2, 3}, {}}}, .count = 2};
  CellPoint far = {};
  CellPoint near = {};
  near[0] = 1;
  CellPoint inside = near;
  inside[2] = 3;
  const CellPoint points[] = {far, inside, near};
  EXPECT_EQ(CellMap::nearness(cell, std::span(points).first(1)), 0U);
  EXPECT_EQ(CellMap::nearness(cell, points), 2U);
  EXPECT_EQ(CellMap::nearness(cell, std::span(points).last(1)), 1U);
}

TEST(Cells, WhatIsOutOfReachIsNeitherCountedNorLookedFor) {
  for (const Target* target : oracles::targets()) {
    const CellMap& map = target->cells();
    std::vector<std::uint8_t> filled(map.size(), 1);
    EXPECT_EQ(map.reached_count(filled), map.reachable_count());
    EXPECT_LT(map.reachable_count(), map.size());
    EXPECT_FALSE(map.empty_cell(filled, 5));
    std::ranges::fill(filled, std::uint8_t{0});
    EXPECT_EQ(map.reached_count(filled), 0U);
    std::set<std::size_t> found;
    Random random(6);
    for (int i = 0; i < 200; ++i) {
      const std::optional<std::size_t> cell = map.empty_cell(filled, random.next());
      ASSERT_TRUE(cell);
      EXPECT_EQ(map.reachable()[*cell], 1);
      found.insert(*cell);
    }
    EXPECT_GT(found.size(), 100U) << "not always the same";
  }
}

TEST(Cells, TheQuickSetKnowsTheSameCells) {
  for (const Target* target : oracles::targets()) {
    const CellMap& map = target->cells();
    std::vector<std::uint8_t> bytes(map.size());
    CellSet set(map);
    std::vector<CellPoint> points;
    Random random(5);
    for (int i = 0; i < 5000; ++i) {
      points.clear();
      target->points(some_input(*target, random, i), points);
      for (const CellPoint& point : points) {
        const std::optional<std::size_t> cell = set.insert(point);
        ASSERT_EQ(map.unset(point, bytes).has_value(), cell.has_value()) << target->name();
        if (cell) {
          ASSERT_EQ(bytes[*cell], 0) << map.words(*cell);
        }
        map.mark(point, bytes);
        if (cell) {
          ASSERT_EQ(bytes[*cell], 1) << map.words(*cell);
        }
      }
    }
  }
}

// What keeps constraints honest: nothing that happens is called impossible.
TEST(Cells, WhatHappensIsReachable) {
  for (const Target* target : oracles::targets()) {
    const CellMap& map = target->cells();
    std::vector<std::uint8_t> filled(map.size());
    std::vector<CellPoint> points;
    Random random(2);
    for (int i = 0; i < 20'000; ++i) {
      points.clear();
      target->points(some_input(*target, random, i), points);
      for (const CellPoint& point : points) map.mark(point, filled);
    }
    std::size_t missing = 0;
    for (std::size_t index = 0; index < map.size(); ++index) {
      EXPECT_LE(filled[index], map.reachable()[index])
          << target->name() << ": " << map.words(index) << ", although " << map.reason(index);
      missing += map.reachable()[index] > filled[index] ? 1U : 0U;
    }
    EXPECT_EQ(map.reached_count(filled) + missing, map.reachable_count());
    // What is missing after so few is rare, not out of reach: constraints leave little else.
    EXPECT_GE(map.reached_count(filled), map.reachable_count() * 9 / 10) << target->name();
  }
}

TEST(Cells, WhatIsNotReachableHasAReason) {
  for (const Target* target : oracles::targets()) {
    const CellMap& map = target->cells();
    for (std::size_t index = 0; index < map.size(); ++index) {
      EXPECT_EQ(map.reason(index).empty(), map.reachable()[index] != 0) << map.words(index);
    }
  }
}

TEST(Cells, PointsAreThoseOfTheRun) {
  for (const Target* target : oracles::targets()) {
    Random random(3);
    differential::Run run;
    std::vector<CellPoint> points;
    for (int i = 0; i < 300; ++i) {
      const std::vector<std::uint8_t> input = some_input(*target, random, i);
      target->run(input, run);
      points.clear();
      target->points(input, points);
      EXPECT_EQ(points, run.points) << target->name();
    }
  }
}

TEST(Cells, AimingIsPureAndFillsWhatIsMissing) {
  for (const Target* target : oracles::targets()) {
    const CellMap& map = target->cells();
    std::vector<std::uint8_t> filled(map.reachable().begin(), map.reachable().end());
    std::vector<CellPoint> points;
    Random random(4);
    int hits = 0;
    constexpr int cells = 100;
    for (int i = 0; i < cells; ++i) {
      // All but one.
      std::size_t missing = 0;
      do missing = random.below(map.size());
      while (map.reachable()[missing] == 0);
      filled[missing] = 0;
      bool hit = false;
      for (int trial = 0; trial < 150 && !hit; ++trial) {
        std::vector<std::uint8_t> a(8192);
        std::vector<std::uint8_t> b(8192);
        const std::uint64_t seed = random.next();
        const std::size_t size = target->mutate(a, 1, seed, {.filled = filled, .percent = 100});
        ASSERT_EQ(target->mutate(b, 1, seed, {.filled = filled, .percent = 100}), size);
        ASSERT_EQ(a, b);
        points.clear();
        target->points(std::span(a).first(size), points);
        for (const CellPoint& point : points) map.mark(point, filled);
        hit = filled[missing] != 0;
        std::ranges::copy(map.reachable(), filled.begin());
        if (!hit) filled[missing] = 0;
      }
      hits += hit ? 1 : 0;
      filled[missing] = 1;
    }
    // A rare lane in a rare tail may take thousands of tries.
    EXPECT_GE(hits, cells * 2 / 3) << target->name();
  }
}

TEST(CellsDeathTest, TooManyAreRefused) {
  CellDeclaration declared;
  for (unsigned i = 0; i < 4; ++i) {
    declared.attributes.push_back({"attribute " + std::to_string(i), {}});
    for (unsigned value = 0; value < 64; ++value) {
      declared.attributes.back().values.push_back(std::to_string(value));
    }
  }
  declared.strides.assign(64, 1);
  declared.triples = {{1, 2, 3}};
  EXPECT_DEATH(CellMap{declared}, "286720 cells, there is room for 32768");
  declared.attributes.back().values.emplace_back("one more");
  EXPECT_DEATH(CellMap{declared}, "65 values");
}

}  // namespace
}  // namespace lockstep::differential
