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

// Whether a domain applies to the numbers of a column: to contexts, but not to their rewards.
bool in_domain(const InputShape& shape, std::int64_t column) {
  return shape.domain && (!shape.traits().has_contexts() || column >= shape.arms);
}

// The range that the kind itself sets for the column; none for any finite number. An interval replaces it.
std::optional<Domain> kind_range(const InputShape& shape, std::int64_t column) {
  const InputKindTraits& traits = shape.traits();
  if (in_domain(shape, column) && !shape.domain->integers) return std::nullopt;
  const bool unit = traits.has_contexts() ? column < shape.arms : traits.has_rounds();
  return unit ? std::optional(Domain{0.0, 1.0, traits.has_duels()}) : std::nullopt;
}

std::string range_text(const InputShape& shape, std::int64_t column) {
  const auto range = kind_range(shape, column);
  if (range && range->integers) return "0 or 1";
  if (in_domain(shape, column)) {
    return shape.domain->integers && range ? "0 or 1" : shape.domain->range();
  }
  return range ? range->range() : "finite";
}

bool allowed(const InputShape& shape, std::int64_t column, double value) {
  if (!std::isfinite(value)) return false;
  const auto range = kind_range(shape, column);
  if (range && !range->contains(value)) return false;
  return !in_domain(shape, column) || shape.domain->contains(value);
}

// The error names the first pair of a row, by i, then j, that a tournament cannot have.
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

Status check_domain(const InputShape& shape) {
  if (!shape.traits().has_duels()) return {};
  return fail(ErrorCode::kInvalidArgument, "domain has no effect on kind " +
                                               std::string(detail::value_text(shape.kind)) +
                                               ": its outcomes are 0 or 1");
}

Status check_neighbours(const InputShape& shape) {
  if (shape.traits().has_rounds()) {
    if (shape.neighbours->kind == NeighbourKind::kOne) return {};
    return fail(ErrorCode::kInvalidArgument,
                "neighbours of kind " + std::string(detail::value_text(shape.kind)) +
                    " must be one, not " + shape.neighbours->text() +
                    ": they differ in one whole round; the others are for mechanisms");
  }
  const bool whole = shape.domain && shape.domain->integers;
  if (whole && shape.neighbours->kind == NeighbourKind::kL2 && shape.neighbours->distance < 1.0) {
    return fail(ErrorCode::kInvalidArgument,
                "neighbours l2:S of integers needs S of at least 1, not " +
                    number_text(shape.neighbours->distance));
  }
  if (shape.adds_or_removes() && shape.inputs < 2) {
    return fail(
        ErrorCode::kInvalidArgument,
        "neighbours add-remove needs inputs of at least 2: the larger of the two inputs has "
        "that many values, and the smaller must not be empty");
  }
  return {};
}

}  // namespace

bool InputShape::adds_or_removes() const {
  return neighbours && neighbours->kind == NeighbourKind::kAddRemove;
}

Status InputShape::check() const {
  if (domain) {
    ASSAY_TRY(check_domain(*this));
  }
  if (neighbours) {
    ASSAY_TRY(check_neighbours(*this));
  }
  if (traits().actions == 0 && (numbers > 0 || estimates > 0)) {
    return fail(ErrorCode::kInvalidArgument, std::string(numbers > 0 ? "numbers" : "estimates") +
                                                 " must be 0 for a " + detail::value_text(kind) +
                                                 ": its outputs are numbers");
  }
  std::string sizes = "arms " + std::to_string(arms) + " and horizon " + std::to_string(horizon);
  if (traits().has_contexts()) sizes += " and dimension " + std::to_string(dimension);
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
  if (traits().has_rounds()) {
    names.insert(names.end(), {"arms", "horizon"});
  } else {
    names.insert(names.end(), {"inputs", "outputs"});
  }
  if (traits().has_contexts()) names.emplace_back("dimension");
  if (stops) names.emplace_back("stops");
  if (numbers > 0) names.emplace_back("numbers");
  if (estimates > 0) names.emplace_back("estimates");
  return names;
}

std::int64_t InputShape::rows() const { return traits().has_rounds() ? horizon : 1; }

std::int64_t InputShape::columns() const {
  switch (traits().row) {
    case RowContent::kReward:
      return 1;
    case RowContent::kArms:
      return arms;
    case RowContent::kDuels:
      return arms * arms;
    case RowContent::kContexts:
      return arms + arms * dimension;
    case RowContent::kValues:
      return inputs;
  }
  return 1;
}

std::int64_t InputShape::width() const { return OutputLayout(*this).width(); }

Status check_input(const InputShape& shape, const InputTable& input) {
  const bool fewer = shape.adds_or_removes() && input.columns == shape.columns() - 1;
  if (input.rows != shape.rows() || (input.columns != shape.columns() && !fewer) ||
      static_cast<std::int64_t>(input.values.size()) != input.rows * input.columns) {
    return fail(ErrorCode::kInvalidArgument,
                "the input must have " + std::to_string(shape.rows()) + " rows of " +
                    std::to_string(shape.columns()) +
                    (shape.adds_or_removes() ? " values, or one fewer, not " : " values, not ") +
                    std::to_string(input.rows) + " of " + std::to_string(input.columns));
  }
  for (std::int64_t row = 0; row < input.rows; ++row) {
    for (std::int64_t column = 0; column < input.columns; ++column) {
      const double value = input.values[static_cast<std::size_t>(row * input.columns + column)];
      if (allowed(shape, column, value)) continue;
      return fail(ErrorCode::kInvalidArgument, at(row, column, input.columns) + " must be " +
                                                   range_text(shape, column) + ", not " +
                                                   number_text(value));
    }
    if (!shape.traits().has_duels()) continue;
    const auto outcomes = std::span(input.values)
                              .subspan(static_cast<std::size_t>(row * input.columns),
                                       static_cast<std::size_t>(input.columns));
    if (auto status = check_tournament(shape, outcomes, row); !status) return status;
  }
  return {};
}

InputTable InputPair::neighbour_input() const {
  if (static_cast<std::int64_t>(edit_.values.size()) != base_->columns) {
    return InputTable::one_row(edit_.values);  // with one value more or fewer
  }
  InputTable input = *base_;
  std::copy(edit_.values.begin(), edit_.values.end(), input.row(edit_.row).begin());
  return input;
}

std::int64_t InputPair::differing() const {
  const auto row = base_row();
  if (row.size() != edit_.values.size()) return 1;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < row.size(); ++i) count += row[i] != edit_.values[i] ? 1 : 0;
  return count;
}

std::int64_t InputPair::first_changed() const {
  const auto row = base_row();
  const auto [at, _] =
      std::mismatch(row.begin(), row.end(), edit_.values.begin(), edit_.values.end());
  return at == row.end() && row.size() == edit_.values.size() ? 0 : at - row.begin();
}

}  // namespace assay
