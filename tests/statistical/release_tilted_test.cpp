// Release audits by tilted plays, of Gaussian best-arm policies whose actions have an exact law: no more
// bounds miss it than alpha allows, and at a small delta they come near it where plain plays see nothing.
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/known_pair.hpp"

namespace assay {
namespace {

// Changes the reward of an arm that the others are ahead of by `shift` scales.
KnownPair known_gauss_pair(const DpBaiGauss::Config& config, double shift, std::size_t which = 0) {
  return known_best_arm_pair(DpBaiGauss::create(config).value(), which, std::array{shift});
}

class Untilted final : public PairRelease {
 public:
  explicit Untilted(const PairRelease& release) : release_(release) {}
  ReleasedPlay sample(Side side, ReplayStream random) const override {
    return release_.sample(side, random);
  }

 private:
  const PairRelease& release_;
};

ReleasePlan tilted_plan(double epsilon, double delta, std::int64_t samples) {
  return {
      {.claim = ApproximateDp{Epsilon{epsilon}, Delta{delta}}, .seed = 5}, samples / 4, samples};
}

// y = count + Gaussian noise, the count 0 on the old side and 1 on the new one; the action says whether
// y > threshold, which is far off. Under R and R' y is about the threshold, and dP/dR falls beyond it.
class TailRelease final : public PairRelease {
 public:
  TailRelease(double sigma, double threshold) : sigma_(sigma), threshold_(threshold) {}

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    return play(StandardGaussian::from_word(random.next(), count(side), sigma_));
  }
  int tilts() const override { return 1; }
  ReleasedPlay sample_tilted(int, Side, ReplayStream random) const override {
    const double y = StandardGaussian::from_word(random.next(), threshold_, sigma_);
    ReleasedPlay out = play(y);
    const double over_base = std::exp(exponent(y, threshold_) - exponent(y, 0.0));  // dR/dP
    out.weight = 0.5 * (1.0 + std::exp(-out.loss)) / over_base;
    const bool is_above = out.actions[0] == 1;
    out.most_base = is_above ? 0.5 * std::exp(exponent(threshold_, 0.0)) : HUGE_VAL;
    out.most_neighbour = is_above ? 0.5 * std::exp(exponent(threshold_, 1.0)) : HUGE_VAL;
    return out;
  }
  double delta(double epsilon) const { return above(1.0) - std::exp(epsilon) * above(0.0); }

 private:
  static double count(Side side) { return side == Side::kBase ? 0.0 : 1.0; }
  double exponent(double y, double mean) const {
    return -0.5 * (y - mean) * (y - mean) / (sigma_ * sigma_);
  }
  ReleasedPlay play(double y) const {
    return {{y > threshold_ ? 1 : 0}, exponent(y, 0.0) - exponent(y, 1.0)};
  }
  double above(double mean) const {
    return 0.5 * std::erfc((threshold_ - mean) / sigma_ / std::sqrt(2.0));
  }

