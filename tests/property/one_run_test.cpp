// One-run p-values against mechanisms whose privacy is computed by enumeration: whatever a mechanism
// does with a few coins, its guesses are right no more often than the p-values at its own level say.
#include "assay/auditors/statistics/one_run.hpp"

#include <bit>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/property_testing.hpp"
#include "assay/tests/support/published_one_run.hpp"

namespace assay {
namespace {

// Guesses: which of m coins are guessed (r of them), and what.
struct Guess {
  unsigned guessed = 0;
  unsigned bits = 0;
};

int right_guesses(const Guess& guess, unsigned coins) {
  return std::popcount(guess.guessed & ~(guess.bits ^ coins));
}

std::vector<Guess> all_guesses(int m, int r) {
  std::vector<Guess> out;
  for (unsigned set = 0; set < 1u << m; ++set) {
    if (std::popcount(set) != r) continue;
    for (unsigned bits = 0; bits < 1u << m; ++bits) {
      if ((bits & ~set) == 0) out.push_back({set, bits});
    }
  }
  return out;
}

// law[coins][guess]: a table with every kind of dependence between the guesses.
struct GuessMechanism {
  int m = 1, r = 1;
  std::vector<Guess> guesses;
  std::vector<std::vector<double>> distribution;

  // Of guesses about r of m coins, as likely as `weight(right guesses)` says.
  template <class Weight>
  static GuessMechanism of(int m, int r, const Weight& weight) {
    GuessMechanism out{m, r, all_guesses(m, r), {}};
    for (unsigned coins = 0; coins < 1u << m; ++coins) {
      std::vector<double> row;
      for (const auto& guess : out.guesses) row.push_back(weight(right_guesses(guess, coins)));
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      for (double& x : row) x /= sum;
      out.distribution.push_back(row);
    }
    return out;
  }

  // Probability that v or more guesses are right, over fair coins.
  double tail(int v) const {
    double sum = 0.0;
    for (unsigned coins = 0; coins < distribution.size(); ++coins) {
      for (std::size_t g = 0; g < guesses.size(); ++g) {
        if (right_guesses(guesses[g], coins) >= v) sum += distribution[coins][g];
      }
    }
    return sum / static_cast<double>(distribution.size());
  }

  // The smallest delta for eps, over all neighbours.
  double delta(double epsilon) const {
    double worst = 0.0;
    each_pair([&](const auto& p, const auto& q) {
      double sum = 0.0;
      for (std::size_t g = 0; g < p.size(); ++g) {
        sum += std::max(0.0, p[g] - std::exp(epsilon) * q[g]);
      }
      worst = std::max(worst, sum);
    });
    return worst;
  }

  // The smallest mu: at the corners of the trade-off curves, whose events are thresholds of p/q.
  double mu() const {
    double worst = 0.0;
    each_pair([&](const auto& p, const auto& q) {
      std::vector<std::size_t> order(p.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return p[a] * q[b] > p[b] * q[a]; });
      double of_p = 0.0, of_q = 0.0;
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        of_p += p[order[i]];
        of_q += q[order[i]];
        if (of_p < 1.0 && of_q > 0.0) {
          worst = std::max(worst, mu_from_event(portable_log(of_p), portable_log(of_q)).value);
        }
      }
    });
    return worst;
  }

 private:
  template <class Body>
  void each_pair(Body&& body) const {
    for (unsigned coins = 0; coins < distribution.size(); ++coins) {
      for (int j = 0; j < m; ++j) body(distribution[coins], distribution[coins ^ (1u << j)]);
    }
  }
};

// Weights that favour right guesses, unevenly, and many of them at once.
GuessMechanism drawn_mechanism() {
  const int m = *rc::gen::inRange(1, 4), r = *rc::gen::inRange(1, m + 1);
  std::vector<double> by_level;
  for (int l = 0; l <= r; ++l) by_level.push_back(std::exp(uniform(-2.0, 2.0)));
  const double noise = uniform(0.0, 1.0);
  return GuessMechanism::of(m, r, [&](int right) {
    return by_level[static_cast<std::size_t>(right)] * std::exp(noise * uniform(-1.0, 1.0));
  });
}

GuessCounts counts_of(const GuessMechanism& mechanism, int v) {
  return {mechanism.m, mechanism.r, v};
}

RC_GTEST_PROP(OneRun, NoMechanismBeatsThePValuesOfItsOwnLevel, ()) {
  const auto mechanism = drawn_mechanism();
  const double epsilon = uniform(0.0, 2.0);
  const double delta = mechanism.delta(epsilon);
  const double mu = mechanism.mu();
  for (int v = 1; v <= mechanism.r; ++v) {
    const auto counts = counts_of(mechanism, v);
    const double tail = mechanism.tail(v);
    RC_ASSERT(tail <= one_run_p_value(counts, Epsilon{epsilon}, Delta{delta}).value.value + 1e-12);
    RC_ASSERT(tail <= one_run_p_value(counts, Mu{mu}).value.value + 1e-12);
  }
}

