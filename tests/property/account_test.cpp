// Laws of accounts over random chains: order and grouping of steps do not matter, a further release
// only costs, profiles fall and are convex, and no level that a step implies answers below it.
#include "assay/mechanisms/accounting/account/account.hpp"

#include <nlohmann/json.hpp>

#include "assay/auditors/account/account_report.hpp"
#include "assay/mechanisms/accounting/account/convert.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"
#include "assay/tests/support/property_testing.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

using Asked = AccountTarget::Asked;

constexpr int kChains = 16;  // a property is tried on

FinitePairStep draw_pair() {
  const double a = uniform(0.2, 0.8), b = uniform(0.2, 0.8);
  return {{a, 0.5 * (1 - a), 0.5 * (1 - a)}, {b, 0.25 * (1 - b), 0.75 * (1 - b)}};
}

// Levels of about 0.05 to 1 a release, so that chains stay in a useful range.
StepMechanism draw_step() {
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      return GaussianStep{log_uniform(3.0, 30.0), uniform(0.5, 2.0)};
    case 1:
      return LaplaceStep{log_uniform(2.0, 20.0), uniform(0.5, 1.5)};
    case 2:
      return DiscreteLaplaceStep{log_uniform(1.0, 20.0)};
    case 3:
      return RandomizedResponseStep{log_uniform(0.05, 1.0), *rc::gen::inRange<std::int64_t>(2, 6)};
    case 4:
      return PureStep{log_uniform(0.05, 1.0)};
    case 5:
      return ApproximateStep{log_uniform(0.05, 1.0), log_uniform(1e-12, 1e-9)};
    case 6:
      return GdpStep{log_uniform(0.05, 0.5)};
    default:
      return draw_pair();
  }
}

ChainStep draw_chain_step() { return {draw_step(), *rc::gen::inRange<std::int64_t>(1, 12), ""}; }

struct Bounds {
  double lower, upper;
};
Bounds bounds_of(const std::vector<ChainStep>& chain, AccountTarget target) {
  const auto answers = account_for(chain, std::vector{target});
  if (!answers) RC_FAIL(answers.error().to_string());
  return {answers->front().lower.value_or(0.0), answers->front().upper};
}
bool overlap(Bounds a, Bounds b) { return a.lower <= b.upper && b.lower <= a.upper; }

AccountTarget draw_target() {
  if (*rc::gen::inRange(0, 2) == 0) return {Asked::kEpsilonAtDelta, log_uniform(1e-6, 1e-2)};
  return {Asked::kDeltaAtEpsilon, uniform(0.0, 2.0)};
}

void on_random_chains(int chains, const std::function<void()>& distribution) {
  rc::detail::TestParams params;
  params.maxSuccess = std::max(4, repetitions(chains));
  params.seed = 1;
  params.disableShrinking = true;  // each trial is several compositions
  expect_property(distribution, params);
}
void on_random_chains(const std::function<void()>& distribution) {
  on_random_chains(kChains, distribution);
}

TEST(AccountLaws, OrderAndGroupingOfStepsDoNotMatter) {
  on_random_chains([] {
    ChainStep first = draw_chain_step();
    const ChainStep second = draw_chain_step();
    const auto target = draw_target();
    const Bounds together = bounds_of({first, second}, target);
    RC_ASSERT(overlap(together, bounds_of({second, first}, target)));
    first.count += 1;
    const ChainStep one{first.mechanism, 1, ""};
    ChainStep rest = first;
    rest.count -= 1;
    RC_ASSERT(overlap(bounds_of({first, second}, target), bounds_of({one, second, rest}, target)));
  });
}

TEST(AccountLaws, AFurtherReleaseOnlyCosts) {
  on_random_chains([] {
    const ChainStep first = draw_chain_step();
    ChainStep more = first;
    more.count += *rc::gen::inRange<std::int64_t>(1, 5);
    const auto target = draw_target();
    const Bounds alone = bounds_of({first}, target);
    RC_ASSERT(bounds_of({more}, target).upper >= alone.lower);
    RC_ASSERT(bounds_of({first, draw_chain_step()}, target).upper >= alone.lower);
  });
}

