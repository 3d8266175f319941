#include "assay/policies/sparse/regression_data.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"

namespace assay {

KeptRecords kept_records(std::int64_t dimension, std::int64_t gradients) {
  if (gradients <= 1) return KeptRecords::kSums;
  return 2 * gradients <= dimension ? KeptRecords::kRows : KeptRecords::kGram;  // (3)
}

double kept_numbers(std::int64_t dimension, std::int64_t records, std::int64_t gradients) {
  const auto d = static_cast<double>(dimension);
  switch (kept_records(dimension, gradients)) {
    case KeptRecords::kSums:
      return d;
    case KeptRecords::kRows:
      return d + d * static_cast<double>(records);
    case KeptRecords::kGram:
      return d + d * d;
  }
  return d;
}

RegressionData::RegressionData(std::int64_t dimension, std::int64_t records, std::int64_t gradients,
                               Clip clip)
    : clip_(clip), kept_(kept_records(dimension, gradients)) {
  const auto d = static_cast<std::size_t>(dimension);
  xy_.assign(d, 0.0);
  row_.assign(d, 0.0);
  if (kept_ == KeptRecords::kRows) rows_.reserve(d * static_cast<std::size_t>(records));
  if (kept_ == KeptRecords::kGram) gram_.assign(d * d, 0.0);
}

void RegressionData::add(std::span<const double> context, double reward) {
  ASSAY_CHECK(context.size() == xy_.size(), "a context has an entry for each dimension");
  ASSAY_CHECK(!std::isnan(reward), "a reward is a number");
  const double y = std::clamp(reward, -clip_.reward, clip_.reward);
  for (std::size_t j = 0; j < xy_.size(); ++j) {
    row_[j] = std::clamp(context[j], -clip_.context, clip_.context);  // (1)
    xy_[j] += row_[j] * y;
  }
  ++records_;
  if (kept_ == KeptRecords::kRows) rows_.insert(rows_.end(), row_.begin(), row_.end());
  if (kept_ != KeptRecords::kGram) return;
  double* below = gram_.data();
  for (std::size_t j = 0; j < row_.size(); ++j, below += row_.size()) {
    for (std::size_t k = 0; k <= j; ++k) below[k] += row_[j] * row_[k];
  }
}

void RegressionData::slope(const SparseVector& theta, std::span<double> out) const {
  ASSAY_CHECK(records_ > 0, "a gradient needs records");
  std::fill(out.begin(), out.end(), 0.0);
  if (theta.l1() > 0.0) add_products(theta, out);
  const double share = 1.0 / static_cast<double>(records_);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = (out[j] - xy_[j]) * share;  // (2)
}

void RegressionData::add_products(const SparseVector& theta, std::span<double> out) const {
  ASSAY_CHECK(kept_ != KeptRecords::kSums, "for one gradient, at 0, only sums are kept");
  const std::size_t d = xy_.size();
  if (kept_ == KeptRecords::kRows) {
    for (std::size_t at = 0; at < rows_.size(); at += d) {
      const auto row = std::span(rows_).subspan(at, d);
      const double score = theta.dot(row);
      for (std::size_t j = 0; j < d; ++j) out[j] += score * row[j];
    }
    return;
  }
  for (std::size_t i = 0; i < theta.indices.size(); ++i) {
    const auto k = static_cast<std::size_t>(theta.indices[i]);
    const double weight = theta.values[i];
    for (std::size_t j = 0; j < k; ++j) out[j] += weight * gram_[k * d + j];
    for (std::size_t j = k; j < d; ++j) out[j] += weight * gram_[j * d + k];
  }
}

}  // namespace assay
