// Reads the lines of a text file of numbers that hold data, and splits them into fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay::detail {

struct DataLine {
  long number = 0;  // from 1, in the file
  std::string text;
};

// Reads the lines one after another, without comments, a byte-order mark, or blank lines at the end.
class DataLines {
 public:
  // Errors: a file that cannot be read or has more than `most_bytes`.
  static Result<DataLines> open(const std::string& path,
                                std::size_t most_bytes = LineFile::kInputBytes);

  // Returns false at the end. Errors: a failed read; a blank line before data, which the message names by its
  // number; more than 1e7 lines.
  Result<bool> next(DataLine& line);

 private:
  DataLines(std::string path, LineFile file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  LineFile file_;
  std::string text_;
  long number_ = 0;
  long blank_ = 0;
  std::size_t lines_ = 0;
};

// Reads all lines, but at most one more than `most`.
Result<std::vector<DataLine>> read_data_lines(const std::string& path, std::int64_t most);

// Splits at commas outside double quotes, in which "" stands for a quote. Returns nothing if the quotes
// do not match. Stops at one more than `most` fields.
std::optional<std::vector<std::string>> split_fields(std::string_view line,
                                                     std::int64_t most = kMostInputNumbers);

}  // namespace assay::detail
