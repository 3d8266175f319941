// The one-run method sets many private coins in the input of one run, and then guesses them from the output.
//
//   train     transcripts with coins of their own give a guesser of each coin (guesser.hpp), and the number
//             of guesses worth making
//   certify   R fresh transcripts (one is enough) with fresh coins. The auditor makes the most confident guesses,
//             as many as was fixed before, and counts the right ones (one_run.hpp) run by run, or for fewer
//             than 30 runs together
// Training and certification have coins and seeds of their own.
//
// Privacy: the counts refute a claim about replacing one entry of the input, the entry that
// one coin decides: a reward, a row, one value of a mechanism's input (which must be allowed to
// move from the one value to the other). They do not refute a claim about a smaller change, such as one cell
// of a row that a coin changes as a whole. The method gives no upper bound.
//
// The coins are the randomisation. Given all runs before it, F, the coins of a certified run are fair and
// independent, and the guesser and the number of guesses are functions of F. So for a single run
// one_run.hpp applies to its distribution given F, whatever the target remembers, and refutes
//     every run is as private as claimed given all runs before it.                           (1)
// Runs counted one by one: given F_i, (1) bounds the mean share of right guesses of run i, read off its own
// output, so betting on the shares is valid for any target. Runs counted together are one run of R m
// entries: the counts refute that the whole is as private as claimed in each entry, which may be false for a target
// with memory. An output that does not depend on its own coins, however it drifts and whatever it reveals of earlier
// ones, is right about them half of the time. (1) applies to a run by itself only if runs share no noise, which
// run_checks.hpp tests; it also compares runs over time and, for seeded targets, with a fresh process.
//
// Reference: one_run.hpp. In a learner's transcript the coins interfere, because each moves the same few
// counts. docs/benchmarks.md compares the cost of that with the event method.
#pragma once

#include <string>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/one_run/canaries.hpp"

namespace assay {

struct OneRunPlan : AuditTerms {
  std::int64_t runs = 1;           // certified transcripts, 1 to 1e6
  std::int64_t training = 400;     // transcripts, at least 20
  std::string canaries_text = {};  // where the two values come from
  // Above 0: this is the first part of an audit by other methods (probed_audit.hpp), and may spend this
  // share of alpha. It then stops unless it refutes the claim.
  double probe_share = 0.0;
};

// Runs that the target did not finish count as wrong guesses. After an interruption, which is heard within half a
// second, and if the target fails, the outcome has what was certified before, with the error; of a pre-screen it has
// no decision then. Errors: a plan out of range, inputs that the target refuses.
Result<BlackBoxOutcome> audit_one_run(const PlayedSubject& subject, const Canaries& canaries,
                                      const OneRunPlan& plan, const RunControl& control);

// The outcome of an audit that ended before it guessed anything, as one of this method: with the canaries, on the input
// where all coins are 0.
BlackBoxOutcome without_guesses(BlackBoxOutcome outcome, const Canaries& canaries,
                                const OneRunPlan& plan);

// A target that declares nothing but its promise of seeds.
Result<BlackBoxOutcome> audit_one_run(Players& players, bool promises_seeds,
                                      const Canaries& canaries, const OneRunPlan& plan,
                                      const RunControl& control);

}  // namespace assay
