// Black-box audits on targets inside the test: what they find, what they refuse, what they keep.
#include "assay/auditors/methods/black_box/black_box_audit.hpp"

#include <atomic>
#include <chrono>

#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/methods/black_box/features.hpp"
#include "assay/auditors/methods/black_box/logistic.hpp"
#include "assay/auditors/methods/black_box/low_bits.hpp"
#include "assay/auditors/methods/black_box/run_checks.hpp"
#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/mechanisms/idealized/laplace_mechanism.hpp"
#include "assay/mechanisms/release/laplace_mechanism.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

BlackBoxPlan structural_plan(const InputShape& shape, PrivacyLevel claim, std::int64_t samples) {
  BlackBoxPlan plan{{.claim_text = "test", .claim = claim}, samples};
  plan.pairs = structural_pairs(shape, 12);
  plan.pairs_text = "structural pairs";
  return plan;
}

BlackBoxOutcome audit_function(FunctionTarget target, const BlackBoxPlan& plan, int threads = 1) {
  auto players =
      Players::create(std::make_unique<FunctionTarget>(std::move(target)), threads).value();
  return must(audit_black_box(players, true, plan, {.threads = threads}));
}

AuditReport report_on(const AuditTerms& terms, const BlackBoxOutcome& outcome) {
  auto report = make_report(terms, Gathered{outcome});
  report.relation = outcome.relation;
  report.view = outcome.view;
  return report;
}

const ReportedQuantity& quantity_of_kind(const Gathered& report, QuantityKind kind) {
  for (const auto& q : report.evidence.quantities) {
    if (q.kind == kind) return q;
  }
  ADD_FAILURE() << "no such quantity";
  return report.evidence.quantities.front();
}

TEST(BlackBoxAudit, RefutesAClaimAndComesNearTheTruth) {
  const auto report = audit_function(
      teller(20, 2.0), structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 4000));
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  const double lower = quantity_of_kind(report, QuantityKind::kEpsilonAtDelta).lower.value;
  EXPECT_GT(lower, 1.7);
  EXPECT_LE(lower, 2.0);
}

TEST(BlackBoxAudit, DoesNotRefuteWhatHoldsAndSaysWhatItWouldHaveSeen) {
  const auto report = audit_function(
      teller(20, 1.0), structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 4000));
  EXPECT_EQ(report.decision->verdict, Verdict::kNotRefuted);
  ASSERT_TRUE(report.evidence.smallest_visible);
  EXPECT_GT(report.evidence.smallest_visible->level, 1.0);
  EXPECT_LT(report.evidence.smallest_visible->level, 1.65);
}

TEST(BlackBoxAudit, FindsALeakInACountOverTwentyRounds) {
  // Each round plays arm 2 with probability 0.55 instead of 0.45 once a first reward of 1 was seen:
  // no single action tells much, their count does.
  const FunctionTarget target(bandit_shape(2, 20), [](const InputTable& input, ReplayStream& random,
                                                      std::vector<double>& out) {
    for (std::size_t t = 0; t < 20; ++t) {
      const double p = t > 0 && input.values[0] >= 0.5 ? 0.65 : 0.35;
      out.push_back(random.uniform() < p ? 1.0 : 0.0);
    }
  });
  const auto report =
      audit_function(target, structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 8000));
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  EXPECT_THAT(report.pair.position(), 1);
  EXPECT_GT(quantity_of_kind(report, QuantityKind::kEpsilonAtDelta).lower.value, 3.0);
}

// Draws a threshold, accepts some of six values, and adds noise to two of these; the other accepted ones stay as
// they are, and those that were not accepted become 0.
FunctionTarget selection_that_leaves_values() {
  InputShape shape{
      .kind = InputKind::kMechanism, .inputs = 6, .outputs = 6, .domain = Domain{-1.0, 1.0}};
  return {shape, [](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const auto laplace = [&](double scale) {
              const double u = random.uniform() - 0.5;
              return u < 0.0 ? scale * std::log(1.0 + 2.0 * u) : -scale * std::log(1.0 - 2.0 * u);
            };
            const double threshold = 0.3 + laplace(2.0);
            out.assign(6, 0.0);
            std::vector<std::size_t> accepted;
            for (std::size_t i = 0; i < 6; ++i) {
              if (std::abs(input.values[i]) + laplace(8.0) < threshold) continue;
              accepted.push_back(i);
              out[i] = input.values[i];
            }
            for (int noisy = 0; noisy < 2 && !accepted.empty(); ++noisy) {
              const auto at =
                  accepted.begin() + static_cast<std::ptrdiff_t>(
                                         random.uniform() * static_cast<double>(accepted.size()));
              out[*at] = std::clamp(input.values[*at] + laplace(4.0), -1.0, 1.0);
              accepted.erase(at);
            }
          }};
}

// A value that survives is seen in a few runs of a search, and never on the other input, so its prediction
// is low at first.
TEST(BlackBoxAudit, AValueThatIsSometimesReleasedAsItIsFallsWithEverySeed) {
  const FunctionTarget target = selection_that_leaves_values();
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    auto plan = structural_plan(target.shape(), PureDp{Epsilon{3.0}}, 0);
    plan.pairs = structural_pairs(target.shape(), 24);
    plan.refine = [&](const InputPair& best, std::size_t most) {
      return refined_pairs(target.shape(), best, most);
    };
    plan.runs = kDefaultBudget;
    plan.seed = seed;
    EXPECT_EQ(audit_function(target, plan).decision->verdict, Verdict::kViolated) << seed;
  }
}

