// Checks of printed_counterexamples.hpp in 50 digits. Everything is implemented here a second time,
// with nothing from the policies. Counters have level eps/4 and Laplace noise of scale s = 4 h/eps on
// each node, h = floor(log2 T) + 1. The listing's radius after n duels is
//   R(n) = sqrt(L/n) + G/n, L = log(K T/delta), G = 16 log(log(K/delta)) log(T)^2.5/eps           (1)
//
// empty-counter. On the input both estimates are 0, and none lies below the other by 2 R(1) > 0: no
//   arm leaves, and after a first place in round 3 arm 1 has more duels than arm 2. In the neighbour
//   arm 1 has 1 + Z after round 1, Z one Laplace variable of scale s, and arm 2 leaves after round 2 if
//   1 + Z > 2 R(1): p = e^(-(2 R(1) - 1)/s)/2, or more                                            (2)
// removal. Except with probability 2 T P(|X| > y) all noise lies within N = s y, X a sum of h standard
//   Laplace variables (each counter has at most T entries). Except with probability 2 T T^-2 for each of
//   the means of three arms in the first phase, and for each of the numbers of duels of arms 1 and 2
//   against arm 3, these lie within e = sqrt(log(T)/n) of B(i), and of 1/3 (Hoeffding).            (3)
//   In the first phase the arms have n or n - 1 duels each, B(1) = B(2), B(1) - B(3) = D =
//   preference - 1/2. 2 log T <= L and 2 N <= G keep arms 1 and 2. Arm 3 stays while (G - 3 N/2)/n >=
//   D/2, as N/(n - 1) <= 3 N/(2 n) for n >= 3: so for n <= n_0 = floor(2 (G - 3 N/2)/D).           (4)
//   It has left after m = floor(T/3) - 1 duels of each, if D - 2 (e(m) + N/m) > 2 R(m).            (5)
//   The next duel is of arm 1 or arm 2, which had k >= n_0 duels in the first phase. Its counter is at
//   least k (B(1) - e) - 1 - N, its n at most k (2/3 + e) + 1 and at least k (2/3 - e):
//     estimate - radius >= (B(1) - e - (1 + N)/k)/(2/3 + e + 1/k) - sqrt(L/(k (2/3 - e)))
//                          - G/(k (2/3 - e)), which grows with k; its score is 1/2.               (6)
// coverage. B(1) = (1/2 + P)/2, B(2) = 1 - B(1). An estimate is o + Z, o = 1 with probability B. With
//   t(x) = P(Z > x): one misses with probability
//     m = B (t(R - 1 + B) + t(R + 1 - B)) + (1 - B) (t(R - B) + t(R + B)), the same for both      (7)
//   and, as they are independent, one of both with 1 - (1 - m)^2.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"
#include "assay/auditors/dueling/claims/internal/precise_tail.hpp"
#include "assay/auditors/dueling/claims/printed_counterexamples.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using precise::carried;
using precise::compared;
using precise::Float;
using precise::kSlack;
using precise::laplace_sum_beyond;
using precise::no_refutation;
using precise::shown;

Float listing_noise(std::int64_t horizon, const Float& cases, const Float& epsilon) {  // G
  const Float log_horizon = log(Float(horizon));
  return 16 * log(Float(log(cases))) * log_horizon * log_horizon * sqrt(log_horizon) / epsilon;
}

Float counter_scale(std::int64_t horizon, const Float& epsilon) {  // s
  return 4 * Float(std::bit_width(static_cast<std::uint64_t>(horizon))) / epsilon;
}

// R(1) for two arms.
Float first_radius(std::int64_t horizon, const Float& delta, const Float& epsilon) {
  return sqrt(Float(log(2 * Float(horizon) / delta))) + listing_noise(horizon, 2 / delta, epsilon);
}

}  // namespace

Result<CertificateCheck> recompute(const EmptyCounterCounterexample& found) {
  const Float epsilon = found.epsilon;
  const Float radius = first_radius(found.horizon, Float(found.delta), epsilon);
  const Float scale = counter_scale(found.horizon, epsilon);
  const Float p = exp(Float(-(2 * radius - 1) / scale)) / 2;  // (2)
  ASSAY_TRY(carried(found.radius, radius, kSlack, "radius"));
  ASSAY_TRY(carried(found.p, p, kSlack, "p"));
  CertificateCheck check = compared(p, Float(0));
  check.steps = {
      fmt::format("K = 2, T = {}, delta = {}, eps = {}: after one duel the radius is sqrt(log(K "
                  "T/delta)) + 16 log(log(K/delta)) log(T)^2.5/eps = {}",
                  found.horizon, shown(found.delta), shown(epsilon), shown(radius)),
      "on the input no counter has an item: both estimates are 0, no arm leaves, and whichever arm "
      "comes first in round 3 the other one does in round 4: the event has probability 0",
      fmt::format(
          "in the neighbour arm a_1 has one win, 1 + Z with Z of scale 4 h/eps = {}; arm a_2 "
          "leaves after round 2 if 1 + Z > 2 * {}",
          shown(scale), shown(radius)),
      fmt::format("its probability: p >= e^(-(2 * {} - 1)/{})/2 = {} > e^eps * 0 for every eps",
                  shown(radius), shown(scale), shown(p))};
  check.conclusion =
      check.refutes ? fmt::format(
                          "Refuted: an event of probability 0 has probability at least {} in the "
                          "neighbour, so that no eps is enough.",
                          rounded_down(check.p, 4))
                    : no_refutation(p, Float(0));
  return check;
}

