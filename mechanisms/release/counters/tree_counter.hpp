// The binary-tree counter releases the running sums of a stream of known length T. Each sum has the
// noise of at most log2(T) + 1 nodes, which are noisy partial sums.
//
//   node(t) = sum of x_s over t - lowbit(t) < s <= t, plus noise drawn once                    (1)
//   estimate(t) = estimate(t - lowbit(t)) + node(t),  estimate(0) = 0                          (2)
// lowbit(t) is the largest power of two that divides t. (2) adds the dyadic intervals that make up
// [1, t]. The textbook's tree has more nodes; no estimate needs them, and they are not drawn.
//
// Privacy. Relation: one x_t moves by at most `sensitivity`, even if later entries depend on earlier
// estimates. View: all T estimates, which (2) maps one to one to the nodes (1). x_s is in the nodes
// s, s + lowbit(s), ... up to T. lowbit at least doubles each time, so the number of these nodes is
// at most
//   h = floor(log2 T) + 1, which s = 1 attains.                                                (3)
// counter_noise.hpp gives the level for h nodes. Laplace kinds are eps-DP and Gaussian noise is
// mu-GDP, both attained; discrete Gaussian noise is (eps, delta)-DP.
// Accuracy: the estimates are unbiased. variance(t) = popcount(t) v, where v is the variance of one
// noise. With probability at least 1 - beta the error at every time t is within the bound of
// counter_noise.hpp, (4) and (5) there, at W = popcount(t) and error probability beta/T.        (4)
// log_density() is that of the nodes, since the map (2) has determinant 1. Sums with an idealized
// kind of noise are rounded to double precision; those with a discrete kind are exact.
//
// Reference: Dwork, Naor, Pitassi, Rothblum, "Differential privacy under continual observation"
// (STOC 2010); Chan, Shi, Song, "Private and continual release of statistics" (ACM TISSEC 2011),
// the binary mechanism.
// Threads: values. Cost: one noise and O(1) a step, amortised; O(log T) doubles of memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/counters/counter_noise.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

// The state that both running tree counters have. An entry is a vector of `width` numbers, and each of
// them has its own running sum. The level holds for entries that move by at most D in L1 distance
// (Laplace kinds) or in L2 distance (Gaussian kinds).
class TreeState {
 public:
  // estimate(t), t = time(); 0 before the first entry.
  double estimate() const { return estimates()[0]; }
  std::span<const double> estimates() const { return {estimate_.data() + current_, width_}; }

  std::int64_t time() const { return time_; }
  std::int64_t horizon() const { return horizon_; }
  std::size_t width() const { return width_; }
  const NodeNoise& noise() const { return noise_; }

 protected:
  // The caller supplies the noise, calibrated to tree_levels(horizon) nodes (counter_scale).
  // Preconditions: horizon and width >= 1.
  TreeState(const NodeNoise& noise, std::int64_t horizon, std::size_t width);

  // Goes to the next time. Returns the level of the longest node that ends there, and the place of the
  // estimate before that node. Precondition: fewer than horizon() earlier calls.
  struct Step {
    std::size_t level;
    std::size_t base;
  };
  Step next_step() {
    ASSAY_CHECK(time_ < horizon_, "the stream is longer than the horizon");
    const auto t = static_cast<std::uint64_t>(++time_);
    const std::uint64_t before = t & (t - 1);
    current_ = place(t);
    return {static_cast<std::size_t>(std::countr_zero(t)), before == 0 ? 0 : place(before)};
  }

  NodeNoise noise_;
  std::size_t width_;
  std::size_t current_ = 0;
  // For each bit j that is set in the time: the sum over the interval of length 2^j that ends at the
  // time with all lower bits cleared, and the estimate at that end. Place 0 of the estimates is t = 0.
  std::vector<double> sum_;
  std::vector<double> estimate_;

 private:
  std::size_t place(std::uint64_t t) const {
    return (static_cast<std::size_t>(std::countr_zero(t)) + 1) * width_;
  }