// A mechanism of one value that is exactly mu-GDP.
FunctionTarget gaussian_mechanism(double mu) {
  InputShape shape{.kind = InputKind::kMechanism};
  return {
      shape, [mu](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        const double u = std::sqrt(-2.0 * std::log(random.uniform()));
        out.push_back(mu * input.values[0] + u * std::cos(6.283185307179586 * random.uniform()));
      }};
}

// Whether an event leaks no more than the claim is asked in the units of the claim: asked of eps at delta0, the
// middle of a Gaussian, which decides about mu, shows nothing.
TEST(BlackBoxAudit, StopsByMuWhereTheClaimIsInMu) {
  const FunctionTarget target = gaussian_mechanism(1.0);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    auto plan = structural_plan(target.shape(), GaussianDp{Mu{0.8}}, 6000);
    plan.output_grid = 1e-6;
    plan.seed = seed;
    EXPECT_EQ(audit_function(target, plan).decision->verdict, Verdict::kViolated) << seed;
    plan.stop_when_decided = true;
    const auto stopped = audit_function(target, plan);
    EXPECT_EQ(stopped.decision->verdict, Verdict::kViolated) << stopped.decision->reason;
    EXPECT_LT(stopped.evidence.samples, 6000);
  }
  auto plan = structural_plan(target.shape(), GaussianDp{Mu{0.8}}, 20'000);
  plan.output_grid = 1e-6;
  plan.stop_when_decided = true;
  const auto futile = audit_function(gaussian_mechanism(0.5), plan);
  EXPECT_EQ(futile.decision->verdict, Verdict::kNotRefuted);
  EXPECT_LT(futile.evidence.samples, 10'000);
  ASSERT_TRUE(futile.evidence.smallest_visible);
  EXPECT_EQ(futile.evidence.smallest_visible->level, 1.2000000000000002);
  EXPECT_THAT(futile.decision->reason, StartsWith("the audit stopped early, "));
}

TEST(BlackBoxAudit, AnswersClaimsInMu) {
  // Convicted of 0.5, acquitted of 1.
  const FunctionTarget target = gaussian_mechanism(1.0);
  auto plan = structural_plan(target.shape(), GaussianDp{Mu{0.5}}, 4000);
  plan.output_grid = 1e-6;
  const auto low = audit_function(target, plan);
  EXPECT_EQ(low.decision->verdict, Verdict::kViolated);
  EXPECT_LE(quantity_of_kind(low, QuantityKind::kMu).lower.value, 1.0);
  EXPECT_THAT(low.evidence.limits.back(), HasSubstr("rounded to multiples of 1e-6"));
  plan.claim = GaussianDp{Mu{1.0}};
  const auto held = audit_function(target, plan);
  EXPECT_EQ(held.decision->verdict, Verdict::kNotRefuted);
  ASSERT_TRUE(held.evidence.smallest_visible);
  EXPECT_GT(held.evidence.smallest_visible->level, 1.1);
  EXPECT_LT(held.evidence.smallest_visible->level, 1.3);
  // Its doubles are another matter.
  plan.output_grid = 0.0;
  EXPECT_EQ(audit_function(target, plan).decision->verdict, Verdict::kViolated);
}

TEST(BlackBoxAudit, InfinitiesAndNansAreOutputsLikeOthers) {
  InputShape shape{.kind = InputKind::kMechanism};
  const FunctionTarget target(
      shape, [](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        const bool rare = random.uniform() < (input.values[0] > 0.5 ? 0.3 : 0.02);
        out.push_back(rare ? std::nan("") : random.uniform() < 0.1 ? -HUGE_VAL : 0.0);
      });
  const auto report = audit_function(target, structural_plan(shape, PureDp{Epsilon{1.0}}, 3000));
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
}

TEST(BlackBoxAudit, IsTheSameForAnyNumberOfInstances) {
  const auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 2000);
  EXPECT_EQ(to_text(report_on(plan, audit_function(teller(20, 1.5), plan, 1))),
            to_text(report_on(plan, audit_function(teller(20, 1.5), plan, 3))));
}

TEST(BlackBoxAudit, StopsEarlyWhenTheClaimIsDecided) {
  auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{0.5}}, 100'000);
  plan.pairs.resize(4);
  plan.stop_when_decided = true;
  const auto report = audit_function(teller(20, 3.0), plan);
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  EXPECT_THAT(report.decision->reason, StartsWith("refuted by a bet before each run"));
  EXPECT_LT(report.evidence.runs->all(), 1500);
  EXPECT_EQ(report.evidence.runs->certified / 2, report.evidence.samples);
  EXPECT_NEAR(report.evidence.e_process->all.log_e_value(), 0.0, 1e-12);
  EXPECT_LE(quantity_of_kind(report, QuantityKind::kEpsilonAtDelta).lower.value, 3.0);
}

// The try's share of alpha 0.05 is 0.014; coin_bets_test.cpp measures them at 0.05.
TEST(BlackBoxAudit, AGaussianOfTwiceTheClaimedMuFallsWithinAFewHundredRuns) {
  std::vector<std::int64_t> runs;
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
    auto plan = structural_plan({.kind = InputKind::kMechanism}, GaussianDp{Mu{0.5}}, 20'000);
    plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
    plan.confidence = 0.95;
    plan.stop_when_decided = true;
    plan.seed = seed;
    const auto outcome = audit_function(gaussian_mechanism(1.0), plan);
    EXPECT_EQ(outcome.decision->verdict, Verdict::kViolated) << seed;
    runs.push_back(outcome.evidence.runs->certified);
  }
  std::nth_element(runs.begin(), runs.begin() + 3, runs.end());
  EXPECT_LE(runs[3], 400);
}

