// The audit of RNM-FTNL: known levels, the worst pair against brute force over all vertices, the
// law of one draw against the enumeration of whole transcripts, and reports.
#include "assay/auditors/experts/ftnl_case.hpp"
#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/ftnl_pair.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

double largest_loss(const EnumeratedDistributions& distributions) {
  double largest = 0.0;
  for (std::size_t j = 0; j < distributions.log_p.size(); ++j) {
    largest = std::max(largest, std::fabs(distributions.log_p[j] - distributions.log_q[j]));
  }
  return largest;
}

double worst_loss(const RnmFtnl& policy) {
  return largest_loss(
      leader_distributions(policy, pair_of_groups(policy.config(), worst_groups_for_pure(policy))));
}

TEST(FtnlAudit, ExponentialNoiseAsPrintedLosesItsClosedFormInTheFirstEpoch) {
  // P(ahead by 1)/P(behind by 1) of K experts, scale b: e^(2/b) (1 - (1 - e^(-1/b))^K).
  for (const std::int64_t actions : {2, 3, 10, 100, 1000}) {
    const auto policy = ftnl(actions, 3, LeaderNoise::kExponential, false, Calibration::kPaper);
    const double truth =
        2.0 + std::log1p(-std::pow(1.0 - std::exp(-1.0), static_cast<double>(actions)));
    EXPECT_NEAR(worst_loss(policy), truth, 1e-12) << actions;
  }
  const auto two = ftnl(2, 3, LeaderNoise::kExponential, false, Calibration::kPaper);
  EXPECT_NEAR(worst_loss(two), std::log(2.0 * std::exp(1.0) - 1.0), 1e-13);
  EXPECT_NEAR(worst_loss(two), 1.4898801256, 1e-10);
  const auto three = ftnl(3, 3, LeaderNoise::kExponential, false, Calibration::kPaper);
  EXPECT_NEAR(worst_loss(three), 1.7088713846, 1e-10);
}

TEST(FtnlAudit, ExponentialNoiseAsPrintedLosesTwiceItsLevelFromTheSecondEpochOn) {
  for (const std::int64_t horizon : {4, 7, 8, 100}) {
    EXPECT_NEAR(worst_loss(ftnl(2, horizon, LeaderNoise::kExponential, false, Calibration::kPaper)),
                2.0, 1e-12)
        << horizon;
  }
}

TEST(FtnlAudit, LaplaceNoiseOfTwoExpertsHasItsClosedForm) {
  // One behind by d: e^(-d/b) (2 + d/b)/4; the pair goes from n - 1 to n + 1.
  const double n = 127.0;  // T = 256
  const double truth = 1.0 - std::log((2.0 + (n + 1.0) / 2.0) / (2.0 + (n - 1.0) / 2.0));
  EXPECT_NEAR(worst_loss(ftnl(2, 256, LeaderNoise::kLaplace)), truth, 2e-12);
}

// ---- brute force --------------------------------------------------------------------------------

struct BruteForce {
  double loss = 0.0;
  double delta = 0.0;    // at `epsilon`, of the vectors at vertices
  double opposed = 0.0;  // the same, of the vectors that differ in every loss
};

bool has_zero(std::int64_t code, std::int64_t digits, std::int64_t base) {
  for (; digits > 0; --digits, code /= base) {
    if (code % base == 0) return true;
  }
  return false;
}

