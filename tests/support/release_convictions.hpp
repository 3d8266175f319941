// Audits that convict a release.
#pragma once

#include <cstdint>
#include <optional>

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/release.hpp"

namespace assay {

inline int convictions(const PairRelease& release, const PrivacyLevel& claim, std::int64_t plays,
                       int audits) {
  ReleasePlan plan;
  plan.claim = claim;
  plan.training = plays / 2;
  plan.samples = plays;
  int convicted = 0;
  for (int i = 0; i < audits; ++i) {
    plan.seed = static_cast<std::uint64_t>(i);
    const auto evidence = audit_by_release(release, plan, {}).value();
    convicted += decide(plan.claim, evidence, std::nullopt).verdict == Verdict::kViolated;
  }
  return convicted;
}

}  // namespace assay
