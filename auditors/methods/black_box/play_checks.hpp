// Do the plays of a target support an audit at all: are they independent, and are they what their
// seeds say?
//
// Independence is tested by permutation: plays are grouped (by message, so also by process; by their
// place within a process), and the sum of squares between groups, over the standardised features of
// the outputs, is compared with that of random regroupings. Under independent plays every regrouping
// is as likely, so the p-value (1 + larger)/(1 + regroupings) is valid at every level, whatever the
// law of the outputs. It stops at the k-th larger one, as p = k/regroupings is then valid as well
// (Besag, Clifford, "Sequential Monte Carlo p-values", Biometrika 1991): independent plays, which are
// the rule, are settled by a hundred regroupings, and only what looks dependent takes all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/auditors/report/audit_report.hpp"

namespace assay {

// p-value of "the grouping explains nothing". rows: row-major, `columns` a row; one group per row.
double grouping_p_value(const std::vector<double>& rows, std::size_t columns,
                        const std::vector<int>& groups, int regroupings, std::uint64_t seed);

struct PlayChecks {
  std::vector<CalibrationCheck> checks;  // e_value: 1/p; alarm at 1/alpha
  bool independent = true;
  bool seeded = false;  // a play is a function of input and seed, as far as was seen
};

// Starts instances of its own. Errors: kTarget, when one fails.
Result<PlayChecks> check_plays(const Target& target, const InputTable& input, bool promises_seeds,
                               double alpha, std::uint64_t seed);

}  // namespace assay
