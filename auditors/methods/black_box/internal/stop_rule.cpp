#include "assay/auditors/methods/black_box/internal/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay {
namespace {

// How often the event happens on the input that makes it rarer, as learnt.
std::array<double, 2> usual_q(const EventTest& test) {
  constexpr double kErrors = 4.0, kFewestLearnt = 100.0;
  const auto& counted = test.found.classes.counts.q;
  const double runs = std::max(kFewestLearnt, std::accumulate(counted.begin(), counted.end(), 0.0));
  const double q = test.event().q;
  const double width = kErrors * std::sqrt(q * (1.0 - q) / runs) + kErrors / runs;
  return {std::clamp(q - width, 0.0, 1.0 - width), std::min(q + width, 1.0)};
}

// The claim that the event leaks that much on every run.
SideClaim leaks(const EventTest& test, double level, const std::array<double, 2>& q) {
  return test.asked.gaussian ? SideClaim::gaussian_from_below(Mu{level}, q[0], q[1])
                             : SideClaim::approximate(Epsilon{level}, test.asked.delta);
}

SideBettingPlan against_more(const EventTest& test) {
  SideBettingPlan bets = test.main_bound().bets();
  bets.alpha = 1.0 - kVisiblePower;
  bets.online_share = 1.0;
  bets.against_more = true;
  return bets;
}

}  // namespace

StopRule::StopRule(const EventTest& test, double level_to_see)
    : test_(test),
      visible_at_(level_to_see),
      usual_q_(test.asked.gaussian ? usual_q(test) : std::array{0.0, 1.0}),
      bets_(test.main_bound(), test.claimed()),
      futility_(leaks(test, visible_at_, usual_q_), against_more(test)) {}

bool StopRule::decided(const CertifiedRuns& runs) {
  for (; watched_ < runs.runs.size(); ++watched_) {
    const SidePlay& play = runs.runs[watched_];
    bets_.observe(play);
    futility_.observe(play);
    if (play.on_p) continue;
    ++watched_of_q_[0];
    if (play.hit) ++watched_of_q_[1];
  }
  return bets_.certified() || is_futile();
}

bool StopRule::is_futile() const {
  if (!futility_.certified()) return false;
  const double q = static_cast<double>(watched_of_q_[1]) /
                   static_cast<double>(std::max<std::int64_t>(watched_of_q_[0], 1));
  return !test_.asked.gaussian || (q >= usual_q_[0] && q <= usual_q_[1]);
}

}  // namespace assay
