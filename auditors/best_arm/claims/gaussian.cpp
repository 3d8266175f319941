// Proposition D.2: DP-BAI-Gauss with the classical constant is (eps, delta)-DP for any eps > 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/auditors/best_arm/claims/checks.hpp"
#include "assay/auditors/best_arm/claims/gaussian_levels.hpp"
#include "assay/auditors/best_arm/claims/searches.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::best_arm_checks {
namespace {

constexpr double kLogFour = 1.3862943611198906;

// The deviation of the quantity that the event of a view compares, in rewards.
double event_deviation(BestArmView view, double epsilon, double delta) {
  const double c = classical_deviation(epsilon, delta);
  return view == BestArmView::kRelease ? c : c * std::sqrt(2.0);
}

}  // namespace

double classical_deviation(double epsilon, double delta) {
  return std::sqrt(2.0 * portable_log(1.25 / delta)) / epsilon;
}

double true_delta(BestArmView view, double epsilon, double delta) {
  return gdp_delta(Mu{1.0 / event_deviation(view, epsilon, delta)}, Epsilon{epsilon}).value;
}

std::optional<double> boundary(BestArmView view, double delta) {
  const auto fails = [&](double epsilon) { return true_delta(view, epsilon, delta) > delta; };
  double low = 1e-2;
  double high = low;
  while (!fails(high)) {
    low = high;
    high *= 1.05;
    if (high > 1000.0) return std::nullopt;
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (fails(middle) ? high : low) = middle;
  }
  return high;
}

SearchedClaim gaussian_search(BestArmView view) {
  return {{log_scale("eps", 0.1, 40.0), log_scale("delta", 1e-6, 0.25)},
          [view](const Point& point) {
            const auto found = gaussian_at(view, point);
            // Beyond four times delta all violations count alike, so that the search prefers the
            // simplest.
            return found.true_delta > 0.0
                       ? std::min(portable_log(found.true_delta / found.delta), kLogFour)
                       : -HUGE_VAL;
          },
          1e-9};
}

// The best threshold of a shift by 1 at deviation w is eps w^2 - 1/2 below the mean. In a
// transcript it is a sum of rewards, so it is at least 0, and n is large enough that arm 3 never
// interferes.
GaussianCounterexample gaussian_at(BestArmView view, const Point& point) {
  GaussianCounterexample found;
  found.view = view;
  found.epsilon = point[0];
  found.delta = point[1];
  const double width = event_deviation(view, found.epsilon, found.delta);
  found.others = std::max(0.0, found.epsilon * width * width - 0.5);
  found.others = std::round(100.0 * found.others) / 100.0;
  found.pulls = static_cast<std::int64_t>(std::ceil(2.0 * found.others + 40.0 * width)) + 2;
  const double rest = view == BestArmView::kRelease
                          ? 0.0
                          : normal_cdf(-(static_cast<double>(found.pulls) - found.others) / width);
  found.p = normal_cdf(-found.others / width) - rest;
  found.q = normal_cdf(-(found.others + 1.0) / width);
  found.true_delta = found.p - portable_exp(found.epsilon) * found.q;
  return found;
}

namespace {

FindingTable boundaries() {
  FindingTable table;
  table.columns = {"delta", "holds for the release up to eps",
                   "for two arms' transcript up to eps"};
  for (const double delta : {0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
    const auto text = [&](BestArmView view) {
      const auto eps = boundary(view, delta);
      return eps ? rounded_down(*eps, 4) : std::string("1000");
    };
    table.rows.push_back(
        {number_text(delta), text(BestArmView::kRelease), text(BestArmView::kTranscript)});
  }
  return table;
}

std::string excess(BestArmView view, double epsilon, double delta) {
  return fmt::format("{} times delta at eps = {}, delta = {}",
                     rounded_down(true_delta(view, epsilon, delta) / delta, 4),
                     number_text(epsilon), number_text(delta));
}

Finding gaussian(BestArmView view, std::string_view id, const ClaimRequest& request,
                 const RunControl& control) {
  auto finding =
      searched({.id = id, .claim = gaussian_search(view), .points = 4'000}, request, control);
  finding.domain = fmt::format(
      "the table in closed form; search: {} points, eps from 0.1 to 40, delta from 1e-6 to 1/4",
      finding.points());
  finding.table = boundaries();
  return refuted_or_not(
      finding, "log of true over claimed delta",
      [view](const Point& point) { return gaussian_at(view, point); },
      {view == BestArmView::kRelease
           ? excess(view, 10.0, 1e-2) + "; " + excess(view, 20.0, 1e-5)
           : excess(view, 40.0, 1e-5) +
                 "; below the limit the released means may fail although their argmax does not"});
}

}  // namespace

Finding gaussian_transcript(const ClaimRequest& request, const RunControl& control) {
  return gaussian(BestArmView::kTranscript, "bai-gauss-dp", request, control);
}
Finding gaussian_release(const ClaimRequest& request, const RunControl& control) {
  return gaussian(BestArmView::kRelease, "bai-gauss-release", request, control);
}

}  // namespace assay::best_arm_checks