TEST(AccountLaws, ProfilesFallAndAreConvexInTheExponential) {
  on_random_chains([] {
    const std::vector<ChainStep> chain = {draw_chain_step()};
    const double low = uniform(0.0, 1.0), high = low + uniform(0.1, 1.0);
    const double t = uniform(0.0, 1.0);
    const double x = t * portable_exp(low) + (1 - t) * portable_exp(high);
    const auto at = [&](double eps) { return bounds_of(chain, {Asked::kDeltaAtEpsilon, eps}); };
    const Bounds left = at(low), middle = at(portable_log(x)), right = at(high);
    RC_ASSERT(right.lower <= middle.upper);
    RC_ASSERT(middle.lower <= left.upper);
    const double chord = t * left.upper + (1 - t) * right.upper;
    RC_ASSERT(middle.lower <= chord * (1 + 1e-12) + 1e-300);
  });
}

TEST(AccountLaws, NoLevelOfAStepAnswersBelowItsDistributions) {
  on_random_chains([] {
    const StepMechanism step = draw_step();
    const Epsilon eps{uniform(0.0, 1.0)};
    const double exact = bounds_of({{step, 1, ""}}, {Asked::kDeltaAtEpsilon, eps.value}).lower;
    if (const auto pure = step_pure(step)) {
      RC_ASSERT(approximate_at_epsilon(*pure, eps).delta.value >= exact);
    }
    if (const auto mu = step_gaussian(step)) {
      RC_ASSERT(approximate_at_epsilon(*mu, eps).delta.value >= exact);
    }
    if (const auto rho = step_zcdp(step)) {
      RC_ASSERT(zcdp_delta(rho->rho, eps)->value.value >= exact);
    }
    if (const auto curve = step_renyi(step)) {
      RC_ASSERT(renyi_delta(*curve, eps)->value.value >= exact);
    }
  });
}

// ---- all stated ranges --------------------------------------------------------------------------

std::vector<double> draw_distribution(int outputs, bool tiny) {
  std::vector<double> distribution;
  double sum = 0.0;
  for (int i = 0; i < outputs; ++i) {
    distribution.push_back(tiny && *rc::gen::inRange(0, 2) == 0 ? log_uniform(1e-300, 1.0)
                                                                : uniform(0.05, 1.0));
    sum += distribution.back();
  }
  for (double& p : distribution) p /= sum;
  return distribution;
}

SampledStep draw_sampled_step(double sensitivity) {
  const auto records = *rc::gen::inRange<std::int64_t>(2, 3000);
  const auto batch = *rc::gen::inRange<std::int64_t>(1, records);
  const double sampling = log_uniform(1e-9, 0.99);
  const auto noise = *rc::gen::element<SampledNoise>(
      GaussianStep{log_uniform(0.11, 4e5) * sensitivity, sensitivity},
      LaplaceStep{log_uniform(0.03, 4e5) * sensitivity, sensitivity},
      DiscreteGaussianStep{log_uniform(0.05, 1e2)}, DiscreteLaplaceStep{log_uniform(0.01, 1e6)});
  const auto* gaussian = std::get_if<GaussianStep>(&noise);
  const bool may_group = gaussian != nullptr && gaussian->sigma >= 0.25 * sensitivity;
  const auto group = may_group ? *rc::gen::inRange<std::int64_t>(1, 9) : 1;
  const auto batches = *rc::gen::inRange<std::int64_t>(2, 60);
  if (*rc::gen::inRange(0, 8) == 0) {
    return must(make_sampled(
        RandomizedResponseStep{log_uniform(1e-3, 5.0), *rc::gen::inRange<std::int64_t>(2, 6)},
        ShuffleSampler{*rc::gen::inRange<std::int64_t>(2, 200)}, SampledRelation::kReplaceOne));
  }
  const auto sampler = *rc::gen::element<Sampler>(
      PoissonSampler{sampling, group}, CyclicPoissonSampler{sampling, batch},
      TruncatedPoissonSampler{sampling, records, batch}, FixedSizeSampler{records, batch},
      WithReplacementSampler{records, batch},
      // Losses of one batch are at most 300.
      std::holds_alternative<DiscreteGaussianStep>(noise) ? Sampler(PoissonSampler{sampling})
                                                          : Sampler(AllocationSampler{batches}));
  const auto relation =
      std::holds_alternative<WithReplacementSampler>(sampler)
          ? SampledRelation::kReplaceOne
          : *rc::gen::element(SampledRelation::kAddOrRemove, SampledRelation::kReplaceOne);
  return must(make_sampled(noise, sampler, relation));
}

