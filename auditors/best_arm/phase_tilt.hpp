// The Gaussian noise of a best-arm phase, tilted so that an arm survives it, or so that it does not: the
// laws R of auditors/methods/release.hpp, for releases.
//
// Symbols: s active arms of which k are kept; scores w_i z of values z = y + noise; arm j.
// If j survives, it is at or above one of any k others; if not, at or below one of any s - k others. With I
// such others and T_i = w_j z - w_i z, or its negative, so that some T_i >= 0 whenever j does what is asked:
//   psi_i = log E e^(t_i T_i), t_i >= 0 the minimiser: Chernoff's bound of P(T_i >= 0)          (1)
//   dR/dP = sum over I of e^(t_i T_i) / B, B = sum over I of e^psi_i;  dP/dR <= B where j does     (2)
// I are the others that bound most: the k best, or the s - k worst, by w_i y.
// Reference: as policies/best_arm/rare_errors.hpp, whose event is an error of a phase. Threads: values.
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
  // `exact` is y. None where the arm is not active, noise is not Gaussian, a fault is planted, every arm is
  // kept, or I has more than 64 arms.
  static std::optional<PhaseTilt> create(const PhasePlan& plan, std::span<const double> exact,
                                         int arm, PhaseFate fate);

  std::vector<double> release(ReplayStream& random) const;   // from R
  double log_ratio(std::span<const double> released) const;  // log dR/dP
  double log_bound() const { return log_bound_; }            // log B

 private:
  struct Rival {
    std::size_t index = 0;  // among the active arms
    double strength = 0.0;  // t
    double log_bound = 0.0;
  };

  PhaseTilt(const PhasePlan& plan, std::span<const double> exact, std::size_t arm, double sign)
      : plan_(&plan), exact_(exact.begin(), exact.end()), arm_(arm), sign_(sign) {}
  double slope(std::size_t i, std::size_t k) const;  // of T_i in z_k

  const PhasePlan* plan_;
  std::vector<double> exact_;
  std::size_t arm_;  // among the active arms
  double sign_;
  std::vector<Rival> rivals_;
  double log_bound_ = 0.0;
};

}  // namespace assay
