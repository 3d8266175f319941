// What step.cpp and sampled_step.cpp share.
#pragma once

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"

namespace assay::detail {

// A scale divided by a sensitivity is off by half an ulp of itself: losses and log weights move by
// at most that much of `reach`, the largest |d loss/d log scale| over the outcomes kept.
PrivacyLoss for_quotient(PrivacyLoss distribution, double reach);

// mu (edge + 2 mu) covers the loss and the log weight of either distribution if normal outcomes are
// kept to `edge` deviations, 13 of them at the default tail.
double normal_reach(double mu, double log_tail);

// step.hpp, (2); `sigma` rounded down.
RenyiDp subsampled_renyi(double sigma, double sampling);

}  // namespace assay::detail
