// The hybrid counter releases the running sums of a stream whose length is not known in advance.
//
// Epoch k is the times 2^k .. 2^(k+1) - 1. Its noisy sum Y_k is released once, at its end. Before
// that, a new binary tree (tree_counter.hpp) of horizon 2^k - 1 gives the sums within the epoch:
//   estimate(t) = Y_0 + ... + Y_(k-1) + tree_k(j),  t = 2^k - 1 + j, 1 <= j < 2^k              (1)
//   estimate(2^(k+1) - 1) = Y_0 + ... + Y_k                                                    (2)
// Scales of the noise, with w = `share` and s the scale that one node alone needs for the budget:
//   Y_k:         s/w for Laplace kinds, s/sqrt(w) for Gaussian kinds                           (3)
//   tree_k node: s k/(1 - w),           s sqrt(k/(1 - w))                                      (4)
//
// Privacy. Relation: one x_t moves by at most `sensitivity`, even if later entries depend on earlier
// estimates. View: all estimates, forever. Laplace kinds are eps-DP, Gaussian noise (D/s)-GDP,
// discrete Gaussian noise (eps, delta)-DP. Proof: x_t is in one epoch k, so in Y_k, in at most k
// nodes of tree_k (its horizon 2^k - 1 has k levels), and in nothing else: later estimates add Y_k
// and do not release it again. By counter_noise.hpp, (1) to (3), Y_k spends the share w of e (mu^2,
// rho), and k nodes of scale (4) spend k/(k/(1 - w)) = 1 - w of it. Together they spend exactly the
// budget, for every k, so no composition over epochs is needed. The level is tight for k >= 1, up to
// the upward rounding of scales.
// Accuracy: variance(t) = k v(Y) + popcount(j) v(tree_k) for (1) and (k + 1) v(Y) for (2), where v
// is the variance of that noise                                                                (5)
// log_density() is that of the noisy numbers, which map one to one to the estimates (determinant 1).
// The paper's tree is as long as the epoch, and w = 1/2; ending it one step earlier saves a level.
// Discrete kinds are exact while every number is below 2^53: up to the time longest().
// Reference: Chan, Shi, Song, "Private and continual release of statistics" (ACM TISSEC 2011),
// the hybrid mechanism. Threads: values. Cost: one
// noise and O(1) a step, amortised; O(log t) memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct HybridCounterConfig {
  double epsilon = 1.0;
  double delta = 0.0;
  double sensitivity = 1.0;
  double lowest = 0.0;
  double share = 0.5;
  CounterNoise noise = CounterNoise::kDiscreteLaplace;

  static void fields(auto&& visit) {
    using C = HybridCounterConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level of all estimates"));
    visit(field("delta", &C::delta, Range{0, 1}, "delta", "0 for Laplace noise, else above 0"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "D",
                "how far one entry moves: the length of its range"));
    visit(field("lowest", &C::lowest, Range{-1e9, 1e9}, "", "the smallest entry"));
    visit(field("share", &C::share, Range{0.01, 0.99}, "w",
                "share of the budget for the sums of epochs"));
    visit(field("noise", &C::noise, Range{}, "",
                "noise of a node; discrete kinds need integer streams"));
  }
  Status check() const { return detail::check_counter(noise, delta, sensitivity, lowest); }
};

// The noises of all epochs.
struct HybridNoise {
  NodeNoise total;              // of every Y_k
  std::vector<NodeNoise> tree;  // tree[k] is for the nodes of tree_k; tree[0] is unused
};

// The counter while a stream arrives: add() reads the next entry, estimate() is the running sum.
class HybridCounter {
 public:
  explicit HybridCounter(std::shared_ptr<const HybridNoise> noise);

  // Precondition: time() < longest().
  template <RandomSource R>
  void add(double x, R& random) {
    add_noisy(x, [&](const NodeNoise& noise) { return noise.sample(random); });
  }

  double estimate() const { return estimate_; }
  std::int64_t time() const { return time_; }
  std::int64_t longest() const { return (std::int64_t{1} << noise_->tree.size()) - 1; }

 private:
  template <class Draw>
  void add_noisy(double x, Draw draw) {
    ASSAY_CHECK(time_ < longest(), "the stream is longer than its sums stay exact");
    ++time_;
    sum_ += x;
    if (tree_.time() < tree_.horizon() && epoch_ > 0) {
      tree_.add_with_noise(x, draw(noise_->tree[epoch_]));
      estimate_ = total_ + tree_.estimate();  // (1)
    } else {
      total_ += sum_ + draw(noise_->total);
      estimate_ = total_;  // (2)
      start_epoch();
    }
  }
  void start_epoch();

  std::shared_ptr<const HybridNoise> noise_;
  std::int64_t time_ = 0;
  std::size_t epoch_ = 0;
  TreeCounter tree_;    // of this epoch
  double sum_ = 0.0;    // the exact sum of this epoch
  double total_ = 0.0;  // the sum of Y over the epochs before
  double estimate_ = 0.0;
};

// Reads streams of 1 to longest() entries in [lowest, lowest + sensitivity].
class HybridCounterMechanism : public Configured<HybridCounterConfig>,
                               public detail::ReleasesOneOfMany<HybridCounterMechanism> {
 public:
  using Input = std::span<const double>;
  using Output = std::vector<double>;  // estimate(1), estimate(2), ...

  static Result<HybridCounterMechanism> create(const Config& config);

  Status check_input(const Input& input) const;
  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  // A counter that gives the same estimates one by one, as the entries arrive.
  HybridCounter start() const { return HybridCounter(noise_); }

  double log_density(const Output& output, const Input& input) const;
  double variance(std::int64_t t) const;  // (5)
  std::int64_t longest() const { return start().longest(); }

  Guarantee guarantee() const;
  const HybridNoise& noise() const { return *noise_; }

 private:
  HybridCounterMechanism(const Config& config, double scale,
                         std::shared_ptr<const HybridNoise> noise)
      : Configured(config), scale_(scale), noise_(std::move(noise)) {}

  double scale_;  // s
  std::shared_ptr<const HybridNoise> noise_;
};

static_assert(DensityMechanism<HybridCounterMechanism>);

}  // namespace assay
