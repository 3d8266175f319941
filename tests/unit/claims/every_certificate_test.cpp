// What the check of a certificate owes, for every kind of counterexample: sound ones refute, those whose
// numbers are right and show nothing do not, and every lie is refused by the name of its field.
#include "assay/auditors/best_arm/claims/searches.hpp"
#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/sparse/claims/joint_dp.hpp"
#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

TEST(EveryCertificate, ThatIsSoundRefutes) {
  std::set<std::string_view> kinds;
  for (const auto& certificate : testing::sample_certificates()) {
    kinds.insert(certificate.counterexample.kind()->name());
    const auto check = must(check_certificate(certificate));
    EXPECT_TRUE(check.refutes) << check.conclusion;
    EXPECT_THAT(check.conclusion, HasSubstr("Refuted: "));
    EXPECT_GE(check.steps.size(), 3u) << certificate.claim;
  }
  EXPECT_EQ(kinds.size(), counterexample_kinds().size());
}

// A point at which the claim is true: its numbers are right, and it refutes nothing.
TEST(EveryCertificate, ThatDoesNotExceedTheClaimRefutesNothing) {
  constexpr auto kPaper = Calibration::kPaper;
  auto even = testing::phase_certificate().counterexample.as<PhaseCounterexample>();
  even.preference = even.score = 0.5;
  even.bias = 0.0;
  auto small = testing::gradient_certificate().counterexample.as<GradientCounterexample>();
  small.x_max = 0.25;
  small.context = {0.25, 0.25};
  small.other_context = {0.25, -0.25};
  small.reward = small.other_reward = -0.25;
  small.distance = small.allowed = 0.5;  // 2 0.25 |-0.5 - 0.5|: as much as is allowed
  const double p = 1.0 / (1.0 + std::exp(-0.25));
  auto corrected = testing::epoch_certificate().counterexample.as<EpochCounterexample>();
  corrected.noise = LeaderNoise::kGumbel;  // softmax(-eps G/2): loss 1/2 at eps = 1/2
  corrected.epsilon = 0.5;
  corrected.p = p;
  corrected.q = 1.0 - p;
  corrected.loss = 0.25;
  auto growth = testing::growth_certificate().counterexample.as<GrowthCounterexample>();
  growth.split = 7.75;  // left of the range that has both
  growth.rate_below = 0.5 / 7.75 + std::log1p(0.5 * std::expm1(-0.125));
  growth.rate_above = 0.5 * (0.125 - 1.0 / 7.75);
  const std::vector<Certificate> harmless = {
      testing::round_certificate(0.25),
      {"ftnl-dp-exponential", corrected},
      {"ftnl-conjecture", growth},
      {"bai-gauss-dp", best_arm_checks::gaussian_at(BestArmView::kTranscript, {5.0, 1e-3})},
      {"bai-gauss-release", best_arm_checks::gaussian_at(BestArmView::kRelease, {0.9, 0.01})},
      {"dp-od-dp", best_arm_checks::recommendation_at({1.0, 1.0, 0.5, 1.0})},
      {"dp-od-literal", best_arm_checks::later_basis_at({0.0, 1.0, 1.0, 0.0})},
      {"bai-change-of-measure", best_arm_checks::measure_at({2.9, 1e-4})},
      {"bai-budget", best_arm_checks::budget_at({64.0, 8.0, 1920.0 + 72.0})},
      {"ebs-property-2", dueling_checks::borda_at({3.0, 1.0, 0.5, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0})},
      {"duel-pulls", dueling_checks::pulls_at({26.0, 1.0, 0.8})},
      {"duel-regret", dueling_checks::duel_regret_at({10.0, 1.0, 1.0})},
      {"gopt-confidence", dueling_checks::confidence_at({24.0, 1.0, 0.5})},
      {"ebs-unbiased-phase", even},
      {"niht-sensitivity", small},
      {"clip-inactive", sparse_checks::clipping_at({2.0})},
      {"sparse-lower", sparse_checks::lower_at({1000.0, 1000.0, 10.0, 0.1})},
      {"peel-dp", sparse_checks::peeling_at({60.0, 1000.0, 0.01})},
      // 4.327 is the least x_max at which (1/2, 0.01) fails for one coordinate.
      testing::greedy_sign_certificate(4.32),
      testing::removal_certificate(0.95),
      testing::coverage_certificate(0.2),
      testing::one_count_certificate(0.3),
      {"duel-lower-printed", dueling_checks::sampled_duel_at({1000.0, 0.1, 20.0})},
      testing::votes_certificate(0.1),
      testing::first_round_certificate(10.0),
      testing::one_dimension_certificate(60),
      {"fliphat-jdp-normalized",
       sparse_checks::normalized_contexts_at({0.5, 0.01, 10, 10, 6, 0.1}, kPaper)}};
  for (const auto& certificate : harmless) {
    const auto check = must(check_certificate(certificate));
    EXPECT_FALSE(check.refutes) << check.conclusion;
    EXPECT_THAT(check.conclusion, HasSubstr("Not refuted by this"));
  }
  EXPECT_TRUE(check_certificate(testing::greedy_sign_certificate(4.33))->refutes);
}

