#include "assay/mechanisms/release/laplace_mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

double chosen_granularity(const LaplaceMechanismConfig& config) {
  const double b = config.sensitivity / config.epsilon;
  const double fine =
      std::min(0x1p-20 * b, 0x1p-10 * config.sensitivity / static_cast<double>(config.answers));
  return std::ldexp(1.0, std::max(std::ilogb(fine), std::ilogb(b) - 40));  // (5)
}

}  // namespace

Result<LaplaceMechanism> LaplaceMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto grid = ASSAY_TRY(FixedPoint::create(
      config.granularity == 0.0 ? chosen_granularity(config) : config.granularity));
  const double steps = grid.l1_sensitivity(config.sensitivity, config.answers);               // (2)
  const auto noise = ExactDiscreteLaplace::create(detail::divide_up(steps, config.epsilon));  // (3)
  if (!noise) {
    return fail(ErrorCode::kInvalidArgument,
                "granularity " + number_text(grid.granularity()) +
                    " asks for noise of a scale outside 0.001 to 2^41 of its steps",
                "/granularity");
  }
  return LaplaceMechanism(config, grid, steps, *noise);
}

Guarantee LaplaceMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Dwork, McSherry, Nissim, Smith (TCC 2006), proposition 1, on a grid"};
}

}  // namespace assay