// Every rest in {0, step, .., n step}^K that is 0 for some expert, as a shift of all changes
// nothing, and every pair of vectors in {0, 1}^K. The largest loss needs no pairs: for each rest
// and output the largest less the smallest log-probability.
BruteForce brute_force(const RnmFtnl& policy, std::int64_t n, double epsilon, bool with_delta,
                       double step = 1.0) {
  const std::int64_t actions = policy.config().actions;
  const std::uint64_t vertices = std::uint64_t{1} << actions;
  BruteForce worst;
  std::int64_t rests = 1;
  for (std::int64_t j = 0; j < actions; ++j) rests *= n + 1;
  for (std::int64_t code = 0; code < rests; ++code) {
    if (!has_zero(code, actions, n + 1)) continue;
    std::vector<std::vector<double>> distributions;
    for (std::uint64_t bits = 0; bits < vertices; ++bits) {
      std::vector<ScoreGroup> scores;
      std::int64_t digits = code;
      for (std::int64_t j = 0; j < actions; ++j, digits /= n + 1) {
        scores.push_back(ScoreGroup::fixed(
            -step * static_cast<double>(digits % (n + 1)) - static_cast<double>(bits >> j & 1), 1));
      }
      distributions.push_back(leader_log_probabilities(policy.noise(), scores));
    }
    for (std::size_t j = 0; j < static_cast<std::size_t>(actions); ++j) {
      const auto less = [&](const auto& a, const auto& b) { return a[j] < b[j]; };
      const auto [low, high] =
          std::minmax_element(distributions.begin(), distributions.end(), less);
      worst.loss = std::max(worst.loss, (*high)[j] - (*low)[j]);
    }
    if (!with_delta) continue;
    for (std::size_t a = 0; a < distributions.size(); ++a) {
      for (std::size_t b = 0; b < distributions.size(); ++b) {
        double delta = 0.0;
        for (std::size_t j = 0; j < distributions[a].size(); ++j) {
          delta += std::max(
              0.0, std::exp(distributions[a][j]) - std::exp(epsilon + distributions[b][j]));
        }
        worst.delta = std::max(worst.delta, delta);
        if (a + b + 1 == distributions.size()) worst.opposed = std::max(worst.opposed, delta);
      }
    }
  }
  return worst;
}

struct Size {
  std::int64_t actions;
  std::int64_t horizon;  // of which the rest of the last epoch that is read has n rounds
  std::int64_t n;
};

TEST(FtnlWorstPair, ForPureEpsNoPairOfVerticesAndNoRestLosesMore) {
  for (const LeaderNoise noise : kLeaderNoises) {
    for (const Size size : {Size{8, 3, 0}, Size{3, 4, 1}, Size{4, 4, 1}, Size{2, 8, 3},
                            Size{3, 8, 3}, Size{2, 16, 7}}) {
      const auto policy = ftnl(size.actions, size.horizon, noise);
      ASSERT_EQ(rest_rounds(size.horizon), size.n);
      const BruteForce truth = brute_force(policy, size.n, 0.0, false);
      EXPECT_NEAR(worst_loss(policy), truth.loss, 2e-12)
          << detail::value_text(noise) << " K = " << size.actions << " n = " << size.n;
    }
  }
}

void expect_worst_found(LeaderNoise noise, const Size& size, double epsilon) {
  const auto policy = ftnl(size.actions, size.horizon, noise, true);
  const BruteForce truth = brute_force(policy, size.n, epsilon, true);
  const ClaimedQuantity claimed{QuantityKind::kDeltaAtEpsilon, epsilon, 1e-6};
  const auto found = search_groups(policy, claimed);
  const double delta = lower_bound_of(grouped_distributions(policy.noise(), found.groups), claimed);
  EXPECT_NEAR(delta, truth.delta, 1e-11)
      << detail::value_text(noise) << " K = " << size.actions << " n = " << size.n;
  EXPECT_NEAR(truth.opposed, truth.delta, 1e-13);  // (2) of ftnl_worst.hpp
}

TEST(FtnlWorstPair, TheSearchForDeltaFindsTheWorstVertices) {
  for (const LeaderNoise noise : kLeaderNoises) {
    for (const double epsilon : {0.2, 0.6}) {
      for (const Size size : {Size{5, 3, 0}, Size{2, 8, 3}, Size{3, 4, 1}, Size{4, 4, 1}}) {
        expect_worst_found(noise, size, epsilon);
      }
    }
  }
}

// Where the best of the starts leads to a local maximum.
TEST(FtnlWorstPair, TheSearchForDeltaLeavesLocalMaxima) {
  expect_worst_found(LeaderNoise::kExponential, {3, 8, 3}, 0.6);
  for (const Size size : {Size{3, 8, 3}, Size{3, 16, 7}, Size{4, 8, 3}}) {
    expect_worst_found(LeaderNoise::kGumbel, size, 0.6);
  }
}

