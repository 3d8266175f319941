#include "assay/policies/sparse/context_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/inputs/internal/data_lines.hpp"

namespace assay {

struct ContextFileReader::Lines {
  std::string path;
  std::int64_t arms;
  std::int64_t dimension;
  detail::DataLines file;
  detail::DataLine line;
};

ContextFileReader::ContextFileReader(std::unique_ptr<Lines> lines) : lines_(std::move(lines)) {}
ContextFileReader::ContextFileReader(ContextFileReader&&) noexcept = default;
ContextFileReader& ContextFileReader::operator=(ContextFileReader&&) noexcept = default;
ContextFileReader::~ContextFileReader() = default;

Result<ContextFileReader> ContextFileReader::open(const std::string& path, std::int64_t arms,
                                                  std::int64_t dimension) {
  ASSAY_TRY(check_whole("arms", arms, 2, kMostContextArms));
  ASSAY_TRY(check_whole("dimension", dimension, 1, kMostContextDimension));
  // A log is read round by round, however long it is.
  auto file = ASSAY_TRY(detail::DataLines::open(path, LineFile::kFileBytes));
  return ContextFileReader(
      std::make_unique<Lines>(Lines{path, arms, dimension, std::move(file), {}}));
}

Result<bool> ContextFileReader::skip() { return lines_->file.next(lines_->line); }

Result<bool> ContextFileReader::next(std::vector<double>& numbers) {
  numbers.clear();
  const auto& [path, arms, dimension, file, line] = *lines_;
  const bool more = ASSAY_TRY(skip());
  if (!more) return false;
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
    numbers.push_back(*value);
  }
  return true;
}

Result<ContextLog> ContextLog::open(const std::string& path, std::int64_t arms,
                                    std::int64_t dimension) {
  // Asked first: to open a pipe waits for who writes to it. What is not there is the reader's to say.
  std::error_code ignored;
  const auto found = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found)) {
    return fail(ErrorCode::kIo, "must be a regular file: it is read once for every play", path);
  }
  auto reader = ASSAY_TRY(ContextFileReader::open(path, arms, dimension));
  std::vector<double> numbers;
  std::int64_t rounds = 0;
  for (;;) {
    const bool more = ASSAY_TRY(reader.next(numbers));
    if (!more) break;
    ++rounds;
  }
  if (rounds == 0) {
    return fail(ErrorCode::kParse, "holds no rounds; at least one line, a round, is needed", path);
  }
  return ContextLog(path, arms, dimension, rounds);
}

ContextLog::ContextLog(std::string path, std::int64_t arms, std::int64_t dimension,
                       std::int64_t rounds)
    : path_(std::move(path)),
      arms_(arms),
      dimension_(dimension),
      rounds_(rounds),
      row_(static_cast<std::size_t>(arms + arms * dimension), 0.0) {}

ContextLog::ContextLog(const ContextLog& other)
    : path_(other.path_),
      arms_(other.arms_),
      dimension_(other.dimension_),
      rounds_(other.rounds_),
      row_(other.row_),
      row_round_(other.row_round_),
      status_(other.status_) {}

ContextLog& ContextLog::operator=(const ContextLog& other) { return *this = ContextLog(other); }

Status ContextLog::read_round(std::int64_t round) {
  if (!reader_ || round <= row_round_) {
    reader_ = std::make_unique<ContextFileReader>(
        ASSAY_TRY(ContextFileReader::open(path_, arms_, dimension_)));
    row_round_ = -1;
    for (std::int64_t passed = 0; passed < round; ++passed) ASSAY_TRY(reader_->skip());
  } else {
    for (std::int64_t passed = row_round_ + 1; passed < round; ++passed) ASSAY_TRY(reader_->skip());
  }
  const bool more = ASSAY_TRY(reader_->next(row_));
  if (more) return {};
  return fail(
      ErrorCode::kIo,
      "has become shorter: it had " + std::to_string(rounds_) + " rounds when it was opened",
      path_);
}

ContextSet ContextLog::context(std::int64_t round, ReplayStream&) {
  ASSAY_CHECK(round >= 0 && round < rounds_, "the log must have the round");
  if (status_) status_ = read_round(round);
  if (!status_) row_.assign(static_cast<std::size_t>(arms_ + arms_ * dimension_), 0.0);
  row_round_ = round;
  return {arms_, dimension_,
          std::span<const double>(row_).subspan(static_cast<std::size_t>(arms_))};
}

Result<InputTable> read_context_rows(const std::string& path, std::int64_t arms,
                                     std::int64_t dimension) {
  auto reader = ASSAY_TRY(ContextFileReader::open(path, arms, dimension));
  InputTable table{0, arms + arms * dimension, {}};
  std::vector<double> numbers;
  for (;;) {
    const bool more = ASSAY_TRY(reader.next(numbers));
    if (!more) break;
    if (static_cast<std::int64_t>(table.values.size() + numbers.size()) > kMostInputNumbers) {
      return fail(ErrorCode::kLimit,
                  "holds more than " + std::to_string(kMostInputNumbers) +
                      " numbers, the most that an input may have",
                  path);
    }
    table.values.insert(table.values.end(), numbers.begin(), numbers.end());
    ++table.rows;
  }
  if (table.rows == 0) {
    return fail(ErrorCode::kParse, "holds no rounds; at least one line, a round, is needed", path);
  }
  return table;
}

}  // namespace assay
