// Checks of certificates in 50 digits. Everything is implemented here a second time, with nothing
// from the policies. Delta(x) = sigma(x) - 1/2, L = log(K T/delta), K = 2, delta = 1/T.
//
// borda. B(j) - B(worst) = (1/K) sum_i Delta(r_j - r_i) - Delta(r_worst - r_i)                  (1)
// phase. Elimination without noise, r(n) = sqrt(log(2 T/delta)/n). Arm 1 goes first, so both have n
// pulls, or one has n and the other n - 1. Means of wins lie in {0, 1/n, .., 1}:
//   r(n) + r(n - 1) >= 1, 2 r(n) < 1, 2 r(n) >= 1 - 1/n                                         (2)
//   say that none is eliminated before, and after n pulls of each only if one won them all and the
//   other none. Pulls of i win independently with B(1) = b = (1/2 + P(1,2))/2 and B(2) = 1 - b:
//   P = P(arm 2 eliminated) = b^2n, Q = P(arm 1 eliminated) = (1 - b)^2n,
//   E[wins of 1/n | none] = (b - P)/(1 - P - Q), its bias (b Q - (1 - b) P)/(1 - P - Q)         (3)
// pulls. rad(n) = sqrt(L/n) + 16 log(K/delta) log(T)^2.5/(n eps); B(1) - B(2) = Delta. Estimates
//   B(1) - c rad(n_1), B(2) + c rad(n_2), c = `share`: arm 2 is eliminated if Delta > (1 + c)
//   (rad(n_1) + rad(n_2)), which falls with either count, and arm 1 never. So none is before both
//   have `pulls` = floor(bound) + 1 pulls if 2 (1 + c) rad(pulls) >= Delta, 2 pulls <= T.        (4)
//   Noise of the nodes is any real number, so the path lies in an open set of positive probability.
// duel-regret. h = floor(log2 T) + 1 nodes at most in a count, s = 4 h/eps, R = 16 log(2 T)
//   log(T)^2.5/eps. Except with probability 2 T exp(-2 L) all means of wins lie within sqrt(L/n) of
//   B(i) (Hoeffding, T/2 counts of either arm, each two-sided), and except with T P(|X| > y) all
//   noise within s y, X a sum of h standard Laplace variables (m < h of them are less spread, by
//   Anderson's inequality). Then arm 2 is eliminated only if Delta > (R - s y)(1/n_1 + 1/n_2) >=
//   (R - s y) 4/T, arm 1 not at all; y is where both sides are equal, and positive.              (5)
//   Without eliminations the regret is gap T in expectation, and at most 2 gap T in any run.
// confidence. N duels of the one pair in the first phase, xi = 1/2, t_0 of them initial ones as in
//   Theorem 3 with C_1 = C_2 = 0. The gap z is above 1/T, so the net of the items has both.
//   Wins have probability 1/2. |w| <= xi needs noisy wins between N sigma(-z xi) and N sigma(z xi):
//   at most N tanh(z xi/2) + 1 whole numbers, each of probability at most sqrt(2/(pi N)):        (6)
//   a sqrt(N) + b/sqrt(N) together, for any C_1 and C_2 largest at the N here or at N = T.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"
#include "assay/auditors/dueling/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/internal/precise_tail.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using precise::carried;
using precise::compared;
using precise::Float;
using precise::kSlack;
using precise::no_refutation;
using precise::shown;

Float preference_gap(const Float& x) {  // Delta
  return 1 / (1 + exp(Float(-x))) - Float(1) / 2;
}

Float log_cases(std::int64_t horizon) { return log(2 * Float(horizon) * Float(horizon)); }  // L

// log(2 T) log(T)^2.5, a factor of the noise's part of radius and bound.
Float noise_part(std::int64_t horizon) {
  const Float log_horizon = log(Float(horizon));
  return log(2 * Float(horizon)) * log_horizon * log_horizon * sqrt(log_horizon);
}

}  // namespace

