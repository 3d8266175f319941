// Checks whether the runs of a target support an audit at all: whether they are independent, and whether their
// seeds determine them.
//
// Independence is tested by permutation. Runs are grouped (by message, so also by process; by their
// place within a process), and the sum of squares between groups, over the standardised features of
// the outputs, is compared with that of random regroupings. If runs are independent, every regrouping
// is as likely, so the p-value (1 + larger)/(1 + regroupings) is valid at every level, for any
// distribution of the outputs. The test stops at the k-th larger one, as p = k/regroupings is then valid as well
// (Besag, Clifford, "Sequential Monte Carlo p-values", Biometrika 1991). So a hundred regroupings settle
// independent runs, which are the rule, and only runs that look dependent take all of them.
// At a level that so many regroupings cannot reach, a p-value p <= c = 1e-4 is followed by a second, independent sample
// with the p-value q, and the result is
//     p if p > c, otherwise c q.                                                            (1)
// It is valid: for t < c, P(result <= t) = P(p <= c) P(q <= t/c) <= t.
// Two more tests examine the certified runs themselves, by regrouping those on one input:
//   stationary runs  sums of the event and of the score's rank over blocks of 4 to 256 runs, and the
//                    product of neighbours: trends, waves and echoes
//   repeated runs    runs of the audit against the same messages in a fresh process, by equality of the outputs
//                    if the target promises that seeds decide them, otherwise by how often the event
//                    happens and how the scores rank
// If a target takes keys (certify.hpp), runs with the same seeds with and without keys show whether keys
// matter to it. "two seedings" shows whether the certified runs of each seeding refute what all of them refute.
// The bounds need none of these (certify.hpp); the report states their results next to the bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"

namespace assay {

// p-value of "the grouping explains nothing". rows: row-major, `columns` a row; one group per row.
double grouping_p_value(const std::vector<double>& rows, std::size_t columns,
                        const std::vector<int>& groups, int regroupings, std::uint64_t seed);

struct RunChecks {
  std::vector<CheckResult> checks;
  bool independent = true;
  bool seeded = false;    // an output is a function of input and seed, as far as was seen
  std::int64_t runs = 0;  // that it took
  bool keys_matter =
      false;           // runs with one seed differed with and without a key, if keys are taken
  bool alike = false;  // all runs gave one output,
  std::uint64_t output = 0;  // this one (digest_of)
};

// Replaces the running instances by fresh ones. Errors: kTarget, when one fails; interruption.
Result<RunChecks> check_runs(Players& players, const InputTable& input, bool promises_seeds,
                             double alpha, std::uint64_t seed, const RunControl& control);

// The evidence of the certified runs of two seedings on a claim, each by itself and all together.
struct SeedingEvidence {
  bool by_all = false;
  bool without_key = false, with_key = false;
  std::string counts;     // of the event, as a phrase: "without keys ..., with keys ..."
  bool disagree = false;  // the seedings differ by more than luck

  bool by_both() const { return by_all && without_key && with_key; }
  bool falls_short() const { return by_all && !by_both(); }
  // Compares a statistic whose difference between the seedings has this variance. It changes a text, and no verdict.
  void compare(double difference, double variance);
  // Why a claim that all runs refute together is not refuted.
  std::string reason() const;
};
// Nothing if the target is in this process.
std::optional<CheckResult> check_seedings(TakesKeys takes, const RunChecks& checked,
                                          const SeedingEvidence& evidence);

// The level of one of the next two checks. No bound rests on them, so if the share is below the least level at which they
// could say anything, they have that level, and the ledger does not list it. Errors: those of AlphaLedger::spend.
Result<double> spend_on_remark(AlphaLedger& ledger, std::string purpose, double fraction);

// `alpha` is at least 2e-5 (spend_on_remark).
CheckResult check_steady(const CertifiedRuns& runs, double alpha, std::uint64_t seed);

// Which of `count` certified runs are repeated: at most 128, from all over the audit.
std::vector<std::int64_t> runs_to_repeat(std::int64_t count);

// `again`: the runs `which` once more, in a fresh process.
CheckResult check_again(const CertifiedRuns& runs, std::span<const std::int64_t> which,
                        const CertifiedRuns& again, bool promises_seeds, double alpha,
                        std::uint64_t seed);

}  // namespace assay
