#include "assay/policies/dueling/laplace_sum.hpp"

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

double log_laplace_sum_tail(int m, double x) {
  ASSAY_CHECK(m >= 1 && m <= 64 && x >= 0.0, "m must be 1 to 64 and x at least 0");
  // From k = m - 1 down, Q gains a term at a time. The first weight is C(2m-2, m-1) 2^-(2m-1).
  double weight = 0.5;
  for (int k = 1; k < m; ++k) weight *= (2.0 * k - 1.0) / (2.0 * k);
  double power = 1.0;  // x^j/j!, j = m - 1 - k
  double erlang = 1.0;
  double sum = 0.0;
  for (int k = m - 1; k >= 0; --k) {
    sum += weight * erlang;  // (1)
    const int j = m - k;
    power *= x / j;
    erlang += power;
    weight *= 2.0 * k / (m - 1.0 + k + (m == 1 ? 1.0 : 0.0));
  }
  return portable_log(2.0 * sum) - x;
}

double laplace_sum_quantile(int m, double log_beta) {
  double high = 1.0;
  while (log_laplace_sum_tail(m, high) > log_beta) high *= 2.0;
  double low = 0.0;
  if (log_laplace_sum_tail(m, low) <= log_beta) return low;
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return high;
    (log_laplace_sum_tail(m, middle) <= log_beta ? high : low) = middle;
  }
}

}  // namespace assay
