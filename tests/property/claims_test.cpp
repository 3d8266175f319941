// The claims themselves as properties: RapidCheck draws from the spaces that `assay verify` searches.
// It has to convict the false ones too, and shrink what it found.
#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/best_arm/claims/searches.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/auditors/sparse/claims/joint_dp.hpp"
#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

namespace bai = best_arm_checks;
namespace duels = dueling_checks;
namespace experts = expert_checks;
namespace sparse = sparse_checks;
namespace thompson = thompson_sampling_checks;

// With the shrinking of the search.
rc::Gen<Point> points_of(std::vector<Parameter> space) {
  return rc::Gen<Point>([space](const rc::Random& random, int) {
    rc::Random words = random;
    ReplayStream stream({words.next(), hash_purpose("tests/rapidcheck"), 0, 0, Phase::kSearch});
    return rc::shrinkable::shrinkRecur(generate_point(space, stream), [space](const Point& point) {
      return rc::seq::fromContainer(simpler_points(space, point));
    });
  });
}

void expect_no_violation(const SearchedClaim& claim) {
  const Point point = *points_of(claim.space);
  const double margin = claim.margin(point);
  RC_PRE(!std::isnan(margin));
  RC_ASSERT(margin <= claim.tolerance);
}

// Whether RapidCheck finds a counterexample in so many draws.
bool convicted(const SearchedClaim& claim, int draws) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = draws;
  const auto result = rc::detail::checkProperty(
      rc::detail::toProperty([&] { expect_no_violation(claim); }), {}, params);
  rc::detail::FailureResult failure;
  return result.match(failure);
}

using NamedClaims = std::vector<std::pair<const char*, SearchedClaim>>;

void expect_each_to_hold(const NamedClaims& claims) {
  for (const auto& [sentence, claim] : claims) {
    EXPECT_TRUE(rc::check(sentence, [&claim = claim] { expect_no_violation(claim); })) << sentence;
  }
}

TEST(ClaimsByRapidCheck, TrueOnesAboutThompsonSamplingHold) {
  expect_each_to_hold(
      {{"one round is Gaussian private", thompson::step_gdp_search()},
       {"means move by their sensitivity", thompson::sensitivity_search()},
       {"Gaussian privacy is dual to its profile", thompson::duality_search()},
       {"Gaussian privacy composes by the root of squares", thompson::composition_search()},
       {"proved levels do not exceed published ones", thompson::published_level_search(false)},
       {"nor those of the modified policy", thompson::published_level_search(true)},
       {"Lemma 6", thompson::lemma_6_search()}});
}

TEST(ClaimsByRapidCheck, TrueOnesAboutBestArmIdentificationHold) {
  expect_each_to_hold(
      {{"releases with Laplace noise are as private as stated", bai::laplace_privacy_search()},
       {"moments are so under the L1 norm", bai::moments_search(bai::NormReading::kL1)},
       {"two relations of tables have the same level", bai::table_equivalence_search()},
       {"stopped policies agree and keep their level", bai::early_stopping_search()},
       {"coordinates lie in the unit interval", bai::max_det_search()},
       {"hardness is the same by another computation", bai::hardness_search()}});
}

TEST(ClaimsByRapidCheck, TrueOnesAboutDuelingBanditsHold) {
  expect_each_to_hold(
      {{"Borda scores spread as stated", duels::borda_spread_search()},
       {"Borda leads, doubled", duels::borda_lead_doubled_search()},
       {"preferences are transitive", duels::transitivity_search()},
       {"elimination is private", duels::elimination_privacy_search()},
       {"its first rounds are, if losses feed zeros", duels::listed_elimination_search(true)},
       {"the tree is private", duels::tree_privacy_search()},
       {"the tree is accurate", duels::tree_accuracy_search()},
       {"designs are private by the listing", duels::design_privacy_search(CountNoise::kListing)},
       {"designs are private by the proof", duels::design_privacy_search(CountNoise::kProof)},
       {"estimates of fixed sets are unbiased", duels::unbiased_set_search()},
       {"group privacy bounds plays", duels::duel_lower_search()},
       {"designs are optimal", duels::kiefer_wolfowitz_search()},
       {"phases are as long as stated", duels::phase_length_search()},
       {"slopes are at least the listing's kappa", duels::slope_search(Kappa::kListing)},
       {"slopes are at least the theorem's kappa", duels::slope_search(Kappa::kTheorem)}});
}

TEST(ClaimsByRapidCheck, TrueOnesAboutExpertsHold) {
  expect_each_to_hold(
      {{"Laplace noise is private", experts::privacy_search(LeaderNoise::kLaplace)},
       {"Gumbel noise is private", experts::privacy_search(LeaderNoise::kGumbel)},
       {"better actions are chosen more often", experts::monotone_search()},
       {"Lemma 5", experts::tail_search(LeaderNoise::kExponential)},
       {"its regret", experts::regret_search(16.0)},
       {"its regret without gaps", experts::instance_free_regret_search()},
       {"exponential noise loses no more than Gumbel noise", experts::exponential_regret_search()},
       {"the regret of deterministic losses", experts::deterministic_regret_search(4.0 * 2.442695)},
       {"Lemma 2", experts::lemma_2_search()},
       {"Lemma 3", experts::lemma_3_search()},
       {"the averaged lower bound", experts::lower_bound_search()}});
}

