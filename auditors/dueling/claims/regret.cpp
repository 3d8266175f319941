// The pulls of an arm, their regret, and the pulls that privacy imposes on every policy.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/dueling/laplace_sum.hpp"

namespace assay::dueling_checks {
namespace {

double cases_of(double horizon) { return portable_log(2.0) + 2.0 * portable_log(horizon); }  // L

// Theorem 1's bound for K arms that all lose to the best with the gap of `score_gap`.
double regret_bound(double arms, double horizon, double epsilon, double score_gap) {
  const double log_arms = portable_log(arms * horizon);
  return (arms - 1.0) * (16.0 * log_arms / (logistic(score_gap) - 0.5) +
                         128.0 * log_arms * log_growth(horizon) / epsilon);
}

}  // namespace

// ---- Lemma 6 ------------------------------------------------------------------------------------

PullsCounterexample pulls_at(const Point& point) {
  PullsCounterexample found;
  found.horizon = std::int64_t{1} << static_cast<int>(point[0]);
  found.epsilon = point[1];
  found.preference = point[2];
  const auto horizon = static_cast<double>(found.horizon);
  const double gap = found.preference - 0.5;
  const double cases = cases_of(horizon);
  found.bound =
      8.0 * cases / (gap * gap) + 64.0 * cases * log_growth(horizon) / (gap * found.epsilon);
  found.pulls = std::floor(found.bound) + 1.0;
  const double radius = std::sqrt(cases / found.pulls) + 16.0 * portable_log(2.0 * horizon) *
                                                             log_growth(horizon) /
                                                             (found.pulls * found.epsilon);
  found.radii = 2.0 * (1.0 + found.share) * radius;
  return found;
}

SearchedClaim pulls_search() {
  return {{whole("log2 T", 10, 29), log_scale("eps", 0.1, 100.0), real("P(1,2)", 0.51, 0.88)},
          [](const Point& point) {
            const auto found = pulls_at(point);
            if (2.0 * found.pulls > static_cast<double>(found.horizon)) return std::nan("");
            return found.radii / (found.preference - 0.5) - 1.0;
          },
          1e-9};
}

// With K = 2, B(1) - B(2) = Delta(1,2) = Delta. An arm is sure to leave when the sum of both radii,
// twice each, is below Delta. n = 8 L/Delta^2 + 64 L log(T)^2.5/(Delta eps) makes 2 radii up to
// 0.75 Delta: with a the first term's share of n, 2 sqrt(L/n) = sqrt(a/2) Delta and twice the
// noise's radius is at most (1 - a) Delta/2. The printed proof compares UCB(i) with UCB(1) where
// the rule has LCB(1). With 32 and 128 in place of 8 and 64 four radii are at most 0.75 Delta.
Finding pulls(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "duel-pulls", .claim = pulls_search(), .points = 2'000}, request, control);
  finding.domain =
      "two arms, delta = 1/T, T = 2^10 to 2^29, eps from 0.1 to 100, P(1,2) from 0.51 to 0.88: " +
      finding.points() + " settings";
  return refuted_or_not(
      finding, "(1 + share) 2 radii/Delta - 1", pulls_at,
      {"the printed proof ends with UCB(i) < UCB(1); the rule eliminates if UCB(i) < LCB(1), which "
       "needs four radii below Delta, but after the stated pulls two of them are up to 0.75 Delta",
       "if the noise has the larger part in the radius, the stated constants are enough, because "
       "delta = 1/T makes log(K/delta) half of log(K T/delta); so the counterexample has a large "
       "eps",
       "for the worst arm the proof gives 32 log(K T/delta)/Delta^2 + 128 log(K T/delta) "
       "log(T)^2.5/(Delta eps), after which four radii are at most 0.75 Delta",
       "n counts the duels of an arm as the first arm, against rivals that remain; duels as the "
       "second arm and removed duels do not count"});
}

// ---- Theorem 1 ----------------------------------------------------------------------------------

DuelRegretCounterexample duel_regret_at(const Point& point) {
  DuelRegretCounterexample found;
  found.horizon = std::int64_t{1} << static_cast<int>(point[0]);
  found.epsilon = point[1];
  found.gap = point[2];
  const auto horizon = static_cast<double>(found.horizon);
  found.bound = regret_bound(2.0, horizon, found.epsilon, found.gap);
  const int h = std::bit_width(static_cast<std::uint64_t>(found.horizon));
  const double radius = 16.0 * portable_log(2.0 * horizon) * log_growth(horizon) / found.epsilon;
  const double y =
      (radius - (logistic(found.gap) - 0.5) * horizon / 4.0) * found.epsilon / (4.0 * h);
  found.failure = 1.0;
  if (y > 0.0) {
    found.failure = horizon * portable_exp(log_laplace_sum_tail(h, y)) +
                    2.0 * horizon * portable_exp(-2.0 * cases_of(horizon));
  }
  found.regret = found.gap * horizon * (1.0 - 2.0 * found.failure);
  return found;
}

SearchedClaim duel_regret_search() {
  return {{whole("log2 T", 8, 29), log_scale("eps", 0.05, 1.0), real("gap", 0.1, 2.0)},
          [](const Point& point) {
            const auto found = duel_regret_at(point);
            if (!(found.regret > 0.0)) return std::nan("");
            return portable_log(found.regret / found.bound);
          },
          1e-9};
}

// The bound exceeds the largest possible regret until T is large. From there on the printed radius
// has not yet eliminated any arm.
Finding duel_regret(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "duel-regret", .claim = duel_regret_search(), .points = 2'000},
                          request, control);
  finding.domain =
      "two arms, delta = 1/T, the radius of Lemma 4's proof, T = 2^8 to 2^29, eps from 0.05 to 1, "
      "gaps up to 2: " +
      finding.points() + " settings";
  finding.table.columns = {"K", "eps", "gap", "bound/(2 gap T), T = 1e5", "below 1 from T"};
  struct Row {
    double arms;
    double epsilon;
    double gap;
  };
  for (const Row& row : {Row{2, 1.0, 2.0}, Row{2, 1.0, 0.5}, Row{10, 1.0, 1.0}, Row{10, 0.1, 1.0},
                         Row{100, 1.0, 1.0}}) {
    const auto over = [&](double horizon) {
      return regret_bound(row.arms, horizon, row.epsilon, row.gap) / (2.0 * row.gap * horizon);
    };
    double horizon = 1e3;
    while (over(horizon) > 1.0) horizon *= 1.02;
    finding.table.rows.push_back({number_text(row.arms), number_text(row.epsilon),
                                  number_text(row.gap), rounded(over(1e5), 3),
                                  rounded_up(horizon, 2)});
  }
  return refuted_or_not(
      finding, "log of regret over bound", duel_regret_at,
      {"below the T of the table the bound is vacuous, because no run can have a regret of more "
       "than 2 gap T",
       "the listing's radius has log(log(K/delta)) in place of log(K/delta) and eliminates arms "
       "sooner; this instance does not refute the bound for it"});
}

