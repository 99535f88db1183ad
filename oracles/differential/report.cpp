#include "oracles/differential/report.h"

#include <algorithm>

#include "oracles/differential/fields_text.h"

namespace lockstep::differential {
namespace {

bool voted_out(const Run& run, std::size_t participant) noexcept {
  return (run.verdict.outvoted >> participant & 1U) != 0;
}

// Participants on the wrong side of some answer; without a majority, everyone who took part in the first one.
std::vector<std::size_t> wrong(const Target& target, const Run& run) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < target.participants().size(); ++i) {
    bool differs = voted_out(run, i);
    if (run.verdict.outvoted == 0 && !run.verdict.agrees()) {
      differs = run.verdict.disagreements.front().group_of[i] != AnswerGroups::abstained;
    }
    if (differs) list.push_back(i);
  }
  return list;
}

bool is_mixture(const ParticipantInfo& info) noexcept {
  return info.shipped && info.stride_blocks == 0;
}

}  // namespace

std::string_view kind_of(const Verdict& verdict) noexcept {
  return verdict.violation == ViolationKind::memory ? "memory" : "disagreement";
}

std::vector<std::string> culprits(const Target& target, const Run& run) {
  const std::span<const ParticipantInfo> infos = target.participants();
  const std::vector<std::size_t> list = wrong(target, run);
  const auto alone_wrong = static_cast<std::size_t>(
      std::ranges::count_if(list, [&](std::size_t i) { return infos[i].shipped && !is_mixture(infos[i]); }));
  std::size_t alone_answered = 0;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].shipped && !is_mixture(infos[i]) && run.outcomes[i].supported()) ++alone_answered;
  }
  std::vector<std::string> names;
  const bool all_shipped = alone_wrong > 1 && alone_wrong == alone_answered;
  if (all_shipped) names.emplace_back("lockstep");
  for (std::size_t i : list) {
    if (infos[i].shipped && all_shipped) continue;
    if (is_mixture(infos[i]) && alone_wrong > 0) continue;
    names.emplace_back(infos[i].name);
  }
  return names;
}

std::string signature(const Target& target, const Run& run) {
  if (run.verdict.agrees()) return {};
  std::string line = std::string(target.name()) + "/" + std::string(kind_of(run.verdict)) + "/";
  if (run.verdict.outvoted == 0) line += "no_majority:";
  bool first = true;
  for (const std::string& name : culprits(target, run)) {
    if (!first) line += "+";
    line += name;
    first = false;
  }
  return line + "/" + std::string(target.answers()[run.verdict.first_difference.answer]);
}

std::size_t primary_culprit(const Target& target, const Run& run) {
  const std::vector<std::size_t> list = wrong(target, run);
  for (std::size_t i : list) {
    if (!is_mixture(target.participants()[i])) return i;
  }
  return list.empty() ? 0 : list.front();
}

std::string answer_in_words(const Target& target, const Outcome& outcome, AnswerId answer, std::size_t at) {
  const std::string_view name = target.answers()[answer];
  const std::span<const std::uint8_t> value = outcome.get(answer);
  if (answer == violation_answer) return value.empty() ? "none" : std::string(outcome.text(answer));
  if (name.ends_with("_status")) return std::string(outcome.text(answer));
  if (name == "accepted") return !value.empty() && value[0] != 0 ? "yes" : "no";
  if (value.empty()) return "(empty)";
  constexpr std::size_t shown = 32;
  if (value.size() <= shown) return to_hex(value);
  const std::size_t from = std::min(at / 16 * 16, value.size() - 1);
  const std::span<const std::uint8_t> part = value.subspan(from, std::min(shown, value.size() - from));
  return "[" + std::to_string(from) + "] " + to_hex(part) + (from + part.size() < value.size() ? "..." : "");
}

std::string report(const Target& target, std::span<const std::uint8_t> input, const Run& run) {
  const std::span<const ParticipantInfo> infos = target.participants();
  std::string text =
      "case " + std::string(target.name()) + ", format version " + std::to_string(format_version) + "\n";
  for (const Field& field : target.fields(input)) {
    std::string value = field.value;
    if (value.size() > 96)
      value = value.substr(0, 96) + "... (" + std::to_string(field.value.size() / 2) + " bytes)";
    text += "  " + std::string(field.name) + " = " + value + "\n";
  }
  for (const AnswerGroups& groups : run.verdict.disagreements) {
    const bool first_answer = groups.answer == run.verdict.first_difference.answer;
    text += "answer " + std::string(target.answers()[groups.answer]) + "\n";
    for (std::int8_t g = 0; g < groups.count; ++g) {
      std::string names;
      std::string value;
      for (std::size_t i = 0; i < infos.size(); ++i) {
        if (groups.group_of[i] != g) continue;
        if (names.empty()) {
          value = answer_in_words(target, run.outcomes[i], groups.answer,
                                  first_answer ? run.verdict.first_difference.byte : 0);
        } else {
          names += ", ";
        }
        names += infos[i].name;
        if (voted_out(run, i)) names += " (outvoted)";
      }
      text += "  " + value + "\n    " + names + "\n";
    }
  }
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (run.outcomes[i].supported()) continue;
    text +=
        "not asked: " + std::string(infos[i].name) + ": " + std::string(run.outcomes[i].unsupported()) + "\n";
  }
  if (run.verdict.agrees()) return text + "all agree\n";
  text += "first difference: " + std::string(target.answers()[run.verdict.first_difference.answer]) +
          ", byte " + std::to_string(run.verdict.first_difference.byte);
  if (const Place place = target.locate(input, run); !place.words.empty()) text += ", " + place.words;
  text += run.verdict.no_majority ? "\nno majority of origins\n" : "\n";
  return text;
}

}  // namespace lockstep::differential
