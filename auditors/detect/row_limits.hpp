// What could be found in a row, from its law: the yardsticks that a detector's bounds are held
// against. Nothing that finds reads them.
//
//   best event  the largest log(P(A)/Q(A)) of events of probability at least `least`
//   ceiling     the bound that `samples` independent ones certify of the best event for that many, all
//               spent on it:
//               largest over events {log(p/q) >= t}, pairs and directions of the eps with
//                   T_eps(n p, m q) = z_alpha,                                                 (1)
//               T the ordering of the exact test (count_ordering.hpp) at the expected counts, n + m
//               = samples split best between the sides. A median, not a limit: a lucky bound
//               exceeds it, and so do samples that share their noise between the sides.
//
// Reference: Neyman, Pearson (1933): no event beats those thresholds.
// Threads: results do not depend on their number. Cost: 0.1 s a pair, and that of the law.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/faulty/detection_table.hpp"

namespace assay {

struct RowLimits {
  double best_event = 0.0;
  double ceiling = 0.0;
};

RowLimits limits_of(const faulty::DetectionRow& row, double least, std::int64_t samples,
                    double alpha, int threads);

// (1) for one direction of one pair.
double certifiable_epsilon(faulty::OutputCells cells, std::int64_t samples, double alpha);

}  // namespace assay