// Without resampling a rest is any number: the search comes no lower than all quarters.
TEST(FtnlWorstPair, TheSearchForDeltaFindsRestsThatAreNotWhole) {
  bool is_better_than_whole = false;
  for (const LeaderNoise noise : kLeaderNoises) {
    for (const Size size : {Size{2, 8, 3}, Size{3, 4, 1}}) {
      const auto policy = ftnl(size.actions, size.horizon, noise);
      const BruteForce truth = brute_force(policy, 4 * size.n, 0.6, true, 0.25);
      const ClaimedQuantity claimed{QuantityKind::kDeltaAtEpsilon, 0.6, 1e-6};
      const auto found = search_groups(policy, claimed);
      const double delta =
          lower_bound_of(grouped_distributions(policy.noise(), found.groups), claimed);
      EXPECT_GE(delta, truth.delta - 1e-11)
          << detail::value_text(noise) << " K = " << size.actions << " n = " << size.n;
      is_better_than_whole |= delta > brute_force(policy, size.n, 0.6, true).delta + 1e-4;
    }
  }
  EXPECT_TRUE(is_better_than_whole);
}

// Delta at an epsilon of a pair of these groups, and of the pair that the search finds.
class DeltaOfGroups {
 public:
  DeltaOfGroups(const RnmFtnlConfig& config, double epsilon)
      : policy_(RnmFtnl::create(config).value()),
        claimed_{QuantityKind::kDeltaAtEpsilon, epsilon, 1e-3} {}
  double operator()(const std::vector<ExpertGroup>& groups) const {
    return lower_bound_of(grouped_distributions(policy_.noise(), groups), claimed_);
  }
  double found() const { return (*this)(search_groups(policy_, claimed_).groups); }

 private:
  RnmFtnl policy_;
  ClaimedQuantity claimed_;
};

// Held-out settings: thousands of random rests, the best of them improved by random steps, never
// beat what was found.
TEST(FtnlWorstPair, NoRandomRestBeatsTheSearchForDelta) {
  struct Setting {
    std::int64_t actions;
    std::int64_t horizon;
    LeaderNoise noise;
    Calibration calibration;
    double level;
    double epsilon;
  };
  using enum LeaderNoise;
  const Setting settings[] = {{3, 15, kExponential, Calibration::kPaper, 1.0, 0.9},
                              {3, 7, kExponential, Calibration::kPaper, 1.0, 0.9},
                              {2, 15, kLaplace, Calibration::kCorrected, 1.0, 0.4},
                              {2, 15, kExponential, Calibration::kCorrected, 1.0, 0.4},
                              {2, 15, kGumbel, Calibration::kCorrected, 1.0, 0.4},
                              {4, 15, kExponential, Calibration::kPaper, 1.0, 0.9},
                              {4, 31, kLaplace, Calibration::kCorrected, 1.0, 0.5},
                              {5, 15, kExponential, Calibration::kCorrected, 2.0, 0.7},
                              {5, 31, kLaplace, Calibration::kCorrected, 3.0, 1.1},
                              {3, 31, kGumbel, Calibration::kCorrected, 3.0, 1.3}};
  ReplayStream random({.seed = 11, .purpose = hash_purpose("tests/ftnl-rests")});
  for (const Setting& setting : settings) {
    RnmFtnlConfig config{.actions = setting.actions,
                         .horizon = setting.horizon,
                         .epsilon = setting.level,
                         .noise = setting.noise,
                         .calibration = setting.calibration};
    const DeltaOfGroups value(config, setting.epsilon);
    const double found = value.found();
    const auto n = static_cast<double>(rest_rounds(setting.horizon));
    double best = 0.0;
    std::vector<ExpertGroup> at;
    const auto consider = [&](std::vector<ExpertGroup> groups) {
      const double v = value(groups);
      if (v > best) {
        best = v;
        at = std::move(groups);
      }
    };
    for (int i = 0; i < (kSanitized ? 20 : 2000); ++i) {
      std::vector<ExpertGroup> groups;
      for (std::int64_t j = 0; j < setting.actions; ++j) {
        const double loss = random.uniform() < 0.5 ? 0.0 : 1.0;
        const double end = random.uniform() < 0.5 ? 0.0 : n;
        groups.push_back(
            {random.uniform() < 0.3 ? end : n * random.uniform(), loss, 1.0 - loss, 1});
      }
      consider(std::move(groups));
    }
    for (double step = n / 4.0; step > 1e-5; step /= 2.0) {
      for (int i = 0; i < (kSanitized ? 3 : 30); ++i) {
        auto groups = at;
        for (auto& group : groups) {
          group.rest = std::clamp(group.rest + step * (2.0 * random.uniform() - 1.0), 0.0, n);
        }
        consider(std::move(groups));
      }
    }
    EXPECT_GE(found, best * (1.0 - 1e-6))
        << detail::value_text(setting.noise) << " K = " << setting.actions << " n = " << n;
  }
}

