// 2,000 null audits of programs with two and three generators.
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/generator_target.hpp"

namespace assay {
namespace {

TEST(TwoSeedingsInFull, TwoThousandNullAuditsKeepTheirConfidence) {
  constexpr double kAlpha = 0.05;
  const int runs = 2000;
  const int convicted = count_runs(runs, [](std::uint64_t run) {
    auto plan = plan_of_generators(run, 1000, 1.0 - kAlpha);
    plan.stop_when_decided = run % 4 == 3;
    const auto outcome = audit_generators(run % 2 == 0 ? 2 : 3, {}, plan);
    return outcome.decision->verdict == Verdict::kViolated;
  });
  RecordProperty("convicted", convicted);
  EXPECT_LE(convicted, binomial_limit(runs, kAlpha, 1));
}

}  // namespace
}  // namespace assay
