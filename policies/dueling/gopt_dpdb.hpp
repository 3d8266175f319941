// GOptimal-DPDB works in phases. Each phase takes duels by a G-optimal design of score differences, adds
// noise to the wins of each pair, and keeps the items that may still have the best score.
//
// Symbols: K items x in the unit ball of R^d, score <w, x>; D_l the items of phase l, xi = 2^-l; z
// = x - y for the pairs of D_l, x before y; pi_l a G-optimal design of them (linear_algebra.hpp)
// with its certificate max |z|^2_{V^-1}/r - 1, r the rank of the differences.
//   each phase: t_0 pairs from pi_1, whose outcomes nothing reads; then each pair of pi_l in turn,
//   ascending, ceil(N_l pi_l(z)) times, with N_l = ceil(phase_scale times                       (1)
//   (16 d^5 log(d T/delta)/(kappa eps xi) + 64 d log(T/delta)/(kappa xi)^2))
//   o(z) = wins of z's first item + Laplace(s), s = 1/eps (listing) or log(T)/eps (proof)       (2)
//   w_l solves the noisy score equation of these pairs in the unit ball (score_equation.hpp)    (3)
//   D_{l+1} = the x of D_l with max_y <w_l, y> - <w_l, x> < 2 xi                                (4)
// The last remaining item duels itself. A phase that T cuts short releases nothing.
//
// Readings. kappa is sigma'(4) in the listing, sigma'(2) in Theorem 3. The t_0 draws are only on the
// right of the paper's equation; here they are on neither side. Their number has constants that the
// paper does not give, so it is a parameter. phase_scale is our addition: at 1 the first phase takes
// 1.6e6 rounds for d = 2, T = 1e6. If all remaining items coincide, the first one duels itself.
//
// Privacy. Relation: replace the outcomes of one round. View: the actions, a post-processing of (2).
// A bit is in one count of one phase and moves it by 1. With noise in real numbers the policy is therefore
// 1/s-DP: eps for the listing, eps/log(T) for the proof. So the listing's Laplace(1/eps) is enough.
//
// Reference: Saha, Asi, "DP-Dueling", Algorithm 2, Theorem 3.
// Threads: a value; copies share the plans of the phases that any of them has reached, under a lock.
// The same bits on every machine.
// Cost: 10 ns a round, and a design once for each phase: 0.5 s for 5,000 differences in d = 10.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/duels.hpp"
#include "assay/policies/dueling/score_equation.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {

inline constexpr std::int64_t kMostDesignedItems = 128;
inline constexpr double kGOptimalGap = 1e-6;  // the gap that a design must reach

enum class Kappa { kListing, kTheorem };
constexpr std::array<std::pair<Kappa, std::string_view>, 2> enum_names(Kappa) {
  return {{{Kappa::kListing, "listing"}, {Kappa::kTheorem, "theorem"}}};
}
enum class CountNoise { kListing, kProof };
constexpr std::array<std::pair<CountNoise, std::string_view>, 2> enum_names(CountNoise) {
  return {{{CountNoise::kListing, "listing"}, {CountNoise::kProof, "proof"}}};
}

struct GOptDpdbConfig {
  std::int64_t arms = 2;
  std::int64_t dimension = 2;
  std::int64_t horizon = 100'000;
  double epsilon = 1.0;
  double delta = 0.0;
  std::int64_t initial_draws = 0;
  double phase_scale = 1.0;
  Kappa kappa = Kappa::kTheorem;
  CountNoise noise = CountNoise::kListing;
  FeatureKind features = FeatureKind::kSphere;
  std::int64_t feature_seed = 1;