// Of many experts those that are ahead are few, and how many of either kind decides: the search used to
// end 2.5% and 0.06% below the first two of these.
TEST(FtnlWorstPair, AmongAHundredExpertsTheSearchForDeltaFindsHowManyAreAhead) {
  struct Setting {
    std::int64_t horizon;
    LeaderNoise noise;
    double level;
    double epsilon;
    std::vector<ExpertGroup> rival;
  };
  using enum LeaderNoise;
  const Setting settings[] = {
      {63, kLaplace, 1.0, 0.3, {{0.0, 1.0, 0.0, 3}, {0.15, 0.0, 1.0, 2}, {15.0, 1.0, 0.0, 95}}},
      {1000, kLaplace, 1.0, 0.5, {{0.0, 1.0, 0.0, 1}, {0.11, 0.0, 1.0, 3}, {100.0, 1.0, 0.0, 96}}},
      {31, kLaplace, 3.0, 1.1, {{0.0, 1.0, 0.0, 3}, {0.25, 0.0, 1.0, 2}, {7.0, 1.0, 0.0, 95}}},
      {15, kGumbel, 1.0, 0.5, {{0.0, 0.0, 1.0, 8}, {2.6, 1.0, 0.0, 92}}}};
  ReplayStream random({.seed = 12, .purpose = hash_purpose("tests/ftnl-rests")});
  for (const Setting& setting : settings) {
    RnmFtnlConfig config{.actions = 100,
                         .horizon = setting.horizon,
                         .epsilon = setting.level,
                         .noise = setting.noise};
    const DeltaOfGroups value(config, setting.epsilon);
    double best = value(setting.rival);
    const auto n = static_cast<double>(rest_rounds(setting.horizon));
    const auto rest = [&] {  // mostly near one of the ends
      const double u = random.uniform();
      return random.uniform() < 0.5 ? n * u * u * u : n * (1.0 - u * u * u);
    };
    for (int i = 0; i < (kSanitized ? 10 : 1000); ++i) {
      std::vector<ExpertGroup> groups;
      for (std::int64_t left = 100; left > 0;) {
        const auto most = static_cast<double>(left) + 1.0;
        const auto count = static_cast<std::int64_t>(std::pow(most, random.uniform()));
        const double loss = random.uniform() < 0.5 ? 0.0 : 1.0;
        groups.push_back({rest(), loss, 1.0 - loss, std::min(count, left)});
        left -= groups.back().count;
      }
      best = std::max(best, value(groups));
    }
    EXPECT_GE(value.found(), best * (1.0 - 1e-6))
        << detail::value_text(setting.noise) << " n = " << n;
  }
}

// ---- transcripts --------------------------------------------------------------------------------

InputPair some_pair(std::int64_t actions, std::int64_t horizon, std::int64_t position) {
  InputTable losses = InputTable::zeros(horizon, actions);
  ReplayStream random({.seed = 5, .purpose = hash_purpose("tests/ftnl-pair")});
  for (double& loss : losses.values) loss = std::floor(5.0 * random.uniform()) / 4.0;
  return InputPair::of(std::move(losses), {position - 1, vertex(actions, 1)});
}

