// What is certified of the law of resampled epochs: windows against the whole law, outputs left out
// against the whole pair, and audits of losses that are too many to be mixed one by one.
#include "assay/auditors/experts/leader_bracket.hpp"

#include "assay/auditors/experts/ftnl_case.hpp"
#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

std::vector<std::vector<double>> some_rows(std::int64_t rounds, std::int64_t actions) {
  ReplayStream random({.seed = 3, .purpose = hash_purpose("tests/leader-bracket")});
  std::vector<std::vector<double>> rows;
  for (std::int64_t t = 0; t < rounds; ++t) {
    rows.emplace_back();
    for (std::int64_t j = 0; j < actions; ++j) {
      rows.back().push_back(random.uniform() * std::max(0.1, 1.0 - 0.15 * static_cast<double>(j)));
    }
  }
  return rows;
}

// ---- windows ------------------------------------------------------------------------------------

// The whole law of every count, term by term, inside one integral.
std::vector<double> whole_distribution(const RnmFtnl& policy,
                                       const std::vector<std::vector<double>>& rows) {
  std::vector<ScoreGroup> groups;
  for (std::size_t j = 0; j < rows[0].size(); ++j) {
    std::vector<double> ones{1.0};
    for (const auto& row : rows) {
      ones.push_back(0.0);
      for (std::size_t k = ones.size() - 1; k > 0; --k) {
        ones[k] = ones[k] * (1.0 - row[j]) + ones[k - 1] * row[j];
      }
      ones[0] *= 1.0 - row[j];
    }
    groups.push_back(ScoreGroup::of_losses({0.0, ones}));
  }
  return leader_log_probabilities(policy.noise(), groups);
}

LeaderDistribution windowed_distribution(const RnmFtnl& policy,
                                         const std::vector<std::vector<double>>& rows,
                                         double relative) {
  FtnlDistribution distribution(policy, {.relative = relative});
  for (const auto& row : rows) distribution.observe(row);
  return distribution.distribution();
}

TEST(LeaderDistribution, HoldsTheDistributionOfAllCountsWithinItsErrorAndShrinksWithTheWindow) {
  const auto rows = some_rows(100, 3);
  for (const LeaderNoise noise : kLeaderNoises) {
    const auto policy = ftnl(3, 256, noise, true);
    const auto truth = whole_distribution(policy, rows);
    double error = 1.0;
    for (const double relative : {1e-3, 1e-6, 0x1p-70}) {
      const auto distribution = windowed_distribution(policy, rows, relative);
      EXPECT_LT(distribution.relative_error, error);
      error = distribution.relative_error;
      double worst = 0.0;
      for (std::size_t j = 0; j < 3; ++j) {
        worst = std::max(worst, std::fabs(distribution.log_p[j] - truth[j]));
      }
      EXPECT_LE(worst, error + kNoisyMaxRelativeError) << detail::value_text(noise) << relative;
      // What the widest allowance moves is seen, so that an error that forgot it would fail.
      if (relative == 1e-3) {
        EXPECT_GT(worst, 1e-8) << detail::value_text(noise);
      }
    }
    EXPECT_LT(error, 1e-11);
  }
}

TEST(LeaderDistribution, ACopyThatObservesOneRoundMoreHasTheDistributionOfAllRounds) {
  const auto rows = some_rows(300, 3);
  for (const LeaderNoise noise : kLeaderNoises) {
    const auto policy = ftnl(3, 1024, noise, true);
    FtnlDistribution rest(policy);
    for (std::size_t t = 1; t < rows.size(); ++t) rest.observe(rows[t]);
    rest.fold();
    FtnlDistribution one_more = rest;
    one_more.observe(rows[0]);
    const auto distribution = one_more.distribution();
    const auto whole = windowed_distribution(policy, rows, 0x1p-70);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(distribution.log_p[j], whole.log_p[j],
                  distribution.relative_error + whole.relative_error);
    }
  }
}

TEST(LeaderDistribution, ExpertsWithTheSameLossesInAnotherOrderAreOneKind) {
  FtnlDistribution distribution(ftnl(3, 8, LeaderNoise::kGumbel, true));
  distribution.observe(std::vector<double>{0.25, 0.5, 0.25});
  distribution.observe(std::vector<double>{0.5, 0.25, 0.75});
  const auto log_p = distribution.log_probabilities();
  EXPECT_EQ(log_p[0], log_p[1]);
  EXPECT_LT(log_p[2], log_p[0]);
}

