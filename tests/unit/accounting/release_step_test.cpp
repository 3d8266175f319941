// Steps of mechanisms that are not noise on an answer, against values computed elsewhere and against the outputs of small
// data sets, all of them listed here without the library's pairs.
#include "assay/mechanisms/accounting/account/release_step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/tests/support/listed_outputs.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Masses = std::vector<double>;
using AskedOfRelease = AccountTarget::Asked;

AccountAnswer release_answer(const StepMechanism& step, std::int64_t count, AskedOfRelease asked,
                             double given) {
  const std::vector<ChainStep> chain{{step, count, ""}};
  return must(account_for(chain, std::vector<AccountTarget>{{asked, given}})).front();
}
AccountAnswer release_eps(const StepMechanism& step, std::int64_t count, double delta) {
  return release_answer(step, count, AskedOfRelease::kEpsilonAtDelta, delta);
}
AccountAnswer release_delta(const StepMechanism& step, std::int64_t count, double eps) {
  return release_answer(step, count, AskedOfRelease::kDeltaAtEpsilon, eps);
}

// delta of the step, between its bounds, is that of the outputs p and q.
void expect_delta_of(const StepMechanism& step, const Masses& p, const Masses& q) {
  Masses p2 = listed::product(p, p), q2 = listed::product(q, q);
  for (const double eps : {0.0, 0.1, 0.5, 0.9}) {
    for (const auto& [count, truth] : {std::pair{1, listed::hockey_stick(p, q, eps)},
                                       std::pair{2, listed::hockey_stick(p2, q2, eps)}}) {
      const auto answer = release_delta(step, count, eps);
      EXPECT_TRUE(answer.is_exact);
      EXPECT_LE(*answer.lower, truth * (1.0 + 1e-12) + 1e-15);
      EXPECT_GE(answer.upper, truth * (1.0 - 1e-12) - 1e-15);
      EXPECT_LE(answer.upper - *answer.lower, 1e-11 * truth + 1e-15);
    }
  }
}

// ---- choices of a candidate -----------------------------------------------------------------------

// Weights e^(eps u/2), u in units of the sensitivity.
Masses by_weights(const Masses& scores, double eps) {
  Masses p;
  double sum = 0.0;
  for (const double u : scores) sum += p.emplace_back(std::exp(0.5 * eps * u));
  for (double& x : p) x /= sum;
  return p;
}

// Coins in a random order: all orders.
Masses by_coins(const Masses& scores, double eps) {
  const double top = *std::max_element(scores.begin(), scores.end());
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Masses p(scores.size(), 0.0);
  double orders = 0.0;
  do {
    double left = 1.0;
    for (const std::size_t i : order) {
      const double heads = std::exp(0.5 * eps * (scores[i] - top));
      p[i] += left * heads;
      left *= 1.0 - heads;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& x : p) x /= orders;
  return p;
}

using Choice = Masses (*)(const Masses&, double);

// No data sets of up to four candidates leak more than `upper`, composed with themselves.
void expect_above_data_sets(const StepMechanism& step, double eps, Choice choice, bool monotone) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> score(-3.0, 3.0), unit(0.0, 1.0);
  std::array<AccountAnswer, 2> answers{release_delta(step, 1, 0.3 * eps),
                                       release_delta(step, 2, 0.3 * eps)};
  for (int i = 0; i < 300; ++i) {
    Masses scores, moved;
    const std::size_t n = 2 + random() % 3;
    for (std::size_t j = 0; j < n; ++j) {
      scores.push_back(score(random));
      const double up = random() % 3 == 0 ? unit(random) : 1.0;
      moved.push_back(scores[j] + (random() % 2 == 0 ? up : monotone ? 0.0 : -up));
    }
    const Masses p = choice(scores, eps), q = choice(moved, eps);
    for (const auto& [a, b] : {std::pair{p, q}, std::pair{q, p}}) {
      ASSERT_LE(listed::hockey_stick(a, b, 0.3 * eps), answers[0].upper * (1.0 + 1e-12));
      ASSERT_LE(listed::hockey_stick(listed::product(a, a), listed::product(b, b), 0.3 * eps),
                answers[1].upper * (1.0 + 1e-12));
    }
  }
}

