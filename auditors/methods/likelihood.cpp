#include "assay/auditors/methods/likelihood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "assay/auditors/statistics/profile.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::size_t kEpsilonGridPoints = 48;
constexpr std::size_t kHistogramBins = 60;

// The share of alpha of each statement; they sum to at most 1.
constexpr double kBandLowerShare = 0.10;
constexpr double kBandUpperShare = 0.20;
constexpr double kClaimUpperShare = 0.10;
constexpr double kEpsilonLowerShare = 0.10;
constexpr double kEpsilonUpperShare = 0.10;
constexpr double kMuAboveShare = 0.05;
constexpr double kMuShare = 0.10;
constexpr double kTradeOffShare = 0.03;

// How far rounding may move a loss, relative to 1 + eps. Otherwise a mechanism whose losses are
// eps exactly, as with Laplace noise, would exceed eps by an ulp, and no claim at delta = 0
// allows that.
constexpr double kLossRounding = 1e-9;

// The variable of (1) for one loss, rounded down: 0 if rounding alone may have made the excess.
double excess(double loss, double epsilon) {
  return loss > epsilon + kLossRounding * (1.0 + epsilon) ? -portable_expm1(epsilon - loss) : 0.0;
}
// The same, rounded up.
double excess_above(double loss, double epsilon) {
  const double rounding = kLossRounding * (1.0 + epsilon);
  if (loss > epsilon + rounding) return excess(loss, epsilon);
  return loss > epsilon - rounding ? rounding : 0.0;
}

std::vector<double> excesses(const std::vector<double>& losses, double epsilon,
                             double (*of)(double, double) = excess) {
  std::vector<double> values(losses.size());
  std::transform(losses.begin(), losses.end(), values.begin(),
                 [&](double loss) { return of(loss, epsilon); });
  return values;
}

std::vector<double> excesses(const std::vector<TiltedLoss>& losses, double epsilon) {
  std::vector<double> values(losses.size());
  std::transform(losses.begin(), losses.end(), values.begin(),
                 [&](const TiltedLoss& l) { return l.weight * excess(l.loss, epsilon); });
  return values;
}

struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

Moments moments(const std::vector<double>& values) {
  if (values.empty()) return {};
  const double n = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double v : values) sum += v;
  const double mean = sum / n;
  double squares = 0.0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, squares / n};
}

double quantile_of(std::vector<double> values, double level) {
  if (values.empty()) return 0.0;
  const auto rank = static_cast<std::ptrdiff_t>(level * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

// `count` points from low to high, both included.
std::vector<double> spaced(double low, double high, std::size_t count) {
  std::vector<double> points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return points;
}

// The claim's epsilon and delta, if it has them.
struct ClaimPoint {
  bool given = false;
  double epsilon = 0.0;
  double delta = 0.0;
};

ClaimPoint claim_point(const PrivacyLevel& claim) {
  const ClaimedQuantity claimed = claimed_quantity(claim);
  if (claimed.kind != QuantityKind::kDeltaAtEpsilon) return {};
  return {true, claimed.at, claimed.limit};
}

double augmented_delta(const LikelihoodPlan& plan, double epsilon) {
  const Mu mu = plan.augmented_mu.value;
  if (mu.value == std::numeric_limits<double>::infinity()) return 1.0;
  return std::min(1.0, gdp_delta(mu, Epsilon{epsilon}).value * (1.0 + kGdpRelativeError));
}

BettingPlan betting(double alpha, std::size_t horizon, const Moments& design) {
  return {alpha, static_cast<std::int64_t>(horizon), design.mean, design.variance};
}

// -------------------------------------------------------------------------------- design

struct ErrorPair {
  double type_one = 0.0;
  double type_two = 0.0;
  static auto byte_fields(auto& self) { return std::tie(self.type_one, self.type_two); }
};

// The smallest value at `a` of the chords between points whose type I error increases.
double chord_at(const std::vector<ErrorPair>& points, double a) {
  double best = 1.0 - a;  // always guessing
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const ErrorPair& left = points[k];
    const ErrorPair& right = points[k + 1];
    if (a < left.type_one || a > right.type_one || left.type_one == right.type_one) continue;
    const double share = (a - left.type_one) / (right.type_one - left.type_one);
    best = std::min(best, left.type_two + share * (right.type_two - left.type_two));
  }
  return best;
}

// A lower bound that certification would probably reach. It is a rough guess, used only to choose.
double expected_lower(const Moments& m, double samples) {
  constexpr double kDeviations = 4.5;  // near the normal quantile of one statement's alpha
  return m.mean - kDeviations * std::sqrt(m.variance / samples);
}

// Standard deviation of the mean of `samples` values over the mean; infinite if the mean is 0.
double relative_spread(const Moments& m, double samples) {
  return m.mean > 0.0 ? std::sqrt(m.variance / samples) / m.mean
                      : std::numeric_limits<double>::infinity();
}

double mu_through(double epsilon, double delta) {
  return gdp_mu(Epsilon{epsilon}, Delta{std::min(delta, 1.0)}).value;
}

// mu_through(epsilon, delta) > mu, without the inversion.
bool needs_more_than(double mu, double epsilon, double delta) {
  return gdp_delta(Mu{mu}, Epsilon{epsilon}).value < delta;
}

struct TiltSearch {
  double score = 0.0;
  TiltChoice choice;
};

void consider(TiltSearch& best, double score, const TiltChoice& choice) {
  if (score > best.score) best = {score, choice};
}

// The tilts that are worth their samples: one for mu, and one for each reported epsilon or delta if the
// plain transcripts are expected to do worse.
std::vector<TiltChoice> choose_tilts(const LikelihoodPlan& plan, const OrientedLosses& pilot,
                                     const std::vector<TiltPilot>& tilt_pilots, double samples,
                                     double tilted_samples) {
  const ClaimPoint claim = claim_point(plan.claim);
  const double delta = reported_delta(plan);
  TiltSearch mu;
  TiltSearch epsilon;
  TiltChoice at_claim;
  double least_spread = std::numeric_limits<double>::infinity();
  for (const auto& tilted : tilt_pilots) {
    std::vector<double> losses;
    for (const auto& l : tilted.losses) losses.push_back(l.loss);
    const double top = quantile_of(losses, 0.95);
    if (!(top > 0.0)) continue;
    for (const double e : spaced(0.0, top, 40)) {
      const double lower = expected_lower(moments(excesses(tilted.losses, e)), tilted_samples);
      if (!(lower > 0.0)) continue;
      TiltChoice choice{TiltAim::kMu, tilted.orientation, tilted.tilt, e};
      if (needs_more_than(mu.score, e, lower)) consider(mu, mu_through(e, lower), choice);
      choice.aim = TiltAim::kEpsilon;
      if (lower > delta) {
        choice.epsilon = top;
        consider(epsilon, e, choice);
      }
    }
    if (claim.given) {
      const double spread =
          relative_spread(moments(excesses(tilted.losses, claim.epsilon)), tilted_samples);
      if (spread < least_spread) {
        least_spread = spread;
        at_claim = {TiltAim::kDelta, tilted.orientation, tilted.tilt, claim.epsilon};
      }
    }
  }
  // The bounds that the plain transcripts would probably give for the same quantities.
  double plain_epsilon = 0.0;
  double plain_spread = std::numeric_limits<double>::infinity();
  for (const auto o : kOrientations) {
    const double top = quantile_of(pilot.of(o), 1.0);
    for (const double e : spaced(0.0, std::max(top, 1e-6), 40)) {
      if (expected_lower(moments(excesses(pilot.of(o), e)), samples) > delta) {
        plain_epsilon = std::max(plain_epsilon, e);
      }
    }
    plain_spread = std::min(
        plain_spread, relative_spread(moments(excesses(pilot.of(o), claim.epsilon)), samples));
  }
  std::vector<TiltChoice> choices;
  if (mu.score > 0.0) choices.push_back(mu.choice);
  if (epsilon.score > plain_epsilon) choices.push_back(epsilon.choice);
  // Compare spreads, not estimates: the largest of many noisy estimates would always look better.
  if (claim.given && least_spread < 0.7 * plain_spread) choices.push_back(at_claim);
  return choices;
}

}  // namespace

