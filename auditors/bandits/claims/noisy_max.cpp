// Theorem 6: heterogeneous Gaussian report-noisy-max, where one value changes by at most its
// sensitivity, is (eps, delta)-DP for eps >= (1/2) sqrt(log((n - 1)/(2 delta))) max_i s_i/sigma_i.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "assay/auditors/bandits/claims/action_distribution.hpp"
#include "assay/auditors/bandits/claims/checks.hpp"
#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::thompson_sampling_checks {
namespace {

constexpr int kMostEntries = 4;

// The parameters are n and delta, and for each entry its value, deviation and sensitivity. The
// first entry changes from 0 by its whole sensitivity. This loses nothing: neither the order of the
// entries nor a common shift matters, and the claim promises most if the sensitivity equals the
// change.
std::vector<Parameter> query_space() {
  std::vector<Parameter> space{whole("n", 2, kMostEntries), log_scale("delta", 1e-9, 0.49),
                               real("neighbour f_1", -4.0, 4.0), log_scale("sigma_1", 0.5, 4.0)};
  for (int i = 2; i <= kMostEntries; ++i) {
    const std::string entry = std::to_string(i);
    space.push_back(real("f_" + entry, -4.0, 4.0));
    space.push_back(log_scale("sigma_" + entry, 0.5, 4.0));
    space.push_back(log_scale("s_" + entry, 0.1, 4.0));
  }
  return space;
}

struct ScoredQuery {
  NoisyMaxCounterexample query;
  double margin = 0.0;
};

ScoredQuery query_at(const Point& point) {
  NoisyMaxCounterexample query;
  const auto entries = static_cast<std::size_t>(point[0]);
  query.neighbour_value = point[2];
  query.values = {0.0};
  query.deviations = {point[3]};
  query.sensitivities = {std::abs(point[2])};
  for (std::size_t i = 1; i < entries; ++i) {
    query.values.push_back(point[1 + 3 * i]);
    query.deviations.push_back(point[2 + 3 * i]);
    query.sensitivities.push_back(point[3 + 3 * i]);
  }
  double ratio = 0.0;
  for (std::size_t i = 0; i < entries; ++i) {
    ratio = std::max(ratio, query.sensitivities[i] / query.deviations[i]);
  }
  const double delta = point[1];
  const double n = static_cast<double>(entries);
  const double epsilon = 0.5 * std::sqrt(portable_log((n - 1.0) / (2.0 * delta))) * ratio;
  const auto distributions =
      distributions_of({query.values, query.deviations, 0, query.neighbour_value});
  query.numbers = best_event(distributions, epsilon, delta);
  return {std::move(query), level_margin(distributions, epsilon, delta)};
}

}  // namespace

SearchedClaim noisy_max_search() {
  return {query_space(), [](const Point& point) { return query_at(point).margin; }, 1e-12};
}

Finding noisy_max(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "rnm-hetero-gauss", .claim = noisy_max_search(), .points = 8'000},
                          request, control);
  finding.domain =
      finding.points() +
      " queries of 2 to 4 values in [-4, 4], deviations from 0.5 to 4, sensitivities to "
      "4, delta from 1e-9 to 0.49";
  return refuted_or_not(finding, "margin of true delta over delta",
                        [](const Point& point) { return query_at(point).query; });
}

}  // namespace assay::thompson_sampling_checks
