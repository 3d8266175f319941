#include "assay/mechanisms/faulty/unscaled_histogram.hpp"

namespace assay::faulty {

Result<UnscaledHistogram> UnscaledHistogram::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto right = ASSAY_TRY(idealized::NoisyHistogram::create({1.0 / config.epsilon}));  // (1)
  return UnscaledHistogram(config, right);
}

}  // namespace assay::faulty
