// The paper's statements about its figures, decided by the intervals of the success rates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/auditors/best_arm/figures/best_arm_run.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay::detail {
namespace {

using P = BestArmPolicy;

constexpr double kBothFind = 0.95;  // above this, neither policy can be much better than the other
constexpr std::int64_t kLongBudget = 2000;

std::string place_text(const BestArmRun& run, const BestArmPoint& point) {
  std::string text =
      fmt::format("T = {}, \xCE\xB5 = {}", grouped(point.budget), number_text(point.epsilon));
  if (run.grid.ratios.size() > 1) text += ", y/x = " + number_text(point.ratio);
  return text;
}

std::string rates(const BestArmRun& run, P a, P b, const BestArmPoint& point) {
  return fmt::format("{} {:.3f} in {}, {} {:.3f} in {} ({})", value_text(a), run.rate(a, point),
                     bounds_text(run.at(a, point)), value_text(b), run.rate(b, point),
                     bounds_text(run.at(b, point)), place_text(run, point));
}

// Compares DP-BAI with another policy at the wanted points, except those at which both nearly
// always find the best arm. It shows the point of DP-BAI's least lead.
template <class Wanted>
OutcomeDecision outperforms(const BestArmRun& run, P other, Wanted wanted) {
  std::vector<Outcome> parts;
  double least = HUGE_VAL;
  OutcomeDecision found;
  for (const auto& point : run.drawn()) {
    if (!wanted(point)) continue;
    const Bounds& ours = run.at(P::kDpBai, point);
    const Bounds& theirs = run.at(other, point);
    if (ours.lower > kBothFind && theirs.lower > kBothFind) continue;
    parts.push_back(is_below(theirs, ours));
    const double lead = run.rate(P::kDpBai, point) - run.rate(other, point);
    if (lead >= least) continue;
    least = lead;
    found.observed = rates(run, P::kDpBai, other, point);
  }
  if (parts.empty()) return {Outcome::kUndecided, "no such point is drawn"};
  found.outcome = all_of(parts);
  const auto count = [&](Outcome o) { return std::count(parts.begin(), parts.end(), o); };
  found.observed =
      fmt::format("above at {} of {} points, not above at {}; least lead: {}",
                  count(Outcome::kHolds), parts.size(), count(Outcome::kFails), found.observed);
  return found;
}

StatedOutcome<BestArmRun> beats(P other, std::string name, bool long_budgets) {
  return {
      std::move(name),
      fmt::format("DP-BAI significantly outperforms Baseline and DP-OD (Section 5){}",
                  long_budgets ? ", read for budgets that let it distinguish arms" : ""),
      fmt::format("at every \xCE\xB5 and every T {}drawn the interval of DP-BAI lies above that "
                  "of {}, except at points where both lie above {}",
                  long_budgets ? fmt::format("of at least {} ", grouped(kLongBudget)) : "",
                  value_text(other), number_text(kBothFind)),
      [other, long_budgets](const BestArmRun& run) {
        return outperforms(run, other, [&](const BestArmPoint& point) {
          return !long_budgets || point.budget >= kLongBudget;
        });
      }};
}

// The difference of two rates: holds if it is certainly below `most`, fails if certainly above.
Outcome is_within(const Bounds& a, const Bounds& b, double most) {
  const double largest = std::max(a.upper - b.lower, b.upper - a.lower);
  const double least = std::max(a.lower - b.upper, b.lower - a.upper);
  if (largest <= most) return Outcome::kHolds;
  return least > most ? Outcome::kFails : Outcome::kUndecided;
}

StatedOutcome<BestArmRun> meets_od_lin_bai() {
  constexpr double kSimilar = 0.05;
  return {
      "DP-BAI meets OD-LinBAI as privacy vanishes",
      "as eps tends to infinity the performances of DP-BAI and OD-LinBAI are similar (Section "
      "5)",
      fmt::format("at the largest \xCE\xB5 drawn and every T the two rates differ by at most {}",
                  number_text(kSimilar)),
      [](const BestArmRun& run) {
        JointDecision found;
        Farthest apart{-1.0};
        for (const auto& point : run.drawn()) {
          if (point.epsilon != run.grid.epsilons.back()) continue;
          found.add(is_within(run.at(P::kDpBai, point), run.at(P::kOdLinBai, point), kSimilar));
          apart.offer(std::fabs(run.rate(P::kDpBai, point) - run.rate(P::kOdLinBai, point)),
                      [&] { return rates(run, P::kDpBai, P::kOdLinBai, point); });
        }
        found.note("farthest apart: " + apart.where);
        return found.decision();
      }};
}

// ---- Figure 2 -----------------------------------------------------------------------------------

// Calls decide(the point at the ratio 1, the point at the largest ratio) for each T and eps.
template <class Decide>
OutcomeDecision over_settings(const BestArmRun& run, Decide decide) {
  JointDecision found;
  for (const auto& point : run.drawn()) {
    if (point.ratio != run.grid.ratios.front()) continue;
    const BestArmPoint last{point.budget, point.epsilon, run.grid.ratios.back()};
    const auto [outcome, text] = decide(point, last);
    found.add(outcome, text);
  }
  return found.decision();
}

StatedOutcome<BestArmRun> od_worsens() {
  return {"DP-OD becomes worse as the features' ratio grows",
          "when the ratio of x and y increases, the performance of DP-OD becomes worse (Appendix "
          "E.2)",
          "at every T and \xCE\xB5 the interval of DP-OD at the largest ratio lies below that at 1",
          [](const BestArmRun& run) {
            return over_settings(run, [&](const BestArmPoint& first, const BestArmPoint& last) {
              return OutcomeDecision{
                  is_below(run.at(P::kDpOd, last), run.at(P::kDpOd, first)),
                  fmt::format("from {:.3f} to {:.3f} (T = {}, \xCE\xB5 = {})",
                              run.rate(P::kDpOd, first), run.rate(P::kDpOd, last),
                              grouped(first.budget), number_text(first.epsilon))};
            });
          }};
}

StatedOutcome<BestArmRun> bai_does_not() {
  constexpr double kSame = 0.1;
  return {"DP-BAI does not depend on the features' ratio",
          "the performance of DP-BAI is essentially independent of the ratio (Appendix E.2)",
          fmt::format("at every T and \xCE\xB5 no two intervals of DP-BAI over all ratios are "
                      "disjoint, and together they span at most {}",
                      number_text(kSame)),
          [](const BestArmRun& run) {
            return over_settings(run, [&](const BestArmPoint& first, const BestArmPoint&) {
              Bounds inner{0.0, 1.0};  // the intersection of all intervals
              Bounds outer{1.0, 0.0};
              for (const double ratio : run.grid.ratios) {
                const auto& bounds = run.at(P::kDpBai, {first.budget, first.epsilon, ratio});
                inner = {std::max(inner.lower, bounds.lower), std::min(inner.upper, bounds.upper)};
                outer = {std::min(outer.lower, bounds.lower), std::max(outer.upper, bounds.upper)};
              }
              const bool apart = inner.lower > inner.upper;
              const bool same = outer.upper - outer.lower <= kSame;
              return OutcomeDecision{
                  apart ? Outcome::kFails : (same ? Outcome::kHolds : Outcome::kUndecided),
                  fmt::format("all in {} (T = {}, \xCE\xB5 = {})", bounds_text(outer),
                              grouped(first.budget), number_text(first.epsilon))};
            });
          }};
}

StatedOutcome<BestArmRun> od_is_inferior() {
  return {"DP-OD is inferior to DP-BAI where the ratio is large",
          "the study reaffirms the inferiority of DP-OD (Appendix E.2)",
          "at every T and \xCE\xB5 the interval of DP-OD at the largest ratio lies below that of "
          "DP-BAI",
          [](const BestArmRun& run) {
            return over_settings(run, [&](const BestArmPoint&, const BestArmPoint& last) {
              return OutcomeDecision{is_below(run.at(P::kDpOd, last), run.at(P::kDpBai, last)),
                                     rates(run, P::kDpOd, P::kDpBai, last)};
            });
          }};
}

}  // namespace

std::vector<StatedOutcome<BestArmRun>> best_arm_outcomes(BestArmFigure figure) {
  if (figure == BestArmFigure::kTwo) return {od_worsens(), bai_does_not(), od_is_inferior()};
  return {beats(P::kBaseline, "DP-BAI outperforms Baseline", false),
          beats(P::kDpOd, "DP-BAI outperforms DP-OD", false),
          beats(P::kDpOd, "DP-BAI outperforms DP-OD once budgets are long", true),
          meets_od_lin_bai()};
}

}  // namespace assay::detail
