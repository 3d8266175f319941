// The one-run method: many private coins in one transcript, then guess them.
//
//   train     transcripts with coins of their own: a guesser of each coin (guesser.hpp), and how many
//             of the guesses are worth making
//   certify   R fresh transcripts (one is enough) with fresh coins; the most confident guesses are
//             made, as many as was fixed before, and the right ones counted (one_run.hpp), of all
//             runs together or, where training promises more from it, run by run
// Training and certification have coins and seeds of their own.
//
// Privacy: the counts refute a claim about replacing one entry of the input, where an entry is what
// one coin decides: a reward, a row, one value of a mechanism's input (which has to be allowed to
// move from the one value to the other). They do not refute a claim about less, such as one cell of a
// row that a coin flips as a whole. No upper bound follows.
// The coins are the auditor's own, so a single run needs no assumption about the target at all; that
// training transcripts, or several runs, tell nothing of the certified run's noise is the independence
// of plays that play_checks.hpp tests.
//
// Reference: one_run.hpp. In a learner's transcript the coins interfere: each moves the same few
// counts. docs/benchmarks.md has what that costs beside the event method.
#pragma once

#include <string>

#include "assay/auditors/methods/black_box/audit.hpp"
#include "assay/auditors/methods/one_run/canaries.hpp"

namespace assay {

struct OneRunPlan {
  PrivacyLevel claim;
  std::string claim_text;
  double confidence = 0.999;
  Delta delta0{1e-6};  // for a claim in mu: where eps is reported too
  std::uint64_t seed = 1;
  std::int64_t runs = 1;        // certified transcripts, 1 to 1e6
  std::int64_t training = 400;  // transcripts, at least 20
  std::string canaries_text;    // where the two values come from
};

// The report is without case_id, title, parameters and reproduce. Runs that the target did not finish
// count as wrong guesses. Errors: a plan out of range, a target that fails before certification,
// interruption before that.
Result<BlackBoxOutcome> audit_one_run(Players& players, bool promises_seeds,
                                      const Canaries& canaries, const OneRunPlan& plan,
                                      const RunControl& control);

}  // namespace assay
