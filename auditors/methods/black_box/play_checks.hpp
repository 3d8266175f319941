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
// Two more look at the certified plays themselves, by regrouping those of one side:
//   steady plays   sums of the event and of the score's rank over stretches of 4 to 256 plays, and the
//                  product of neighbours: trends, waves and echoes
//   played again   plays of the run against the same messages in a fresh process, by the same outputs
//                  where the target promises that seeds decide them, otherwise by how often the event
//                  happens and how the scores rank
// Of a target that takes keys (certify.hpp), runs of the same seeds with keys and without show whether keys
// matter to it; "two seedings" says whether the certified runs of either one refute what all do.
// The bounds need none of these (certify.hpp): what they find is said beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

// p-value of "the grouping explains nothing". rows: row-major, `columns` a row; one group per row.
double grouping_p_value(const std::vector<double>& rows, std::size_t columns,
                        const std::vector<int>& groups, int regroupings, std::uint64_t seed);

struct PlayChecks {
  std::vector<CheckResult> checks;
  bool independent = true;
  bool seeded = false;     // a play is a function of input and seed, as far as was seen
  std::int64_t plays = 0;  // that it took
  bool keys_matter =
      false;           // runs of one seed differed with a key and without; where keys are taken
  bool alike = false;  // all plays gave one output,
  std::uint64_t output = 0;  // this one (digest_of)
};

// Starts instances of its own. Errors: kTarget, when one fails.
Result<PlayChecks> check_plays(const Target& target, const InputTable& input, bool promises_seeds,
                               double alpha, std::uint64_t seed);

// What the certified runs of two seedings say of a claim, each by itself and all together.
struct SeedingEvidence {
  bool by_all = false;
  bool without_key = false, with_key = false;
  std::string counts;     // of the event, in words: "without keys ..., with keys ..."
  bool disagree = false;  // the seedings differ by more than luck

  bool by_both() const { return by_all && without_key && with_key; }
  bool falls_short() const { return by_all && !by_both(); }
  // Of a statistic whose difference between the seedings has this variance. What is said depends on it, no verdict does.
  void compare(double difference, double variance);
  // Why a claim that all runs refute together is not refuted.
  std::string reason() const;
};
// Nothing where the target is in this process.
std::optional<CheckResult> check_seedings(TakesKeys takes, const PlayChecks& checked,
                                          const SeedingEvidence& evidence);

CheckResult check_steady(const CertifiedPlays& plays, double alpha, std::uint64_t seed);

// Which of `count` certified plays are played again: at most 128, from all over the run.
std::vector<std::int64_t> plays_to_repeat(std::int64_t count);

// `again`: plays `which` once more, in a fresh process.
CheckResult check_again(const CertifiedPlays& plays, std::span<const std::int64_t> which,
                        const CertifiedPlays& again, bool promises_seeds, double alpha,
                        std::uint64_t seed);

}  // namespace assay
