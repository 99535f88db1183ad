#include "cli/repro.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/case_names.h"
#include "cli/exit_code.h"
#include "cli/input_error.h"
#include "cli/terminal.h"
#include "cli/time_limit.h"
#include "cli/vectors/readers.h"
#include "oracles/differential/fields_text.h"
#include "oracles/differential/report.h"
#include "oracles/targets.h"

namespace lockstep::cli {
namespace {

using differential::AnswerGroups;
using differential::AnswerId;
using differential::Field;
using differential::Outcome;
using differential::Run;
using differential::Target;
using nlohmann::ordered_json;

std::string known_targets(Targets targets) {
  std::vector<std::string_view> names;
  for (const Target* target : targets) names.push_back(target->name());
  return joined(names);
}

// By the header of the input, or for raw input by the option.
const Target& choose_target(const ReproOptions& options, Targets targets,
                            std::span<const std::uint8_t> input) {
  const Target* wanted = nullptr;
  if (!options.target.empty()) {
    wanted = find_target(targets, options.target);
    if (wanted == nullptr) {
      throw InputError("--target " + options.target, 0, "", "is no target of this program",
                       "Targets: " + known_targets(targets) + ".");
    }
  }
  const std::optional<std::uint8_t> id = differential::header_target(input);
  if (id) {
    const auto found = std::ranges::find(targets, *id, &Target::id);
    if (found == targets.end()) {
      throw InputError(options.file, 0, "",
                       fmt::format("its header names target {}, which this program does not have", *id),
                       "A newer lockstep may have written it. Targets here: " + known_targets(targets) + ".");
    }
    const Target* said = *found;
    if (wanted != nullptr && wanted != said) {
      throw InputError(options.file, 0, "",
                       fmt::format("its header says {}, --target says {}", said->name(), wanted->name()),
                       "Leave --target out: it is for files without our header.");
    }
    return *said;
  }
  if (wanted != nullptr) return *wanted;
  if (input.size() >= differential::header_bytes && input[0] == 'L' && input[1] == 'S') {
    throw InputError(options.file, 0, "",
                     fmt::format("its header says format version {}; this program reads up to version {}",
                                 input[3], differential::format_version),
                     "Use the lockstep that wrote it. If these are raw bytes: --target NAME, one of " +
                         known_targets(targets) + ".");
  }
  throw InputError(options.file, 0, "",
                   "has no header of ours (LS, target, version), so its target is not known",
                   "Say --target NAME, one of " + known_targets(targets) +
                       ". For a file of vectors: `lockstep check " + options.file + "`.");
}

// Participants whose answers are equal wherever both gave one.
struct Group {
  std::vector<std::size_t> participants;
};

std::vector<Group> group(const Run& run) {
  std::vector<Group> groups;
  const auto same = [&](std::size_t a, std::size_t b) {
    return std::ranges::all_of(run.verdict.disagreements, [&](const AnswerGroups& answer) {
      return answer.group_of[a] == AnswerGroups::abstained || answer.group_of[b] == AnswerGroups::abstained ||
             answer.group_of[a] == answer.group_of[b];
    });
  };
  for (std::size_t i = 0; i < run.outcomes.size(); ++i) {
    if (!run.outcomes[i].supported()) continue;
    const auto found = std::ranges::find_if(groups, [&](const Group& each) {
      return std::ranges::all_of(each.participants, [&](std::size_t member) { return same(i, member); });
    });
    if (found != groups.end()) {
      found->participants.push_back(i);
    } else {
      groups.push_back({{i}});
    }
  }
  return groups;
}

ordered_json number_or_null(std::optional<std::size_t> number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

bool voted_out(const Run& run, std::size_t participant) {
  return (run.verdict.outvoted >> participant & 1U) != 0;
}

bool is_text(const Target& target, AnswerId answer) {
  return answer == differential::violation_answer || target.answers()[answer].ends_with("_status");
}

ordered_json answers_of(const Target& target, const Run& run, const Group& group) {
  ordered_json answers = ordered_json::object();
  for (std::size_t a = 0; a < target.answers().size(); ++a) {
    const auto answer = static_cast<AnswerId>(a);
    for (std::size_t i : group.participants) {
      const Outcome& outcome = run.outcomes[i];
      if (!outcome.has(answer)) continue;
      answers[std::string(target.answers()[a])] = is_text(target, answer)
                                                      ? std::string(outcome.text(answer))
                                                      : differential::to_hex(outcome.get(answer));
      break;
    }
  }
  return answers;
}

void print_json(const ReproOptions& options, const Target& target, std::span<const std::uint8_t> input,
                const Run& run) {
  ordered_json fields = ordered_json::object();
  for (const Field& field : target.fields(input)) {
    std::uint64_t number = 0;
    std::from_chars(field.value.data(), field.value.data() + field.value.size(), number);
    if (field.number) {
      fields[std::string(field.name)] = number;
    } else {
      fields[std::string(field.name)] = field.value;
    }
  }
  ordered_json groups = ordered_json::array(), outvoted = ordered_json::array(),
               unsupported = ordered_json::array();
  const auto infos = target.participants();
  for (const Group& each : group(run)) {
    ordered_json names = ordered_json::array();
    for (std::size_t i : each.participants) names.push_back(infos[i].name);
    groups.push_back({{"participants", names}, {"answers", answers_of(target, run, each)}});
  }
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (voted_out(run, i)) outvoted.push_back(infos[i].name);
    if (!run.outcomes[i].supported()) {
      unsupported.push_back({{"participant", infos[i].name}, {"reason", run.outcomes[i].unsupported()}});
    }
  }
  ordered_json root = {{"file", options.file},
                       {"target", target.name()},
                       {"case", fields},
                       {"groups", groups},
                       {"agrees", run.verdict.agrees()},
                       {"comparisons", run.verdict.comparisons},
                       {"outvoted", outvoted},
                       {"no_majority", run.verdict.no_majority},
                       {"unsupported", unsupported},
                       {"first_difference", nullptr},
                       {"signature", nullptr}};
  if (!run.verdict.agrees()) {
    const differential::Place place = target.locate(input, run);
    root["first_difference"] = {{"answer", target.answers()[run.verdict.first_difference.answer]},
                                {"byte", run.verdict.first_difference.byte},
                                {"block", number_or_null(place.block)},
                                {"lane", number_or_null(place.lane)},
                                {"place", place.words}};
    root["signature"] = differential::signature(target, run);
  }
  fmt::print("{}\n", root.dump(2));
}

// A content: its size, and as much of it as a line holds.
std::string shortened(const std::string& hex) {
  constexpr std::size_t shown = 64;
  if (hex.size() <= shown) return hex;
  return hex.substr(0, shown - 16) + "..." + hex.substr(hex.size() - 16);
}

// Fields that another field has switched off would only be noise.
bool has_effect(const std::map<std::string_view, std::string_view>& values, std::string_view name) {
  const auto value_of = [&](const std::string& other) -> std::string_view {
    const auto found = values.find(other);
    return found == values.end() ? "" : found->second;
  };
  if (name.starts_with("schedule_")) return value_of("hand_over") != "0";
  constexpr std::string_view cut = "_cut_";
  if (const std::size_t at = name.find(cut); at != std::string_view::npos && !name.ends_with("_count")) {
    const std::string_view ordinal = name.substr(at + cut.size());
    const std::string_view count = value_of(std::string(name.substr(0, at)) + "_cut_count");
    return ordinal.size() < count.size() || (ordinal.size() == count.size() && ordinal <= count);
  }
  return true;
}

void print_case(const Style& style, const Target& target, std::span<const std::uint8_t> input) {
  const CaseNames names(target);
  const std::vector<Field> fields = target.fields(input);
  std::map<std::string_view, std::string_view> values;
  for (const Field& field : fields) values.emplace(field.name, field.value);

  fmt::print("\n{}\n", style.bold("what is asked"));
  std::string how;
  std::size_t hidden = 0;
  const auto bytes_of = [&](std::string_view content) { return values[content].size() / 2; };
  for (const Field& field : fields) {
    if (std::ranges::find(names.contents, field.name) != names.contents.end()) {
      // An empty content whose size is not 0 is not part of this case; its size stands above.
      const auto size = values.find(fmt::format("{}_bytes", field.name));
      if (field.value.empty() && size != values.end() && size->second != "0") continue;
      fmt::print("  {:<12} {} bytes  {}\n", field.name, field.value.size() / 2, shortened(field.value));
    } else if (names.is_question(field.name)) {
      const std::string_view content = field.name.substr(0, field.name.find("_bytes"));
      const bool stands_beside_content =
          content != field.name && field.value == std::to_string(bytes_of(content));
      if (!stands_beside_content) fmt::print("  {:<12} {}\n", field.name, field.value);
    } else if (!has_effect(values, field.name)) {
      ++hidden;
    } else {
      // A placement is of several words; they stay on one line.
      std::string value = field.value;
      std::ranges::replace(value, ' ', '\x01');
      how += (how.empty() ? "" : ", ") + std::string(field.name) + "\x01=\x01" + value;
    }
  }
  std::string lines = wrapped(how, 2, 2);
  std::ranges::replace(lines, '\x01', ' ');
  fmt::print("\n{}\n  {}\n", style.bold("how it is called"), lines);
  if (hidden != 0)
    fmt::print("  {}\n",
               style.dim(fmt::format("({} more fields have no effect here; --json has all)", hidden)));
}

std::string names_of(const Target& target, const std::vector<std::size_t>& list) {
  std::vector<std::string_view> names;
  names.reserve(list.size());
  for (std::size_t i : list) names.push_back(target.participants()[i].name);
  return joined(names);
}

void print_answers(const Style& style, const Target& target, const Run& run) {
  fmt::print("\n{}\n", style.bold("answers"));
  for (std::size_t a = 0; a < target.answers().size(); ++a) {
    const auto answer = static_cast<AnswerId>(a);
    const auto differing = std::ranges::find(run.verdict.disagreements, answer, &AnswerGroups::answer);
    std::vector<std::size_t> givers;
    for (std::size_t i = 0; i < run.outcomes.size(); ++i) {
      if (run.outcomes[i].supported() && run.outcomes[i].has(answer)) givers.push_back(i);
    }
    if (differing == run.verdict.disagreements.end()) {
      if (givers.empty()) continue;
      fmt::print("  {}: {} agree\n    {}\n    {}\n", target.answers()[a], givers.size(),
                 differential::answer_in_words(target, run.outcomes[givers.front()], answer, 0),
                 style.dim(wrapped(names_of(target, givers), 4, 4)));
      continue;
    }
    const bool first = answer == run.verdict.first_difference.answer;
    fmt::print("  {}\n", style.red(fmt::format("{}: {} groups{}", target.answers()[a], differing->count,
                                               first ? fmt::format(", first difference at byte {}",
                                                                   run.verdict.first_difference.byte)
                                                     : std::string())));
    for (std::int8_t g = 0; g < differing->count; ++g) {
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < run.outcomes.size(); ++i) {
        if (differing->group_of[i] == g) members.push_back(i);
      }
      const bool wrong = std::ranges::all_of(members, [&](std::size_t i) { return voted_out(run, i); });
      const std::string who = wrapped(names_of(target, members) + (wrong ? " (outvoted)" : ""), 6, 6);
      fmt::print("    {}\n      {}\n",
                 differential::answer_in_words(target, run.outcomes[members.front()], answer,
                                               first ? run.verdict.first_difference.byte : 0),
                 wrong ? style.red(who) : who);
    }
  }
}

void print_verdict(const Style& style, const Target& target, std::span<const std::uint8_t> input,
                   const Run& run) {
  const auto infos = target.participants();
  bool heading = false;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (run.outcomes[i].supported()) continue;
    if (!heading) fmt::print("\n{}\n", style.bold("not asked"));
    heading = true;
    fmt::print("  {}: {}\n", infos[i].name,
               wrapped(run.outcomes[i].unsupported(), 4, infos[i].name.size() + 4));
  }
  fmt::print("\n{}\n", style.bold("verdict"));
  if (run.verdict.agrees()) {
    fmt::print("  {}\n",
               run.verdict.comparisons == 0
                   ? style.yellow("nothing was compared: fewer than two answered")
                   : style.green(fmt::format("all agree: {} comparisons", run.verdict.comparisons)));
    return;
  }
  std::vector<std::size_t> outvoted;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (voted_out(run, i)) outvoted.push_back(i);
  }
  if (!outvoted.empty()) {
    fmt::print("  outvoted: {}\n", style.red(wrapped(names_of(target, outvoted), 4, 12)));
  }
  if (run.verdict.no_majority) fmt::print("  no majority of independent origins in some answer\n");
  const std::string place = target.locate(input, run).words;
  fmt::print("  first difference: {}, byte {}{}{}\n", target.answers()[run.verdict.first_difference.answer],
             run.verdict.first_difference.byte, place.empty() ? "" : ": ", wrapped(place, 4, 40));
  fmt::print("  signature: {}\n", style.bold(differential::signature(target, run)));
}

