#include "assay/mechanisms/noise/exact_discrete_laplace.hpp"

#include <cmath>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<ExactDiscreteLaplace> ExactDiscreteLaplace::create(double scale) {
  if (!(scale >= kLeastScale && scale <= kMostScale)) {
    return fail(ErrorCode::kInvalidArgument,
                "scale must be 0.001 to 2^41, not " + number_text(scale), "/scale");
  }
  const int log2_s = 52 - std::ilogb(scale);
  const double t = std::ldexp(scale, log2_s);  // the significand
  const auto distribution = ASSAY_TRY(DiscreteLaplace::create(scale));
  return ExactDiscreteLaplace(static_cast<std::uint64_t>(t), log2_s, distribution);
}

double ExactDiscreteLaplace::log_ccdf(std::int64_t k) const {
  const double step = 1.0 / scale();  // a^k/(1 + a)
  return -static_cast<double>(k) * step - portable_log1p(portable_exp(-step));
}

}  // namespace assay
