// The law of the next leader of RNM-FTNL, given the losses of the epoch.
//
//   without resampling: report noisy max on the scores -G_j                                    (1)
//   with: -N_j in place of -G_j, N_j the number of ones among independent Bernoulli(l_(t,j)),
//   Poisson-binomial, independent over experts                                                 (2)
// Experts with the same losses in whatever order are one group (grouped_noisy_max.hpp), so that
// losses in {0, 1}, where (1) and (2) agree, cost as much as there are different sums.
//
// Accuracy: a bracket. N_j is kept in a window (poisson_binomial.hpp). Given all else, P(J = i) as
// a function of N_j rises or falls by a factor of at most e^(1/b) a step: the noisy score of j
// moves by 1, and with it the level that the noise of i has to exceed by at most as much, where
// P(Q > t + 1) >= e^(-1/b) P(Q > t) for each noise of scale b. So with rate 1/b, and r, tau, u the
// relative, absolute and rounding errors of all experts' windows added up, the probability computed
// misses the true one p by at most
//     (kNoisyMaxRelativeError + 2 r + 2^-52 u) p + 2 tau                                       (3)
// as factors of 1 +- r_i multiply to within 1 +- 2 r while r <= 1/2. With 2 tau below
// e^(least_log - 37), this is `relative_error` of every p above e^least_log, and what is computed
// below it is below 2 e^least_log in truth.
//
// Threads: a value. Cost: a round K additions; the windows, once for each kind of expert and kept
// by fold(); then one quadrature (grouped_noisy_max.hpp). K = 2 and 2^15 losses: 0.2 s.
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

// log P(J = j), with (3).
struct LeaderLaw {
  std::vector<double> log_p;
  double relative_error = kNoisyMaxRelativeError;
  double least_log = kLeastNoisyMaxLog;
};

class FtnlLaw {
 public:
  // The window's rate is that of the policy.
  explicit FtnlLaw(const RnmFtnl& policy, const CountWindow& window = {})
      : noise_(policy.noise()),
        window_{1.0 / policy.noise_scale(), window.relative, window.absolute},
        resample_(policy.config().resample),
        experts_(static_cast<std::size_t>(policy.config().actions)) {}

  // The losses of one round of the epoch.
  void observe(std::span<const double> losses);
  void restart() { experts_.assign(experts_.size(), {}); }
  // Computes the windows of what was observed: copies that observe a few rounds more share them.
  // Stopped, what they leave and return means nothing.
  void fold(const RunControl& control = {});

  LeaderLaw law(const RunControl& control = {}) const;
  std::vector<double> log_probabilities() const { return law().log_p; }
  // What fold() takes, and law() after it, in evaluations of the noise's functions, about 20 ns
  // each; from estimates of the widths.
  struct Work {
    double fold = 0.0;
    double law = 0.0;
  };
  Work work() const;

 private:
  // The sum of an expert: `least` surely, a resample of each loss in `open`, and `counted`.
  struct Expert {
    double least = 0.0;
    std::vector<double> open;  // losses strictly between 0 and 1
    std::shared_ptr<const WindowedCount> counted;
  };
  // Experts whose sums have one law, or one law but for `least`.
  struct Kinds {
    std::vector<std::size_t> first;  // an expert of each kind
    std::vector<double> count;
    std::vector<std::size_t> of_expert;
  };
  struct Extent {  // of the sum of an expert, as kept
    double low = 0.0;
    double high = 0.0;
  };
  static bool comes_before(const Expert& a, const Expert& b, bool with_least);
  void sort_open();
  Kinds kinds(bool with_least) const;
  std::shared_ptr<const WindowedCount> count_of(const Expert& expert,
                                                const RunControl& control) const;
  LeaderLaw folded_law(const RunControl& control) const;
  Extent extent_of(const Expert& expert) const;

  LeaderNoiseLaw noise_;
  CountWindow window_;
  bool resample_;
  std::vector<Expert> experts_;
};

}  // namespace assay