// ---- lies ---------------------------------------------------------------------------------------

void expect_lie_refused(const Certificate& lie, const std::string& path,
                        const std::string& message) {
  SCOPED_TRACE(to_json(lie));
  const auto error = error_of(check_certificate(lie));
  EXPECT_EQ(error.path, path) << error.to_string();
  EXPECT_THAT(error.message, HasSubstr(message));
}

template <class C>
void lie(Certificate certificate, const std::string& path, const std::string& message,
         void (*tell)(C&)) {
  tell(certificate.counterexample.as<C>());
  expect_lie_refused(certificate, path, message);
}
template <class C>
void lie(const Certificate& certificate, const std::string& path, void (*tell)(C&)) {
  lie<C>(certificate, path, "", tell);
}

// Of another claim.
void lie_about(Certificate certificate, const std::string& claim, const std::string& path,
               const std::string& message = "") {
  certificate.claim = claim;
  expect_lie_refused(certificate, path, message);
}

const char* const kStated = "but the inputs give";

TEST(LiesOfCertificates, AboutARoundAreRefusedByTheirField) {
  using C = RoundCounterexample;
  const auto sound = testing::round_certificate();
  for (const auto& [name, member] :
       {std::pair{"epsilon", &EventNumbers::epsilon}, std::pair{"p", &EventNumbers::p},
        std::pair{"q", &EventNumbers::q}, std::pair{"true_delta", &EventNumbers::true_delta}}) {
    auto far = sound, close = sound;
    far.counterexample.as<C>().numbers.*member *= 1.0 + 3e-9;
    close.counterexample.as<C>().numbers.*member *= 1.0 + 3e-10;
    expect_lie_refused(far, std::string("/numbers/") + name, kStated);
    EXPECT_TRUE(check_certificate(close)) << name;
  }
  lie_about(sound, "ts-step-dpp", "/claim", "'ts-step-dp'");
  lie_about(sound, "ts-eq27", "/counterexample/kind", "must be law");
  lie_about(sound, "ts-advanced", "/claim", "can refute");
  const std::string root = "/counterexample/", history = root + "history";
  lie<C>(sound, history + "/1/reward", "from 0 to 1, not 1.5",
         [](auto& c) { c.history[1].reward = 1.5; });
  lie<C>(sound, root + "neighbour_reward", "must be a number",
         [](auto& c) { c.neighbour_reward = std::nan(""); });
  lie<C>(sound, history + "/0/times", "must be 1, not 2", [](auto& c) { c.history[0].times = 2; });
  lie<C>(sound, history + "/2/times", "1 to 1000000000", [](auto& c) { c.history[2].times = 0; });
  lie<C>(sound, root + "changed", "0 to 2", [](auto& c) { c.changed = 3; });
  lie<C>(sound, history + "/1/arm", "0 to 1, not 2", [](auto& c) { c.history[1].arm = 2; });
  lie<C>(sound, root + "arms", "2 to 16", [](auto& c) { c.arms = 17; });
  lie<C>(sound, history, "must not be empty", [](auto& c) { c.history.clear(); });
  lie<C>(sound, "/numbers/event", "at least one arm", [](auto& c) { c.numbers.event.clear(); });
  lie<C>(sound, "/numbers/event/0", "0 to 15, not -1", [](auto& c) { c.numbers.event = {-1}; });
  lie<C>(sound, "/numbers/event/1", "arm 0 twice", [](auto& c) { c.numbers.event.assign(2, 0); });
  lie<C>(sound, "/numbers/delta", "between 0 and 1", [](auto& c) { c.numbers.delta = 0.0; });
  lie<C>(sound, "/numbers/delta", "at most 0.5", [](auto& c) { c.numbers.delta = 0.75; });
}

