// Audits that convict a release.
#pragma once

#include "assay/auditors/methods/release.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {

inline int convictions(const PairRelease& release, const PrivacyLevel& claim, std::int64_t runs,
                       int audits) {
  ReleasePlan plan{{.claim = claim}, runs / 2, runs};
  return count_runs(audits, [&](std::uint64_t seed) {
    plan.seed = seed;
    const auto evidence = audit_by_release(release, plan, {}).value();
    return decide(plan.claim, evidence, std::nullopt).verdict == Verdict::kViolated;
  });
}

// At a power of 0.99 nearly all of 100 audits convict the one, and none the other, of so many.
inline void expect_convicted(const PairRelease& wrong, const PairRelease& right,
                             const PrivacyLevel& claim, std::int64_t runs, int acquitted = 100) {
  EXPECT_GE(convictions(wrong, claim, runs, 100), 99);
  EXPECT_EQ(convictions(right, claim, runs, acquitted), 0);
}

}  // namespace assay
