// A target at exactly its claimed level must not be convicted more often than alpha says, although pair,
// score and event are chosen from its plays; and its leaking twin is.
#include <gtest/gtest.h>

#include "assay/auditors/methods/black_box/audit.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

constexpr double kAlpha = 0.05;

Verdict audit_teller(double epsilon, std::uint64_t seed) {
  auto players = Players::create(std::make_unique<FunctionTarget>(teller(6, epsilon)), 1).value();
  BlackBoxPlan plan;
  plan.claim = PureDp{Epsilon{1.0}};
  plan.confidence = 1.0 - kAlpha;
  plan.samples = 400;
  plan.seed = seed;
  plan.say_visible = false;
  plan.pairs = structural_pairs(players.shape(), 4);
  return audit_black_box(players, true, plan, {}).value().report.verdict;
}

TEST(BlackBoxValidity, ATrueClaimAtItsBoundaryIsRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = repetitions(1000);
  int refuted = 0;
  for (int run = 0; run < runs; ++run) {
    refuted += audit_teller(1.0, static_cast<std::uint64_t>(run)) == Verdict::kViolated ? 1 : 0;
  }
  EXPECT_LE(refuted, binomial_limit(runs, kAlpha, 1));
}

TEST(BlackBoxValidity, ItsLeakingTwinIsConvicted) {
  const int runs = repetitions(200);
  int refuted = 0;
  for (int run = 0; run < runs; ++run) {
    refuted += audit_teller(2.0, static_cast<std::uint64_t>(run)) == Verdict::kViolated ? 1 : 0;
  }
  EXPECT_GE(refuted, runs * 98 / 100);
}

}  // namespace
}  // namespace assay
