// The policies with full information, their environments, and their laws against plain references.
#include "assay/auditors/experts/figures/experts_figures.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/environments/two_point_losses.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/ftnl_distribution.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"
#include "assay/policies/inputs/loss_sequence.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

double epsilon_of(const Guarantee& guarantee) {
  return std::get<PureDp>(guarantee.level).epsilon.value;
}

TEST(RnmFtnl, EpochsAreTheRoundsFromEachPowerOfTwo) {
  const std::int64_t epochs[] = {1, 2, 2, 3, 3, 3, 3};
  for (std::int64_t t = 1; t <= 7; ++t) EXPECT_EQ(epoch_of(t), epochs[t - 1]) << t;
  const std::int64_t last_read[] = {0, 1, 1, 2};
  for (std::int64_t t = 1; t <= 4; ++t) EXPECT_EQ(last_read_epoch(t), last_read[t - 1]) << t;
  auto policy = ftnl(3, 11, LeaderNoise::kGumbel);
  ReplayStream random({.seed = 1});
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> left;
  for (std::int64_t t = 1; t <= 11; ++t) {
    if (policy.starts_epoch()) starts.push_back(t);
    left.push_back(policy.rounds_left());
    policy.choose(random);
    policy.observe(std::vector<double>{0.1, 0.2, 0.3}, random);
  }
  EXPECT_THAT(starts, ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(left, ElementsAre(1, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1));
}

TEST(RnmFtnl, SumsTheLossesOfItsEpochAlone) {
  auto policy = ftnl(2, 8, LeaderNoise::kLaplace);
  ReplayStream random({.seed = 1});
  for (int t = 1; t <= 5; ++t) {
    policy.choose(random);
    policy.observe(std::vector<double>{0.25, 0.125 * t}, random);
  }
  EXPECT_THAT(policy.sums(), ElementsAre(0.5, 0.125 * (4 + 5)));  // rounds 4 and 5
}

TEST(RnmFtnl, ResamplesToZerosAndOnesAndKeepsLossesThatAreSuch) {
  auto policy = ftnl(3, 100, LeaderNoise::kLaplace, true);
  ReplayStream random({.seed = 3});
  for (int t = 1; t < 100; ++t) {
    policy.choose(random);
    policy.observe(std::vector<double>{0.0, 0.5, 1.0}, random);
  }
  EXPECT_EQ(policy.sums()[0], 0.0);
  EXPECT_EQ(policy.sums()[1], std::floor(policy.sums()[1]));
  EXPECT_EQ(policy.sums()[2], 36.0);  // rounds 64..99
}

TEST(RnmFtnl, AWholeEpochAtOnceSumsWhatItsRoundsWould) {
  const auto losses =
      TwoPointLosses::create({{0.25, 0.75, 0.5}, {0.0, 1.0, 0.5}, {0.5, 0.5, 1.0}}).value();
  auto policy = ftnl(3, 8, LeaderNoise::kLaplace);
  ReplayStream random({.seed = 3});
  for (int t = 1; t <= 3; ++t) {
    policy.choose(random);
    policy.observe(std::vector<double>{0.0, 0.0, 0.0}, random);
  }
  policy.choose(random);
  policy.observe_rounds({losses.distributions(), std::vector<std::int64_t>{1, 2, 3}, 3}, random);
  EXPECT_THAT(policy.sums(), ElementsAre(0.75 + 0.5, 2.0, 1.5));
  EXPECT_EQ(policy.rounds_left(), 1);
}

TEST(RnmFtnl, ScalesAndLevelsAreThoseOfTheHeader) {
  const auto printed = ftnl(2, 3, LeaderNoise::kExponential, true, Calibration::kPaper);
  EXPECT_EQ(printed.noise_scale(), 1.0);
  EXPECT_EQ(epsilon_of(printed.guarantee()), 1.0);
  EXPECT_EQ(epsilon_of(printed.proved_guarantee()), 2.0);
  EXPECT_THAT(printed.guarantee().source, HasSubstr("Theorem 2"));
  const auto corrected = ftnl(2, 3, LeaderNoise::kExponential);
  EXPECT_EQ(corrected.noise_scale(), 2.0);
  EXPECT_EQ(epsilon_of(corrected.guarantee()), 1.0);
  for (const LeaderNoise noise : {LeaderNoise::kLaplace, LeaderNoise::kGumbel}) {
    for (const Calibration calibration : {Calibration::kPaper, Calibration::kCorrected}) {
      EXPECT_EQ(ftnl(2, 3, noise, false, calibration).noise_scale(), 2.0);
    }
  }
  EXPECT_EQ(epsilon_of(ftnl(2, 1, LeaderNoise::kLaplace).guarantee()), 0.0);
  EXPECT_EQ(ftnl(2, 3, LeaderNoise::kLaplace).guarantee().relation,
            Relation::kReplaceOneLossVector);
}

TEST(RnmFtnl, TheScaleIsRoundedUpSoThatTheLevelIsNot) {
  for (const double epsilon : {0.1, 0.3, 0.7, 1.1, 3.3, 1e-3, 999.0}) {
    auto config = ftnl_config(2, 3, LeaderNoise::kLaplace);
    config.epsilon = epsilon;
    const double b = RnmFtnl::create(config).value().noise_scale();
    EXPECT_GE(std::fma(b, epsilon, -2.0), 0.0) << epsilon;
    EXPECT_NEAR(b * epsilon, 2.0, 1e-15);
  }
}

TEST(RnmFtnl, RefusesConfigurationsByName) {
  auto config = ftnl_config(1, 3, LeaderNoise::kLaplace);
  EXPECT_THAT(RnmFtnl::create(config), IsRefused("actions must be 2 to 10000"));
  config = ftnl_config(2, 3, LeaderNoise::kLaplace);
  config.epsilon = 0.0;
  EXPECT_THAT(RnmFtnl::create(config), IsRefused("epsilon must be"));
}

// ---- the exact law ------------------------------------------------------------------------------

TEST(FtnlDistribution, WithResamplingItIsTheMixtureOverAllResamples) {
  const std::vector<std::vector<double>> rows{{0.3, 1.0}, {0.6, 0.2}};
  for (const LeaderNoise noise : kLeaderNoises) {
    FtnlDistribution distribution(ftnl(2, 8, noise, true));
    for (const auto& row : rows) distribution.observe(row);
    double truth = 0.0;
    for (std::uint64_t bits = 0; bits < 16; ++bits) {  // resamples of the four losses
      double weight = 1.0;
      std::vector<double> sums(2, 0.0);
      for (std::size_t t = 0; t < 2; ++t) {
        for (std::size_t j = 0; j < 2; ++j) {
          const bool one = (bits >> (2 * t + j) & 1) != 0;
          weight *= one ? rows[t][j] : 1.0 - rows[t][j];
          sums[j] += one ? 1.0 : 0.0;
        }
      }
      FtnlDistribution fixed(ftnl(2, 8, noise));
      const std::vector<double> half{sums[0] / 2.0, sums[1] / 2.0};
      fixed.observe(half);
      fixed.observe(half);
      truth += weight * std::exp(fixed.log_probabilities()[0]);
    }
    EXPECT_NEAR(std::exp(distribution.log_probabilities()[0]), truth, 1e-13)
        << detail::value_text(noise);
  }
}

TEST(FtnlDistribution, ExpertsWithEqualSumsAreEquallyLikely) {
  FtnlDistribution distribution(ftnl(4, 8, LeaderNoise::kLaplace));
  distribution.observe(std::vector<double>{0.5, 0.25, 0.5, 1.0});
  const auto log_p = distribution.log_probabilities();
  EXPECT_EQ(log_p[0], log_p[2]);
  EXPECT_GT(log_p[1], log_p[0]);
  EXPECT_LT(log_p[3], log_p[0]);
}

// ---- the others ---------------------------------------------------------------------------------

TEST(FollowTheLeader, PlaysTheLeastSumAndPromisesNothing) {
  auto policy = FollowTheLeader::create({3}).value();
  ReplayStream random({});
  EXPECT_EQ(policy.choose(random), 0);
  policy.observe(std::vector<double>{0.5, 0.25, 0.25}, random);
  EXPECT_EQ(policy.choose(random), 1);
  policy.observe(std::vector<double>{0.0, 1.0, 0.0}, random);
  EXPECT_EQ(policy.choose(random), 2);
  EXPECT_TRUE(std::isinf(epsilon_of(policy.guarantee())));
}

TEST(Hedge, ItsDistributionIsSoftmaxOfTheSums) {
  HedgeConfig config{.actions = 3};
  auto policy = Hedge::create(config).value();
  ReplayStream random({});
  policy.choose(random);
  policy.observe(std::vector<double>{0.0, 0.5, 1.0}, random);
  const double eta = 2.0 * std::sqrt(std::log(3.0) / 2.0);
  const double total = 1.0 + std::exp(-0.5 * eta) + std::exp(-eta);
  const auto log_p = policy.log_probabilities();
  EXPECT_NEAR(log_p[0], -std::log(total), 1e-14);
  EXPECT_NEAR(log_p[2], -eta - std::log(total), 1e-14);
}

TEST(Hedge, ItsLevelCoversTheLossOfAWorstCaseSequence) {
  // The first vector (1, 0) against (0, 1), zeros afterwards, the other expert always played.
  HedgeConfig config{.horizon = 50};
  auto p = Hedge::create(config).value();
  auto q = p;
  ReplayStream random({});
  double loss = 0.0;
  for (int t = 0; t < 50; ++t) {
    loss += p.log_probabilities()[1] - q.log_probabilities()[1];
    p.observe(t == 0 ? std::vector<double>{1.0, 0.0} : std::vector<double>{0.0, 0.0}, random);
    q.observe(t == 0 ? std::vector<double>{0.0, 1.0} : std::vector<double>{0.0, 0.0}, random);
  }
  EXPECT_GT(loss, 0.4 * epsilon_of(p.guarantee()));
  EXPECT_LE(loss, epsilon_of(p.guarantee()));
}

TEST(RandomPrefix, ReadsAPrefixBetweenHalfABlockAndTheBlock) {
  RandomPrefixConfig config{.horizon = 1 << 12};
  auto policy = RandomPrefix::create(config).value();
  ReplayStream random({.seed = 9});
  for (std::int64_t t = 1; t <= config.horizon; ++t) {
    policy.choose(random);
    const auto length = std::int64_t{1} << (epoch_of(t) - 1);
    ASSERT_GT(policy.prefix(), length / 2);
    ASSERT_LE(policy.prefix(), length);
    policy.observe(std::vector<double>{1.0, 0.5}, random);
    const std::int64_t read = std::min(policy.prefix(), t - length + 1);
    ASSERT_EQ(policy.sums()[0], static_cast<double>(read));
  }
}

TEST(RandomPrefix, ABlockAtOnceReadsNoMoreThanItsPrefix) {
  RandomPrefixConfig config{.horizon = 1000};
  auto policy = RandomPrefix::create(config).value();
  StochasticLosses losses(
      TwoPointLosses::create({{0.0, 0.0, 1.0}, {0.5, 0.5, 1.0}, {0.5, 0.5, 1.0}}).value());
  EXPECT_THAT(losses.means(), ElementsAre(1.0, 0.5, 0.5));
  config.actions = 3;
  policy = RandomPrefix::create(config).value();
  ReplayStream random({.seed = 2});
  ReplayStream luck({.seed = 2, .lane = 1});
  std::int64_t rounds = 0;
  play(policy, losses, 1000, random, luck, [&](std::int64_t first, int, const LossCounts& block) {
    EXPECT_EQ(first, rounds);
    rounds += block.rounds;
  });
  EXPECT_EQ(rounds, 1000);
  EXPECT_LE(policy.sums()[1], 0.5 * static_cast<double>(policy.prefix()));
}

// The bound of the header, exactly: expected regret of fixed losses, block by block.
TEST(RandomPrefix, FixedLossesCostAtMostTheBoundOfItsHeader) {
  for (const double epsilon : {0.05, 0.3, 1.0}) {
    for (const std::int64_t actions : {2, 10, 100}) {
      // Means only: the best expert is the last.
      const auto losses = detail::instance_losses(detail::ExpertsInstance::kOneGap, actions, 0.3);
      double regret = 1.0;
      for (std::int64_t n = 1; n < 20'000; n *= 2) {
        double average = 0.0;
        for (std::int64_t m = n / 2 + 1; m <= n; ++m) {
          const double weight =
              static_cast<double>(actions - 1) * std::exp(-0.5 * epsilon * 0.3 * double(m));
          average += losses.gap(0) * weight / (1.0 + weight) / static_cast<double>(n - n / 2);
        }
        regret += 2.0 * static_cast<double>(n) * average;
      }
      EXPECT_LE(regret, 1.0 + 8.0 / epsilon * std::log(double(actions)))
          << epsilon << " " << actions;
    }
  }
}

// ---- losses -------------------------------------------------------------------------------------

TEST(TwoPointLosses, AreTheirPoints) {
  const auto example = TwoPointLosses::create({{0.3, 0.3, 1.0}, {0.0, 0.4, 0.8}}).value();
  ReplayStream random({.seed = 1});
  std::vector<double> row(2);
  for (int t = 0; t < 50; ++t) {
    example.losses(random, row);
    EXPECT_EQ(row[0], 0.3);
    EXPECT_TRUE(row[1] == 0.0 || row[1] == 0.4);
  }
}

TEST(TwoPointLosses, RefuseWhatIsOutOfRangeByName) {
  const auto one = TwoPointLosses::create({{0.0, 1.0, 0.5}});
  EXPECT_THAT(one, IsRefused("at least two experts"));
  const auto bad = TwoPointLosses::create({{0.0, 1.0, 0.5}, {0.5, 0.25, 0.5}});
  EXPECT_EQ(bad.error().path, "/laws/1");
}

TEST(LossSequence, IsReadLineByLine) {
  const TemporaryFolder folder;
  const auto path = folder.write("l.csv", "# two experts\n0, 1\n0.5,0.25\r\n\n");
  const auto losses = must(read_losses(path));
  EXPECT_EQ(losses.columns, 2);
  EXPECT_EQ(losses.rows, 2);
  EXPECT_THAT(losses.values, ElementsAre(0.0, 1.0, 0.5, 0.25));
}

TEST(LossSequence, ErrorsNameTheLineAndWhatIsAllowed) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    return error_of(read_losses(folder.write("l.csv", text)));
  };
  EXPECT_EQ(error("0,1\n0,2\n").line, 2);
  EXPECT_THAT(error("0,1\n0,2\n").message, HasSubstr("expert 1 must be 0 to 1, not 2"));
  EXPECT_THAT(error("0,1\n0\n").message, HasSubstr("has 1 losses; the first line has 2"));
  EXPECT_THAT(error("0\n").message, HasSubstr("at least two experts"));
  EXPECT_THAT(error("0,x\n").message, HasSubstr("the loss of expert 1"));
  EXPECT_THAT(error("").message, HasSubstr("holds no losses"));
  EXPECT_THAT(error("0,1\n\n0,1\n").message, HasSubstr("is blank"));
  EXPECT_THAT(read_losses(folder.file("none")), IsRefused("cannot be read"));
}

}  // namespace
}  // namespace assay
