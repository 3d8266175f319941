#include "assay/policies/inputs/internal/data_lines.hpp"

#include <utility>

#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

namespace {

constexpr std::size_t kMostLines = 10'000'000;  // ten times the longest horizon

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

Result<DataLines> DataLines::open(const std::string& path, std::size_t most_bytes) {
  auto file = ASSAY_TRY(LineFile::open(path, most_bytes));
  return DataLines(path, std::move(file));
}

Result<bool> DataLines::next(DataLine& line) {
  for (;;) {
    const auto more = ASSAY_TRY(file_.next(text_));
    if (!more) return false;
    ++number_;
    if (number_ == 1 && text_.rfind("\xEF\xBB\xBF", 0) == 0) text_.erase(0, 3);
    const auto content = trimmed(text_);
    if (content.empty()) {
      if (blank_ == 0) blank_ = number_;
    } else if (content.front() != '#') {
      if (blank_ != 0) {
        return fail(ErrorCode::kParse, "is blank; blank lines may only come last", path_, blank_);
      }
      if (lines_ == kMostLines) {
        return fail(ErrorCode::kLimit,
                    "has more than " + std::to_string(kMostLines) + " lines of data", path_,
                    number_);
      }
      ++lines_;
      line.number = number_;
      line.text.assign(content);
      return true;
    }
  }
}

Result<std::vector<DataLine>> read_data_lines(const std::string& path, std::int64_t most) {
  auto file = ASSAY_TRY(DataLines::open(path));
  std::vector<DataLine> lines;
  for (DataLine line; static_cast<std::int64_t>(lines.size()) <= most;) {
    const bool more = ASSAY_TRY(file.next(line));
    if (!more) break;
    lines.push_back(line);
  }
  return lines;
}

std::optional<std::vector<std::string>> split_fields(std::string_view line, std::int64_t most) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  for (;;) {
    std::string field;
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at == line.size()) return std::nullopt;
        if (line[at] == '"') {
          if (at + 1 == line.size() || line[at + 1] != '"') break;
          ++at;
        }
        field += line[at];
      }
      ++at;  // the closing quote
      const auto rest = line.substr(at, line.find(',', at) - at);
      if (!trimmed(rest).empty()) return std::nullopt;
      at += rest.size();
    } else {
      const auto rest = line.substr(at, line.find(',', at) - at);
      field = trimmed(rest);
      at += rest.size();
    }
    fields.push_back(std::move(field));
    if (at >= line.size() || static_cast<std::int64_t>(fields.size()) > most) return fields;
    ++at;  // the comma
  }
}

}  // namespace assay::detail
