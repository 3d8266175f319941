#include "assay/policies/environments/reward_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Fields of one line; double quotes around a field are taken off.
std::vector<std::string> split_fields(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back(trimmed(field));
      field.clear();
    } else {
      field += c;
    }
  }
  fields.emplace_back(trimmed(field));
  return fields;
}

struct Line {
  long number = 0;
  std::string text;
};

// The lines that carry something, with their numbers in the file.
Result<std::vector<Line>> read_lines(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    return fail(ErrorCode::kIo, std::string("cannot be read: ") + std::strerror(errno), path);
  std::vector<Line> lines;
  std::string text;
  for (long number = 1; std::getline(in, text); ++number) {
    const auto body = trimmed(text);
    if (!body.empty() && body.front() == '#') continue;
    lines.push_back({number, std::string(body)});
  }
  if (in.bad()) return fail(ErrorCode::kIo, "cannot be read to its end", path);
  while (!lines.empty() && lines.back().text.empty()) lines.pop_back();
  if (lines.empty()) return fail(ErrorCode::kParse, "holds no rewards", path);
  return lines;
}

Result<double> read_reward(const std::string& text) {
  const auto value = parse_number(text);
  if (!value) {
    return fail(value.error().code,
                "a reward must be a finite number in [0, 1], not '" + text + "'");
  }
  if (!(*value >= 0.0 && *value <= 1.0)) {
    return fail(ErrorCode::kInvalidArgument, "a reward must lie in [0, 1], not " + text);
  }
  return value;
}

Result<std::size_t> find_column(const std::vector<std::string>& header, const std::string& column,
                                const std::string& path, long line) {
  const auto count = std::count(header.begin(), header.end(), column);
  if (count == 0) {
    return fail(ErrorCode::kUnknownKey,
                "has no column '" + column + "'" + nearest_hint(column, header), path, line);
  }
  if (count > 1) {
    return fail(ErrorCode::kParse, "has more than one column '" + column + "'", path, line);
  }
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin());
}

}  // namespace

Status check_rewards(std::span<const double> rewards) {
  if (rewards.empty()) return fail(ErrorCode::kInvalidArgument, "holds no rewards");
  for (std::size_t t = 0; t < rewards.size(); ++t) {
    if (!(rewards[t] >= 0.0 && rewards[t] <= 1.0)) {
      return fail(ErrorCode::kInvalidArgument,
                  "the reward of round " + std::to_string(t + 1) + " must lie in [0, 1], not " +
                      (std::isfinite(rewards[t]) ? number_text(rewards[t]) : "NaN or infinity"));
    }
  }
  return {};
}

Result<RewardStream> read_rewards(const std::string& path, const std::string& column) {
  const auto lines = read_lines(path);
  if (!lines) return tl::make_unexpected(lines.error());
  std::size_t first = 0;
  std::size_t index = 0;
  std::size_t width = 1;
  if (!column.empty()) {
    const auto header = split_fields(lines->front().text);
    const auto found = find_column(header, column, path, lines->front().number);
    if (!found) return tl::make_unexpected(found.error());
    index = *found;
    width = header.size();
    first = 1;
    if (lines->size() == 1)
      return fail(ErrorCode::kParse, "holds no rewards below its header", path);
  }
  RewardStream rewards;
  for (std::size_t i = first; i < lines->size(); ++i) {
    const auto& [number, text] = (*lines)[i];
    const auto fields = split_fields(text);
    if (fields.size() != width) {
      return fail(ErrorCode::kParse,
                  column.empty() ? "has " + std::to_string(fields.size()) +
                                       " fields where one reward is expected; name a column with "
                                       "--column"
                                 : "has " + std::to_string(fields.size()) + " fields, the header " +
                                       std::to_string(width),
                  path, number);
    }
    const auto value = read_reward(fields[index]);
    if (!value) return fail(value.error().code, value.error().message, path, number);
    rewards.push_back(*value);
  }
  return rewards;
}

}  // namespace assay
