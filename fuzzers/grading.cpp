#include "fuzzers/grading.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzzers/loop.h"
#include "fuzzers/without.h"

// The name is LLVM's. Absent where nothing counts lines.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __llvm_profile_write_file() __attribute__((weak));

namespace lockstep::fuzzers {
namespace {

// A mutant leaves the run when this much is known of it.
constexpr unsigned enough_detections = 4;
constexpr unsigned enough_deaths = 2;

struct Mutant {
  std::shared_ptr<const void> copy;
  std::vector<std::size_t> participants;
  Grade* grade = nullptr;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "lockstep: mutants: %s\n", why.c_str());
  std::_Exit(5);
}

std::uint64_t cpu_microseconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000;
}

bool same(const differential::Outcome& a, const differential::Outcome& b) {
  if (a.given() != b.given() || a.supported() != b.supported() || a.violation() != b.violation())
    return false;
  for (differential::AnswerId id = 0; id < differential::max_answers; ++id) {
    if (a.has(id) && !differential::same_bytes(a.get(id), b.get(id))) return false;
  }
  return true;
}

class Grading {
 public:
  Grading(const char* list, const char* grades) {
    std::ifstream file(list);
    if (!file) give_up(std::string("cannot read ") + list);
    std::vector<std::string> ids;
    for (std::string line; std::getline(file, line);) {
      const std::size_t first = line.find('\t');
      const std::size_t second = line.find('\t', first + 1);
      if (second == std::string::npos) give_up("not a line of three fields: " + line);
      ids.push_back(line.substr(0, first));
      mutants_.push_back(load(line.substr(first + 1, second - first - 1), line.substr(second + 1)));
    }
    map(grades, ids);
    if (const char* seconds = std::getenv("LOCKSTEP_GRADES_CPU_SECONDS")) {
      cpu_limit_ = static_cast<std::uint64_t>(std::strtod(seconds, nullptr) * 1e6);
    }
    not_counted_ = cpu_microseconds();
  }

  void grade(std::span<const std::uint8_t> input, differential::Run& run) {
    grades_->executions += 1;
    began_ = cpu_microseconds() - not_counted_;
    // A mutant that has left makes room: what is found soon costs the others nothing.
    std::erase_if(mutants_, [&](Mutant& mutant) {
      grades_->asking = 1 + static_cast<std::uint64_t>(mutant.grade - first_grade());
      const std::uint64_t deaths = mutant.grade->deaths;
      const std::uint64_t begin = cpu_microseconds();
      ask(mutant, input, run);
      grades_->asking = 0;
      // One that hangs takes seconds of the time that all share.
      if (mutant.grade->deaths != deaths) not_counted_ += cpu_microseconds() - begin;
      return mutant.grade->detected >= enough_detections || mutant.grade->deaths >= enough_deaths;
    });
    if (mutants_.empty()) end();
    if (grades_->executions % 64 != 0) return;
    grades_->cpu_microseconds = cpu_microseconds() - not_counted_;
    if (cpu_limit_ && grades_->cpu_microseconds >= *cpu_limit_) end();
  }

