// The likelihood method: certified bounds on the privacy loss of one pair, by sampling.
//
// Transcripts are drawn on both sides and their exact losses L = log P - log Q summed, so that
//     delta(eps) = E_P[(1 - e^(eps - L))_+],  reversed: E_Q[(1 - e^(eps + L))_+],            (1)
// and every bound is a confidence bound for the mean of a variable in [0, 1]
// (statistics/betting.hpp). Which epsilon to look at, which tilt to sample with and which
// orientation to spend on are chosen on a pilot; certification uses fresh streams. One alpha is
// split by the ledger over all statements, which therefore hold at once.
//
//   delta at eps      both orientations, each bounded by itself
//   eps at delta      fixed-sequence tests of "delta(eps) > delta" over a grid of eps from the
//                     pilot: the nulls are nested, so one alpha serves the whole grid
//   mu over delta_0   lower: one (eps, delta) point; upper: the band, with chords in e^eps
//                     between its points
//   mu, unrestricted  lower: exact paths (no alpha) and tilted sampling; upper: the augmented
//                     release
//
// Conditional on the reported probabilities describing the sampler, which is tested in every run
// (statistics/reported_probabilities.hpp).
// Reference: Zhu, Dong, Wang, "Optimal accounting of differential privacy via characteristic
// function" (AISTATS 2022), for (1); Waudby-Smith and Ramdas (JRSS B 2024), for the bounds.
// Stopped before its end, a run certifies what both sides have, curves from at most
// kMostForStoppedCurves of it, so that the answer comes at once; tilted sampling is left out then,
// and a run that is given `stop_after` does the same. Interrupted by the user, it keeps the first
// kMostOfInterrupted of what both sides have.
// Threads: deterministic for any number. Cost: samples * 2 * horizon pair quadratures.
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
inline constexpr std::size_t kMostForStoppedCurves = 16384;
inline constexpr std::size_t kMostOfInterrupted = std::size_t{1} << 16;  // certified in 0.1 s
inline constexpr std::int64_t kMostAtOnce =
    1 << 16;  // what a stop leaves undone is skipped one by one

struct LikelihoodPlan : AuditTerms {
  std::int64_t samples = 0;  // transcripts a side to certify with
  // End after this many, with the bets of all `samples`.
  std::optional<std::int64_t> stop_after = {};
  bool stop_when_decided = false;  // end as soon as the claim is refuted
  // Of this pair; infinity where none is known.
  UpperBound<Mu> augmented_mu{Mu{std::numeric_limits<double>::infinity()}};
  std::int64_t least_tilted = 4096;  // tilted transcripts an aim
  std::int64_t tilted_part = 8;      // or one for so many samples, if that is more
  std::int64_t band_points = 33;     // of the privacy profile
  std::int64_t trade_off_points = 24;
  bool with_power = true;  // say what an undecided run would have seen (about a second)
  std::int64_t pilot = kPilotTranscripts;  // a side
  std::int64_t tilt_pilot = 256;           // per tilt and orientation
  std::int64_t checked = 256;              // a side
};

// What a run draws beside its `samples` transcripts a side follows from them: few samples are not
// convicted by thousands that nobody asked for, and a time budget is kept at any size. All of it
// stays as above from 1,024 samples on, for up to 16 actions. Of more actions, all probabilities of
// a round cost more than one, and there are fewer of the transcripts that need them.
void size_by_samples(LikelihoodPlan& plan, std::int64_t actions);
// Quarters of a microsecond that the whole run takes, estimated.
double likelihood_work(const LikelihoodPlan& plan, std::int64_t actions, std::int64_t horizon);
// With the seconds of a transcript: of one side with its loss, and of a tilted one.
double likelihood_seconds(const LikelihoodPlan& plan, double plain, double tilted);

// Losses by orientation: forward from the old side, backward from the new side with their sign
// turned, so that both read "large is bad".
struct OrientedLosses {
  std::vector<double> forward;
  std::vector<double> backward;
  const std::vector<double>& of(Orientation o) const {
    return o == Orientation::kOldToNew ? forward : backward;
  }
};

// Tilted sampling aimed at one quantity.
enum class TiltAim { kMu, kEpsilon, kDelta };
struct TiltChoice {
  TiltAim aim = TiltAim::kMu;
  Orientation orientation = Orientation::kOldToNew;
  double tilt = 0.0;
  double epsilon = 0.0;  // where the aimed quantity is certified; the largest tried, for kEpsilon
};
struct TiltPilot {
  Orientation orientation = Orientation::kOldToNew;
  double tilt = 0.0;
  std::vector<TiltedLoss> losses;
};

// Everything that is fixed before the first certification transcript is drawn.
struct LikelihoodDesign {
  std::vector<double> band_epsilons;        // increasing, from 0
  std::vector<double> epsilon_grid;         // increasing, for eps at delta
  double mu_above_epsilon[2] = {0.0, 0.0};  // per orientation
  std::vector<double> trade_off_losses;     // thresholds of the trade-off band, increasing
  std::vector<double> histogram_edges;
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
  RoundMeans old_means;
  RoundMeans new_means;
  ReportedProbabilityTest probabilities{0.5};
  bool interrupted = false;
};

// All bounds of the header comment from the certification sample.
Result<PairEvidence> certify(const LikelihoodPlan& plan, const LikelihoodDesign& design,
                             const LikelihoodSample& sample, const PathSearchResult& paths);

// The losses to certify with, both sides advancing together a twentieth of the plan at a time, so that a
// run stopped at any moment keeps pairs. `draw(first, count)` gives the losses of those replicates, fewer
// where it was stopped; `after`, where given, sees each batch and says whether to go on.
using LossDraw = std::function<OrientedLosses(std::int64_t first, std::int64_t count)>;
OrientedLosses certification_losses(const LikelihoodPlan& plan, const RunControl& control,
                                    std::string_view stage, const LossDraw& draw,
                                    const std::function<bool(const OrientedLosses&)>& after = {});

Result<PairEvidence> audit_by_likelihood(const PairProcess& fresh, const PathSearchResult& paths,
                                         const LikelihoodPlan& plan, const RunControl& control);

namespace detail {

inline constexpr double kTilts[] = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0};
// Shares of alpha that are spent while sampling; the others are in likelihood.cpp.
inline constexpr double kClaimLowerShare = 0.15;
inline constexpr double kProbabilityCheckShare = 0.07;

std::vector<double> negated(std::vector<double> values);

OrientedLosses sample_both(const PairProcess& fresh, const LossBatch& batch,
                           const RunControl& control, std::string_view stage,
                           RoundMeans* old_means = nullptr, RoundMeans* new_means = nullptr);

}  // namespace detail

}  // namespace assay
