// Small error probabilities against closed forms, and against plain trials where those see errors.
#include "assay/policies/best_arm/rare_errors.hpp"

#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/error_rate.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

const ArmFeatures kAxes{2, 2, {1, 0, 0, 1}};

RareEventEstimate estimate(const PhasePlanner& planner, std::vector<double> means,
                           std::int64_t trials = 40'000) {
  const auto arms = UniformArms::create(std::move(means)).value();
  return estimate_rare_errors(planner, arms, 0, {.trials = trials}, {.threads = 2}).value();
}

void expect_holds(const RareEventEstimate& estimate, double truth, double relative_width) {
  EXPECT_LE(estimate.lower(), truth);
  EXPECT_GE(estimate.upper(), truth);
  EXPECT_LE((estimate.upper() - estimate.lower()) / truth, relative_width);
}

// Arms that pay 1 and 0 for sure: the noises alone decide.
TEST(RareErrors, OfSureArmsAreTheTailsOfTheirNoise) {
  for (const double t : {1.0, 5.0, 30.0, 400.0}) {  // the gap in scales of the noise
    const auto laplace = DpBai::create({.budget = 20, .epsilon = t / 10.0}, kAxes).value();
    expect_holds(estimate(laplace.planner(), {1.0, 0.0}), 0.5 * (1.0 + 0.5 * t) * std::exp(-t),
                 t <= 30.0 ? 0.3 : 2.0);
  }
  for (const double z : {1.0, 5.0, 7.0, 30.0}) {
    DpBaiGaussConfig config{.budget = 20, .delta = 0.01, .calibration = Calibration::kPaper};
    // Standard deviation sqrt(2) c/10 with c = sqrt(2 log(125))/eps.
    config.epsilon = z * std::sqrt(2.0) * std::sqrt(2.0 * std::log(125.0)) / 10.0;
    const auto gauss = DpBaiGauss::create(config, kAxes).value();
    expect_holds(estimate(gauss.planner(), {1.0, 0.0}), 0.5 * std::erfc(z / std::sqrt(2.0)), 0.4);
  }
}

// Without noise the sums decide: for n pulls of U[0, 1] and an arm that pays m for sure, the law of
// Irwin and Hall, P(S_n <= x) = sum_k (-1)^k (x - k)^n / (k! (n - k)!).
TEST(RareErrors, OfUniformArmsAreThoseOfIrwinAndHall) {
  const auto halving = SequentialHalving::create({.arms = 2, .budget = 24}).value();
  // The best arm pays U[0, 1]; the other is sure to pay 0 or almost so.
  const double low = 0.02;  // U[0, 0.04]
  const auto found = estimate(halving.planner(), {0.5, low});
  // P(S_12 <= 0.04 S'_12), by the leading term of each: E[(0.04 S')^12]/12!, exact since 0.48 < 1.
  long double moment = 0.0L;  // E[S'^12] for S' a sum of 12 uniforms: 12! [x^12] ((e^x - 1)/x)^12
  std::vector<long double> power{1.0L};
  for (int factor = 0; factor < 12; ++factor) {
    std::vector<long double> next(13, 0.0L);
    for (std::size_t a = 0; a < power.size(); ++a) {
      long double term = 1.0L;  // 1/(k + 1)!
      for (std::size_t k = 0; a + k <= 12; ++k) {
        term /= static_cast<long double>(k + 1);
        next[a + k] += power[a] * term;
      }
    }
    power = next;
  }
  moment = power[12];
  expect_holds(found, static_cast<double>(moment * std::pow(0.04L, 12)), 0.4);
  EXPECT_LT(found.value(), 1e-12);
}

