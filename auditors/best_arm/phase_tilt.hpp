// The Gaussian noise of a best-arm phase, tilted so that an arm survives the phase, or so that it does not. These are
// the distributions R of auditors/methods/release.hpp.
//
// Symbols: s active arms of which k are kept; scores w_i z of values z = y + noise; arm j.
// If j survives, at most k - 1 others are above it, so it is at or above some m of any k - 1 + m others. If not, at
// most s - k - 1 are below it, and the same holds with s - k in place of k. For a group of that many others, let F be
// all its sets of m, and T_i = w_j z - w_i z or its negative. In the event, some C in F has all T_i >= 0, and
//   psi_C = min over t >= 0 of log E e^(sum over C of t_i T_i): Chernoff's bound of it           (1)
//   dR/dP = sum over F of e^(sum over C of t_i T_i) / B, B = sum over F of e^psi_C; so dP/dR <= B   (2)
// The group consists of the others that hinder most, by w_i y, and m is the largest that keeps F small. Any t >= 0
// gives a bound, so the search for the minimum needs no certificate.
// Reference: that of policies/best_arm/rare_errors.hpp, where the event is an error of a phase. Threads: values.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/best_arm/phases.hpp"

namespace assay {

enum class PhaseFate { kSurvives, kIsDropped };

class PhaseTilt {
 public:
  // `exact` is y. None if the arm is not active, the noise is not Gaussian, a fault is planted, every arm is kept, or F
  // has more than 64 sets.
  static std::optional<PhaseTilt> create(const PhasePlan& plan, std::span<const double> exact,
                                         int arm, PhaseFate fate);

  std::vector<double> release(ReplayStream& random) const;   // from R
  double log_ratio(std::span<const double> released) const;  // log dR/dP
  double log_bound() const { return log_bound_; }            // log B

 private:
  struct Term {
    std::size_t index = 0;  // i, among the active arms
    double strength = 0.0;  // t_i
  };
  struct Set {
    std::vector<Term> terms;
    double log_bound = 0.0;  // psi
  };

  PhaseTilt(const PhasePlan& plan, std::span<const double> exact, std::size_t arm, double sign)
      : plan_(&plan), exact_(exact.begin(), exact.end()), arm_(arm), sign_(sign) {}
  double slope(std::size_t i, std::size_t k) const;       // of T_i in z_k
  double covariance(std::size_t i, std::size_t l) const;  // of T_i and T_l
  Set minimised(const std::vector<std::size_t>& members, std::span<const double> scores) const;

  const PhasePlan* plan_;
  std::vector<double> exact_;
  std::size_t arm_;  // among the active arms
  double sign_;
  std::vector<Set> sets_;
  double log_bound_ = 0.0;
};

}  // namespace assay
