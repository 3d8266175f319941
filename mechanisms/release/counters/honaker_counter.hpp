// Honaker's tree counter releases a binary tree of noisy sums of a stream. The running sums that it
// computes from them have the smallest variance that the nodes complete so far allow.
//
// Every dyadic interval [m 2^k + 1, (m + 1) 2^k] is a node with a noisy sum y, drawn once, when the
// interval completes. The sum over an interval is estimated from its own y and its two halves, from
// the leaves up:
//   S_k = u_k y + (1 - u_k) (S_left + S_right),  S_0 = y                                       (1)
//   u_k = 2^k/(2^(k+1) - 1)                                                                    (2)
//   estimate(t) = sum of S over the dyadic intervals that make up [1, t], one for each bit of t (3)
//   variance(t) = v sum of u_k over the bits k of t, v the variance of one noise               (4)
//
// Privacy. Relation: one x_t moves by at most `sensitivity`, even if later entries depend on earlier
// estimates. View: the output, which is all nodes; the estimates are post-processing. x_t is in one
// node of each length, so in at most floor(log2 T) + 1 nodes. The level is therefore that of the
// plain tree (tree_counter.hpp), and it is attained.
// Accuracy: the variance is (4). With probability at least 1 - beta all T errors are within the bound
// of counter_noise.hpp on a sum of noises, (4) and (5) there, which holds since every weight is at
// most 1. Its W is the largest variance(t)/v and its error probability beta/T.                  (5)
// log_density() is that of all nodes. The estimates are half as many numbers; their density has no
// closed form. Reference: Honaker, "Efficient use of differentially private binary trees" (TPDP
// 2015), the "estimate from below"; docs/proofs/honaker_counter.md proves that (3) is the best.
// Threads: values. Cost: two noises and O(1) a step, amortised; O(log T) doubles of memory.
#pragma once

#include <vector>

#include "assay/mechanisms/release/counters/tree_counter.hpp"

namespace assay {

// The counter while a stream arrives: add() reads the next entry, estimate() is the running sum.
class HonakerCounter : public TreeState {
 public:
  HonakerCounter(const NodeNoise& noise, std::int64_t horizon, std::size_t width = 1);

  template <RandomSource R>
  void add(std::span<const double> x, R& random) {
    ASSAY_CHECK(x.size() == width_, "one number for each sum");
    advance([&](double sum) { return sum + noise_.sample(random); }, x.data());
  }
  template <RandomSource R>
  void add(double x, R& random) {
    add({&x, 1}, random);
  }
  // Goes to the next time by the noisy sums of the nodes that complete then, shortest first, in place of an entry.
  // Precondition: width() == 1.
  void add_nodes(std::span<const double> nodes) {
    ASSAY_CHECK(width_ == 1 && static_cast<int>(nodes.size()) ==
                                   std::countr_zero(static_cast<std::uint64_t>(time() + 1)) + 1,
                "the nodes that end here");
    std::size_t next = 0;
    const double unread = 0.0;
    advance([&](double) { return nodes[next++]; }, &unread);
  }

 private:
  // `release` maps a node's exact sum to its noisy sum, node by node.
  template <class Release>
  void advance(Release release, const double* x) {
    const auto [level, base] = next_step();
    for (std::size_t i = 0; i < width_; ++i) {
      double sum = x[i];
      double best = release(sum);
      for (std::size_t k = 1; k <= level; ++k) {
        const std::size_t left = (k - 1) * width_ + i;
        sum += sum_[left];
        const double u = weight_[k];
        best = u * release(sum) + (1.0 - u) * (best_[left] + best);  // (1)
      }
      sum_[level * width_ + i] = sum;
      best_[level * width_ + i] = best;
      estimate_[current_ + i] = estimate_[base + i] + best;  // (3)
    }
  }

  std::vector<double> weight_;
  std::vector<double> best_;  // for each level, S of the interval whose sibling is not complete
};

// u_k of (2). Precondition: 0 <= k <= 62.
double honaker_weight(int k);

// The output lists all nodes in the order in which they complete: at each t those of lengths 1, 2, 4, ..., lowbit(t),
// the largest power of two that divides t.
class HonakerCounterMechanism : public TreeMechanism {
 public:
  static Result<HonakerCounterMechanism> create(const Config& config);

  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of the size of
  // one release.
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  // Computes estimate(1), estimate(2), ... from a release, by (3).
  std::vector<double> estimates(const Output& output) const;
  // A counter that gives the same estimates one by one, as the entries arrive.
  HonakerCounter start() const { return {noise_, config_.horizon}; }

  double log_density(const Output& output, const Input& input) const;
  double variance(std::int64_t t) const;  // (4)
  double error_bound(double beta) const;  // (5)

  Guarantee guarantee() const;

 private:
  using TreeMechanism::TreeMechanism;
};

static_assert(DensityMechanism<HonakerCounterMechanism>);

// The nodes of a stream without noise, in the order of a release: 2 T - popcount(T) of them.
std::vector<double> tree_node_sums(std::span<const double> stream);

}  // namespace assay
