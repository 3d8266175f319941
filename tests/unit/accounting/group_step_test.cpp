// Groups of records, against chains of tests that are evaluated in 50 digits, sums over outcomes, and explicit chains of
// data sets, none of which shares code with the library.
#include "assay/mechanisms/accounting/account/group_step.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/pld/group_loss.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using FiftyDigits = boost::multiprecision::cpp_bin_float_50;

AccountAnswer group_answer(const StepMechanism& step, std::int64_t group, AccountTarget target,
                           std::int64_t count = 1) {
  const ChainStep whole{step, count, "", 1, group};
  return must(account_for(std::span(&whole, 1), std::span(&target, 1))).front();
}
AccountTarget group_delta(double eps) { return {AccountTarget::Asked::kDeltaAtEpsilon, eps}; }
AccountTarget group_eps(double delta) { return {AccountTarget::Asked::kEpsilonAtDelta, delta}; }

void expect_group_within(const AccountAnswer& answer, double truth, double relative_width) {
  ASSERT_TRUE(answer.lower);
  EXPECT_LE(*answer.lower, truth * (1.0 + 1e-14));
  EXPECT_GE(answer.upper, truth * (1.0 - 1e-14));
  EXPECT_LE(answer.upper - *answer.lower, relative_width * truth);
  EXPECT_TRUE(answer.is_exact);
}

// ---- chains of tests in 50 digits ---------------------------------------------------------------

// The largest power of a test of each level, linear between its corners.
struct PowerOfTests {
  std::vector<std::pair<FiftyDigits, FiftyDigits>>
      corners;  // (level, power), from level 0 to level 1

  FiftyDigits at(const FiftyDigits& level) const {
    std::size_t i = 1;
    while (i + 1 < corners.size() && corners[i].first < level) ++i;
    const auto& [x0, y0] = corners[i - 1];
    const auto& [x1, y1] = corners[i];
    return x1 == x0 ? y1 : y0 + (y1 - y0) * (level - x0) / (x1 - x0);
  }
  // The levels of this power; nothing below that of level 0.
  std::optional<FiftyDigits> level_of(const FiftyDigits& power) const {
    if (power < corners.front().second) return std::nullopt;
    for (std::size_t i = 1; i < corners.size(); ++i) {
      const auto& [x0, y0] = corners[i - 1];
      const auto& [x1, y1] = corners[i];
      if (power <= y1 && y1 > y0) return x0 + (x1 - x0) * (power - y0) / (y1 - y0);
    }
    return std::nullopt;
  }
};

PowerOfTests power_of_pair(std::vector<FiftyDigits> p, std::vector<FiftyDigits> q) {
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p[a] * q[b] > p[b] * q[a]; });
  PowerOfTests power{{{0, 0}}};
  FiftyDigits x = 0, y = 0;
  for (const std::size_t i : order) {
    x += q[i];
    y += p[i];
    if (q[i] == 0) power.corners.back() = {x, y};
    if (q[i] != 0) power.corners.emplace_back(x, y);
  }
  return power;
}

// delta of the group: the largest power - e^eps level over the corners of the k-fold chain.
double delta_of_chain(const PowerOfTests& power, int k, double eps) {
  std::vector<FiftyDigits> levels{0};
  for (const auto& [corner, unused] : power.corners) {
    std::optional<FiftyDigits> level = corner;
    for (int i = 0; i < k && level; ++i) {
      levels.push_back(*level);
      level = power.level_of(*level);
    }
  }
  FiftyDigits most = 0;
  for (const FiftyDigits& level : levels) {
    FiftyDigits reached = level;
    for (int i = 0; i < k; ++i) reached = power.at(reached);
    most = std::max<FiftyDigits>(most, reached - exp(FiftyDigits(eps)) * level);
  }
  return static_cast<double>(most);
}