TEST(LiesOfCertificates, AboutNoisyMaximaAndDistributionsAreRefusedByTheirField) {
  using C = NoisyMaxCounterexample;
  using L = DistributionMismatch;
  const auto sound = testing::noisy_max_certificate();
  const std::string root = "/counterexample/";
  lie<C>(sound, root + "neighbour_value", "within the sensitivity 1 of the value 0",
         [](auto& c) { c.neighbour_value = std::nextafter(-1.0, -2.0); });
  lie<C>(sound, root + "values", "2 to 16 numbers, not 1", [](auto& c) { c.values.pop_back(); });
  lie<C>(sound, root + "deviations", "2 numbers", [](auto& c) { c.deviations.pop_back(); });
  lie<C>(sound, root + "deviations/1", "from 1e-09 to 1e+09, not 0",
         [](auto& c) { c.deviations[1] = 0.0; });
  lie<C>(sound, root + "sensitivities/0", "from 0 to", [](auto& c) { c.sensitivities[0] = -1.0; });
  lie<C>(sound, root + "values/1", "from -1e+09", [](auto& c) { c.values[1] = HUGE_VAL; });
  lie<C>(sound, root + "changed", "0 to 1", [](auto& c) { c.changed = 2; });
  lie<C>(sound, "/counterexample", "at most 1000", [](auto& c) { c.sensitivities[1] = 1e9; });
  const auto distribution = testing::distribution_certificate();
  lie<L>(distribution, "/numbers/probability", "states 0.5", [](auto& c) { c.probability = 0.5; });
  lie<L>(distribution, "/numbers/printed_probability", "states 0.5",
         [](auto& c) { c.printed_probability = 0.5; });
}

TEST(LiesOfCertificates, AboutExpertsAreRefusedByTheirField) {
  using E = EpochCounterexample;
  using R = RegretCounterexample;
  using I = IntegralMismatch;
  using G = GrowthCounterexample;
  const std::string root = "/counterexample/";
  const auto epoch = testing::epoch_certificate();
  lie<E>(epoch, "/numbers/p", kStated, [](auto& c) { c.p *= 1.0 + 3e-9; });
  lie<E>(epoch, "/numbers/q", kStated, [](auto& c) { c.q *= 1.0 + 3e-9; });
  lie<E>(epoch, "/numbers/loss", kStated, [](auto& c) { c.loss += 1e-8; });
  lie<E>(epoch, root + "after", "must have 2 losses", [](auto& c) { c.after.pop_back(); });
  lie<E>(epoch, root + "before/1", "from 0 to 1, not 1.5", [](auto& c) { c.before[1] = 1.5; });
  lie<E>(epoch, root + "action", "0 to 1, not 2", [](auto& c) { c.action = 2; });
  lie<E>(epoch, root + "epsilon", "from 0.001 to 100", [](auto& c) { c.epsilon = 0.0; });
  lie_about(epoch, "ftnl-conjecture", root + "kind", "must be growth");
  const auto regret = testing::regret_certificate();
  lie<R>(regret, "/numbers/regret", kStated, [](auto& c) { c.regret += 1e-6; });
  lie<R>(regret, "/numbers/bound", kStated, [](auto& c) { c.bound -= 1e-6; });
  lie<R>(regret, root + "gaps/1/times", "must be a whole number",
         [](auto& c) { c.gaps[1].times = 2.5; });
  lie<R>(regret, root + "epochs", "1 to 60, not 61", [](auto& c) { c.epochs = 61; });
  const auto integral = testing::integral_certificate();
  lie<I>(integral, "/numbers/integral", "states 1", [](auto& c) { c.integral = 1.0; });
  lie<I>(integral, root + "levels/0", "must be 0", [](auto& c) { c.levels[0] = 0.5; });
  lie<I>(integral, root + "levels/1", "must be positive", [](auto& c) { c.levels[1] = 0.0; });
  const auto growth = testing::growth_certificate();
  lie<G>(growth, "/numbers/rate_above", kStated, [](auto& c) { c.rate_above *= 2.0; });
  lie<G>(growth, root + "gap", "must be above epsilon", [](auto& c) { c.gap = c.epsilon; });
}

