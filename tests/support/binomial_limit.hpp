// How many runs err, and the largest count of them that a test of validity accepts.
#pragma once

#include <boost/math/distributions/binomial.hpp>

#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/testing.hpp"

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

// How many of the runs 0, 1, .. have it.
template <class HasIt>
int count_runs(int runs, const HasIt& has_it) {
  int count = 0;
  for (int run = 0; run < runs; ++run) count += has_it(static_cast<std::uint64_t>(run)) ? 1 : 0;
  return count;
}

// The same, two at a time.
template <class HasIt>
int count_runs_in_parallel(int runs, const HasIt& has_it) {
  std::vector<int> has(static_cast<std::size_t>(runs));
  parallel_for(2, has.size(), [&](std::size_t run) { has[run] = has_it(run) ? 1 : 0; });
  return std::accumulate(has.begin(), has.end(), 0);
}

}  // namespace assay
