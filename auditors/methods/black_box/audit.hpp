// A black-box audit: a target that can only be played, a claim, and neighbouring inputs to try.
//
//   search    successive halving over the candidate pairs: half the pairs go, the plays double
//   learn     a score of outputs (score.hpp), then an event of it
//   certify   fresh plays of both sides, counted once, by the exact test (exact_test.hpp)
// Each phase has seeds of its own. Before anything is certified the plays are checked for
// independence (play_checks.hpp): where they are not, nothing is.
//
// Privacy statements are about the one pair and event that were certified: a claim that is not
// refuted may be false for others. No upper bound follows from plays.
//
// With stop_when_decided the event is bet on pair by pair instead (pair_betting.hpp), which may stop at
// any time; so is what is left when the target fails half-way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/auditors/report/audit_report.hpp"

namespace assay {

struct BlackBoxPlan {
  PrivacyLevel claim;
  std::string claim_text;
  double confidence = 0.999;
  Delta delta0{1e-6};  // for a claim in mu: where eps is reported too
  std::uint64_t seed = 1;
  std::int64_t samples = 10'000;  // certified plays a side, at least 100
  bool stop_when_decided = false;
  bool say_visible = true;  // what the run would have seen, where it refutes nothing: takes 0.3 s
  std::vector<InputPair> pairs;  // at least one
  std::string pairs_text;        // where they come from
};

struct BlackBoxOutcome {
  AuditReport report;                 // without case_id, title, parameters and reproduce
  std::optional<Error> target_error;  // it failed; the report holds what was certified before
};

// promises_seeds: what the target says of itself. Errors: a plan out of range, a target that fails
// before anything could be certified, interruption before that.
Result<BlackBoxOutcome> audit_black_box(Players& players, bool promises_seeds,
                                        const BlackBoxPlan& plan, const RunControl& control);

// The same for plays that were recorded on both sides of one pair: a third of each side learns, the
// rest is counted. changed_row: where the inputs differ, from 0. plan.pairs and plan.samples are not
// used; independence of the plays cannot be checked and is taken on trust, which the report says.
// Errors: fewer than 100 plays on a side.
Result<AuditReport> audit_recorded(const TargetShape& shape, const OutputBatch& old_plays,
                                   const OutputBatch& new_plays, std::int64_t changed_row,
                                   const BlackBoxPlan& plan);

}  // namespace assay