TEST(BlackBoxAudit, StopsAtTheSameRunForAnyNumberOfInstances) {
  auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 4000);
  plan.stop_when_decided = true;
  EXPECT_EQ(to_text(report_on(plan, audit_function(teller(20, 2.0), plan, 1))),
            to_text(report_on(plan, audit_function(teller(20, 2.0), plan, 3))));
}

TEST(BlackBoxAudit, TriesLeaveTheRunsThatSamplesAskFor) {
  auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 6000);
  plan.runs = fewest_runs_for(plan.samples);
  plan.stop_when_decided = true;
  plan.see = 1.01;
  const auto outcome = audit_function(teller(20, 0.9), plan);
  EXPECT_EQ(outcome.decision->verdict, Verdict::kNotRefuted);
  EXPECT_LE(outcome.evidence.runs->all(), *plan.runs);
  plan.runs = *plan.runs + 8000;  // enough for a try
  const auto tried = audit_function(teller(20, 0.9), plan);
  EXPECT_EQ(tried.decision->verdict, Verdict::kNotRefuted);
  EXPECT_LE(tried.evidence.runs->all(), *plan.runs);
}

// Alike on each input after some dozen runs, as from a fixed seed: that is no evidence until one differs.
TEST(BlackBoxAudit, DoesNotStopOnRunsThatAreAllAlike) {
  const auto shape = InputShape{.kind = InputKind::kMechanism};
  const auto told = [&](double rarely) {
    const FunctionTarget target(
        shape, [rarely](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
          const bool other = random.uniform() < rarely;
          out.push_back(other ? 0.5 : input.values[0]);
        });
    auto plan = structural_plan(shape, PureDp{Epsilon{1.0}}, 4000);
    plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
    plan.stop_when_decided = true;
    return audit_function(target, plan);
  };
  EXPECT_EQ(told(0.0).decision->verdict, Verdict::kInconclusive);
  const auto varies = told(0.01);
  EXPECT_EQ(varies.decision->verdict, Verdict::kViolated);
  EXPECT_LT(varies.evidence.runs->all(), 2000);
}

