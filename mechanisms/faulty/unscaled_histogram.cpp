#include "assay/mechanisms/faulty/unscaled_histogram.hpp"

namespace assay::faulty {

Result<UnscaledHistogram> UnscaledHistogram::create(const Config& config) {
  return assay::detail::create_valid<UnscaledHistogram>(config, [&]() -> Result<UnscaledHistogram> {
    const auto right = idealized::NoisyHistogram::create({1.0 / config.epsilon});  // (1)
    if (!right) return tl::make_unexpected(right.error());
    return UnscaledHistogram(config, *right);
  });
}

}  // namespace assay::faulty
