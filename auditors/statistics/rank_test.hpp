// The two-sided test of Wilcoxon, Mann and Whitney, which tests whether one sample tends to be larger than another. It
// is exact, even with ties.
//
//   U = sum over pairs of [x < y] + [x = y] / 2,  of m values x and n values y                       (1)
//   If all m + n values are independent draws from one distribution, any n of them are equally likely to be the
//   y, given their values: P(U <= u) is a share of choices, counted one by one over the ranks          (2)
//   p = min(1, 2 min(P(U <= u), P(U >= u))), rounded up                                              (3)
//   More than kMostRanked values together: p = min(1, 2 exp(-2 min(m, n) (u/(mn) - 1/2)^2))          (4)
// (2) also holds for distributions with atoms: tied values share the mean of their ranks, and the
// count is given the ties. (4) is Hoeffding's inequality for a mean of two samples: the kernel lies in
// [0, 1], its mean is 1/2. P(p <= a) <= a for every a, whichever of the two gives p.
// Reference: Mann, Whitney (1947); Lehmann, "Nonparametrics", section 1.4 (ties); Hoeffding (1963),
// section 5b; Holm (1979). Threads: pure functions. Cost: O((m + n)^2 min(m, n)^2), at most 40 ms.
#pragma once

#include <vector>

namespace assay {

inline constexpr int kMostRanked = 100;

struct RankTest {
  double p = 1.0;
  double u = 0.0;      // (1)
  bool above = false;  // whether the y tend to be larger: u is more than half of mn
};

// Precondition: neither sample is empty.
RankTest rank_test(const std::vector<double>& x, const std::vector<double>& y);

// The rejected hypotheses among several, such that with probability 1 - alpha no true one is rejected, for any
// dependence between them: compares the i-th smallest p-value of m with alpha / (m - i + 1), until the first
// that is larger (Holm).
std::vector<bool> holm_rejections(const std::vector<double>& p_values, double alpha);

}  // namespace assay
