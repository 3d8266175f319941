// Evidence across the runs of a suite: the error that each run may spend, when the result of one run is reused in
// another, and how the results of several runs of one content add up.
//
//   Run k, 2^j <= k < 2^(j+1), spends at most   alpha / (2^j (j+1) (j+2)),                        (1)
//   and all runs together at most alpha: 2^j runs of a block share 1/((j+1)(j+2)), which sum to 1.
//   Bounds of one content hold at once: the loss is at least the largest lower bound and at most
//   the smallest upper bound.                                                                     (2)
//   A violation stands while the content is not known to have changed (standing.hpp).             (3)
//   The wealths of bets against the claim of one content multiply from run to run. The bets have
//   one stake, with a fixed share of the alpha of the run that began it.                          (4)
//
// docs/proofs/suite_alpha.md has the proof, its assumptions, and the price of (1).
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/auditors/suite/suite_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The share of run k >= 1 in the error of all runs, rounded down.
double alpha_of_run(double alpha, std::int64_t run);

// The seed of a run of a suite with a fixed seed, at most 2^53. No two runs of a history share their random
// numbers, so a change after one run cannot have been fitted to those of the next.
std::uint64_t seed_of_run(std::uint64_t seed, std::int64_t run);

// Whether another run would only repeat the result. This is so for a violation, and for a claim that was proved to hold
// (the table in docs/decisions/suite.md). An audit that finds nothing decides nothing, whatever its effort.
bool is_decided(const EntryResult& result);

// The verdict of a verification that proved or refuted all its claims; others say "as registered".
inline constexpr const char* kProvedAsRegistered = "as registered, all decided";

// Merges two results of one content, `now` from the later run. Figures merge by (2). All else is that of a
// violation, by (3), otherwise of a decided result, and otherwise of the later. If that is `before`, `reused_from`
// is as it was given there. Bounds that exclude each other end in kCouldNotRun, with an error that says it:
// something changed that the digest does not see, or an event of probability alpha happened.
EntryResult merge_evidence(const EntryResult& before, const EntryResult& now);

// The bets of the runs of one content.
struct ContentEvidence {
  std::int64_t first = 0;  // the run that began it, with this share of its alpha
  double alpha = 0.0;
  std::int64_t runs = 0;  // the number of runs that it comes from
  ClaimEProcess bets;
};

// If an audit adds its evidence to that of others, it leaves this share of its alpha for all that evidence together.
inline constexpr double kShareOfEvidence = 0.25;

// Adds the evidence of the run of `result` to that of earlier runs, and convicts if all of it refutes the claim.
// False if the evidence is lost: the run may have been cut off in a way that depends on its outputs, or its runs
// of the target prove nothing.
bool add_up(ContentEvidence& evidence, EntryResult& result);

// SHA-256, as 64 hexadecimal digits, of all arguments, each with its length. Errors: a file that cannot be read
// or is not a regular one.
Result<std::string> digest_of_content(const std::vector<std::string>& words,
                                      const std::vector<std::string>& files,
                                      const std::string& version);

}  // namespace assay
