#include "cli/campaign/crash_log.h"

#include <algorithm>
#include <cctype>

namespace lockstep::cli::campaign {
namespace {

constexpr std::string_view signature_mark = "LOCKSTEP-SIGNATURE ";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view word_at(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t(\n"));
}

std::string_view after(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + mark.size());
}

// Fit for a signature: it must survive as a line, and as a path.
std::string cleaned(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("._+-:~").find(c) != std::string_view::npos;
    word += plain ? c : '_';
  }
  return word;
}

// target/kind/a+b/answer, or target/kind/no_majority:a+b/answer.
Crash from_signature(std::string_view signature) {
  Crash crash;
  crash.signature = signature;
  const std::size_t kind_at = std::min(signature.find('/'), signature.size());
  std::string_view rest = signature.substr(std::min(kind_at + 1, signature.size()));
  crash.kind = rest.substr(0, rest.find('/'));
  rest.remove_prefix(std::min(crash.kind.size() + 1, rest.size()));
  std::string_view names = rest.substr(0, rest.find('/'));
  if (names.starts_with("no_majority:")) names.remove_prefix(12);
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('+'), names.size());
    crash.participants.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return crash;
}

struct Report {
  std::string kind;
  std::string type;
};

// The line that opens a report of a sanitizer or of libFuzzer.
std::optional<Report> opening(std::string_view line) {
  if (std::string_view rest = after(line, "ERROR: libFuzzer: "); !rest.empty()) {
    if (rest.starts_with("timeout")) return Report{"timeout", ""};
    if (rest.starts_with("out-of-memory")) return Report{"oom", ""};
    if (rest.starts_with("deadly signal")) return Report{"memory", "deadly-signal"};
    return Report{"memory", std::string(word_at(rest))};
  }
  for (const std::string_view sanitizer : {"AddressSanitizer: ", "MemorySanitizer: ", "LeakSanitizer: ",
                                           "ThreadSanitizer: ", "UndefinedBehaviorSanitizer: "}) {
    const std::size_t at = line.find(sanitizer);
    if (at == std::string_view::npos || line.find("ERROR: ") == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at + sanitizer.size());
    if (rest.starts_with("allocator is out of memory") || rest.starts_with("out of memory") ||
        rest.starts_with("out-of-memory") || rest.starts_with("requested allocation size") ||
        rest.starts_with("allocation-size-too-big") || rest.starts_with("hard rss limit")) {
      return Report{"oom", ""};
    }
    // "attempting double-free", "detected memory leaks"
    if (rest.starts_with("attempting ")) return Report{"memory", std::string(word_at(rest.substr(11)))};
    if (rest.starts_with("detected memory leaks")) return Report{"memory", "leak"};
    return Report{"memory", std::string(word_at(rest))};
  }
  if (!after(line, ": runtime error: ").empty()) return Report{"memory", "undefined-behavior"};
  return std::nullopt;
}

// x.cpp:8:41: runtime error: ... -> the place, which needs no symbols.
std::string place_of_runtime_error(std::string_view line) {
  const std::string_view place = line.substr(0, line.find(": runtime error: "));
  const std::size_t slash = place.rfind('/');
  return std::string(slash == std::string_view::npos ? place : place.substr(slash + 1));
}

bool is_name_of_nobody(std::string_view function) {
  static constexpr std::string_view starts[] = {"__asan",        "__ubsan",  "__msan",       "__sanitizer",
                                                "__interceptor", "fuzzer::", "__GI_",        "__pthread_kill",
                                                "raise",         "abort",    "__assert",     "__libc",
                                                "_start",        "main",     "__restore_rt", "gsignal"};
  return std::ranges::any_of(starts, [&](std::string_view start) { return function.starts_with(start); });
}

}  // namespace

std::string short_function(std::string_view function) {
  // Template arguments and parameters, at any depth; what operators are called is kept.
  std::string flat;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (function.substr(i).starts_with("(anonymous namespace)")) {
      i += 20;
      if (depth == 0) flat += "anonymous";
    } else if (depth == 0 && function.substr(i).starts_with("operator()")) {
      flat += "operator__";
      i += 9;
    } else if (function[i] == '<' || function[i] == '(') {
      ++depth;
    } else if (function[i] == '>' || function[i] == ')') {
      depth = std::max(0, depth - 1);
    } else if (depth == 0) {
      flat += function[i];
    }
  }
  while (flat.ends_with(' ')) flat.pop_back();
  if (flat.ends_with(" const")) flat.resize(flat.size() - 6);
  if (const std::size_t space = flat.rfind(' '); space != std::string::npos) flat.erase(0, space + 1);
  // A lambda has no name: the function that it stands in has.
  while (true) {
    const std::size_t colons = flat.rfind("::");
    const std::string last = colons == std::string::npos ? flat : flat.substr(colons + 2);
    const bool nameless = last.empty() || last.starts_with("operator__") || last.starts_with('$') ||
                          last.starts_with("'lambda") || last.starts_with("{lambda");
    if (!nameless || colons == std::string::npos) return cleaned(last);
    flat.resize(colons);
  }
}