std::vector<FiftyDigits> in_fifty_digits(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// ---- levels --------------------------------------------------------------------------------------

TEST(GroupStep, ALevelIsItsChainOfTests) {
  for (const double eps : {0.01, 0.5, 2.0}) {
    const FiftyDigits kept = exp(FiftyDigits(eps)) / (1 + exp(FiftyDigits(eps)));
    for (const int k : {2, 3, 8}) {
      const auto pure = power_of_pair({kept, 1 - kept}, {1 - kept, kept});
      for (const double share : {0.0, 0.3, 0.9}) {
        const double at = share * eps * k;
        expect_group_within(group_answer(PureStep{eps}, k, group_delta(at)),
                            delta_of_chain(pure, k, at), 1e-9);
      }
      for (const double own : {1e-9, 1e-3, 0.2}) {
        const FiftyDigits d = own;
        const auto power = power_of_pair({d, (1 - d) * kept, (1 - d) * (1 - kept), 0},
                                         {0, (1 - d) * (1 - kept), (1 - d) * kept, d});
        for (const double share : {0.0, 0.5, 1.1}) {
          const double at = share * eps * k;
          expect_group_within(group_answer(ApproximateStep{eps, own}, k, group_delta(at)),
                              delta_of_chain(power, k, at), 1e-9);
        }
      }
    }
  }
}

TEST(GroupStep, APairIsBelowItsChainOfTestsAndAboveOneRecord) {
  const std::vector<double> p{0.5, 0.125, 0.25, 0.125, 0.0}, q{0.125, 0.25, 0.0, 0.5, 0.125};
  const std::pair<std::vector<double>, std::vector<double>> orders[] = {{p, q}, {q, p}};
  for (const int k : {2, 3, 7}) {
    for (const double eps : {0.0, 0.7, 2.0, 3.5}) {
      double above = 0.0, one = 0.0;
      for (const auto& [first, second] : orders) {
        const auto power = power_of_pair(in_fifty_digits(first), in_fifty_digits(second));
        above = std::max(above, delta_of_chain(power, k, eps));
        one = std::max(one, delta_of_chain(power, 1, eps));
      }
      const auto answer = group_answer(FinitePairStep{p, q}, k, group_delta(eps));
      EXPECT_FALSE(answer.is_exact);
      EXPECT_NEAR(answer.upper, above, 1e-12);
      EXPECT_GE(answer.upper, above * (1.0 - 1e-14));
      EXPECT_NEAR(*answer.lower, one, 1e-12);
    }
  }
}

// Small and large masses at both ends, where rounding is worst.
TEST(GroupStep, AChainKeepsSmallMasses) {
  std::vector<double> p, q;
  for (int i = 0; i < 40; ++i) {
    p.push_back(std::ldexp(1.0, -i - 1));
    q.push_back(std::ldexp(1.0, i - 40));
  }
  p.back() *= 2.0;
  q.front() *= 2.0;
  const auto power = power_of_pair(in_fifty_digits(p), in_fifty_digits(q));
  const auto loss = must(loss_of::group(must(loss_of::finite_pair(p, q)), 3));
  for (const double eps : {1.0, 20.0, 60.0}) {
    FiftyDigits delta = loss.mass_at_infinity;
    for (const auto& [l, log_mass] : loss.atoms) {
      if (l > eps) delta += exp(FiftyDigits(log_mass)) * (1 - exp(FiftyDigits(eps) - l));
    }
    const double truth = delta_of_chain(power, 3, eps);
    EXPECT_NEAR(static_cast<double>(delta), truth, 1e-10 * truth) << eps;
  }
  EXPECT_LT(loss.weight_error, 1e-11);
  EXPECT_LT(loss.loss_error, 1e-11);
}

// ---- explicit data sets ---------------------------------------------------------------------------

// Every chain of outputs in which a neighbour is at most a factor e^eps away is below the level's group.
TEST(GroupStep, NoChainOfDataSetsLeaksMoreThanItsLevel) {
  std::mt19937_64 random(5);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  constexpr int kOutputs = 5, kGroup = 4;
  const double eps = 0.4;
  double closest = kInfinity;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::vector<double>> chain{{}};
    double sum = 0.0;
    for (int i = 0; i < kOutputs; ++i) {
      chain[0].push_back(std::exp(-6.0 * uniform()));
      sum += chain[0].back();
    }
    for (double& x : chain[0]) x /= sum;
    const double turn = kOutputs * uniform();  // outputs below it grow
    while (chain.size() <= kGroup) {
      const auto& last = chain.back();
      double rises = 0.0, falls = 0.0;
      for (int i = 0; i < kOutputs; ++i)
        (i < turn ? rises : falls) += last[static_cast<std::size_t>(i)];
      // The largest move that both factors allow.
      const double grown = std::min(rises * std::exp(eps), 1.0 - falls * std::exp(-eps));
      std::vector<double> next;
      for (int i = 0; i < kOutputs; ++i) {
        const double x = last[static_cast<std::size_t>(i)];
        next.push_back(i < turn ? x * grown / rises : x * (1.0 - grown) / falls);
      }
      if (!(rises > 0.0 && falls > 0.0)) break;
      chain.push_back(next);
    }
    if (chain.size() <= kGroup) continue;
    for (const double at : {0.0, 0.5, 1.0, 1.5}) {
      double delta = 0.0;
      for (std::size_t i = 0; i < kOutputs; ++i) {
        delta += std::max(0.0, chain[kGroup][i] - std::exp(at) * chain[0][i]);
      }
      const auto answer = group_answer(PureStep{eps}, kGroup, group_delta(at));
      EXPECT_LE(delta, answer.upper + 1e-12);
      if (at > 0.0) closest = std::min(closest, answer.upper - delta);
    }
  }
  EXPECT_LT(closest, 1e-3);  // some come near
}

