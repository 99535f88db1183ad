#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

inline constexpr std::size_t text_width = 110;

// Colours on a terminal, unless NO_COLOR is set; plain text everywhere else.
class Style {
 public:
  Style() noexcept = default;  // plain
  explicit Style(std::FILE* stream);
  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return paint("31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return paint("32", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return paint("33", text); }

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
  bool colours_ = false;
};

bool is_terminal(std::FILE* stream) noexcept;

// "a, b, c"; `none` if there are no words.
std::string joined(const std::vector<std::string_view>& words, std::string_view separator = ", ",
                   std::string_view none = "-");

// Breaks `text` at spaces into lines of at most text_width; all but the first are indented by `indent`. The
// text already stands behind `column` characters. No line end at the end.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column);

// Columns as wide as their widest cell, two spaces apart; the first row is the heading. Cells must be
// uncoloured.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent, const Style& style);

}  // namespace lockstep::cli
