// Finite mechanisms against their laws: worst loss over two inputs, chi-square of samples.
#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <span>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::testing {

inline double total_probability(const std::vector<double>& log_pmf) {
  double sum = 0.0;
  for (const double x : log_pmf) sum += std::exp(x);
  return sum;
}

// max over outputs of log P - log Q; events do no better.
inline double worst_loss(const std::vector<double>& log_p, const std::vector<double>& log_q) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    if (std::isfinite(log_p[i])) most = std::max(most, log_p[i] - log_q[i]);
  }
  return most;
}

inline double pure_level(const Guarantee& guarantee) {
  return std::get<PureDp>(guarantee.level).epsilon.value;
}

// Pearson's chi-square at alpha = 1e-6, outputs of fewer than 20 expected draws pooled. Draws of an
// output of probability 0 fail outright.
inline void expect_counts_follow(std::span<const double> counts, std::span<const double> log_pmf,
                                 double draws, std::string_view what) {
  double statistic = 0.0;
  double pooled_count = 0.0;
  double pooled_expected = 0.0;
  int cells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = draws * std::exp(log_pmf[i]);
    if (expected == 0.0) {
      EXPECT_EQ(counts[i], 0.0) << what << ": impossible output " << i;
    } else if (expected < 20.0) {
      pooled_count += counts[i];
      pooled_expected += expected;
    } else {
      statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
      ++cells;
    }
  }
  if (pooled_expected >= 20.0) {
    const double gap = pooled_count - pooled_expected;
    statistic += gap * gap / pooled_expected;
    ++cells;
  }
  ASSERT_GE(cells, 2) << what;
  const boost::math::chi_squared_distribution<> law(cells - 1);
  EXPECT_GT(boost::math::cdf(boost::math::complement(law, statistic)), 1e-6)
      << what << ": chi-square " << statistic << " with " << cells - 1 << " degrees of freedom";
}

template <FiniteMechanism M>
void expect_releases_follow_pmf(const M& mechanism, const typename M::Input& input, int draws,
                                std::string_view what) {
  const auto outputs = mechanism.outputs(input);
  std::vector<double> counts(outputs.size(), 0.0);
  ReplayStream random({20260101, hash_purpose(what), 0, 0, Phase::kCertify});
  for (int i = 0; i < draws; ++i) {
    const auto at = std::find(outputs.begin(), outputs.end(), mechanism.release(input, random));
    ASSERT_NE(at, outputs.end()) << what << ": an output that is not listed";
    counts[static_cast<std::size_t>(at - outputs.begin())] += 1.0;
  }
  expect_counts_follow(counts, mechanism.log_pmf(input), draws, what);
}

}  // namespace assay::testing
