// The worst pair by brute force over all streams of zeros and ones, and the search held against it.
#pragma once

#include "assay/auditors/engine/search.hpp"
#include "assay/tests/support/testing.hpp"
#include "assay/tests/support/thompson_pairs.hpp"

namespace assay {

inline double exact_value(std::int64_t arms, const InputPair& pair, const PrivacyLevel& claim) {
  return detail::exact_objective(thompson_pair(arms, pair), claimed_quantity(claim));
}

inline double brute_force_optimum(std::int64_t arms, std::int64_t horizon,
                                  const PrivacyLevel& claim) {
  double best = 0.0;
  for (std::int64_t bits = 0; bits < (std::int64_t{1} << horizon); ++bits) {
    std::vector<double> stream;
    for (std::int64_t t = 0; t < horizon; ++t) stream.push_back((bits >> t) & 1);
    for (std::int64_t t = 1; t <= horizon; ++t) {
      if (stream[static_cast<std::size_t>(t - 1)] == 1.0) continue;  // each pair once
      best = std::max(best, exact_value(arms, stream_pair(stream, t, 1.0), claim));
    }
  }
  return best;
}

inline void expect_search_within_five_percent(std::int64_t arms, std::int64_t horizon) {
  const PrivacyLevel claims[] = {GaussianDp{Mu{1.0}}, ApproximateDp{Epsilon{0.3}, Delta{1e-6}},
                                 PureDp{Epsilon{0.5}}};
  for (const auto& claim : claims) {
    PairSearchPlan plan{
        .claim = claim, .horizon = horizon, .action_count = static_cast<int>(arms), .seed = 1};
    RunControl control;
    control.threads = 2;
    const auto make = [arms](const InputPair& pair) { return thompson_pair(arms, pair).clone(); };
    const auto found = search_worst_pair(plan, make_objective(make, plan), control);
    const double optimum = brute_force_optimum(arms, horizon, claim);
    EXPECT_GE(exact_value(arms, found.pair, claim), 0.95 * optimum)
        << to_string(claim) << ", " << found.how;
  }
}

}  // namespace assay
