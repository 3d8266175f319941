// Finite mechanisms against their laws: worst loss over two inputs, chi-square of samples.
#pragma once

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/tests/support/goodness_of_fit.hpp"

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

// Pearson's chi-square at alpha = 1e-6.
inline void expect_counts_follow(std::span<const double> counts, std::span<const double> log_pmf,
                                 double draws, std::string_view what) {
  std::vector<double> pmf;
  for (const double x : log_pmf) pmf.push_back(std::exp(x));
  const auto fit = fit_of_counts(pmf, counts, draws);
  ASSERT_GE(fit.cells, 2) << what;
  EXPECT_GT(fit.p_value, kTestAlpha) << what;
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