  double sigma_;
  double threshold_;
};

TEST(ReleaseTiltedValidity, NoBoundMissesTheTruthMoreOftenThanItsShareOfAlphaAllows) {
  const TailRelease releases[] = {TailRelease(0.5, 3.4), TailRelease(1.0, 5.5),
                                  TailRelease(0.4, 2.8)};
  constexpr double kAt = 0.5, kDelta = 1e-6;
  const int runs = 2000;
  for (const double alpha : {0.2, 0.05}) {
    int lower = 0, level = 0, seen = 0;
    ReleasePlan plan = tilted_plan(kAt, kDelta, 80);
    plan.confidence = 1.0 - alpha;
    for (int run = 0; run < runs; ++run) {
      const TailRelease& release = releases[run % 3];
      plan.seed = static_cast<std::uint64_t>(run);
      const auto evidence = audit_by_release(release, plan, {}).value();
      const double delta = evidence.quantities[0].lower.value;
      const double epsilon = evidence.quantities[1].lower.value;
      seen += delta > 0.5 * release.delta(kAt);
      lower += delta > release.delta(kAt);
      level += epsilon > 0.0 && release.delta(epsilon) < kDelta;
    }
    const int limit = binomial_limit(runs, 0.35 * alpha, 4);
    EXPECT_LE(lower, limit);
    EXPECT_LE(level, limit);
    EXPECT_GT(seen, runs / 2);
  }
}

// Two phases, an arm that has to survive the first one.
TEST(ReleaseTiltedValidity, BoundsOfPoliciesWithSeveralPhasesHoldTheirExactTruth) {
  for (const std::size_t which : {0, 2}) {
    const auto pair = known_gauss_pair(
        {.arms = 5, .dimension = 4, .budget = 60, .epsilon = 20.0, .delta = 1e-5}, 10.0, which);
    const auto evidence =
        audit_by_release(*pair.release, tilted_plan(8.0, 1e-6, 4'000), {}).value();
    const auto& level = evidence.quantities[1].lower.value;
    EXPECT_LE(evidence.quantities[0].lower.value, pair.delta(8.0));
    EXPECT_GT(evidence.quantities[0].lower.value, 0.8 * pair.delta(8.0));
    EXPECT_LT(pair.delta(8.0), 1e-5);
    EXPECT_GT(pair.delta(level), 1e-6);
  }
}

// As many plays in all, training included. What the plain ones say is what they say of any rare event.
TEST(ReleaseTiltedGain, CertifiesALevelAtASmallDeltaThatPlainRunsSeeNothingOf) {
  const auto pair =
      known_gauss_pair({.arms = 2, .budget = 100, .epsilon = 1.0, .delta = 1e-6}, 4.34);
  const double truth = 0.547;  // of eps at delta = 1e-6
  ASSERT_GT(pair.delta(truth - 1e-3), 1e-6);
  ASSERT_LT(pair.delta(truth + 1e-3), 1e-6);
  const auto level = [](const PairRelease& release, std::int64_t samples) {
    return audit_by_release(release, tilted_plan(1.0, 1e-6, samples), {})
        .value()
        .quantities[1]
        .lower;
  };
  EXPECT_EQ(level(Untilted(*pair.release), 22'000).value, 0.0);
  EXPECT_GT(level(*pair.release, 10'000).value, 0.95 * truth);
}

// Proposition D.2 of the paper, read for eps = 40: the classical constant is not enough.
TEST(ReleaseTiltedGain, RefutesTheClassicalGaussianConstantByActionsOfAProbabilityOf1e5) {
  const DpBaiGauss::Config config{
      .arms = 2, .budget = 100, .epsilon = 40.0, .delta = 1e-5, .calibration = Calibration::kPaper};
  const auto pair = known_gauss_pair(config, 13.815);
  const auto plan = tilted_plan(40.0, 1e-5, 10'000);
  const auto plain = audit_by_release(Untilted(*pair.release), plan, {}).value();
  const auto tilted = audit_by_release(*pair.release, plan, {}).value();
  EXPECT_EQ(plain.quantities[0].lower.value, 0.0);
  EXPECT_GT(tilted.quantities[0].lower.value, 1.8e-5);
  EXPECT_LE(tilted.quantities[0].lower.value, pair.delta(40.0));
}

TEST(ReleaseTilted, ARunThatIsStoppedIsThatOfItsPlainRuns) {
  const auto pair = known_gauss_pair({.arms = 2, .budget = 4, .epsilon = 1.0, .delta = 1e-6}, 5.0);
  ReleasePlan plan = tilted_plan(1.0, 1e-6, 400);
  plan.stop_after = 400;
  const auto evidence = audit_by_release(*pair.release, plan, {}).value();
  EXPECT_TRUE(evidence.interrupted);
  EXPECT_EQ(evidence.samples, 400);
  EXPECT_EQ(evidence.tilted_samples, 0);
  const auto plain =
      audit_by_release(Untilted(*pair.release), tilted_plan(1.0, 1e-6, 400), {}).value();
  EXPECT_EQ(evidence.quantities[1].lower.value, plain.quantities[1].lower.value);
  EXPECT_EQ(evidence.quantities[1].upper.value, plain.quantities[1].upper.value);
}

}  // namespace
}  // namespace assay
