// Says when certified runs may end early (stop_when_decided): when they refute the claim, or when a bet in the other
// direction has shown that the event leaks less than the level that the audit should see (strength.hpp).
//
// The second conclusion is wrong with probability at most 1 - kVisiblePower. For a claim in mu it holds if the event is
// as likely on its rarer input as when it was learnt, within four standard errors; otherwise the rule does not use it.
// Threads: one. Cost: some ns a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "assay/auditors/methods/black_box/internal/event_bounds.hpp"

namespace assay {

class StopRule {
 public:
  // The test must outlive the rule.
  StopRule(const EventTest& test, double level_to_see);

  // Whether the runs decide the claim. `runs` must begin with those of the last call.
  bool decided(const CertifiedRuns& runs);
  // Whether they show that the event will not refute the claim.
  bool is_futile() const;
  double visible_at() const { return visible_at_; }

 private:
  const EventTest& test_;
  double visible_at_;
  std::array<double, 2> usual_q_{0.0, 1.0};  // of a claim in mu
  LevelTest bets_;
  SideBettingTest futility_;
  std::size_t watched_ = 0;  // runs that both have seen,
  // the number of these on the input that makes the event rarer, and the hits there
  std::array<std::int64_t, 2> watched_of_q_{};
};

}  // namespace assay
