#include "assay/auditors/methods/black_box/internal/event_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

ReportedQuantity bounded_below(QuantityKind kind, double at, double lower, const std::string& how) {
  ReportedQuantity q = unbounded(kind, at);
  q.lower = {lower, lower > 0.0 ? Evidence::kSampling : Evidence::kNone, lower > 0.0 ? how : ""};
  return q;
}

std::string counted_text(const EventCounts& counts, double alpha) {
  return fmt::format("exact test of one event on {} runs on each input, alpha = {}",
                     grouped(counts.n), rounded(alpha, 4));
}

std::string bet_text(const EventTest& test, const EventCounts& counts, double alpha) {
  return fmt::format(
      "bets on one event and classes of its score, {} runs in random order, alpha = {}{}",
      grouped(counts.n + counts.m), rounded(alpha, 4),
      test.divided
          ? fmt::format(", and {} on those of each seeding", rounded(test.seeding_alpha, 4))
          : "");
}

// ---- bets from the first run on

// Levels beyond the claim, and of a quantity without a claim; fixed before the first run.
std::vector<double> levels_beyond(double claimed) {
  constexpr double kFirst = 0.05, kGrowth = 1.4, kLast = 30.0;
  std::vector<double> levels;
  for (double step = kFirst; step < kLast; step *= kGrowth) levels.push_back(claimed + step);
  return levels;
}

// The largest level that bets certify with all before it; 0 for none.
double level_by_bets(const EventTest& test, const CoinBets& bets, bool gaussian, double claimed,
                     double alpha) {
  const Delta delta = test.asked.delta;
  return certified_level(
      bets, levels_beyond(claimed), alpha, test.bets.seeding_alpha, [&](double level) {
        return gaussian ? ForecastClaim::of(Mu{level}) : ForecastClaim::of(Epsilon{level}, delta);
      });
}

ReportedQuantity quantity_by_bets(const EventTest& test, const CoinBets& bets, bool gaussian,
                                  double lower, double alpha) {
  return bounded_below(gaussian ? QuantityKind::kMu : QuantityKind::kEpsilonAtDelta,
                       gaussian ? 0.0 : test.asked.delta.value, lower,
                       fmt::format("a bet before each of {} runs in random order, alpha = {}{}",
                                   grouped(bets.runs()), rounded(alpha, 4),
                                   test.divided ? fmt::format(", and {} on those of each seeding",
                                                              rounded(test.bets.seeding_alpha, 4))
                                                : ""));
}

// The claimed quantity, once its claim is refuted.
ReportedQuantity beyond_claim(const EventTest& test, const CoinBets& bets) {
  const bool gaussian = test.asked.gaussian;
  const double lower = std::max(
      test.claimed(), level_by_bets(test, bets, gaussian, test.claimed(), test.bets.alpha));
  return quantity_by_bets(test, bets, gaussian, lower, test.bets.alpha);
}

// Tests the claim against the runs of all and of each seeding.
SeedingEvidence weigh_claim(const EventTest& of, const BoundPlan& bound,
                            const CertifiedRuns& runs) {
  LevelTest test(bound, of.claimed());
  for (const SidePlay& play : runs.runs) {
    if (test.certified()) break;
    test.observe(play);
  }
  SeedingEvidence seedings{test.certified_by_all(), test.certified_by(false),
                           test.certified_by(true), "", false};
  if (!seedings.falls_short()) return seedings;
  const SideClaim claim = bound.claim(of.claimed());
  std::array<double, 2> excess{}, variance{};
  std::string texts[2];
  for (const bool keyed : {false, true}) {
    const EventCounts seen = runs.of_seeding(keyed).counts();
    const auto n = static_cast<double>(seen.n + 1), m = static_cast<double>(seen.m + 1);
    const double p = (static_cast<double>(seen.x) + 0.5) / n;
    const double q = (static_cast<double>(seen.y) + 0.5) / m;
    excess[keyed] = p - claim.slope * q;
    variance[keyed] = p * (1.0 - p) / n + claim.slope * claim.slope * q * (1.0 - q) / m;
    texts[keyed] = fmt::format(
        "{} keys the event happened in {} of {} runs on one input, {} of {} on the other",
        keyed ? "with" : "without", grouped(seen.x), grouped(seen.n), grouped(seen.y),
        grouped(seen.m));
  }
  seedings.compare(excess[0] - excess[1], variance[0] + variance[1]);
  seedings.counts = texts[0] + "; " + texts[1];
  return seedings;
}

}  // namespace

