// Work that is asked to stop: how much it does afterwards, and what it hands back.
#include "assay/mechanisms/core/progress.hpp"

#include <atomic>
#include <list>

#include "assay/auditors/engine/search.hpp"
#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/thompson_pairs.hpp"

namespace assay {
namespace {

using Row = std::vector<double>;

// Says stop from a certain poll on, and counts the rounds that are played and the probabilities that
// are computed after that.
struct Watch {
  std::atomic<std::int64_t> polls{0};
  std::int64_t stop_at = 0;
  std::atomic<std::int64_t> work{0};
  std::atomic<std::int64_t> work_after{0};

  void note() { ++(polls.load() >= stop_at ? work_after : work); }
  RunControl control(int threads = 1) {
    RunControl out{.threads = threads};
    out.also_stop = [this] { return ++polls >= stop_at; };
    return out;
  }
};

class WatchedPair : public ThompsonPair<> {
 public:
  WatchedPair(ThompsonPair<> pair, Watch* watch) : ThompsonPair<>(std::move(pair)), watch_(watch) {}
  std::unique_ptr<PairProcess> clone() const override {
    return std::make_unique<WatchedPair>(*this);
  }
  void assign(const PairProcess& other) override { *this = static_cast<const WatchedPair&>(other); }
  PairLogProbability log_probability(int action, ArgmaxPrecision precision) const override {
    watch_->note();
    return ThompsonPair<>::log_probability(action, precision);
  }
  void log_probabilities(ArgmaxPrecision precision, std::span<double> p,
                         std::span<double> q) const override {
    watch_->note();
    ThompsonPair<>::log_probabilities(precision, p, q);
  }
  void advance(int action) override {
    watch_->note();
    ThompsonPair<>::advance(action);
  }