// ---- outputs left out ---------------------------------------------------------------------------

// A pair with outputs of probability near e^-27, which least_log = -24 leaves out; |loss| <= level.
LeaderDistributions pair_with_small_outputs(double level, ReplayStream& random) {
  LeaderDistributions distributions{{.relative_error = 1e-12}, -24.0};
  const double first = 0.5 + 0.2 * random.uniform();
  const double second = 0.5 + 0.2 * random.uniform();
  double rest_p = 1.0 - first;
  double rest_q = 1.0 - second;
  for (int j = 0; j < 3; ++j) {
    const double log_p = -27.0 - random.uniform();
    const double log_q = log_p + level * (2.0 * random.uniform() - 1.0);
    distributions.log_p.push_back(log_p);
    distributions.log_q.push_back(log_q);
    rest_p -= std::exp(log_p);
    rest_q -= std::exp(log_q);
  }
  distributions.log_p.insert(distributions.log_p.end(), {std::log(first), std::log(rest_p)});
  distributions.log_q.insert(distributions.log_q.end(), {std::log(second), std::log(rest_q)});
  return distributions;
}

TEST(LeaderBracket, ItsSidesHoldEveryQuantityOfThePairWhatEverIsLeftOut) {
  ReplayStream random({.seed = 4, .purpose = hash_purpose("tests/leader-bracket")});
  constexpr double kLevel = 2.0;
  int mattered = 0;
  for (int i = 0; i < 200; ++i) {
    const LeaderDistributions distributions = pair_with_small_outputs(kLevel, random);
    const auto bracket = bracket_of(distributions, kLevel).value();
    ASSERT_EQ(bracket.left_out, 3u);
    const auto truth =
        exact_evidence(ExactLoss::create(distributions).value(), PureDp{Epsilon{1.0}}, Delta{1e-6});
    const auto evidence = bracket_evidence(bracket, PureDp{Epsilon{1.0}}, Delta{1e-6}).value();
    const auto inner =
        exact_evidence(ExactLoss::create(bracket.inner).value(), PureDp{Epsilon{1.0}}, Delta{1e-6});
    ASSERT_EQ(truth.quantities.size(), evidence.quantities.size());
    for (std::size_t k = 0; k < truth.quantities.size(); ++k) {
      EXPECT_LE(evidence.quantities[k].lower.value, truth.quantities[k].upper.value) << k;
      EXPECT_GE(evidence.quantities[k].upper.value, truth.quantities[k].lower.value) << k;
      if (inner.quantities[k].upper.value < truth.quantities[k].lower.value) ++mattered;
    }
    EXPECT_GE(evidence.quantities[0].upper.value, kLevel);  // eps at delta = 0, by proof
    for (const ProfilePoint& point : evidence.profile) {
      const auto delta = ExactLoss::create(distributions)
                             ->delta(Epsilon{point.epsilon}, Orientation::kBaseToNeighbour);
      EXPECT_LE(delta.lower.value.value, point.upper);
    }
  }
  EXPECT_GT(mattered, 150);  // the others' upper bounds alone would be wrong
}

TEST(LeaderBracket, IsThePairWhereEverythingIsCertified) {
  const auto distributions =
      leader_distributions(ftnl(3, 4, LeaderNoise::kLaplace),
                           InputPair::of(InputTable::zeros(4, 3), {1, {1.0, 0.0, 0.5}}));
  const auto bracket = bracket_of(distributions, 1.0).value();
  EXPECT_EQ(bracket.left_out, 0u);
  EXPECT_EQ(bracket.inner.log_p, distributions.log_p);
  EXPECT_EQ(bracket.outer.log_q, distributions.log_q);
}

TEST(LeaderBracket, RefusesToLeaveOutWhatIsLikelyOnOneSide) {
  LeaderDistributions distributions{{.log_p = {-0.7, -0.7}, .log_q = {-1200.0, 0.0}}};
  EXPECT_THAT(bracket_of(distributions, 1500.0), IsRefused("give a smaller epsilon"));
}

// ---- audits -------------------------------------------------------------------------------------

// Losses of `most` at most; in the last epoch that is read a round of almost opposite losses, and
// thirty that put the first expert behind.
AuditInput long_input(std::int64_t horizon, std::int64_t actions, double most) {
  InputTable losses{horizon, actions, {}};
  for (const auto& row : some_rows(horizon, actions)) {
    for (const double loss : row) losses.values.push_back(most * loss);
  }
  const auto opposed = [&](std::int64_t round, double first) {
    const auto row = losses.row(round - 1);
    std::fill(row.begin(), row.end(), 1.0 - first);
    row[0] = first;
  };
  opposed(horizon / 2 + 7, 0.01);
  for (std::int64_t t = 0; t < 30; ++t) opposed(horizon / 2 + 20 + t, 0.98);
  return AuditInput::of("losses.csv", "", InputPair::of(std::move(losses), {}));
}