Result<CertificateCheck> recompute(const BordaCounterexample& found) {
  const auto [worst, best] = std::minmax_element(found.scores.begin(), found.scores.end());
  const Float score = found.scores[static_cast<std::size_t>(found.arm)];
  Float sum = 0;
  std::vector<std::string> terms;
  for (const double other : found.scores) {
    const Float term = preference_gap(score - other) - preference_gap(Float(*worst) - other);
    sum += term;
    terms.push_back(shown(term));
  }
  const Float lead = sum / Float(found.scores.size());  // (1)
  const Float gap = preference_gap(Float(*best) - *worst);
  ASSAY_TRY(carried(found.lead, lead, kSlack, "lead"));
  ASSAY_TRY(carried(found.gap, gap, kSlack, "gap"));
  CertificateCheck check = compared(lead, gap);
  std::vector<std::string> scores;
  for (const double one : found.scores) scores.push_back(shown(one));
  check.steps = {
      fmt::format("scores {}; best {}, worst {}, arm j has {}", fmt::join(scores, ", "),
                  shown(*best), shown(*worst), shown(score)),
      fmt::format("P(j,i) - P(worst,i) over the arms i: {}", fmt::join(terms, ", ")),
      fmt::format("their mean, B(j) - B(worst) = {}", shown(lead)),
      fmt::format("Delta(best, worst) = sigma({}) - 1/2 = {} {} {}", shown(Float(*best) - *worst),
                  shown(gap), check.refutes ? "<" : ">=", shown(lead))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: with {} arms, B(j) - B(worst) = {} is above Delta(best, worst) = "
                "{} for an arm that is not the best.",
                found.scores.size(), rounded_down_beside(check.p, check.q, 5),
                rounded_up_beside(check.q, check.p, 5))
          : no_refutation(lead, gap);
  return check;
}

Result<CertificateCheck> recompute(const ScoreGapCounterexample& found) {
  const Float gap = found.gap;
  const Float doubled = 2 * preference_gap(gap);
  ASSAY_TRY(carried(found.doubled, doubled, kSlack, "doubled"));
  CertificateCheck check = compared(gap, doubled);
  check.steps = {
      fmt::format("r(x_1) - r(x_i) = {}", shown(gap)),
      fmt::format("2 Delta(1,i) = 2 (1/(1 + e^-{}) - 1/2) = {}", shown(gap), shown(doubled)),
      fmt::format("their ratio is {}; it tends to 2 for small gaps and grows with the gap",
                  shown(gap / doubled)),
      fmt::format("{} {} {}", shown(gap), check.refutes ? ">" : "<=", shown(doubled))};
  check.conclusion =
      check.refutes
          ? fmt::format("Refuted: scores that lie {0} apart have 2 Delta = {1}, less than {0}.",
                        shown(gap), rounded_up_beside(found.doubled, found.gap, 5))
          : no_refutation(gap, doubled);
  return check;
}

Result<CertificateCheck> recompute(const PhaseCounterexample& found) {
  const Float n = found.plays;
  const Float cases = log(2 * Float(found.horizon) / Float(found.delta));
  const Float radius = sqrt(Float(cases / n));
  const Float before = radius + sqrt(Float(cases / (n - 1)));
  if (!(before >= 1 && 2 * radius < 1 && 2 * radius >= 1 - 1 / n)) {  // (2)
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("is not the first time at which an arm can be eliminated, and only if "
                            "the other always wins: the radii are {} and {}",
                            shown(before), shown(2 * radius)),
                "/counterexample/plays");
  }
  const Float b = (Float(found.preference) + Float(1) / 2) / 2;
  const auto plays = static_cast<int>(2 * found.plays);
  const Float second_leaves = pow(b, plays);
  const Float first_leaves = pow(Float(1 - b), plays);
  const Float lasts = 1 - second_leaves - first_leaves;
  const Float bias = (b * first_leaves - (1 - b) * second_leaves) / lasts;  // (3)
  ASSAY_TRY(carried(found.score, b, kSlack, "score"));
  ASSAY_TRY(carried(found.bias, bias, 0, "bias"));
  CertificateCheck check = compared(abs(bias), 0);
  check.steps = {
      fmt::format("T = {}, delta = {}: radii sqrt(log(2 T/delta)/n), which add up to {} with {} "
                  "and {} pulls, and to {} with {} each",
                  found.horizon, shown(found.delta), shown(before), found.plays - 1, found.plays,
                  shown(2 * radius), found.plays),
      fmt::format("so the phase lasts until then, and ends there only if one arm won all of its "
                  "{} pulls and the other won none: means that differ by 1 - 1/n = {} are not "
                  "enough",
                  found.plays, shown(Float(1 - 1 / n))),
      fmt::format(
          "B(a_1) = (1/2 + {})/2 = {}: arm a_2 leaves with probability {}^{} = {}, arm a_1 with "
          "probability {}",
          shown(found.preference), shown(b), shown(b), plays, shown(second_leaves),
          shown(first_leaves)),
      fmt::format("given that the phase lasts, the mean of arm a_1's estimate is ({0} - {1})/(1 - "
                  "{1} - {2}) = {0} {3} {4}",
                  shown(b), shown(second_leaves), shown(first_leaves), bias < 0 ? "-" : "+",
                  shown(abs(bias)))};
  check.conclusion =
      check.refutes ? fmt::format(
                          "Refuted: given its phase, the mean of arm a_1's estimate is not its "
                          "effective Borda score {}, but differs from it by {}.",
                          shown(b), rounded(found.bias, 5))
                    : fmt::format("Not refuted by this: the bias {} is 0.", shown(bias));
  return check;
}

