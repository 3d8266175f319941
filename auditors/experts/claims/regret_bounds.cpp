#include "assay/auditors/experts/claims/regret_bounds.hpp"

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::expert_checks {
namespace {

// sum of 1/j over the ranks first to last.
double harmonic(double first, double last) {
  double sum = 0.0;
  for (double j = first; j <= last; j += 1.0) sum += 1.0 / j;
  return sum;
}

}  // namespace

double actions_of(std::span<const GapGroup> gaps) {
  double actions = 1.0;
  for (const auto& group : gaps) actions += group.times;
  return actions;
}

double theorem_2_bound(std::span<const GapGroup> ascending, double epsilon, double c2) {
  const double actions = actions_of(ascending);
  const double log_actions = portable_log(actions);
  double bound = (8.0 * c2 * log_actions + kC1 * c2) / ascending[0].gap;
  double rank = 2.0;
  for (const auto& group : ascending) {
    if (group.gap > epsilon) {
      bound +=
          2.0 * c2 / epsilon *
          (log_actions * harmonic(rank, rank + group.times - 1.0) + group.times * kC1 / actions);
    }
    rank += group.times;
  }
  return bound;  // (1)
}

double theorem_3_bound(double actions, double epsilon, double rounds) {
  const double far = actions - 5.0;
  double sum = 0.0;
  for (double t = 1.0; t <= rounds; t += 1.0) {
    const double term = far / (3.0 * portable_exp(t * epsilon) + far);
    sum += term;
    if (term < 1e-18 * sum) break;
  }
  return sum;  // (2)
}

double theorem_4_bound(double actions, double epsilon, double factor) {
  return 3.0 + factor / epsilon * portable_log(actions);  // (3)
}

}  // namespace assay::expert_checks
