#include "assay/auditors/methods/exact_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

template <class Q>
ReportedQuantity exactly(QuantityKind kind, double at, const Interval<Q>& interval,
                         const std::string& how) {
  return {kind,
          at,
          {interval.lower.value.value, Evidence::kExact, how},
          {interval.upper.value.value, Evidence::kExact, how}};
}

// The larger orientation of a quantity, for each bound separately.
template <class Q>
Interval<Q> larger(const Interval<Q>& a, const Interval<Q>& b) {
  return {{std::max(a.lower.value, b.lower.value)}, {std::max(a.upper.value, b.upper.value)}};
}

Interval<Delta> delta_at(const ExactLoss& exact, double epsilon) {
  return larger(exact.delta(Epsilon{epsilon}, Orientation::kBaseToNeighbour),
                exact.delta(Epsilon{epsilon}, Orientation::kNeighbourToBase));
}

Interval<Epsilon> epsilon_at(const ExactLoss& exact, double delta) {
  return larger(exact.epsilon(Delta{delta}, Orientation::kBaseToNeighbour),
                exact.epsilon(Delta{delta}, Orientation::kNeighbourToBase));
}

std::vector<ProfilePoint> profile_of(const ExactLoss& exact, double delta0,
                                     double claimed_epsilon) {
  constexpr int kPoints = 61;
  const double top =
      std::max({1e-6, 1.15 * epsilon_at(exact, delta0).upper.value.value, 1.05 * claimed_epsilon});
  std::vector<ProfilePoint> points;
  for (int i = 0; i < kPoints; ++i) {
    const double epsilon = top * i / (kPoints - 1);
    const auto delta = delta_at(exact, epsilon);
    const double low = delta.lower.value.value;
    const double high = delta.upper.value.value;
    points.push_back({epsilon, low, 0.5 * (low + high), high});
  }
  return points;
}

// The polygon through the likelihood-ratio tests, read off at fixed type I errors.
std::vector<TradeOffPoint> trade_off_of(const ExactLoss& exact) {
  std::vector<TradeOffPoint> points;
  constexpr int kSteps = 50;
  const auto& corners = exact.corners();
  std::size_t k = corners.size();  // corners k.. have type I error (complement) at most a
  double left_a = 0.0;
  double left_b = 1.0;
  for (int i = 0; i <= kSteps; ++i) {
    const double root = static_cast<double>(i) / kSteps;
    const double a = root * root;
    while (k > 0 && portable_exp(corners[k - 1].log_pc) <= a) {
      --k;
      left_a = portable_exp(corners[k].log_pc);
      left_b = portable_exp(corners[k].log_q);
    }
    const double right_a = k > 0 ? portable_exp(corners[k - 1].log_pc) : 1.0;
    const double right_b = k > 0 ? portable_exp(corners[k - 1].log_q) : 0.0;
    const double share = right_a > left_a ? (a - left_a) / (right_a - left_a) : 0.0;
    const double b = std::clamp(left_b + share * (right_b - left_b), 0.0, 1.0);
    points.push_back({a, b, b, b});
  }
  return points;
}

PairHistogram histogram_of(const ExactLoss& exact) {
  constexpr std::size_t kBins = 60;
  const auto& corners = exact.corners();
  const double low = corners.back().loss;
  const double high = corners.front().loss;
  if (!(high > low)) return {};
  PairHistogram histogram;
  for (std::size_t i = 0; i <= kBins; ++i) {
    histogram.edges.push_back(low + (high - low) * static_cast<double>(i) / kBins);
  }
  histogram.side_base.assign(kBins, 0.0);
  histogram.side_neighbour.assign(kBins, 0.0);
  double p_before = 0.0;
  double q_before = 0.0;
  for (const auto& corner : corners) {
    const double p = portable_exp(corner.log_p);
    const double q = portable_exp(corner.log_q);
    const auto bin =
        std::min(kBins - 1, static_cast<std::size_t>((corner.loss - low) / (high - low) * kBins));
    histogram.side_base[bin] += p - p_before;
    histogram.side_neighbour[bin] += q - q_before;
    p_before = p;
    q_before = q;
  }
  return histogram;
}

}  // namespace

