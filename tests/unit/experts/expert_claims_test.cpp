// The claims of the experts paper from the registry: the false ones are found from any seed, with
// certificates that check out, and the numbers on record are those of the closed forms.
#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/policies/experts/ftnl_distribution.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/verified_claims.hpp"

namespace assay {
namespace {

TEST(ExpertClaims, TheFalseOnesAreFoundFromAnySeed) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const auto verification =
        verified({"ftnl-dp-exponential", "softmax-integral", "ftnl-det-regret-printed",
                  "ftnl-det-regret-rate", "ftnl-det-lower-printed"},
                 0.05, seed);
    for (const auto& result : verification.results) {
      EXPECT_EQ(result.finding.verdict, ClaimVerdict::kRefuted)
          << result.claim->id << " " << seed << ": " << result.finding.summary;
      ASSERT_TRUE(result.finding.certificate) << result.claim->id;
      EXPECT_EQ(result.finding.certificate->claim, result.claim->id);
      EXPECT_TRUE(check_certificate(*result.finding.certificate)->refutes) << result.claim->id;
    }
  }
}

// 2 eps + log(1 - (1 - e^-eps)^K) at eps = 1, K = 2, 3, 10.
TEST(ExpertClaims, TheLossesOfExponentialNoiseAreOnRecord) {
  const auto finding = verified({"ftnl-dp-exponential"}, 1.0, 1).results.at(0).finding;
  const auto& epoch = finding.certificate->counterexample.as<EpochCounterexample>();
  EXPECT_EQ(epoch.others.size(), 2u);
  EXPECT_EQ(epoch.epsilon, 1.0);
  EXPECT_NEAR(epoch.loss, std::log(2.0 * std::exp(1.0) - 1.0), 1e-12);
  EXPECT_THAT(finding.evidence,
              Contains(HasSubstr("1.4898801256 with 2 actions, 1.7088713846 with 3 actions, "
                                 "1.9897618748 with 10 actions")));
}

// Lemma 1 takes losses that are independent over actions: where the worst of three actions loses
// when no other does, it is chosen more than every third time. Drawn independently it is not.
TEST(ExpertClaims, LemmaOneNeedsIndependentActions) {
  auto config = ftnl_config(3, 3, LeaderNoise::kGumbel, true);
  config.epsilon = 2.0;
  const auto policy = RnmFtnl::create(config).value();
  const auto chosen = [&](const std::vector<double>& losses) {
    FtnlDistribution distribution(policy);
    distribution.observe(losses);
    return std::exp(distribution.log_probabilities()[1]);
  };
  const double dependent = 0.45 * chosen({1.0, 0.0, 1.0}) + 0.55 * chosen({0.0, 1.0, 0.0});
  EXPECT_NEAR(dependent, 0.45 / (1.0 + 2.0 * std::exp(-1.0)) + 0.55 / (1.0 + 2.0 * std::exp(1.0)),
              1e-12);
  EXPECT_GT(dependent, 1.0 / 3.0);
  EXPECT_LT(chosen({0.45, 0.55, 0.45}), 1.0 / 3.0);
}

// The policy that counts votes is RNM-FTNL on losses of 0 and 1, so eps-DP; it chooses the worse of two
// actions as often as the certificate says.
TEST(ExpertClaims, APolicyOfVotesChoosesTheWorseActionAsOftenAsStated) {
  auto config = ftnl_config(2, 1023, LeaderNoise::kGumbel, false);
  config.epsilon = 1.0;
  FtnlDistribution distribution(RnmFtnl::create(config).value());
  double rounds = 0.0;
  for (int epoch = 1; epoch < 1024; epoch *= 2) {
    const double worse = std::exp(distribution.log_probabilities()[1]);  // by the epoch before
    rounds += epoch * worse;
    distribution.restart();
    for (int t = 0; t < epoch; ++t) distribution.observe(std::vector{0.0, 1.0});
  }
  const auto found = expert_checks::votes_at({1.0, 0.01});
  EXPECT_NEAR(0.01 * rounds, found.regret, 1e-12);  // later epochs add less than e^-100
  EXPECT_LT(found.regret, found.bound);
}

// A row says what c1 its instance needs; none says that a constant suffices.
TEST(ExpertClaims, TheConjecturesTableIsOfLowerBounds) {
  const auto finding = verified({"ftnl-conjecture"}, 0.05, 1).results.at(0).finding;
  ASSERT_FALSE(finding.table.rows.empty());
  EXPECT_EQ(finding.table.columns.at(2), "c1 at least");
  const auto& growth = finding.certificate->counterexample.as<GrowthCounterexample>();
  EXPECT_GT(growth.gap, growth.epsilon);
  EXPECT_GT(growth.rate_below, 0.0);
  EXPECT_GT(growth.rate_above, 0.0);
}

}  // namespace
}  // namespace assay
