// Bets on coins from the first run on: true claims stand, whatever the target remembers, and false ones fall after
// few runs.
#include "assay/auditors/methods/black_box/coin_bets.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/coin_audit.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr double kE = 2.718281828459045;

// A target without memory.
CoinTarget simple(std::string name, ForecastClaim claim,
                  const std::function<double(ReplayStream&, bool)>& draw) {
  return {std::move(name), std::move(claim), [draw] {
            return [draw](ReplayStream& random, bool on_p, double) { return draw(random, on_p); };
          }};
}

CoinTarget gaussian(double claimed) {
  return simple(
      "a Gaussian pair of mu 1", ForecastClaim::of(Mu{claimed}),
      [](ReplayStream& random, bool on_p) { return draw_normal(random) + (on_p ? 1.0 : 0.0); });
}

CoinTarget laplace(double claimed) {
  return simple(
      "a Laplace pair of eps 1", ForecastClaim::of(Epsilon{claimed}, Delta{0.0}),
      [](ReplayStream& random, bool on_p) { return draw_laplace(random) + (on_p ? 1.0 : 0.0); });
}

// Runs of probability 0.02 and 0.0005.
CoinTarget rare_event() {
  return simple("a rare event", ForecastClaim::of(Epsilon{1.0}, Delta{0.0}),
                [](ReplayStream& random, bool on_p) {
                  return random.uniform() < (on_p ? 0.02 : 0.0005) ? 1.0 : 0.0;
                });
}

// N(0, 2/eps) against N(1/2, 1/eps), deviations.
CoinTarget without_privacy(double claimed) {
  return simple("a mechanism without privacy", ForecastClaim::of(Epsilon{claimed}, Delta{1e-5}),
                [claimed](ReplayStream& random, bool on_p) {
                  const double z = draw_normal(random) / claimed;
                  return on_p ? 2.0 * z : 0.5 + z;
                });
}

// Randomised response that leaks exactly eps = 1: says its side with probability e/(1 + e).
bool answer(ReplayStream& random, bool on_p) {
  return (random.uniform() < kE / (1.0 + kE)) == on_p;
}

std::vector<CoinTarget> true_claims() {
  std::vector<CoinTarget> targets;
  targets.push_back(gaussian(1.0));
  targets.push_back(laplace(1.0));
  targets.push_back(
      simple("randomised response", ForecastClaim::of(Epsilon{1.0}, Delta{0.0}),
             [](ReplayStream& random, bool on_p) { return answer(random, on_p) ? 1.0 : 0.0; }));
  targets.push_back(simple("an atom of mass delta", ForecastClaim::of(Epsilon{0.0}, Delta{0.05}),
                           [](ReplayStream& random, bool on_p) {
                             return random.uniform() < 0.05 ? (on_p ? 1.0 : -1.0) : 0.0;
                           }));
  targets.push_back(simple("failures that depend on data",
                           ForecastClaim::of(Epsilon{1.0}, Delta{0.0}),
                           [](ReplayStream& random, bool on_p) {
                             const double u = random.uniform();
                             return u < (on_p ? 0.1 : 0.1 / kE) ? std::nan("") : u;
                           }));
  // Drifts, swings, and leaks in the other direction for a while.
  targets.push_back(
      {"drift", ForecastClaim::of(Mu{1.0}), [] {
         return [at = 0.0, i = 0, sign = 1.0](ReplayStream& random, bool on_p, double) mutable {
           at += 0.02 * draw_normal(random);
           if (random.uniform() < 1.0 / 300.0) sign = -sign;
           return draw_normal(random) + at + 1.5 * std::sin(++i / 200.0) + (on_p ? sign : 0.0);
         };
       }});
  // Adds what it saw: the sides of the last runs.
  targets.push_back({"memory", ForecastClaim::of(Mu{1.0}), [] {
                       return [sides = 0.0](ReplayStream& random, bool on_p, double) mutable {
                         const double y = draw_normal(random) + sides + (on_p ? 1.0 : 0.0);
                         sides = 0.9 * sides + (on_p ? 0.3 : -0.3);
                         return y;
                       };
                     }});
  // Leaks all that it may until the wealth is nearly 1/alpha, and nothing then; and the other way round.
  targets.push_back(
      {"private when it is nearly caught", ForecastClaim::of(Epsilon{1.0}, Delta{0.0}), [] {
         return [](ReplayStream& random, bool on_p, double log_wealth) {
           const bool as_side = log_wealth < 2.0 ? on_p : random.uniform() < 0.5;
           return answer(random, as_side) ? 1.0 : 0.0;
         };
       }});
  targets.push_back({"changes what a value means", ForecastClaim::of(Epsilon{1.0}, Delta{0.0}), [] {
                       return [i = 0](ReplayStream& random, bool on_p, double log_wealth) mutable {
                         const bool says_p = answer(random, on_p);
                         return says_p == (log_wealth > 1.0 && ++i % 7 == 0) ? 1.0 : 0.0;
                       };
                     }});
  return targets;
}

TEST(CoinBetsValidity, TrueClaimsStandWhateverTheTargetRemembers) {
  constexpr std::int64_t kMost = 2000;
  const int audits = dear_repetitions(400);
  const auto targets = true_claims();
  for (const CoinTarget& target : targets) {
    const int convicted = count_runs_in_parallel(audits, [&](std::uint64_t audit) {
      return runs_to_conviction(target, kAuditAlpha, kMost, audit) <= kMost;
    });
    EXPECT_LE(convicted, binomial_limit(audits, kAuditAlpha, static_cast<int>(targets.size())))
        << target.name;
  }
}

struct PowerCase {
  CoinTarget target;
  std::int64_t median;  // of runs on both inputs at alpha 0.05, as measured
};

TEST(CoinBetsPower, FalseClaimsFallAfterFewRuns) {
  const std::vector<PowerCase> cases = {
      {gaussian(0.5), 220},         {gaussian(0.8), 1280},        {laplace(0.5), 305},
      {laplace(0.8), 2300},         {rare_event(), 2720},         {without_privacy(0.21), 135},
      {without_privacy(0.42), 177}, {without_privacy(0.62), 235}, {without_privacy(0.83), 289}};
  constexpr std::int64_t kMost = 40'000;
  const int audits = dear_repetitions(200);
  for (const PowerCase& one : cases) {
    std::vector<std::int64_t> runs(static_cast<std::size_t>(audits));
    parallel_for(2, runs.size(), [&](std::size_t audit) {
      runs[audit] = runs_to_conviction(one.target, kAuditAlpha, kMost, audit);
    });
    std::sort(runs.begin(), runs.end());
    // The 99.99% limits of the sample median of these many audits lie within 3.9 deviations of half of them.
    const double half = 0.5 * audits, away = 3.9 * 0.5 * std::sqrt(static_cast<double>(audits));
    const auto low = static_cast<std::size_t>(std::max(0.0, half - away));
    const auto high = std::min(runs.size() - 1, static_cast<std::size_t>(half + away));
    EXPECT_LE(runs[low], one.median) << one.target.name;
    EXPECT_GE(runs[high], one.median) << one.target.name;
  }
}

}  // namespace
}  // namespace assay