PairEvidence exact_evidence(const ExactLoss& exact, const PrivacyLevel& claim, Delta delta0,
                            std::string_view outcome, const RunControl& control) {
  const ClaimedQuantity claimed = claimed_quantity(claim);
  PairEvidence out;
  out.method = "exact";
  const std::string how = fmt::format("every {}, with numerical error carried outward", outcome);
  double delta = delta0.value;
  if (claimed.kind == QuantityKind::kDeltaAtEpsilon) {
    if (claimed.limit > 0.0) delta = claimed.limit;
    if (claimed.limit == 0.0) {  // a pure claim: the largest loss decides it
      out.quantities.push_back(
          exactly(QuantityKind::kEpsilonAtDelta, 0.0, epsilon_at(exact, 0.0), how));
    }
    out.quantities.push_back(
        exactly(QuantityKind::kDeltaAtEpsilon, claimed.at, delta_at(exact, claimed.at), how));
  }
  out.quantities.push_back(
      exactly(QuantityKind::kEpsilonAtDelta, delta, epsilon_at(exact, delta), how));
  const Interval<Mu> mu_above = exact.mu_above(delta0, control);
  const bool stopped = control.stopped();
  if (!stopped) {
    out.quantities.push_back(exactly(QuantityKind::kMuAboveDelta0, delta0.value, mu_above, how));
  }
  out.quantities.push_back(exactly(QuantityKind::kMu, 0.0, exact.mu(), how));
  // The claimed quantity comes first.
  if (claimed.kind == QuantityKind::kMu) std::reverse(out.quantities.begin(), out.quantities.end());
  if (!stopped) {
    out.profile = profile_of(exact, delta0.value,
                             claimed.kind == QuantityKind::kDeltaAtEpsilon ? claimed.at : 0.0);
    out.trade_off = trade_off_of(exact);
    out.losses = histogram_of(exact);
  }
  out.limits = {
      "A privacy guarantee is a statement about all pairs; this run is exact for the worst pair "
      "found, and its search was not exhaustive.",
      fmt::format("The probabilities of all {}s sum to 1 within {:.1g}. Every bound allows a "
                  "relative error of {:.1g} in each probability.",
                  outcome, exact.sum_error(), exact.relative_error())};
  if (stopped) {
    out.limits.push_back(
        "The run stopped before it had computed mu over delta >= delta_0, the profile and the "
        "trade-off curve.");
  }
  return out;
}

double lower_bound_of(const ExactLoss& exact, const ClaimedQuantity& claimed) {
  if (claimed.kind == QuantityKind::kMu) return exact.mu().lower.value.value;
  if (claimed.limit == 0.0) {
    return std::max(exact.largest_loss(Orientation::kBaseToNeighbour),
                    exact.largest_loss(Orientation::kNeighbourToBase));
  }
  return delta_at(exact, claimed.at).lower.value.value;
}

double lower_bound_of(EnumeratedDistributions distributions, const ClaimedQuantity& claimed) {
  const auto exact = ExactLoss::create(std::move(distributions));
  return exact ? lower_bound_of(*exact, claimed) : 0.0;
}

PairEvidence stopped_evidence(const PathSearchResult& paths, const PrivacyLevel& claim,
                              Delta delta0, UpperBound<Mu> augmented_mu) {
  const ClaimedQuantity claimed = claimed_quantity(claim);
  PairEvidence out;
  out.method = "exact";
  out.interrupted = true;
  out.limits = {
      "A privacy guarantee is a statement about all pairs; this run is about the worst pair found, "
      "and stopped before it had enumerated all of its transcripts. Its lower bounds come from "
      "single transcripts."};
  const double infinity = std::numeric_limits<double>::infinity();
  const auto capped = [&](double lower, double upper, double none) {
    const bool known = upper < none;
    return std::pair(
        EvidencedBound{lower, lower > 0.0 ? Evidence::kExactPath : Evidence::kNone,
                       lower > 0.0 ? "one transcript, exactly" : ""},
        EvidencedBound{known ? upper : none, known ? Evidence::kTheorem : Evidence::kNone,
                       known ? "augmented release (all theta)" : ""});
  };
  const double mu_cap = augmented_mu.value.value;
  if (claimed.kind == QuantityKind::kDeltaAtEpsilon) {
    const Epsilon epsilon{claimed.at};
    const double lower = std::max(paths.largest_mu.delta(epsilon).value.value,
                                  paths.largest_loss.delta(epsilon).value.value);
    const double upper =
        mu_cap < infinity ? gdp_delta(Mu{mu_cap}, epsilon).value * (1.0 + kGdpRelativeError) : 1.0;
    const auto [low, high] = capped(lower, upper, 1.0);
    out.quantities.push_back({QuantityKind::kDeltaAtEpsilon, claimed.at, low, high});
  }
  const auto [above_low, above_high] = capped(0.0, mu_cap, infinity);
  out.quantities.push_back({QuantityKind::kMuAboveDelta0, delta0.value, above_low, above_high});
  const auto [mu_low, mu_high] = capped(paths.largest_mu.mu.value.value, mu_cap, infinity);
  out.quantities.push_back({QuantityKind::kMu, 0.0, mu_low, mu_high});
  if (claimed.kind == QuantityKind::kMu) std::reverse(out.quantities.begin(), out.quantities.end());
  return out;
}

}  // namespace assay
