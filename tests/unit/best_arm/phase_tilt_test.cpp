// The tilted noise of a phase: its ratio to what it is tilted from, and the bound of that where the arm does
// what is asked.
#include "assay/auditors/best_arm/phase_tilt.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

PhasePlan phase_plan(std::size_t arms, std::int64_t keep, std::vector<double> weights = {}) {
  PhasePlan plan{.active = all_arms(static_cast<std::int64_t>(arms))};
  plan.pulled = plan.active;
  plan.pulls.assign(arms, 3);
  plan.weights = std::move(weights);
  plan.noise = PhaseNoise::kGaussian;
  for (std::size_t j = 0; j < plan.values(); ++j) plan.scales.push_back(0.1 + 0.02 * double(j));
  plan.keep = keep;
  return plan;
}

// Two values behind four scores.
PhasePlan planar_plan(std::int64_t keep) {
  PhasePlan plan = phase_plan(4, keep);
  plan.pulled = {0, 1};
  plan.pulls = {3, 3};
  plan.scales = {0.1, 0.12};
  plan.weights = {1.0, 0.0, 0.0, 1.0, 0.6, 0.5, -0.4, 0.8};
  return plan;
}

bool happens(const std::vector<int>& survivors, int arm, PhaseFate fate) {
  return std::binary_search(survivors.begin(), survivors.end(), arm) ==
         (fate == PhaseFate::kSurvives);
}

struct TiltedSetting {
  PhasePlan plan;
  std::vector<double> exact;
  int arm;
  PhaseFate fate;
};

std::vector<TiltedSetting> settings() {
  return {{phase_plan(2, 1), {0.0, 0.9}, 0, PhaseFate::kSurvives},
          {phase_plan(5, 2), {0.0, 0.6, 0.5, 0.7, 0.1}, 0, PhaseFate::kSurvives},
          {phase_plan(5, 2), {0.0, 0.1, 0.5, 0.7, 0.2}, 3, PhaseFate::kIsDropped},
          {phase_plan(2, 1), {0.0, 0.3}, 0, PhaseFate::kSurvives},
          {planar_plan(1), {0.9, 0.1}, 3, PhaseFate::kSurvives},
          {planar_plan(3), {0.9, 0.5}, 0, PhaseFate::kIsDropped}};
}

// E_R[dP/dR 1_A] = P(A), and dP/dR <= B on A: both by plays of R, P(A) by plays of P where it is no rarer
// than they see.
TEST(PhaseTilt, WeighsWhatItMakesFrequentAndHoldsItsBound) {
  for (const TiltedSetting& s : settings()) {
    const auto tilt = PhaseTilt::create(s.plan, s.exact, s.arm, s.fate);
    ASSERT_TRUE(tilt);
    constexpr int kRuns = 40'000;
    double tilted = 0.0, square = 0.0, plain = 0.0, frequent = 0.0;
    for (int i = 0; i < kRuns; ++i) {
      ReplayStream from_r({1, 2, static_cast<std::uint64_t>(i)});
      const auto z = tilt->release(from_r);
      if (happens(s.plan.survivors(z), s.arm, s.fate)) {
        const double ratio = std::exp(-tilt->log_ratio(z));
        EXPECT_LE(ratio, std::exp(tilt->log_bound()) * (1.0 + 1e-9));
        tilted += ratio / kRuns;
        square += ratio * ratio / kRuns;
        frequent += 1.0 / kRuns;
      }
      ReplayStream from_p({1, 3, static_cast<std::uint64_t>(i)});
      const auto y = s.plan.release(s.exact, from_p);
      plain += happens(s.plan.survivors(y), s.arm, s.fate) ? 1.0 / kRuns : 0.0;
    }
    EXPECT_GT(frequent, 0.05);
    EXPECT_GT(tilted, 0.003 * std::exp(tilt->log_bound()));
    // Five deviations of either mean, alpha = 6e-7.
    const double spread = std::sqrt(square / kRuns) + std::sqrt(std::max(plain, tilted) / kRuns);
    EXPECT_NEAR(tilted, plain, 5.0 * spread);
  }
}

TEST(PhaseTilt, FindsTheTailOfTwoMeansWhereNoPlaySeesIt) {
  const PhasePlan plan = phase_plan(2, 1);
  const std::vector<double> exact{0.0, 0.9};
  const auto tilt = PhaseTilt::create(plan, exact, 0, PhaseFate::kSurvives);
  constexpr int kRuns = 40'000;
  double sum = 0.0;
  for (int i = 0; i < kRuns; ++i) {
    ReplayStream random({1, 4, static_cast<std::uint64_t>(i)});
    const auto z = tilt->release(random);
    if (z[0] >= z[1]) sum += std::exp(-tilt->log_ratio(z)) / kRuns;
  }
  const double truth = 0.5 * std::erfc(0.9 / std::hypot(0.1, 0.12) / std::sqrt(2.0));  // 4e-9
  EXPECT_NEAR(sum / truth, 1.0, 0.06);
}

TEST(PhaseTilt, IsNoneWhereItsBoundWouldNotHold) {
  const std::vector<double> exact{0.0, 0.9};
  const auto none = [&](const PhasePlan& plan, int arm) {
    return !PhaseTilt::create(plan, exact, arm, PhaseFate::kSurvives);
  };
  PhasePlan plan = phase_plan(2, 1);
  EXPECT_FALSE(none(plan, 1));
  EXPECT_TRUE(none(plan, 2));
  plan.noise = PhaseNoise::kLaplace;
  EXPECT_TRUE(none(plan, 1));
  plan.noise = PhaseNoise::kGaussian;
  plan.faults.ranks_exact = true;
  EXPECT_TRUE(none(plan, 1));
  EXPECT_TRUE(none(phase_plan(2, 2), 1));
}

}  // namespace
}  // namespace assay
