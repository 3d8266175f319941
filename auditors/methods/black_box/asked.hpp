// The quantities that a black-box audit has to bound. The claim bounds either eps at delta or mu; the report also has
// the other one.
#pragma once

#include <string>

#include "assay/auditors/statistics/forecast_bets.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

struct Asked {
  bool gaussian = false;  // the claim is about mu
  Epsilon epsilon{0.0};   // the claimed eps; for a claim in mu: the eps of its profile at delta
  Delta delta{0.0};       // for a claim in mu: the delta at which eps is reported
  Mu mu{0.0};             // for a claim in mu

  double claimed() const { return gaussian ? mu.value : epsilon.value; }
  ForecastClaim forecast_claim() const {
    return gaussian ? ForecastClaim::of(mu) : ForecastClaim::of(epsilon, delta);
  }
  std::string main_quantity() const;    // "mu" or "eps at delta = ...": the claimed quantity
  std::string second_quantity() const;  // the other
};

// The shares of alpha in a black-box audit. The claimed quantity gets the rest.
inline constexpr double kCheckShare = 0.05;   // for the independence of runs
inline constexpr double kSecondShare = 0.1;   // for the quantity that the claim does not bound
inline constexpr double kBelowShare = 0.05;   // for a bound below a claim that is not refuted
inline constexpr double kSteadyShare = 0.02;  // for certified runs against time,
inline constexpr double kAgainShare = 0.02;   // and against a fresh process

// The level of bets, on all runs and on those of each seeding.
struct BetsLevel {
  double alpha = 0.0, seeding_alpha = 0.0;
  BetsLevel part(double share) const { return {share * alpha, share * seeding_alpha}; }
};

// Of the claimed quantity's level: what bets on runs from the first on get (pair_bets.hpp). Bets on one event get the
// rest.
inline double bets_share(bool stops_when_decided) { return stops_when_decided ? 0.5 : 0.1; }

inline constexpr double kOftenFails =
    0.01;  // of the runs on both inputs; above it nothing is certified

// Why runs without randomness prove nothing.
inline constexpr const char* kAlike =
    "the runs of the target are all alike on each of the two inputs: either a seed is fixed, and "
    "they prove nothing, or the target is deterministic (then say so: --deterministic, or "
    "\"deterministic\": true in its greeting)";

// The reason, or a part of it, of an audit without a conviction whose certified runs all gave one output.
inline constexpr const char* kConstant =
    "every certified run gave the same output, on both inputs: a constant policy is private, but "
    "if the program should be random, it draws no noise, or a seed is fixed";

// How the reason begins if the target failed first.
inline constexpr const char* kFailedFirst = "the target failed before anything could be certified";

inline constexpr const char* kByTime =
    "the runs of eight fresh processes were all alike, but later runs of the same input were not, and are "
    "autocorrelated: the target takes a seed from the clock, or its runs share noise in another way. Such runs "
    "prove nothing about a single run; draw from the seed that comes with each run";

Asked asked_of(const PrivacyLevel& claim, Delta delta0);

// The total variation between neighbours that the claim allows: delta + (1 - delta) tanh(eps/2), or for a
// claim in mu 2 Phi(mu/2) - 1.
double allowed_variation(const Asked& asked);

}  // namespace assay
