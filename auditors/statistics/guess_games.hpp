// The sharpest bet on a run whose input a fair coin chose, given a forecast of the coin.
//
// A run is on P or on Q, with probability 1/2 each, and its output falls into a class k. A claim is a set of
// lines (c, d), c >= 1 and d in [0, 1], with
//     P(A) <= c Q(A) + d  and  Q(A) <= c P(A) + d  for every set A of outputs, given all runs before.   (1)
// A bet multiplies the wealth by on_p[k] or on_q[k]. It is admissible if the mean of this factor is at most 1 under
// every P and Q of (1). Then the wealth is a nonnegative supermartingale, and reaches 1/alpha with probability at
// most alpha (Ville), however the target drifts, remembers or answers.
//
// A guess game stakes everything on "P if the class is in E, else Q", for a line and a set E of classes:
//     2/(c + d) if the run is on P and k in E,  2c/(c + d) if it is on Q and k not in E,  0 otherwise.  (2)
// Its mean is (P(E) - c Q(E) + c)/(c + d) <= 1 by (1). Its mirror exchanges P and Q. The coins 2 1{P} and 2 1{Q}
// have mean 1. So every mixture of games and coins is admissible. With sets E that are upper sets of the forecast,
// and lower sets for mirrors, the best mixture is the best of all admissible bets
// (docs/proofs/forecast_bets.md, Theorem 2).
//
// The mixture is found by Cover's iteration for the portfolio of largest expected log growth: each weight is
// multiplied by r (1 + r)/2, r the expected ratio of its game to the mixture. The bet is admissible after any
// number of rounds, with any forecast.
//
// Reference: Cover, "An algorithm for maximizing expected log investment return" (IEEE Trans. Inf. Theory 30, 1984);
// Kairouz, Oh and Viswanath (ICML 2015) for the tests behind (1).
// Threads: pure functions. Results are bit-identical on every machine. Cost: 0.1 ms for 8 lines and 20 classes.
#pragma once

#include <span>
#include <vector>

#include "assay/auditors/statistics/side_betting.hpp"

namespace assay {

// The lines of (1) for a claim. slope >= 1.
using ClaimLines = std::vector<SideClaim>;
ClaimLines lines_of(Epsilon epsilon, Delta delta);  // eps up to 700
// Eight tangents of the trade-off curve. What refutes them refutes mu-GDP.
ClaimLines lines_of(Mu mu);

// For each class, how likely the run was on P, in (0, 1), and how likely the class is; these sum to 1.
struct CoinForecast {
  std::vector<double> on_p;
  std::vector<double> mass;

  std::size_t size() const { return on_p.size(); }
};

// The factors of the wealth, class by class; all at least 0.
struct CoinBet {
  std::vector<double> on_p, on_q;

  std::size_t size() const { return on_p.size(); }
};

// The expected logarithm of the factor under the forecast.
double growth(const CoinBet& bet, const CoinForecast& forecast);

inline constexpr int kPortfolioRounds = 150;

// An admissible bet of nearly the largest growth. Lines: at least one.
CoinBet best_portfolio(const ClaimLines& lines, const CoinForecast& forecast,
                       int rounds = kPortfolioRounds);

}  // namespace assay