// ---- noise ----------------------------------------------------------------------------------------

// sum over integers of (P - e^eps Q)+ for weights that are shifted by k.
template <class Weight>
double shifted_delta(const Weight& weight, int k, double eps) {
  double sum = 0.0, total = 0.0;
  for (int x = -2000; x <= 2000; ++x) {
    total += weight(x);
    sum += std::max(0.0, weight(x - k) - std::exp(eps) * weight(x));
  }
  return sum / total;
}

TEST(GroupStep, NoiseOnIntegersIsShiftedByTheGroup) {
  const auto laplace = [](double x) { return std::exp(-std::fabs(x) / 4.0); };
  const auto gaussian = [](double x) { return std::exp(-0.5 * x * x / 9.0); };
  for (const int k : {2, 5}) {
    for (const double eps : {0.0, 0.3, 1.0}) {
      const auto near = [&](const StepMechanism& step, double truth) {
        const auto answer = group_answer(step, k, group_delta(eps));
        EXPECT_TRUE(answer.is_exact);
        EXPECT_NEAR(*answer.lower, truth, 1e-12);
        EXPECT_NEAR(answer.upper, truth, 1e-12);
      };
      near(DiscreteLaplaceStep{4.0}, shifted_delta(laplace, k, eps));
      near(DiscreteGaussianStep{3.0}, shifted_delta(gaussian, k, eps));
      // A count with this noise, clamped to a range of at least the group.
      const double ratio = std::log(1.0 + 0.125);
      near(TruncatedGeometricStep{3},
           shifted_delta([&](double x) { return std::exp(-std::fabs(x) * ratio); }, k, eps));
    }
  }
}

TEST(GroupStep, OtherNoiseAndScoresMoveByTheGroup) {
  const auto target = group_eps(1e-6);
  const auto same = [&](const StepMechanism& one, std::int64_t group, const StepMechanism& whole,
                        std::int64_t count = 4) {
    const auto grouped = group_answer(one, group, target, count);
    const auto direct = group_answer(whole, 1, target, count);
    EXPECT_NEAR(grouped.upper, direct.upper, 1e-9 * direct.upper) << step_name(one);
    EXPECT_NEAR(*grouped.lower, *direct.lower, 1e-9 * direct.upper) << step_name(one);
    EXPECT_EQ(grouped.is_exact, direct.is_exact) << step_name(one);
  };
  same(GaussianStep{5.0}, 3, GaussianStep{5.0, 3.0});
  same(GaussianStep{0.5, 0.1}, 3, GaussianStep{5.0, 3.0});
  same(LaplaceStep{5.0}, 3, LaplaceStep{5.0, 3.0});
  same(LaplaceStep{0.5, 0.1}, 3, LaplaceStep{5.0, 3.0});
  same(GdpStep{0.1}, 3, GdpStep{0.30000000000000004});
  same(ExponentialStep{0.1}, 3, ExponentialStep{0.30000000000000004});
  same(PermuteAndFlipStep{0.1, true}, 3, PermuteAndFlipStep{0.30000000000000004, true});
  same(NoisyMaxStep{MaxNoise::kGumbel, 5.0}, 3, NoisyMaxStep{MaxNoise::kGumbel, 5.0, 3.0});
  MatrixStep tree;
  tree.factor = "tree";
  tree.steps = 100;
  tree.sigma = 20.0;
  auto far = tree;
  far.sensitivity = 3.0;
  same(must(make_matrix_step(tree)), 3, must(make_matrix_step(far)));
  // Several answers with noise of their own: all of the group on the same ones.
  const ChainStep moved{GaussianStep{5.0}, 1, "", 4, 3};
  EXPECT_NEAR(must(account_for(std::span(&moved, 1), std::span(&target, 1))).front().upper,
              group_answer(GaussianStep{5.0, 3.0}, 1, target, 4).upper, 1e-9);
  EXPECT_NEAR(group_answer(ZcdpStep{0.1}, 3, target).upper,
              group_answer(ZcdpStep{0.9}, 1, target).upper, 1e-9);
}

