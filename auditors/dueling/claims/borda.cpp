// Effective Borda scores, and the two properties of the preferences that they need.
//
// Delta(x) = sigma(x) - 1/2 = tanh(x/2)/2 of a difference x of scores: odd, increasing, and for x, y
// >= 0, with a = tanh(x/2), b = tanh(y/2), tanh of the sum being (a + b)/(1 + a b),
//   Delta(x) + Delta(y) - Delta(x + y) = a b (a + b)/(2 (1 + a b)) >= 0                        (1)
// so SST, which is monotonicity, and STI, which is (1), hold for every logistic P. With best b,
// worst w:
//   K (B(i) - B(w)) = sum over k of Delta(r_i - r_k) + Delta(r_k - r_w)                        (2)
//   i = b: every term is at least Delta(b, w) by (1): property 1                               (3)
//   any i: Delta(r_i - r_k), Delta(r_k - r_w) <= Delta(b, w): property 2 doubled              (4)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay::dueling_checks {
namespace {

constexpr std::int64_t kMostScores = 8;
constexpr double kRounding = 1e-14;

double preference_gap(double x) { return logistic(x) - 0.5; }  // Delta

// The parameters are K and the largest possible number of scores in the paper's range.
std::vector<Parameter> score_space() {
  std::vector<Parameter> space = {whole("K", 2, static_cast<double>(kMostScores))};
  for (std::int64_t i = 1; i <= kMostScores; ++i) {
    space.push_back({"r_" + std::to_string(i), -1.0, 1.0});
  }
  return space;
}

// The first K scores; none if two are equal, because arms have a total order.
std::vector<double> scores_of(const Point& point) {
  const auto arms = static_cast<std::ptrdiff_t>(point[0]);
  std::vector<double> scores(point.begin() + 1, point.begin() + 1 + arms);
  auto sorted = scores;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return {};
  return scores;
}

double lead(const std::vector<double>& scores, double score) {  // (2)
  const double worst = *std::min_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (const double other : scores)
    sum += preference_gap(score - other) - preference_gap(worst - other);
  return sum / static_cast<double>(scores.size());
}

double widest(const std::vector<double>& scores) {
  const auto [worst, best] = std::minmax_element(scores.begin(), scores.end());
  return preference_gap(*best - *worst);
}

// The arm with the second score has the largest lead of all arms but the best.
std::size_t runner_up(const std::vector<double>& scores) {
  const auto best = std::max_element(scores.begin(), scores.end());
  auto second = scores.end();
  for (auto it = scores.begin(); it != scores.end(); ++it) {
    if (it != best && (second == scores.end() || *it > *second)) second = it;
  }
  return static_cast<std::size_t>(second - scores.begin());
}

ClaimFinding proved_of_sets(const ClaimRequest& request, const RunControl& control,
                            const SearchedClaim& claim, std::string_view id,
                            const std::string& step, const std::string& summary) {
  auto finding = searched({.id = id, .claim = claim, .points = 4'000}, request, control);
  finding.domain = "every set of arms with logistic preferences; search: " + finding.points() +
                   " sets of up to 8 scores in [-1, 1]";
  finding.evidence = {"proof step: " + step,
                      "independent search: exceeded by at most " + finding.excess()};
  return proved(finding, summary);
}

}  // namespace

SearchedClaim borda_spread_search() {
  return {score_space(),
          [](const Point& point) {
            const auto scores = scores_of(point);
            if (scores.empty()) return std::nan("");
            return widest(scores) - lead(scores, *std::max_element(scores.begin(), scores.end()));
          },
          kRounding};
}

// The best arm comes first, then the one with the largest lead, then the worst, so that shrinking
// drops the others.
SearchedClaim borda_lead_search() {
  auto space = score_space();
  space[0].low = 3;
  return {std::move(space),
          [](const Point& point) {
            const auto scores = scores_of(point);
            if (scores.empty() || runner_up(scores) != 1 ||
                *std::max_element(scores.begin(), scores.end()) != scores[0] ||
                *std::min_element(scores.begin(), scores.end()) != scores[2]) {
              return std::nan("");
            }
            return lead(scores, scores[1]) - widest(scores);
          },
          kRounding};
}

SearchedClaim borda_lead_doubled_search() {
  return {score_space(),
          [](const Point& point) {
            const auto scores = scores_of(point);
            if (scores.empty()) return std::nan("");
            return lead(scores, scores[runner_up(scores)]) - 2.0 * widest(scores);
          },
          kRounding};
}

SearchedClaim transitivity_search() {
  return {{real("r_i - r_j", 0.0, 40.0), real("r_j - r_k", 0.0, 40.0)},
          [](const Point& point) {
            const double first = preference_gap(point[0]);
            const double second = preference_gap(point[1]);
            const double both = preference_gap(point[0] + point[1]);
            return std::max(std::max(first, second) - both, both - first - second);
          },
          kRounding};
}

SearchedClaim score_gap_search() {
  return {{real("gap", 1e-3, 2.0)},
          [](const Point& point) { return point[0] - 2.0 * preference_gap(point[0]); },
          kRounding};
}

BordaCounterexample borda_at(const Point& point) {
  BordaCounterexample found;
  found.scores = scores_of(point);
  found.arm = static_cast<int>(runner_up(found.scores));
  found.lead = lead(found.scores, found.scores[static_cast<std::size_t>(found.arm)]);
  found.gap = widest(found.scores);
  return found;
}

ScoreGapCounterexample score_gap_at(const Point& point) {
  return {point[0], 2.0 * preference_gap(point[0])};
}

Finding borda_spread(const ClaimRequest& request, const RunControl& control) {
  return proved_of_sets(
      request, control, borda_spread_search(), "ebs-property-1",
      "B(best) - B(worst) is a mean of Delta(best, k) + Delta(k, worst), and each is at "
      "least Delta(best, worst) by STI",
      "every term of the mean is at least Delta(best, worst)");
}

Finding borda_lead_doubled(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      proved_of_sets(request, control, borda_lead_doubled_search(), "ebs-property-2b",
                     "B(j) - B(worst) is a mean of Delta(j, k) + Delta(k, worst), and each part "
                     "is at most Delta(best, worst) by SST",
                     "every term of the mean is at most twice Delta(best, worst)");
  finding.evidence.push_back("for scores in [-1, 1] the lead stays below " +
                             rounded_up(2.0 * preference_gap(1.0) / preference_gap(2.0), 5) +
                             " Delta(best, worst), the limit for many arms in the middle");
  return finding;
}

// Monotonicity and the identity (1).
Finding transitivity(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "sst-sti", .claim = transitivity_search(), .points = 4'000},
                          request, control);
  finding.domain =
      "every three scores; search: " + finding.points() + " pairs of gaps from 0 to 40";
  finding.evidence = {
      "SST: tanh(x/2)/2 grows with x",
      "STI: with a = tanh(x/2), b = tanh(y/2) the sum of the gaps exceeds the gap of the sum by a "
      "b (a + b)/(2 (1 + a b))",
      "independent search: exceeded by at most " + finding.excess()};
  return proved(finding, "monotonicity, and the addition formula of the hyperbolic tangent");
}

// A few arms are enough, so shrinking may cost three quarters of the margin.
Finding borda_lead(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched(
      {.id = "ebs-property-2", .claim = borda_lead_search(), .points = 20'000, .keep = 0.25},
      request, control);
  finding.domain = "3 to 8 arms with different scores in [-1, 1]: " + finding.points() + " sets";
  std::vector<double> many(53, 0.0);
  many.front() = 1.0;
  many[1] = 0.999;
  many.back() = -1.0;
  return refuted_or_not(
      finding, "B(j) - B(worst) - Delta(best, worst)", borda_at,
      {fmt::format(
           "scores 1, 0.999, fifty times 0 and -1: B(j) - B(worst) = {}, Delta(best, worst) = {}",
           rounded(lead(many, 0.999), 4), rounded(widest(many), 4)),
       "three arms are not enough: B(j) - B(worst) is then (Delta(best, worst) - Delta(best, j) + 2 "
       "Delta(j, worst))/3"});
}

Finding score_gap(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "duel-gap", .claim = score_gap_search(), .points = 1'000, .keep = 0.25},
               request, control);
  finding.domain = "gaps of scores up to 2: " + finding.points() + " of them";
  return refuted_or_not(
      finding, "gap - 2 Delta", score_gap_at,
      {fmt::format("for gaps up to 2: r(x_1) - r(x_i) <= {} Delta(1,i), from 4 Delta at small "
                   "gaps, since tanh(x)/x falls",
                   rounded_up(2.0 / preference_gap(2.0), 5))});
}

}  // namespace assay::dueling_checks
