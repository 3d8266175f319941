// What the sources of steps share.
#pragma once

#include <functional>
#include <vector>

#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay::detail {

// A scale divided by a sensitivity is off by half an ulp of itself: losses and log weights move by
// at most that much of `reach`, the largest |d loss/d log scale| over the outcomes kept.
PrivacyLoss for_quotient(PrivacyLoss distribution, double reach);

// mu (edge + 2 mu) covers the loss and the log weight of either distribution if normal outcomes are
// kept to `edge` deviations, 13 of them at the default tail.
double normal_reach(double mu, double log_tail);

// sensitivity times group, without a rounding where there is no group.
inline Enclosure moved(Enclosure sensitivity, double group) {
  return group == 1.0 ? sensitivity : sensitivity * group;
}

// step.hpp, (2); `sigma` rounded down.
RenyiDp subsampled_renyi(double sigma, double sampling);

inline double middle(Enclosure x) { return 0.5 * (x.low + x.high); }

// An output of a release: its loss, and the log of its probability under P.
struct OutputOfRelease {
  Enclosure loss;
  Enclosure log_mass;
};
// How much `releases` of a pair leak, by moments: eps at the delta asked for, or the log of delta at eps. The moment of a
// tilt is log E[e^(tilt loss)]. It only serves to choose a pair.
double leak_by_moments(const LossAccuracy& accuracy,
                       const std::function<double(double)>& log_moment);
// Of a distribution that has atoms alone.
double log_moment(const PrivacyLoss& loss, double tilt);
// The probability that the difference of two noises, symmetric around 0, exceeds x >= 0.
using DifferenceTail = std::function<Enclosure(Enclosure)>;
// (F(d), 1 - F(d)) against the same at d - shift, F the distribution function of the difference, at the d that leaks most.
PrivacyLoss worst_shift(const DifferenceTail& tail, double shift, const LossAccuracy& accuracy);
// Two outputs with losses t and t - range, at the t that leaks most.
PrivacyLoss worst_range(double range, const LossAccuracy& accuracy);
// The distribution of finitely many; outputs of probability 0 are left out.
PrivacyLoss loss_of_outputs(const std::vector<OutputOfRelease>& outputs, double lattice = 0.0);

}  // namespace assay::detail
