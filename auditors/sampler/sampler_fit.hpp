// Whether samples follow a stated distribution, and how far their distribution may still be from it. All statements
// share one alpha, for any number of samples that is fixed beforehand.
//
// Null hypothesis: the n samples are independent draws from the stated P, or with rounded_to numbers within it of such
// draws. G is the true distribution of a sample; bounds of G assume that samples are independent and alike.
//   cells, tails  counts are binomial: Clopper-Pearson limits [l, u] of G(event)                    (1)
//   thresholds    P(sup_t |F_n(t) - G(t)| > r) <= 2 e^(-2 n r^2)            (Massart)                 (2)
//   distance      TV(F_n, G) on J cells: P(TV > r) <= min((2^J - 2) e^(-2 n r^2),                   (3)
//                 e^(-2 n (r - m)^2) for r > m), m = sqrt((J - 1)/n)/2      (Weissman et al.; McDiarmid)
//   order         of each class by quartiles and the sample 1, 2, 3 or 4 later, in disjoint pairs    (4)
//   repeats       B blocks of m samples, M = B (B - 1)/2 p^m, p >= P(X = x) for all x:
//                 P(at least r blocks equal an earlier one) <= M^r/r!                               (5)
//   residues      of whole numbers modulo 2, 3 and 5: binomial                                      (6)
//   possible      no value that cannot occur (not a number, outside, not whole)
// Each test has a share of alpha, each binomial test an equal part of its test's share, half of it a side.
//
// Then, at once with probability at least 1 - alpha: |G(t) - P(t)| <= sup|F_n - P| + r of (2) for every t;
// TV(G, P) on the cells <= TV(F_n, P) + r of (3); and on every union of cells |log(G/P)| is at most the largest
// max(log(u/P), log(P/l)) of its cells.                                                             (7)
// A TV of at least r_alpha + r_0.1 on the cells is seen with probability at least 0.9, by (3) twice. (8)
// Proofs: docs/proofs/sampler_fit.md. Threads: pure functions. Cost: n log n, 0.3 s for 1,000,000 samples.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/sampler/fit_events.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

inline constexpr double kFitPower = 0.9;  // the probability with which a visible fault is seen
inline constexpr std::int64_t kLeastSamples = 100;

enum class FitVerdict { kDiffers, kNoDifference, kWeak, kInconclusive };
constexpr std::array<std::pair<FitVerdict, std::string_view>, 4> enum_names(FitVerdict) {
  return {{{FitVerdict::kDiffers, "Differs"},
           {FitVerdict::kNoDifference, "NoDifferenceSeen"},
           {FitVerdict::kWeak, "Weak"},
           {FitVerdict::kInconclusive, "Inconclusive"}}};
}

// An event with the samples in it.
struct CountedEvent {
  FitEvent event;
  std::int64_t count = 0;
  double lower = 0.0, upper = 1.0;  // (1), of G(event)
  // A true probability at or beyond these is seen with probability at least kFitPower; NaN if none is.
  double seen_below = 0.0, seen_above = 1.0;

  // |log(G/P)| is at most this; infinite without a lower limit, or for an event that cannot occur.
  double log_ratio_bound() const;
};

// `p_value` is that of the whole test; the samples differ if it is at most `alpha`, a share of the report's.
struct FitTest {
  std::string name;
  double p_value = 1.0;
  double alpha = 0.0;
  std::string what;     // was compared
  std::string finding;  // the strongest deviation; empty if the test does not reject
  bool rejects() const { return p_value <= alpha; }
};

struct DistanceBounds {
  double lower = 0.0, upper = 1.0;
};

// What a fault has to be to be seen with probability kFitPower.
struct FitStrength {
  double distance = 1.0;   // a total variation on the cells                         (8)
  double log_ratio = 0.0;  // |log(G/P)| of any one cell of the body; infinite if none is seen
  std::optional<double> scale_up, scale_down;  // a factor of the scale; empty without a scale
};

struct SamplerFit {
  std::int64_t samples = 0;
  FitEvents events;
  std::vector<CountedEvent> cells, tails;
  std::vector<FitTest> tests;
  std::vector<AlphaLedger::Entry> alpha;
  DistanceBounds threshold, distance;  // sup_t |G(t) - P(t)|; TV(G, P) on the cells
  std::int64_t body_cells = 0;         // with probability at least kLeastBodyCell
  double log_ratio = 0.0;              // (7), over the cells of the body
  FitStrength strength;
  bool differs() const;
};

// Preconditions: at least kLeastSamples samples; alpha in (0, 1/2]. Errors: an interrupt between two tests.
Result<SamplerFit> fit_samples(const StatedDistribution& stated, const FitEvents& events,
                               std::span<const double> samples, double alpha,
                               const RunControl& control = {});

FitStrength fit_strength(const StatedDistribution& stated, const FitEvents& events,
                         std::int64_t samples, double alpha);

// What a test should see.
struct FitAims {
  std::optional<double> distance, log_ratio, scale;
  bool empty() const { return !distance && !log_ratio && !scale; }
  bool met_by(const FitStrength& strength) const;
};

// A number of samples that meets the aims, within a percent of the least; empty if it is above `most`.
std::optional<std::int64_t> samples_to_see(const StatedDistribution& stated,
                                           const FitEvents& events, const FitAims& aims,
                                           double alpha, std::int64_t most);

}  // namespace assay
