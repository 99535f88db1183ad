#include "cli/campaign/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include "cli/exit_code.h"

namespace lockstep::cli::campaign {
namespace fs = std::filesystem;

std::string folder_name(std::string_view signature) {
  constexpr std::size_t longest = 180;
  std::string name;
  for (const char c : signature) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '_';
    name += plain ? c : c == '/' || c == '-' ? '-' : '_';
  }
  if (name.size() > longest) {
    // Alike at the start is not the same.
    const std::size_t hash = std::hash<std::string_view>()(signature);
    name = name.substr(0, longest) + fmt::format("-{:08x}", static_cast<std::uint32_t>(hash));
  }
  return name;
}

int exit_code_of(const Finding& finding) noexcept {
  const std::string& kind = finding.kind == "flaky" ? finding.underlying : finding.kind;
  if (kind == "disagreement") return exit_disagreement;
  if (kind == "timeout" || kind == "oom") return exit_time_out;
  return exit_memory_fault;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Findings::Findings(fs::path folder, fs::path known_list)
    : folder_(std::move(folder)), known_list_(std::move(known_list)) {
  fs::create_directories(folder_);
}

Finding* Findings::find(std::string_view signature) {
  const auto found = std::ranges::find(list_, signature, &Finding::signature);
  return found == list_.end() ? nullptr : &*found;
}

fs::path Findings::folder_for(std::string_view signature) const {
  const std::string name = folder_name(signature);
  fs::path folder = folder_ / name;
  const auto taken = [&](const fs::path& path) {
    return std::ranges::any_of(list_, [&](const Finding& each) { return each.file.parent_path() == path; });
  };
  for (int i = 2; taken(folder); ++i) folder = folder_ / fmt::format("{}-{}", name, i);
  return folder;
}

Finding& Findings::file(Finding finding, const fs::path& input, std::string_view report) {
  const fs::path folder = folder_for(finding.signature);
  fs::create_directories(folder);
  std::error_code error;
  if (!input.empty() && fs::copy_file(input, folder / "input", fs::copy_options::overwrite_existing, error)) {
    finding.file = folder / "input";
  }
  std::ofstream(folder / "report.txt", std::ios::binary) << report;
  list_.push_back(std::move(finding));
  return list_.back();
}

void Findings::make_known(std::string_view signature) const {
  std::ofstream(known_list_, std::ios::app) << signature << "\n";
}

void Findings::forget_known() const {
  std::ofstream(known_list_, std::ios::trunc).close();
}

nlohmann::json Findings::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& each : list_) {
    list.push_back({{"signature", each.signature},
                    {"target", each.target},
                    {"engine", each.engine},
                    {"kind", each.kind},
                    {"participants", each.participants},
                    {"file", each.file.empty() ? "" : each.file.lexically_relative(folder_).string()},
                    {"program", each.program.string()},
                    {"count", each.count},
                    {"first_seen_executions", each.first_seen.executions},
                    {"first_seen_comparisons", each.first_seen.comparisons},
                    {"first_seen_cpu_seconds", each.first_seen.cpu_seconds},
                    {"first_seen_wall_seconds", each.first_seen.wall_seconds},
                    {"session", each.session},
                    {"current", each.current}});
    if (!each.underlying.empty()) list.back()["underlying"] = each.underlying;
  }
  return list;
}

void Findings::from_json(const nlohmann::json& json) {
  for (const nlohmann::json& each : json) {
    Finding finding;
    finding.signature = each.at("signature");
    finding.target = each.at("target");
    finding.engine = each.at("engine");
    finding.kind = each.at("kind");
    finding.underlying = each.value("underlying", "");
    finding.participants = each.at("participants").get<std::vector<std::string>>();
    const std::string file = each.at("file");
    if (!file.empty()) finding.file = folder_ / file;
    finding.program = each.at("program").get<std::string>();
    finding.count = each.at("count");
    finding.first_seen = {each.at("first_seen_executions"), each.at("first_seen_comparisons"),
                          each.at("first_seen_cpu_seconds"), each.at("first_seen_wall_seconds")};
    finding.session = each.at("session");
    list_.push_back(std::move(finding));
  }
}

}  // namespace lockstep::cli::campaign