TEST(BlackBoxAudit, StopsEarlyWhenTheEventHasNothingMoreToShow) {
  const FunctionTarget target = teller(10, 0.2);
  BlackBoxPlan plan = structural_plan(target.shape(), PureDp{Epsilon{1.0}}, 100'000);
  plan.stop_when_decided = true;
  plan.see = 1.25;
  const auto report = audit_function(target, plan);
  EXPECT_EQ(report.decision->verdict, Verdict::kNotRefuted);
  EXPECT_LT(report.evidence.samples, 20'000);
  ASSERT_TRUE(report.evidence.smallest_visible);
  EXPECT_EQ(report.evidence.smallest_visible->level, 1.25);
  EXPECT_THAT(report.decision->reason, StartsWith("the audit stopped early, "));
}

// The user of the changed round is shown the better arm of its own context, which nobody else sees.
TEST(BlackBoxAudit, JointDpHidesTheActionOfTheChangedRound) {
  InputShape shape{.kind = InputKind::kContextual, .arms = 3, .horizon = 4, .dimension = 2};
  const FunctionTarget own_context(shape, [](const InputTable& input, ReplayStream&,
                                             std::vector<double>& out) {
    for (std::int64_t t = 0; t < input.rows; ++t) {
      out.push_back(input.values[static_cast<std::size_t>(t * input.columns + 3)] > 0.5 ? 2 : 0);
    }
  });
  const auto report =
      audit_function(own_context, structural_plan(shape, PureDp{Epsilon{0.1}}, 2000));
  EXPECT_EQ(report.decision->verdict, Verdict::kNotRefuted);
  EXPECT_EQ(report.view, View::kOtherActions);
  EXPECT_EQ(report.relation, Relation::kReplaceOneUser);
  ASSERT_FALSE(report.evidence.quantities.empty());
  EXPECT_EQ(report.evidence.quantities.front().lower.value, 0.0);
}

TEST(BlackBoxAudit, SettingsAreSearchedWithThePairsByWhatTheyLeakBeyondTheirClaims) {
  std::vector<Players> players;
  std::vector<PlayedSubject> subjects;
  players.reserve(3);
  // The second leaks more; the third leaks beyond its claim.
  const std::pair<double, double> settings[] = {{0.5, 1.0}, {3.0, 3.5}, {2.0, 1.0}};
  for (const auto& [leak, claim] : settings) {
    players.push_back(
        Players::create(std::make_unique<FunctionTarget>(teller(10, leak)), 1).value());
    subjects.push_back({&players.back(), true, PureDp{Epsilon{claim}}});
  }
  const BlackBoxPlan plan = structural_plan(players.front().shape(), PureDp{Epsilon{0.0}}, 2000);
  const auto outcome = must(audit_black_box(subjects, plan, {}));
  EXPECT_EQ(outcome.subject, 2U);
  EXPECT_EQ(outcome.decision->verdict, Verdict::kViolated);
  EXPECT_EQ(std::get<PureDp>(subjects[outcome.subject].claim).epsilon.value, 1.0);
  EXPECT_THAT(audit_black_box({}, plan, {}), IsRefused("nothing to audit"));
}

TEST(BlackBoxAudit, LowestBitsOfADoubleTellItsAnswer) {
  EXPECT_EQ(lowest_bit(1.0), 0);
  EXPECT_EQ(lowest_bit(-6.0), 1);
  EXPECT_EQ(lowest_bit(0.375), -3);
  EXPECT_EQ(lowest_bit(std::ldexp(1.0, -1074)), -1074);
  EXPECT_EQ(lowest_bit(std::nextafter(2.0, 1.0)), -52);
  EXPECT_EQ(lowest_bit(0.0), 2000);
  EXPECT_EQ(lowest_bit(HUGE_VAL), 2000);
  InputShape shape{.kind = InputKind::kMechanism};
  const auto noisy = [&](bool on_grid) {
    return FunctionTarget(
        shape, [on_grid](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
          const auto laplace =
              idealized::LaplaceMechanism::create({.epsilon = 1.0, .sensitivity = 1.0});
          const double sum = laplace->release(input.values, random).front();
          out.push_back(on_grid ? std::ldexp(std::round(std::ldexp(sum, 20)), -20) : sum);
        });
  };
  // What is released by default: the same noise on a grid, in integers.
  const auto fixed_point = LaplaceMechanism::create({}).value();
  const FunctionTarget released(
      shape, [&](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        out.push_back(fixed_point.release(input.values, random).front());
      });
  const BlackBoxPlan plan = structural_plan(shape, PureDp{Epsilon{1.0}}, 4000);
  EXPECT_EQ(audit_function(released, plan).decision->verdict, Verdict::kNotRefuted);
  const auto report = audit_function(noisy(false), plan);
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  ASSERT_TRUE(report.evidence.event.has_value());
  EXPECT_THAT(report.evidence.event->score, HasSubstr("lowest bits of the outputs"));
  EXPECT_EQ(audit_function(noisy(true), plan).decision->verdict, Verdict::kNotRefuted);
}

TEST(BlackBoxAudit, KeepsWhatWasCertifiedBeforeTheTargetFailed) {
  auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{0.5}}, 20'000);
  plan.pairs.resize(1);
  auto target = teller(20, 3.0);
  target.runs_left = 35'000;  // learning takes 26,666
  const auto outcome = audit_function(std::move(target), plan);
  ASSERT_TRUE(outcome.target_error);
  EXPECT_EQ(outcome.target_error->message, "gave up");
  EXPECT_EQ(outcome.decision->verdict, Verdict::kViolated);
  EXPECT_LT(outcome.evidence.samples, 20'000);
}

// Counts what it is asked for; an answer of more than 4 MiB would be refused on its way.
class CountedTarget final : public Target {
 public:
  struct Counts {
    std::int64_t messages = 0, longest = 0;
    std::vector<double> sides;  // first value of each message's input
    std::vector<std::size_t> sizes;
  };
  CountedTarget(const InputShape& shape, std::shared_ptr<Counts> counts)
      : shape_(shape), counts_(std::move(counts)) {}
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return "counted"; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    const auto count = static_cast<std::int64_t>(seeds.size());
    ++counts_->messages;
    counts_->longest = std::max(counts_->longest, count * shape_.width());
    counts_->sides.push_back(input.values[0]);
    counts_->sizes.push_back(seeds.size());
    OutputBatch batch{count, shape_.width(), {}};
    batch.values.resize(static_cast<std::size_t>(count * shape_.width()));
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      batch.values[(i + 1) * static_cast<std::size_t>(shape_.width()) - 1] =
          static_cast<double>(seeds[i] % 2);
    }
    return batch;
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<CountedTarget>(shape_, counts_));
  }

 private:
  InputShape shape_;
  std::shared_ptr<Counts> counts_;
};

TEST(BlackBoxAudit, LongOutputsAreAskedForAFewAtATime) {
  const auto counts = std::make_shared<CountedTarget::Counts>();
  const InputShape shape = bandit_shape(2, kSanitized ? 60'000 : 300'000);  // many messages
  auto plan = structural_plan(shape, PureDp{Epsilon{1.0}}, 100);
  plan.pairs.resize(1);
  plan.say_visible = false;
  auto players = Players::create(std::make_unique<CountedTarget>(shape, counts), 1).value();
  EXPECT_EQ(audit_black_box(players, true, plan, {}).value().decision->verdict,
            Verdict::kNotRefuted);
  EXPECT_LE(counts->longest, (4 << 20) / 2);  // two bytes an action
  InputShape mechanism{.kind = InputKind::kMechanism};
  EXPECT_EQ(runs_a_message(mechanism), 128);
  mechanism.outputs = 1'000'000;
  EXPECT_EQ(runs_a_message(mechanism), 1);
}