Result<CertificateCheck> recompute(const PullsCounterexample& found) {
  const Float gap = Float(found.preference) - Float(1) / 2;
  const Float cases = log_cases(found.horizon);
  const Float log_horizon = log(Float(found.horizon));
  const Float growth = log_horizon * log_horizon * sqrt(log_horizon);
  const Float epsilon = found.epsilon;
  const Float bound = 8 * cases / (gap * gap) + 64 * cases * growth / (gap * epsilon);
  const Float pulls = floor(bound) + 1;
  if (2 * pulls > Float(found.horizon)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("is too short for {} pulls of each arm", shown(pulls)),
                "/counterexample/horizon");
  }
  const Float noise = 16 * noise_part(found.horizon) / (pulls * epsilon);
  const Float radius = sqrt(Float(cases / pulls)) + noise;
  const Float radii = 2 * (1 + Float(found.share)) * radius;  // (4)
  ASSAY_TRY(carried(found.bound, bound, kSlack, "bound"));
  ASSAY_TRY(carried(found.pulls, pulls, kSlack, "pulls"));
  ASSAY_TRY(carried(found.radii, radii, kSlack, "radii"));
  CertificateCheck check = compared(radii, gap);
  check.steps = {
      fmt::format("K = 2, T = {}, delta = 1/T, eps = {}, Delta = {}: 8 log(K T/delta)/Delta^2 + 64 "
                  "log(K T/delta) log(T)^2.5/(Delta eps) = {} + {} = {} pulls at most",
                  found.horizon, shown(epsilon), shown(gap), shown(8 * cases / (gap * gap)),
                  shown(64 * cases * growth / (gap * epsilon)), shown(bound)),
      fmt::format("after {} pulls of either arm a radius is sqrt({}/n) + 16 log(K/delta) "
                  "log(T)^2.5/(n eps) = {} + {} = {}",
                  shown(pulls), shown(cases), shown(radius - noise), shown(noise), shown(radius)),
      fmt::format("the estimates lie {0} of their radius below B(1) and above B(2): every "
                  "interval holds, and arm a_2 stays as long as Delta <= (1 + {0}) times the sum "
                  "of both radii",
                  shown(found.share)),
      fmt::format("for these radii (1 + {}) 2 {} = {} {} {} = Delta, and they were larger before",
                  shown(found.share), shown(radius), shown(radii),
                  check.refutes ? ">" : "<=", shown(gap))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: all intervals hold and arm a_2 is pulled {} times, not at most {}.",
                shown(pulls), rounded_up_beside(found.bound, found.pulls, 9))
          : no_refutation(radii, gap);
  return check;
}

Result<CertificateCheck> recompute(const DuelRegretCounterexample& found) {
  const Float rounds = found.horizon;
  const Float epsilon = found.epsilon;
  const Float gap = preference_gap(Float(found.gap));
  const Float bound = 16 * log(2 * rounds) / gap + 128 * noise_part(found.horizon) / epsilon;
  const int h = std::bit_width(static_cast<std::uint64_t>(found.horizon));
  const Float scale = 4 * h / epsilon;
  const Float radius = 16 * noise_part(found.horizon) / epsilon;
  const Float y = (radius - gap * rounds / 4) / scale;  // (5)
  if (y <= 0) {
    return fail(ErrorCode::kInvalidArgument, "is long enough for an elimination without noise",
                "/counterexample/horizon");
  }
  const Float far_noise = rounds * precise::laplace_sum_beyond(h, y);
  const Float far_mean = 2 * rounds * exp(Float(-2 * log_cases(found.horizon)));
  const Float failure = far_noise + far_mean;
  const Float regret = Float(found.gap) * rounds * (1 - 2 * failure);
  ASSAY_TRY(carried(found.bound, bound, kSlack, "bound"));
  ASSAY_TRY(carried(found.failure, failure, kSlack, "failure"));
  ASSAY_TRY(carried(found.regret, regret, kSlack, "regret"));
  CertificateCheck check = compared(regret, bound);
  check.steps = {
      fmt::format("K = 2, T = {}, eps = {}, scores {} apart, Delta = {}: 16 log(2 T)/Delta + 128 "
                  "log(2 T) log(T)^2.5/eps = {}",
                  found.horizon, shown(epsilon), shown(found.gap), shown(gap), shown(bound)),
      fmt::format("the noise has radius {}/n for each arm, and scale 4 h/eps = {} with h = {}",
                  shown(radius), shown(scale), h),
      fmt::format(
          "with X the sum of {} standard Laplace variables, a noise value exceeds y = {} of "
          "that scale with probability at most T P(|X| > y) = {}",
          h, shown(y), shown(far_noise)),
      fmt::format("a mean of wins lies beyond its radius sqrt(L/n), L = log(2 T^2), with "
                  "probability at most 2 T e^(-2 L) = {} (Hoeffding); one of both happens with "
                  "probability at most {}",
                  shown(far_mean), shown(failure)),
      fmt::format("otherwise ({} - {}) 4/T >= {} = Delta: no arm is eliminated, and each arm "
                  "comes first in half of the duels and second in half of them",
                  shown(radius), shown(scale * y), shown(gap)),
      fmt::format("regret at least {} T (1 - 2 * {}) = {} {} {}", shown(found.gap), shown(failure),
                  shown(regret), check.refutes ? ">" : "<=", shown(bound))};
  check.conclusion =
      check.refutes
          ? fmt::format("Refuted: the expected regret is at least {}, but the bound is {}.",
                        rounded_down_beside(check.p, check.q, 6),
                        rounded_up_beside(check.q, check.p, 6))
          : no_refutation(regret, bound);
  return check;
}

