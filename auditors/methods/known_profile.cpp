#include "assay/auditors/methods/known_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/auditors/statistics/profile.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kLargestEpsilon = 1e7;  // above the losses of every configuration

// The point where `above` turns from true to false, between low (true) and high (false).
template <class Above>
std::pair<double, double> crossing(double low, double high, const Above& above) {
  for (int i = 0; i < 100 && high - low > 1e-14 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? low : high) = middle;
  }
  return {low, high};
}

class ProfileReader {
 public:
  ProfileReader(const KnownProfile& profile, const PrivacyLevel& claim, Delta delta0)
      : profile_(profile), claimed_(claimed_quantity(claim)), delta0_(delta0.value) {}

  PairEvidence read() {
    out_.method = "exact";
    const bool about_delta = claimed_.kind == QuantityKind::kDeltaAtEpsilon;
    double delta = delta0_;
    if (about_delta) {
      const auto at = profile_.delta(Epsilon{claimed_.at});
      add(QuantityKind::kDeltaAtEpsilon, claimed_.at, at.lower.value.value, at.upper.value.value);
      if (claimed_.limit > 0.0) delta = claimed_.limit;
      if (claimed_.limit == 0.0) {
        add(QuantityKind::kEpsilonAtDelta, 0.0, profile_.largest_loss.lower.value.value,
            profile_.largest_loss.upper.value.value);
      }
    }
    add(QuantityKind::kEpsilonAtDelta, delta, epsilon_lower(delta), epsilon_upper(delta));
    points(about_delta ? claimed_.at : 0.0);
    add(QuantityKind::kMuAboveDelta0, delta0_, mu_lower(delta0_), mu_upper());
    add(QuantityKind::kMu, 0.0, mu_lower(0.0), largest_mu());
    if (!about_delta) std::reverse(out_.quantities.begin(), out_.quantities.end());
    out_.limits = {
        "A privacy guarantee is a statement about all pairs; this run is exact for the worst pair "
        "found, and its search was not exhaustive."};
    return std::move(out_);
  }

 private:
  void add(QuantityKind kind, double at, double lower, double upper) {
    const auto bound = [&](double value) {
      const bool known = std::isfinite(value) || std::isinf(lower);
      return EvidencedBound{value, known ? Evidence::kExact : Evidence::kNone,
                            known ? profile_.how : ""};
    };
    out_.quantities.push_back({kind, at, bound(lower), bound(upper)});
  }

  // An eps beyond all that matter at this delta.
  double top(double delta) const {
    if (std::isfinite(profile_.largest_loss.upper.value.value)) {
      return std::max(profile_.largest_loss.upper.value.value, 1e-300);
    }
    double high = 1.0;
    while (high < kLargestEpsilon && profile_.delta(Epsilon{high}).upper.value.value > delta) {
      high *= 2.0;
    }
    return high;
  }

  double epsilon_lower(double delta) const {
    const auto above = [&](double e) {
      return profile_.delta(Epsilon{e}).lower.value.value > delta;
    };
    return above(0.0) ? crossing(0.0, top(delta), above).first : 0.0;
  }

  double epsilon_upper(double delta) const {
    const auto above = [&](double e) {
      return profile_.delta(Epsilon{e}).upper.value.value > delta;
    };
    if (!above(0.0)) return 0.0;
    const double high = top(delta);
    if (above(high)) return profile_.largest_loss.upper.value.value;
    return crossing(0.0, high, above).second;
  }

  void points(double claimed_epsilon) {
    constexpr int kPoints = 61;
    double last = epsilon_upper(delta0_);
    if (!std::isfinite(last)) last = 1.0;
    last = std::max({1e-6, 1.15 * last, 1.05 * claimed_epsilon});
    for (int i = 0; i < kPoints; ++i) {
      const double epsilon = last * i / (kPoints - 1);
      const auto delta = profile_.delta(Epsilon{epsilon});
      const double low = delta.lower.value.value;
      const double high = delta.upper.value.value;
      out_.profile.push_back({epsilon, low, 0.5 * (low + high), high});
    }
  }

  double mu_lower(double delta0) const {
    if (profile_.mu) return profile_.mu->lower.value.value;
    double best = 0.0;
    for (const auto& point : out_.profile) {
      if (!(point.lower > delta0)) continue;
      best = std::max(best,
                      gdp_mu_lower(Epsilon{point.epsilon}, portable_log(point.lower)).value.value);
    }
    return best;
  }

  // Every eps-DP pair is Gaussian DP.
  double largest_mu() const {
    if (profile_.mu) return profile_.mu->upper.value.value;
    const auto level = to_gaussian(PureDp{profile_.largest_loss.upper.value});
    return level ? level->mu.value : kInfinity;
  }

  double mu_upper() const {
    if (profile_.mu) return profile_.mu->upper.value.value;
    std::vector<double> epsilons;
    std::vector<double> deltas;
    for (const auto& point : out_.profile) {
      epsilons.push_back(point.epsilon);
      deltas.push_back(point.upper);
    }
    return mu_upper_from_profile(epsilons, deltas, Delta{delta0_}, {Mu{largest_mu()}}).value.value;
  }

  const KnownProfile& profile_;
  ClaimedQuantity claimed_;
  double delta0_;
  PairEvidence out_;
};

}  // namespace

PairEvidence profile_evidence(const KnownProfile& profile, const PrivacyLevel& claim,
                              Delta delta0) {
  return ProfileReader(profile, claim, delta0).read();
}

}  // namespace assay
