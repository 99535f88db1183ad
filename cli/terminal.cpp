#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace lockstep::cli {

bool is_terminal(std::FILE* stream) noexcept {
  return isatty(fileno(stream)) != 0;
}

Style::Style(std::FILE* stream) {
  const char* const refused = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  colours_ = is_terminal(stream) && (refused == nullptr || *refused == '\0') && terminal != nullptr &&
             std::string_view(terminal) != "dumb";
}

std::string Style::paint(std::string_view code, std::string_view text) const {
  if (!colours_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string joined(const std::vector<std::string_view>& words, std::string_view separator,
                   std::string_view none) {
  if (words.empty()) return std::string(none);
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  std::string result;
  bool first_word = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text = text.substr(std::min(end + 1, text.size()));
    if (!first_word && column + 1 + word.size() > text_width) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (!first_word) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    first_word = false;
  }
  return result;
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent, const Style& style) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      line += rows[r][i];
      if (i + 1 < rows[r].size()) line += std::string(widths[i] - rows[r][i].size() + 2, ' ');
    }
    text += (r == 0 ? style.dim(line) : line) + "\n";
  }
  return text;
}

}  // namespace lockstep::cli
