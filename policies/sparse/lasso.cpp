#include "assay/policies/sparse/lasso.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostSweeps = 10'000;

double soft_threshold(double z, double lambda) {
  return std::copysign(std::max(std::fabs(z) - lambda, 0.0), z);
}

}  // namespace

Lasso::Lasso(std::int64_t dimension)
    : dimension_(static_cast<std::size_t>(dimension)),
      xy_(dimension_, 0.0),
      squares_(dimension_, 0.0),
      weights_(dimension_, 0.0),
      slopes_(dimension_, 0.0),
      places_(dimension_, -1) {}

void Lasso::add(std::span<const double> context, double reward) {
  ASSAY_CHECK(context.size() == dimension_, "a context has an entry for each dimension");
  for (std::size_t j = 0; j < dimension_; ++j) {
    xy_[j] += context[j] * reward;
    squares_[j] += context[j] * context[j];
  }
  rows_.insert(rows_.end(), context.begin(), context.end());
  ++records_;
}

void Lasso::bring_up_to_date(Column& column) const {
  for (; column.records < records_; ++column.records) {
    const double* row = rows_.data() + static_cast<std::size_t>(column.records) * dimension_;
    const double weight = row[column.coordinate];
    for (std::size_t j = 0; j < dimension_; ++j) column.products[j] += weight * row[j];
  }
}

const std::vector<double>& Lasso::column(std::size_t coordinate) {
  if (places_[coordinate] < 0) {
    places_[coordinate] = static_cast<std::int32_t>(columns_.size());
    columns_.push_back({coordinate, 0, std::vector<double>(dimension_, 0.0)});
    bring_up_to_date(columns_.back());
  }
  return columns_[static_cast<std::size_t>(places_[coordinate])].products;
}

void Lasso::compute_slopes() {
  slopes_ = xy_;
  for (const Column& column : columns_) {
    const double weight = weights_[column.coordinate];
    if (weight == 0.0) continue;
    for (std::size_t j = 0; j < dimension_; ++j) slopes_[j] -= weight * column.products[j];
  }
  const double share = 1.0 / static_cast<double>(records_);
  for (double& slope : slopes_) slope *= share;
}

// Returns whether the coordinate moved.
bool Lasso::update(std::size_t coordinate, double lambda) {
  const double share = 1.0 / static_cast<double>(records_);
  const double square = squares_[coordinate] * share;
  if (square == 0.0) return false;
  const double old = weights_[coordinate];
  const double now = soft_threshold(slopes_[coordinate] + square * old, lambda) / square;  // (2)
  if (now == old) return false;
  weights_[coordinate] = now;
  const double step = (now - old) * share;
  const auto& products = column(coordinate);
  for (std::size_t j = 0; j < dimension_; ++j) slopes_[j] -= step * products[j];
  return true;
}

double Lasso::violation(double lambda) const {
  double most = 0.0;
  for (std::size_t j = 0; j < dimension_; ++j) {
    if (!std::isfinite(slopes_[j]) || !std::isfinite(weights_[j])) return kInfinity;
    const double off = weights_[j] == 0.0
                           ? std::fabs(slopes_[j]) - lambda
                           : std::fabs(slopes_[j] - std::copysign(lambda, weights_[j]));
    most = std::max(most, off);
  }
  return most / lambda;  // (3)
}

Lasso::Fit Lasso::fit(double lambda) {
  ASSAY_CHECK(records_ > 0 && lambda > 0.0, "a fit needs records and a penalty above 0");
  for (Column& column : columns_) bring_up_to_date(column);
  compute_slopes();
  Fit out;
  while (out.sweeps < kMostSweeps) {
    for (std::size_t j = 0; j < dimension_; ++j) update(j, lambda);
    ++out.sweeps;
    const double off = violation(lambda);
    if (off <= 0.5 * kLassoTolerance || !std::isfinite(off)) break;
    for (bool moved = true; moved && out.sweeps < kMostSweeps; ++out.sweeps) {
      moved = false;
      for (const Column& column : columns_) {
        const double before = weights_[column.coordinate];
        if (before == 0.0 || !update(column.coordinate, lambda)) continue;
        const double change = std::fabs(weights_[column.coordinate] - before);
        moved = moved || change * squares_[column.coordinate] >
                             0.1 * kLassoTolerance * lambda * static_cast<double>(records_);
      }
    }
  }
  compute_slopes();
  out.violation = violation(lambda);
  for (std::size_t j = 0; j < dimension_; ++j) {
    if (weights_[j] == 0.0) continue;
    out.weights.indices.push_back(static_cast<std::int64_t>(j));
    out.weights.values.push_back(weights_[j]);
  }
  return out;
}

}  // namespace assay
