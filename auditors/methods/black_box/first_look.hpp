// A first look at a target, before any search: does it draw any randomness at all?
//
// The first input runs twice with different seeds, a run a message; for most targets the look ends with that. Then
// follow both inputs of three pairs, and twice each three inputs on which a target with little noise varies: all
// values alike, so that everything is tied, and no two alike. If no input varies, and the outputs o and o' of some
// neighbours differ, more runs of these follow, each on the input that a fair coin chooses, the second half in a
// fresh process and after the clock has moved on (a seed taken from it would vary then).
//
// Given all runs before it, such a run has the known output of its input with probability
//     (P(o) + P'(o'))/2 <= (P(o) + 1 - P'(o))/2 <= (1 + TV)/2,                                    (1)
// TV the largest total variation that the claim allows between neighbours. So if the claim is true, N of
// them in a row have probability at most ((1 + TV)/2)^N (2), whatever the target remembers. The look
// continues until that is below its alpha, and is left out if this needs more runs than it may have. It
// ends an audit as Inconclusive, because an adapter with a fixed seed looks the same.
//
// A target that fails in every run of the look never works, which is an error. For a target that is declared
// deterministic the look checks nothing else.
//
// Cost: at most 13 + log(alpha)/log((1 + TV)/2) runs, 50 in all for a claim of eps = 1; 300 if inputs are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"

namespace assay {

inline constexpr double kLookShare = 0.02;  // of alpha: half for the look, half for certified runs
inline constexpr const char* kLookPurpose = "runs that never vary, 2 tests";

struct FirstLook {
  std::int64_t runs = 0;  // in total
  std::optional<std::size_t>
      pair;  // of the plan: the one whose runs never vary, though its inputs give different outputs
  std::int64_t repeated = 0;  // N
  double p_value = 1.0;       // (2)
  // That ended the look: the target's, or its first failure if it never worked; or an interruption. The end of the
  // time is none; the look has then found nothing.
  std::optional<Error> error;

  static auto byte_fields(auto& self) {
    return std::tie(self.runs, self.pair, self.repeated, self.p_value, self.error);
  }
};

// (2), for the claim.
double never_varies_p_value(const Asked& asked, std::int64_t runs);

// `most`: runs of a pair; 0: only whether the target works at all.
FirstLook look_first(const PlayedSubject& subject, const BlackBoxPlan& plan, double alpha,
                     std::int64_t most, const RunControl& control);

// A sentence that says why nothing follows from `runs` runs that never varied.
std::string no_noise_text(std::int64_t runs, bool promises_seeds);
// Records that in the evidence, with its check.
void add_no_noise(double p_value, double alpha, PairEvidence& evidence);

// The outcome of a look that found a pair.
BlackBoxOutcome outcome_of(const FirstLook& look, const PlayedSubject& subject,
                           const BlackBoxPlan& plan, double alpha);

}  // namespace assay
