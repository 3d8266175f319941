// Audits by release: how often their bounds miss the exact truth.
#include "assay/auditors/dueling/dueling_pair.hpp"
#include "assay/auditors/methods/release.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/duel_transcript_distribution.hpp"
#include "assay/tests/support/known_pair.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/threshold_release.hpp"

namespace assay {
namespace {

// The release method under the null: of 2,000 audits, no more than alpha allows have a bound on the
// wrong side of the truth, which is known in closed form.

ReleasePlan release_plan(double epsilon, double delta, double alpha, std::int64_t training,
                         std::int64_t samples) {
  const ApproximateDp claim{Epsilon{epsilon}, Delta{delta}};
  return {{.claim = claim, .confidence = 1.0 - alpha}, training, samples};
}

struct MissedThresholds {
  int delta_lower = 0, delta_upper = 0, epsilon_lower = 0, epsilon_upper = 0;

  void audit(const ThresholdRelease& release, double epsilon, double alpha, std::uint64_t seed) {
    auto plan = release_plan(epsilon, 0.02, alpha, 40, 160);
    plan.seed = seed;
    const auto evidence = audit_by_release(release, plan, {}).value();
    const auto& delta = evidence.quantities[0];
    const auto& level = evidence.quantities[1];
    delta_lower += delta.lower.value > release.delta(epsilon);
    delta_upper += delta.upper.value < release.release_delta(epsilon);
    epsilon_lower += release.delta(level.lower.value) < 0.02;
    epsilon_upper += release.release_delta(level.upper.value) > 0.02;
  }
};

// Every statement has at most a third of alpha; each is held to its share of 0.35. The audits are
// of three pairs in turn.
TEST(ReleaseValidity, NoBoundMissesTheTruthMoreOftenThanItsShareOfAlphaAllows) {
  const ThresholdRelease releases[] = {ThresholdRelease(0.5, {0.2, 0.5, 0.9}),
                                       ThresholdRelease(1.0, {0.5}),
                                       ThresholdRelease(0.3, {-0.5, 1.5})};
  const int runs = dear_repetitions(2000);
  for (const double alpha : {0.2, 0.05}) {
    MissedThresholds missed;
    for (int run = 0; run < runs; ++run) {
      missed.audit(releases[run % 3], 0.8, alpha, static_cast<std::uint64_t>(run));
    }
    const int limit = binomial_limit(runs, 0.35 * alpha, 8);
    EXPECT_LE(missed.delta_lower, limit);
    EXPECT_LE(missed.delta_upper, limit);
    EXPECT_LE(missed.epsilon_lower, limit);
    EXPECT_LE(missed.epsilon_upper, limit);
  }
}

// Release audits of policies under the null: the truth of the actions or duels is known from their
// exact law, and no more bounds miss it than alpha allows.

struct MissedBounds {
  int lower = 0, upper = 0, level = 0;

