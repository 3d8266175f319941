// GOptimal-DPDB: its designs, phases, slopes of the link and estimates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/linear/linear_algebra.hpp"

namespace assay::dueling_checks {
namespace {

// Differences of items that are drawn uniformly from the ball, in coordinates of their span.
ArmFeatures random_differences(std::int64_t items, std::int64_t dimension, double seed) {
  const auto drawn =
      generated_features(FeatureKind::kSphere, items, dimension, static_cast<std::uint64_t>(seed))
          .value();
  ArmFeatures out{0, dimension, {}};
  std::vector<int> all;
  for (std::int64_t i = 0; i < items; ++i) {
    for (std::int64_t j = i + 1; j < items; ++j) {
      std::vector<double> z;
      for (std::int64_t k = 0; k < dimension; ++k) {
        z.push_back(drawn.of(i)[static_cast<std::size_t>(k)] -
                    drawn.of(j)[static_cast<std::size_t>(k)]);
      }
      if (std::all_of(z.begin(), z.end(), [](double x) { return x == 0.0; })) continue;
      out.values.insert(out.values.end(), z.begin(), z.end());
      all.push_back(static_cast<int>(out.arms++));
    }
  }
  return out.arms == 0 ? out : in_their_span(out, all);
}

// The largest z^T V^-1 z, by elimination with row pivots. It uses nothing from linear_algebra.cpp.
double largest_norm(const ArmFeatures& vectors, const std::vector<double>& weights) {
  const auto r = static_cast<std::size_t>(vectors.dimension);
  const auto s = static_cast<std::size_t>(vectors.arms);
  std::vector<std::vector<double>> rows(r, std::vector<double>(r + s, 0.0));  // V, then all z
  for (std::size_t i = 0; i < s; ++i) {
    const auto z = vectors.of(static_cast<std::int64_t>(i));
    for (std::size_t a = 0; a < r; ++a) {
      rows[a][r + i] = z[a];
      for (std::size_t b = 0; b < r; ++b) rows[a][b] += weights[i] * z[a] * z[b];
    }
  }
  for (std::size_t c = 0; c < r; ++c) {
    std::size_t pivot = c;
    for (std::size_t a = c + 1; a < r; ++a) {
      if (std::fabs(rows[a][c]) > std::fabs(rows[pivot][c])) pivot = a;
    }
    std::swap(rows[c], rows[pivot]);
    if (rows[c][c] == 0.0) return std::nan("");
    for (std::size_t a = 0; a < r; ++a) {
      if (a == c) continue;
      const double factor = rows[a][c] / rows[c][c];
      for (std::size_t b = c; b < r + s; ++b) rows[a][b] -= factor * rows[c][b];
    }
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < s; ++i) {
    double norm = 0.0;
    for (std::size_t a = 0; a < r; ++a) {
      norm += vectors.of(static_cast<std::int64_t>(i))[a] * rows[a][r + i] / rows[a][a];
    }
    largest = std::max(largest, norm);
  }
  return largest;
}

}  // namespace

// ---- Kiefer and Wolfowitz -----------------------------------------------------------------------

SearchedClaim kiefer_wolfowitz_search() {
  return {{whole("items", 2, 8), whole("d", 1, 4), whole("seed", 1, 1e9)},
          [](const Point& point) {
            const auto vectors = random_differences(static_cast<std::int64_t>(point[0]),
                                                    static_cast<std::int64_t>(point[1]), point[2]);
            if (vectors.arms == 0) return std::nan("");
            const auto design = g_optimal_design(vectors, kGOptimalGap);
            const auto r = static_cast<double>(vectors.dimension);
            const double over = largest_norm(vectors, design.weights) / r - 1.0;
            const auto support = static_cast<double>(std::count_if(
                design.weights.begin(), design.weights.end(), [](double w) { return w > 0.0; }));
            const double beyond = support - 0.5 * r * (r + 1.0);
            return std::max({std::fabs(over - design.gap), over - 1e-3, -over, beyond});
          },
          1e-8};
}

// sum_i w_i z_i^T V^-1 z_i = trace(V^-1 V) = r, so the largest is at least r. The equivalence
// theorem says that it is r for the design that maximises det V. Caratheodory bounds the support.
Finding kiefer_wolfowitz(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "kiefer-wolfowitz", .claim = kiefer_wolfowitz_search(), .points = 300},
               request, control);
  finding.domain =
      "every compact set that spans its space; search: designs of the differences of "
      "up to 8 items in up to 4 dimensions, " +
      finding.points() + " designs";
  finding.evidence = {
      "proof step: the weighted mean of |z|^2 is the trace of the identity, d (Kiefer, Wolfowitz for "
      "the converse, Caratheodory for the support)",
      "independent search: the policy's designs reach d within 1e-3 at least, each within the gap "
      "that its certificate states, and none has more than d (d + 1)/2 pairs",
      "d is the dimension that the differences span: one less than that of the items if these lie "
      "in a plane off the origin"};
  return proved(finding, "a theorem, and every design in the search satisfies both bounds");
}