TEST(ClaimsByRapidCheck, TrueOnesAboutSparseBanditsHold) {
  expect_each_to_hold({{"projections move no points apart", sparse::projection_search()},
                       {"what peeling leaves out is small", sparse::peeling_contracts_search()},
                       {"Laplace tails are as stated", sparse::laplace_tails_search()},
                       {"values of peelings stay below delta in the range that is proved",
                        sparse::peeling_range_search()}});
}

// What the true sensitivity, 2 c x_max (R + x_max C) eta/n, would bound.
RC_GTEST_PROP(SparseClaims, NoRecordMovesTheVectorByMoreThanTheCorrectedSensitivity, ()) {
  const auto claim = sparse::sensitivity_search();
  const Point point = *points_of(claim.space);
  RC_PRE(!std::isnan(claim.margin(point)));
  const auto found = sparse::gradient_at(point);
  NihtPlan plan{.step = found.step, .projection = found.b_max, .loss = found.loss};
  NihtBounds bounds{
      .records = found.records,
      .context = found.x_max,
      .reward = found.x_max * found.b_max +
                found.sigma * std::sqrt(2.0 * std::log(static_cast<double>(found.records)))};
  RC_ASSERT(found.distance <= niht_sensitivity(plan, bounds, 1) * (1.0 + 1e-12));
}

TEST(ClaimsByRapidCheck, FalseOnesAreConvicted) {
  const NamedClaims claims = {
      {"noisy max", thompson::noisy_max_search()},
      {"one round, as stated", thompson::step_dp_search()},
      {"variance, as printed", thompson::printed_variance_search()},
      {"Gaussian noise, release", bai::gaussian_search(BestArmView::kRelease)},
      {"Gaussian noise, transcript", bai::gaussian_search(BestArmView::kTranscript)},
      {"moments, L2", bai::moments_search(bai::NormReading::kL2)},
      {"moments, first by L1", bai::moments_search(bai::NormReading::kFirstL1)},
      {"recommendation", bai::recommendation_search()},
      {"later basis", bai::later_basis_search()},
      {"change of measure", bai::change_of_measure_search()},
      {"budget", bai::budget_search()},
      {"Borda leads", duels::borda_lead_search()},
      {"estimates of a phase", duels::unbiased_phase_search()},
      {"pulls of duels", duels::pulls_search()},
      {"gaps of scores", duels::score_gap_search()},
      {"regret of duels", duels::duel_regret_search()},
      {"confidence of scores", duels::score_confidence_search()},
      {"elimination, as listed", duels::listed_elimination_search(false)},
      {"removed duels, as listed", duels::removal_search()},
      {"coverage, as printed", duels::coverage_search()},
      {"a count of one", duels::one_count_search()},
      {"few plays", duels::sampled_duel_search()},
      {"one dimension", bai::one_dimension_search()},
      {"the first round", experts::first_round_search()},
      {"votes", experts::votes_search()},
      {"the conjecture", experts::growth_search(LeaderNoise::kExponential)},
      {"small supports", sparse::left_out_search()},
      {"exponential noise", experts::privacy_search(LeaderNoise::kExponential)},
      {"integral, as printed", experts::printed_integral_search()},
      {"deterministic regret", experts::deterministic_regret_search(2.0 * 2.442695)},
      {"sensitivity", sparse::sensitivity_search()},
      {"clipping", sparse::clipping_search()},
      {"peeling", sparse::peeling_search()},
      {"lower bound", sparse::lower_search()},
      {"joint privacy", sparse::greedy_sign_search(Calibration::kPaper)},
      {"joint privacy, unit contexts", sparse::normalized_contexts_search(Calibration::kPaper)},
      {"joint privacy, experiments", sparse::experiments_search(Calibration::kPaper)}};
  for (const auto& [name, claim] : claims) EXPECT_TRUE(convicted(claim, 3000)) << name;
}

TEST(ClaimsByRapidCheck, TrueOnesAreNotConvicted) {
  EXPECT_FALSE(convicted(thompson::step_gdp_search(), 3000));
  EXPECT_FALSE(convicted(thompson::lemma_9_search(false), 3000));
}

// ---- the spaces ---------------------------------------------------------------------------------

std::vector<Parameter> any_space() {
  return {{"whole", 1, 50, ParameterScale::kLinear, true},
          {"count", 1, 1e6, ParameterScale::kLog, true},
          {"share", 0.0, 1.0},
          {"signed", -3.0, 2.0},
          {"delta", 1e-9, 0.5, ParameterScale::kLog}};
}

void assert_inside(const std::vector<Parameter>& space, const Point& point) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    RC_ASSERT(point[i] >= space[i].low);
    RC_ASSERT(point[i] <= space[i].high);
    if (space[i].whole) RC_ASSERT(point[i] == std::floor(point[i]));
  }
}

RC_GTEST_PROP(ParameterSpace, PointsAndSimplerOnesLieInsideAndChainsOfThemEnd, ()) {
  const auto space = any_space();
  Point point = *points_of(space);
  assert_inside(space, point);
  int steps = 0;
  for (auto next = simpler_points(space, point); !next.empty();
       next = simpler_points(space, point)) {
    point = next[*rc::gen::inRange<std::size_t>(0, next.size())];
    assert_inside(space, point);
    RC_ASSERT(++steps < 200);
  }
}

RC_GTEST_PROP(ParameterSpace, PositionsAndValuesAreInverse, ()) {
  for (Parameter p : any_space()) {
    p.whole = false;
    const double at = *rc::gen::inRange(0, 1001) / 1000.0;
    RC_ASSERT(std::abs(position_of(p, value_at(p, at)) - at) < 1e-12);
  }
}

}  // namespace
}  // namespace assay