// ---- Lemma 11 -----------------------------------------------------------------------------------

namespace {

// A random policy of two arms and `rounds` duels. For every past the distribution of the next duel
// is drawn at random, close to uniform by `spread`. Duels 0 to 3 are 2 a + b.
class RandomDueler {
 public:
  RandomDueler(int rounds, double spread, std::uint64_t seed)
      : rounds_(rounds), random_({seed, hash_purpose("claims/duel-lower"), 0, 0}) {
    log_q_.assign(transcripts() << rounds, 0.0);
    enumerate(0, 0, 0, 0.0, spread);
  }

  std::size_t transcripts() const { return std::size_t{1} << (2 * rounds_); }
  int rounds() const { return rounds_; }
  int duel(std::size_t transcript, int round) const {
    return static_cast<int>(transcript >> (2 * (rounds_ - 1 - round))) & 3;
  }
  double log_probability(std::size_t transcript, unsigned bits) const {
    return log_q_[(transcript << rounds_) + bits];
  }

  // The largest log-ratio over one flipped bit.
  double level() const {
    double worst = 0.0;
    for (std::size_t z = 0; z < transcripts(); ++z) {
      for (unsigned bits = 0; bits < 1U << rounds_; ++bits) {
        for (int t = 0; t < rounds_; ++t) {
          worst = std::max(
              worst, std::fabs(log_probability(z, bits) - log_probability(z, bits ^ (1U << t))));
        }
      }
    }
    return worst;
  }

  // P(arm 2 is in at least m duels), m = 1, 2, .., if arm 1 beats it with probability p.
  std::vector<double> played(double p) const {
    std::vector<double> at_least(static_cast<std::size_t>(rounds_), 0.0);
    for (std::size_t z = 0; z < transcripts(); ++z) {
      int count = 0;
      for (int t = 0; t < rounds_; ++t) count += duel(z, t) != 0 ? 1 : 0;
      double mass = 0.0;
      for (unsigned bits = 0; bits < 1U << rounds_; ++bits) {
        double weight = portable_exp(log_probability(z, bits));
        for (int t = 0; t < rounds_; ++t) {
          const int d = duel(z, t);
          const double wins = d == 1 ? p : d == 2 ? 1.0 - p : 0.5;
          weight *= (bits >> t & 1U) != 0 ? wins : 1.0 - wins;
        }
        mass += weight;
      }
      for (int m = 0; m < count; ++m) at_least[static_cast<std::size_t>(m)] += mass;
    }
    return at_least;
  }

