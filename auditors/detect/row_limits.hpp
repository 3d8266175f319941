// The best results that are possible for a row, from its distribution. The report compares the detector's bounds with
// them; the detector never reads them.
//
//   best event  the largest log(P(A)/Q(A)) of events of probability at least `least`
//   ceiling     the bound that `samples` independent samples certify on the best event for that many, all
//               spent on it. It is the largest, over events {log(p/q) >= t}, pairs and directions, of the
//               eps with
//                   T_eps(n p, m q) = z_alpha,                                                 (1)
//               where T is the ordering of the exact test (count_ordering.hpp) at the expected counts, and
//               n + m = samples is the best split between P and Q. It is a median, not a limit: a bound may by chance
//               exceed it, and so may one from samples that share their noise between P and Q.
//
// Reference: Neyman, Pearson (1933): no event beats those thresholds.
// Threads: results do not depend on their number. Cost: 0.1 s a pair, and that of the distribution.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"

namespace assay {

struct RowLimits {
  double best_event = 0.0;
  double ceiling = 0.0;
  static auto byte_fields(auto& self) { return std::tie(self.best_event, self.ceiling); }
};

RowLimits limits_of(const faulty::DetectionRow& row, double least, std::int64_t samples,
                    double alpha, const RunControl& control);

// (1) for one direction of one pair.
double certifiable_epsilon(faulty::OutputCells cells, std::int64_t samples, double alpha);

}  // namespace assay
