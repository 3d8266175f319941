#include "assay/mechanisms/accounting/optimal_composition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr double kBlock = 0x1p512;
constexpr double kLogBlock = 354.89135644669199;  // 512 log 2, rounded
constexpr double kLargestEpsilon = 300.0;         // a step stays inside one block

}  // namespace

Result<OptimalComposition> OptimalComposition::create(const ApproximateDp& each,
                                                      std::int64_t count) {
  const double eps = each.epsilon.value;
  if (!(eps >= 0.0 && eps <= kLargestEpsilon)) {
    return tl::make_unexpected(
        detail::out_of_range("epsilon", "in [0, 300]", number_text(eps)).error());
  }
  ASSAY_TRY(detail::first_failure(detail::check_delta("delta", each.delta.value),
                                  detail::check_count("count", count, kMostCount)));
  return OptimalComposition(each, count);
}

OptimalComposition::OptimalComposition(const ApproximateDp& each, std::int64_t count)
    : each_(each), count_(count) {
  const double odds = portable_exp(-each.epsilon.value);
  Scaled weight{1.0, 0};
  for (std::int64_t l = 0; 2 * l < count; ++l) {
    weights_.push_back(weight);
    weight.mantissa *= static_cast<double>(count - l) / static_cast<double>(l + 1) * odds;  // (1)
    while (weight.mantissa >= kBlock) weight.mantissa /= kBlock, ++weight.block;
    while (weight.mantissa < 1.0 / kBlock) weight.mantissa *= kBlock, --weight.block;
  }
}

LogInterval OptimalComposition::log_profile_at(Epsilon eps) const {
  ASSAY_CHECK(eps.value >= 0.0, "eps must be in [0, inf]");
  const double step = each_.epsilon.value;
  const auto excess = [&](std::size_t l) {
    return std::fma(static_cast<double>(count_ - 2 * static_cast<std::int64_t>(l)), step,
                    -eps.value);
  };
  std::int64_t top = std::numeric_limits<std::int64_t>::min();
  std::size_t terms = 0;
  for (; terms < weights_.size() && excess(terms) > 0.0; ++terms) {
    top = std::max(top, weights_[terms].block);
  }
  if (terms == 0) return {-kInfinity, -kInfinity};
  double sum = 0.0;
  for (std::size_t l = 0; l < terms; ++l) {
    // Three blocks below the top a term is less than 2^-512 of one at the top.
    const std::int64_t below = top - weights_[l].block;
    if (below >= 3) continue;
    const double scale = below == 0 ? 1.0 : below == 1 ? 1.0 / kBlock : 1.0 / kBlock / kBlock;
    sum += weights_[l].mantissa * scale * -portable_expm1(-excess(l));  // (2)
  }
  const double k = static_cast<double>(count_);
  const double error = (4.0 * k + 32.0) * 0x1p-52;
  const Enclosure block = Enclosure(kLogBlock) * Enclosure(1.0 - 0x1p-52, 1.0 + 0x1p-52);
  const Enclosure scaled =
      Enclosure(sum) * Enclosure(1.0 - error, 1.0 + error) + Enclosure(0.0, k * 0x1p-1074);
  const Enclosure log_profile =
      log(scaled) + static_cast<double>(top) * block - k * log1p(exp(Enclosure(-step)));
  return {log_profile.low, std::min(0.0, log_profile.high)};
}

Interval<Delta> OptimalComposition::delta_at(Epsilon eps) const {
  const LogInterval log_profile = log_profile_at(eps);
  const bool is_zero = std::isinf(log_profile.upper);
  const Enclosure profile =
      is_zero ? Enclosure(0.0) : exp(Enclosure(log_profile.lower, log_profile.upper));
  if (each_.delta.value == 0.0) {
    return {{Delta{profile.low}}, {Delta{std::min(1.0, profile.high)}}};
  }
  const Enclosure log_kept = log1p(Enclosure(-each_.delta.value)) * static_cast<double>(count_);
  const Enclosure total = -expm1(log_kept) + exp(log_kept) * profile;  // (3)
  return {{Delta{std::max(0.0, total.low)}}, {Delta{std::min(1.0, total.high)}}};
}

Result<UpperBound<Epsilon>> OptimalComposition::epsilon_at(Delta delta) const {
  ASSAY_TRY(detail::check_delta("delta", delta.value));
  const double least = delta_at(Epsilon{kInfinity}).upper.value.value;
  if (delta.value < least) {
    return tl::make_unexpected(detail::out_of_range("delta",
                                                    "at least " + number_text(least) +
                                                        ", the delta of the levels themselves",
                                                    number_text(delta.value))
                                   .error());
  }
  const double eps = detail::smallest_double([&](double candidate) {
    return delta_at(Epsilon{candidate}).upper.value.value <= delta.value;
  });
  return UpperBound<Epsilon>{Epsilon{eps}};
}

}  // namespace assay
