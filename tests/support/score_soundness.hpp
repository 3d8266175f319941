// How often the event methods refute a true claim on which their event was selected.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "assay/auditors/methods/events.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

struct ScoreErrors {
  int exact = 0;       // the exact test of the selected event, at the true eps
  int bound = 0;       // its lower bound exceeds the true eps
  int sequential = 0;  // the sequential audit, both bets
  int online = 0;      // Newton's steps alone
};

// Scores Laplace(0, 1) and Laplace(shift, 1): eps = shift exactly, 0 for identical scores.
inline ScoreErrors score_errors(double shift, std::size_t runs, int repeat, double alpha,
                                bool sequential) {
  struct Row {
    bool exact, bound, sequential, online;
  };
  std::vector<Row> rows(static_cast<std::size_t>(repeat));
  const auto old_law = Laplace::create(0.0, 1.0).value();
  const auto new_law = Laplace::create(shift, 1.0).value();
  const auto purpose = hash_purpose("score soundness");
  parallel_for(2, rows.size(), [&](std::size_t i) {
    std::vector<double> old_scores(runs), new_scores(runs);
    const auto seed = static_cast<std::uint64_t>(shift * 16.0) + runs;
    ReplayStream old_random({seed, purpose, i, 0}), new_random({seed, purpose, i, 1});
    old_law.fill(old_random, std::span<double>(old_scores));
    new_law.fill(new_random, std::span<double>(new_scores));
    EventPlan plan;
    plan.alpha = alpha;
    const auto evidence = audit_scores(old_scores, new_scores, plan).value();
    const auto test = ExactTest::create(evidence.counts, alpha).value();
    rows[i].exact = test.refutes(Epsilon{shift}, Delta{0.0});
    rows[i].bound = evidence.epsilon.value.value > shift;
    rows[i].sequential = rows[i].online = false;
    if (!sequential) return;
    for (const auto bets : {PairBets::kBoth, PairBets::kOnline}) {
      SequentialEventAudit::Plan audit_plan;
      audit_plan.alpha = alpha;
      audit_plan.horizon = static_cast<std::int64_t>(runs);
      audit_plan.bets = bets;
      auto audit = SequentialEventAudit::create(Epsilon{shift}, Delta{0.0}, audit_plan).value();
      for (std::size_t k = 0; k < runs && !audit.observe(old_scores[k], new_scores[k]); ++k) {
      }
      (bets == PairBets::kBoth ? rows[i].sequential : rows[i].online) = audit.refuted();
    }
  });
  ScoreErrors errors;
  for (const auto& row : rows) {
    errors.exact += row.exact;
    errors.bound += row.bound;
    errors.sequential += row.sequential;
    errors.online += row.online;
  }
  return errors;
}

}  // namespace assay
