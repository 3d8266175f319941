// Planted faults that a one-run audit convicts, each beside its correct twin, which it acquits.
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/tests/support/canary_targets.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

Verdict one_run_verdict(const FunctionTarget& target, PrivacyLevel claim, std::int64_t runs) {
  const auto canaries = Canaries::structural(target.shape(), 0).value();
  auto players = Players::create(std::make_unique<FunctionTarget>(target), 1).value();
  // The checks of independence take long at more confidence.
  const OneRunPlan plan{{.claim = claim, .confidence = 0.95}, runs, 200};
  return audit_one_run(players, true, canaries, plan, {}).value().decision->verdict;
}

TEST(OneRunFaults, BitsWithHalfTheNoise) {
  EXPECT_EQ(one_run_verdict(released_bits(500, 2.0), PureDp{Epsilon{1.0}}, 1), Verdict::kViolated);
  EXPECT_EQ(one_run_verdict(released_bits(500, 1.0), PureDp{Epsilon{1.0}}, 1),
            Verdict::kNotRefuted);
}

TEST(OneRunFaults, AQuarterOfTheNoise) {
  EXPECT_EQ(one_run_verdict(noisy_values(1000, 0.125), GaussianDp{Mu{2.0}}, 1), Verdict::kViolated);
  EXPECT_EQ(one_run_verdict(noisy_values(1000, 0.5), GaussianDp{Mu{2.0}}, 1), Verdict::kNotRefuted);
}

// Prefix sums, each with fresh noise of its own: an entry is in all later ones. The twin adds up
// releases of single entries.
TEST(OneRunFaults, APrefixSumThatChargesEachReleaseAlone) {
  const auto prefixes = [](bool faulty) {
    return FunctionTarget(
        vector_shape(200, 200),
        [faulty](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
          const auto noise = Laplace::create(0.0, 1.0).value();
          double sum = 0.0, noisy_sum = 0.0;
          for (const double x : input.values) {
            sum += x;
            noisy_sum += x + noise.sample(random);
            out.push_back(faulty ? sum + 0.2 * noise.sample(random) : noisy_sum);
          }
        });
  };
  EXPECT_EQ(one_run_verdict(prefixes(true), PureDp{Epsilon{1.0}}, 1), Verdict::kViolated);
  EXPECT_EQ(one_run_verdict(prefixes(false), PureDp{Epsilon{1.0}}, 1), Verdict::kNotRefuted);
}

// Interference costs a bandit's canaries most of their worth: many runs, and a gross fault.
TEST(OneRunFaults, ABanditWithATenthOfTheNoise) {
  EXPECT_EQ(one_run_verdict(doubling_bandit(30, 0.1), PureDp{Epsilon{1.0}}, 1000),
            Verdict::kViolated);
  EXPECT_EQ(one_run_verdict(doubling_bandit(30, 1.0), PureDp{Epsilon{1.0}}, 1000),
            Verdict::kNotRefuted);
}

}  // namespace
}  // namespace assay