// ---------------------------------------------------------------------------------- sizes

void size_by_samples(LikelihoodPlan& plan, std::int64_t actions) {
  constexpr std::int64_t kFewestToChooseBy = 8;
  const double share = detail::one_action_work(actions) / detail::all_actions_work(actions);
  const auto n = static_cast<double>(plan.samples);
  const auto least = [](std::int64_t usual, double by_samples) {
    return static_cast<std::int64_t>(std::min(static_cast<double>(usual), by_samples));
  };
  plan.pilot = least(plan.pilot, 2.0 * n);
  plan.tilt_pilot = least(plan.tilt_pilot, 0.25 * share * n);
  if (plan.tilt_pilot < kFewestToChooseBy) plan.tilt_pilot = 0;
  plan.checked = least(plan.checked, std::ceil(0.25 * share * n));
  plan.least_tilted = least(plan.least_tilted, std::ceil(4.0 * share * n));
  plan.tilted_part = static_cast<std::int64_t>(static_cast<double>(plan.tilted_part) / share);
}

double likelihood_seconds(const LikelihoodPlan& plan, double plain, double tilted) {
  constexpr double kBounds = 1e-5;  // of all the bounds, per transcript on each input
  const auto n = static_cast<double>(plan.samples);
  const auto aims =
      static_cast<double>(3 * std::max(plan.least_tilted, plan.samples / plan.tilted_part));
  const auto pilots =
      static_cast<double>(2 * std::size(detail::kTilts)) * static_cast<double>(plan.tilt_pilot);
  return 2.0 * (static_cast<double>(plan.pilot) + n) * plain +
         (pilots + 2.0 * static_cast<double>(plan.checked) + aims) * tilted + kBounds * n;
}

double likelihood_work(const LikelihoodPlan& plan, std::int64_t actions, std::int64_t horizon) {
  const auto rounds = static_cast<double>(horizon);
  return likelihood_seconds(plan, rounds * detail::one_action_work(actions),
                            rounds * detail::all_actions_work(actions));
}

