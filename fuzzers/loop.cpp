#include "fuzzers/loop.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzzers/feedback.h"
#include "fuzzers/grading.h"
#include "fuzzers/statistics.h"
#include "fuzzers/without.h"
#include "oracles/differential/report.h"

namespace lockstep::fuzzers {
namespace {

differential::Run& scratch_run() {
  static differential::Run run;
  return run;
}

Statistics* statistics() {
  static Statistics* const mapped = map_statistics(std::getenv("LOCKSTEP_STATISTICS"), target());
  return mapped;
}

void fill_cells(std::span<const differential::CellPoint> points) {
  static const bool feedback = has_engine() && !without("cells") && naive() == Naive::no;
  // A replay under MSan has no use for the map, which is made with uninstrumented parts of the standard
  // library.
  if (!feedback && statistics() == nullptr) return;
  const differential::CellMap& map = target().cells();
  static differential::CellSet filled(map);  // by this process
  const std::span<std::uint8_t> engine = feedback ? engine_cells(map.size()) : std::span<std::uint8_t>();
  std::optional<std::size_t> fresh;
  for (const differential::CellPoint& point : points) {
    if (const std::optional<std::size_t> cell = filled.insert(point)) fresh = cell;
    if (!engine.empty()) map.mark(point, engine);
  }
  if (!fresh) return;
  if (feedback) tell_new_cell(*fresh);
  if (statistics() != nullptr) fill_cells(*statistics(), target(), points);
}

// What is asked: the input itself, unless something is left out of it.
std::span<const std::uint8_t> asked(std::span<const std::uint8_t> input) {
  static const bool unsteered = without("steering");
  static std::vector<std::uint8_t> changed;
  if (naive() == Naive::bytes) {
    target().naive(input, changed);
    return changed;
  }
  if (!unsteered) return input;
  target().unsteered(input, changed);
  return changed;
}

// Read anew at every mismatch: a fork server's child must see what was filed since the server started.
bool already_known(const std::string& signature) {
  const char* path = std::getenv("LOCKSTEP_KNOWN");
  if (path == nullptr) return false;
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return false;
  bool found = false;
  char line[512];
  while (!found && std::fgets(line, sizeof line, file) != nullptr) {
    line[std::strcspn(line, "\n")] = '\0';
    found = signature == line;
  }
  std::fclose(file);
  return found;
}

}  // namespace

const differential::Run& last_run() {
  return scratch_run();
}

differential::Aim aim() {
  static const bool aims = !without("cells");
  return aims ? aim_of(statistics(), target()) : differential::Aim{};
}

void execute(std::span<const std::uint8_t> raw) {
  const std::span<const std::uint8_t> input = asked(raw);
  differential::Run& run = scratch_run();
  target().run(input, run,
               naive() == Naive::no ? differential::Effort::sampled : differential::Effort::naive);
  if (statistics() != nullptr) count(*statistics(), target(), run);
  fill_cells(run.points);
  if (run.verdict.agrees()) return grade(input, run);

  // Whoever was left out to save time is asked now: his vote may say who is wrong. A difference that does not
  // show a second time is reported as it was. A broken promise needs no vote, and may have taken long.
  static differential::Run everyone;
  if (run.verdict.violation == differential::ViolationKind::none) {
    target().run(input, everyone);
    if (!everyone.verdict.agrees()) std::swap(run, everyone);
  }

  const std::string signature = differential::signature(target(), run);
  if (already_known(signature)) {
    if (statistics() != nullptr) ++statistics()->known_findings;
    return;
  }
  std::fputs(differential::report(target(), input, run).c_str(), stderr);
  std::fprintf(stderr, "LOCKSTEP-SIGNATURE %s\n", signature.c_str());
  std::fflush(stderr);
  target().trap(differential::primary_culprit(target(), run));
}

}  // namespace lockstep::fuzzers