// ---- Lemma 8 ------------------------------------------------------------------------------------

namespace {

double stated_length(double d, double horizon, double delta, double epsilon, double kappa,
                     double xi) {
  return 16.0 * d * d * d * d * d * portable_log(d * horizon / delta) / (kappa * epsilon * xi) +
         64.0 * d * portable_log(horizon / delta) / (kappa * kappa * xi * xi);
}

double slope_at(double u) {
  const double p = logistic(u);
  return p * (1.0 - p);
}

}  // namespace

SearchedClaim phase_length_search() {
  return {
      {whole("items", 2, 8), whole("d", 1, 4), whole_log_scale("T", 100, 1e9),
       log_scale("eps", 0.1, 10.0), whole("l", 1, 6), whole("kappa", 0, 1), whole("seed", 1, 1e9)},
      [](const Point& point) {
        GOptDpdbConfig config;
        config.arms = static_cast<std::int64_t>(point[0]);
        config.dimension = static_cast<std::int64_t>(point[1]);
        config.horizon = static_cast<std::int64_t>(point[2]);
        config.epsilon = point[3];
        config.kappa = point[5] == 0.0 ? Kappa::kListing : Kappa::kTheorem;
        const auto features =
            generated_features(FeatureKind::kSphere, config.arms, config.dimension,
                               static_cast<std::uint64_t>(point[6]))
                .value();
        std::vector<int> items(static_cast<std::size_t>(config.arms));
        std::iota(items.begin(), items.end(), 0);
        if (random_differences(config.arms, config.dimension, point[6]).arms == 0) {
          return std::nan("");
        }
        const auto phase = static_cast<std::int64_t>(point[4]);
        const auto plan = detail::duel_plan(features, items, gopt_phase_length(config, phase));
        const double duels = static_cast<double>(
            std::accumulate(plan.pulls.begin(), plan.pulls.end(), std::int64_t{0}));
        const double stated = stated_length(point[1], point[2], 1.0 / point[2], point[3],
                                            slope_at(config.kappa == Kappa::kListing ? 4.0 : 2.0),
                                            std::ldexp(1.0, -static_cast<int>(phase)));
        return (duels - stated - point[1] * point[1]) / std::max(1.0, 1e-9 * stated);
      },
      1e-3};
}

