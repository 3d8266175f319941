// Searches for an event (methods/black_box/event_search.hpp) in samples of a row of the table.
//
// A first round only learns. Then half of the pairs go on, then one, and the search takes its best event. All inputs
// of a round have the same random streams. The value of an event is r = log(p/q) less the expected loss of
// certification. That is 1.1 z_alpha sqrt(v/(left/2)) by bets on coupled pairs (v as in half_lines.hpp, (0)), and
// z_alpha (s_p + s_q)/sqrt(left) with s_p^2 = (1 - p)/p by the exact test. Half a standard error is subtracted in
// the first round that counts, and one later.
//
// The search draws from streams of Phase::kSearch and kPilot and sees no other samples.
#pragma once

#include <cstdint>

#include "assay/auditors/methods/black_box/half_lines.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"

namespace assay {

struct RowSearch {
  std::uint64_t seed = 1;
  double alpha = 0.1;       // of the bound that certification will give
  std::int64_t budget = 0;  // samples in all, at least 58% of them for the certification
};

struct RowEvent {
  std::size_t pair = 0;
  FoundEvent found;
  std::int64_t samples = 0;  // that the search used
};

// Whether an event is certified by bets on coupled pairs. If not, the exact test on independent samples is used,
// which is better for few hits on Q.
inline bool certified_coupled(double q, double left) { return 0.5 * left * q >= 200.0; }

// A cancelled search has no score.
RowEvent search_row(const faulty::DetectionRow& row, const RowSearch& search,
                    const RunControl& control);

}  // namespace assay