// What a target could learn from the order of messages: nothing of the side of a certified play.
TEST(BlackBoxAudit, MessagesOfBothSidesAlternateAtRandomAndCertifiedOnesAreOfOnePlay) {
  const auto counts = std::make_shared<CountedTarget::Counts>();
  InputShape shape{.kind = InputKind::kMechanism};
  auto plan = structural_plan(shape, PureDp{Epsilon{1.0}}, 2000);
  plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
  plan.say_visible = plan.check_certified = false;
  auto players = Players::create(std::make_unique<CountedTarget>(shape, counts), 1).value();
  ASSERT_TRUE(audit_black_box(players, true, plan, {}));
  std::size_t first = 0;  // of the certified plays
  while (counts->sizes[first] > 1) ++first;
  ASSERT_EQ(counts->sides.size() - first, 4000U);
  std::int64_t on_neighbour = 0, changes = 0;
  for (std::size_t i = first; i < counts->sides.size(); ++i) {
    EXPECT_EQ(counts->sizes[i], 1U);
    on_neighbour += counts->sides[i] == 1.0 ? 1 : 0;
    if (i > first) changes += counts->sides[i] != counts->sides[i - 1] ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(on_neighbour), 2000.0, 4.0 * 31.7);  // four standard errors
  EXPECT_NEAR(static_cast<double>(changes), 2000.0, 4.0 * 31.7);
  // Learning: as many messages of each side, not one side after the other.
  constexpr std::size_t kChecks = 17;
  std::int64_t learnt_neighbour = 0, learnt_changes = 0;
  for (std::size_t i = kChecks; i < first; ++i) {
    learnt_neighbour += counts->sides[i] == 1.0 ? 1 : 0;
    learnt_changes += counts->sides[i] != counts->sides[i - 1] ? 1 : 0;
  }
  EXPECT_EQ(2 * learnt_neighbour, static_cast<std::int64_t>(first - kChecks));
  EXPECT_GT(learnt_changes, 2);
}

TEST(BlackBoxAudit, ATargetThatChangesItsWaysIsSaidToAndMayStillBeConvicted) {
  // Randomised response whose bias drifts with the number of plays.
  const auto drifting = [] {
    auto runs = std::make_shared<double>(0.0);
    InputShape shape{.kind = InputKind::kMechanism};
    return FunctionTarget(
        shape, [runs](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
          const double rate = 0.5 + 0.45 * std::sin((*runs)++ / 2000.0);
          const double leak = input.values[0] > 0.5 ? 1.0 : std::exp(-2.0);
          out.push_back(random.uniform() < rate * leak ? 1.0 : 0.0);
        });
  };
  auto plan = structural_plan(drifting().shape(), PureDp{Epsilon{1.0}}, 6000);
  plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
  const auto report = audit_function(drifting(), plan);
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  const double lower = quantity_of_kind(report, QuantityKind::kEpsilonAtDelta).lower.value;
  EXPECT_GT(lower, 1.2);
  EXPECT_LE(lower, 2.0);
  ASSERT_EQ(report.evidence.checks.size(), 5U);
  EXPECT_EQ(report.evidence.checks[3].name, "stationary runs");
  EXPECT_FALSE(report.evidence.checks[3].passed);
  EXPECT_THAT(report.evidence.checks[3].meaning, HasSubstr("the bounds hold all the same"));
  EXPECT_EQ(report.evidence.checks[4].name, "repeated runs");
  EXPECT_FALSE(report.evidence.checks[4].passed);
}

// Steady targets pass both checks as often as their level says.
TEST(RunChecks, ARemarkHasTheLevelOfItsShareOrOneOutsideTheLedger) {
  auto ledger = AlphaLedger::create(0.001).value();
  const double level = spend_on_remark(ledger, "time", 0.02).value();
  EXPECT_EQ(ledger.entries().at(0).alpha, level);
  auto small = AlphaLedger::create(1e-6).value();
  EXPECT_EQ(spend_on_remark(small, "time", 0.02).value(), 2e-5);
  EXPECT_TRUE(small.entries().empty());
}

TEST(RunChecks, SteadyRunsAlarmAtMostAsOftenAsAlphaSaysAndSeeTrendsWavesAndEchoes) {
  constexpr int kRuns = repetitions(300);
  const auto alarms = [&](const std::function<double(int i, double last, double u)>& output) {
    int steady = 0, again = 0;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      CertifiedRuns runs, fresh;
      ReplayStream random({11, run});
      double last = 0.0;
      const auto which = runs_to_repeat(900);
      for (int i = 0; i < 900; ++i) {
        last = output(i, last, random.uniform());
        runs.runs.push_back({random.uniform() < 0.5, last > 0.7});
        runs.scores.push_back(last);
      }
      for (std::size_t k = 0; k < which.size(); ++k) {
        const double score = output(static_cast<int>(k), 0.5, random.uniform());
        fresh.runs.push_back({runs.runs[static_cast<std::size_t>(which[k])].on_p, score > 0.7});
        fresh.scores.push_back(score);
      }
      steady += check_steady(runs, 0.05, run).passed ? 0 : 1;
      again += check_again(runs, which, fresh, false, 0.05, run).passed ? 0 : 1;
    }
    return std::pair(steady, again);
  };
  const auto honest = alarms([](int, double, double u) { return u; });
  const int limit = binomial_limit(kRuns, 0.05, 3);
  EXPECT_LE(honest.first, limit);
  EXPECT_LE(honest.second, limit);
  const auto trend = alarms([](int i, double, double u) { return u + i / 1500.0; });
  EXPECT_GE(trend.first, kRuns * 9 / 10);
  EXPECT_GE(trend.second, kRuns * 8 / 10);
  EXPECT_GE(alarms([](int i, double, double u) { return u + 0.4 * std::sin(i / 9.0); }).first,
            kRuns * 9 / 10);
  EXPECT_GE(alarms([](int, double last, double u) { return u + 0.4 * last; }).first,
            kRuns * 9 / 10);
}

