// The exact law of the next leader of RNM-FTNL, given the losses of the epoch.
//
//   without resampling: report noisy max on the scores -G_j                                    (1)
//   with: -N_j in place of -G_j, N_j the number of ones among independent Bernoulli(l_(t,j)),
//   Poisson-binomial, independent over experts; its law by P_t(k) = P_(t-1)(k)(1 - l) +
//   P_(t-1)(k - 1) l, which adds positive terms only                                           (2)
// Experts with the same law of their score are one group (grouped_noisy_max.hpp), so that losses in
// {0, 1}, where (1) and (2) agree, cost as much as there are different sums.
//
// Accuracy: kNoisyMaxRelativeError for probabilities above e^-1000; (2) adds 2^-52 a round.
// Threads: a value. Cost: a round K additions, and with resampling as many products as the expert
// has had losses strictly between 0 and 1; then one quadrature.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/numerics/grouped_noisy_max.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay {

class FtnlLaw {
 public:
  explicit FtnlLaw(const RnmFtnl& policy)
      : noise_(policy.noise()),
        resample_(policy.config().resample),
        experts_(static_cast<std::size_t>(policy.config().actions)) {}

  // The losses of one round of the epoch.
  void observe(std::span<const double> losses);
  void restart() { experts_.assign(experts_.size(), {}); }

  std::vector<double> log_probabilities() const;
  // Evaluations of the noise's functions that log_probabilities() takes, about 20 ns each.
  double work() const;

 private:
  // The sum of an expert: `least` surely, and k more with probability ones[k].
  struct Expert {
    double least = 0.0;
    std::vector<double> ones{1.0};
    friend auto operator<=>(const Expert&, const Expert&) = default;
  };
  struct Grouping {
    std::vector<ScoreGroup> groups;
    std::vector<std::size_t> group_of_expert;
  };
  static ScoreGroup group_of(const Expert& expert);
  Grouping grouped() const;

  LeaderNoiseLaw noise_;
  bool resample_;
  std::vector<Expert> experts_;
};

// (1) for groups of experts: the logarithm of the probability of one expert of each.
std::vector<double> leader_log_probabilities(const LeaderNoiseLaw& noise,
                                             std::span<const ScoreGroup> groups);

}  // namespace assay
