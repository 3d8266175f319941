// 2,000 null audits of programs with two and three generators.
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/generator_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(TwoSeedingsInFull, TwoThousandNullAuditsKeepTheirConfidence) {
  constexpr double kAlpha = 0.05;
  const int runs = 2000;
  int convicted = 0;
  for (int run = 0; run < runs; ++run) {
    auto plan = plan_of_generators(static_cast<std::uint64_t>(run), 1000, 1.0 - kAlpha);
    plan.stop_when_decided = run % 4 == 3;
    const auto outcome = audit_generators(2 + run % 2, {}, plan);
    convicted += outcome.decision->verdict == Verdict::kViolated ? 1 : 0;
  }
  RecordProperty("convicted", convicted);
  EXPECT_LE(convicted, binomial_limit(runs, kAlpha, 1));
}

}  // namespace
}  // namespace assay