TEST(BlackBoxAudit, DependentRunsProveNothing) {
  // Noise drawn once per message and used for all of its plays.
  struct Noise {
    std::uint64_t calls = 0;
    double value = 0.0;
  };
  auto noise = std::make_shared<Noise>();
  InputShape shape{.kind = InputKind::kMechanism};
  const FunctionTarget target(
      shape, [noise](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        const double fresh = random.uniform();
        if (noise->calls++ % 16 == 0) noise->value = fresh;
        out.push_back(input.values[0] + 3.0 * noise->value);
      });
  // The later runs of a history have a small alpha, which regroupings of one sample alone cannot reach.
  for (const double alpha : {1e-3, 1e-4, 1e-6, 1e-9}) {
    noise->calls = 0;
    auto plan = structural_plan(shape, PureDp{Epsilon{0.1}}, 2000);
    plan.confidence = 1.0 - alpha;
    const auto report = audit_function(target, plan);
    EXPECT_EQ(report.decision->verdict, Verdict::kInconclusive) << alpha;
    EXPECT_THAT(report.decision->reason, HasSubstr("not independent")) << alpha;
    EXPECT_EQ(quantity_of_kind(report, QuantityKind::kEpsilonAtDelta).lower.value, 0.0) << alpha;
  }
}

// A seed from the clock: randomised response whose coin lasts for 700 plays, more than the first check sees.
TEST(BlackBoxAudit, ASeedThatLastsForManyRunsIsNoLeak) {
  auto runs = std::make_shared<std::uint64_t>(0);
  InputShape shape{.kind = InputKind::kMechanism};
  const FunctionTarget target(
      shape, [runs](const InputTable& input, ReplayStream&, std::vector<double>& out) {
        ReplayStream coin({++*runs / 700});
        out.push_back(coin.uniform() < 0.3 ? 1.0 - input.values[0] : input.values[0]);
      });
  auto plan = structural_plan(shape, PureDp{Epsilon{1.0}}, 4000);
  plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
  const auto report = audit_function(target, plan);
  EXPECT_TRUE(report.evidence.checks[0].passed);
  EXPECT_EQ(report.decision->verdict, Verdict::kInconclusive);
  EXPECT_THAT(report.decision->reason, HasSubstr("the target takes a seed from the clock"));
  EXPECT_EQ(quantity_of_kind(report, QuantityKind::kEpsilonAtDelta).lower.value, 0.0);
}

// Learning asks too, not only playing: here the request comes with the last play that is learnt from.
TEST(BlackBoxAudit, IsInterruptedWhileItLearns) {
  auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 4000);
  plan.pairs.resize(1);
  auto players = Players::create(std::make_unique<FunctionTarget>(teller(20, 2.0)), 1).value();
  std::atomic<bool> cancel{false};
  RunControl control;
  control.cancel = &cancel;
  control.progress = [&](const Progress& made) {
    // A third of all runs.
    if (made.stage == "learning a score" && made.fraction >= 0.33) cancel = true;
  };
  const auto outcome = audit_black_box(players, true, plan, control).value();
  ASSERT_TRUE(outcome.target_error);
  EXPECT_EQ(outcome.target_error->code, ErrorCode::kInterrupted);
  EXPECT_EQ(outcome.decision->verdict, Verdict::kInconclusive);
  EXPECT_TRUE(cancel);
}

// A report of what the search saw, which bounds nothing.
TEST(BlackBoxAudit, StoppedInItsSearchReportsTheMostThatItSaw) {
  for (const bool fails : {false, true}) {
    const auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 4000);
    auto target = std::make_unique<FunctionTarget>(teller(20, 2.0));
    if (fails) target->runs_left = 2000;
    auto players = Players::create(std::move(target), 1).value();
    std::atomic<bool> cancel{false};
    RunControl control;
    control.cancel = &cancel;
    std::string found;
    control.progress = [&](const Progress& made) {
      if (made.stage != "searching pairs") return;
      found = made.found;
      cancel = !fails;
    };
    const auto outcome = audit_black_box(players, true, plan, control).value();
    ASSERT_TRUE(outcome.target_error) << fails;
    EXPECT_EQ(outcome.target_error->code, fails ? ErrorCode::kTarget : ErrorCode::kInterrupted);
    EXPECT_EQ(outcome.decision->verdict, Verdict::kInconclusive);
    ASSERT_TRUE(outcome.evidence.estimate) << fails;
    EXPECT_FALSE(outcome.evidence.estimate->event.empty());
    EXPECT_TRUE(outcome.evidence.quantities.empty());
    EXPECT_TRUE(outcome.pair.inputs.is_known());
    EXPECT_GT(outcome.evidence.runs->search, 0);
    if (outcome.evidence.estimate->level > 0.0) {
      EXPECT_NE(found.find("eps looks like "), std::string::npos);
    }
  }
}

// The share that is done is that of the whole audit, whichever stage it is in.
TEST(BlackBoxAudit, ItsProgressNeverGoesBack) {
  for (const bool stops : {false, true}) {
    auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{6.0}}, 4000);
    plan.boundaries = true;
    plan.stop_when_decided = stops;
    auto players = Players::create(std::make_unique<FunctionTarget>(teller(20, 2.0)), 1).value();
    double last = 0.0;
    std::vector<std::string> stages;
    RunControl control;
    control.progress = [&](const Progress& made) {
      EXPECT_GE(made.fraction, last - 1e-9) << made.stage;
      EXPECT_LE(made.fraction, 1.0 + 1e-9) << made.stage;
      last = made.fraction;
      if (stages.empty() || stages.back() != made.stage) stages.emplace_back(made.stage);
    };
    ASSERT_TRUE(audit_black_box(players, true, plan, control));
    EXPECT_GT(stages.size(), 3U);
    if (!stops) {
      EXPECT_NEAR(last, 1.0, 1e-9);
    }
  }
}

