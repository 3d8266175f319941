// What a certificate may contain, whoever made it: the rules of its reader and of its check.
//
//   claim               kind       inputs
//   ts-step-dp          round      a history, one play of which changes its reward, an event, delta
//   rnm-hetero-gauss    noisy-max  values, deviations, sensitivities, one changed value, an event,
//                                  delta
//   ts-eq27             law        a history, an arm
//   ftnl-dp-*           epoch      noise, eps, an epoch's losses, one vector and its replacement, an
//                                  action
//   ftnl-det-regret-printed
//                       regret     eps, epochs, gaps of actions
//   softmax-integral    integral   levels
//   ftnl-conjecture     growth     noise, eps, a gap, a split of the range of c2
//
// The limits keep a check short and its 50 digits enough; no refutation needs more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

constexpr int kCertificateVersion = 1;
constexpr int kMostCertificateArms = 16;
constexpr std::size_t kMostHistoryEntries = 10'000;
constexpr std::int64_t kMostTimes = 1'000'000'000;
constexpr double kLargestValue = 1e9;  // of a noisy max; deviations lie in [1e-9, 1e9]
constexpr double kLeastDeviation = 1e-9;

// "round", "noisy-max", "law", "epoch", "regret", "integral" or "growth".
std::string_view kind_name(const Counterexample& counterexample);

// Errors: a claim that no certificate refutes, a counterexample of another kind than the claim's, a
// field out of its range; each names the field by its JSON pointer in the file format. Whether a
// changed value stays within its sensitivity is left to the exact arithmetic of the check.
Status check_rules(const Certificate& certificate);

}  // namespace assay
