#include "assay/policies/inputs/loss_sequence.hpp"

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/internal/data_lines.hpp"

namespace assay {
namespace {

// The words for messages about a file: its values, their owners, and its lines.
struct TableWords {
  std::string value, values, owner, line;
  bool whole = false;

  bool allows(double x) const { return whole ? x == 0.0 || x == 1.0 : x >= 0.0 && x <= 1.0; }
  const char* range() const { return whole ? "0 or 1" : "0 to 1"; }
};
const TableWords kLosses{"loss", "losses", "expert", "round"};
const TableWords kRewards{"reward", "rewards", "arm", "pull"};
const TableWords kOutcomes{"outcome", "outcomes", "pair", "round", true};

Status append_losses(const TableWords& words, const std::string& path, const detail::DataLine& line,
                     std::span<const std::string> fields, std::vector<double>& values) {
  for (std::size_t j = 0; j < fields.size(); ++j) {
    const std::string expert =
        "the " + words.value + " of " + words.owner + " " + std::to_string(j) + " ";
    const auto value = parse_number(fields[j]);
    if (!value) {
      return fail(ErrorCode::kParse,
                  expert + value.error().message + "; " + words.range() + " is allowed", path,
                  line.number);
    }
    if (!words.allows(*value)) {
      return fail(ErrorCode::kInvalidArgument,
                  expert + "must be " + words.range() + ", not " + fields[j], path, line.number);
    }
    values.push_back(*value);
  }
  return {};
}

Result<InputTable> read_table(const TableWords& words, const std::string& path) {
  auto lines = ASSAY_TRY(detail::DataLines::open(path));
  InputTable losses{0, 0, {}};
  for (detail::DataLine line;;) {
    const bool more = ASSAY_TRY(lines.next(line));
    if (!more) break;
    const auto fields = detail::split_fields(line.text);
    const auto count = fields ? static_cast<std::int64_t>(fields->size()) : 0;
    if (losses.columns == 0) losses.columns = count;
    if (count < 2 || count != losses.columns) {
      return fail(ErrorCode::kParse,
                  "has " + std::to_string(count) + " " + words.values + "; " +
                      (losses.columns < 2 ? "at least two " + words.owner + "s are needed, their " +
                                                words.values + " separated by commas"
                                          : "the first line has " + std::to_string(losses.columns)),
                  path, line.number);
    }
    if (++losses.rows * count > kMostInputNumbers) {
      return fail(ErrorCode::kLimit,
                  "is more than the " + std::to_string(kMostInputNumbers) + " " + words.values +
                      " that an input may have",
                  path, line.number);
    }
    ASSAY_TRY(append_losses(words, path, line, *fields, losses.values));
  }
  if (losses.rows == 0) {
    return fail(
        ErrorCode::kParse,
        "holds no " + words.values + "; at least one line with a " + words.line + " is needed",
        path);
  }
  return losses;
}

}  // namespace

Result<InputTable> read_losses(const std::string& path) { return read_table(kLosses, path); }

Result<InputTable> read_reward_table(const std::string& path) { return read_table(kRewards, path); }

Result<InputTable> read_outcomes(const std::string& path) { return read_table(kOutcomes, path); }

}  // namespace assay