TEST(RareErrors, AgreeWithPlainTrialsWhereThoseSeeErrors) {
  const auto instance = figure1_instance(1);
  const auto arms = UniformArms::create(instance.means).value();
  const auto compare = [&](const auto& policy) {
    const auto rare =
        estimate_rare_errors(policy.planner(), arms, 0, {.trials = 20'000}, {.threads = 2}).value();
    const auto plain =
        must(count_errors(policy, arms, 0, {.id = "plain", .trials = 20'000, .seed = 3}));
    // Six standard deviations of the plain count: 2e-9.
    const double slack = 6.0 * std::sqrt(plain.rate() / 20'000.0);
    EXPECT_GT(plain.errors, 20);
    EXPECT_LE(rare.lower() - slack, plain.rate());
    EXPECT_GE(rare.upper() + slack, plain.rate());
    EXPECT_NEAR(rare.value(), plain.rate(), slack + 0.5 * (rare.upper() - rare.lower()));
  };
  const auto& features = instance.features;
  compare(DpBai::create({.budget = 400, .epsilon = 1.0}, features).value());
  compare(DpOd::create({.budget = 700, .epsilon = 1.0}, features).value());
  compare(OdLinBai::create({.budget = 400}, features).value());
  compare(BaiBaseline::create({.budget = 1500, .epsilon = 5.0}, features).value());
}

TEST(RareErrors, AreTheSameOnAnyNumberOfThreadsAndRefuseWhatTheyCannot) {
  const auto arms = UniformArms::create({0.5, 0.2}).value();
  const auto policy = DpBai::create({.budget = 60}, kAxes).value();
  const auto one = estimate_rare_errors(policy.planner(), arms, 0, {.trials = 1000}).value();
  const auto three =
      estimate_rare_errors(policy.planner(), arms, 0, {.trials = 1000}, {.threads = 3}).value();
  EXPECT_EQ(one.log_value, three.log_value);
  EXPECT_EQ(one.log_lower, three.log_lower);
  const auto error = [&](const PhasePlanner& planner, int best, RareErrorPlan plan) {
    return estimate_rare_errors(planner, arms, best, plan).error().message;
  };
  const auto halving = SequentialHalving::create({.arms = 3, .budget = 60}).value();
  EXPECT_THAT(error(halving.planner(), 0, {}), HasSubstr("must have one phase, not 2"));
  EXPECT_THAT(error(policy.planner(), 2, {}), HasSubstr("best must be 0 to 1, not 2"));
  EXPECT_THAT(error(policy.planner(), 0, {.trials = 1}), HasSubstr("trials must be at least 2"));
  EXPECT_THAT(error(policy.planner(), 0, {.alpha = 0.0}), HasSubstr("alpha must be above 0"));
}

TEST(RareErrors, DrawTiltedUniformsToTheLastBitsAtAnySlope) {
  for (const long double a : {1e-12L, 3e-9L, 1e-7L, 1e-5L, 0.01L, 0.9L, 1.1L, 30.0L}) {
    for (const long double u : {0.001L, 0.3L, 0.5L, 0.999L}) {
      // Up to a^2 where the quotient of long doubles would lose them too.
      const long double exact = a < 1e-6L ? u + a * u * (u - 1.0L) * (-0.5L)
                                          : 1.0L + std::log1p((1.0L - u) * std::expm1(-a)) / a;
      EXPECT_NEAR(detail::TiltedUniform(double(a))(double(u)), double(exact), 1e-14) << double(a);
      EXPECT_NEAR(detail::TiltedUniform(-double(a))(1.0 - double(u)), 1.0 - double(exact), 1e-14);
    }
  }
  EXPECT_EQ(detail::TiltedUniform(0.0)(0.25), 0.25);
}

// (2) of the tool itself: at alpha = 0.05 the interval misses a known mean at most that often.
TEST(RareEvents, IntervalsHoldTheTruth) {
  int misses = 0;
  for (std::uint64_t repeat = 0; repeat < 400; ++repeat) {
    const auto found = must(estimate_rare_event(
        {.trials = 500, .alpha = 0.05, .log_bound = std::log(1e-20)}, RunControl{},
        [&](std::int64_t trial) {
          ReplayStream random({.seed = repeat, .replicate = static_cast<std::uint64_t>(trial)});
          const double u = random.uniform();
          return u * u;
        }));
    misses += found.lower() > 1e-20 / 3.0 || found.upper() < 1e-20 / 3.0 ? 1 : 0;
  }
  EXPECT_LE(misses, 20);
}

}  // namespace
}  // namespace assay
