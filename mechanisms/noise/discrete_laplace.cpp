#include "assay/mechanisms/noise/discrete_laplace.hpp"

#include <cmath>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<DiscreteLaplace> DiscreteLaplace::create(double scale) {
  if (!(scale >= 1e-3 && scale <= 1e15)) {
    return fail(ErrorCode::kInvalidArgument,
                "scale must be 0.001 to 1e+15, not " + number_text(scale), "/scale");
  }
  return DiscreteLaplace(scale);
}

DiscreteLaplace::DiscreteLaplace(double scale)
    : scale_(scale),
      log_norm_(portable_log1p(portable_exp(-1.0 / scale))),
      log_zero_(portable_log(-portable_expm1(-1.0 / scale)) - log_norm_) {}

std::int64_t DiscreteLaplace::from_word(std::uint64_t word) const {
  const bool upper = (word >> 63) != 0;
  const double depth = -detail::log_midpoint(upper ? ~word : word, 64) - log_norm_;
  const double size = std::ceil(depth * scale_) - 1.0;  // (3)
  if (!(size > 0.0)) return 0;
  const auto magnitude = static_cast<std::int64_t>(size);
  return upper ? magnitude : -magnitude;
}

double DiscreteLaplace::log_pmf(std::int64_t k) const {
  return log_zero_ - std::abs(static_cast<double>(k)) / scale_;  // (1)
}

double DiscreteLaplace::ccdf(std::int64_t k) const {
  const double x = static_cast<double>(k);
  if (k >= 1) return portable_exp(-x / scale_ - log_norm_);  // (2)
  return 1.0 - portable_exp((x - 1.0) / scale_ - log_norm_);
}

}  // namespace assay