// A thousand arms take several seconds to learn from; so does a deadline end it.
TEST(LearnScores, StopsSoonAfterItIsAsked) {
  const InputShape shape = bandit_shape(1000, 200);
  SideRuns runs;
  ReplayStream random({7, 8});
  for (OutputBatch* side : {&runs.base_side, &runs.neighbour_side}) {
    *side = {4000, 200, std::vector<double>(4000 * 200)};
    for (double& action : side->values) action = std::floor(1000.0 * random.uniform());
  }
  for (const double after : {0.1, 0.6, 1.5}) {
    RunControl control;
    control.give_seconds(after);
    const auto from = std::chrono::steady_clock::now();
    learn_scores({shape, 0}, runs, control);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
    EXPECT_TRUE(control.stopped()) << "learnt in " << took.count() << " s";
    EXPECT_LT(took.count(), after + (kSanitized ? 5.0 : 1.0)) << "0.5 s where nothing else runs";
  }
}

TEST(BlackBoxAudit, ReportsReadInEveryFormat) {
  const auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 1000);
  const auto report = report_on(plan, audit_function(teller(20, 2.0), plan));
  EXPECT_THAT(to_text(report), HasSubstr("bets on one event and classes of its score"));
  EXPECT_THAT(to_html(report), HasSubstr("</html>"));
  EXPECT_THAT(to_json(report), HasSubstr("\"method\": \"events\""));
}

TEST(BlackBoxAudit, RecordedRunsAreAuditedWithoutPlaying) {
  auto target = teller(20, 2.0);
  InputTable input{20, 1, std::vector<double>(20, 0.0)};
  const auto base_runs =
      target.play(input, play_seeds({1, "old", 0, Phase::kCertify}, 0, 3000)).value();
  input.values[4] = 1.0;
  const auto neighbour_runs =
      target.play(input, play_seeds({1, "new", 0, Phase::kCertify}, 0, 2500)).value();
  BlackBoxPlan plan{{.claim = PureDp{Epsilon{1.0}}}};
  const auto report = audit_recorded(target.shape(), base_runs, neighbour_runs, 4, plan).value();
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  OutputBatch few{50, 20, std::vector<double>(1000, 0.0)};
  EXPECT_EQ(audit_recorded(target.shape(), few, neighbour_runs, 4, plan).error().message,
            "each input needs at least 100 runs, not 50 and 2500");
}

TEST(BlackBoxAudit, RefusesPlansOutsideTheirRanges) {
  auto players = Players::create(std::make_unique<FunctionTarget>(teller(20, 1.0)), 1).value();
  auto plan = structural_plan(bandit_shape(2, 20), PureDp{Epsilon{1.0}}, 99);
  EXPECT_EQ(audit_black_box(players, true, plan, {}).error().message,
            "samples must be 100 to 1000000000, not 99");
  plan.samples = 1000;
  plan.confidence = 1.0;
  EXPECT_EQ(audit_black_box(players, true, plan, {}).error().message,
            "confidence must be at least 0.5 and below 1, not 1");
  plan.confidence = 0.9;
  plan.pairs[0] = {plan.pairs[0].base(), {plan.pairs[0].changed_row(), {2.0}}};
  EXPECT_THAT(audit_black_box(players, true, plan, {}), IsRefused("must be in [0, 1], not 2"));
}

// ---- parts --------------------------------------------------------------------------------------

TEST(OutputFeatures, CountActionsInBlocksAfterTheChange) {
  const OutputFeatures features(bandit_shape(2, 8), 1);  // entries 3 to 8: blocks of 1, 1, 2, 2
  std::vector<double> row(features.size());
  features.write(std::vector<double>{0, 0, 1, 0, 1, 1, 0, 1}, row);
  EXPECT_THAT(row, ElementsAre(0, 1, 1, 0, 0, 2, 1, 1, 2, 4, 1, 1, 4));
  EXPECT_EQ(features.name(0), "pulls of arm 0 in entries 3 to 3");
  EXPECT_EQ(features.name(10), "first action after the change");
}

TEST(OutputFeatures, AChangeInTheLastRoundShowsNowhere) {
  const OutputFeatures features(bandit_shape(2, 3), 2);
  std::vector<double> row(features.size());
  features.write(std::vector<double>{0, 1, 1}, row);
  EXPECT_THAT(row, ElementsAre(0, 0, -1, 1, 0));
}

// Rounds that were not played count for nothing; numbers are summed from the changed round on.
TEST(OutputFeatures, DescribeStopsNumbersAndEstimates) {
  const InputShape shape = telling_shape(InputKind::kBestArm, 2, 4);
  const OutputFeatures features(shape, 0);
  std::map<std::string, double> row;
  const auto describe = [&](const std::vector<double>& told) {
    std::vector<double> values(features.size());
    features.write(laid_out(shape, told).value(), values);
    for (std::size_t i = 0; i < values.size(); ++i) row[features.name(i)] = values[i];
    EXPECT_EQ(row.size(), features.size());
  };
  describe({0, 10, 1, 20, 0, 30, 1, 0.5});
  EXPECT_EQ(row["pulls of arm 0 after the change"], 1.0);
  EXPECT_EQ(row["pulls of arm 1 after the change"], 2.0);  // the recommendation too
  EXPECT_EQ(row["pulls of arm 1 in rounds 2 to 2"], 1.0);
  EXPECT_EQ(row["first action after the change"], 1.0);
  EXPECT_EQ(row["recommendation"], 1.0);
  EXPECT_EQ(row["switches after the change"], 2.0);
  EXPECT_EQ(row["number of round 1"], 10.0);
  EXPECT_EQ(row["number of round 2"], 20.0);
  EXPECT_EQ(row["number of rounds 3 to 4, summed"], 30.0);
  EXPECT_EQ(row["number of the last round"], 30.0);
  EXPECT_EQ(row["estimate 1"], 0.5);
  EXPECT_EQ(row["rounds completed"], 3.0);
  EXPECT_NEAR(row["logarithm of rounds completed"], std::log(4.0), 1e-12);
  describe({1, -2.0});
  EXPECT_EQ(row["pulls of arm 1 after the change"], 1.0);
  EXPECT_EQ(row["first action after the change"], -1.0);
  EXPECT_EQ(row["number of round 1"], 0.0);
  EXPECT_EQ(row["rounds completed"], 0.0);
  EXPECT_EQ(row["estimate 1"], -2.0);
  EXPECT_EQ(EntryFeatures(shape, false).name(3), "number of round 2");
  EXPECT_EQ(EntryFeatures(shape, true).name(10), "rounds completed less the one before");
}

