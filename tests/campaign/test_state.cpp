// Counters read as a plan and what of it was reached; findings; a campaign's folder over its sessions.
#include <algorithm>
#include <cstring>
#include <memory>

#include "cli/campaign/cells.h"
#include "cli/campaign/coverage.h"
#include "cli/campaign/engine.h"
#include "cli/campaign/engine_afl.h"
#include "cli/campaign/engine_libfuzzer.h"
#include "cli/campaign/findings.h"
#include "cli/campaign/state.h"
#include "cli/campaign/statistics_file.h"
#include "cli/input_error.h"
#include "oracles/targets.h"
#include "support.h"

namespace lockstep::cli::campaign::test {
namespace {

using fuzzers::Statistics;

void name(char (&to)[fuzzers::name_bytes], const char* text) {
  std::strncpy(to, text, fuzzers::name_bytes - 1);
}

// two implementations, the mixture, plain and a foreign library; seal and open
std::unique_ptr<Statistics> some_statistics() {
  auto statistics = std::make_unique<Statistics>();
  const char* names[] = {"portable", "fast", "hand_over", "plain", "botan"};
  const char* origins[] = {"lockstep", "lockstep", "lockstep", "plain", "botan"};
  const unsigned strides[] = {1, 2, 0, 0, 0};
  statistics->participant_count = 5;
  for (std::size_t i = 0; i < 5; ++i) {
    name(statistics->participants[i], names[i]);
    name(statistics->origins[i], origins[i]);
    statistics->shipped[i] = i < 3 ? 1 : 0;
    statistics->stride_blocks[i] = strides[i];
  }
  statistics->operation_count = 2;
  name(statistics->operations[0], "seal");
  name(statistics->operations[1], "open");
  statistics->executions = 10;
  statistics->answered[4] = 7;
  return statistics;
}

TEST(Coverage, PlanWithoutTheMixture) {
  const auto statistics = some_statistics();
  const Coverage coverage = Coverage::of(*statistics, true);
  EXPECT_EQ(coverage.pairs.size(), 2U * 2U * 2U);
  // Per implementation and operation bulk and tail, of one and of two blocks.
  EXPECT_EQ(coverage.lanes.size(), 2U * 2U * 2U);
  EXPECT_EQ(coverage.places(), 8U + 4U * 1U + 4U * 2U);
  EXPECT_EQ(coverage.places_reached(), 0U);
  EXPECT_FALSE(coverage.complete());
  EXPECT_TRUE(Coverage::of(*statistics, false).lanes.empty());
}

TEST(Coverage, CountsWhatWasReached) {
  const auto statistics = some_statistics();
  statistics->pairs[1][4][0] = 3;
  statistics->bulk_lanes[1][1][1] = 2;
  statistics->tail_lanes[0][0][0] = 1;
  const Coverage coverage = Coverage::of(*statistics, true);
  EXPECT_EQ(coverage.places_reached(), 3U);
  const Pair pair = {"fast", "botan", "seal", 3};
  EXPECT_NE(std::find(coverage.pairs.begin(), coverage.pairs.end(), pair), coverage.pairs.end());
  const Lanes expected = {"fast", "open", true, {0, 2}};
  EXPECT_NE(std::find(coverage.lanes.begin(), coverage.lanes.end(), expected), coverage.lanes.end());
}

TEST(Statistics, CellsAreFilledAimedAtAndJoined) {
  const differential::Target& target = *oracles::find_target("ghash");
  const auto one = some_statistics();
  EXPECT_TRUE(fuzzers::aim_of(one.get(), target).filled.empty()) << "of another map";
  EXPECT_TRUE(fuzzers::aim_of(nullptr, target).filled.empty());
  one->cells_fingerprint = target.cells().fingerprint();
  one->magic = fuzzers::statistics_magic;
  std::vector<differential::CellPoint> points;
  target.points(target.draw(1), points);
  EXPECT_TRUE(fuzzers::fill_cells(*one, target, points));
  EXPECT_FALSE(fuzzers::fill_cells(*one, target, points));
  EXPECT_EQ(one->executions_at_new_cell, 10U);
  const differential::Aim soon = fuzzers::aim_of(one.get(), target);
  one->executions += 1'000'000;
  EXPECT_LT(fuzzers::aim_of(one.get(), target).percent, soon.percent) << "what resists is not worth as much";

  const auto other = std::make_unique<fuzzers::Statistics>(*one);
  std::ranges::fill(other->cells, std::uint8_t{0});
  other->cells[7] = 1;
  const Cells before = Cells::of("ghash", *one);
  fuzzers::add(*other, *one);
  EXPECT_EQ(other->cells[7], 1);
  EXPECT_GE(Cells::of("ghash", *other).reached(), before.reached());
  other->cells_fingerprint ^= 1U;
  EXPECT_EQ(Cells::of("ghash", *other).reached(), 0U) << "of another map";
}

TEST(Coverage, AddsByName) {
  const auto one = some_statistics();
  one->pairs[1][4][0] = 3;
  one->bulk_lanes[1][0][0] = 1;
  // Another build with the same names in another order.
  const auto two = some_statistics();
  name(two->participants[0], "fast");
  std::memset(two->participants[1], 0, fuzzers::name_bytes);
  name(two->participants[1], "portable");
  two->stride_blocks[0] = 2;
  two->stride_blocks[1] = 1;
  two->pairs[0][4][0] = 4;
  two->bulk_lanes[0][0][1] = 5;
  Coverage sum = Coverage::of(*one, true);
  sum.add(Coverage::of(*two, true));
  const auto pair = std::find_if(sum.pairs.begin(), sum.pairs.end(), [](const Pair& each) {
    return each.implementation == "fast" && each.oracle == "botan" && each.operation == "seal";
  });
  ASSERT_NE(pair, sum.pairs.end());
  EXPECT_EQ(pair->count, 7U);
  const Lanes expected = {"fast", "seal", true, {1, 5}};
  EXPECT_NE(std::find(sum.lanes.begin(), sum.lanes.end(), expected), sum.lanes.end());
  EXPECT_EQ(sum.pairs.size(), 8U);
}

TEST(Coverage, ForeignSharesLeaveOutPlain) {
  const auto shares = foreign_shares(*some_statistics());
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares[0].first, "botan");
  EXPECT_DOUBLE_EQ(shares[0].second, 0.7);
}

TEST(StatisticsFile, ZerosUntilSomebodyCounts) {
  const Folder folder;
  const StatisticsFile file(folder.path() / "statistics");
  EXPECT_EQ(file.now().executions, 0U);
  EXPECT_TRUE(file.understood());
  auto counted = some_statistics();
  counted->magic = fuzzers::statistics_magic;
  {
    // In place, as the mapping of a fuzzing process does.
    std::fstream stream(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    stream.write(reinterpret_cast<const char*>(counted.get()), sizeof *counted);
  }
  EXPECT_EQ(file.now().executions, 10U);
  EXPECT_TRUE(file.understood());
  counted->magic = 7;
  {
    std::fstream stream(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    stream.write(reinterpret_cast<const char*>(counted.get()), sizeof *counted);
  }
  EXPECT_FALSE(file.understood());
}

TEST(Findings, Folders) {
  EXPECT_EQ(folder_name("aes_gcm/memory/heap-buffer-overflow/x86_aesni:crypt"),
            "aes_gcm-memory-heap-buffer-overflow-x86_aesni_crypt");
  EXPECT_EQ(folder_name("a/../b"), "a-..-b");
  const std::string one = folder_name(std::string(300, 'a') + "1");
  const std::string two = folder_name(std::string(300, 'a') + "2");
  EXPECT_NE(one, two);
  EXPECT_LT(one.size(), 200U);
}

Finding finding_of(std::string signature) {
  Finding finding;
  finding.signature = std::move(signature);
  return finding;
}

TEST(Findings, FiledOncePerSignature) {
  const Folder folder;
  Findings findings(folder.path() / "findings", folder.path() / "known");
  const auto input = folder.write("crash", "bytes");
  findings.file(finding_of("t/disagreement/a/b"), input, "words");
  // Another signature that makes the same name gets a folder of its own.
  findings.file(finding_of("t/disagreement/a:b"), input, "words");
  findings.file(finding_of("t/disagreement/a_b"), input, "words");
  ASSERT_EQ(findings.all().size(), 3U);
  EXPECT_EQ(findings.find("t/disagreement/a/b"), &findings.all()[0]);
  EXPECT_EQ(findings.find("t/disagreement/c"), nullptr);
  EXPECT_EQ(read_file(findings.all()[0].file), "bytes");
  EXPECT_EQ(read_file(findings.all()[0].file.parent_path() / "report.txt"), "words");
  EXPECT_NE(findings.all()[1].file, findings.all()[2].file);
  findings.make_known("t/disagreement/a/b");
  findings.make_known("t/disagreement/c");
  EXPECT_EQ(read_file(folder.path() / "known"), "t/disagreement/a/b\nt/disagreement/c\n");
}

TEST(State, TotalsAndFindingsOfEarlierSessions) {
  const Folder folder;
  {
    State state(folder.path() / "campaign");
    EXPECT_EQ(state.session(), 1);
    Finding filed = finding_of("ghash/timeout/table");
    filed.target = "ghash";
    filed.engine = "afl";
    filed.kind = "timeout";
    filed.participants = {"table"};
    filed.count = 3;
    filed.first_seen = {.executions = 10, .comparisons = 20, .cpu_seconds = 0.5, .wall_seconds = 1.5};
    filed.session = 1;
    filed.current = true;
    state.findings().file(filed, folder.write("input", "x"), "");
    Summary summary;
    TaskSummary task;
    task.target = "ghash";
    task.engine = "afl";
    task.executions = 1000;
    task.comparisons = 4000;
    task.cpu_seconds = 2.5;
    summary.tasks = {task};
    state.save(summary);
    state.save(summary);  // again in the same session: replaced, not added
  }
  // A campaign may be moved.
  std::filesystem::rename(folder.path() / "campaign", folder.path() / "moved");
  State state(folder.path() / "moved");
  EXPECT_EQ(state.session(), 2);
  EXPECT_EQ(state.earlier()[0]["targets"][0]["comparisons"], 4000);
  ASSERT_EQ(state.findings().all().size(), 1U);
  const Finding& finding = state.findings().all()[0];
  EXPECT_EQ(finding.signature, "ghash/timeout/table");
  EXPECT_EQ(finding.count, 3U);
  EXPECT_EQ(finding.first_seen.comparisons, 20U);
  EXPECT_DOUBLE_EQ(finding.first_seen.cpu_seconds, 0.5);
  EXPECT_FALSE(finding.current) << "until this session has seen it";
  EXPECT_EQ(read_file(finding.file), "x");
}

TEST(State, RefusesWhatIsNoCampaign) {
  const Folder folder;
  const auto error_of = [](const std::filesystem::path& path) {
    try {
      const State state(path);
      return std::string();
    } catch (const InputError& error) {
      EXPECT_FALSE(error.advice.empty());
      return error.problem;
    }
  };
  EXPECT_EQ(error_of(folder.write("file", "")), "is not a folder");
  folder.write("other/notes.txt", "");
  EXPECT_EQ(error_of(folder.path() / "other"), "holds other things than a campaign");
  folder.write("old/campaign.json", R"({"format": 99})");
  EXPECT_EQ(error_of(folder.path() / "old"), "is of another version");
  folder.write("broken/campaign.json", "{");
  EXPECT_NE(error_of(folder.path() / "broken"), "");
  const State first(folder.path() / "used");
  EXPECT_EQ(error_of(folder.path() / "used"), "another campaign is running here");
}

TEST(Engines, LibFuzzerMovesArtifactsAndDropsSlowOnes) {
  const Folder folder;
  LibFuzzer engine("/b/fuzz_ghash", folder.path());
  engine.prepare({});
  EXPECT_EQ(engine.corpus_files(), 1U);
  folder.write("artifacts/crash-1", "a");
  folder.write("artifacts/slow-unit-2", "b");
  folder.write("artifacts/timeout-3", "c");
  folder.write("artifacts/oom-4", "d");
  folder.write("artifacts/leak-5", "e");
  EXPECT_TRUE(engine.collect(false).empty()) << "libFuzzer is still writing";
  const auto list = engine.collect(true);
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].seen_as, "crash");
  EXPECT_EQ(list[1].seen_as, "crash");
  EXPECT_EQ(list[2].seen_as, "oom");
  EXPECT_EQ(list[3].seen_as, "timeout");
  EXPECT_EQ(read_file(list[3].input), "c");
  EXPECT_EQ(count_files(folder.path() / "artifacts"), 0U);
  // What was not examined is found again by the next session.
  LibFuzzer next("/b/fuzz_ghash", folder.path());
  EXPECT_EQ(next.collect(false).size(), 4U);
}

TEST(Engines, AflCrashesHangsAndSeedsThatCrash) {
  const Folder folder;
  Afl engine("/b/fuzz_ghash", folder.path(), "/b/mutator.so", false);
  engine.prepare({});
  EXPECT_EQ(read_file(folder.path() / "seeds" / "zero"), std::string(1, '\0'));
  const Command command = engine.fuzz({.time = std::chrono::seconds(5), .seed = 7});
  EXPECT_EQ(command.arguments.front(), "afl-fuzz");
  EXPECT_EQ(command.death_signal, SIGTERM);
  folder.write("out/default/crashes/README.txt", "read me");
  folder.write("out/default/crashes/id:000000,sig:06,src:000000", "a");
  folder.write("out/default/crashes/id:000001,sig:06,src:000000", "");  // being written
  folder.write("out/default/hangs/id:000000,src:000000", "h");
  folder.write("log.txt",
               "[!] WARNING: Test case 'id:000000,time:0,execs:0,orig:zero' results in a crash, skipping\n");
  auto list = engine.collect(false);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].seen_as, "crash");
  EXPECT_EQ(list[1].seen_as, "timeout");
  list = engine.collect(true);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].seen_as, "seed");
  EXPECT_EQ(read_file(list[0].input), std::string(1, '\0'));
  // A seed that crashes is replaced by another one.
  engine.remove_from_corpus(list[0].input);
  EXPECT_EQ(read_file(folder.path() / "seeds" / "zero"), std::string(4, '\0'));
}

}  // namespace
}  // namespace lockstep::cli::campaign::test
