// The figures of an audit report. A figure without data has no panels.
#pragma once

#include <cstddef>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/text/svg_plot.hpp"

namespace assay {

inline constexpr std::size_t kMostRoundsDrawn =
    240;  // longer streams are drawn in groups of rounds

// The certified interval of every quantity for which the claim allows a value, with that value.
Figure interval_figure(const AuditReport& report);
// delta(eps) with its band, and the values that the claim allows.
Figure profile_figure(const AuditReport& report);
// Type II against type I error with its band, and the values that the claim allows.
Figure trade_off_figure(const AuditReport& report);
// A histogram of the privacy loss of the transcripts that were sampled on each input.
Figure loss_figure(const AuditReport& report);
// A histogram of the scores of the counted runs on each input.
Figure score_figure(const AuditReport& report);
// A histogram on each input of the number that differs most, if it takes many values.
Figure number_figure(const AuditReport& report);
// Rewards, mean loss and the witness, for each round.
Figure rounds_figure(const AuditReport& report);

// The smallest type II error that the claim allows for a test of this type I error,
//     GDP: G_mu(x);   (eps, delta): max(0, 1 - delta - e^eps x, e^-eps (1 - delta - x)).
// Reference: Dong, Roth, Su (JRSS B 2022), Definition 2.6 and Proposition 2.5.
double claimed_trade_off(const PrivacyLevel& claim, double type_one);

}  // namespace assay
