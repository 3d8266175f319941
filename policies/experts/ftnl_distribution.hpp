// Computes the distribution of the next leader of RNM-FTNL, given the losses of the epoch.
//
//   without resampling: report noisy max on the scores -G_j                                    (1)
//   with resampling: -N_j in place of -G_j, N_j the number of ones among independent
//   Bernoulli(l_(t,j)), Poisson-binomial, independent over experts                             (2)
// Experts with the same losses in any order form one group (grouped_noisy_max.hpp). So for losses in
// {0, 1}, for which (1) and (2) agree, the cost grows with the number of different sums.
//
// Accuracy: a bracket. N_j is kept in a window (poisson_binomial.hpp). Given all else, P(J = i) as a
// function of N_j rises or falls by a factor of at most e^(1/b) a step: the noisy score of j moves by
// 1, so the level that the noise of i has to exceed moves by at most 1, and P(Q > t + 1) >=
// e^(-1/b) P(Q > t) for each noise of scale b. So with rate 1/b, and r, tau, u the sums over all
// experts' windows of the relative, absolute and rounding errors, the error of a computed
// probability whose true value is p is at most
//     (kNoisyMaxRelativeError + 2 r + 2^-52 u) p + 2 tau                                       (3)
// because factors of 1 +- r_i multiply to within 1 +- 2 r while r <= 1/2. If 2 tau is below
// e^(least_log - 37), this is the `relative_error` of every p above e^least_log, and a computed
// value below e^least_log stands for a true one below 2 e^least_log.
//
// Threads: a value. Cost: K additions a round; the windows, once for each kind of expert and kept by
// fold(); then one quadrature (grouped_noisy_max.hpp). K = 2 and 2^15 losses: 0.2 s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"
#include "assay/mechanisms/numerics/poisson_binomial.hpp"
#include "assay/policies/experts/leader_noise.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay {

// log P(J = j) for each j, with the error bound (3).
struct LeaderDistribution {
  std::vector<double> log_p;
  double relative_error = kNoisyMaxRelativeError;
  double least_log = kLeastNoisyMaxLog;
};

class FtnlDistribution {
 public:
  // The policy determines the window's rate.
  explicit FtnlDistribution(const RnmFtnl& policy, const CountWindow& window = {})
      : noise_(policy.noise()),
        window_{1.0 / policy.noise_scale(), window.relative, window.absolute},
        resample_(policy.config().resample),
        experts_(static_cast<std::size_t>(policy.config().actions)) {}

  // Adds the losses of one round of the epoch.
  void observe(std::span<const double> losses);
  void restart() { experts_.assign(experts_.size(), {}); }
  // Computes the windows of the observed losses; copies that observe a few more rounds share them.
  // If `control` stops it, the state and all later results are meaningless.
  void fold(const RunControl& control = {});

  LeaderDistribution distribution(const RunControl& control = {}) const;
  std::vector<double> log_probabilities() const { return distribution().log_p; }
  // The work of fold(), and of distribution() after it, in evaluations of the noise's functions of about 20 ns
  // each, from estimates of the widths.
  struct Work {
    double fold = 0.0;
    double distribution = 0.0;
  };
  Work work() const;

 private:
  // The sum of an expert: the constant `least`, a resample of each loss in `open`, and `counted`.
  struct Expert {
    double least = 0.0;
    std::vector<double> open;  // losses strictly between 0 and 1
    std::shared_ptr<const WindowedCount> counted;
  };
  // Groups of experts whose sums have the same distribution, possibly except for `least`.
  struct Kinds {
    std::vector<std::size_t> first;  // an expert of each kind
    std::vector<double> count;
    std::vector<std::size_t> of_expert;
  };
  struct Extent {  // the kept range of an expert's sum
    double low = 0.0;
    double high = 0.0;
  };
  static bool comes_before(const Expert& a, const Expert& b, bool with_least);
  void sort_open();
  Kinds kinds(bool with_least) const;
  std::shared_ptr<const WindowedCount> count_of(const Expert& expert,
                                                const RunControl& control) const;
  LeaderDistribution folded_distribution(const RunControl& control) const;
  Extent extent_of(const Expert& expert) const;

  LeaderNoiseDistribution noise_;
  CountWindow window_;
  bool resample_;
  std::vector<Expert> experts_;
};

}  // namespace assay
