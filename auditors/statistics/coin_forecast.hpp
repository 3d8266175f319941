// Forecasts of the coin that chose the input of a run, from the classes of earlier outputs.
//
// Runs fall into classes that are ordered by a score, with p_k of them on P and q_k on Q. Ten forecasters answer: how
// likely is a run of class k to be on P? With x_k the normal quantile of the middle of the class among all runs, and
// z_k its mean score in robust standard units,
//     logistic regressions in (1, x), (1, x, x^2) and (1, z, z^2), with a ridge penalty;                    (1)
//     one log-odds l_k for each class, smooth over neighbouring ones: the minimum of
//         -log likelihood + 5 sum (l_(k+1) - 2 l_k + l_(k-1))^2 + 0.025 sum l_k^2;                          (2)
//     each class by itself, (p_k + 1/2)/(p_k + q_k + 1);                                                    (3)
//     the same with a prior, for atoms and rare events: half of it on even odds, half on odds beyond the claim; (4)
//     four straight lines in x, whose slopes say how strong the leak is, beyond the claim; only their level is learnt.
//     If the inputs shift a normal output by m deviations, the log-odds have slope m sqrt(1 + m^2/4) in x.  (5)
// (1), (2) and (5) are tempered by their doubt v, the posterior variance of the log-odds l: they say
// l/sqrt(1 + pi v/8), about the probability that a Bayesian predicts. No validity depends on any of this
// (guess_games.hpp): a poor forecast only gains less.
//
// Reference: MacKay, "The evidence framework applied to classification networks" (Neural Computation 4, 1992) for
// the tempering.
// Threads: pure functions. Results are bit-identical on every machine. Cost: 0.1 ms for 20 classes.
#pragma once

#include <vector>

#include "assay/auditors/statistics/guess_games.hpp"

namespace assay {

// Earlier runs by class, in the order of the score.
struct ClassedRuns {
  std::vector<double> p, q;  // how many on P and on Q
  std::vector<double> z;     // the mean score of a class in standard units, within [-4, 4]

  std::size_t size() const { return p.size(); }
};

inline constexpr std::size_t kCoinForecasters = 10;

// One forecast of each. `claimed`: the claim's mu, or its eps. At least one class; some may be empty.
std::vector<CoinForecast> forecast_coin(const ClassedRuns& runs, double claimed);

}  // namespace assay