// Of numbers alone: an action is none.
TEST(KeepView, RoundsNumbersWhereverTheyStand) {
  const InputShape shape = telling_shape(InputKind::kContextual, 4, 3);
  BlackBoxPlan plan;
  plan.output_grid = 2.0;
  OutputBatch runs{2, shape.width(),
                   laid_out(shape, std::vector<double>{3, 1.2, 3, 4.9, 7.3}).value()};
  const auto short_play = laid_out(shape, std::vector<double>{1, 4.9, -0.3}).value();
  runs.values.insert(runs.values.end(), short_play.begin(), short_play.end());
  keep_view(shape, 1, plan, runs);
  EXPECT_THAT(told_of(shape, runs.play(0)), ElementsAre(3, 2, 0, 0, 8));
  EXPECT_THAT(told_of(shape, runs.play(1)), ElementsAre(1, 4, 0));
  EXPECT_EQ(runs.play(1)[2], kNoAction);
}

TEST(LogisticModel, RecoversALinearRule) {
  std::vector<double> first;
  std::vector<double> second;
  ReplayStream random({5, 6});
  for (int i = 0; i < 4000; ++i) {
    const double x = 4.0 * random.uniform() - 2.0;
    const double y = random.uniform();
    auto& rows = random.uniform() < 1.0 / (1.0 + std::exp(-(0.5 + 1.5 * x))) ? first : second;
    rows.push_back(x);
    rows.push_back(y);
    rows.push_back(7.0);  // does not vary
  }
  const auto model = LogisticModel::fit(first, second, 3);
  const auto at = [&](double x, double y) {
    return model.log_odds(std::vector<double>{x, y, 7.0});
  };
  EXPECT_NEAR(at(0.0, 0.5), 0.5, 0.15);
  EXPECT_NEAR(at(1.0, 0.5) - at(0.0, 0.5), 1.5, 0.15);
  EXPECT_NEAR(at(0.0, 1.0) - at(0.0, 0.0), 0.0, 0.3);
}

TEST(InputPairs, DifferInOneRowAndStayInRange) {
  for (const auto kind : {InputKind::kBandit, InputKind::kBestArm, InputKind::kDueling,
                          InputKind::kExperts, InputKind::kContextual, InputKind::kMechanism}) {
    InputShape shape = bandit_shape(3, 40);
    shape.kind = kind;
    shape.dimension = 2;
    shape.inputs = 4;
    const auto pairs = structural_pairs(shape, 24);
    EXPECT_GE(pairs.size(), 6u);
    for (const auto& pair : pairs) {
      EXPECT_TRUE(check_input(shape, pair.base_input()));
      EXPECT_TRUE(check_input(shape, pair.neighbour_input()));
      const auto again = must(pair_of(pair.base_input(), pair.neighbour_input()));
      EXPECT_EQ(again.changed_row(), pair.changed_row());
    }
  }
}

TEST(InputPairs, WhatIsNoPairIsNamed) {
  const InputTable a{3, 1, {0, 0, 0}};
  EXPECT_EQ(pair_of(a, a).error().message, "the two inputs are equal");
  EXPECT_EQ(pair_of(a, {3, 1, {1, 0, 1}}).error().message,
            "the two inputs differ in rows 1 and 3, but neighbours differ in one");
  EXPECT_EQ(pair_of(a, {2, 1, {1, 0}}).error().message, "the two inputs must have the same shape");
}

// Under independent rows the p-value is uniform: at most 5% below 0.05, by its validity.
TEST(GroupingTest, KeepsItsLevelAndSeesGroups) {
  int rejections = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> rows;
    std::vector<int> groups;
    ReplayStream random({9, static_cast<std::uint64_t>(run)});
    for (int i = 0; i < 60; ++i) {
      rows.push_back(std::exp(3.0 * random.uniform()));
      groups.push_back(i / 6);
    }
    rejections += grouping_p_value(rows, 1, groups, 99, static_cast<std::uint64_t>(run)) <= 0.05;
  }
  EXPECT_LE(rejections, 38);  // P(Binomial(400, 0.05) > 38) < 1e-4
  std::vector<double> rows;
  std::vector<int> groups;
  for (int i = 0; i < 60; ++i) {
    rows.push_back(i / 6 % 2 == 0 ? 1.0 : -1.0);
    groups.push_back(i / 6);
  }
  EXPECT_LE(grouping_p_value(rows, 1, groups, 999, 1), 0.002);
}

}  // namespace
}  // namespace assay
