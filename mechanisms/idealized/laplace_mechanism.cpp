#include "assay/mechanisms/idealized/laplace_mechanism.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay::idealized {
Result<LaplaceMechanism> LaplaceMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto noise =
      ASSAY_TRY(Laplace::create(0.0, assay::detail::divide_up(config.sensitivity, config.epsilon)));
  return LaplaceMechanism(config, noise);
}

Guarantee LaplaceMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Dwork, McSherry, Nissim, Smith (TCC 2006), proposition 1"};
}

}  // namespace assay::idealized