// A pair gets ceil(N pi) duels, N the whole number above the printed length. So m pairs get at most
// N + m - 1, and m <= d (d + 1)/2, so the sum is at most the length + d (d + 1)/2 <= the
// length + d^2.
Finding phase_length(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "gopt-phase", .claim = phase_length_search(), .points = 300},
                          request, control);
  finding.domain =
      "every finite set of items, T, eps and either kappa; search: " + finding.points() +
      " plans of up to 8 items in up to 4 dimensions";
  finding.evidence = {
      "proof step: rounding adds less than 1 for each pair, over at most d (d + 1)/2 pairs"};
  finding.table.columns = {"d", "kappa", "first phase", "ends from T", "three from T", "t_0"};
  for (const double d : {2.0, 5.0, 10.0}) {
    for (const auto kappa : {Kappa::kTheorem, Kappa::kListing}) {
      const auto first_horizon = [&](int phases) {
        double horizon = 1e3;
        for (;; horizon *= 1.02) {
          double duels = 0.0;
          for (int l = 1; l <= phases; ++l) {
            duels += stated_length(d, horizon, 1.0 / horizon, 1.0, kappa_value(kappa),
                                   std::ldexp(1.0, -l));
          }
          if (duels <= horizon) return horizon;
        }
      };
      GOptDpdbConfig config;
      config.dimension = static_cast<std::int64_t>(d);
      config.horizon = 1'000'000;
      config.kappa = kappa;
      finding.table.rows.push_back(
          {number_text(d), kappa == Kappa::kTheorem ? "sigma'(2)" : "sigma'(4)",
           rounded(static_cast<double>(gopt_phase_length(config, 1)), 3),
           rounded_up(first_horizon(1), 2), rounded_up(first_horizon(3), 2),
           rounded(stated_initial_draws(config), 3)});
    }
  }
  finding.evidence.push_back(
      "table: eps = 1; first phase and t_0 at T = 1e6, and the least T that is enough for one "
      "phase, and for three, without initial draws");
  finding.evidence.push_back(
      "before the T of the table no phase ends, nothing is released and no item leaves");
  return proved(finding, "rounding up costs at most one duel for each pair of the design");
}

// ---- kappa --------------------------------------------------------------------------------------

SearchedClaim slope_search(Kappa kappa) {
  // |<x - y, w>| for items of the unit ball: up to 2 at |w| <= 1, up to 4 within 1 of such a w.
  return {{real("<x - y, w>", kappa == Kappa::kListing ? -4.0 : -2.0,
                kappa == Kappa::kListing ? 4.0 : 2.0)},
          [kappa](const Point& point) { return kappa_value(kappa) - slope_at(point[0]); },
          1e-15};
}

namespace {

Finding slope_with(const ClaimRequest& request, const RunControl& control, Kappa kappa,
                   std::string_view id) {
  auto finding =
      searched({.id = id, .claim = slope_search(kappa), .points = 500}, request, control);
  finding.domain = fmt::format("every duel, |<x - y, w>| <= {}; search: {} values",
                               kappa == Kappa::kListing ? 4 : 2, finding.points());
  finding.evidence = {
      fmt::format(
          "proof step: the slope is even and falls with |u|: sigma'(2) = {}, sigma'(4) = {}",
          rounded(kappa_value(Kappa::kTheorem), 4), rounded(kappa_value(Kappa::kListing), 4)),
      "Theorem 3 takes the infimum over |x| <= 1, but duels have differences up to 2; its number "
      "is right at w*, for H >= kappa V, but not within 1 of w*, where the proof of Lemma 7 uses "
      "inequalities of Li et al. that need it"};
  return proved(finding, "the slope of the logistic function falls away from 0");
}

}  // namespace

Finding slope(const ClaimRequest& request, const RunControl& control) {
  return slope_with(request, control, Kappa::kTheorem, "gopt-kappa");
}
Finding slope_of_listing(const ClaimRequest& request, const RunControl& control) {
  return slope_with(request, control, Kappa::kListing, "gopt-kappa-listing");
}

// ---- Corollary 2 --------------------------------------------------------------------------------

ConfidenceCounterexample confidence_at(const Point& point) {
  ConfidenceCounterexample found;
  found.horizon = std::int64_t{1} << static_cast<int>(point[0]);
  found.epsilon = point[1];
  found.gap = point[2];
  const auto horizon = static_cast<double>(found.horizon);
  GOptDpdbConfig config;
  config.dimension = 1;
  config.horizon = found.horizon;
  const double xi = 0.5;
  found.initial = std::ceil(stated_initial_draws(config));
  found.duels = found.initial + std::ceil(stated_length(1.0, horizon, 1.0 / horizon, found.epsilon,
                                                        slope_at(2.0), xi));
  const double width = found.duels * (2.0 * logistic(found.gap * xi) - 1.0);
  found.error = 1.0 - (width + 1.0) * std::sqrt(2.0 / (3.141592653589793 * found.duels));
  found.allowed = 3.0 / horizon;
  return found;
}