Result<CertificateCheck> recompute(const RemovalCounterexample& found) {
  const Float rounds = found.horizon;
  const Float epsilon = found.epsilon;
  const Float preference = found.preference;
  const Float cases = log(Float(3 * rounds * rounds));                             // L
  const Float spread = log(rounds);                                                // of (3)
  const Float noise = counter_scale(found.horizon, epsilon) * Float(found.reach);  // N
  const Float growth = listing_noise(found.horizon, 3 * rounds, epsilon);          // G
  const int h = std::bit_width(static_cast<std::uint64_t>(found.horizon));
  const Float failure = 2 * rounds * laplace_sum_beyond(h, Float(found.reach)) + 10 / rounds;
  const Float gap = preference - Float(1) / 2;  // D
  const Float least = floor(Float(2 * (growth - 3 * noise / 2) / gap));
  const Float last = floor(Float(rounds / 3)) - 1;
  if (2 * noise > growth || least < 16) {
    return fail(ErrorCode::kInvalidArgument, "is too large beside the radius for this horizon",
                "/counterexample/reach");
  }
  const auto off = [&](const Float& n) -> Float { return sqrt(Float(spread / n)); };  // e
  const Float widest = 2 * (sqrt(Float(cases / last)) + growth / last);
  if (last <= least || gap - 2 * (off(last) + noise / last) <= widest) {  // (5)
    return fail(ErrorCode::kInvalidArgument, "may end before arm a_3 has left",
                "/counterexample/horizon");
  }
  const Float score = (1 + preference) / 3;  // B(1)
  const Float e = off(least);
  const Float kept = least * (Float(2) / 3 - e);
  const Float estimate = (score - e - (1 + noise) / least) / (Float(2) / 3 + e + 1 / least);
  const Float radius = sqrt(Float(cases / kept)) + growth / kept;
  const Float low = estimate - radius;  // (6)
  ASSAY_TRY(carried(found.failure, failure, kSlack, "failure"));
  ASSAY_TRY(carried(found.least, least, kSlack, "least"));
  ASSAY_TRY(carried(found.low, low, kSlack, "low"));
  const Float half = Float(1) / 2;
  CertificateCheck check = compared(low, half);
  check.refutes = check.refutes && 1 - failure > 1 / rounds;
  check.steps = {
      fmt::format("K = 3, T = {}, delta = 1/T, eps = {}, P(1,2) = 1/2, P(1,3) = P(2,3) = {}: "
                  "B(1) = B(2) = {}, B(1) - B(3) = {}",
                  found.horizon, shown(epsilon), shown(preference), shown(score), shown(gap)),
      fmt::format("a radius is sqrt({}/n) + {}/n; except with probability {} noise lies within {}, "
                  "means and shares of rivals within sqrt({}/n)",
                  shown(cases), shown(growth), shown(failure), shown(noise), shown(spread)),
      fmt::format("so arm a_3 leaves, and first, after {} to {} duels of each arm", shown(least),
                  shown(last)),
      fmt::format(
          "then a counter has all its wins but one, and n about two thirds of its duels: its "
          "estimate is at least {}, its radius at most {}",
          shown(estimate), shown(radius)),
      fmt::format("the interval of the next first arm begins at {} {} 1/2, its score against the "
                  "two arms that are left",
                  shown(low), check.refutes ? ">" : "<="),
      "the wins of removed duels, taken out as one entry, would leave an estimate of about 1/2"};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: with probability at least {}, not at most delta = {}, an interval "
                "misses its score once an arm has left.",
                rounded_down(1.0 - found.failure, 4),
                rounded_up(1.0 / static_cast<double>(found.horizon), 3))
          : no_refutation(low, half);
  return check;
}

Result<CertificateCheck> recompute(const CoverageCounterexample& found) {
  const Float epsilon = found.epsilon;
  const Float delta = found.delta;
  const Float radius = first_radius(found.horizon, delta, epsilon);
  const Float scale = counter_scale(found.horizon, epsilon);
  const Float score = (Float(1) / 2 + Float(found.preference)) / 2;
  const auto above = [&](const Float& x) -> Float {  // t
    const Float half = exp(Float(-abs(x) / scale)) / 2;
    return x < 0 ? Float(1 - half) : half;
  };
  const Float miss = score * (above(radius - 1 + score) + above(radius + 1 - score)) +
                     (1 - score) * (above(radius - score) + above(radius + score));  // (7)
  const Float missed = 1 - (1 - miss) * (1 - miss);
  ASSAY_TRY(carried(found.radius, radius, kSlack, "radius"));
  ASSAY_TRY(carried(found.missed, missed, kSlack, "missed"));
  CertificateCheck check = compared(missed, delta);
  check.steps = {
      fmt::format("K = 2, T = {}, delta = {}, eps = {}: after one duel the radius is sqrt(log(K "
                  "T/delta)) + 16 log(log(K/delta)) log(T)^2.5/eps = {}",
                  found.horizon, shown(delta), shown(epsilon), shown(radius)),
      fmt::format(
          "B(a_1) = (1/2 + {})/2 = {}; an estimate is the outcome plus noise of scale 4 h/eps "
          "= {}",
          shown(found.preference), shown(score), shown(scale)),
      fmt::format(
          "it lies off its score by more than the radius with probability {}, and one of both arms' with 1 - (1 - {})^2 "
          "= {} {} {} = delta",
          shown(miss), shown(miss), shown(missed), check.refutes ? ">" : "<=", shown(delta))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: after two rounds an interval misses its score with "
                "probability {}, not at most {}.",
                rounded_down_beside(check.p, check.q, 5), rounded_up_beside(check.q, check.p, 5))
          : no_refutation(missed, delta);
  return check;
}

