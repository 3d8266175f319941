#include "assay/auditors/methods/paths.hpp"

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

LowerBound<Delta> PathEvent::delta(Epsilon epsilon) const {
  // P - e^eps Q, with P and Q moved against us by the error of their logarithms.
  const auto excess = [&](double log_a, double log_b) {
    const double a = log_a - log_error;
    const double b = epsilon.value + log_b + log_error;
    return a > b ? -portable_exp(a) * portable_expm1(b - a) * (1.0 - 1e-14) : 0.0;
  };
  return {Delta{std::max(excess(log_p, log_q), excess(log_q, log_p))}};
}

}  // namespace assay