SearchedClaim score_confidence_search() {
  return {{whole("log2 T", 12, 29), log_scale("eps", 0.1, 10.0), log_scale("gap", 1e-4, 1.0)},
          [](const Point& point) {
            const auto found = confidence_at(point);
            if (found.duels > static_cast<double>(found.horizon)) return std::nan("");
            return found.error - found.allowed;
          },
          1e-9};
}

Finding score_confidence(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "gopt-confidence", .claim = score_confidence_search(), .points = 2'000},
               request, control);
  finding.domain =
      "two items on a line, w* = 0, kappa = sigma'(2), the first phase with t_0 = 16 (1 + "
      "log(T/delta))/kappa^4 initial draws, T = 2^12 to 2^29: " +
      finding.points() + " settings";
  return refuted_or_not(
      finding, "P(error) - 3 delta", confidence_at,
      {"the proof bounds the norm of an item by that of differences of items, (12), which an item off "
       "the origin exceeds; eliminations compare items, and differences are estimated well "
       "(gopt-confidence-differences)"});
}

// The first phase as printed, in two dimensions: errors of differences, compared with twice 2^-l.
Finding difference_confidence(const ClaimRequest& request, const RunControl& control) {
  const std::int64_t trials = scaled(24, request);
  GOptDpdbConfig config;
  config.arms = 6;
  config.horizon = std::int64_t{1} << 21;
  const auto policy = ASSAY_TRY(GOptDpdb::create(config));
  ClaimFinding finding;
  finding.confidence = request.confidence;
  finding.evaluations = trials;
  finding.domain = fmt::format(
      "first phase as printed, 6 items on the circle, eps = 1, T = 2^21, kappa = sigma'(2), w* "
      "uniform on the circle: {} runs",
      grouped(trials));
  const auto largest_error = [&](std::size_t trial) {
    double largest = 0.0;
    if (control.cancelled()) return largest;
    const auto stream = [&](std::uint64_t lane) {
      return ReplayStream(
          {request.seed, hash_purpose("claims/gopt-confidence-differences"), trial, lane});
    };
    ReplayStream choices = stream(0);
    ReplayStream luck = stream(1);
    const auto weights =
        generated_features(FeatureKind::kSphere, 2, 2, request.seed * 1000 + trial).value();
    const auto scores = linear_scores(policy.features(), weights.of(0)).value();
    const auto answers = PreferenceDuels::create(preferences_of_scores(scores).value()).value();
    auto player = policy;
    for (std::int64_t t = 0; player.phase() == 1 && t < config.horizon; ++t) {
      player.observe(answers.feedback(t, player.choose(choices), luck), choices);
    }
    const auto& release = player.last_release();
    if (release.phase != 1) return largest;
    const auto& positions = release.plan->positions;
    const auto position = [&](std::int64_t i) {
      const auto x = positions.of(i);
      return std::inner_product(x.begin(), x.end(), release.scores.w.begin(), 0.0);
    };
    for (std::int64_t i = 0; i < positions.arms; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        const double truth =
            scores[static_cast<std::size_t>(i)] - scores[static_cast<std::size_t>(j)];
        largest = std::max(largest, std::fabs(position(i) - position(j) - truth));
      }
    }
    return largest;
  };
  const auto errors = map_chunks(control, static_cast<std::size_t>(trials), largest_error);
  if (control.cancelled()) return undecided(finding, "stopped");
  const auto failed = std::count_if(errors.begin(), errors.end(), [](double e) { return e > 1.0; });
  const double alpha = (1.0 - request.confidence) / 2.0;
  if (clopper_pearson_lower(failed, trials, alpha).value.value >
      6.0 / static_cast<double>(config.horizon)) {
    return undecided(finding, "differences err more often than stated");
  }
  finding.evidence = {
      fmt::format("largest error of a difference: {}, where 2 2^-1 = 1 is allowed",
                  rounded_up(*std::max_element(errors.begin(), errors.end()), 3)),
      fmt::format("some difference errs by more with probability at most {}",
                  rounded_up(clopper_pearson_upper(failed, trials, alpha).value.value, 3))};
  finding.verdict = ClaimVerdict::kNotRefuted;
  finding.summary = "no difference errs by more than 2 2^-l in the runs, which are not a proof";
  return finding;
}

}  // namespace assay::dueling_checks