TEST(ReleaseStep, ChoicesAgreeWithIndependentValues) {
  const auto weights = release_eps(ExponentialStep{0.5}, 30, 1e-6);
  EXPECT_FALSE(weights.is_exact);
  EXPECT_LE(*weights.lower, 6.8692602 + 1e-6);  // the largest of all t, at .334505
  EXPECT_GE(*weights.lower, 6.8686701 - 1e-4);  // that of t = .335
  EXPECT_LE(weights.upper, 7.48101 + 1e-5);     // of zCDP
  EXPECT_GE(weights.upper, 6.8692602);
  const auto coins = release_eps(PermuteAndFlipStep{0.2}, 50, 1e-6);
  EXPECT_LE(*coins.lower, 6.5970421 + 1e-6);  // at d = .0694
  EXPECT_GE(*coins.lower, 6.5969904 - 2e-3);
  EXPECT_NEAR(coins.upper, 6.6697988, 1e-3);
  // The other names of the same mechanisms, and scores that move in one direction.
  const auto same = [](const StepMechanism& a, const StepMechanism& b) {
    const auto first = release_eps(a, 20, 1e-5), second = release_eps(b, 20, 1e-5);
    EXPECT_NEAR(first.upper, second.upper, 1e-9 * first.upper);
    EXPECT_NEAR(*first.lower, *second.lower, 1e-9 * first.upper);
  };
  same(ExponentialStep{0.5}, NoisyMaxStep{MaxNoise::kGumbel, 4.0, 1.0, false});
  same(PermuteAndFlipStep{0.5}, NoisyMaxStep{MaxNoise::kExponential, 12.0, 3.0, false});
  same(ExponentialStep{0.5, true}, ExponentialStep{0.25});
  same(PermuteAndFlipStep{0.5, true}, PermuteAndFlipStep{0.25});
}

TEST(ReleaseStep, ASingleChoiceIsExact) {
  for (const double eps : {0.1, 1.0, 4.0}) {
    for (const double at : {0.0, 0.3 * eps, 0.8 * eps}) {
      const auto weights = release_delta(ExponentialStep{eps}, 1, at);
      const auto coins = release_delta(PermuteAndFlipStep{eps}, 1, at);
      EXPECT_TRUE(weights.is_exact && coins.is_exact);
      double most_weights = 0.0, most_coins = 0.0;  // of two candidates at a fine grid of gaps
      for (int i = -10'000; i <= 10'000; ++i) {
        const double gap = i / (500.0 * eps);
        const Masses apart{gap, 0.0}, closer{gap - 2.0, 0.0};
        most_weights = std::max(most_weights, listed::hockey_stick(by_weights(apart, eps),
                                                                   by_weights(closer, eps), at));
        most_coins = std::max(
            most_coins, listed::hockey_stick(by_coins(apart, eps), by_coins(closer, eps), at));
      }
      for (const auto& [answer, most] :
           {std::pair{weights, most_weights}, std::pair{coins, most_coins}}) {
        EXPECT_GE(answer.upper, most * (1.0 - 1e-12));
        EXPECT_LE(*answer.lower, most * (1.0 + 1e-5));
        EXPECT_LE(answer.upper - *answer.lower, 1e-3 * answer.upper);
      }
    }
  }
}

TEST(ReleaseStep, NoDataSetsLeakMoreThanTheUpperPair) {
  for (const double eps : {0.3, 2.0}) {
    for (const bool monotone : {false, true}) {
      expect_above_data_sets(ExponentialStep{eps, monotone}, eps, by_weights, monotone);
      expect_above_data_sets(PermuteAndFlipStep{eps, monotone}, eps, by_coins, monotone);
    }
  }
}

TEST(ReleaseStep, AnIndexWithLaplaceNoiseHasTwoPairs) {
  // Two candidates of equal scores and the moves +1, -1: (1/2, 1/2) against the tail (2 + x) e^-x/4 at x = 2/b.
  const double b = 2.5, tail = (2.0 + 2.0 / b) * std::exp(-2.0 / b) / 4.0;
  for (const double eps : {0.0, 0.2, 0.5}) {
    const auto answer = release_delta(NoisyMaxStep{MaxNoise::kLaplace, b, 1.0, false}, 1, eps);
    EXPECT_FALSE(answer.is_exact);
    const double truth = listed::hockey_stick({0.5, 0.5}, {tail, 1.0 - tail}, eps);
    EXPECT_GE(answer.upper, truth);
    EXPECT_LE(*answer.lower, answer.upper);
    EXPECT_GE(*answer.lower, 0.9 * truth);
  }
  const std::vector<KeyValue> gaussian{{"noise", "gaussian"}, {"scale", "2"}};
  EXPECT_THAT(make_step("noisy-max", gaussian), IsRefused("gdp"));
}