 private:
  Watch* watch_;
};

WatchedPair watched(Watch& watch, std::int64_t arms, std::int64_t horizon) {
  return {
      thompson_pair(
          arms, stream_pair(std::vector<double>(static_cast<std::size_t>(horizon), 0.0), 1, 1.0)),
      &watch};
}

TEST(RunControl, AFlagADeadlineAndAReasonOfOnesOwnAllStop) {
  std::atomic<bool> flag{false};
  RunControl control;
  EXPECT_FALSE(control.stopped());
  control.cancel = &flag;
  EXPECT_FALSE(control.stopped());
  flag = true;
  EXPECT_TRUE(control.interrupted());
  EXPECT_TRUE(control.stopped());
  flag = false;
  control.give_seconds(0.0);
  EXPECT_TRUE(control.out_of_time());
  EXPECT_TRUE(control.cancelled());
  EXPECT_EQ(control.seconds_left(), 0.0);
  RunControl other;
  other.also_stop = [] { return true; };
  EXPECT_TRUE(other.interrupted());
}

TEST(RunControl, AStageGetsItsShareOfTheTimeThatIsLeft) {
  RunControl control;
  EXPECT_FALSE(control.within(0.5).deadline);  // of no deadline none
  control.give_seconds(1e300);
  EXPECT_FALSE(control.deadline);
  control.give_seconds(1000.0);
  EXPECT_LE(control.within(0.25).seconds_left(), 250.0);
  EXPECT_GT(control.within(0.25).seconds_left(), 200.0);
  EXPECT_GT(control.seconds_left(), 900.0);
}

TEST(RunControl, APollRemembersAYesAndAsksEverySoOften) {
  int asked = 0;
  RunControl control;
  control.also_stop = [&] { return ++asked == 2; };
  StopPoll poll(control, 4);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(poll());
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(poll());
  EXPECT_TRUE(poll());
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(StopPoll()());
}

// The polls of an inner loop are 16 steps apart at most; what ends a stage is about as much again.
constexpr std::int64_t kMostAfter = 200;

TEST(Stopped, APathSearchGivesTheRoundsThatEveryBeamHasSeen) {
  for (const std::int64_t stop_at : {1, 20, 100}) {
    Watch watch{.stop_at = stop_at};
    const auto found = search_paths(watched(watch, 2, 5000), {4}, watch.control());
    EXPECT_LT(found.rounds, 5000);
    // Its events are evaluated once more, as far as the beams came.
    EXPECT_LE(watch.work_after, kMostAfter + 20 * stop_at);
    const auto& event = found.largest_mu;
    const auto again = evaluate_path(
        thompson_pair(2, stream_pair(std::vector<double>(5000, 0.0), 1, 1.0)), event.actions);
    EXPECT_EQ(event.log_p, again.log_p);
    EXPECT_EQ(event.log_q, again.log_q);
  }
}

TEST(Stopped, ManyArmsAreStoppedBetweenTwoOfThem) {
  Watch watch{.stop_at = 3};
  const auto found = search_paths(watched(watch, 200, 10), {4}, watch.control());
  EXPECT_EQ(found.rounds, 0);
  EXPECT_LE(watch.work + watch.work_after, kMostAfter);
}

TEST(Stopped, AnEnumerationIsAnErrorThatSaysSo) {
  Watch watch{.stop_at = 100};
  const auto error = error_of(enumerate_transcripts(watched(watch, 2, 16), watch.control(2)));
  EXPECT_EQ(error.code, ErrorCode::kInterrupted);
  EXPECT_LE(watch.work_after, kMostAfter);
}

TEST(Stopped, ASortedLossIsAnErrorTooAndItsReportLeavesOutWhatTakesLong) {
  const auto fresh = thompson_pair(2, stream_pair(std::vector<double>(8, 0.0), 1, 1.0));
  const auto distributions = enumerate_transcripts(fresh, 1).value();
  RunControl stopped;
  stopped.also_stop = [] { return true; };
  const auto none = error_of(ExactLoss::create(distributions, stopped));
  EXPECT_EQ(none.code, ErrorCode::kInterrupted);
  const auto exact = ExactLoss::create(distributions).value();
  const auto whole = exact_evidence(exact, GaussianDp{Mu{1.0}}, Delta{1e-6});
  const auto part = exact_evidence(exact, GaussianDp{Mu{1.0}}, Delta{1e-6}, "transcript", stopped);
  EXPECT_LT(part.quantities.size(), whole.quantities.size());
  EXPECT_EQ(part.quantities.front().lower.value, whole.quantities.front().lower.value);
  EXPECT_TRUE(part.profile.empty());
}

TEST(Stopped, ABatchOfLossesIsAPrefixOfTheWholeOneForAnyNumberOfThreads) {
  constexpr Side kBoth[] = {Side::kBase, Side::kNeighbour};
  const LossBatch batch{1, 2, Phase::kCertify, 0, 2000};
  Watch never{.stop_at = 1'000'000'000};
  const auto whole = sample_sides(watched(never, 2, 30), kBoth, batch, never.control(), "", true);
  ASSERT_EQ(whole[0].losses.size(), 2000u);
  EXPECT_EQ(whole[0].means.transcripts, 2000);
  for (const int threads : {1, 3}) {
    Watch watch{.stop_at = 1500};
    const auto part =
        sample_sides(watched(watch, 2, 30), kBoth, batch, watch.control(threads), "", true);
    ASSERT_LT(part[0].losses.size(), 2000u);
    ASSERT_EQ(part[0].losses.size(), part[1].losses.size());
    EXPECT_TRUE(part[0].means.mean.empty());
    for (const int s : {0, 1}) {
      EXPECT_TRUE(
          std::equal(part[s].losses.begin(), part[s].losses.end(), whole[s].losses.begin()));
    }
    // Each thread ends the transcript that it is in, 30 rounds on either side, and looks 16 steps later.
    EXPECT_LE(watch.work_after, 80 * threads);
  }
}

LikelihoodPlan likelihood_plan(std::int64_t samples) {
  LikelihoodPlan plan{{.claim = ApproximateDp{Epsilon{0.5}, Delta{1e-3}}, .seed = 3}, samples};
  plan.augmented_mu = {Mu{3.0}};
  return plan;
}

// Wherever a likelihood audit is stopped, what it reports is what `stop_after` reports.
TEST(Stopped, ALikelihoodAuditKeepsWhatARunWithStopAfterWouldSay) {
  const auto plan = likelihood_plan(1024);
  Watch never{.stop_at = 1'000'000'000};
  const auto whole = audit_by_likelihood(watched(never, 2, 20), {}, plan, never.control()).value();
  EXPECT_FALSE(whole.interrupted);
  const std::int64_t all = never.polls;  // most of them while bounds are computed
  std::vector<std::int64_t> reached;
  for (const double share : {0.0005, 0.005, 0.02, 0.3, 0.99}) {
    if (kSanitized && (share == 0.005 || share == 0.3)) continue;
    Watch watch{.stop_at = static_cast<std::int64_t>(share * static_cast<double>(all))};
    const auto part = audit_by_likelihood(watched(watch, 2, 20), {}, plan, watch.control()).value();
    EXPECT_TRUE(part.interrupted);
    EXPECT_LE(watch.work_after, kMostAfter);
    reached.push_back(part.samples);
    auto again_plan = plan;
    again_plan.stop_after = part.samples;
    const auto again =
        audit_by_likelihood(watched(never, 2, 20), {}, again_plan, never.control()).value();
    EXPECT_EQ(again.samples, part.samples);
    ASSERT_EQ(again.quantities.size(), part.quantities.size());
    for (std::size_t i = 0; i < part.quantities.size(); ++i) {
      EXPECT_EQ(again.quantities[i].lower.value, part.quantities[i].lower.value);
      EXPECT_EQ(again.quantities[i].upper.value, part.quantities[i].upper.value);
    }
    EXPECT_EQ(again.checks.size(), part.checks.size());
  }
  EXPECT_EQ(reached.front(), 0);
  EXPECT_EQ(reached.back(), 1024);  // while bounds are computed, from fewer losses then
}

TEST(RunControl, AStageReportsItsPartOfTheWhole) {
  std::vector<std::pair<double, std::string>> said;
  RunControl control;
  control.progress = [&](const Progress& made) {
    said.emplace_back(made.fraction, std::string(made.stage) + "/" + std::string(made.found));
  };
  const RunControl half = control.stage(0.5, 1.0);
  half.report("a", 0.0);
  half.stage(0.5, 1.0).report("b", 0.5, "found");
  EXPECT_EQ(said, (std::vector<std::pair<double, std::string>>{{0.5, "a/"}, {0.875, "b/found"}}));
  RunControl{}.stage(0.0, 1.0).report("nobody listens", 1.0);
}

// Bounds over all of many cheap losses take seconds: an interrupted audit answers at once from the first.
TEST(Stopped, AnInterruptedAuditOfManyCheapLossesKeepsTheFirstOfThem) {
  AuditRequest request{.method = Method::kLikelihood, .samples = 100'000'000};
  std::atomic<bool> cancel{false};
  RunControl control{.cancel = &cancel};
  control.progress = [&](const Progress& made) {
    if (made.stage == "releases" && made.fraction > 0.005)
      cancel = true;  // half a million on each side
  };
  const auto report = must((*find_audit_case("idealized-laplace"))->run(request, control));
  EXPECT_EQ(report.evidence.samples, static_cast<std::int64_t>(kMostOfInterrupted));
  EXPECT_EQ(report.evidence.samples_planned, 100'000'000);
  EXPECT_NE(report.reproduce.find("--stop-after 65536"), std::string::npos) << report.reproduce;
}

TEST(Sizes, WhatIsDrawnBesideTheSamplesFollowsFromThemAndStaysForMany) {
  for (const std::int64_t actions : {2, 16}) {
    auto many = likelihood_plan(1024);
    size_by_samples(many, actions);
    const LikelihoodPlan usual;
    EXPECT_EQ(many.pilot, usual.pilot);
    EXPECT_EQ(many.tilt_pilot, usual.tilt_pilot);
    EXPECT_EQ(many.checked, usual.checked);
    EXPECT_EQ(many.least_tilted, usual.least_tilted);
    EXPECT_EQ(many.tilted_part, usual.tilted_part);
  }
  auto one = likelihood_plan(1);
  size_by_samples(one, 2);
  EXPECT_EQ(one.pilot, 2);
  EXPECT_EQ(one.tilt_pilot, 0);
  EXPECT_EQ(one.checked, 1);
  EXPECT_EQ(one.least_tilted, 4);
  EXPECT_LT(likelihood_work(one, 2, 100), 100.0 * 2.0 * 40.0);
}

// One sample used to come with 4,096 tilted transcripts that convicted.
TEST(Sizes, OneTranscriptASideConvictsNothingByItself) {
  auto plan = likelihood_plan(1);
  plan.claim = ApproximateDp{Epsilon{0.5}, Delta{1e-6}};
  size_by_samples(plan, 2);
  Watch never{.stop_at = 1'000'000'000};
  const auto evidence =
      audit_by_likelihood(watched(never, 2, 50), {}, plan, never.control()).value();
  EXPECT_EQ(find_quantity(evidence.quantities, QuantityKind::kDeltaAtEpsilon, 0.5)->lower.value,
            0.0);
}

TEST(Search, AStoppedOneFindsWhatTheSameNumberOfPairsFinds) {
  for (const PrivacyLevel& claim : {PrivacyLevel(GaussianDp{Mu{1.0}}),
                                    PrivacyLevel(ApproximateDp{Epsilon{0.3}, Delta{1e-6}})}) {
    PairSearchPlan plan{.claim = claim, .horizon = 40, .seed = 5};
    Watch watch{.stop_at = 10'000};
    const auto make = [&](const InputPair& pair) {
      return std::make_unique<WatchedPair>(thompson_pair(2, pair), &watch);
    };
    const RunControl control = watch.control();
    const auto part = search_worst_pair(plan, make_objective(make, plan), control);
    EXPECT_TRUE(part.stopped);
    EXPECT_GT(part.evaluated, 0);
    EXPECT_LE(watch.work_after, kMostAfter);
    EXPECT_THAT(part.how, ::testing::HasSubstr("an interruption ended it"));
    plan.most_pairs = part.evaluated;
    Watch never{.stop_at = 1'000'000'000};
    const auto all = [&](const InputPair& pair) {
      return std::make_unique<WatchedPair>(thompson_pair(2, pair), &never);
    };
    const RunControl free = never.control(2);
    auto objective = make_objective(all, plan);
    objective.fine = nullptr;  // which the stopped search did not come to
    const auto again = search_worst_pair(plan, objective, free);
    EXPECT_EQ(again.evaluated, part.evaluated);
    EXPECT_EQ(again.pair, part.pair);
    EXPECT_THAT(again.how, ::testing::HasSubstr("the budget ended it"));
  }
}

TEST(Search, OfLengthsAndArmsThatTakeTooLongItTriesLessAndSaysSo) {
  PairSearchPlan plan{.claim = GaussianDp{Mu{1.0}}, .horizon = 1'000'000};
  const RunControl control;
  const auto none = [](const InputPair&) {
    return thompson_pair(2, stream_pair({0.0}, 1, 1.0)).clone();
  };
  const auto longer = make_objective(none, plan);
  EXPECT_EQ(longer.most, 16);
  EXPECT_LT(longer.rounds, plan.horizon);
  EXPECT_THAT(longer.name, ::testing::HasSubstr("over the first "));
  plan.horizon = 3;
  plan.action_count = 1024;
  auto many = make_objective(none, plan);
  EXPECT_EQ(many.most, 0);
  many.coarse = [](const InputPair&, const RunControl&) {
    ADD_FAILURE() << "nothing can be scored";
    return 0.0;
  };
  const auto found = search_worst_pair(plan, many, control);
  EXPECT_EQ(found.evaluated, 0);
  EXPECT_EQ(found.pair, stream_pair({0.0, 0.0, 0.0}, 1, 1.0));
  EXPECT_THAT(found.how, ::testing::HasSubstr("longer than the whole search"));
}

// A million rounds took two hundred copies of the stream.
TEST(Search, CandidatesShareTheirStreams) {
  PairSearchPlan plan{.claim = GaussianDp{Mu{1.0}}, .horizon = 4096};
  std::set<const InputTable*> bases;
  for (const auto& pair : detail::structural_seeds(plan)) bases.insert(pair.base.get());
  EXPECT_EQ(bases.size(), 2u);  // zeros, and the alternating stream

  plan.fixed_base = std::make_shared<const InputTable>(InputTable::column(Row(4096, 0.25)));
  PairObjective objective{.budget = 100};
  std::int64_t scored = 0;
  objective.coarse = [&](const InputPair& pair, const RunControl&) {
    EXPECT_EQ(pair.base(), plan.fixed_base);
    ++scored;
    return 1.0;
  };
  search_worst_pair(plan, objective, {});
  EXPECT_EQ(scored, 2 * 4096);

  // While it climbs: at most the finalists and the candidates of a step have streams of their own.
  plan.fixed_base = nullptr;
  objective.budget = 2000;
  double score = 0.0;
  std::list<std::weak_ptr<const InputTable>> streams;
  objective.coarse = [&](const InputPair& pair, const RunControl&) {
    streams.remove_if([](const auto& stream) { return stream.expired(); });
    streams.push_back(pair.base());
    EXPECT_LE(streams.size(), 10u);
    return ++score;
  };
  search_worst_pair(plan, objective, {});
}

TEST(PairCandidate, BlocksSayWhatAStreamOfItsOwnSays) {
  ReplayStream random({.seed = 9});
  for (int repetition = 0; repetition < 200; ++repetition) {
    Row stream(20);
    for (double& reward : stream) reward = random.uniform();
    const auto changed = static_cast<std::int64_t>(random.next() % 20);
    const double kept = stream[static_cast<std::size_t>(changed)];
    detail::PairCandidate candidate{
        std::make_shared<const InputTable>(InputTable::column(stream)), {}, changed, {kept}, {0.5}};
    EXPECT_EQ(candidate.pair().base(), candidate.base);  // nothing but the changed row differs
    for (int step = 0; step < 6; ++step) {
      const auto first = static_cast<std::int64_t>(random.next() % 20);
      const auto end =
          std::min<std::int64_t>(20, first + 1 + static_cast<std::int64_t>(random.next() % 6));
      candidate.blocks.push_back({first, end, {0.25 * step}});
      std::fill(stream.begin() + first, stream.begin() + end, 0.25 * step);
      stream[static_cast<std::size_t>(changed)] = kept;
    }
    const InputPair pair = candidate.pair();
    EXPECT_EQ(pair, stream_pair(stream, changed + 1, 0.5));
    candidate.flatten(0);
    EXPECT_TRUE(candidate.blocks.empty());
    EXPECT_EQ(candidate.pair(), pair);
  }
}

// The loop over more than 16 arms, which can be stopped, computes what the call for all of them does.
TEST(ManyArms, OneByOneTheirProbabilitiesHaveTheSameBits) {
  for (const std::int64_t arms : {17, 40, 70}) {
    auto pair = thompson_pair(arms, stream_pair(std::vector<double>(6, 0.5), 1, 1.0));
    pair.restart();
    for (const int action : {1, 3, 3}) {
      for (const auto precision : {ArgmaxPrecision::kSampling, ArgmaxPrecision::kExact}) {
        const auto size = static_cast<std::size_t>(arms);
        std::vector<double> p(size), q(size), each_p(size), each_q(size);
        pair.log_probabilities(precision, p, q);
        StopPoll never;
        ASSERT_TRUE(detail::log_probabilities_unless(never, pair, precision, each_p, each_q));
        EXPECT_EQ(p, each_p);
        EXPECT_EQ(q, each_q);
      }
      pair.advance(action);
    }
  }
}

TEST(Stopped, TheSearchForTheWorstRestsGivesTheBestSoFar) {
  RnmFtnlConfig config{.actions = 4, .horizon = 31};
  const auto policy = RnmFtnl::create(config).value();
  const ClaimedQuantity claimed{QuantityKind::kDeltaAtEpsilon, 0.5, 1e-3};
  const auto whole = search_groups(policy, claimed);
  EXPECT_FALSE(whole.stopped);
  Watch watch{.stop_at = 50};
  const auto part = search_groups(policy, claimed, watch.control());
  EXPECT_TRUE(part.stopped);
  EXPECT_LT(part.evaluated, whole.evaluated);
  std::int64_t experts = 0;
  for (const auto& group : part.groups) experts += group.count;
  EXPECT_EQ(experts, 4);
}

RnmFtnlConfig resampled(std::int64_t actions, std::int64_t horizon, LeaderNoise noise) {
  return RnmFtnlConfig{.actions = actions, .horizon = horizon, .noise = noise, .resample = true};
}

InputTable fractions(const RnmFtnlConfig& config) {
  ReplayStream random({.seed = 5});
  auto losses = InputTable::zeros(config.horizon, config.actions);
  for (double& loss : losses.values) loss = random.uniform();
  return losses;
}

TEST(Stopped, ADistributionOfResampledLossesEndsInTheMiddleOfItsSums) {
  for (const auto noise : {LeaderNoise::kLaplace, LeaderNoise::kGumbel}) {
    const auto config = resampled(6, 4096, noise);
    const auto losses = fractions(config);
    FtnlDistribution distribution(RnmFtnl::create(config).value());
    for (std::int64_t t = 0; t < config.horizon; ++t) distribution.observe(losses.row(t));
    Watch never{.stop_at = 1'000'000'000};
    EXPECT_EQ(distribution.distribution(never.control()).log_p, distribution.distribution().log_p);
    EXPECT_GE(never.polls, 500);
    for (const double share : {0.1, 0.9}) {
      Watch watch{.stop_at = static_cast<std::int64_t>(share * static_cast<double>(never.polls))};
      static_cast<void>(distribution.distribution(watch.control()));
      EXPECT_LE(watch.polls - watch.stop_at, kMostAfter);
    }
  }
}

TEST(Stopped, ASearchBesideAFileHandsOnTheDistributionsOfTheBestSoFar) {
  const auto config = resampled(3, 63, LeaderNoise::kGumbel);
  const auto policy = RnmFtnl::create(config).value();
  const auto losses = std::make_shared<const InputTable>(fractions(config));
  const ClaimedQuantity claimed{QuantityKind::kDeltaAtEpsilon, 0.5, 1e-3};
  Watch never{.stop_at = 1'000'000'000};
  EXPECT_FALSE(search_beside(policy, losses, claimed, never.control())->stopped);
  Watch half{.stop_at = never.polls / 2};
  const auto part = search_beside(policy, losses, claimed, half.control()).value();
  EXPECT_TRUE(part.stopped);
  ASSERT_EQ(part.distributions.log_p.size(), 3U);
  const auto again = leader_distributions(policy, part.pair);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(part.distributions.log_q[j], again.log_q[j], 1e-10);
  Watch at_once{.stop_at = 1};
  EXPECT_TRUE(
      search_beside(policy, losses, claimed, at_once.control())->distributions.log_p.empty());
}

}  // namespace
}  // namespace assay