LikelihoodDesign design_certification(const LikelihoodPlan& plan, const OrientedLosses& pilot,
                                      const std::vector<TiltPilot>& tilt_pilots) {
  LikelihoodDesign design;
  const ClaimPoint claim = claim_point(plan.claim);
  const double samples = static_cast<double>(std::max<std::int64_t>(plan.samples, 1));
  design.tilted_samples = std::max(plan.least_tilted, plan.samples / plan.tilted_part);
  design.tilts =
      choose_tilts(plan, pilot, tilt_pilots, samples, static_cast<double>(design.tilted_samples));

  double top = 1e-3;
  for (const auto o : kOrientations) top = std::max(top, quantile_of(pilot.of(o), 1.0));
  for (const auto& choice : design.tilts) top = std::max(top, choice.epsilon);
  design.band_epsilons = spaced(0.0, 1.25 * top, static_cast<std::size_t>(plan.band_points));
  if (claim.given && claim.epsilon < 4.0 * top) design.band_epsilons.push_back(claim.epsilon);
  std::sort(design.band_epsilons.begin(), design.band_epsilons.end());
  design.band_epsilons.erase(std::unique(design.band_epsilons.begin(), design.band_epsilons.end()),
                             design.band_epsilons.end());
  design.epsilon_grid = spaced(0.0, 1.5 * top, kEpsilonGridPoints);

  for (const auto o : kOrientations) {
    double best = 0.0;
    for (const double e : design.band_epsilons) {
      const Moments m = moments(excesses(pilot.of(o), e));
      design.pilot_mean[index_of(o)].push_back(m.mean);
      design.pilot_variance[index_of(o)].push_back(m.variance);
      const double lower = expected_lower(m, samples);
      if (lower <= plan.delta0.value) continue;
      if (!needs_more_than(best, e, lower)) continue;
      best = mu_through(e, lower);
      design.mu_above_epsilon[index_of(o)] = e;
    }
  }

  for (const auto o : kOrientations) {
    const auto& losses = pilot.of(o);
    const auto other =
        std::count_if(losses.begin(), losses.end(), [](double x) { return x < 0.0; });
    const double share =
        static_cast<double>(other) / static_cast<double>(std::max<std::size_t>(losses.size(), 1));
    design.favoured = std::max(design.favoured, std::min(share, 0.5));
  }

  std::vector<double> pooled = pilot.forward;  // log P/Q, on both inputs
  for (const double loss : pilot.backward) pooled.push_back(-loss);
  std::sort(pooled.begin(), pooled.end());
  if (!pooled.empty()) {
    const auto tests = static_cast<std::size_t>(plan.trade_off_points);
    for (std::size_t i = 1; i <= tests; ++i) {
      design.trade_off_losses.push_back(pooled[i * (pooled.size() - 1) / (tests + 1)]);
    }
    const double low = pooled.front();
    const double high = pooled.back() > low ? pooled.back() : low + 1.0;
    design.histogram_edges = spaced(low, high, kHistogramBins + 1);
  }
  return design;
}

// ------------------------------------------------------------------------------- monitor

ClaimMonitor::ClaimMonitor(const LikelihoodPlan& plan, const LikelihoodDesign& design,
                           double alpha) {
  const ClaimPoint claim = claim_point(plan.claim);
  if (!claim.given) return;
  active_ = true;
  epsilon_ = claim.epsilon;
  const auto at = std::find(design.band_epsilons.begin(), design.band_epsilons.end(), epsilon_);
  const auto k = static_cast<std::size_t>(at - design.band_epsilons.begin());
  for (const auto o : kOrientations) {
    const bool known = k < design.pilot_mean[index_of(o)].size();
    const Moments guess =
        known ? Moments{design.pilot_mean[index_of(o)][k], design.pilot_variance[index_of(o)][k]}
              : Moments{};
    tests_.emplace_back(claim.delta, betting(alpha, static_cast<std::size_t>(plan.samples), guess));
  }
}

void ClaimMonitor::observe(Orientation orientation, const std::vector<double>& losses) {
  if (active_) tests_[index_of(orientation)].observe(excesses(losses, epsilon_));
}

bool ClaimMonitor::refuted() const {
  return std::any_of(tests_.begin(), tests_.end(),
                     [](const MeanExceedsTest& test) { return test.certified(); });
}

// ------------------------------------------------------------------------------- certify

namespace {

// Gathers the bounds. Every member function spends from the ledger under its own name.
class Certifier {
 public:
  Certifier(const LikelihoodPlan& plan, LikelihoodDesign design, const LikelihoodSample& sample,
            const PathSearchResult& paths, AlphaLedger& ledger, const RunControl& control)
      : plan_(plan),
        design_(std::move(design)),
        sample_(sample),
        paths_(paths),
        ledger_(ledger),
        control_(control) {
    if (!sample.interrupted || sample.losses.forward.size() <= kMostForStoppedCurves) return;
    const auto first_of = [](const std::vector<double>& losses) {
      return std::vector<double>(losses.begin(), losses.begin() + kMostForStoppedCurves);
    };
    few_ = {first_of(sample.losses.forward), first_of(sample.losses.backward)};
  }

  PairEvidence run();