BoundPlan EventTest::bound(bool gaussian, double alpha) const {
  // The event's frequencies in the part that compared the scores.
  return {gaussian,
          asked.delta,
          event().p,
          event().q,
          samples,
          alpha,
          stops_when_decided ? 0.5 : 0.1,
          found.classes.counts.size() > 1 ? &found.classes.counts : nullptr,
          divided,
          seeding_alpha};
}

EventBounds bound_by_bets(const EventTest& test, const CoinBets& bets) {
  EventBounds bounds;
  bounds.refuted = bounds.by_bets = true;
  bounds.seedings = {true, true, true, "", false};
  const bool gaussian = !test.asked.gaussian;
  const double other = level_by_bets(test, bets, gaussian, 0.0, test.second_alpha);
  bounds.quantities = {beyond_claim(test, bets),
                       quantity_by_bets(test, bets, gaussian, other, test.second_alpha)};
  return bounds;
}

EventBounds bound_by_betting(const EventTest& test, const CertifiedRuns& runs,
                             const CoinBets& bets) {
  const Asked& asked = test.asked;
  const EventCounts counts = runs.counts();
  EventBounds bounds;
  const BoundPlan main = test.main_bound();
  bounds.seedings = weigh_claim(test, main, runs);
  const bool by_event = bounds.seedings.by_both();
  bounds.by_bets = !by_event && test.is_refuted_by(bets);
  bounds.refuted = by_event || bounds.by_bets;
  BoundPlan used = main;
  if (!by_event) used.alpha = test.below_alpha;
  std::vector<double> levels;
  for (const double level : levels_of(used)) {
    if (by_event ? level > test.claimed() : level < test.claimed()) levels.push_back(level);
  }
  double lower = bounds.by_bets ? 0.0 : certified_level(used, levels, runs.runs);
  if (by_event) lower = std::max(lower, test.claimed());
  const BoundPlan second = test.bound(!asked.gaussian, test.second_alpha);
  const double other = certified_level(second, levels_of(second), runs.runs);
  const auto of = [&](bool gaussian, double bound, double alpha) {
    return gaussian ? bounded_below(QuantityKind::kMu, 0.0, bound, bet_text(test, counts, alpha))
                    : bounded_below(QuantityKind::kEpsilonAtDelta, asked.delta.value, bound,
                                    bet_text(test, counts, alpha));
  };
  bounds.quantities = {
      bounds.by_bets ? beyond_claim(test, bets) : of(asked.gaussian, lower, used.alpha),
      of(!asked.gaussian, other, test.second_alpha)};
  return bounds;
}

EventBounds bound_by_counts(const EventTest& test, const EventCounts& counts) {
  const auto main = ExactTest::create(counts, test.main_alpha);
  const auto second = ExactTest::create(counts, test.second_alpha);
  if (!main || !second) return {};
  const Asked& asked = test.asked;
  const auto eps_of = [&](const ExactTest& exact, double alpha) {
    return bounded_below(QuantityKind::kEpsilonAtDelta, asked.delta.value,
                         exact.epsilon_lower_bound(asked.delta).value.value,
                         counted_text(counts, alpha));
  };
  const auto mu_of = [&](const ExactTest& exact, double alpha) {
    return bounded_below(QuantityKind::kMu, 0.0, exact.mu_lower_bound().value.value,
                         counted_text(counts, alpha));
  };
  EventBounds bounds;
  if (asked.gaussian) {
    bounds.quantities = {mu_of(*main, test.main_alpha), eps_of(*second, test.second_alpha)};
    bounds.refuted = main->refutes(asked.mu);
  } else {
    bounds.quantities = {eps_of(*main, test.main_alpha), mu_of(*second, test.second_alpha)};
    bounds.refuted = main->refutes(asked.epsilon, asked.delta);
  }
  return bounds;
}

ClaimEProcess e_process_of(const EventTest& test, const CertifiedRuns& runs) {
  const auto wealth_of = [&](const EventCounts& counts) {
    return bet_on(test.main_bound().claim(test.claimed()), test.event().p, test.event().q, counts);
  };
  ClaimEProcess e_process;
  e_process.all = wealth_of(runs.counts());
  if (!test.divided) return e_process;
  e_process.of_seedings = {wealth_of(runs.of_seeding(false).counts()),
                           wealth_of(runs.of_seeding(true).counts())};
  return e_process;
}

}  // namespace assay