TEST(LiesOfCertificates, AboutBestArmIdentificationAreRefusedByTheirField) {
  using G = GaussianCounterexample;
  using M = MomentsCounterexample;
  using L = LaterBasisCounterexample;
  using V = MeasureCounterexample;
  using B = BudgetCounterexample;
  const auto gaussian = testing::gaussian_certificate();
  lie<G>(gaussian, "/numbers/p", [](auto& c) { c.p *= 1.001; });
  lie<G>(gaussian, "/numbers/q", [](auto& c) { c.q = 0.0; });
  lie<G>(gaussian, "/numbers/true_delta", [](auto& c) { c.true_delta += 1e-4; });
  lie<G>(gaussian, "/numbers/p", [](auto& c) { c.epsilon = 5.0; });
  lie<G>(gaussian, "/counterexample/others", [](auto& c) { c.others = 7.5; });
  const auto moments = testing::moments_certificate();
  lie<M>(moments, "/numbers/loss", [](auto& c) { c.loss *= 1.01; });
  lie<M>(moments, "/counterexample/second", [](auto& c) { c.second = 0.4; });
  lie<M>(moments, "/numbers/p", [](auto& c) { c.pulls = 11; });
  const auto later_basis = testing::later_basis_certificate();
  lie<L>(later_basis, "/numbers/norm", [](auto& c) { c.norm = 1.4; });
  lie<L>(later_basis, "/counterexample/x1", [](auto& c) { c.y2 = 0.5; });  // the same arm
  lie<V>(testing::measure_certificate(), "/numbers/bound", [](auto& c) { c.bound = 0.2; });
  const auto budget = testing::budget_certificate();
  lie<B>(budget, "/numbers/spent", [](auto& c) { c.spent = 460; });
  lie<B>(budget, "/counterexample/arms", [](auto& c) { c.arms = 16; });
  lie<B>(budget, "/counterexample/budget", [](auto& c) { c.budget = 72; });  // leaves no share
}

TEST(LiesOfCertificates, AboutDuelingBanditsAreRefusedByTheirField) {
  using B = BordaCounterexample;
  using G = ScoreGapCounterexample;
  using H = PhaseCounterexample;
  using P = PullsCounterexample;
  using R = DuelRegretCounterexample;
  using C = ConfidenceCounterexample;
  const auto borda = testing::borda_certificate();
  lie<B>(borda, "/numbers/lead", [](auto& c) { c.lead *= 1.001; });
  lie<B>(borda, "/numbers/gap", [](auto& c) { c.gap = 0.3; });
  lie<B>(borda, "/numbers/lead", [](auto& c) { c.scores[2] = 0.1; });
  lie<B>(borda, "/counterexample/scores", [](auto& c) { c.scores[2] = -1.0; });  // a tie
  lie<B>(borda, "/counterexample/arm", [](auto& c) { c.arm = 0; });              // the best
  lie<B>(borda, "/counterexample/arm", [](auto& c) { c.arm = 4; });
  lie<G>(testing::score_gap_certificate(), "/numbers/doubled", [](auto& c) { c.doubled = 0.4; });
  const auto phase = testing::phase_certificate();
  lie<H>(phase, "/numbers/bias", [](auto& c) { c.bias = -1e-3; });
  lie<H>(phase, "/counterexample/plays", [](auto& c) { c.plays = 20; });  // not the first
  lie<H>(phase, "/counterexample/plays", [](auto& c) { c.plays = 22; });  // too long
  const auto pulls = testing::pulls_certificate();
  lie<P>(pulls, "/numbers/bound", [](auto& c) { c.bound -= 1e3; });
  lie<P>(pulls, "/numbers/radii", [](auto& c) { c.radii *= 2.0; });
  lie<P>(pulls, "/counterexample/horizon", [](auto& c) { c.horizon /= 2; });  // leaves no room
  const auto regret = testing::duel_regret_certificate();
  lie<R>(regret, "/numbers/regret", [](auto& c) { c.regret *= 1.5; });
  lie<R>(regret, "/counterexample/horizon", [](auto& c) { c.horizon = 1 << 28; });
  const auto confidence = testing::confidence_certificate();
  lie<C>(confidence, "/numbers/error", [](auto& c) { c.error = 0.99; });
  lie<C>(confidence, "/numbers/initial", [](auto& c) { c.initial = 0.0; });
  lie<C>(confidence, "/numbers/duels", [](auto& c) { c.duels -= c.initial; });
  lie<C>(confidence, "/counterexample/gap", [](auto& c) { c.gap = 5e-8; });  // one item in the net
  lie<C>(confidence, "/counterexample/horizon", [](auto& c) { c.horizon = 1 << 22; });
}