// Falling coefficients, or any; or a tree.
StepMechanism draw_matrix_step() {
  MatrixStep step;
  step.steps = *rc::gen::inRange<std::int64_t>(1, 60);
  step.participations = *rc::gen::inRange<std::int64_t>(1, 10);
  step.separation = *rc::gen::inRange<std::int64_t>(1, 20);
  step.spacing = *rc::gen::element(Spacing::kAtLeast, Spacing::kExact);
  step.relation = *rc::gen::element(SampledRelation::kAddOrRemove, SampledRelation::kReplaceOne);
  step.factor =
      *rc::gen::element<std::string>("identity", "square-root", "prefix-sum", "tree", "toeplitz");
  if (step.factor == "toeplitz") {
    const auto count = *rc::gen::inRange<std::int64_t>(1, step.steps + 1);
    step.coefficients.push_back(uniform(0.5, 1.0));
    for (std::int64_t i = 1; i < count; ++i) step.coefficients.push_back(uniform(-1.0, 1.0));
  }
  step.sigma = log_uniform(40.0, 1e5);
  return must(make_matrix_step(std::move(step)));
}

RepeatAndSelectStep draw_selection_step() {
  RepeatAndSelectStep step;
  if (*rc::gen::arbitrary<bool>()) {
    step.repeats = RunCount::kPoisson;
    step.mean = log_uniform(1e-6, 1e9);
  } else {
    step.gamma = log_uniform(1e-9, 0.999);
    step.eta = *rc::gen::element(-0.999999, -0.5, 0.0, 1e-9, 1.0, 30.0, 1000.0);
  }
  const int level = *rc::gen::inRange(0, 3);
  if (level == 0) step.epsilon = log_uniform(1e-6, 100.0);
  if (level == 1) step.mu = log_uniform(1e-6, 20.0);
  if (level == 2) step.rho = log_uniform(1e-6, 200.0);
  return step;
}

// Choices, bits and flags.
StepMechanism draw_release_step() {
  const double epsilon = log_uniform(2e-6, 20.0);
  const bool flag = *rc::gen::arbitrary<bool>();
  switch (*rc::gen::inRange(0, 10)) {
    case 9:
      return IntegerVectorStep{log_uniform(1.0, 12.0), *rc::gen::inRange<std::int64_t>(1, 60)};
    case 8:
      return draw_selection_step();
    case 0:
      return ExponentialStep{epsilon, flag};
    case 1:
      return PermuteAndFlipStep{epsilon, flag};
    case 2:
      return NoisyMaxStep{
          *rc::gen::element(MaxNoise::kLaplace, MaxNoise::kExponential, MaxNoise::kGumbel),
          log_uniform(0.1, 1e4), 1.0, flag};
    case 3:
      return UnaryEncodingStep{epsilon, flag};
    case 4:
      return RapporStep{*rc::gen::inRange<std::int64_t>(1, 9), uniform(0.05, 0.95),
                        uniform(0.0, 0.4), uniform(0.5, 1.0)};
    case 5:
      return TruncatedGeometricStep{*rc::gen::inRange<std::int64_t>(1, 31)};
    case 6: {
      AboveThresholdStep step{0.0, *rc::gen::inRange<std::int64_t>(1, 20), flag,
                              FlagNoise::kGaussian};
      step.threshold_sigma = log_uniform(0.1, 1e4);
      step.sigma = log_uniform(0.1, 1e4);
      step.answers = *rc::gen::inRange<std::int64_t>(1, 2000);
      return step;
    }
    default: {
      AboveThresholdStep step{epsilon, *rc::gen::inRange<std::int64_t>(1, 20), flag};
      step.monotone = *rc::gen::inRange(0, 2) == 0;
      return step;
    }
  }
}