RC_GTEST_PROP(OneRun, NoMechanismsMeanShareBeatsItsOwnLevel, ()) {
  const auto mechanism = drawn_mechanism();
  const double epsilon = uniform(0.0, 2.0);
  double share = 0.0;
  for (int v = 1; v <= mechanism.r; ++v) share += mechanism.tail(v) / mechanism.r;
  const double guessed = static_cast<double>(mechanism.r) / mechanism.m;
  RC_ASSERT(epsilon_from_share(share, guessed, Delta{mechanism.delta(epsilon)}).value.value <=
            epsilon + 1e-9);
  RC_ASSERT(mu_from_share(share, guessed).value.value <= mechanism.mu() + 1e-9);
}

// The worst law of the proof, u = 1 below v and larger from there, as a mechanism: it is exactly
// (eps, delta)-DP and its tail is the p-value, so the p-value cannot be improved.
RC_GTEST_PROP(OneRun, AMechanismAttainsThePValue, ()) {
  const int m = *rc::gen::inRange(1, 6);
  const double epsilon = uniform(0.0, 2.0);
  const int v = *rc::gen::inRange(1, m + 1);
  const double lift = uniform(0.0, 3.0);
  const double truth = std::exp(epsilon) / (1.0 + std::exp(epsilon));
  const auto mechanism = GuessMechanism::of(m, m, [&](int right) {
    return std::pow(truth, right) * std::pow(1.0 - truth, m - right) *
           (right >= v ? 1.0 + lift : 1.0);
  });
  const double p =
      one_run_p_value(counts_of(mechanism, v), Epsilon{epsilon}, Delta{mechanism.delta(epsilon)})
          .value.value;
  RC_ASSERT(std::abs(p - mechanism.tail(v)) < 1e-7);
}

// Four coins, all guessed by anything but the exact opposite: one guess or more is right more often than
// the published bound of its (0, delta) says, so that bound is none where it is near 1.
TEST(OneRun, NearOneThePublishedBoundIsExceeded) {
  const auto mechanism = GuessMechanism::of(4, 4, [](int right) { return right >= 1 ? 1.0 : 0.9; });
  const Delta delta{mechanism.delta(0.0)};
  const double tail = mechanism.tail(1);
  EXPECT_GT(tail, published_one_run_p_value({4, 4, 1}, Epsilon{0.0}, delta) + 1e-4);
  EXPECT_NEAR(tail, one_run_p_value({4, 4, 1}, Epsilon{0.0}, delta).value.value, 1e-7);
}

RC_GTEST_PROP(OneRun, WhereItMattersThePValueIsBelowThePublishedOne, ()) {
  const auto m = *rc::gen::inRange<std::int64_t>(1, 2000);
  const auto r = *rc::gen::inRange<std::int64_t>(1, m + 1);
  const auto v = *rc::gen::inRange<std::int64_t>(1, r + 1);
  const Epsilon epsilon{uniform(0.0, 5.0)};
  const Delta delta{portable_exp(uniform(-20.0, 0.0))};
  const double p = one_run_p_value({m, r, v}, epsilon, delta).value.value;
  const double published = published_one_run_p_value({m, r, v}, epsilon, delta);
  RC_ASSERT(published > 0.5 || p <= published * (1.0 + 1e-7) + 1e-290);
}

RC_GTEST_PROP(OneRun, ThePValueGrowsWithTheClaimAndFallsWithTheRightGuesses, ()) {
  const auto m = *rc::gen::inRange<std::int64_t>(2, 500);
  const auto r = *rc::gen::inRange<std::int64_t>(2, m + 1);
  const auto v = *rc::gen::inRange<std::int64_t>(1, r);
  const double epsilon = uniform(0.0, 3.0), delta = uniform(0.0, 0.01);
  const auto p = [&](std::int64_t right, double eps, double d) {
    return one_run_p_value({m, r, right}, Epsilon{eps}, Delta{d}).value.value;
  };
  const double here = p(v, epsilon, delta);
  constexpr double kSlack = 1.0 + 3e-8;  // each is rounded up
  RC_ASSERT(here <= p(v, epsilon + uniform(0.0, 1.0), delta) * kSlack);
  RC_ASSERT(here <= p(v, epsilon, delta + uniform(0.0, 0.01)) * kSlack);
  RC_ASSERT(p(v + 1, epsilon, delta) <= here * kSlack);
  const double alpha = uniform(1e-4, 0.5);
  const Mu mu{uniform(0.0, 3.0)};
  if (one_run_refutes({m, r, v}, mu, alpha)) {
    RC_ASSERT(one_run_refutes({m, r, v}, Mu{mu.value * 0.9}, alpha));
    RC_ASSERT(one_run_refutes({m, r, v + 1}, mu, alpha));
    RC_ASSERT(one_run_refutes({m, r, v}, mu, std::min(0.9, alpha * 1.1)));
  }
}

}  // namespace
}  // namespace assay