TEST(LiesOfCertificates, AboutStatementsAsPrintedAreRefusedByTheirField) {
  using E = EmptyCounterCounterexample;
  using R = RemovalCounterexample;
  using C = CoverageCounterexample;
  using O = OneCountCounterexample;
  using S = SampledDuelCounterexample;
  const auto empty = testing::empty_counter_certificate();
  lie<E>(empty, "/numbers/radius", [](auto& c) { c.delta = 0.25; });
  lie<E>(empty, "/numbers/p", [](auto& c) { c.p *= 1.001; });
  lie<E>(empty, "/counterexample/horizon", "whole number 4 to", [](auto& c) { c.horizon = 3; });
  const auto removal = testing::removal_certificate();
  lie<R>(removal, "/numbers/failure", [](auto& c) { c.failure *= 0.5; });
  lie<R>(removal, "/numbers/least", [](auto& c) { c.least += 1.0; });
  lie<R>(removal, "/numbers/low", [](auto& c) { c.low += 0.01; });
  lie<R>(removal, "/counterexample/reach", "is too large", [](auto& c) { c.reach = 400.0; });
  lie<R>(removal, "/counterexample/horizon", "may end before",
         [](auto& c) { c.preference = 0.51; });
  const auto coverage = testing::coverage_certificate();
  lie<C>(coverage, "/numbers/radius", [](auto& c) { c.horizon = 4; });
  lie<C>(coverage, "/numbers/missed", [](auto& c) { c.preference = 0.9; });
  const auto one = testing::one_count_certificate();
  lie<O>(one, "/numbers/least", [](auto& c) { c.least = 0.9; });
  lie<O>(one, "/numbers/most", [](auto& c) { c.epsilon = 0.5; });
  const auto sampled = testing::sampled_duel_certificate();
  lie<S>(sampled, "/numbers/delta", [](auto& c) { c.delta = 0.01; });
  lie<S>(sampled, "/numbers/regret", [](auto& c) { c.regret = 400.0; });
  lie<S>(sampled, "/numbers/pulls", [](auto& c) { c.pulls = 5.0; });
  lie<S>(sampled, "/numbers/bound", [](auto& c) { c.epsilon = 0.2; });
  lie<S>(sampled, "/counterexample/duels", "below the horizon", [](auto& c) { c.duels = 1000; });
  lie<S>(sampled, "/counterexample/horizon", "20/epsilon", [](auto& c) { c.epsilon = 0.01; });
  using V = VotesCounterexample;
  using F = FirstRoundCounterexample;
  using D = OneDimensionCounterexample;
  using L = LeftOutCounterexample;
  lie<V>(testing::votes_certificate(), "/numbers/regret", [](auto& c) { c.regret *= 0.99; });
  lie<V>(testing::votes_certificate(), "/numbers/bound", [](auto& c) { c.constant = 0.2; });
  lie<F>(testing::first_round_certificate(), "/numbers/regret", [](auto& c) { c.actions = 3; });
  lie<F>(testing::first_round_certificate(), "/numbers/bound", [](auto& c) { c.bound = 0.01; });
  lie<D>(testing::one_dimension_certificate(), "/numbers/error", [](auto& c) { c.budget = 9; });
  const auto left_out = testing::left_out_certificate();
  lie<L>(left_out, "/numbers/left", [](auto& c) { c.left = 1.0; });
  lie<L>(left_out, "/numbers/right", [](auto& c) { c.factor = 2.0; });
  lie<L>(left_out, "/counterexample/sparsity", "above the support",
         [](auto& c) { c.sparsity = 1; });
  lie<L>(left_out, "/counterexample/kept", "below the support", [](auto& c) { c.kept = 1; });
}