GaussianMixtureStep draw_mixture_step() {
  GaussianMixtureStep step;
  step.weights = draw_distribution(*rc::gen::inRange(1, 6), true);
  for (std::size_t i = 0; i < step.weights.size(); ++i)
    step.shifts.push_back(log_uniform(1e-3, 30.0));
  if (*rc::gen::inRange(0, 2) == 0 && step.shifts.size() > 1) step.shifts.front() = 0.0;
  step.sigma = log_uniform(1.0, 1e4);
  step.relation = *rc::gen::element(SampledRelation::kAddOrRemove, SampledRelation::kReplaceOne);
  return step;
}

// As a file would give it; steps of one chain are told apart by its name.
LossDistributionStep draw_loss_distribution() {
  const int outputs = *rc::gen::inRange(2, 6);
  const auto p = draw_distribution(outputs, true), q = draw_distribution(outputs, true);
  LossDistributionStep step;
  step.file = "drawn" + std::to_string(*rc::gen::inRange(0, 1'000'000'000));
  for (int i = 0; i < outputs; ++i) {
    const auto place = static_cast<std::size_t>(i);
    step.losses.push_back(std::clamp(std::log(p[place] / q[place]), -700.0, 700.0));
    step.masses.push_back(p[place]);
  }
  return step;
}

// Any mechanism, from one end of its range to the other.
StepMechanism draw_extreme_step() {
  const double sensitivity = *rc::gen::inRange(0, 3) == 0 ? log_uniform(1e-4, 1e4) : 1.0;
  switch (*rc::gen::inRange(0, 15)) {
    case 14:
      return draw_loss_distribution();
    case 11:
      return draw_matrix_step();
    case 12:
      return draw_mixture_step();
    case 13:
      return draw_release_step();
    case 0:
      return GaussianStep{log_uniform(0.0101, 9e5) * sensitivity, sensitivity};
    case 1:
      return LaplaceStep{log_uniform(0.0101, 9e5) * sensitivity, sensitivity};
    case 2:
      return DiscreteLaplaceStep{log_uniform(0.01, 1e6)};
    case 3:
      return DiscreteGaussianStep{log_uniform(0.05, 1e3)};
    case 4:
      return RandomizedResponseStep{log_uniform(1e-9, 300.0),
                                    *rc::gen::inRange<std::int64_t>(2, 1000)};
    case 5:
      return draw_sampled_step(sensitivity);
    case 6:
      return PureStep{log_uniform(1e-9, 300.0)};
    case 7:
      return ApproximateStep{log_uniform(1e-9, 300.0), log_uniform(1e-300, 0.99)};
    case 8:
      return GdpStep{log_uniform(1e-6, 100.0)};
    case 9:
      return ZcdpStep{log_uniform(1e-12, 1e12)};
    default:
      const int outputs = *rc::gen::inRange(2, 5);
      return FinitePairStep{draw_distribution(outputs, true), draw_distribution(outputs, true)};
  }
}

std::vector<ChainStep> draw_extreme_chain() {
  std::vector<ChainStep> chain;
  const int steps = *rc::gen::inRange(0, 4) == 0 ? 2 : 1;
  for (int i = 0; i < steps; ++i) {
    const auto most = static_cast<double>(*rc::gen::element(1, 10, 1000, 1000000));
    chain.push_back({draw_extreme_step(), static_cast<std::int64_t>(log_uniform(1.0, most)), ""});
  }
  return chain;
}

AccountTarget draw_extreme_target() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return {Asked::kDeltaAtEpsilon, 0.0};
    case 1:
      return {Asked::kDeltaAtEpsilon, log_uniform(1e-6, 1e6)};
    default:
      return {Asked::kEpsilonAtDelta, log_uniform(1e-300, 0.9)};
  }
}