 private:
  void enumerate(int round, std::size_t transcript, unsigned bits, double log_p, double spread) {
    std::array<double, 4> weights{};
    double total = 0.0;
    for (double& weight : weights) total += weight = portable_exp(spread * random_.uniform());
    for (std::size_t d = 0; d < 4; ++d) {
      const std::size_t next = (transcript << 2) + d;
      const double log_next = log_p + portable_log(weights[d] / total);
      if (round + 1 == rounds_) {
        // Nobody reads the last bit.
        log_q_[(next << rounds_) + bits] = log_next;
        log_q_[(next << rounds_) + (bits | 1U << round)] = log_next;
        continue;
      }
      enumerate(round + 1, next, bits, log_next, spread);
      enumerate(round + 1, next, bits | 1U << round, log_next, spread);
    }
  }

  int rounds_;
  ReplayStream random_;
  std::vector<double> log_q_;
};

}  // namespace

SearchedClaim duel_lower_search() {
  return {{whole("T", 2, 4), log_scale("spread", 0.01, 5.0), real("p", 0.0, 1.0),
           real("p'", 0.0, 1.0), whole("seed", 1, 1e9)},
          [](const Point& point) {
            const RandomDueler policy(static_cast<int>(point[0]), point[1],
                                      static_cast<std::uint64_t>(point[4]));
            const double level = policy.level();
            const auto here = policy.played(point[2]);
            const auto there = policy.played(point[3]);
            double worst = -HUGE_VAL;
            for (std::size_t m = 0; m < here.size(); ++m) {
              worst = std::max(worst,
                               portable_log(there[m] / here[m]) - static_cast<double>(m) * level);
            }
            return worst;
          },
          1e-12};
}

// Let M be the number of duels with arm i. Along a transcript up to the m-th of these, the outcomes
// of the other duels have the same distribution under P and P', which differ in i alone. At most
// m - 1 of the outcomes read before it differ, so P(M >= m) >= e^(-eps (m - 1)) P'(M >= m).      (1)
// Let i win every duel under P'. The regret is 2 r* - r(a) - r(b) with gaps 1/2. So T/2 allows at
// most T places of others in duels, E'[M] >= T/2 and
// P'(M >= m) >= (T/2 - m + 1)/(T - m + 1).                                                       (2)
// E[N(i)] >= E[M] >= sum over m of (1) (2), a falling function of x = eps (m - 1), and T >= 10 K/eps
// >= 20/eps: at least (1/eps) int_0^10 e^-x (10 - x)/(20 - x) dx.                                (3)
Finding duel_lower(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "duel-lower", .claim = duel_lower_search(), .points = 200}, request, control);
  double constant = 0.0;  // (3) from below: the integrand falls
  constexpr double kStep = 1.0 / 1024.0;
  for (int k = 1; k <= 10 * 1024; ++k) {
    const double x = k * kStep;
    constant += kStep * portable_exp(-x) * (10.0 - x) / (20.0 - x);
  }
  finding.domain =
      "every eps-DP policy, delta = 0, eps <= 1, K/eps <= T/10; enumeration: " + finding.points() +
      " random policies of two arms and up to 4 rounds, their levels computed";
  const std::string step =
      "proof step: P(at least m duels with i) falls by a factor of at most e^(-eps (m - 1)) from an "
      "instance where i is the best";
  const std::string limits =
      "the printed proof uses T/8 for the stated T/2; for delta > 0 the statement is false "
      "(duel-lower-printed)";
  const std::string shares =
      " for eps <= 1 from a regret of at most T/2; the sum is 1/(1 - e^-eps) >= 1/eps in the limit "
      "in which i is nearly always in the duel once it is the best";
  finding.evidence = {
      step, "enumeration: exceeded by at most " + finding.excess(),
      "c = " + rounded_down(constant, 3) + shares,
      fmt::format(
          "the printed proof bounds one probability, at least 3/(4 e) - 1/4 = {}, printed as "
          "0.0001, times 1/eps: c = {} or 0.0001, not the 1 that is stated",
          rounded(0.75 * portable_exp(-1.0) - 0.25, 3),
          rounded(0.75 * portable_exp(-1.0) - 0.25, 3)),
      limits};
  return proved(finding, "by group privacy duel by duel, with c = " + rounded_down(constant, 3));
}

}  // namespace assay::dueling_checks
