// What a claim asks of a black-box audit: one of (eps at delta) and mu is what the claim is about, the
// other is reported beside it.
#pragma once

#include <string>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

struct Asked {
  bool gaussian = false;  // the claim is about mu
  Epsilon epsilon{0.0};   // claimed; of a claim in mu: the eps of its profile at delta
  Delta delta{0.0};       // of a claim in mu: where eps is reported
  Mu mu{0.0};             // of a claim in mu

  std::string main_quantity() const;    // "mu" or "eps at delta = ...": what the claim is about
  std::string second_quantity() const;  // the other
};

// Shares of alpha in an audit by plays; the claim's own quantity has the rest.
inline constexpr double kCheckShare = 0.05;   // for the independence of plays
inline constexpr double kSecondShare = 0.15;  // for the quantity that the claim is not about
inline constexpr double kBelowShare = 0.08;   // for a bound below a claim that is not refuted
inline constexpr double kSteadyShare = 0.02;  // for certified plays against time,
inline constexpr double kAgainShare = 0.02;   // and against a fresh process

inline constexpr double kOftenFails = 0.01;  // of the runs of both sides: then nothing is held

// Why nothing follows from plays without randomness.
inline constexpr const char* kAlike =
    "the plays of the target are all alike on each of the two inputs: either a seed is fixed, and "
    "they prove nothing, or the target is deterministic (then say so: --deterministic, or "
    "\"deterministic\": true in its greeting)";

inline constexpr const char* kByTime =
    "the plays of eight fresh processes were all alike, later ones of the same input were not, and hang "
    "together in time: a seed is taken from the clock, or plays share their noise otherwise, and such plays "
    "prove nothing about one by itself; draw from the seed that comes with each play";

Asked asked_of(const PrivacyLevel& claim, Delta delta0);

// The total variation between neighbours that the claim allows: delta + (1 - delta) tanh(eps/2), or of a
// claim in mu 2 Phi(mu/2) - 1.
double allowed_variation(const Asked& asked);

}  // namespace assay