TEST(LiesOfCertificates, AboutSparseBanditsAreRefusedByTheirField) {
  using G = GradientCounterexample;
  using C = ClippingCounterexample;
  using P = PeelingCounterexample;
  using L = LowerCounterexample;
  const auto gradient = testing::gradient_certificate();
  lie<G>(gradient, "/numbers/distance", [](auto& c) { c.distance = 9.0; });
  lie<G>(gradient, "/numbers/allowed", [](auto& c) { c.allowed = 1.9; });
  lie<G>(gradient, "/numbers/distance", [](auto& c) { c.loss = SquaredLoss::kHalf; });
  lie<G>(gradient, "/numbers/distance", [](auto& c) { c.records = 2; });
  lie<G>(gradient, "/numbers/allowed", [](auto& c) { c.records = 8, c.sigma = c.distance = 1; });
  lie<G>(gradient, "/counterexample/context", [](auto& c) { c.context[0] = 1.5; });
  lie<G>(gradient, "/counterexample/other_context", [](auto& c) { c.other_context.pop_back(); });
  lie<G>(gradient, "/counterexample/estimate", [](auto& c) { c.estimate[1] = 0.5; });
  lie<G>(gradient, "/counterexample/reward", [](auto& c) { c.reward = -1.01; });
  lie<G>(gradient, "/counterexample/other_reward", [](auto& c) { c.other_reward = 2.0; });
  const auto clipping = testing::clipping_certificate();
  lie<C>(clipping, "/numbers/acts", [](auto& c) { c.acts = 0.2; });
  lie<C>(clipping, "/numbers/acts", [](auto& c) { c.records = 128; });
  lie<C>(clipping, "/counterexample/records", [](auto& c) { c.records = 65; });  // no episode
  lie<C>(clipping, "/numbers/allowed", [](auto& c) { c.allowed = 0.01; });
  const auto peeling = testing::peeling_certificate();
  lie<P>(peeling, "/numbers/p", [](auto& c) { c.p *= 1.001; });
  lie<P>(peeling, "/numbers/q", [](auto& c) { c.q *= 0.999; });
  lie<P>(peeling, "/numbers/true_delta", [](auto& c) { c.true_delta *= 1.001; });
  lie<P>(peeling, "/numbers/q", [](auto& c) { c.epsilon = 100.0; });
  lie<P>(peeling, "/counterexample/least", [](auto& c) { c.least = 1001; });  // more than all
  const auto lower = testing::lower_certificate();
  lie<L>(lower, "/numbers/bound", [](auto& c) { c.bound = 1e6; });
  lie<L>(lower, "/numbers/most", [](auto& c) { c.most = 200.0; });
  lie<L>(lower, "/counterexample/sparsity", [](auto& c) { c.sparsity = 101; });
}

TEST(LiesOfCertificates, AboutJointPrivacyAreRefusedByTheirField) {
  using G = GreedySignCounterexample;
  using N = NormalizedContextsCounterexample;
  using X = ExperimentsCounterexample;
  const auto sign = testing::greedy_sign_certificate();
  lie<G>(sign, "/numbers/p", [](auto& c) { c.p += 1e-3; });
  lie<G>(sign, "/numbers/q", [](auto& c) { c.q *= 0.9; });
  lie<G>(sign, "/numbers/true_delta", [](auto& c) { c.true_delta += 1e-3; });
  lie<G>(sign, "/numbers/p", [](auto& c) { c.x_max = 20; });
  lie<G>(sign, "/numbers/p", [](auto& c) { c.iterations = 2; });
  lie<G>(sign, "/counterexample/delta", [](auto& c) { c.delta = 0.6; });
  const auto normal = testing::normalized_contexts_certificate();
  lie_about(normal, "fliphat-jdp", "/counterexample/kind");
  lie<N>(normal, "/numbers/shift", [](auto& c) { c.shift *= 1.001; });
  lie<N>(normal, "/numbers/shift", [](auto& c) { c.sigma = 2.0; });
  lie<N>(normal, "/numbers/p", [](auto& c) { c.lead = 4; });
  lie<N>(normal, "/numbers/p", [](auto& c) { c.group = 11; });
  lie<N>(normal, "/numbers/q", [](auto& c) { c.q = 0.0; });
  lie<N>(normal, "/counterexample/epsilon", [](auto& c) { c.epsilon = 0.51; });
  lie<N>(normal, "/counterexample/delta", [](auto& c) { c.delta = 0.012; });
  lie<N>(normal, "/counterexample/sparsity", [](auto& c) { c.sparsity = 9; });
  lie<N>(normal, "/counterexample/sparsity", [](auto& c) { c.sparsity = 21; });
  lie<N>(normal, "/counterexample/records", [](auto& c) { c.records = 20; });
  lie<N>(normal, "/counterexample/group", [](auto& c) { c.records = 8; });
  const auto experiments = testing::experiments_certificate();
  lie<X>(experiments, "/numbers/shift", [](auto& c) { c.b_max = 2.5; });
  lie<X>(experiments, "/numbers/shift", [](auto& c) { c.epsilon = 1; });
  lie<X>(experiments, "/counterexample/b_max", [](auto& c) { c.b_max = 1; });
  lie<X>(experiments, "/counterexample/records", [](auto& c) { c.records = 128; });
  lie<X>(experiments, "/counterexample/records", [](auto& c) { c.records = 16'384; });
  lie<X>(experiments, "/numbers/p", [](auto& c) { c.lead = 3; });
}

}  // namespace
}  // namespace assay
