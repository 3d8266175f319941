// Evidence across the runs of a suite: which error each run may spend, when a result stands for another
// run, and how the results of several runs of one content add up.
//
//   run k, 2^j <= k < 2^(j+1), spends at most   alpha / (2^j (j+1) (j+2)),                        (1)
//   and all runs together at most alpha: 2^j runs of a block share 1/((j+1)(j+2)), which sum to 1.
//   Bounds of one content hold at once: it is at least the largest lower and at most the least upper.  (2)
//   A violation stands while the content is not known to have changed (standing.hpp).             (3)
//   Bets against the claim of one content multiply from run to run, from one stake, which keeps
//   its share of the alpha of the run that began it.                                              (4)
//
// docs/proofs/suite_alpha.md has the proof, what it takes for granted, and the price of (1).
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

// The seed of a run of a suite whose seed is fixed, at most 2^53: no two runs of a history share their random
// words, so that what was changed after a run cannot have been fitted to those of the next.
std::uint64_t seed_of_run(std::uint64_t seed, std::int64_t run);

// A result that another run would only repeat: a violation, or what was proved to hold (the table in
// docs/decisions/suite.md). That nothing was found is no decision, however hard it was looked for.
bool is_decided(const EntryResult& result);

// The verdict of a verification all of whose claims are proved or refuted; others say "as registered".
inline constexpr const char* kProvedAsRegistered = "as registered, all decided";

// Two results of one content, `now` from the later run: figures by (2), the rest of the one that decides,
// by (3), otherwise a decided one and otherwise the later. Where that is `before`, `reused_from` says so as it was given there.
// Bounds that exclude each other end in kCouldNotRun, with an error that says it: something changed that the
// digest does not see, or an event of probability alpha came about.
EntryResult merge_evidence(const EntryResult& before, const EntryResult& now);

// The bets of the runs of one content.
struct ContentEvidence {
  std::int64_t first = 0;  // the run that began it, with this share of its alpha
  double alpha = 0.0;
  std::int64_t runs = 0;  // whose plays it holds
  ClaimEProcess bets;
};

// What an audit that adds to others leaves of its alpha for what they find together.
inline constexpr double kShareOfEvidence = 0.25;

// Adds what the run of `result` found to what earlier ones did, and convicts where that refutes the claim. False
// where the evidence is lost: the run may have been cut off in a way that depends on what it saw, or its plays
// prove nothing.
bool add_up(ContentEvidence& evidence, EntryResult& result);

// SHA-256, as 64 hexadecimal digits, of all of these, each with its length. Errors: a file that cannot be
// read, or is not a regular one.
Result<std::string> digest_of_content(const std::vector<std::string>& words,
                                      const std::vector<std::string>& files,
                                      const std::string& version);

}  // namespace assay
