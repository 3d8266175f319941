// The largest count of errors that a test of validity accepts.
#pragma once

#include <boost/math/distributions/binomial.hpp>

namespace assay {

inline constexpr double kTestAlpha = 1e-6;   // that an assertion fails where all is right
inline constexpr double kAuditAlpha = 0.05;  // at which audits err, where they are counted

// Smallest k with P(Binomial(runs, rate) > k) <= 1e-3/cells: one of `cells` such counts exceeds its
// limit with probability at most 1e-3 when every error rate is at most `rate`.
inline int binomial_limit(int runs, double rate, int cells) {
  const boost::math::binomial_distribution<> errors(runs, rate);
  int k = 0;
  while (boost::math::cdf(boost::math::complement(errors, k)) > 1e-3 / cells) ++k;
  return k;
}

}  // namespace assay
