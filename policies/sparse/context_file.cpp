#include "assay/policies/sparse/context_file.hpp"

#include <cmath>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/inputs/internal/data_lines.hpp"
#include "assay/policies/sparse/contexts.hpp"

namespace assay {
namespace {

Status append_round(const std::string& path, const detail::DataLine& line, std::int64_t arms,
                    std::int64_t dimension, std::vector<double>& values) {
  const std::int64_t needed = arms + arms * dimension;
  const auto fields = detail::split_fields(line.text, needed);
  if (!fields) return fail(ErrorCode::kParse, "has a quote that is not closed", path, line.number);
  const auto found = static_cast<std::int64_t>(fields->size());
  if (found != needed) {
    return fail(ErrorCode::kParse,
                (found > needed ? "has more than " + std::to_string(needed)
                                : "has " + std::to_string(found)) +
                    " numbers; " + std::to_string(needed) + " are needed: " + std::to_string(arms) +
                    " rewards, then " + std::to_string(arms) + " contexts of " +
                    std::to_string(dimension) + " entries",
                path, line.number);
  }
  for (std::size_t k = 0; k < fields->size(); ++k) {
    const auto value = parse_number((*fields)[k]);
    if (!value || std::fabs(*value) > kLargestContextNumber) {
      return fail(ErrorCode::kParse,
                  "column " + std::to_string(k + 1) + " " +
                      (value ? "is " + (*fields)[k] : value.error().message) +
                      "; a number from -1e100 to 1e100 is needed",
                  path, line.number);
    }
    values.push_back(*value);
  }
  return {};
}

}  // namespace

Result<InputTable> read_context_rows(const std::string& path, std::int64_t arms,
                                     std::int64_t dimension) {
  ASSAY_TRY(check_whole("arms", arms, 2, kMostContextArms));
  ASSAY_TRY(check_whole("dimension", dimension, 1, kMostContextDimension));
  auto lines = ASSAY_TRY(detail::DataLines::open(path, LineFile::kFileBytes));
  InputTable table{0, arms + arms * dimension, {}};
  for (detail::DataLine line;;) {
    const bool more = ASSAY_TRY(lines.next(line));
    if (!more) break;
    ASSAY_TRY(append_round(path, line, arms, dimension, table.values));
    if (static_cast<std::int64_t>(table.values.size()) > kMostInputNumbers) {
      return fail(ErrorCode::kLimit,
                  "holds more than " + std::to_string(kMostInputNumbers) +
                      " numbers, the most that an input may have",
                  path);
    }
    ++table.rows;
  }
  if (table.rows == 0) {
    return fail(ErrorCode::kParse, "holds no rounds; at least one line is needed, one per round",
                path);
  }
  return table;
}

}  // namespace assay