 private:
  double spend(std::string purpose, double share) {
    const auto alpha = ledger_.spend(std::move(purpose), share);
    return alpha ? *alpha : 0.0;  // the shares are constants that sum to at most 1
  }
  static std::string noun(std::size_t count) {
    return plural(static_cast<long long>(count), "transcript");
  }
  std::string sampling_note(double alpha, std::size_t transcripts) const {
    return fmt::format("{} {} on each input, alpha = {:.3g}", transcripts, noun(transcripts),
                       alpha);
  }
  Moments pilot_guess(Orientation o, double epsilon) const;
  // The losses behind every bound but that of the claimed quantity.
  const OrientedLosses& curve_losses() const {
    return few_.forward.empty() ? sample_.losses : few_;
  }
  BettingPlan plan_for(double alpha, const Moments& guess) const {
    return plan_for(alpha, static_cast<std::size_t>(plan_.samples), guess);
  }
  BettingPlan plan_for(double alpha, std::size_t count, const Moments& guess) const {
    BettingPlan plan = betting(alpha, count, guess);
    plan.control = &control_;
    return plan;
  }

  void band();
  ReportedQuantity delta_at_claim();
  ReportedQuantity epsilon_at_delta();
  ReportedQuantity mu_above();
  ReportedQuantity mu();
  void trade_off();
  void histogram();
  void check_probabilities();
  void power();
  void limits();
  void raise(EvidencedBound& bound, double value, Evidence evidence, std::string how) const {
    if (value > bound.value) bound = {value, evidence, std::move(how)};
  }
  void cap(EvidencedBound& bound, double value, Evidence evidence, std::string how) const {
    if (value < bound.value) bound = {value, evidence, std::move(how)};
  }

