#include "assay/policies/bandits/gdp_filter.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/accounting/filters.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {

Result<GdpFilter> GdpFilter::create(const ModifiedThompsonSamplingConfig& config, Mu budget) {
  ASSAY_TRY(validate(config));
  if (!(budget.value >= 0.0 && std::isfinite(budget.value))) {
    return fail(ErrorCode::kInvalidArgument,
                "budget must be a finite mu of at least 0, not " + number_text(budget.value),
                "/budget");
  }
  return GdpFilter(config, budget);
}

GdpFilter::GdpFilter(const ModifiedThompsonSamplingConfig& config, Mu budget)
    : config_(config),
      budget_(budget),
      limit_(detail::square_rounded_down(budget.value)),
      sums_(static_cast<std::size_t>(config.arms), 0.0) {}

bool GdpFilter::admit(const ModifiedThompsonSampling& policy) {
  ASSAY_CHECK(policy.config() == config_, "a filter serves the configuration it was made for");
  ASSAY_CHECK(stopped_ || policy.round() == round_, "admit is called once before every round");
  if (stopped_) return false;
  ++round_;
  if (policy.is_forced()) return true;  // a pre-pull reads no reward
  const auto counts = policy.counts();
  double largest = 0.0;
  for (std::size_t j = 0; j < sums_.size(); ++j) {
    if (counts[j] > 0) {
      const double pulls = static_cast<double>(counts[j]);
      // Two roundings: the product below, then the quotient above.
      const double precision = detail::round_down(config_.variance * (pulls + 1.0));
      sums_[j] = detail::sum_rounded_up(sums_[j], detail::round_up(1.0 / precision));  // (1)
    }
    largest = std::max(largest, sums_[j]);
  }
  if (largest > limit_) {  // (2)
    stopped_ = true;
    return false;
  }
  spent_ = largest;
  return true;
}

Guarantee GdpFilter::guarantee() const {
  return {GaussianDp{budget_}, Relation::kReplaceOneReward, View::kActions,
          "Fully Adaptive Composition for Gaussian Differential Privacy: the sum of squares is a "
          "filter"};
}

}  // namespace assay
