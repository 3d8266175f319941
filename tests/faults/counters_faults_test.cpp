// Planted faults of binary-tree counters that a black-box audit convicts, each beside the counter of
// the library, which it acquits.
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/square_root_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/tests/support/canary_targets.hpp"
#include "assay/tests/support/counter_algebra.hpp"

namespace assay {
namespace {

constexpr std::int64_t kSteps = 4;
constexpr double kCounterEpsilon = 1.0;

// x_1 moves from 0 to 1, or x_2 does.
BlackBoxPlan counter_plan(std::int64_t steps, const PrivacyLevel& claim) {
  BlackBoxPlan plan{{.claim_text = "test", .claim = claim}, 4000};
  for (std::size_t entry = 0; entry < 2; ++entry) {
    InputTable base_input{1, steps, std::vector<double>(static_cast<std::size_t>(steps), 0.0)};
    InputTable neighbour_input = base_input;
    neighbour_input.values[entry] = 1.0;
    plan.pairs.push_back(pair_of(base_input, neighbour_input).value());
  }
  plan.pairs_text = "an early entry";
  plan.say_visible = false;
  plan.output_grid = 0x1p-20;  // the faults are in the law, not in the low bits of doubles
  return plan;
}

Verdict counter_verdict(const PlayFunction& play, std::int64_t steps, std::int64_t outputs,
                        const PrivacyLevel& claim) {
  auto target = std::make_unique<FunctionTarget>(vector_shape(steps, outputs), play);
  auto players = Players::create(std::move(target), 1).value();
  return audit_black_box(players, true, counter_plan(steps, claim), {}).value().decision->verdict;
}

// The tree's intervals with noise at the scale of the library's counter.
enum class TreeFault {
  kNone,
  kNoiseOfTheParent,  // an interval's noise is that of the whole stream's
  kFreshNoise,        // every estimate draws the noise of its intervals anew
};

Verdict verdict_of_tree(TreeFault fault, const TreeCounterConfig& config) {
  const auto mechanism = TreeCounterMechanism::create(config).value();
  const auto noise = mechanism.noise();
  const auto rows = testing::plain_tree_rows(static_cast<std::size_t>(config.horizon));
  std::vector<std::vector<std::size_t>> intervals;  // of each estimate
  for (const auto& row : rows) {
    intervals.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != 0.0) intervals.back().push_back(i);
    }
  }
  const std::size_t nodes = rows.front().size();
  const PlayFunction play = [=](const InputTable& input, ReplayStream& random,
                                std::vector<double>& out) {
    std::vector<double> z(nodes);
    for (double& x : z) x = noise.sample(random);
    if (fault == TreeFault::kNoiseOfTheParent) z.assign(nodes, z.back());
    double sum = 0.0;
    for (std::size_t t = 0; t < intervals.size(); ++t) {
      sum += input.values[t];
      double estimate = sum;
      for (const std::size_t i : intervals[t]) {
        estimate += fault == TreeFault::kFreshNoise ? noise.sample(random) : z[i];
      }
      out.push_back(estimate);
    }
  };
  return counter_verdict(play, config.horizon, config.horizon, mechanism.guarantee().level);
}

constexpr TreeCounterConfig kLaplaceTree{
    kSteps, kCounterEpsilon, 0.0, 1.0, 0.0, CounterNoise::kIdealizedLaplace};
constexpr TreeCounterConfig kGaussianTree{64,  8.0, 1e-5,
                                          1.0, 0.0, CounterNoise::kIdealizedGaussian};

template <class Mechanism>
PlayFunction releases_of(const Mechanism& mechanism) {
  return [mechanism](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
    out = mechanism.release(input.values, random);
  };
}

TEST(CounterFaults, ReuseOfTheParentsNoiseIsConvicted) {
  EXPECT_EQ(verdict_of_tree(TreeFault::kNoiseOfTheParent, kLaplaceTree), Verdict::kViolated);
}

// An early entry is then in every estimate, with independent noises: the exact level is the root of
// the sum of 1/popcount(t) over s, 1.9 times the claim.
TEST(CounterFaults, FreshNoiseForEveryQueryIsConvicted) {
  const auto m = TreeCounterMechanism::create(kGaussianTree).value();
  double sum = 0.0;
  for (std::int64_t t = 1; t <= kGaussianTree.horizon; ++t) sum += 1.0 / m.variance(t);
  EXPECT_GT(std::sqrt(sum), 1.9 * std::get<GaussianDp>(m.guarantee().level).mu.value);
  EXPECT_EQ(verdict_of_tree(TreeFault::kFreshNoise, kGaussianTree), Verdict::kViolated);
}

TEST(CounterFaults, TheSameTreesWithoutAFaultAreAcquitted) {
  EXPECT_EQ(verdict_of_tree(TreeFault::kNone, kLaplaceTree), Verdict::kNotRefuted);
  EXPECT_EQ(verdict_of_tree(TreeFault::kNone, kGaussianTree), Verdict::kNotRefuted);
}

// Noise for one node where an entry is in three, and the counters as they are.
TEST(CounterFaults, ATreeCalibratedToOneNodeIsConvictedAndTheLibrarysAreAcquitted) {
  for (const auto kind : {CounterNoise::kDiscreteLaplace, CounterNoise::kIdealizedLaplace}) {
    const TreeCounterConfig config{kSteps, kCounterEpsilon, 0.0, 1.0, 0.0, kind};
    auto loose = config;
    loose.epsilon = 3.0 * kCounterEpsilon;
    const auto claim = PureDp{Epsilon{kCounterEpsilon}};
    const auto nodes = static_cast<std::int64_t>(testing::dyadic_nodes(kSteps).size());
    EXPECT_EQ(counter_verdict(releases_of(TreeCounterMechanism::create(loose).value()), kSteps,
                              kSteps, claim),
              Verdict::kViolated);
    EXPECT_EQ(counter_verdict(releases_of(TreeCounterMechanism::create(config).value()), kSteps,
                              kSteps, claim),
              Verdict::kNotRefuted);
    EXPECT_EQ(counter_verdict(releases_of(HonakerCounterMechanism::create(config).value()), kSteps,
                              nodes, claim),
              Verdict::kNotRefuted);
    const auto hybrid =
        HybridCounterMechanism::create({kCounterEpsilon, 0.0, 1.0, 0.0, 0.5, kind}).value();
    EXPECT_EQ(counter_verdict(releases_of(hybrid), kSteps, kSteps, claim), Verdict::kNotRefuted);
  }
}

// Noise that is not correlated: the factor applied to the sums, not to the noise.
TEST(CounterFaults, ASquareRootCounterWithIndependentNoiseIsConvicted) {
  const auto m = idealized::SquareRootCounterMechanism::create({kSteps, 2.0, 1.0, 0.0}).value();
  const PlayFunction independent = [m](const InputTable& input, ReplayStream& random,
                                       std::vector<double>& out) {
    double sum = 0.0;
    for (const double x : input.values) {
      sum += x;
      out.push_back(sum + m.factor().noise.sample(random));
    }
  };
  EXPECT_EQ(counter_verdict(independent, kSteps, kSteps, GaussianDp{Mu{2.0}}), Verdict::kViolated);
  EXPECT_EQ(counter_verdict(releases_of(m), kSteps, kSteps, GaussianDp{Mu{2.0}}),
            Verdict::kNotRefuted);
}

}  // namespace
}  // namespace assay