int exit_code_of(const Run& run) {
  if (run.verdict.violation == differential::ViolationKind::memory) return exit_memory_fault;
  if (!run.verdict.agrees()) return exit_disagreement;
  return run.verdict.comparisons == 0 ? exit_nothing_compared : exit_clean;
}

}  // namespace

int repro(const ReproOptions& options, Targets targets) {
  const std::string contents = read_whole_file(options.file);
  const std::span input(reinterpret_cast<const std::uint8_t*>(contents.data()), contents.size());
  const Target& target = choose_target(options, targets, input);
  Run run;
  {
    const TimeLimit limit(
        options.time_limit,
        fmt::format("lockstep: time-out: {}: no answer within {} s; someone hangs, or --time-limit is "
                    "too short\n",
                    options.file, options.time_limit));
    target.run(input, run);
  }
  if (options.json) {
    print_json(options, target, input, run);
    const std::string signature = differential::signature(target, run);
    fmt::print(stderr, "lockstep: {}: {}\n", options.file, signature.empty() ? "all agree" : signature);
  } else {
    const Style style(stdout);
    const bool header = differential::header_target(input).has_value();
    fmt::print("{}: {}, {} bytes, {}\n", options.file, style.bold(target.name()), contents.size(),
               header ? fmt::format("format version {}", input[3]) : "no header");
    print_case(style, target, input);
    print_answers(style, target, run);
    print_verdict(style, target, input, run);
  }
  return exit_code_of(run);
}

void add_repro(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("repro", "One case: what it asks, what everyone answers, who is wrong where");
  const auto options = std::make_shared<ReproOptions>();
  command->add_option("FILE", options->file, "A case: a finding, a seed, or the raw input of a fuzz target")
      ->required()
      ->type_name("");
  command->add_option("--target", options->target, "Target of a file that does not have our header")
      ->type_name("T");
  command->add_flag("--json", options->json, "Machine-readable, to stdout");
  add_time_limit_option(*command, options->time_limit);
  command->footer(
      "Examples:\n"
      "  lockstep repro findings/1f3a.case\n"
      "  lockstep repro crash-da39a3ee --target ghash\n"
      "  lockstep repro findings/1f3a.case --json | jq .first_difference\n"
      "Exit codes: 0 all agree, 1 they disagree, 2 memory fault, 3 time-out, 4 nothing was compared, 5 "
      "unreadable.");
  command->callback([options, &exit_code] { exit_code = repro(*options, lockstep::oracles::targets()); });
}

}  // namespace lockstep::cli
