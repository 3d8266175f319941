#include "assay/auditors/methods/losses.hpp"

namespace assay::detail {

int draw_from_log_weights(std::span<const double> log_weights, double log_total, double u) {
  double cumulative = 0.0;
  int last_possible = 0;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    const double share = portable_exp(log_weights[i] - log_total);
    if (share <= 0.0) continue;
    last_possible = static_cast<int>(i);
    cumulative += share;
    if (u < cumulative) return last_possible;
  }
  return last_possible;  // the shares sum to 1 up to rounding
}

}  // namespace assay::detail
