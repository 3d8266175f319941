// The likelihood method: certified bounds on the privacy loss of one pair, by sampling.
//
// The audit samples transcripts on both inputs and sums their exact losses L = log P - log Q, so that
//     delta(eps) = E_P[(1 - e^(eps - L))_+],  reversed: E_Q[(1 - e^(eps + L))_+],            (1)
// and every bound is a confidence bound for the mean of a variable in [0, 1]
// (statistics/betting.hpp). A pilot chooses the epsilon, the tilt and the orientation to certify with;
// certification uses fresh streams. The ledger divides one alpha among all statements, so they all hold
// together.
//
//   delta at eps      both orientations, each with its own bounds
//   eps at delta      fixed-sequence tests of "delta(eps) > delta" over a grid of eps from the
//                     pilot: the nulls are nested, so one alpha serves the whole grid
//   mu over delta_0   lower: one (eps, delta) point; upper: the band, with chords in e^eps
//                     between its points
//   mu, unrestricted  lower: exact paths (no alpha) and tilted sampling; upper: the augmented
//                     release
//
// The bounds hold if the reported probabilities describe the sampler. Every audit tests that
// (statistics/reported_probabilities.hpp).
// Reference: Zhu, Dong, Wang, "Optimal accounting of differential privacy via characteristic
// function" (AISTATS 2022), for (1); Waudby-Smith and Ramdas (JRSS B 2024), for the bounds.
// An audit that stops early certifies the transcripts that both inputs have, without tilted sampling, and
// computes a quarter of the points of its curves from at most kMostForStoppedCurves of them, so that it ends at once. An audit with
// `stop_after` does the same. If the user interrupts an audit, it uses at most the first kMostOfInterrupted
// transcripts of each input.
// Threads: any number of threads gives the same report. Cost: samples * 2 * horizon pair quadratures.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/methods/paths.hpp"
#include "assay/auditors/methods/probability_check.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/betting.hpp"

namespace assay {

inline constexpr std::int64_t kPilotTranscripts = 2048;
inline constexpr std::size_t kMostForStoppedCurves = 4096;
inline constexpr std::size_t kMostOfInterrupted = std::size_t{1} << 16;
inline constexpr std::int64_t kMostAtOnce =
    1 << 16;  // a stopped run skips the remaining ones one by one

struct LikelihoodPlan : AuditTerms {
  std::int64_t samples = 0;  // transcripts on each input to certify with
  // Stop after this many, with the bets that are right for all `samples`.
  std::optional<std::int64_t> stop_after = {};
  bool stop_when_decided = false;  // end as soon as the claim is refuted
  // Of this pair; infinity if none is known.
  UpperBound<Mu> augmented_mu{Mu{std::numeric_limits<double>::infinity()}};
  std::int64_t least_tilted = 4096;  // tilted transcripts for each aim
  std::int64_t tilted_part = 8;      // or one for each `tilted_part` samples, if that is more
  std::int64_t band_points = 33;     // of the privacy profile
  std::int64_t trade_off_points = 24;
  bool with_power = true;  // say what an undecided run would have refuted (about a second)
  std::int64_t pilot = kPilotTranscripts;  // on each input
  std::int64_t tilt_pilot = 256;           // per tilt and orientation
  std::int64_t checked = 256;              // on each input

