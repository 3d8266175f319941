#include "assay/auditors/best_arm/claims/counterexamples.hpp"

#include <string>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

Status GaussianCounterexample::check() const {
  if (others <= static_cast<double>(pulls - 1)) return {};
  return out_of_range(kCounterexampleRoot + "/others",
                      "must be at most pulls - 1, as a sum of pulls - 1 rewards in [0, 1], not " +
                          number_text(others));
}

Status MomentsCounterexample::check() const {
  if (second > third * first) return {};
  return out_of_range(kCounterexampleRoot + "/second",
                      "must be above third times first, not " + number_text(second));
}

Status LaterBasisCounterexample::check() const {
  const double first = x1 * x1 + y1 * y1;
  const double area = x1 * y2 - x2 * y1;
  if (first >= 1e-4 && area * area >= 1e-8) return {};
  return out_of_range(kCounterexampleRoot + "/x1",
                      "the first two arms must not be close to 0 or linearly dependent");
}

Status BudgetCounterexample::check() const {
  if (arms > (dimension * dimension + 3) / 4) return {};
  return out_of_range(kCounterexampleRoot + "/arms",
                      "must be above a quarter of the dimension's square, where phases begin as "
                      "printed, not " +
                          std::to_string(arms));
}

}  // namespace assay