std::optional<Frame> parse_frame(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  // libFuzzer's progress is numbered as well: an address tells a frame.
  const bool numbered =
      line.size() > 4 && line[0] == '#' && std::isdigit(static_cast<unsigned char>(line[1])) != 0;
  if (!numbered || !line.substr(std::min(line.find(' '), line.size())).starts_with(" 0x"))
    return std::nullopt;
  Frame frame;
  std::string_view rest = after(line, " in ");
  const std::string_view module = [&] {
    // (path/module+0x1234), the last one before (BuildId: ...)
    const std::size_t end = line.find("+0x");
    const std::size_t start = end == std::string_view::npos ? end : line.rfind('(', end);
    if (start == std::string_view::npos) return std::string_view();
    const std::string_view whole = line.substr(start + 1, line.find(')', end) - start - 1);
    return whole.substr(whole.rfind('/') + 1);
  }();
  if (rest.empty()) {
    frame.function = module;
    frame.rank = 4;
    return frame;
  }
  std::string_view path;
  if (!module.empty()) {
    rest = rest.substr(0, rest.rfind(" (", rest.find("+0x")));
  } else {
    std::size_t at = rest.rfind(" /");
    if (at == std::string_view::npos) at = rest.rfind(' ');
    if (at != std::string_view::npos && rest.find(':', at) != std::string_view::npos) {
      path = rest.substr(at + 1);
      rest = rest.substr(0, at);
    }
  }
  frame.function = short_function(rest);
  std::string_view file = path.substr(0, path.find(':'));
  file = file.substr(file.rfind('/') + 1);
  frame.file = cleaned(file.substr(0, file.find('.')));
  if (path.find("/impls/") != std::string_view::npos && path.find("/impls/core/") == std::string_view::npos) {
    frame.rank = 0;
  } else if (path.find("/oracles/") != std::string_view::npos &&
             path.find("/differential/") == std::string_view::npos) {
    frame.rank = 1;
  } else if (rest.find("lockstep::") != std::string_view::npos) {
    frame.rank = 2;
  } else {
    frame.rank = is_name_of_nobody(rest) ? 4 : 3;
  }
  return frame;
}

std::optional<Crash> read_crash(std::string_view target, std::string_view log) {
  std::optional<Report> report;
  std::string place;
  std::optional<Frame> best;
  std::vector<std::string> files;
  std::string raw_frames;
  int frames = 0;
  bool in_stack = true;  // of the report's first stack; those of the allocation and so on follow it
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    if (!report) {
      if (line.starts_with(signature_mark)) return from_signature(line.substr(signature_mark.size()));
      report = opening(line);
      if (report && report->type == "undefined-behavior") place = place_of_runtime_error(line);
      continue;
    }
    if (const std::string_view rest = after(line, "SUMMARY: UndefinedBehaviorSanitizer: "); !rest.empty()) {
      report->type = word_at(rest);
    }
    if (const std::optional<Frame> frame = parse_frame(line); frame && in_stack) {
      ++frames;
      if (frames <= 3) {
        const std::size_t module = line.find(" (");
        raw_frames += module == std::string_view::npos ? frame->function
                                                       : std::string(word_at(line.substr(module + 2)));
        raw_frames += '|';
      }
      if (!best || frame->rank < best->rank) best = frame;
      if (frame->rank <= 1 && std::ranges::find(files, frame->file) == files.end())
        files.push_back(frame->file);
    } else if (frames > 0) {
      in_stack = false;
    }
  }
  if (!report) return std::nullopt;
  Crash crash;
  crash.kind = report->kind;
  std::string who = "unknown";
  if (best && best->rank < 4) {
    // Where a hang was interrupted differs from run to run: the file alone.
    const bool file_alone = !best->file.empty() && report->kind != "memory";
    who = best->file.empty() ? best->function : file_alone ? best->file : best->file + ":" + best->function;
  } else if (!place.empty()) {
    who = cleaned(place);
  } else if (best && !best->function.empty()) {
    who = cleaned(best->function);
  }
  crash.signature = std::string(target) + "/" + crash.kind + "/";
  if (!report->type.empty()) crash.signature += cleaned(report->type) + "/";
  crash.signature += who;
  crash.participants = std::move(files);
  crash.raw = report->kind + "|" + report->type + "|" + place + "|" + raw_frames;
  return crash;
}

std::string report_part(std::string_view output) {
  std::string part;
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    const bool chatter = line.starts_with("INFO: ") || line.starts_with("Running: ") ||
                         line.find(": Running 1 inputs 1 time(s) each.") != std::string_view::npos;
    if (!chatter) part.append(line).append("\n");
    // What follows is the trap's own stack.
    if (line.starts_with(signature_mark)) break;
  }
  return part;
}

std::string without_escapes(std::string_view log) {
  std::string plain;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i] == '\x1b' && i + 1 < log.size()) {
      ++i;
      if (log[i] == '[') {
        do ++i;
        while (i < log.size() && (log[i] < '@' || log[i] > '~'));
      } else if (log[i] == '(' || log[i] == ')') {
        ++i;  // a character set: one more
      }
    } else if (log[i] == '\n' || log[i] == '\t' || static_cast<unsigned char>(log[i]) >= 0x20) {
      plain += log[i];
    }
  }
  return plain;
}

std::string tail_of(std::string_view log, std::size_t lines) {
  constexpr std::size_t longest = 160;
  const std::string plain = without_escapes(log);
  std::string_view rest = plain;
  std::vector<std::string> list;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    list.emplace_back(line.size() > longest ? std::string(line.substr(0, longest)) + "..."
                                            : std::string(line));
  }
  while (!list.empty() && list.back().empty()) list.pop_back();
  std::string text;
  for (std::size_t i = list.size() > lines ? list.size() - lines : 0; i < list.size(); ++i) {
    if (!text.empty()) text += '\n';
    text += list[i];
  }
  return text;
}

}  // namespace lockstep::cli::campaign
