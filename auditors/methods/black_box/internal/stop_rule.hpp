// When certified plays may end before the last (stop_when_decided): once they refute the claim, or once a bet
// on the other side has shown that the event leaks less than the claim and a margin, in its units.
//
// The second errs with probability 1 - kVisiblePower; of a claim in mu it holds where the event is as likely on
// its rarer side as when it was learnt, within four standard errors, and is not drawn where it is not.
// Threads: one. Cost: some ns a play.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "assay/auditors/methods/black_box/internal/event_bounds.hpp"

namespace assay {

inline constexpr double kVisiblePower = 0.9;  // of what is said to have been visible

class StopRule {
 public:
  // The test outlives it.
  StopRule(const EventTest& test, double margin);

  // Whether the plays decide. `plays` are those of the last call, and more.
  bool decided(const CertifiedPlays& plays);
  // Whether they show that the event will not refute the claim.
  bool is_futile() const;
  double visible_at() const { return visible_at_; }  // the claim and the margin

 private:
  const EventTest& test_;
  double visible_at_;
  std::array<double, 2> usual_q_{0.0, 1.0};  // of a claim in mu
  LevelTest bets_;
  SideBettingTest futility_;
  std::size_t watched_ = 0;  // plays that both have seen,
  // of these on the side that the event is rarer on, and hits there
  std::array<std::int64_t, 2> watched_of_q_{};
};

}  // namespace assay