Result<AuditReport> audit_leader(const std::string& noise, const std::string& calibration,
                                 std::int64_t horizon, std::int64_t actions,
                                 const std::string& epsilon, const std::string& claim,
                                 double most = 1.0) {
  AuditRequest request{.parameters = {{"noise", noise},
                                      {"calibration", calibration},
                                      {"resample", "true"},
                                      {"epsilon", epsilon},
                                      {"actions", std::to_string(actions)},
                                      {"horizon", std::to_string(horizon)}},
                       .claim = claim,
                       .input = long_input(horizon, actions, most)};
  return FtnlCase().run(request, {});
}

TEST(FtnlBracketAudit, LongResampledEpochsAcquitTheScaleThatHolds) {
  for (const std::string noise : {"laplace", "gumbel", "exponential"}) {
    const auto report = audit_leader(noise, "corrected", 4096, 2, "1", "eps=epsilon").value();
    EXPECT_EQ(report.verdict, Verdict::kVerified) << noise;
    EXPECT_GT(report.evidence.quantities[0].lower.value, 0.3) << noise;
    EXPECT_LT(report.evidence.quantities[0].upper.value, 1.0 + 1e-9) << noise;
    EXPECT_LT(report.evidence.quantities[0].upper.value - report.evidence.quantities[0].lower.value,
              1e-10)
        << noise;
    EXPECT_THAT(report.evidence.limits, ::testing::Contains(HasSubstr("losses within a window")));
  }
}

TEST(FtnlBracketAudit, LongResampledEpochsConvictThePrintedScale) {
  const auto report =
      audit_leader("exponential", "paper", 4096, 2, "1", "eps=epsilon", 2e-3).value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  EXPECT_GT(report.pair.position(), 2 * 2047);  // of the epoch of 2048 rounds
  EXPECT_GT(report.evidence.quantities[0].lower.value, 1.8);
  EXPECT_LE(report.evidence.quantities[0].lower.value, 2.0);
  ASSERT_TRUE(report.evidence.witness);
}

TEST(FtnlBracketAudit, AnExpertTooFarBehindIsLeftOutAndTheVerdictStands) {
  // Without resampling: in the last epoch that is read the third expert ends 64 behind, 1280
  // scales, and one vector decides between the others. In the other epochs all experts are alike.
  AuditRequest request{.parameters = {{"epsilon", "40"}, {"horizon", "256"}, {"actions", "3"}}};
  std::vector<double> losses;
  for (int t = 1; t <= 256; ++t) {
    if (t < 128) losses.insert(losses.end(), {0.5, 0.5, 0.5});
    if (t >= 128 && t != 200) losses.insert(losses.end(), {0.25, 0.25, 0.75});
    if (t == 200) losses.insert(losses.end(), {0.0, 1.0, 0.75});
  }
  request.input = AuditInput::of("losses.csv", "", InputPair::of({256, 3, std::move(losses)}, {}));
  for (const auto& [claim, verdict] :
       {std::pair{"eps=1,delta=0.9", Verdict::kViolated}, std::pair{"mu=12", Verdict::kVerified}}) {
    request.claim = claim;
    const auto report = FtnlCase().run(request, {}).value();
    EXPECT_EQ(report.verdict, verdict);
    EXPECT_EQ((report.pair.position() - 1) / 3 + 1, 200);
    EXPECT_THAT(report.evidence.limits, ::testing::Contains(HasSubstr("too small to compute")));
    ASSERT_TRUE(report.evidence.witness);
    EXPECT_GT(report.evidence.witness->log_probability_base, -100.0);
  }
}

TEST(FtnlBracketAudit, WhatIsStillTooLargeIsRefusedByName) {
  const auto error = error_of(audit_leader("laplace", "corrected", 1 << 15, 32, "1000", ""));
  EXPECT_THAT(error.message, HasSubstr("give a horizon of at most"));
  EXPECT_THAT(error.message, HasSubstr("a smaller epsilon, or losses of 0 and 1"));
  EXPECT_EQ(error.path, "/horizon");
}

}  // namespace
}  // namespace assay