TEST(FtnlPair, TheLossOfATranscriptIsThatOfOneDraw) {
  for (const LeaderNoise noise : kLeaderNoises) {
    for (const bool resample : {false, true}) {
      for (const std::int64_t position : {1, 2, 3}) {
        const auto policy = ftnl(2, 5, noise, resample);
        const InputPair pair = some_pair(2, 5, position);
        const FtnlPair process(policy, std::make_shared<const InputPair>(pair));
        const auto whole = ExactLoss::create(enumerate_transcripts(process, 1).value()).value();
        const auto draw = ExactLoss::create(leader_distributions(policy, pair)).value();
        for (const auto orientation :
             {Orientation::kBaseToNeighbour, Orientation::kNeighbourToBase}) {
          EXPECT_NEAR(whole.largest_loss(orientation), draw.largest_loss(orientation), 1e-12);
          EXPECT_NEAR(whole.delta(Epsilon{0.1}, orientation).lower.value.value,
                      draw.delta(Epsilon{0.1}, orientation).lower.value.value, 1e-11);
        }
        EXPECT_NEAR(whole.mu().lower.value.value, draw.mu().lower.value.value, 1e-9);
      }
    }
  }
}

TEST(FtnlPair, AVectorThatNoLaterEpochReadsLosesNothing) {
  const auto policy = ftnl(3, 7, LeaderNoise::kLaplace);
  const auto distributions =
      leader_distributions(policy, some_pair(3, 7, 5));  // epoch 3 is the last one played
  EXPECT_EQ(largest_loss(distributions), 0.0);
  const FtnlPair process(policy, std::make_shared<const InputPair>(some_pair(3, 7, 5)));
  const auto whole = ExactLoss::create(enumerate_transcripts(process, 1).value()).value();
  EXPECT_EQ(whole.largest_loss(Orientation::kBaseToNeighbour), 0.0);
}

TEST(FtnlPair, AgreesUntilTheChangedVectorAndAfterTheDrawThatReadsIt) {
  FtnlPair process(ftnl(2, 8, LeaderNoise::kGumbel),
                   std::make_shared<const InputPair>(some_pair(2, 8, 3)));
  std::vector<bool> agrees;
  for (int t = 0; t < 8; ++t) {
    agrees.push_back(process.agrees());
    process.advance(0);
  }
  // Rounds 1..3 are played before it is seen; round 4 draws from it; then it is forgotten.
  EXPECT_EQ(agrees, (std::vector<bool>{true, true, true, false, true, true, true, true}));
}

// ---- reports ------------------------------------------------------------------------------------

Result<AuditReport> audit_ftnl(const std::vector<KeyValue>& parameters, const std::string& claim,
                               std::optional<AuditInput> input = std::nullopt) {
  AuditRequest request{.parameters = parameters, .claim = claim, .input = std::move(input)};
  return FtnlCase().run(request, {});
}

const std::vector<KeyValue> kPrinted = {{"noise", "exponential"}, {"calibration", "paper"}};

TEST(FtnlCase, RefutesExponentialNoiseAsPrinted) {
  const auto report = audit_ftnl(kPrinted, "eps=1").value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  EXPECT_EQ(report.evidence.quantities[0].kind, QuantityKind::kEpsilonAtDelta);
  EXPECT_NEAR(report.evidence.quantities[0].lower.value, 1.48988012564475, 1e-11);
  EXPECT_LE(report.evidence.quantities[0].lower.value, 1.48988012564475);
  EXPECT_GE(report.evidence.quantities[0].upper.value, 1.48988012564475);
  EXPECT_THAT(report.reason, HasSubstr("1.4898801256"));
  EXPECT_EQ(report.relation, Relation::kReplaceOneLossVector);
  ASSERT_TRUE(report.evidence.witness);
  EXPECT_EQ(report.evidence.witness->actions.size(), 2u);
  EXPECT_NEAR(report.evidence.witness->log_probability_base -
                  report.evidence.witness->log_probability_neighbour,
              1.48988012564475, 1e-11);
}

