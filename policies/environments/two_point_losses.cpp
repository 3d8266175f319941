#include "assay/policies/environments/two_point_losses.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/binomial_count.hpp"

namespace assay {
namespace {

bool is_fraction(double x) { return x >= 0.0 && x <= 1.0; }

}  // namespace

Result<TwoPointLosses> TwoPointLosses::create(std::vector<TwoPointDistribution> distributions) {
  if (distributions.size() < 2) {
    return fail(ErrorCode::kInvalidArgument, "losses need at least two experts", "/laws");
  }
  for (std::size_t j = 0; j < distributions.size(); ++j) {
    const auto& [low, high, probability] = distributions[j];
    if (is_fraction(low) && is_fraction(high) && is_fraction(probability) && low <= high) continue;
    return fail(ErrorCode::kInvalidArgument,
                "low, high and probability must be 0 to 1 and low at most high, not " +
                    number_text(low) + ", " + number_text(high) + ", " + number_text(probability),
                "/laws/" + std::to_string(j));
  }
  return TwoPointLosses(std::move(distributions));
}

TwoPointLosses::TwoPointLosses(std::vector<TwoPointDistribution> distributions)
    : distributions_(std::move(distributions)) {
  for (std::size_t j = 0; j < distributions_.size(); ++j) {
    const TwoPointDistribution& distribution = distributions_[j];
    thresholds_.push_back(probability_threshold(distribution.probability));
    means_.push_back(distribution.mean());
    sure_losses_.push_back(distribution.probability == 1.0 ? distribution.high : distribution.low);
    const bool is_sure = distribution.low == distribution.high || distribution.probability == 0.0 ||
                         distribution.probability == 1.0;
    if (!is_sure) unsure_.push_back(j);
  }
  least_mean_ = *std::min_element(means_.begin(), means_.end());
}

void TwoPointLosses::losses(ReplayStream& random, std::span<double> out) const {
  ASSAY_CHECK(out.size() == distributions_.size(), "one loss per expert");
  std::copy(sure_losses_.begin(), sure_losses_.end(), out.begin());
  for (const std::size_t j : unsure_) {
    const bool is_high = (random.next() >> 1) < thresholds_[j];
    out[j] = is_high ? distributions_[j].high : distributions_[j].low;  // (1)
  }
}

void TwoPointLosses::high_counts(std::int64_t rounds, ReplayStream& random,
                                 std::span<std::int64_t> out) const {
  ASSAY_CHECK(out.size() == distributions_.size(), "one count per expert");
  for (std::size_t j = 0; j < distributions_.size(); ++j) {
    out[j] = binomial_count(random, rounds, thresholds_[j]);  // (2)
  }
}

}  // namespace assay
