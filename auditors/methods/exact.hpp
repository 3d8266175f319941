// The exact method computes every transcript with both of its probabilities, and the bounds that follow from
// them.
//
// It enumerates all transcripts if (number of actions)^T <= 2^24. Every derived value is an interval:
// each probability carries a relative error of at most `relative_error` (quadrature at 1e-14 a round
// plus rounding), and each bound includes that error outward.
//     delta(eps) = sum over L > eps of (P - e^eps Q),  |error| <= 2 relative_error           (1)
//     mu = max over k of Phi^{-1}(P(A_k)) - Phi^{-1}(Q(A_k)),
//          A_k the k transcripts of largest L                                                (2)
// (2) holds because the trade-off function of a discrete pair is the chord polygon through the
// likelihood-ratio tests A_k, and a convex Gaussian trade-off curve lies below a polygon as soon
// as it lies below its corners. delta is reported for each orientation: (P, Q) and (Q, P).
//
// Reference: Dong, Roth, Su, "Gaussian differential privacy" (JRSS B 2022), Proposition 2.
// A step that its control stops returns an error of code kInterrupted, or a value without meaning.
// Threads: any number of threads gives the same result.
// Cost: one all-arms quadrature per prefix, then a sort. 2^24 transcripts take about a minute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::int64_t kEnumerationLimit = std::int64_t{1} << 24;

enum class Orientation { kBaseToNeighbour, kNeighbourToBase };  // (P, Q) or (Q, P)
inline constexpr std::array kOrientations = {Orientation::kBaseToNeighbour,
                                             Orientation::kNeighbourToBase};
constexpr std::size_t index_of(Orientation o) { return o == Orientation::kBaseToNeighbour ? 0 : 1; }

// Both log-probabilities of every transcript, in lexicographic order of the actions.
struct EnumeratedDistributions {
  std::vector<double> log_p;
  std::vector<double> log_q;
  double relative_error = 0.0;
};

// One corner of the trade-off function: the likelihood-ratio test "L > threshold".
struct TestCorner {
  double loss = 0.0;    // the smallest loss in the event
  double log_p = 0.0;   // log P(event)
  double log_q = 0.0;   // log Q(event)
  double log_pc = 0.0;  // log P(complement)
  double log_qc = 0.0;  // log Q(complement)
};

class ExactLoss {
 public:
  // Errors: probabilities on either input that do not sum to 1 within 1e-12, or within twice their own
  // relative error if that is larger.
  static Result<ExactLoss> create(EnumeratedDistributions distributions,
                                  const RunControl& control = {});

  Interval<Delta> delta(Epsilon epsilon, Orientation orientation) const;
  // The smallest eps >= 0 with delta(eps) <= delta. For delta = 0 it is the largest loss.
  Interval<Epsilon> epsilon(Delta delta, Orientation orientation) const;
  Interval<Mu> mu() const;  // of both orientations
  // The smallest mu with delta(eps) <= delta_mu(eps) at every eps with delta(eps) > delta0, for both orientations.
  Interval<Mu> mu_above(Delta delta0, const RunControl& control = {}) const;

  const std::vector<TestCorner>& corners() const { return corners_; }  // decreasing loss
  double largest_loss(Orientation orientation) const;
  double sum_error() const { return sum_error_; }  // largest |1 - sum| over both inputs
  double relative_error() const { return relative_error_; }

 private:
  ExactLoss() = default;
  double delta_estimate(double epsilon, Orientation orientation) const;
  double epsilon_estimate(double delta, Orientation orientation) const;
  struct ProfilePeak {
    double mu = 0.0;
    double epsilon = 0.0;
    double top = 0.0;  // eps(delta0), the end of the range that is searched
  };
  ProfilePeak highest_mu(double delta0, Orientation orientation, const RunControl& control) const;
  std::vector<TestCorner> corners_;
  double relative_error_ = 0.0;
  double sum_error_ = 0.0;
};

namespace detail {

// The number of transcripts, or an error that names the limit.
Result<std::int64_t> count_transcripts(int actions, std::int64_t horizon);
// Relative error of a product of `horizon` probabilities from the exact quadrature.
double path_relative_error(std::int64_t horizon);
// The error that a stopped step of the exact method returns.
Error stopped_error();

}  // namespace detail

// Errors: more transcripts than kEnumerationLimit; stopped.
Result<EnumeratedDistributions> enumerate_transcripts(const PairProcess& fresh,
                                                      const RunControl& control);
Result<EnumeratedDistributions> enumerate_transcripts(const PairProcess& fresh, int threads);

}  // namespace assay