 private:
  static Mutant load(const std::string& path, std::string_view names) {
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) give_up(dlerror());
    void* const entry = dlsym(module, "lockstep_copy");
    if (entry == nullptr) give_up(path + " has no entry");
    Mutant mutant;
    std::string error;
    mutant.copy = target().take_copy(reinterpret_cast<differential::AppendParticipants>(entry), error);
    if (!mutant.copy) give_up(path + ": " + error);
    const auto everyone = target().participants();
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(','));
      const auto found = std::ranges::find(everyone, name, &differential::ParticipantInfo::name);
      if (found == everyone.end() || !found->shipped) {
        give_up(path + ": no participant of the library is called " + std::string(name));
      }
      mutant.participants.push_back(static_cast<std::size_t>(found - everyone.begin()));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
    }
    return mutant;
  }

  void map(const char* path, const std::vector<std::string>& ids) {
    const std::size_t bytes = sizeof(Grades) + ids.size() * sizeof(Grade);
    const int file = ::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      give_up(std::string("cannot write ") + path);
    }
    void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapping == MAP_FAILED) give_up(std::string("cannot map ") + path);
    grades_ = static_cast<Grades*>(mapping);
    grades_->magic = grades_magic;
    grades_->mutant_count = ids.size();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      mutants_[i].grade = first_grade() + i;
      if (ids[i].size() >= mutant_id_bytes) give_up("too long an id: " + ids[i]);
      std::memcpy(mutants_[i].grade->id, ids[i].data(), ids[i].size());
    }
  }

  [[nodiscard]] Grade* first_grade() const { return reinterpret_cast<Grade*>(grades_ + 1); }

  void ask(Mutant& mutant, std::span<const std::uint8_t> input, differential::Run& run) {
    static differential::Outcome outcome;
    bool answered = false;
    for (const std::size_t participant : mutant.participants) {
      if (!run.outcomes[participant].supported()) continue;
      answered = true;
      target().ask_copy(mutant.copy.get(), participant, outcome);
      if (same(outcome, run.outcomes[participant])) continue;
      ++mutant.grade->cases;
      ++mutant.grade->triggered;
      if (outcome.violation() == differential::ViolationKind::memory) ++mutant.grade->deaths;
      count_detection(mutant, input, run);
      return;
    }
    mutant.grade->cases += answered ? 1 : 0;
  }

  void count_detection(Mutant& mutant, std::span<const std::uint8_t> input, differential::Run& run) {
    Grade& its = *mutant.grade;
    const bool naively = naive() != Naive::no;
    if (naively ? is_seen_naively(mutant, run) : hold_against(mutant, run).disagrees) {
      if (++its.detected > 1) return;
      its.case_at_detection = its.cases;
      its.execution_at_detection = grades_->executions;
      its.cpu_microseconds_at_detection = began_;
      return;
    }
    if (naively) return;
    // Unseen, because whoever could tell was left out to save time? If not, the comparison is at fault.
    static differential::Run everyone;
    target().run(input, everyone);
    const Held held = hold_against(mutant, everyone);
    if (held.differs && !held.disagrees) ++its.missed;
  }

  // What whoever compares nothing but bytes would see: those, and that memory was touched which must not be.
  // Published vectors say beside that what must be accepted.
  static bool is_seen_naively(const Mutant& mutant, const differential::Run& run) {
    static const std::size_t oracle = target().naive_oracle();
    static differential::Outcome outcome;
    const bool published = naive() == Naive::cases;
    for (const std::size_t participant : mutant.participants) {
      // The answers of published vectors are those of the original, which passes them all.
      const differential::Outcome& right = run.outcomes[published ? participant : oracle];
      if (!run.outcomes[participant].supported() || !right.supported()) continue;
      target().ask_copy(mutant.copy.get(), participant, outcome);
      if (outcome.violation() == differential::ViolationKind::memory) return true;
      for (differential::AnswerId id = 0; id < differential::max_answers; ++id) {
        const bool looked_at =
            target().naive_answers().contains(id) || (published && target().core_answers().contains(id));
        // Where a call was refused its output is empty here, and untouched there.
        if (looked_at && !differential::same_bytes(outcome.get(id), right.get(id))) return true;
      }
    }
    return false;
  }

  struct Held {
    bool differs = false;    // from the originals
    bool disagrees = false;  // says the comparison
  };
  // What the campaign would say if this were the library: all its faulty participants in the places of the
  // sound ones.
  static Held hold_against(const Mutant& mutant, differential::Run& run) {
    static std::vector<differential::Outcome> outcomes(run.outcomes.size());
    static differential::Verdict verdict;
    Held held;
    std::vector<std::size_t> asked;
    for (const std::size_t participant : mutant.participants) {
      if (!run.outcomes[participant].supported()) continue;
      asked.push_back(participant);
      target().ask_copy(mutant.copy.get(), participant, outcomes[participant]);
      held.differs |= !same(outcomes[participant], run.outcomes[participant]);
      std::swap(outcomes[participant], run.outcomes[participant]);
    }
    target().judge(run.outcomes, verdict);
    for (const std::size_t participant : asked) std::swap(outcomes[participant], run.outcomes[participant]);
    held.disagrees = !verdict.agrees();
    return held;
  }

  // Not exit(): an engine takes that for a crash.
  [[noreturn]] void end() {
    grades_->cpu_microseconds = cpu_microseconds() - not_counted_;
    if (__llvm_profile_write_file != nullptr) __llvm_profile_write_file();
    std::_Exit(0);
  }

  std::vector<Mutant> mutants_;
  Grades* grades_ = nullptr;
  std::optional<std::uint64_t> cpu_limit_;
  // CPU time, in microseconds: when the mutants were begun to be asked this case, and what is left out, the
  // loading of them and those that died.
  std::uint64_t began_ = 0;
  std::uint64_t not_counted_ = 0;
};

}  // namespace

void grade(std::span<const std::uint8_t> input, differential::Run& run) {
  static const std::unique_ptr<Grading> grading = [] {
    const char* const mutants = std::getenv("LOCKSTEP_MUTANTS");
    const char* const grades = std::getenv("LOCKSTEP_GRADES");
    return mutants == nullptr || grades == nullptr ? nullptr : std::make_unique<Grading>(mutants, grades);
  }();
  if (grading) grading->grade(input, run);
}

}  // namespace lockstep::fuzzers
