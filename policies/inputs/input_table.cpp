#include "assay/policies/inputs/input_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/policies/inputs/output_layout.hpp"

namespace assay {
namespace {

std::string at(std::int64_t row, std::int64_t column, std::int64_t columns) {
  std::string text = "row " + std::to_string(row + 1);
  if (columns > 1) text += ", column " + std::to_string(column + 1);
  return text;
}

// What the column of a kind takes; null for any finite number.
const char* range_of(const InputShape& shape, std::int64_t column) {
  switch (shape.kind) {
    case InputKind::kBandit:
    case InputKind::kBestArm:
    case InputKind::kExperts:
      return "in [0, 1]";
    case InputKind::kDueling:
      return "0 or 1";
    case InputKind::kContextual:
      return column < shape.arms ? "in [0, 1]" : nullptr;
    case InputKind::kMechanism:
      return nullptr;
  }
  return nullptr;
}

bool allowed(const InputShape& shape, std::int64_t column, double value) {
  if (!std::isfinite(value)) return false;
  if (range_of(shape, column) == nullptr) return true;
  if (shape.kind == InputKind::kDueling) return value == 0.0 || value == 1.0;
  return value >= 0.0 && value <= 1.0;
}

// The first pair of a row of outcomes, by i, then j, that no tournament has.
Status check_tournament(const InputShape& shape, std::span<const double> row, std::int64_t index) {
  for (std::int64_t i = 0; i < shape.arms; ++i) {
    for (std::int64_t j = i; j < shape.arms; ++j) {
      const double wins = row[static_cast<std::size_t>(i * shape.arms + j)];
      const double losses = row[static_cast<std::size_t>(j * shape.arms + i)];
      if (i == j ? wins == 0.0 : wins + losses == 1.0) continue;
      return fail(ErrorCode::kInvalidArgument,
                  "row " + std::to_string(index + 1) + ", pair (" + std::to_string(i) + ", " +
                      std::to_string(j) + ") " +
                      (i == j       ? "must be 0, not 1: an arm does not beat itself"
                       : wins > 0.0 ? "must have one winner, not two"
                                    : "must have one winner, not none"));
    }
  }
  return {};
}

}  // namespace

Status InputShape::check() const {
  if (kind == InputKind::kMechanism && (numbers > 0 || estimates > 0)) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(numbers > 0 ? "numbers" : "estimates") +
                    " must be 0 for a mechanism: its outputs are numbers");
  }
  std::string sizes = "arms " + std::to_string(arms) + " and horizon " + std::to_string(horizon);
  if (kind == InputKind::kContextual) sizes += " and dimension " + std::to_string(dimension);
  const auto most = " numbers; all together must be at most " + std::to_string(kMostInputNumbers);
  if (rows() * columns() > kMostInputNumbers) {
    return fail(ErrorCode::kLimit, sizes + " make an input of " + std::to_string(rows()) +
                                       " rows of " + std::to_string(columns()) + most);
  }
  if (width() > kMostInputNumbers) {
    return fail(ErrorCode::kLimit, "horizon " + std::to_string(horizon) + ", numbers " +
                                       std::to_string(numbers) + " and estimates " +
                                       std::to_string(estimates) + " make an output of " +
                                       std::to_string(width()) + most);
  }
  return {};
}

std::vector<std::string_view> InputShape::used_fields() const {
  std::vector<std::string_view> names = {"kind"};
  if (kind == InputKind::kMechanism) {
    names.insert(names.end(), {"inputs", "outputs"});
  } else {
    names.insert(names.end(), {"arms", "horizon"});
  }
  if (kind == InputKind::kContextual) names.emplace_back("dimension");
  if (stops) names.emplace_back("stops");
  if (numbers > 0) names.emplace_back("numbers");
  if (estimates > 0) names.emplace_back("estimates");
  return names;
}

std::int64_t InputShape::rows() const { return kind == InputKind::kMechanism ? 1 : horizon; }

std::int64_t InputShape::columns() const {
  switch (kind) {
    case InputKind::kBandit:
      return 1;
    case InputKind::kBestArm:
    case InputKind::kExperts:
      return arms;
    case InputKind::kDueling:
      return arms * arms;
    case InputKind::kContextual:
      return arms + arms * dimension;
    case InputKind::kMechanism:
      return inputs;
  }
  return 1;
}

std::int64_t InputShape::width() const { return OutputLayout(*this).width(); }

Status check_input(const InputShape& shape, const InputTable& input) {
  if (input.rows != shape.rows() || input.columns != shape.columns() ||
      static_cast<std::int64_t>(input.values.size()) != input.rows * input.columns) {
    return fail(ErrorCode::kInvalidArgument, "the input must have " + std::to_string(shape.rows()) +
                                                 " rows of " + std::to_string(shape.columns()) +
                                                 " values, not " + std::to_string(input.rows) +
                                                 " of " + std::to_string(input.columns));
  }
  for (std::int64_t row = 0; row < input.rows; ++row) {
    for (std::int64_t column = 0; column < input.columns; ++column) {
      const double value = input.values[static_cast<std::size_t>(row * input.columns + column)];
      if (allowed(shape, column, value)) continue;
      const char* range = range_of(shape, column);
      return fail(ErrorCode::kInvalidArgument, at(row, column, input.columns) + " must be " +
                                                   (range != nullptr ? range : "finite") +
                                                   ", not " + number_text(value));
    }
    if (shape.kind != InputKind::kDueling) continue;
    const auto outcomes = std::span(input.values)
                              .subspan(static_cast<std::size_t>(row * input.columns),
                                       static_cast<std::size_t>(input.columns));
    if (auto status = check_tournament(shape, outcomes, row); !status) return status;
  }
  return {};
}

InputTable InputPair::new_input() const {
  InputTable input = *base_;
  std::copy(edit_.values.begin(), edit_.values.end(), input.row(edit_.row).begin());
  return input;
}

std::int64_t InputPair::differing() const {
  const auto row = old_row();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < row.size(); ++i) count += row[i] != edit_.values[i] ? 1 : 0;
  return count;
}

std::int64_t InputPair::first_changed() const {
  const auto row = old_row();
  const auto [at, _] =
      std::mismatch(row.begin(), row.end(), edit_.values.begin(), edit_.values.end());
  return at == row.end() ? 0 : at - row.begin();
}

}  // namespace assay
