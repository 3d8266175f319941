#include "assay/policies/external/input_file.hpp"

#include <algorithm>

#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

Result<InputTable> read_input_table(const std::string& path, const InputShape& shape) {
  auto in = ASSAY_TRY(LineFile::open(path, LineFile::kInputBytes));
  InputTable table{shape.rows(), shape.columns(), {}};
  const auto wanted = static_cast<std::size_t>(table.rows * table.columns);
  long number = 0;
  for (std::string line;;) {
    const auto more = ASSAY_TRY(in.next(line));
    if (!more) break;
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    std::int64_t columns = 0;
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t comma = std::min(line.find(',', from), line.size());
      const auto first = line.find_first_not_of(" \t", from);
      const auto last = line.find_last_not_of(" \t", comma - 1);
      const auto value = first == std::string::npos || first >= comma
                             ? Result<double>(fail(ErrorCode::kParse, "has an empty value"))
                             : parse_number(std::string_view(line).substr(first, last + 1 - first));
      if (!value) return fail(ErrorCode::kParse, value.error().message, path, number);
      if (table.values.size() <= wanted) table.values.push_back(*value);  // one too many is enough
      ++columns;
      from = comma + 1;
    }
    const bool one_a_line = !shape.traits().has_rounds() && columns == 1;
    const bool fewer = shape.adds_or_removes() && columns == table.columns - 1;
    if (columns != table.columns && !one_a_line && !fewer) {
      return fail(ErrorCode::kParse,
                  "has " + std::to_string(columns) + " values, but a row has " +
                      std::to_string(table.columns),
                  path, number);
    }
    if (table.values.size() > wanted) {
      return fail(ErrorCode::kParse,
                  "is more than the " + std::to_string(table.rows) + " rows that the target takes",
                  path, number);
    }
  }
  if (shape.adds_or_removes() && table.values.size() + 1 == wanted) --table.columns;
  if (table.values.size() != static_cast<std::size_t>(table.rows * table.columns)) {
    return fail(ErrorCode::kInvalidArgument,
                "has " +
                    std::to_string(table.values.size() / static_cast<std::size_t>(table.columns)) +
                    " rows, but the target takes " + std::to_string(table.rows),
                path);
  }
  if (const auto status = check_input(shape, table); !status) {
    return fail(ErrorCode::kInvalidArgument, status.error().message, path);
  }
  return table;
}

}  // namespace assay