  const LikelihoodPlan& plan_;
  LikelihoodDesign design_;
  const LikelihoodSample& sample_;
  OrientedLosses few_;  // of a stopped run with many losses
  const PathSearchResult& paths_;
  AlphaLedger& ledger_;
  const RunControl& control_;
  PairEvidence out_;
  std::vector<double> band_upper_;  // simultaneous, larger orientation
  double certified_epsilon_ = 0.0;  // delta(certified_epsilon_) > reported delta
};

Moments Certifier::pilot_guess(Orientation o, double epsilon) const {
  const auto& grid = design_.band_epsilons;
  if (grid.empty()) return {};
  const auto at = std::lower_bound(grid.begin(), grid.end(), epsilon);
  const auto k = static_cast<std::size_t>(std::min(at, grid.end() - 1) - grid.begin());
  return {design_.pilot_mean[index_of(o)][k], design_.pilot_variance[index_of(o)][k]};
}

void Certifier::band() {
  const std::size_t points = design_.band_epsilons.size();
  if (points == 0) return;
  const double cells = 2.0 * static_cast<double>(points);
  const double lower_alpha =
      spend(fmt::format("delta(eps), lower band, {} points x 2 orientations", points),
            kBandLowerShare) /
      cells;
  const double upper_alpha =
      spend(fmt::format("delta(eps), upper band, {} points x 2 orientations", points),
            kBandUpperShare) /
      cells;
  out_.profile = map_chunks(control_, points, [&](std::size_t k) {
    if (control_.interrupted()) return ProfilePoint();
    const double epsilon = design_.band_epsilons[k];
    ProfilePoint point{epsilon, 0.0, 0.0, 0.0};
    for (const auto o : kOrientations) {
      const auto values = excesses(curve_losses().of(o), epsilon);
      const Moments guess = pilot_guess(o, epsilon);
      point.lower =
          std::max(point.lower, mean_lower_bound(values, plan_for(lower_alpha, guess)).value.value);
      const auto above = excesses(curve_losses().of(o), epsilon, excess_above);
      point.upper = std::max(
          point.upper, mean_upper_bound(above, 1.0, plan_for(upper_alpha, guess)).value.value);
      point.estimate = std::max(point.estimate, moments(values).mean);
    }
    point.upper = std::min(point.upper, augmented_delta(plan_, epsilon));
    return point;
  });
  for (const auto& point : out_.profile) band_upper_.push_back(point.upper);
}

ReportedQuantity Certifier::delta_at_claim() {
  const ClaimPoint claim = claim_point(plan_.claim);
  ReportedQuantity q{QuantityKind::kDeltaAtEpsilon, claim.epsilon, {}, {1.0, Evidence::kNone, ""}};
  const double lower_alpha =
      spend("delta at the claimed eps, lower, 2 orientations", detail::kClaimLowerShare) / 2.0;
  const double upper_alpha =
      spend("delta at the claimed eps, upper, 2 orientations", kClaimUpperShare) / 2.0;
  double upper = 0.0;
  for (const auto o : kOrientations) {
    // The lower bound of this orientation comes from one sample, tilted if the pilot chose that.
    const TiltedSample* tilted = nullptr;
    for (const auto& t : sample_.tilted) {
      if (t.choice.aim == TiltAim::kDelta && t.choice.orientation == o) tilted = &t;
    }
    const auto values = excesses(sample_.losses.of(o), claim.epsilon);
    const Moments guess = pilot_guess(o, claim.epsilon);
    if (tilted != nullptr) {
      const auto z = excesses(tilted->losses, claim.epsilon);
      const BettingPlan bets = plan_for(lower_alpha, z.size(), guess);
      raise(q.lower, mean_lower_bound(z, bets).value.value, Evidence::kSampling,
            fmt::format("{} tilted {}, alpha = {:.3g}", z.size(), noun(z.size()), lower_alpha));
    } else {
      raise(q.lower, mean_lower_bound(values, plan_for(lower_alpha, guess)).value.value,
            Evidence::kSampling, sampling_note(lower_alpha, values.size()));
    }
    const auto above = excesses(sample_.losses.of(o), claim.epsilon, excess_above);
    upper = std::max(upper, mean_upper_bound(above, 1.0, plan_for(upper_alpha, guess)).value.value);
  }
  cap(q.upper, upper, Evidence::kSampling,
      sampling_note(upper_alpha, sample_.losses.forward.size()));
  for (const PathEvent* path : {&paths_.largest_mu, &paths_.largest_loss}) {
    raise(q.lower, path->delta(Epsilon{claim.epsilon}).value.value, Evidence::kExactPath,
          "one transcript, exactly");
  }
  cap(q.upper, augmented_delta(plan_, claim.epsilon), Evidence::kTheorem,
      "augmented release (all theta)");
  return q;
}

// Fixed-sequence tests over the grid. delta(eps) decreases, so if "delta(eps) <= delta" is true at
// one grid point, it is true at all larger ones, and an error requires that the first of them is
// rejected.
ReportedQuantity Certifier::epsilon_at_delta() {
  const double delta = reported_delta(plan_);
  ReportedQuantity q = unbounded(QuantityKind::kEpsilonAtDelta, delta);
  const double lower_alpha =
      spend(fmt::format("eps at delta = {:.3g}, lower, 2 orientations", delta),
            kEpsilonLowerShare) /
      2.0;
  const double upper_alpha =
      spend(fmt::format("eps at delta = {:.3g}, upper, 2 orientations", delta),
            kEpsilonUpperShare) /
      2.0;
  const auto tilted_for = [&](Orientation o) {
    const TiltedSample* found = nullptr;
    for (const auto& t : sample_.tilted) {
      if (t.choice.aim == TiltAim::kEpsilon && t.choice.orientation == o) found = &t;
    }
    return found;
  };
  const auto test_lower = [&](Orientation o) {
    std::optional<double> lower;
    const TiltedSample* tilted = tilted_for(o);
    for (const double e : design_.epsilon_grid) {
      if (control_.interrupted()) break;
      const auto values =
          tilted != nullptr ? excesses(tilted->losses, e) : excesses(curve_losses().of(o), e);
      MeanExceedsTest test(delta, tilted != nullptr
                                      ? betting(lower_alpha, values.size(), pilot_guess(o, e))
                                      : plan_for(lower_alpha, pilot_guess(o, e)));
      test.observe(values);
      if (!test.certified()) break;
      lower = e;
    }
    return lower;
  };
  // Tests from the largest grid point down that reject "delta(eps) >= delta".
  const auto test_upper = [&](Orientation o) {
    double upper = std::numeric_limits<double>::infinity();
    for (auto e = design_.epsilon_grid.rbegin(); e != design_.epsilon_grid.rend(); ++e) {
      if (control_.interrupted()) break;
      MeanBelowTest test(delta, 1.0, plan_for(upper_alpha, pilot_guess(o, *e)));
      test.observe(excesses(curve_losses().of(o), *e, excess_above));
      if (!test.certified()) break;
      upper = *e;
    }
    return std::optional(upper);
  };
  const auto ends = map_chunks(control_, 4, [&](std::size_t i) {
    const Orientation o = kOrientations[i % 2];
    return i < 2 ? test_lower(o) : test_upper(o);
  });
  double upper = design_.epsilon_grid.empty() ? q.upper.value : 0.0;
  for (std::size_t i = 0; i < std::size(kOrientations); ++i) {
    const Orientation o = kOrientations[i];
    if (const auto e = ends[i]) {
      const TiltedSample* tilted = tilted_for(o);
      const std::size_t count =
          tilted != nullptr ? tilted->losses.size() : curve_losses().of(o).size();
      raise(q.lower, *e, Evidence::kSampling,
            tilted != nullptr
                ? fmt::format("{} tilted {}, alpha = {:.3g}", count, noun(count), lower_alpha)
                : sampling_note(lower_alpha, count));
    }
    upper = std::max(upper, *ends[2 + i]);
  }
  certified_epsilon_ = q.lower.value;
  cap(q.upper, upper, Evidence::kSampling,
      sampling_note(upper_alpha, curve_losses().forward.size()));
  if (plan_.augmented_mu.value.value < std::numeric_limits<double>::infinity()) {
    cap(q.upper, gdp_epsilon_upper(plan_.augmented_mu.value, portable_log(delta)).value.value,
        Evidence::kTheorem, "augmented release (all theta)");
  }
  return q;
}

ReportedQuantity Certifier::mu_above() {
  const double delta0 = plan_.delta0.value;
  ReportedQuantity q = unbounded(QuantityKind::kMuAboveDelta0, delta0);
  const double alpha =
      spend("mu over delta >= delta_0, lower, 2 orientations", kMuAboveShare) / 2.0;
  for (const auto o : kOrientations) {
    const double e = design_.mu_above_epsilon[index_of(o)];
    const auto values = excesses(curve_losses().of(o), e);
    const double lower = mean_lower_bound(values, plan_for(alpha, pilot_guess(o, e))).value.value;
    if (lower > delta0) {
      raise(q.lower, gdp_mu_lower(Epsilon{e}, portable_log(lower)).value.value, Evidence::kSampling,
            fmt::format("delta({:.4g}) >= {:.4g}, {}", e, lower,
                        sampling_note(alpha, values.size())));
    }
  }
  // eps at delta already certifies one more point of the profile, above its own delta.
  const double delta = reported_delta(plan_);
  if (certified_epsilon_ > 0.0 && delta >= delta0) {
    raise(q.lower, gdp_mu_lower(Epsilon{certified_epsilon_}, portable_log(delta)).value.value,
          Evidence::kSampling, fmt::format("delta({:.4g}) > {:.3g}", certified_epsilon_, delta));
  }
  if (!band_upper_.empty()) {
    cap(q.upper,
        mu_upper_from_profile(design_.band_epsilons, band_upper_, plan_.delta0, plan_.augmented_mu)
            .value.value,
        Evidence::kSampling, "upper band of delta(eps), capped by the augmented release");
  }
  cap(q.upper, plan_.augmented_mu.value.value, Evidence::kTheorem, "augmented release (all theta)");
  return q;
}

ReportedQuantity Certifier::mu() {
  ReportedQuantity q = unbounded(QuantityKind::kMu, 0.0);
  cap(q.upper, plan_.augmented_mu.value.value, Evidence::kTheorem, "augmented release (all theta)");
  const double alpha = spend("mu, lower, tilted transcripts", kMuShare);
  for (const auto& t : sample_.tilted) {
    if (t.choice.aim != TiltAim::kMu) continue;
    const auto z = excesses(t.losses, t.choice.epsilon);
    const double lower = mean_lower_bound(z, plan_for(alpha, z.size(), Moments{})).value.value;
    if (lower > 0.0) {
      raise(q.lower,
            gdp_mu_lower(Epsilon{t.choice.epsilon}, portable_log(std::min(lower, 1.0))).value.value,
            Evidence::kSampling,
            fmt::format("delta({:.4g}) >= {:.3g}, {} tilted transcripts, alpha = {:.3g}",
                        t.choice.epsilon, lower, z.size(), alpha));
    }
  }
  raise(q.lower, paths_.largest_mu.mu.value.value, Evidence::kExactPath,
        fmt::format("the first {} actions of one transcript", paths_.largest_mu.actions.size()));
  return q;
}

// Upper curve: the errors of tests at thresholds that the pilot fixed, both raised to their bounds,
// and the chords between them (randomised tests). Lower curve, from the upper band of delta: f(a)
// >= max over eps of 1 - delta(eps) - e^eps a and e^-eps (1 - delta(eps) - a).
void Certifier::trade_off() {
  const std::size_t count = design_.trade_off_losses.size();
  if (count == 0) return;
  const double alpha =
      spend(fmt::format("trade-off curve, upper, {} tests x 2 errors", count), kTradeOffShare) /
      (2.0 * static_cast<double>(count));
  std::vector<ErrorPair> estimates(count + 2);
  std::vector<ErrorPair> upper(count + 2);
  estimates.front() = upper.front() = {0.0, 1.0};
  // The estimated errors of each test, and their bounds.
  const auto errors = map_chunks(control_, count, [&](std::size_t i) {
    if (control_.interrupted()) return std::pair<ErrorPair, ErrorPair>();
    const double threshold = design_.trade_off_losses[i];
    std::vector<double> type_one;  // D rejected: loss at or below the threshold
    std::vector<double> type_two;
    for (const double l : curve_losses().forward) type_one.push_back(l <= threshold ? 1.0 : 0.0);
    for (const double l : curve_losses().backward) type_two.push_back(-l > threshold ? 1.0 : 0.0);
    const auto bound = [&](const std::vector<double>& hits) {
      return mean_upper_bound(hits, 1.0, plan_for(alpha, {0.5, 0.25})).value.value;
    };
    return std::pair(ErrorPair{moments(type_one).mean, moments(type_two).mean},
                     ErrorPair{bound(type_one), bound(type_two)});
  });
  for (std::size_t i = 0; i < count; ++i) std::tie(estimates[i + 1], upper[i + 1]) = errors[i];
  estimates.back() = upper.back() = {1.0, 0.0};
  const auto lower = [&](double a) {
    double best = 0.0;
    for (std::size_t k = 0; k < band_upper_.size(); ++k) {
      const double growth = portable_exp(design_.band_epsilons[k]);
      const double room = 1.0 - band_upper_[k];
      best = std::max({best, room - growth * a, (room - a) / growth});
    }
    return best;
  };
  constexpr int kSteps = 50;
  for (int i = 0; i <= kSteps; ++i) {
    const double root = static_cast<double>(i) / kSteps;
    const double a = root * root;  // denser near 0, where the curve bends
    out_.trade_off.push_back({a, lower(a), chord_at(estimates, a), chord_at(upper, a)});
  }
}

void Certifier::histogram() {
  const auto& edges = design_.histogram_edges;
  if (edges.size() < 2) return;
  const auto fill = [&](const std::vector<double>& losses, double sign) {
    std::vector<double> share(edges.size() - 1, 0.0);
    for (const double loss : losses) {
      const auto above = std::upper_bound(edges.begin(), edges.end(), sign * loss);
      const auto bin = std::clamp<std::ptrdiff_t>(above - edges.begin() - 1, 0,
                                                  static_cast<std::ptrdiff_t>(share.size()) - 1);
      share[static_cast<std::size_t>(bin)] += 1.0 / static_cast<double>(losses.size());
    }
    return share;
  };
  out_.losses = {edges, fill(sample_.losses.forward, 1.0), fill(sample_.losses.backward, -1.0)};
}

void Certifier::check_probabilities() {
  if (sample_.losses.forward.empty()) return;  // nothing to compare
  const double alpha =
      spend("checks of the reported probabilities", detail::kProbabilityCheckShare);
  out_.checks = probability_checks(sample_.probabilities, sample_.losses.forward,
                                   detail::negated(sample_.losses.backward), alpha);
}

void Certifier::power() {
  constexpr double kPower = 0.9;
  const ClaimPoint claim = claim_point(plan_.claim);
  const std::size_t n = sample_.losses.forward.size();
  const auto* q = find_quantity(out_.quantities, QuantityKind::kDeltaAtEpsilon, claim.epsilon);
  const bool undecided =
      q != nullptr && q->lower.value <= claim.delta && q->upper.value > claim.delta;
  if (!plan_.with_power || !undecided || n == 0 || sample_.interrupted) return;
  const double alpha = alpha_of(plan_.confidence) * detail::kClaimLowerShare / 2.0;
  const double visible =
      smallest_visible_mean(claim.delta, betting(alpha, n, Moments{}), kPower, plan_.seed);
  if (!(visible < 1.0) || !(design_.favoured > 0.0)) return;
  // An event of probability q on one input and e^level q + delta on the other has delta(eps) = visible.
  const double level =
      portable_log(portable_exp(claim.epsilon) + (visible - claim.delta) / design_.favoured);
  out_.smallest_visible =
      SmallestVisible{level, kPower, "an event as frequent as a loss above 0 in the pilot"};
}

void Certifier::limits() {
  out_.limits = {
      "A privacy guarantee is a statement about all pairs; this run certifies the worst pair "
      "found, and its search was not exhaustive.",
      "Sampled bounds are conditional on the probabilities that the policy reports; the checks "
      "above test those.",
      fmt::format(
          "Untilted sampling cannot bring an upper bound on delta below about {:.2g} with this "
          "many transcripts; only the augmented release can.",
          sample_.losses.forward.empty()
              ? 1.0
              : -portable_log(alpha_of(plan_.confidence) * kClaimUpperShare / 2.0) /
                    static_cast<double>(sample_.losses.forward.size())),
      "The rarest paths determine the smallest mu of a discrete transcript. Its lower bound comes "
      "from the paths found and need not be the largest."};
}

PairEvidence Certifier::run() {
  out_.method = "likelihood";
  out_.samples = static_cast<std::int64_t>(sample_.losses.forward.size());
  out_.samples_planned = plan_.samples;
  for (const auto& tilted : sample_.tilted) {
    out_.tilted_samples += static_cast<std::int64_t>(tilted.losses.size());
  }
  out_.interrupted = sample_.interrupted;
  band();
  if (claim_point(plan_.claim).given) out_.quantities.push_back(delta_at_claim());
  out_.quantities.push_back(epsilon_at_delta());
  out_.quantities.push_back(mu_above());
  // The unrestricted mu is at least the restricted one.
  ReportedQuantity smallest_mu = mu();
  const EvidencedBound& restricted = out_.quantities.back().lower;
  raise(smallest_mu.lower, restricted.value, restricted.evidence, restricted.how);
  out_.quantities.push_back(std::move(smallest_mu));
  // The claimed quantity comes first.
  if (!claim_point(plan_.claim).given) {
    std::reverse(out_.quantities.begin(), out_.quantities.end());
  }
  trade_off();
  histogram();
  check_probabilities();
  power();
  limits();
  out_.rounds = round_rows(sample_.base_means.mean, sample_.neighbour_means.mean);
  for (const auto& entry : ledger_.entries()) out_.ledger.push_back({entry.purpose, entry.alpha});
  return std::move(out_);
}

// Every fourth point of the curves.
LikelihoodDesign for_stopped(LikelihoodDesign design) {
  for (auto* curve :
       {&design.band_epsilons, &design.trade_off_losses, &design.pilot_mean[0],
        &design.pilot_mean[1], &design.pilot_variance[0], &design.pilot_variance[1]}) {
    std::vector<double> some;
    for (std::size_t i = 0; i < curve->size(); i += 4) some.push_back((*curve)[i]);
    *curve = std::move(some);
  }
  return design;
}

void keep_some(OrientedLosses& losses) {
  for (auto* some : {&losses.forward, &losses.backward}) {
    some->resize(std::min(some->size(), kMostOfInterrupted));
  }
}

}  // namespace

