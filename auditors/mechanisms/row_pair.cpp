#include "assay/auditors/mechanisms/row_pair.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

Status check_shapes(const InputPair& pair) {
  if (pair.base_row().size() != pair.neighbour_row().size() || pair.base_row().empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the two rows must have the same number of entries, at least 1, not " +
                    std::to_string(pair.base_row().size()) + " and " +
                    std::to_string(pair.neighbour_row().size()),
                "/input/1");
  }
  if (pair.differing() == 0) {
    return fail(ErrorCode::kInvalidArgument, "the two rows are equal; neighbours must differ",
                "/input/1");
  }
  return {};
}

std::string entry_path(std::size_t i) { return "/input/1/" + std::to_string(i); }

Status moves_too_far(const InputPair& pair, std::size_t i, double limit) {
  return fail(ErrorCode::kInvalidArgument,
              "the rows are not neighbours: entry " + std::to_string(i) + " moves from " +
                  number_text(pair.base_row()[i]) + " to " + number_text(pair.neighbour_row()[i]) +
                  ", but may move by at most " + number_text(limit),
              entry_path(i));
}

Result<std::int64_t> as_integer(double value, std::size_t i) {
  if (std::floor(value) == value && std::fabs(value) <= 0x1p53) {
    return static_cast<std::int64_t>(value);
  }
  return fail(ErrorCode::kInvalidArgument,
              "entry " + std::to_string(i) + " must be an integer of magnitude at most 2^53, not " +
                  number_text(value),
              "/input");
}

Result<std::vector<double>> read_row(std::string_view line) {
  std::vector<double> row;
  constexpr std::string_view kBetween = " \t,\r";
  for (std::size_t from = line.find_first_not_of(kBetween); from != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, from), line.size());
    const auto value = ASSAY_TRY(parse_number(line.substr(from, end - from)));
    row.push_back(value);
    from = line.find_first_not_of(kBetween, end);
  }
  return row;
}

}  // namespace

Status every_entry_moves_at_most(const InputPair& pair, double limit) {
  ASSAY_TRY(check_shapes(pair));
  for (std::size_t i = 0; i < pair.base_row().size(); ++i) {
    if (!(std::fabs(pair.neighbour_row()[i] - pair.base_row()[i]) <= limit)) {
      return moves_too_far(pair, i, limit);
    }
  }
  return {};
}

Status one_entry_moves_at_most(const InputPair& pair, double limit) {
  ASSAY_TRY(every_entry_moves_at_most(pair, limit));
  std::size_t moved = 0;
  for (std::size_t i = 0; i < pair.base_row().size(); ++i) {
    if (pair.neighbour_row()[i] == pair.base_row()[i]) continue;
    if (++moved > 1) {
      return fail(ErrorCode::kInvalidArgument,
                  "the rows are not neighbours: entry " + std::to_string(i) +
                      " moves too, but only one may",
                  entry_path(i));
    }
  }
  return {};
}

double distance(const InputPair& pair, RowNorm norm) {
  double sum = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < pair.base_row().size(); ++i) {
    const double move = std::fabs(pair.neighbour_row()[i] - pair.base_row()[i]);
    sum += norm == RowNorm::kL1 ? move : move * move;
    largest = std::max(largest, move);
  }
  // The length of a single entry needs no square and root, which would round.
  if (norm == RowNorm::kL1 || sum == largest * largest) return norm == RowNorm::kL1 ? sum : largest;
  return std::sqrt(sum);
}

Status distance_at_most(const InputPair& pair, RowNorm norm, double limit) {
  ASSAY_TRY(every_entry_moves_at_most(pair, limit));
  const double moved = distance(pair, norm);
  if (moved <= limit) return {};
  return fail(ErrorCode::kInvalidArgument,
              "the rows are not neighbours: they are " + number_text(moved) + " apart in " +
                  (norm == RowNorm::kL1 ? "L1" : "L2") + " distance, which must be at most " +
                  number_text(limit),
              "/input/1");
}

template <>
Result<std::vector<double>> entries_of(std::span<const double> row) {
  return std::vector<double>(row.begin(), row.end());
}

template <>
Result<std::vector<std::int64_t>> entries_of(std::span<const double> row) {
  std::vector<std::int64_t> entries;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto value = ASSAY_TRY(as_integer(row[i], i));
    entries.push_back(value);
  }
  return entries;
}

Status check_one_entry(std::span<const double> row) {
  if (row.size() == 1) return {};
  return fail(ErrorCode::kInvalidArgument,
              "a row must have 1 entry, not " + std::to_string(row.size()), "/input");
}

InputPair random_moves(std::int64_t n, double spread, double limit, ReplayStream& random) {
  std::vector<double> base_row;
  std::vector<double> neighbour_row;
  const bool equal = random.uniform() < 1.0 / 3.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double base = equal ? 0.0 : spread * (2.0 * random.uniform() - 1.0);
    const double move = limit * (std::floor(3.0 * random.uniform()) - 1.0);
    base_row.push_back(base);
    neighbour_row.push_back(base + move);
    if (std::fabs(neighbour_row.back() - base) > limit) neighbour_row.back() = base;
  }
  return {std::move(base_row), std::move(neighbour_row)};
}

Result<InputPair> read_row_pair(const std::string& path) {
  auto in = ASSAY_TRY(LineFile::open(path, LineFile::kInputBytes));
  std::vector<std::vector<double>> rows;
  long number = 0;
  for (std::string line;;) {
    const auto more = ASSAY_TRY(in.next(line));
    if (!more) break;
    ++number;
    if (line.empty() || line[0] == '#') continue;
    auto row = read_row(line);
    if (!row) return fail(ErrorCode::kParse, row.error().message, path, number);
    if (!row->empty()) rows.push_back(std::move(*row));
    if (rows.size() > 2) break;
  }
  if (rows.size() != 2) {
    return fail(ErrorCode::kInvalidArgument,
                "must hold the two neighbouring inputs, a row of numbers each, not " +
                    (rows.size() > 2 ? "more" : std::to_string(rows.size()) + " rows"),
                path);
  }
  return InputPair{std::move(rows[0]), std::move(rows[1])};
}

}  // namespace assay