// The largest Renyi divergence of two outputs with losses t and t - r, by a scan over t, and that of Laplace noise.
TEST(ReleaseStep, ChoicesHaveTheCurvesOfTheirPairs) {
  for (const double r : {1e-4, 0.1, 1.0, 6.0}) {
    const RenyiDp curve = *step_renyi(ExponentialStep{r});
    for (const double a : {1.0001, 1.5, 2.0, 8.0, 100.0}) {
      double most = 0.0;
      for (int i = 1; i < 20000; ++i) {
        const double t = r * i / 20000.0;
        const double p = std::expm1(r - t) / (std::expm1(r - t) - std::expm1(-t));
        const double moment =
            std::log1p(p * std::expm1((a - 1.0) * t) + (1.0 - p) * std::expm1((a - 1.0) * (t - r)));
        most = std::max(most, moment / (a - 1.0));
      }
      const double bound = curve.at(a).value.value;
      EXPECT_GE(bound, most * (1.0 - 1e-7) - 1e-15);
      EXPECT_LE(bound, most * (1.0 + 1e-6) + 1e-13 / (a - 1.0));
      EXPECT_LE(bound, a * r * r / 8.0 * (1.0 + 1e-12));
      const auto same = [&](const StepMechanism& step, double expected) {
        EXPECT_NEAR(step_renyi(step)->at(a).value.value, expected,
                    1e-13 / (a - 1.0) + 1e-9 * expected);
      };
      same(NoisyMaxStep{MaxNoise::kGumbel, 2.0 / r, 1.0}, bound);
      same(PermuteAndFlipStep{r}, laplace_renyi(Epsilon{r})->at(a).value.value);
    }
  }
}

// P[X + d > the largest of m], by integration over X.
double chance_above(int m, double d) {
  double sum = 0.0;
  const double width = 0.01;
  for (double x = -40.0 + 0.5 * width; x < 40.0; x += width) {
    const double y = x + d;
    const double below = y < 0.0 ? 0.5 * std::exp(y) : 1.0 - 0.5 * std::exp(-y);
    sum += width * 0.5 * std::exp(-std::fabs(x)) * std::pow(below, m);
  }
  return sum;
}

TEST(ReleaseStep, OneCandidateAgainstSeveralLeaksMoreThanAgainstOne) {
  for (const double range : {0.5, 2.0}) {
    for (const double part : {0.1, 0.5, 0.9}) {
      const double eps = part * range;
      double best = 0.0, best_of_two = 0.0;
      for (const int m : {1, 2, 3, 4, 6}) {
        for (double d = -4.0; d < 4.0 + range; d += 0.25) {
          const double p = chance_above(m, d), q = chance_above(m, d - range);
          best = std::max({best, p - std::exp(eps) * q, 1.0 - q - std::exp(eps) * (1.0 - p)});
          if (m == 1) best_of_two = best;
        }
      }
      const NoisyMaxStep step{MaxNoise::kLaplace, 1.0 / range, 0.5, false};
      const auto answer = release_delta(step, 1, eps);
      EXPECT_GE(*answer.lower, best * (1.0 - 1e-3));
      EXPECT_LE(*answer.lower, best * 1.05);
      EXPECT_GT(*answer.lower, best_of_two * 1.01);
      EXPECT_LE(*answer.lower, answer.upper);
      // Composed, in both orders: no more than the upper pair, and more than one release.
      const auto three = release_delta(step, 3, eps);
      EXPECT_LE(*three.lower, three.upper);
      EXPECT_GT(*three.lower, *answer.lower);
    }
  }
}

// ---- reports of bits ------------------------------------------------------------------------------

TEST(ReleaseStep, AUnaryCodeIsTheBitsOfTwoValues) {
  for (const bool symmetric : {false, true}) {
    const double eps = 1.3;
    const double q = 1.0 / (std::exp(symmetric ? 0.5 * eps : eps) + 1.0);
    const double p = symmetric ? 1.0 - q : 0.5;
    // Three values: the bit of the third is reported alike.
    const Masses own{p, 1.0 - p}, other{q, 1.0 - q};
    expect_delta_of(UnaryEncodingStep{eps, symmetric},
                    listed::product(listed::product(own, other), other),
                    listed::product(listed::product(other, own), other));
  }
}

