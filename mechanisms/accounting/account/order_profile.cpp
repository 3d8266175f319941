#include "assay/mechanisms/accounting/account/internal/order_profile.hpp"

#include <algorithm>
#include <cmath>

namespace assay::detail {

double OrderProfile::upper(double eps) const {
  double least = 1.0;
  for (const auto& part : parts) {
    least = std::min(least, part.delta(Epsilon{eps}).upper.value.value);
  }
  return least;
}

double OrderProfile::lower(double eps) const {
  double most = event_lower(events, {AccountTarget::Asked::kDeltaAtEpsilon, eps});
  for (const auto& part : parts) {
    most = std::max(most, part.delta(Epsilon{eps}).lower.value.value);
  }
  return most;
}

double OrderProfile::end() const {
  double furthest = 0.0;
  for (const double eps : ends) {
    if (std::isfinite(eps)) furthest = std::max(furthest, eps);
  }
  return furthest;
}

PldOptions profile_width(std::span<const ChainStep> chain, const RunControl& control) {
  const double share = is_wide_between_pairs(chain) ? 2e-3 : 2e-4;
  return {.epsilon_width = 5.0 * share,
          .least_relative_width = share,
          .max_points = std::int64_t{1} << 18,
          .attempts = 2,
          .cancel = control.cancel};
}

Result<OrderProfile> order_profile(std::span<const PldTerm> terms, std::span<const double> deltas,
                                   const PldOptions& options) {
  OrderProfile profile{output_events(terms), {}, {}};
  for (const double delta : deltas) {
    auto composed = compose_near(terms, Delta{delta}, options);
    if (!composed && is_interrupted(composed.error())) {
      return tl::make_unexpected(composed.error());
    }
    if (!composed) continue;
    profile.ends.push_back(composed->epsilon(Delta{delta}).upper.value.value);
    profile.parts.push_back(std::move(*composed));
  }
  return profile;
}

Result<std::vector<OrderProfile>> order_profiles(const OrderedTerms& terms,
                                                 std::span<const double> deltas,
                                                 const PldOptions& options) {
  std::vector<OrderProfile> orders;
  for (const auto* order : {&terms.remove, &terms.add}) {
    if (order->empty()) continue;
    auto profile = ASSAY_TRY(order_profile(*order, deltas, options));
    orders.push_back(std::move(profile));
  }
  return orders;
}

}  // namespace assay::detail