  std::int64_t horizon_;
  std::int64_t time_ = 0;
};

// The counter while a stream arrives, which policies use: add() reads the next entry, estimate() is the running sum.
class TreeCounter : public TreeState {
 public:
  TreeCounter(const NodeNoise& noise, std::int64_t horizon, std::size_t width = 1)
      : TreeState(noise, horizon, width) {}

  // Reads the next entry. Preconditions: fewer than horizon() earlier ones; x.size() == width().
  template <RandomSource R>
  void add(std::span<const double> x, R& random) {
    ASSAY_CHECK(x.size() == width_, "one number for each sum");
    advance(x.data(), [&] { return noise_.sample(random); });
  }
  template <RandomSource R>
  void add(double x, R& random) {
    add({&x, 1}, random);
  }
  // The same with noise that the caller has drawn already.
  void add_with_noise(double x, double noise) {
    ASSAY_CHECK(width_ == 1, "one number for each sum");
    advance(&x, [noise] { return noise; });
  }

 private:
  template <class Draw>
  void advance(const double* x, Draw draw) {
    const auto [level, base] = next_step();
    for (std::size_t i = 0; i < width_; ++i) {
      double sum = x[i];
      for (std::size_t j = 0; j < level; ++j) sum += sum_[j * width_ + i];
      sum_[level * width_ + i] = sum;
      estimate_[current_ + i] = estimate_[base + i] + (sum + draw());  // (1), (2)
    }
  }
};

struct TreeCounterConfig {
  std::int64_t horizon = 1024;
  double epsilon = 1.0;
  double delta = 0.0;
  double sensitivity = 1.0;
  double lowest = 0.0;
  CounterNoise noise = CounterNoise::kDiscreteLaplace;

  static void fields(auto&& visit) {
    using C = TreeCounterConfig;
    visit(field("horizon", &C::horizon, Range{1, 0x1p40}, "T", "entries of the stream"));
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level of all estimates"));
    visit(field("delta", &C::delta, Range{0, 1}, "delta", "0 for Laplace noise, else above 0"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "D",
                "how far one entry moves: the length of its range"));
    visit(field("lowest", &C::lowest, Range{-1e9, 1e9}, "", "the smallest entry"));
    visit(field("noise", &C::noise, Range{}, "",
                "noise of a node; discrete kinds need integer streams"));
  }
  Status check() const { return detail::check_counter(noise, delta, sensitivity, lowest); }
};

// The base of both tree counter mechanisms. They read whole streams of 1 to T entries in
// [lowest, lowest + sensitivity].
class TreeMechanism : public Configured<TreeCounterConfig> {
 public:
  using Input = std::span<const double>;
  using Output = std::vector<double>;

  Status check_input(const Input& input) const;
  const NodeNoise& noise() const { return noise_; }

 protected:
  TreeMechanism(const Config& config, const NodeNoise& noise) : Configured(config), noise_(noise) {}

  // Further errors: discrete noise with sums that could reach 2^53.
  static Result<NodeNoise> noise_for(const Config& config);
  Guarantee guarantee_by(std::string source) const;

  NodeNoise noise_;
};

// The output is estimate(1), estimate(2), ...
class TreeCounterMechanism : public TreeMechanism,
                             public detail::ReleasesOneOfMany<TreeCounterMechanism> {
 public:
  static Result<TreeCounterMechanism> create(const Config& config);

  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  // A counter that gives the same estimates one by one, as the entries arrive.
  TreeCounter start() const { return {noise_, config_.horizon}; }

  double log_density(const Output& output, const Input& input) const;
  double variance(std::int64_t t) const;
  double error_bound(double beta) const;  // the largest bound (4) over t

  Guarantee guarantee() const;

 private:
  using TreeMechanism::TreeMechanism;
};

static_assert(DensityMechanism<TreeCounterMechanism>);

}  // namespace assay