TEST(FtnlCase, VerifiesTheLevelThatHoldsForAllPairs) {
  for (const std::string claim : {"eps=2*epsilon", "eps=1.49", "eps=1.48988013"}) {
    const auto report = audit_ftnl(kPrinted, claim).value();
    EXPECT_EQ(report.verdict, Verdict::kVerified) << claim;
    EXPECT_EQ(report.scope, Scope::kAllPairs) << claim;
  }
  EXPECT_EQ(audit_ftnl(kPrinted, "eps=1.48988012").value().verdict, Verdict::kViolated);
}

TEST(FtnlCase, VerifiesTheOtherVariantsAtTheirOwnLevel) {
  for (const std::string noise : {"laplace", "exponential", "gumbel"}) {
    for (const std::string resample : {"false", "true"}) {
      for (const std::string actions : {"2", "3", "10", "100"}) {
        for (const std::string horizon : {"1", "3", "100"}) {
          const auto report = audit_ftnl({{"noise", noise},
                                          {"resample", resample},
                                          {"actions", actions},
                                          {"horizon", horizon}},
                                         "eps=epsilon")
                                  .value();
          EXPECT_EQ(report.verdict, Verdict::kVerified) << noise << " " << actions;
          EXPECT_EQ(report.scope, Scope::kAllPairs);
        }
      }
    }
  }
}

TEST(FtnlCase, TheTightLevelOfAShortHorizonIsVerifiedAndALittleLessIsRefuted) {
  const double level = worst_loss(ftnl(3, 8, LeaderNoise::kLaplace));
  ASSERT_LT(level, 0.96);
  const std::vector<KeyValue> parameters{{"actions", "3"}, {"horizon", "8"}};
  const auto claim = [](double epsilon) { return "eps=" + number_text(epsilon); };
  EXPECT_EQ(audit_ftnl(parameters, claim(level + 1e-9)).value().verdict, Verdict::kVerified);
  EXPECT_EQ(audit_ftnl(parameters, claim(level - 1e-9)).value().verdict, Verdict::kViolated);
}

// From a rest of 1 on the pair of exponential noise attains 2/b, whatever the epoch's length: the
// proof bounds what the quadrature leaves open.
TEST(FtnlCase, ThePairOfExponentialNoiseIsTheWorstOneInLongEpochsToo) {
  for (const std::string horizon : {"4", "8", "1000"}) {
    const auto report =
        audit_ftnl({{"noise", "exponential"}, {"horizon", horizon}}, "eps=1").value();
    EXPECT_EQ(report.verdict, Verdict::kVerified);
    EXPECT_EQ(report.evidence.quantities[0].upper.value, 1.0);
    EXPECT_EQ(report.evidence.quantities[0].upper.evidence, Evidence::kTheorem);
    EXPECT_GT(report.evidence.quantities[0].lower.value, 1.0 - 1e-11);
    EXPECT_THAT(report.pair.found_by, HasSubstr("proof: no pair has a larger loss"));
    EXPECT_THAT(report.evidence.limits[0], HasSubstr("that of the worst pair, by proof"));
  }
}

// A large epsilon makes the experts behind improbable; the pair keeps within the certified range.
TEST(FtnlCase, LargeEpsilonsAreAudited) {
  for (const std::string noise : {"laplace", "exponential", "gumbel"}) {
    for (const std::string horizon : {"3", "8", "1000"}) {
      for (const std::string epsilon : {"400", "1000"}) {
        const auto report = must(audit_ftnl(
            {{"noise", noise}, {"horizon", horizon}, {"epsilon", epsilon}}, "eps=epsilon"));
        EXPECT_EQ(report.verdict, Verdict::kVerified) << noise << " " << horizon;
      }
    }
  }
  auto printed = kPrinted;
  printed.push_back({"epsilon", "900"});
  printed.push_back({"horizon", "1000"});
  EXPECT_EQ(audit_ftnl(printed, "eps=epsilon").value().verdict, Verdict::kViolated);
  printed[2].value = "1000";
  const auto beyond = audit_ftnl(printed, "eps=epsilon");
  EXPECT_EQ(beyond.error().code, ErrorCode::kLimit);
  EXPECT_THAT(beyond, IsRefused("below e^-1000"));
  EXPECT_THAT(beyond, IsRefused("give a smaller epsilon"));
}