  // No curves, and nothing about what an undecided run would have refuted.
  void ask_only_claim() {
    band_points = 4;
    trade_off_points = 0;
    with_power = false;
  }
};

// Sets the sizes of the other samples from the `samples` transcripts on each input. So thousands of checks that
// nobody asked for cannot convict a few samples, and a run of any size keeps its time budget. From 1,024
// samples on, and up to 16 actions, the defaults above stay. With more actions, all probabilities of a round cost
// more than one of them, so there are fewer of the transcripts that need them.
void size_by_samples(LikelihoodPlan& plan, std::int64_t actions);
// The estimated time of the whole audit, in quarters of a microsecond.
double likelihood_work(const LikelihoodPlan& plan, std::int64_t actions, std::int64_t horizon);
// The same from the measured seconds of a plain transcript with its loss, and of a tilted one.
double likelihood_seconds(const LikelihoodPlan& plan, double plain, double tilted);

// Losses by orientation: forward from D, and backward from D' with the sign reversed, so that a large value means a
// large leak in both.
struct OrientedLosses {
  std::vector<double> forward;
  std::vector<double> backward;
  const std::vector<double>& of(Orientation o) const {
    return o == Orientation::kBaseToNeighbour ? forward : backward;
  }
};

// The quantity for which tilted samples are drawn.
enum class TiltAim { kMu, kEpsilon, kDelta };
struct TiltChoice {
  TiltAim aim = TiltAim::kMu;
  Orientation orientation = Orientation::kBaseToNeighbour;
  double tilt = 0.0;
  double epsilon =
      0.0;  // the epsilon at which the quantity is certified; the largest tried, for kEpsilon
};
struct TiltPilot {
  Orientation orientation = Orientation::kBaseToNeighbour;
  double tilt = 0.0;
  std::vector<TiltedLoss> losses;
};

// Everything that is fixed before the audit samples the first certification transcript.
struct LikelihoodDesign {
  std::vector<double> band_epsilons;        // increasing, from 0
  std::vector<double> epsilon_grid;         // increasing, for eps at delta
  double mu_above_epsilon[2] = {0.0, 0.0};  // per orientation
  std::vector<double> trade_off_losses;     // thresholds of the trade-off band, increasing
  std::vector<double> histogram_edges;
  double favoured =
      0.0;  // the probability, on one input, of an output that the other makes likelier
  std::vector<TiltChoice> tilts;
  std::int64_t tilted_samples = 0;
  std::vector<double> pilot_mean[2];  // of (1) at the band's epsilons, per orientation
  std::vector<double> pilot_variance[2];
};

LikelihoodDesign design_certification(const LikelihoodPlan& plan, const OrientedLosses& pilot,
                                      const std::vector<TiltPilot>& tilt_pilots);

// Stops early, at chunk boundaries, once "delta(eps) > delta" is certified for an (eps, delta) claim.
class ClaimMonitor {
 public:
  ClaimMonitor(const LikelihoodPlan& plan, const LikelihoodDesign& design, double alpha);
  void observe(Orientation orientation, const std::vector<double>& losses);
  bool refuted() const;

 private:
  double epsilon_ = 0.0;
  bool active_ = false;
  std::vector<MeanExceedsTest> tests_;  // one per orientation
};

struct TiltedSample {
  TiltChoice choice;
  std::vector<TiltedLoss> losses;
};

struct LikelihoodSample {
  OrientedLosses losses;
  std::vector<TiltedSample> tilted;
  RoundMeans base_means;
  RoundMeans neighbour_means;
  ReportedProbabilityTest probabilities{0.5};
  bool interrupted = false;
};

// Computes all bounds of the table above from the certification sample. If the user interrupts it, it starts again with
// the sample of an interrupted audit.
Result<PairEvidence> certify(const LikelihoodPlan& plan, const LikelihoodDesign& design,
                             LikelihoodSample sample, const PathSearchResult& paths,
                             const RunControl& control = {});

// Draws the losses to certify with. Both inputs advance together, a twentieth of the plan at a time, so that an
// audit that stops at any time has the same number on both. `draw(first, count)` gives the losses of those replicates,
// fewer if it is stopped; `after`, if given, sees each batch and says whether to go on.
using LossDraw = std::function<OrientedLosses(std::int64_t first, std::int64_t count)>;
OrientedLosses certification_losses(const LikelihoodPlan& plan, const RunControl& control,
                                    std::string_view stage, const LossDraw& draw,
                                    const std::function<bool(const OrientedLosses&)>& after = {});

Result<PairEvidence> audit_by_likelihood(const PairProcess& fresh, const PathSearchResult& paths,
                                         const LikelihoodPlan& plan, const RunControl& control);

namespace detail {

inline constexpr double kTilts[] = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0};
// The shares of alpha that are spent during sampling. The others are in likelihood.cpp.
inline constexpr double kClaimLowerShare = 0.15;
inline constexpr double kProbabilityCheckShare = 0.07;

std::vector<double> negated(std::vector<double> values);

OrientedLosses sample_both(const PairProcess& fresh, const LossBatch& batch,
                           const RunControl& control, std::string_view stage,
                           RoundMeans* base_means = nullptr, RoundMeans* neighbour_means = nullptr);

}  // namespace detail

}  // namespace assay