  void expect_at_most(int limit) const {
    EXPECT_LE(lower, limit);
    EXPECT_LE(upper, limit);
    EXPECT_LE(level, limit);
  }
};

// Of `runs` audits, of the pairs in turn, by `release_of(pair)`.
template <class ReleaseOf>
MissedBounds missed_bounds(const std::vector<KnownPair>& pairs, ReleasePlan plan, int runs,
                           const ReleaseOf& release_of) {
  const auto [epsilon, delta] = std::get<ApproximateDp>(plan.claim);
  MissedBounds out;
  for (int run = 0; run < runs; ++run) {
    const auto& pair = pairs[static_cast<std::size_t>(run) % pairs.size()];
    plan.seed = static_cast<std::uint64_t>(run);
    const auto found = audit_by_release(release_of(pair), plan, {}).value().quantities;
    const double level = found[1].lower.value;
    out.lower += found[0].lower.value > pair.delta(epsilon.value);
    out.upper += found[0].upper.value < pair.delta(epsilon.value, false);
    out.level += level > 0.0 && pair.delta(level) < delta.value;
  }
  return out;
}

TEST(BestArmReleaseValidity, NoBoundMissesTheExactTruthMoreOftenThanItsShareOfAlphaAllows) {
  std::vector<KnownPair> pairs;
  pairs.push_back(
      known_best_arm_pair(DpBai::create({.arms = 6, .budget = 30, .epsilon = 2.0}).value(), 4));
  pairs.push_back(known_best_arm_pair(
      BaiBaseline::create({.arms = 4, .dimension = 4, .budget = 24, .epsilon = 2.0}).value(), 3));
  pairs.push_back(
      known_best_arm_pair(DpOd::create({.arms = 3, .budget = 24, .epsilon = 2.0}).value(), 0));
  const int runs = dear_repetitions(2000);
  for (const double alpha : {0.2, 0.05}) {
    const auto missed =
        missed_bounds(pairs, release_plan(0.5, 0.02, alpha, 30, 120), runs,
                      [](const KnownPair& pair) -> const PairRelease& { return *pair.release; });
    missed.expect_at_most(binomial_limit(runs, 0.35 * alpha, 6));
  }
}

// Arm 0 beats arm 1 in the rounds whose bits are set; round `changed`, from 0, turns.
KnownPair known_duel_pair(std::int64_t horizon, double epsilon, unsigned bits,
                          std::int64_t changed) {
  InputTable base = InputTable::zeros(horizon, 4);
  for (std::int64_t t = 0; t < horizon; ++t) base.row(t)[(bits >> t & 1u) == 1 ? 1 : 2] = 1.0;
  const auto base_row = base.row(changed);
  const Edit edit{changed, {0.0, base_row[2], base_row[1], 0.0}};
  const InputPair pair = InputPair::of(std::move(base), edit);
  // Without a radius an arm leaves in one play of two.
  const auto policy =
      DpEbsElimination::create(
          {.horizon = horizon, .epsilon = epsilon, .delta = 0.5, .radius = Radius::kNone})
          .value();
  return {
      dueling_release(policy, pair, policy.spent_epsilon()).value(),
      ExactLoss::create(duel_transcript_distributions(policy, pair).value().distributions).value()};
}

// Losses that say `factor` times what the release tells.
class Overstated final : public PairRelease {
 public:
  Overstated(const PairRelease& release, double factor) : release_(release), factor_(factor) {}
  ReleasedPlay sample(Side side, ReplayStream random) const override {
    auto play = release_.sample(side, random);
    play.loss *= factor_;
    return play;
  }

 private:
  const PairRelease& release_;
  double factor_;
};

MissedBounds missed_duels(const std::vector<KnownPair>& pairs, double alpha, int runs,
                          std::int64_t samples, double factor) {
  return missed_bounds(pairs, release_plan(0.0, 0.01, alpha, samples / 4, samples), runs,
                       [&](const KnownPair& pair) { return Overstated(*pair.release, factor); });
}

std::vector<KnownPair> known_pairs() {
  std::vector<KnownPair> pairs;
  pairs.push_back(known_duel_pair(5, 2.0, 0b00000, 1));
  pairs.push_back(known_duel_pair(6, 4.0, 0b000000, 1));
  pairs.push_back(known_duel_pair(8, 2.0, 0b10101010, 0));
  return pairs;
}

TEST(DuelingReleaseValidity, NoBoundMissesTheExactTruthMoreOftenThanItsShareOfAlphaAllows) {
  const auto pairs = known_pairs();
  const int runs = 1000;
  for (const double alpha : {0.2, 0.05}) {
    missed_duels(pairs, alpha, runs, 240, 1.0)
        .expect_at_most(binomial_limit(runs, 0.35 * alpha, 6));
  }
}

TEST(DuelingReleaseValidity, LossesThatAreOverstatedMissIt) {
  constexpr int kFewRuns = 40;
  EXPECT_GT(missed_duels(known_pairs(), 0.2, kFewRuns, 600, 2.0).lower,
            binomial_limit(kFewRuns, 0.35 * 0.2, 1));
}

}  // namespace
}  // namespace assay