Result<PairEvidence> certify(const LikelihoodPlan& plan, const LikelihoodDesign& design,
                             LikelihoodSample sample, const PathSearchResult& paths,
                             const RunControl& control) {
  auto ledger = ASSAY_TRY(AlphaLedger::create(alpha_of(plan.confidence)));
  if (sample.interrupted) {  // nothing is left to cut short
    RunControl whole;
    whole.threads = control.threads;
    return Certifier(plan, for_stopped(design), sample, paths, ledger, whole).run();
  }
  auto evidence = Certifier(plan, design, sample, paths, ledger, control).run();
  if (!control.interrupted()) return evidence;
  keep_some(sample.losses);
  sample.tilted.clear();
  sample.interrupted = true;
  return certify(plan, design, std::move(sample), paths, control);
}

// ------------------------------------------------------------------------------ sampling

std::vector<double> detail::negated(std::vector<double> values) {
  for (double& v : values) v = -v;
  return values;
}

OrientedLosses detail::sample_both(const PairProcess& fresh, const LossBatch& batch,
                                   const RunControl& control, std::string_view stage,
                                   RoundMeans* base_means, RoundMeans* neighbour_means) {
  constexpr Side kSides[] = {Side::kBase, Side::kNeighbour};
  const bool with_means = base_means != nullptr;
  auto sides = sample_sides(fresh, kSides, batch, control, stage, with_means);
  if (with_means) {
    *base_means = std::move(sides[0].means);
    *neighbour_means = std::move(sides[1].means);
  }
  return {std::move(sides[0].losses), negated(std::move(sides[1].losses))};
}