  static void fields(auto&& visit) {
    using C = GOptDpdbConfig;
    visit(field("arms", &C::arms, Range{2, kMostDesignedItems}, "K", "number of items"));
    visit(field("dimension", &C::dimension, Range{1, 16}, "d", "features of an item"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{0, 0.5}, "delta",
                "probability that some estimate fails; 0 for 1/T"));
    visit(field("initial_draws", &C::initial_draws, Range{0, 1e9}, "t_0",
                "draws from the first design before each phase"));
    visit(field("phase_scale", &C::phase_scale, Range{1e-12, 1}, "",
                "multiplier of the paper's phase lengths"));
    visit(field("kappa", &C::kappa, Range{}, "", "least slope of the link, by either definition"));
    visit(field("noise", &C::noise, Range{}, "",
                "noise of the wins: Laplace(1/eps) or Laplace(log(T)/eps)"));
    visit(field("features", &C::features, Range{}, "", "how the items' features are made"));
    visit(field("feature_seed", &C::feature_seed, Range{0, 9e15}, "", "seed of drawn features"));
  }
  Status check() const;  // the proof's noise needs T >= 3; for smaller T it is below the listing's
};

// The duels of a phase; a function of its items alone.
struct DuelPlan {
  std::vector<int> items;           // D_l, ascending
  std::vector<Duel> pairs;          // the support of pi_l, first before second, ascending
  std::vector<double> weights;      // pi_l of them
  std::vector<std::int64_t> pulls;  // of each, by (1)
  double gap = 0.0;                 // the certificate
  std::int64_t rank = 0;            // r
  ArmFeatures differences;          // of the pairs, in coordinates of their span
  ArmFeatures positions;            // of the items, from the first, in the same coordinates
};

// The release of a completed phase, and the scores made from it.
struct DuelRelease {
  std::int64_t phase = 0;
  std::shared_ptr<const DuelPlan> plan;
  std::vector<double> noisy_wins;  // (2), pair by pair: the release
  ScoreSolution scores;            // (3)
};

namespace detail {
class DuelPlans;  // by phase and items
}

class GOptDpdb : public DuelingPolicy<GOptDpdbConfig> {
 public:
  // Further errors: an item outside the unit ball, which the message names by its number.
  static Result<GOptDpdb> create(const Config& config);
  static Result<GOptDpdb> create(const Config& config, const ArmFeatures& features);

  // The duel of the next round; observe() must follow. Only an initial pair draws random numbers.
  Duel choose(ReplayStream& random);
  // Takes whether its first item won. The last round of a phase draws a noise for each pair, in order.
  void observe(bool won, ReplayStream& random);

  Guarantee guarantee() const;
  const ArmFeatures& features() const { return *features_; }

  double noise_scale() const { return noise_scale_; }  // s
  double spent_epsilon() const;                        // 1/s, rounded up

  std::int64_t round() const { return round_; }  // rounds completed
  std::int64_t phase() const { return phase_; }  // the current one, from 1
  std::span<const int> active() const { return active_; }
  const std::shared_ptr<const DuelPlan>& plan() const { return plan_; }  // none with one item left
  const DuelRelease& last_release() const { return release_; }

 private:
  GOptDpdb(const Config& config, std::shared_ptr<const ArmFeatures> features);

  void start_phase();
  void finish_phase(ReplayStream& random);

  std::shared_ptr<const ArmFeatures> features_;
  std::shared_ptr<detail::DuelPlans> plans_;
  std::shared_ptr<const DuelPlan> first_plan_;
  std::shared_ptr<const DuelPlan> plan_;
  std::vector<int> active_;
  std::vector<std::int64_t> wins_;  // of the phase, pair by pair
  double noise_scale_;
  std::size_t slot_ = 0;  // index of the next pair
  std::int64_t pulls_left_ = 0;
  std::int64_t draws_left_ = 0;
  std::int64_t round_ = 0;
  std::int64_t phase_ = 1;
  DuelRelease release_;
};

static_assert(Policy<GOptDpdb>);

// N_l of (1), at most 1e15.
std::int64_t gopt_phase_length(const GOptDpdbConfig& config, std::int64_t phase);
// The value of kappa: sigma'(4) or sigma'(2).
double kappa_value(Kappa kappa);
// The value of t_0 by Theorem 3, 16 d (d^2 + log(T/delta))/kappa^4, without its first term, whose
// constants the paper does not give.
double stated_initial_draws(const GOptDpdbConfig& config);

namespace detail {

// Precondition: at least two items differ. The pulls are for length N.
DuelPlan duel_plan(const ArmFeatures& features, std::span<const int> items, std::int64_t length);

}  // namespace detail
}  // namespace assay
