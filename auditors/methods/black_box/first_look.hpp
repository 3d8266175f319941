// A first look at a target, before anything is searched: does it draw anything at all?
//
// The first input is run twice with different seeds, a run a message; of most targets the look ends with that. Then
// follow both sides of three pairs, and twice each three inputs on which a target of little noise varies: all
// values alike, so that everything is tied, and none. Where no input varies, and the outputs o and o' of some
// neighbours differ, more runs of these follow, each on the side that a fair coin says, the second half in a
// fresh process and after the clock has moved on (a seed taken from it would vary then).
//
// Given all that was run before it, such a run gives the output of its side with probability
//     (P(o) + P'(o'))/2 <= (P(o) + 1 - P'(o))/2 <= (1 + TV)/2,                                    (1)
// TV the largest total variation that the claim allows between neighbours. So N of them in a row, where
// the claim is true, have probability at most ((1 + TV)/2)^N (2), whatever the target remembers. The look
// goes on until that is below its alpha, and is left out where this takes more runs than it may have. It
// ends an audit as Inconclusive: a seed that is fixed in an adapter looks the same.
//
// A target that fails in every run of the look never works: that is an error. Of one that is declared
// deterministic nothing else is looked at.
//
// Cost: at most 13 + log(alpha)/log((1 + TV)/2) runs, 50 in all for a claim of eps = 1; 300 where inputs are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"

namespace assay {

inline constexpr double kLookShare = 0.02;  // of alpha: half for the look, half for certified runs
inline constexpr const char* kLookPurpose = "runs that never vary, 2 tests";

struct FirstLook {
  std::int64_t plays = 0;  // in all
  std::optional<std::size_t>
      pair;                   // of the plan: the one whose runs never vary, though its sides differ
  std::int64_t repeated = 0;  // N
  double p_value = 1.0;       // (2)
};

// (2), of the claim.
double never_varies_p_value(const Asked& asked, std::int64_t runs);

// `most`: runs of a pair; 0: only whether it works at all. Errors: the target's, or that of its first failure where
// nothing else was seen; interruption. Time that ends is no error, and nothing found.
Result<FirstLook> look_first(const PlayedSubject& subject, const BlackBoxPlan& plan, double alpha,
                             std::int64_t most, const RunControl& control);

// Why nothing is concluded from so many runs that never varied.
std::string no_noise_text(std::int64_t runs, bool promises_seeds);
// Records that in the evidence, with its check.
void add_no_noise(double p_value, double alpha, PairEvidence& evidence);

// What a look that found a pair ends with.
BlackBoxOutcome outcome_of(const FirstLook& look, const PlayedSubject& subject,
                           const BlackBoxPlan& plan, double alpha);

}  // namespace assay