TEST(ReleaseStep, RapporIsTheBitsOfTwoFilters) {
  const double f = 0.4, p = 0.3, q = 0.8;
  const auto report = [&](bool bit) {
    const double permanent = bit ? 1.0 - 0.5 * f : 0.5 * f;
    const double one = q * permanent + p * (1.0 - permanent);
    return Masses{one, 1.0 - one};
  };
  const auto filter = [&](std::initializer_list<int> bits) {
    Masses all{1.0};
    for (const int bit : bits) all = listed::product(all, report(bit == 1));
    return all;
  };
  const RapporStep two{2, f, p, q};
  expect_delta_of(two, filter({1, 1, 0, 0}), filter({0, 0, 1, 1}));
  // Filters that share a bit leak less.
  for (const double eps : {0.1, 0.5}) {
    EXPECT_GE(release_delta(two, 1, eps).upper,
              listed::hockey_stick(filter({1, 1, 0}), filter({0, 1, 1}), eps));
  }
  // Theorem 1 of the paper: 2 m log((1 - f/2)/(f/2)).
  const auto once = release_eps(RapporStep{3, f, 0.0, 1.0}, 1, 0.0);
  EXPECT_NEAR(once.upper, 6.0 * std::log((1.0 - 0.5 * f) / (0.5 * f)), 1e-12);
  const std::vector<KeyValue> crossed{
      {"hashes", "2"}, {"permanent", "0.5"}, {"one_if_zero", "0.5"}, {"one_if_one", "0.5"}};
  EXPECT_THAT(make_step("rappor", crossed), IsRefused("one_if_one"));
}

TEST(ReleaseStep, ATruncatedCountIsRandomisedResponse) {
  const int k = 1, n = 4;
  // The exact rationals of mechanisms/release/truncated_geometric.hpp.
  const auto release = [&](int c) {
    const double wide = std::pow(2.0, k) + 1.0,
                 d = (2.0 * (wide - 1.0) + 1.0) * std::pow(wide, n - 1);
    Masses p;
    double before = 0.0;
    for (int z = 0; z <= n; ++z) {
      const double up_to =
          z == n  ? d
          : z < c ? std::pow(2.0, k * (c - z)) * std::pow(wide, n - (c - z))
                  : d - std::pow(2.0, k * (z - c + 1)) * std::pow(wide, n - 1 - (z - c));
      p.push_back((up_to - before) / d);
      before = up_to;
    }
    return p;
  };
  for (int c = 0; c < n; ++c)
    expect_delta_of(TruncatedGeometricStep{k}, release(c), release(c + 1));
}

// ---- chains ---------------------------------------------------------------------------------------

TEST(ReleaseStep, MixedChainsStayBetweenTheirBounds) {
  const std::vector<ChainStep> chain{{ExponentialStep{0.3}, 10, ""},
                                     {PermuteAndFlipStep{0.2}, 10, ""},
                                     {UnaryEncodingStep{0.5, true}, 5, ""},
                                     {RapporStep{2, 0.9, 0.4, 0.6}, 3, ""},
                                     {TruncatedGeometricStep{4}, 7, ""},
                                     {AboveThresholdStep{0.4, 3, true}, 2, ""},
                                     {NoisyMaxStep{MaxNoise::kLaplace, 20.0, 1.0, true}, 9, ""},
                                     {GaussianStep{5.0}, 4, ""}};
  const auto answer =
      must(account_for(chain, std::vector<AccountTarget>{{AskedOfRelease::kEpsilonAtDelta, 1e-6}}))
          .front();
  EXPECT_GT(*answer.lower, 0.8 * answer.upper);
  EXPECT_LT(*answer.lower, answer.upper);
}

TEST(ReleaseStep, OtherMechanismsAreRefusedWithTheNearest) {
  for (const auto& [name, nearest] :
       {std::pair{"snapped-laplace", "pure"}, std::pair{"top-k", "exponential"},
        std::pair{"response-bits", "finite-pair"}, std::pair{"sparse-vector", "above-threshold"}}) {
    EXPECT_THAT(make_step(name, {}), IsRefused(nearest));
  }
}

}  // namespace
}  // namespace assay