OrientedLosses certification_losses(const LikelihoodPlan& plan, const RunControl& control,
                                    std::string_view stage, const LossDraw& draw,
                                    const std::function<bool(const OrientedLosses&)>& after) {
  const std::int64_t end = std::min(plan.stop_after.value_or(plan.samples), plan.samples);
  const std::int64_t step =
      std::min((plan.samples / 20 / kLossChunk + 1) * kLossChunk, kMostAtOnce);
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  OrientedLosses losses;
  for (std::int64_t first = 0; first < end && !control.stopped(); first += step) {
    control.report(stage, static_cast<double>(first) / static_cast<double>(end));
    const OrientedLosses more = draw(first, std::min(step, end - first));
    append(losses.forward, more.forward);
    append(losses.backward, more.backward);
    if (after && !after(more)) break;
  }
  if (control.interrupted()) keep_some(losses);
  return losses;
}

Result<PairEvidence> audit_by_likelihood(const PairProcess& fresh, const PathSearchResult& paths,
                                         const LikelihoodPlan& plan, const RunControl& control) {
  LikelihoodSample sample;
  OrientedLosses pilot;
  std::vector<TiltPilot> tilt_pilots;
  LossBatch batch{plan.seed, hash_purpose("likelihood/pilot"), Phase::kPilot, 0, plan.pilot};
  const std::int64_t end = std::min(plan.stop_after.value_or(plan.samples), plan.samples);
  if (end > 0) {
    pilot = detail::sample_both(fresh, batch, control, "pilot", &sample.base_means,
                                &sample.neighbour_means);
  }
  for (std::size_t i = 0; i < std::size(detail::kTilts) && end > 0; ++i) {
    for (const auto orientation : kOrientations) {
      batch = {plan.seed, hash_purpose("likelihood/tilt pilot") + i, Phase::kPilot, 0,
               plan.tilt_pilot};
      tilt_pilots.push_back(
          {orientation, detail::kTilts[i],
           sample_tilted_losses(fresh, orientation, detail::kTilts[i], batch, control, "pilot")});
    }
  }
  if (end > 0 && !control.stopped()) {
    sample.probabilities = check_probabilities(
        fresh,
        {plan.seed, plan.checked, alpha_of(plan.confidence) * detail::kProbabilityCheckShare},
        control);
  }
  // If the run stopped before the first transcript to certify with, its pilot counts for nothing.
  const bool begins = end > 0 && !control.stopped();
  const LikelihoodDesign design =
      begins ? design_certification(plan, pilot, tilt_pilots) : design_certification(plan, {}, {});

  RunControl quiet = control;  // reported here, per step of both sides
  quiet.progress = nullptr;
  ClaimMonitor monitor(plan, design, alpha_of(plan.confidence) * detail::kClaimLowerShare / 2.0);
  if (begins) {
    sample.losses = certification_losses(
        plan, control, "transcripts",
        [&](std::int64_t first, std::int64_t count) {
          return detail::sample_both(
              fresh, {plan.seed, hash_purpose("likelihood/certify"), Phase::kCertify, first, count},
              quiet, "transcripts");
        },
        [&](const OrientedLosses& more) {
          if (!plan.stop_when_decided) return true;
          monitor.observe(Orientation::kBaseToNeighbour, more.forward);
          monitor.observe(Orientation::kNeighbourToBase, more.backward);
          return !monitor.refuted();
        });
  }
  if (sample.losses.forward.empty()) {  // then without a pilot, as in a run of stop_after 0
    sample = {};
    sample.interrupted = true;
    return certify(plan, design_certification(plan, {}, {}), sample, paths, control);
  }
  // A run that stopped early keeps its losses, and so does the run that reproduces it with stop_after.
  sample.interrupted = control.stopped() || plan.stop_after.has_value();
  for (std::size_t i = 0; i < design.tilts.size() && !sample.interrupted; ++i) {
    const TiltChoice& choice = design.tilts[i];
    batch = {plan.seed, hash_purpose("likelihood/tilted") + i, Phase::kCertify, 0,
             design.tilted_samples};
    sample.tilted.push_back({choice, sample_tilted_losses(fresh, choice.orientation, choice.tilt,
                                                          batch, control, "tilted transcripts")});
    sample.interrupted =
        static_cast<std::int64_t>(sample.tilted.back().losses.size()) < design.tilted_samples;
  }
  if (sample.interrupted) sample.tilted.clear();
  return certify(plan, design, std::move(sample), paths, control);
}

}  // namespace assay
