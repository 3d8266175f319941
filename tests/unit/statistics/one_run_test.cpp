// One-run statistics against closed forms, published figures, forty digits and brute force.
#include "assay/auditors/statistics/one_run.hpp"

#include <fstream>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/published_one_run.hpp"

namespace assay {
namespace {

double p_value(const GuessCounts& counts, double epsilon, double delta) {
  return one_run_p_value(counts, Epsilon{epsilon}, Delta{delta}).value.value;
}

TEST(OneRunPValue, OneGuessIsRightWithTheOddsOfTheClaimAndMoreByDelta) {
  const double right = std::exp(0.7) / (1.0 + std::exp(0.7));
  EXPECT_NEAR(p_value({1, 1, 1}, 0.7, 0.0), right, 1e-7);
  EXPECT_NEAR(p_value({5, 1, 1}, 0.7, 0.01), right + 5 * 0.01 * (1.0 - right), 1e-7);
  EXPECT_EQ(p_value({5, 5, 0}, 0.7, 0.0), 1.0);
}

TEST(OneRunPValue, WithoutDeltaIsABinomialTail) {
  EXPECT_NEAR(p_value({100, 40, 33}, 0.0, 0.0), std::exp(binomial_log_at_least(33, 40, 0.5)),
              1e-10);
}

TEST(OneRunPValue, ManyCanariesAndLargeClaimsKeepTheirDigits) {
  // P[no wrong guess of 1e6] = (1 + e^-eps)^-r.
  EXPECT_NEAR(p_value({1'000'000, 1'000'000, 1'000'000}, 40.0, 0.0), 1.0, 1e-7);
  EXPECT_NEAR(p_value({1'000'000, 1'000'000, 1'000'000}, 14.0, 0.0),
              std::exp(-1e6 * std::log1p(std::exp(-14.0))), 1e-7);
  EXPECT_GT(p_value({1'000'000, 1'000'000, 731'059}, 1.0, 0.0), 0.49);
  EXPECT_LT(p_value({1'000'000, 1'000'000, 735'000}, 1.0, 0.0), 1e-18);
}

TEST(OneRunEpsilon, ReproducesThePublishedFiguresAndIsTighter) {
  struct Published {
    GuessCounts counts;
    double delta, epsilon;
  };
  // Appendix D (page 46) and section 7 of Steinke et al.; the second is printed truncated.
  for (const auto& known : {Published{{1000, 100, 75}, 1e-4, 0.67298},
                            Published{{100'000, 1510, 1439}, 1e-5, 2.67585}}) {
    const auto published = [&](double epsilon) {
      return published_one_run_p_value(known.counts, Epsilon{epsilon}, Delta{known.delta});
    };
    EXPECT_LT(published(known.epsilon - 1e-5), 0.05);
    EXPECT_GT(published(known.epsilon + 1e-5), 0.05);
    EXPECT_GT(one_run_epsilon(known.counts, Delta{known.delta}, 0.05).value.value,
              known.epsilon + 0.02);
  }
}

TEST(OneRunEpsilon, IsTheLargestThatIsRefuted) {
  const GuessCounts counts{1000, 200, 170};
  const double lower = one_run_epsilon(counts, Delta{1e-5}, 0.01).value.value;
  EXPECT_LE(p_value(counts, lower, 1e-5), 0.01);
  EXPECT_GT(p_value(counts, lower + 1e-9, 1e-5), 0.01);
  EXPECT_EQ(one_run_epsilon({10, 10, 5}, Delta{0.0}, 0.05).value.value, 0.0);
}

TEST(OneRunMu, IsTheLargestThatIsRefuted) {
  const GuessCounts counts{1000, 50, 47};
  const double lower = one_run_mu(counts, 0.01).value.value;
  EXPECT_TRUE(one_run_refutes(counts, Mu{lower}, 0.01));
  EXPECT_FALSE(one_run_refutes(counts, Mu{lower * (1.0 + 1e-5)}, 0.01));
  EXPECT_EQ(one_run_mu({10, 10, 5}, 0.05).value.value, 0.0);
  const double p = one_run_p_value(counts, Mu{0.4}).value.value;
  EXPECT_TRUE(one_run_refutes(counts, Mu{0.4}, p));
  EXPECT_FALSE(one_run_refutes(counts, Mu{0.4}, p / 1.01));
}

TEST(OneRunMu, OneCanaryIsGuessedAsTheGaussianMechanismIs) {
  // P[right] <= Phi(mu/2): alpha is refuted exactly above that.
  const double best = normal_cdf(0.25);
  EXPECT_FALSE(one_run_refutes({1, 1, 1}, Mu{0.5}, best - 1e-6));
  EXPECT_TRUE(one_run_refutes({1, 1, 1}, Mu{0.5}, best + 1e-6));
}

TEST(OneRun, AgreesWithFortyDigits) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/support/one_run_cases.txt");
  std::string line;
  int epsilon_lines = 0, mu_lines = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kind;
    GuessCounts counts;
    words >> kind >> counts.canaries >> counts.guesses >> counts.correct;
    if (kind == "eps") {
      double epsilon = 0.0, delta = 0.0, p = 0.0, published = 0.0;
      ASSERT_TRUE(words >> epsilon >> delta >> p >> published) << line;
      const double computed = p_value(counts, epsilon, delta);
      EXPECT_GE(computed, p) << line;  // rounded up
      EXPECT_LE(computed, p * (1.0 + 2e-8) + 1e-299) << line;
      EXPECT_NEAR(published_one_run_p_value(counts, Epsilon{epsilon}, Delta{delta}) / published,
                  1.0, 1e-8)
          << line;
      ++epsilon_lines;
    } else {
      double alpha = 0.0, mu = 0.0;
      ASSERT_TRUE(words >> alpha >> mu) << line;
      const double lower = one_run_mu(counts, alpha).value.value;
      EXPECT_LE(lower, mu) << line;
      EXPECT_GE(lower, mu * (1.0 - 1e-6)) << line;
      ++mu_lines;
    }
  }
  EXPECT_EQ(epsilon_lines, 134);
  EXPECT_EQ(mu_lines, 14);
}

TEST(OneRunShare, OfOneGaussianCanaryIsItsMu) {
  // All guessed: right with probability Phi(mu/2).
  EXPECT_NEAR(mu_from_share(normal_cdf(0.35), 1.0).value.value, 0.7, 1e-9);
  EXPECT_LE(mu_from_share(normal_cdf(0.35), 1.0).value.value, 0.7);
  EXPECT_EQ(mu_from_share(0.5, 0.1).value.value, 0.0);
  EXPECT_EQ(mu_from_share(0.3, 1.0).value.value, 0.0);
  EXPECT_EQ(mu_from_share(1.0, 1.0).value.value, HUGE_VAL);
}

TEST(OneRunShare, OfRandomisedResponseIsItsEpsilon) {
  const double right = 1.0 / (1.0 + std::exp(-1.3));
  EXPECT_NEAR(epsilon_from_share(right, 0.5, Delta{0.0}).value.value, 1.3, 1e-9);
  // share = e^eps (1 - share) + delta/guessed.
  const double share = (std::exp(1.3) + 0.01 / 0.5) / (1.0 + std::exp(1.3));
  EXPECT_NEAR(epsilon_from_share(share, 0.5, Delta{0.01}).value.value, 1.3, 1e-9);
  EXPECT_EQ(epsilon_from_share(0.5, 0.5, Delta{0.1}).value.value, 0.0);
}

// The linear programme behind the p-value, by walking a grid of all laws of W.
class DistributionGrid {
 public:
  DistributionGrid(GuessCounts counts, double epsilon, double delta, int steps)
      : counts_(counts), ratio_(std::exp(epsilon)), delta_(delta), steps_(steps) {}

  double largest_tail() {
    std::vector<double> distribution;
    walk(distribution, steps_);
    return best_;
  }

 private:
  void walk(std::vector<double>& distribution, int left) {
    if (static_cast<std::int64_t>(distribution.size()) == counts_.guesses) {
      distribution.push_back(left);
      judge(distribution);
      distribution.pop_back();
      return;
    }
    for (int k = 0; k <= left; ++k) {
      distribution.push_back(k);
      walk(distribution, left - k);
      distribution.pop_back();
    }
  }
  void judge(const std::vector<double>& distribution) {
    double excess = 0.0, tail = 0.0;
    const auto r = static_cast<double>(counts_.guesses);
    for (std::size_t l = 1; l < distribution.size(); ++l) {
      const auto level = static_cast<double>(l);
      excess +=
          std::max(0.0, level * distribution[l] - ratio_ * (r - level + 1.0) * distribution[l - 1]);
      if (static_cast<std::int64_t>(l) >= counts_.correct) tail += distribution[l];
    }
    const double budget = static_cast<double>(counts_.canaries) * delta_ * steps_;
    if (excess <= budget + 1e-9) best_ = std::max(best_, tail / steps_);
  }

  GuessCounts counts_;
  double ratio_, delta_;
  int steps_;
  double best_ = 0.0;
};

TEST(OneRunPValue, IsTheLargestTailOfAllDistributionsThatTheClaimAllows) {
  for (const double epsilon : {0.0, 0.5, 1.5}) {
    for (const double delta : {0.0, 0.01, 0.1}) {
      for (const auto& counts :
           {GuessCounts{2, 2, 1}, GuessCounts{2, 2, 2}, GuessCounts{4, 2, 2}}) {
        constexpr int kSteps = 300;
        const double found = DistributionGrid(counts, epsilon, delta, kSteps).largest_tail();
        const double p = p_value(counts, epsilon, delta);
        EXPECT_LE(found, p + 1e-7);
        EXPECT_GE(found, p - 8.0 / kSteps) << epsilon << " " << delta << " " << counts.correct;
      }
      constexpr int kSteps = 60;
      const GuessCounts three{3, 3, 2};
      const double found = DistributionGrid(three, epsilon, delta, kSteps).largest_tail();
      EXPECT_LE(found, p_value(three, epsilon, delta) + 1e-7);
      EXPECT_GE(found, p_value(three, epsilon, delta) - 8.0 / kSteps);
    }
  }
}

}  // namespace
}  // namespace assay