void check_bounds(const AccountAnswer& answer) {
  const double lower = answer.lower.value_or(0.0);
  RC_ASSERT(lower >= 0.0);
  RC_ASSERT(lower <= answer.upper);  // which no NaN is
  if (!answer.target.asks_epsilon()) RC_ASSERT(answer.upper <= 1.0);
  for (const auto& other : answer.others) {
    if (other.upper) RC_ASSERT(*other.upper >= answer.upper);
  }
  if (answer.closed) {
    RC_ASSERT(answer.closed->upper >= answer.upper);
    RC_ASSERT(!answer.lower || answer.closed->lower <= lower);
  }
}

TEST(AccountOfAnyChain, AnswersInEveryFormatBetweenItsBounds) {
  on_random_chains(60, [] {
    AccountReport report{.chain = draw_extreme_chain()};
    const std::vector targets{draw_extreme_target()};
    std::string words = target_text(targets.front());
    for (const auto& step : report.chain) words += "; " + chain_text(step);
    RC_LOG(words + "\n");
    const auto answers = account_for(report.chain, targets);
    if (!answers) RC_FAIL(answers.error().to_string());
    check_bounds(answers->front());
    const auto curves = account_curves(report.chain);
    if (!curves) RC_FAIL(curves.error().to_string());
    for (std::size_t i = 0; i < curves->profile.size(); ++i) {
      const ProfileBand& p = curves->profile[i];
      RC_ASSERT(p.lower >= 0.0 && p.lower <= p.upper && p.upper <= 1.0);
      // RC_ASSERT evaluates both sides of ||.
      if (i > 0) RC_ASSERT(curves->profile[i - 1].upper >= p.upper);
    }
    for (const TradeOffBand& p : curves->trade_off) {
      RC_ASSERT(p.lower >= 0.0 && p.lower <= p.upper && p.upper <= 1.0);
    }
    report.answers = *answers;
    report.curves = *curves;
    const auto json = nlohmann::json::parse(to_json(report));
    RC_ASSERT(json["answers"].size() == 1u);
    for (const auto& text : {to_text(report, TextStyle{}), to_csv(report), to_html(report)}) {
      RC_ASSERT(!text.empty());
      RC_ASSERT(text.find(" nan") == std::string::npos && text.find(",nan") == std::string::npos);
    }
  });
}

// ---- against enumeration ------------------------------------------------------------------------

using oracle::Real;

// delta at eps of `count` releases of one pair, by all counts of its outputs.
Real enumerated_delta(const std::vector<Real>& p, const std::vector<Real>& q, int count,
                      const Real& eps) {
  Real sum = 0;
  const std::function<void(std::size_t, int, Real, Real)> add = [&](std::size_t i, int left,
                                                                    Real mp, Real mq) {
    if (i + 1 == p.size()) {
      mp *= pow(p[i], left), mq *= pow(q[i], left);
      const Real gap = mp - exp(eps) * mq;
      if (gap > 0) sum += gap;
      return;
    }
    Real choose = 1;
    for (int k = 0; k <= left; ++k) {
      add(i + 1, left - k, mp * choose * pow(p[i], k), mq * choose * pow(q[i], k));
      choose = choose * (left - k) / (k + 1);
    }
  };
  add(0, count, 1, 1);
  return sum;
}

Real truth_of(const StepMechanism& step, int count, double eps) {
  std::vector<Real> p, q;
  if (const auto* pair = std::get_if<FinitePairStep>(&step)) {
    p.assign(pair->p.begin(), pair->p.end());
    q.assign(pair->q.begin(), pair->q.end());
  } else {
    const auto& response = std::get<RandomizedResponseStep>(step);
    const Real others = Real(response.answers - 1), odds = exp(Real(response.epsilon));
    const Real norm = odds + others;
    p = {odds / norm, 1 / norm, (others - 1) / norm};
    q = {1 / norm, odds / norm, (others - 1) / norm};
  }
  const Real removed = enumerated_delta(p, q, count, eps);
  const Real added = enumerated_delta(q, p, count, eps);
  return removed > added ? removed : added;
}