// P(reports 1 | 1) >= 1 - delta and P(reports 1 | 0) <= delta, because any other report is an error
// above 0 = log(1). Privacy allows e^eps times the second.                                        (8)
Result<CertificateCheck> recompute(const OneCountCounterexample& found) {
  const Float delta = found.delta;
  const Float least = 1 - delta;
  const Float most = exp(Float(found.epsilon)) * delta;  // (8)
  ASSAY_TRY(carried(found.least, least, kSlack, "least"));
  ASSAY_TRY(carried(found.most, most, kSlack, "most"));
  CertificateCheck check = compared(least, most);
  check.steps = {
      "T = 1: (4/eps) log(1/delta) log(1)^2.5 = 0, so the counter may err with probability delta "
      "only",
      fmt::format("on the stream 1 it reports 1 with probability at least 1 - {} = {}",
                  shown(delta), shown(least)),
      fmt::format(
          "on the stream 0 with at most {}, so by eps-DP, eps = {}, on the stream 1 with at "
          "most e^eps * {} = {} {} {}",
          shown(delta), shown(found.epsilon), shown(delta), shown(most),
          check.refutes ? "<" : ">=", shown(least))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: a stream of one number would be reported with probability at least "
                "{}, where privacy allows {}.",
                rounded_down_beside(check.p, check.q, 5), rounded_up_beside(check.q, check.p, 5))
          : no_refutation(least, most);
  return check;
}

// q = T/(2 T - n). A bit matters only if its duel is drawn: a total variation distance of q/n. With
// P(2,1) = 1/2 + D the regret, D for each place of arm 1, is D (2 T (1 - q) + q (n + 2 (T - n)
// (1/2 - D))). It grows with D up to 1/2, because 2 (2 T - n) >= 3 T - 2 n, and is T/2 there. With
// P(1,2) = 1/2 + D it is at most q T/2. If arm 1 always wins, arm 2 is pulled q n times.          (9)
Result<CertificateCheck> recompute(const SampledDuelCounterexample& found) {
  const Float rounds = found.horizon;
  const Float duels = found.duels;
  const Float share = rounds / (2 * rounds - duels);
  const Float delta = share / duels;
  const Float half = Float(1) / 2;
  const Float regret = half * (2 * rounds * (1 - share) + share * duels);  // (9), at D = 1/2
  const Float pulls = share * duels;
  const Float bound = 1 / Float(found.epsilon);
  ASSAY_TRY(carried(found.delta, delta, kSlack, "delta"));
  ASSAY_TRY(carried(found.regret, regret, kSlack, "regret"));
  ASSAY_TRY(carried(found.pulls, pulls, kSlack, "pulls"));
  ASSAY_TRY(carried(found.bound, bound, kSlack, "bound"));
  CertificateCheck check = compared(bound, pulls);
  check.steps = {
      fmt::format("K = 2, T = {}, eps = {}: K/eps = {} <= T/10", found.horizon,
                  shown(found.epsilon), shown(Float(2 * bound))),
      fmt::format(
          "with probability q = T/(2 T - {0}) = {1} the policy holds {0} duels of both arms, "
          "then the winner of one drawn at random; otherwise arm a_1 alone",
          found.duels, shown(share)),
      fmt::format(
          "an outcome matters only if its duel is drawn: the policy is (0, q/{})-DP, q/{} = "
          "{}",
          found.duels, found.duels, shown(delta)),
      fmt::format(
          "its regret, Delta for each place of the worse arm in a duel, is largest if arm a_2 "
          "always wins: (2 T (1 - q) + {} q)/2 = {} = T/2",
          found.duels, shown(regret)),
      fmt::format("if arm a_1 always wins, arm a_2 is pulled {} q = {} times {} {} = 1/eps",
                  found.duels, shown(pulls), check.refutes ? "<" : ">=", shown(bound))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: a policy that is (0, {})-differentially private pulls an arm {} "
                "times, not {} or more.",
                rounded_up(found.delta, 4), rounded_up_beside(check.q, check.p, 5),
                rounded_down_beside(check.p, check.q, 5))
          : no_refutation(bound, pulls);
  return check;
}

}  // namespace assay
