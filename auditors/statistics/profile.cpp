#include "assay/auditors/statistics/profile.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

namespace {

// Outward, for the rounding of chords and tangent points, which have an effect of a few ulp.
constexpr double kMargin = 1e-12;

// log(e^b - e^a), b > a.
double log_gap(double a, double b) { return log_sub_exp(b, a); }

// (c - c_i)/(c_j - c_i) for c = e^eps between them.
double chord_share(double eps, double eps_i, double eps_j) {
  if (!(eps > eps_i)) return 0.0;
  if (!(eps < eps_j)) return 1.0;
  return portable_exp(log_gap(eps_i, eps) - log_gap(eps_i, eps_j));
}

}  // namespace

UpperProfile::UpperProfile(std::span<const double> epsilons, std::span<const double> deltas,
                           UpperBound<Mu> cap)
    : cap_(cap.value.value) {
  ASSAY_CHECK(epsilons.size() == deltas.size(), "one bound of delta for each epsilon");
  const auto log_fall = [](const Point& a, const Point& b) {  // log of minus the slope in e^eps
    return portable_log(a.delta - b.delta) - log_gap(a.epsilon, b.epsilon);
  };
  hull_.push_back({0.0, 1.0});
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const Point point{epsilons[i], std::max(0.0, deltas[i])};
    ASSAY_CHECK(i == 0 || epsilons[i] > epsilons[i - 1], "epsilons must increase");
    if (!(point.delta < hull_.back().delta))
      continue;  // no better bound: the profile does not rise
    if (point.epsilon <= 0.0) {
      hull_.back() = {0.0, point.delta};
      continue;
    }
    while (hull_.size() >= 2 &&
           log_fall(hull_[hull_.size() - 2], hull_.back()) <= log_fall(hull_.back(), point)) {
      hull_.pop_back();
    }
    hull_.push_back(point);
  }
}

UpperBound<Delta> UpperProfile::at(Epsilon epsilon) const {
  const auto right = std::find_if(hull_.begin(), hull_.end(), [&](const Point& point) {
    return point.epsilon >= epsilon.value;
  });
  double delta = hull_.back().delta;  // (2)
  if (right == hull_.begin()) {
    delta = right->delta;
  } else if (right != hull_.end()) {
    const Point& left = *(right - 1);
    const double share = chord_share(epsilon.value, left.epsilon, right->epsilon);
    delta = left.delta + (right->delta - left.delta) * share;  // (1)
    delta = std::clamp(delta * (1.0 + kMargin), right->delta, left.delta);
  }
  if (cap_ < kInfinity) {
    const double log_delta = gdp_log_delta(Mu{cap_}, epsilon) * (1.0 - kGdpRelativeError);
    delta = std::min(delta, portable_exp(log_delta) * (1.0 + kMargin));
  }
  return {{delta}};
}

// l <= delta_mu on every edge of the hull, up to last_epsilon.
bool UpperProfile::stays_below(double mu, double last_epsilon) const {
  const auto below = [&](double epsilon, double delta) {
    if (!(delta > 0.0)) return true;
    const double log_least = gdp_log_delta(Mu{mu}, Epsilon{epsilon}) * (1.0 + kGdpRelativeError);
    return portable_log(delta) + kMargin <= log_least;
  };
  if (!below(0.0, hull_.front().delta)) return false;
  for (std::size_t i = 0; i + 1 < hull_.size(); ++i) {
    const Point& a = hull_[i];
    const Point& b = hull_[i + 1];
    if (a.epsilon >= last_epsilon) return true;
    const double log_fall = portable_log(a.delta - b.delta) - log_gap(a.epsilon, b.epsilon);
    const double tangent =
        log_fall < 0.0 ? -mu * (normal_quantile_from_log(log_fall) + mu / 2.0) : 0.0;  // (3)
    const double epsilon = std::clamp(tangent, a.epsilon, std::min(b.epsilon, last_epsilon));
    const double share = chord_share(epsilon, a.epsilon, b.epsilon);
    if (!below(epsilon, a.delta + (b.delta - a.delta) * share)) return false;
  }
  // delta_mu falls on the constant part, so that its far end decides.
  if (last_epsilon > hull_.back().epsilon) return below(last_epsilon, hull_.back().delta);
  return true;
}

UpperBound<Mu> UpperProfile::mu_above(Delta delta0) const {
  ASSAY_CHECK(delta0.value > 0.0, "delta_0 must be positive");
  if (hull_.front().delta <= delta0.value) return {};
  // The epsilon at which the hull or the cap falls to delta_0; larger ones do not matter.
  double last_epsilon = kInfinity;
  for (std::size_t i = 0; i + 1 < hull_.size(); ++i) {
    const Point& a = hull_[i];
    const Point& b = hull_[i + 1];
    if (b.delta > delta0.value) continue;
    const double share = (a.delta - delta0.value) / (a.delta - b.delta);
    last_epsilon = log_add_exp(a.epsilon, portable_log(share) + log_gap(a.epsilon, b.epsilon));
    last_epsilon = std::min(b.epsilon, last_epsilon * (1.0 + kMargin));
    break;
  }
  if (cap_ < kInfinity) {
    const double log_delta0 = portable_log(delta0.value);
    last_epsilon = std::min(last_epsilon, gdp_epsilon_upper(Mu{cap_}, log_delta0).value.value);
  }
  double high = cap_;
  if (!(high < kInfinity)) {
    constexpr double kMuSearchEnd = 1e6;
    if (!(last_epsilon < kInfinity)) return {{kInfinity}};
    for (high = 1e-3; !stays_below(high, last_epsilon); high *= 2.0) {
      if (high > kMuSearchEnd) return {{kInfinity}};
    }
  }
  double low = 0.0;
  constexpr double kPrecision = 1e-12;
  for (int i = 0; i < 200 && high - low > kPrecision * high; ++i) {
    const double middle = 0.5 * (low + high);
    (stays_below(middle, last_epsilon) ? high : low) = middle;
  }
  return {{high}};
}

UpperBound<Mu> mu_upper_from_profile(std::span<const double> epsilons,
                                     std::span<const double> deltas, Delta delta0,
                                     UpperBound<Mu> cap) {
  return UpperProfile(epsilons, deltas, cap).mu_above(delta0);
}

}  // namespace assay