TEST(FtnlCase, TheReportHoldsBothSequences) {
  const auto report = audit_ftnl({{"actions", "3"}, {"horizon", "8"}}, "eps=1").value();
  EXPECT_TRUE(report.pair.shows_both);
  EXPECT_EQ(report.pair.inputs.changed_row(), 3);  // opposed at every expert
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(report.pair.inputs.neighbour_row()[j], 1.0 - report.pair.inputs.base_row()[j]);
  }
}

TEST(FtnlCase, WithOneRoundNothingIsLost) {
  const auto report = audit_ftnl({{"horizon", "1"}}, "eps=0").value();
  EXPECT_EQ(report.verdict, Verdict::kVerified);
  EXPECT_EQ(report.scope, Scope::kAllPairs);
}

TEST(FtnlCase, ClaimsWithDeltaAndInMuAreDecidedByTheExactDistribution) {
  EXPECT_EQ(audit_ftnl({{"horizon", "100"}}, "eps=0.5,delta=0.01").value().verdict,
            Verdict::kViolated);
  EXPECT_EQ(audit_ftnl({{"horizon", "100"}}, "eps=0.5,delta=0.5").value().verdict,
            Verdict::kVerified);
  EXPECT_EQ(audit_ftnl({{"horizon", "100"}}, "mu=0.3").value().verdict, Verdict::kViolated);
  const auto report =
      audit_ftnl({{"horizon", "100"}}, "mu=1.24").value();  // eps = 1 implies 1.2320
  EXPECT_EQ(report.verdict, Verdict::kVerified);
  EXPECT_EQ(report.scope, Scope::kAllPairs);
}

AuditInput losses_of(std::vector<double> values) {
  const auto rounds = static_cast<std::int64_t>(values.size()) / 2;
  return AuditInput::of("losses.csv", "", InputPair::of({rounds, 2, std::move(values)}, {}));
}

TEST(FtnlCase, AFileFixesAllButOneVector) {
  // Round 1 is all that T = 3 reads; from (0, 1) the worst new vector is (1, 0).
  const auto input = losses_of({0, 1, 0.5, 0.5, 0.25, 0});
  const auto report = audit_ftnl(kPrinted, "eps=1", input).value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  EXPECT_NEAR(report.evidence.quantities[0].lower.value, 1.48988012564475, 1e-11);
  EXPECT_EQ(report.pair.inputs.base(), input.inputs.base());
  EXPECT_EQ(report.pair.position(), 1);
  // From (1/2, 1/2) half of the change is left: gaps 0 and -1 of scale 1, ratio 1/2 : e^-1/2.
  const auto middle = losses_of({0.5, 0.5, 0, 0, 0, 0});
  EXPECT_NEAR(audit_ftnl(kPrinted, "eps=1", middle).value().evidence.quantities[0].lower.value, 1.0,
              1e-11);
}

TEST(FtnlCase, WhatDoesNotFitIsRefusedByName) {
  const auto message = [](const Result<AuditReport>& report) { return report.error().message; };
  EXPECT_THAT(message(audit_ftnl({{"actions", "1"}}, "")), HasSubstr("actions must be 2 to 10000"));
  EXPECT_THAT(message(audit_ftnl({{"horizon", "1e6"}, {"actions", "100"}}, "")),
              HasSubstr("horizon times actions must be at most 4194304"));
  const auto input = losses_of({0, 1, 0.5, 0.5});
  EXPECT_THAT(message(audit_ftnl({}, "eps=1", input)),
              HasSubstr("has 2 rounds of 2 losses, but horizon is 3"));
  AuditRequest request{.method = Method::kLikelihood};
  EXPECT_THAT(message(FtnlCase().run(request, {})), HasSubstr("method must be auto or exact"));
}

}  // namespace
}  // namespace assay
