// The distribution of the number of ones among independent Bernoulli variables, kept in a window.
//
// The distribution of a sum is that of its halves convolved, down to blocks of 256 by
//   P_t(k) = P_(t-1)(k) (1 - p_t) + P_(t-1)(k - 1) p_t                                         (1)
// which adds positive terms only. After each, the mass below a count `lo` moves to `lo`, and that
// above a count `hi` to `hi`. The effect is bounded for every function g > 0 of the count
// with |log g(k + 1) - log g(k)| <= rate: E[g] is multiplied by a factor within 1 +- r,
//   r = sum over k < lo of w_k e^(rate (lo - k)) / sum over k >= lo of w_k e^(-rate (k - lo))  (2)
// at the lower end, and its mirror image at the upper one.
// Proof. g(k) <= g(lo) e^(rate |k - lo|) bounds the moved part, before and after, by the numerator
// times g(lo); g(k) >= g(lo) e^(-rate |k - lo|) bounds the remaining part from below by the
// denominator times g(lo). Given the rest of the sum, g of the whole is such a function of the part,
// and so is its mean over the rest: factors of all parts multiply, as do those of independent counts.
// QED. A window is as narrow as `relative` allows r, or as `absolute` allows the mass that moves: this
// mass changes E[g] by no more than itself if g <= 1. It keeps every weight in the range of doubles.
//
// Widths: to either side about 10 standard deviations and rate times the variance, and at most 37
// standard deviations.
// Accuracy: weights to `rounding` units of 2^-53, counted operation by operation: 6e-13 at 2^15
// terms and 3e-11 at 2^20.
// Reference: Biscarri, Zhao, Brunner, Comput. Stat. Data Anal. 122 (2018), on (1) and halves.
// Threads: pure. Same bits on every machine. Cost: n 128 + width^2/2 multiplications, 1 ns each;
// 0.05 s at 2^15 and rate 1/2.
#pragma once

#include <span>

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"

namespace assay {

// The limits on the effect of one end of a window.
struct CountWindow {
  double rate = 0.0;
  double relative = 0x1p-70;
  double absolute = 1e-295;
};

// The distribution, with bounds on its error.
struct WindowedCount {
  CountDistribution distribution;
  double relative = 0.0;  // the sum of all r
  double absolute = 0.0;  // the sum of all masses moved without (2)
  double rounding = 0.0;  // units of 2^-53

  double most() const {
    return distribution.least + static_cast<double>(distribution.weights.size()) - 1.0;
  }
  friend bool operator==(const WindowedCount&, const WindowedCount&) = default;
};

// Preconditions: probabilities in [0, 1], a window of values >= 0, absolute at least 1e-295.
// A stopped call returns a meaningless distribution.
WindowedCount poisson_binomial(std::span<const double> probabilities, const CountWindow& window,
                               const RunControl& control = {});
// The distribution of the sum of two independent counts.
WindowedCount sum_of(const WindowedCount& a, const WindowedCount& b, const CountWindow& window,
                     const RunControl& control = {});

}  // namespace assay
