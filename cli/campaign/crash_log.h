#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli::campaign {

// What a process that died has said about it.
struct Crash {
  std::string kind;       // "disagreement", "memory", "timeout" or "oom"
  std::string signature;  // target/kind/...: one line for one fault
  std::vector<std::string>
      participants;  // of a sanitizer's report: the files of ours in its stack, innermost first
  // Tells a sanitizer's report from others without symbols (symbols cost a second); empty if there is a
  // LOCKSTEP-SIGNATURE, which needs none.
  std::string raw;
};

// From the output of a fuzzing process of `target`; nothing if it holds no report. With several, the first
// counts.
std::optional<Crash> read_crash(std::string_view target, std::string_view log);

// The frame of a stack line "    #0 0x1234 in function file:line:column", as file:function, or as function
// alone. `own`: whose it is, the smaller the closer to what is under test.
struct Frame {
  std::string file;  // without folders and ending; empty without symbols
  std::string
      function;  // without namespace, template arguments and parameters; module+offset without symbols
  int rank = 0;  // 0: a kernel, 1: an oracle, 2: other code of ours, 3: a stranger's, 4: none to blame
};
std::optional<Frame> parse_frame(std::string_view line);

// "ns::(anonymous namespace)::seal<16>(unsigned char const*)" -> "seal".
std::string short_function(std::string_view function);

// Of the output of a process that ran one input: what it says about the input, without what engines say of
// themselves.
std::string report_part(std::string_view output);

// Without terminal escape sequences.
std::string without_escapes(std::string_view log);

// The end of a log for people to read, at most `lines` lines; long ones are cut.
std::string tail_of(std::string_view log, std::size_t lines);

}  // namespace lockstep::cli::campaign