TEST(AccountOfAnyChain, ContainsTheEnumerationOfSmallFinitePairs) {
  on_random_chains(100, [] {
    const int outputs = *rc::gen::inRange(2, 4), count = *rc::gen::inRange(1, 7);
    StepMechanism step =
        RandomizedResponseStep{log_uniform(1e-3, 20.0), *rc::gen::inRange<std::int64_t>(2, 9)};
    if (*rc::gen::inRange(0, 2) == 0) {
      step = FinitePairStep{draw_distribution(outputs, false), draw_distribution(outputs, false)};
    }
    const std::vector<ChainStep> chain = {{step, count, ""}};
    const double largest = step_pure(step)->epsilon.value * count;
    const double eps = uniform(0.0, 1.0) * largest;
    // The laws sum to 1 within an ulp or two a release, which is all the slack that truth has.
    const Real slack = 1e-14;
    const Bounds at_eps = bounds_of(chain, {Asked::kDeltaAtEpsilon, eps});
    const Real truth = truth_of(step, count, eps);
    RC_ASSERT(Real(at_eps.lower) <= truth + slack);
    RC_ASSERT(Real(at_eps.upper) >= truth - slack);
    const double delta = log_uniform(1e-9, 0.3);
    const Bounds at_delta = bounds_of(chain, {Asked::kEpsilonAtDelta, delta});
    RC_ASSERT(truth_of(step, count, at_delta.upper) <= delta + slack);
    RC_ASSERT(at_delta.lower == 0.0 || truth_of(step, count, at_delta.lower) >= delta - slack);
  });
}

// Sums of integer noise with probabilities, by convolution.
using SumDistribution = std::vector<std::pair<long double, long double>>;  // loss, probability

// The loss of `count` releases is (2 s + count)/(2 sigma^2), s the sum of their noises.
SumDistribution sum_distribution(double sigma, int count) {
  const int reach = static_cast<int>(13.0 * sigma) + 3;
  const long double twice = 2.0L * sigma * sigma;
  std::vector<long double> one, sum{1.0L};
  long double norm = 0.0L;
  for (long k = -reach; k <= reach; ++k) {
    one.push_back(std::exp(-static_cast<long double>(k * k) / twice));
    norm += one.back();
  }
  for (int i = 0; i < count; ++i) {
    std::vector<long double> next(sum.size() + one.size() - 1);
    for (std::size_t a = 0; a < sum.size(); ++a) {
      for (std::size_t b = 0; b < one.size(); ++b) next[a + b] += sum[a] * one[b] / norm;
    }
    sum = std::move(next);
  }
  SumDistribution distribution;
  const long double middle = 0.5L * static_cast<long double>(sum.size() - 1);
  for (std::size_t a = 0; a < sum.size(); ++a) {
    if (sum[a] < 1e-30L) continue;  // all of them together are far below the slack
    distribution.push_back(
        {(2.0L * (static_cast<long double>(a) - middle) + count) / twice, sum[a]});
  }
  return distribution;
}

long double delta_of_sum(const SumDistribution& a, const SumDistribution& b, long double eps) {
  long double sum = 0.0L;
  for (const auto& [loss, p] : a) {
    for (const auto& [other, q] : b) {
      if (loss + other > eps) sum -= p * q * std::expm1(eps - loss - other);
    }
  }
  return sum;
}

// Their losses lie on grids of which neither holds the other, and the wide noise's is the finer one.
void expect_tight_around_the_sum(double wide, int wide_count, double narrow, int narrow_count,
                                 double delta) {
  const std::vector<ChainStep> chain = {{DiscreteGaussianStep{wide}, wide_count, ""},
                                        {DiscreteGaussianStep{narrow}, narrow_count, ""}};
  const SumDistribution a = sum_distribution(wide, wide_count),
                        b = sum_distribution(narrow, narrow_count);
  const Bounds bounds = bounds_of(chain, {Asked::kEpsilonAtDelta, delta});
  RC_LOG(chain_text(chain[0]) + "; " + chain_text(chain[1]) + "\n");
  constexpr long double kSlack = 1e-12L;
  RC_ASSERT(delta_of_sum(a, b, bounds.upper) <= delta * (1 + kSlack));
  RC_ASSERT(delta_of_sum(a, b, bounds.lower) >= delta * (1 - kSlack));
  RC_ASSERT(bounds.upper - bounds.lower < 0.01);
}

