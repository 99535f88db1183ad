#include "cli/list.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/algorithms.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "oracles/targets.h"

namespace lockstep::cli {
namespace {

using differential::ParticipantInfo;
using differential::Target;
using nlohmann::ordered_json;

std::vector<std::string_view> answers_of(const Target& target, std::size_t participant) {
  const differential::AnswerSet declared = target.declared(participant);
  std::vector<std::string_view> names;
  for (std::size_t answer = 0; answer < target.answers().size(); ++answer) {
    if (declared.contains(static_cast<differential::AnswerId>(answer)))
      names.push_back(target.answers()[answer]);
  }
  return names;
}

std::string unavailable_because(const ListedImplementation& implementation) {
  return "this CPU or its operating system lacks " + joined(implementation.missing);
}

// An oracle in one target: foreign libraries take part in several.
struct OracleRole {
  const Target* target = nullptr;
  std::size_t participant = 0;
};
struct Oracle {
  std::string_view name;
  std::string_view version;
  std::vector<OracleRole> roles;
};

std::vector<Oracle> oracles() {
  std::vector<Oracle> list;
  for (const Target* target : lockstep::oracles::targets()) {
    const std::span<const ParticipantInfo> infos = target->participants();
    for (std::size_t i = 0; i < infos.size(); ++i) {
      if (infos[i].shipped) continue;
      auto found = std::ranges::find(list, infos[i].name, &Oracle::name);
      if (found == list.end()) found = list.insert(list.end(), {infos[i].name, infos[i].version, {}});
      found->roles.push_back({target, i});
    }
  }
  return list;
}

void print_json() {
  ordered_json implementations = ordered_json::array();
  for (const Algorithm& algorithm : algorithms()) {
    for (const ListedImplementation& each : algorithm.implementations()) {
      implementations.push_back({{"algorithm", algorithm.name},
                                 {"name", each.info.name},
                                 {"arch", each.info.arch},
                                 {"required", each.required},
                                 {"available", each.available()},
                                 {"unavailable_because", nullptr},
                                 {"priority", each.info.priority},
                                 {"stride_blocks", each.info.stride_blocks},
                                 {"tail_strides", each.info.tail_strides},
                                 {"constant_time", each.info.constant_time},
                                 {"aliases", each.info.linux_aliases},
                                 {"selected_by", each.selected_by}});
      if (!each.available()) implementations.back()["unavailable_because"] = unavailable_because(each);
    }
  }
  ordered_json oracle_list = ordered_json::array();
  for (const Oracle& oracle : oracles()) {
    ordered_json names = ordered_json::array(), answers = ordered_json::array(),
                 unsupported = ordered_json::array();
    ordered_json by_algorithm = ordered_json::object();
    for (const OracleRole& role : oracle.roles) {
      names.push_back(role.target->name());
      by_algorithm[std::string(role.target->name())] = answers_of(*role.target, role.participant);
      for (std::string_view answer : answers_of(*role.target, role.participant)) {
        if (std::ranges::find(answers, ordered_json(answer)) == answers.end()) answers.push_back(answer);
      }
      for (std::string_view reason : role.target->limits(role.participant)) {
        unsupported.push_back({{"algorithm", role.target->name()}, {"reason", reason}});
      }
    }
    oracle_list.push_back({{"name", oracle.name},
                           {"version", oracle.version},
                           {"algorithms", names},
                           {"answers", answers},
                           {"answers_by_algorithm", by_algorithm},
                           {"unsupported", unsupported}});
  }
  ordered_json target_list = ordered_json::array();
  for (const Target* target : lockstep::oracles::targets()) {
    ordered_json participants = ordered_json::array();
    for (const ParticipantInfo& info : target->participants()) participants.push_back(info.name);
    target_list.push_back({{"name", target->name()},
                           {"participants", participants},
                           {"answers", target->answers()},
                           {"operations", target->operations()}});
  }
  const ordered_json root = {
      {"implementations", implementations}, {"oracles", oracle_list}, {"targets", target_list}};
  fmt::print("{}\n", root.dump(2));
}

void print_implementations(const Style& style) {
  for (const Algorithm& algorithm : algorithms()) {
    fmt::print("{}\n", style.bold(algorithm.name));
    std::vector<std::vector<std::string>> rows = {
        {"implementation", "arch", "priority", "stride", "constant time", "selected by", "requires"}};
    std::string notes;
    for (const ListedImplementation& each : algorithm.implementations()) {
      rows.push_back({std::string(each.info.name), std::string(each.info.arch),
                      std::to_string(each.info.priority), std::to_string(each.info.stride_blocks),
                      each.info.constant_time ? "yes" : "no", joined(each.selected_by),
                      joined(each.required, " ")});
      if (!each.available()) {
        notes +=
            "  " +
            style.yellow(std::string(each.info.name) + ": not available here: " + unavailable_because(each)) +
            "\n";
      }
      if (!each.info.linux_aliases.empty()) {
        const std::vector<std::string_view> aliases(each.info.linux_aliases.begin(),
                                                    each.info.linux_aliases.end());
        const std::string opening = fmt::format("  {}: in Linux ", each.info.name);
        notes += opening + wrapped(joined(aliases), 4, opening.size()) + "\n";
      }
    }
    // What an implementation requires can be long: it goes on under its own column.
    std::size_t column = 2;
    for (std::size_t i = 0; i + 1 < rows.front().size(); ++i) {
      std::size_t width = 0;
      for (const auto& row : rows) width = std::max(width, row[i].size());
      column += width + 2;
    }
    for (auto& row : rows) row.back() = wrapped(row.back(), column, column);
    fmt::print("{}{}", table(rows, 2, style), notes);
    fmt::print("\n");
  }
}

void print_oracles(const Style& style) {
  fmt::print("{}\n", style.bold("oracles"));
  for (const Oracle& oracle : oracles()) {
    fmt::print("  {} {}\n", oracle.name, style.dim(oracle.version));
    for (const OracleRole& role : oracle.roles) {
      const std::string opening = fmt::format("    {}: answers ", role.target->name());
      fmt::print("{}{}\n", opening,
                 wrapped(joined(answers_of(*role.target, role.participant)), 6, opening.size()));
      for (std::string_view reason : role.target->limits(role.participant)) {
        fmt::print("      not asked: {}\n", wrapped(reason, 8, 17));
      }
    }
  }
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("list", "Every implementation and every oracle, and what each one can do");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Machine-readable, to stdout");
  command->footer(
      "Examples:\n"
      "  lockstep list\n"
      "  lockstep list --json | jq '.implementations[] | select(.available) | .name'");
  command->callback([json, &exit_code] {
    if (*json) {
      print_json();
    } else {
      const Style style(stdout);
      print_implementations(style);
      print_oracles(style);
    }
    exit_code = exit_clean;
  });
}

}  // namespace lockstep::cli