Result<CertificateCheck> recompute(const ConfidenceCounterexample& found) {
  const Float rounds = found.horizon;
  const Float xi = Float(1) / 2;
  const Float p = 1 / (1 + exp(Float(-2)));
  const Float kappa = p * (1 - p);
  const Float cases = 2 * log(rounds);  // log(T/delta), d = 1
  const Float initial = ceil(Float(16 * (1 + cases) / (kappa * kappa * kappa * kappa)));
  const Float duels = initial + ceil(Float(16 * cases / (kappa * Float(found.epsilon) * xi) +
                                           64 * cases / (kappa * kappa * xi * xi)));
  if (duels > rounds) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("ends before the {} duels of the phase", shown(duels)),
                "/counterexample/horizon");
  }
  if (Float(found.gap) * rounds <= 1) {
    return fail(ErrorCode::kInvalidArgument,
                "is at most 1/T, and a net of that width may hold only one of the items",
                "/counterexample/gap");
  }
  const Float near = exp(Float(found.gap) * xi);
  const Float share = (near - 1) / (near + 1);  // tanh(z xi/2)
  const auto most_of = [](const Float& count) -> Float {
    return sqrt(Float(2 / (precise::pi() * count)));
  };
  const Float width = duels * share;
  const Float most = most_of(duels);
  const Float error = 1 - (width + 1) * most;                        // (6)
  const Float longest = 1 - (rounds * share + 1) * most_of(rounds);  // (6) for N = T
  const Float allowed = 3 / rounds;
  ASSAY_TRY(carried(found.initial, initial, kSlack, "initial"));
  ASSAY_TRY(carried(found.duels, duels, kSlack, "duels"));
  ASSAY_TRY(carried(found.error, error, kSlack, "error"));
  ASSAY_TRY(carried(found.allowed, allowed, kSlack, "allowed"));
  CertificateCheck check = compared(error, allowed);
  check.steps = {
      fmt::format("d = 1, items 1 and 1 - {}, w* = 0, T = {}, delta = 1/T, eps = {}, kappa = "
                  "sigma'(2) = {}: the first phase has {} duels of the only pair, of which t_0 = "
                  "{} are initial draws",
                  shown(found.gap), found.horizon, shown(found.epsilon), shown(kappa), shown(duels),
                  shown(initial)),
      fmt::format("the number of wins is binomial with p = 1/2, so no number has a probability "
                  "above {}",
                  shown(most)),
      fmt::format("the score equation has |w| <= {} only if the noisy number of wins lies in an "
                  "interval of length {}, which for any noise holds at most {} whole numbers",
                  shown(xi), shown(width), shown(floor(width) + 1)),
      fmt::format("P(|<1, w - w*>| > {}) >= {} {} {} = 3 delta", shown(xi), shown(error),
                  check.refutes ? ">" : "<=", shown(allowed)),
      fmt::format(
          "Theorem 3 has C_1 and C_2 in t_0 and gives no values; here they are 0. However many "
          "draws they add before T, the probability is at least {}",
          shown(std::min(error, longest)))};
  check.conclusion =
      check.refutes ? fmt::format(
                          "Refuted: the estimate of an item's score errs by more than 1/2 with "
                          "probability at least {}, not at most {}.",
                          rounded_down(found.error, 4), rounded_up(found.allowed, 3))
                    : no_refutation(error, allowed);
  return check;
}

}  // namespace assay