TEST(GroupStep, EveryRecordHasALocalReportOfItsOwn) {
  const auto target = group_eps(1e-6);
  for (const StepMechanism& step :
       std::vector<StepMechanism>{RandomizedResponseStep{0.5, 3}, UnaryEncodingStep{0.5},
                                  RapporStep{2, 0.5, 0.25, 0.75}}) {
    const auto grouped = group_answer(step, 3, target, 5), many = group_answer(step, 1, target, 15);
    EXPECT_EQ(*grouped.lower, *many.lower);
    EXPECT_EQ(grouped.upper, many.upper);
  }
}

TEST(GroupStep, FlagsAreBetweenOneLargerSensitivityAndTheLevel) {
  const auto answer = group_answer(AboveThresholdStep{0.1}, 3, group_eps(1e-6));
  EXPECT_FALSE(answer.is_exact);
  EXPECT_NEAR(answer.upper, group_answer(PureStep{0.1}, 3, group_eps(1e-6)).upper, 1e-9);
  EXPECT_NEAR(*answer.lower, *group_answer(AboveThresholdStep{0.3}, 1, group_eps(1e-6)).lower,
              1e-6);
}

TEST(GroupStep, LevelsOfAGroup) {
  // At delta = 0 the largest losses add up.
  expect_group_within(group_answer(PureStep{0.5}, 4, group_eps(0.0), 3), 6.0, 1e-12);
  expect_group_within(group_answer(LaplaceStep{2.0, 0.1}, 3, group_eps(0.0)), 0.15, 1e-12);
  const auto pair = FinitePairStep{{0.75, 0.25}, {0.25, 0.75}};
  const auto zero = group_answer(pair, 3, group_eps(0.0));
  EXPECT_NEAR(zero.upper, 3.0 * std::log(3.0), 1e-12);
  EXPECT_NEAR(*zero.lower, std::log(3.0), 1e-12);
  EXPECT_EQ(group_answer(DiscreteGaussianStep{3.0}, 2, group_eps(0.0)).upper, kInfinity);
  // Other accountings are of the group, too.
  const auto answer = group_answer(DiscreteGaussianStep{30.0}, 5, group_eps(1e-6), 100);
  bool has_zcdp = false;
  for (const auto& other : answer.others) {
    if (other.name != "zCDP") continue;
    has_zcdp = true;
    EXPECT_NEAR(
        *other.upper,
        *group_answer(ZcdpStep{0.5 * 25.0 / 900.0}, 1, group_eps(1e-6), 100).others.front().upper,
        1e-6);
  }
  EXPECT_TRUE(has_zcdp);
}

TEST(GroupStep, AGroupIsAPartOfTheKindOfAStep) {
  const ChainStep one{PureStep{0.1}, 2, "", 1, 1}, three{PureStep{0.1}, 2, "", 1, 3};
  const std::vector<ChainStep> chain{one, three, three};
  const auto kinds = merged_steps(chain);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[1].count, 4);
  // delta = 0: 2 times 0.1, and 4 times 0.3.
  const auto target = group_eps(0.0);
  EXPECT_NEAR(must(account_for(chain, std::span(&target, 1))).front().upper, 1.4, 1e-12);
}

TEST(GroupStep, RefusalsNameTheNearest) {
  const auto refused = [](const StepMechanism& step, std::int64_t group, std::int64_t moves = 1) {
    const ChainStep whole{step, 1, "", moves, group};
    const auto target = group_eps(1e-6);
    return refusal_of(account_for(std::span(&whole, 1), std::span(&target, 1)));
  };
  using ::testing::HasSubstr;
  GaussianMixtureStep mixture{2.0, SampledRelation::kAddOrRemove, {0.5, 0.5}, {0.0, 1.0}};
  EXPECT_THAT(refused(mixture, 2), HasSubstr("the weights and shifts of the whole group"));
  EXPECT_THAT(refused(SampledStep{GaussianStep{2.0}, PoissonSampler{0.1}}, 2),
              HasSubstr("a parameter of poisson alone"));
  EXPECT_THAT(refused(LaplaceStep{2.0}, 2, 3), HasSubstr("needs gaussian"));
  EXPECT_THAT(refused(PureStep{0.1}, 1001), HasSubstr("group must be 1 to 1000"));
  EXPECT_THAT(refused(PureStep{200.0}, 2), HasSubstr("an eps of 1e-6 to 100"));
  EXPECT_THAT(refused(GdpStep{20.0}, 20), HasSubstr("group times mu must be 1e-06 to 100"));
  EXPECT_THAT(refused(ExponentialStep{20.0}, 20), HasSubstr("group times epsilon"));
  EXPECT_THAT(refused(FinitePairStep{{1.0 - 1e-200, 1e-200}, {0.5, 0.5}}, 3),
              HasSubstr("group times the largest loss must be at most 650"));
}

}  // namespace
}  // namespace assay
