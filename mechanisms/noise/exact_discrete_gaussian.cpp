#include "assay/mechanisms/noise/exact_discrete_gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

ExactDiscreteGaussian::ExactDiscreteGaussian(std::uint64_t n, int log2_m,
                                             const ExactDiscreteLaplace& proposal,
                                             const DiscreteGaussian& distribution)
    : proposal_(proposal), distribution_(distribution) {
  const auto t = static_cast<detail::Wide>(proposal.scale());
  const detail::Wide q = static_cast<detail::Wide>(n) * t << log2_m;
  step_ = t << (2 * log2_m);
  centre_ = static_cast<detail::Wide>(n) * n;
  width_ = 2 * q * q;
}

Result<ExactDiscreteGaussian> ExactDiscreteGaussian::at_least(double scale) {
  if (!(scale >= kLeastScale && scale <= kMostScale)) {
    return fail(ErrorCode::kInvalidArgument,
                "scale must be 0.01 to 2^24, not " + number_text(scale), "/scale");
  }
  const int log2_m = std::max(0, 23 - std::ilogb(scale));
  const double n = std::ceil(std::ldexp(scale, log2_m));  // exact: no rounding in either
  const double rational = std::ldexp(n, -log2_m);
  const auto distribution = ASSAY_TRY(DiscreteGaussian::create(rational));
  const auto proposal = ASSAY_TRY(ExactDiscreteLaplace::create(std::floor(rational) + 1.0));
  return ExactDiscreteGaussian(static_cast<std::uint64_t>(n), log2_m, proposal, distribution);
}

}  // namespace assay