TEST(AccountOfAnyChain, IsTightAroundTheSumsOfIntegerNoiseOfMixedScales) {
  on_random_chains(10, [] {
    if (*rc::gen::inRange(0, 5) == 0) return expect_tight_around_the_sum(6.5, 20, 0.95, 4, 1e-12);
    expect_tight_around_the_sum(uniform(2.0, 8.0), *rc::gen::inRange(1, 8), uniform(0.65, 2.0),
                                *rc::gen::inRange(1, 5), log_uniform(1e-12, 1e-4));
  });
}

// (1) of gdp.hpp in high precision.
TEST(AccountOfAnyChain, ContainsTheProfileOfGaussianNoiseInHighPrecision) {
  on_random_chains(100, [] {
    const double sigma = log_uniform(0.5, 1e3);
    const auto count = *rc::gen::inRange<std::int64_t>(1, 2000);
    const Real mu = sqrt(Real(count)) / sigma;
    const std::vector<ChainStep> chain = {{GaussianStep{sigma}, count, ""}};
    const auto delta_at = [&](double eps) -> Real {
      return oracle::normal_tail(Real(eps) / mu - mu / 2) -
             exp(Real(eps)) * oracle::normal_tail(Real(eps) / mu + mu / 2);
    };
    const double delta = log_uniform(1e-250, 0.3);
    const Bounds at_delta = bounds_of(chain, {Asked::kEpsilonAtDelta, delta});
    RC_ASSERT(delta_at(at_delta.upper) <= delta);
    RC_ASSERT(at_delta.lower == 0.0 || delta_at(at_delta.lower) >= delta);
    const double eps = uniform(0.0, 8.0) * static_cast<double>(mu);
    const Bounds at_eps = bounds_of(chain, {Asked::kDeltaAtEpsilon, eps});
    RC_ASSERT(Real(at_eps.lower) <= delta_at(eps) && Real(at_eps.upper) >= delta_at(eps));
    // Distributions alone: no closed form is read here.
    const std::vector terms{PldTerm{*loss_of::gaussian(sigma), count}};
    const auto alone = pld_delta(terms, Epsilon{eps});
    RC_ASSERT(Real(alone->lower.value.value) <= delta_at(eps));
    RC_ASSERT(Real(alone->upper.value.value) >= delta_at(eps));
  });
}

// The level of a group of k, against the distributions of k times the noise's shift.
TEST(AccountLaws, ConversionTablesOfGroupsCoverTheGroupsOfLaplaceNoise) {
  on_random_chains([] {
    const double scale = log_uniform(2.0, 20.0);
    const auto group = *rc::gen::inRange<std::int64_t>(1, 6);
    const double eps = uniform(0.0, 0.5) * static_cast<double>(group) / scale;
    const LaplaceStep shifted{scale, static_cast<double>(group)};
    const double exact =
        bounds_of({{StepMechanism(shifted), 1, ""}}, {Asked::kDeltaAtEpsilon, eps}).lower;
    const ConvertibleLevel levels[] = {
        *step_pure(LaplaceStep{scale, 1.0}), *step_gaussian(LaplaceStep{scale, 1.0}),
        *step_zcdp(LaplaceStep{scale, 1.0}),
        RenyiPoint{64.0, step_renyi(LaplaceStep{scale, 1.0})->at(64.0).value}};
    for (const ConvertibleLevel& level : levels) {
      const auto table = conversion_table(level, {{}, {eps}, group});
      RC_ASSERT(table.has_value());
      RC_ASSERT(table->lines.back().quantity == "delta");
      if (table->lines.back().upper) RC_ASSERT(*table->lines.back().upper >= exact);
    }
  });
}

}  // namespace
}  // namespace assay
