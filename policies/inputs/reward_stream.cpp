#include "assay/policies/inputs/reward_stream.hpp"

#include <algorithm>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/internal/data_lines.hpp"

namespace assay {

namespace {

bool is_reward(double value) { return value >= 0.0 && value <= 1.0; }

Status add_reward(const std::string& path, long line, std::string_view text,
                  std::vector<double>& rewards) {
  if (static_cast<std::int64_t>(rewards.size()) == kMostInputNumbers) {
    return fail(
        ErrorCode::kLimit,
        "is more than the " + std::to_string(kMostInputNumbers) + " rewards that an input may have",
        path, line);
  }
  const auto value = parse_number(text);
  if (!value) {
    return fail(ErrorCode::kParse, "a reward " + value.error().message + "; 0 to 1 is allowed",
                path, line);
  }
  if (!is_reward(*value)) {
    return fail(ErrorCode::kInvalidArgument, "a reward must be 0 to 1, not " + std::string(text),
                path, line);
  }
  rewards.push_back(*value);
  return {};
}

Result<std::size_t> find_column(const std::string& path, long line,
                                const std::vector<std::string>& header, std::string_view column) {
  const auto first = std::find(header.begin(), header.end(), column);
  const std::string quoted = "'" + std::string(column) + "'";
  if (first == header.end()) {
    return fail(ErrorCode::kUnknownKey,
                "has no column " + quoted + nearest_hint(column, header) +
                    "; its columns are: " + joined(header),
                path, line);
  }
  const auto second = std::find(first + 1, header.end(), column);
  const auto index = static_cast<std::size_t>(first - header.begin());
  if (second != header.end()) {
    return fail(ErrorCode::kParse,
                "column " + quoted + " appears twice, as fields " + std::to_string(index + 1) +
                    " and " + std::to_string(second - header.begin() + 1) +
                    "; column names must differ",
                path, line);
  }
  return index;
}

Result<std::vector<double>> read_plain(const std::string& path, detail::DataLines& lines) {
  std::vector<double> rewards;
  for (detail::DataLine line;;) {
    const bool more = ASSAY_TRY(lines.next(line));
    if (!more) return rewards;
    if (line.text.find(',') != std::string::npos) {
      return fail(ErrorCode::kParse,
                  "has several fields; name a column with --column, or give one reward per line",
                  path, line.number);
    }
    ASSAY_TRY(add_reward(path, line.number, line.text, rewards));
  }
}

Result<std::vector<double>> read_column(const std::string& path, detail::DataLines& lines,
                                        std::string_view column) {
  std::vector<double> rewards;
  std::size_t columns = 0;
  std::size_t index = 0;
  for (detail::DataLine line;;) {
    const bool more = ASSAY_TRY(lines.next(line));
    if (!more) return rewards;
    const auto fields = detail::split_fields(line.text);
    if (!fields) {
      return fail(ErrorCode::kParse,
                  "a double quote is not closed, or text follows it before the next comma", path,
                  line.number);
    }
    if (columns == 0) {
      index = ASSAY_TRY(find_column(path, line.number, *fields, column));
      columns = fields->size();
      continue;
    }
    if (fields->size() != columns) {
      return fail(ErrorCode::kParse,
                  "has " + std::to_string(fields->size()) + " fields; the first line names " +
                      std::to_string(columns) + " columns",
                  path, line.number);
    }
    ASSAY_TRY(add_reward(path, line.number, (*fields)[index], rewards));
  }
}

}  // namespace

Status check_rewards(std::span<const double> rewards) {
  if (rewards.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a reward stream needs at least one reward");
  }
  for (std::size_t t = 0; t < rewards.size(); ++t) {
    if (!is_reward(rewards[t])) {
      return fail(ErrorCode::kInvalidArgument, "the reward of round " + std::to_string(t + 1) +
                                                   " must be 0 to 1, not " +
                                                   number_text(rewards[t]));
    }
  }
  return {};
}

Result<InputTable> read_rewards(const std::string& path, std::string_view column) {
  auto lines = ASSAY_TRY(detail::DataLines::open(path));
  auto rewards =
      ASSAY_TRY(column.empty() ? read_plain(path, lines) : read_column(path, lines, column));
  if (rewards.empty()) {
    return fail(ErrorCode::kParse, "holds no rewards; at least one line with a reward is needed",
                path);
  }
  return InputTable::column(std::move(rewards));
}

}  // namespace assay
