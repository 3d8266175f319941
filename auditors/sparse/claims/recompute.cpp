// Checks of certificates in 50 digits. Everything is implemented here a second time, with nothing
// from the policies.
//
// gradient. L = (1/n) sum of (y - <x, theta>)^2, or half of it: c = 2 or 1. A record's part of
// v = theta - eta grad L(theta) is eta c x (y - <x, theta>)/n, and the neighbours share all other
// parts:
//   distance = (eta c/n) max over j of |x_j (y - <x, theta>) - x'_j (y' - <x', theta>)|         (1)
//   |x_j| <= x_max, |y| <= R = x_max b_max + sigma sqrt(2 log n) (which clip_R leaves unchanged),
//   |theta|_1 <= C = b_max. allowed = eta B/n, B = R + x_max b_max                              (2)
// clipping. r = x_max b_max + noise, N(0, sigma^2): r > R if the noise is above sigma z, z = sqrt(2
// log N). The noises are independent, so some reward is clipped with probability at least
//   1 - (1 - Q(z))^N, Q(z) = erfc(z/sqrt 2)/2                                                   (3)
// peeling. Laplace noise of scale xi = lambda 2 sqrt(3 s log(1/delta))/eps on each of s values; the
//   entries are 0 and lambda: P(value >= lambda) = 1/2 or e^-h/2, h = lambda/xi. Values are
//   independent: p, q = P(at least `least` of s)                                                (4)
// lower. Two arms: a round costs at most |<x_1 - x_2, beta>| <= (|x_1|_inf + |x_2|_inf) |beta|_1, in
//   expectation 2 E|x|_inf b_max, for bounded contexts and Gaussian ones                          (5)
// left-out. All of I is chosen, so P(v) = v; the right side is (1 + 1/c) (|I| - s)/(|I| - s') |v|^2 (6)
#include <fmt/format.h>

#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"
#include "assay/auditors/sparse/claims/counterexamples.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using precise::carried;
using precise::compared;
using precise::Float;
using precise::kSlack;
using precise::listed;
using precise::no_refutation;
using precise::shown;

Float residual(const std::vector<double>& theta, const std::vector<double>& x, double y) {
  Float sum = y;
  for (std::size_t j = 0; j < x.size(); ++j) sum -= Float(x[j]) * theta[j];
  return sum;
}

// P(at least `least` of n), each with probability p. The terms run from n down, by their ratios.
Float binomial_tail(std::int64_t n, std::int64_t least, const Float& p) {
  const Float odds = (1 - p) / p;
  Float term = pow(p, static_cast<int>(n));
  Float sum = term;
  for (std::int64_t k = n; k > least; --k) {
    term *= odds * k / (n - k + 1);
    sum += term;
  }
  return sum;
}

}  // namespace

Result<CertificateCheck> recompute(const GradientCounterexample& found) {
  const Float n = found.records;
  const Float mean = Float(found.x_max) * found.b_max;
  const Float clip = mean + Float(found.sigma) * sqrt(Float(2 * log(n)));
  Float norm = 0;
  for (const double entry : found.estimate) norm += abs(Float(entry));
  if (norm > Float(found.b_max)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("must have an l1 norm of at most C = b_max, not {}", shown(norm)),
                "/counterexample/estimate");
  }
  for (const auto& [reward, path] :
       {std::pair{found.reward, "/counterexample/reward"},
        std::pair{found.other_reward, "/counterexample/other_reward"}}) {
    if (abs(Float(reward)) > clip) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("must lie within R = {}, not {}", shown(clip), shown(reward)), path);
    }
  }
  const Float one = residual(found.estimate, found.context, found.reward);
  const Float other = residual(found.estimate, found.other_context, found.other_reward);
  Float widest = 0;
  std::size_t at = 0;
  for (std::size_t j = 0; j < found.context.size(); ++j) {
    const Float gap = abs(Float(found.context[j] * one - found.other_context[j] * other));
    if (gap <= widest) continue;
    widest = gap;
    at = j;
  }
  const int slope = found.loss == SquaredLoss::kFull ? 2 : 1;
  const Float distance = Float(found.step) * slope * widest / n;  // (1)
  const Float allowed = Float(found.step) * (clip + mean) / n;    // (2)
  ASSAY_TRY(carried(found.distance, distance, kSlack, "distance"));
  ASSAY_TRY(carried(found.allowed, allowed, kSlack, "allowed"));
  CertificateCheck check = compared(distance, allowed);
  const auto record = [&](const char* name, const std::vector<double>& x, double y,
                          const Float& left) {
    return fmt::format(
        "{}: x = {}, y = {}: y - <x, theta> = {}; its part of entry {} of the gradient is -{} "
        "({}) ({})/n",
        name, listed(x), shown(y), shown(left), at + 1, slope, shown(x[at]), shown(left));
  };
  check.steps = {
      fmt::format("n = {}, eta = {}, x_max = {}, b_max = C = {}, sigma = {}: R = {}, B = R + x_max "
                  "b_max = {}",
                  found.records, shown(found.step), shown(found.x_max), shown(found.b_max),
                  shown(found.sigma), shown(clip), shown(Float(clip + mean))),
      fmt::format("theta = {}, {} loss", listed(found.estimate),
                  slope == 2 ? "squared" : "half the squared"),
      record("one record", found.context, found.reward, one),
      record("the other", found.other_context, found.other_reward, other),
      fmt::format("this entry of v moves by eta {} |{} - {}|/n = {} {} {} = eta B/n", slope,
                  shown(Float(found.context[at] * one)),
                  shown(Float(found.other_context[at] * other)), shown(distance),
                  check.refutes ? ">" : "<=", shown(allowed))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: replacing one record moves the vector given to peeling by {}, but eta "
                "B/n = {}.",
                rounded_down_beside(check.p, check.q, 5), rounded_up_beside(check.q, check.p, 5))
          : no_refutation(distance, allowed);
  return check;
}

Result<CertificateCheck> recompute(const ClippingCounterexample& found) {
  const Float n = found.records;
  const Float z = sqrt(Float(2 * log(n)));
  const Float above = erfc(Float(z / sqrt(Float(2)))) / 2;
  const Float acts = 1 - exp(Float(n * log(Float(1 - above))));  // (3)
  const Float allowed = 1 / n;
  ASSAY_TRY(carried(found.acts, acts, kSlack, "acts"));
  ASSAY_TRY(carried(found.allowed, allowed, kSlack, "allowed"));
  CertificateCheck check = compared(acts, allowed);
  check.steps = {
      fmt::format("N = {} rounds with mean reward x_max b_max, R - x_max b_max = sigma sqrt(2 log "
                  "N) = {} sigma",
                  found.records, shown(z)),
      fmt::format("one reward exceeds R with probability Q({}) = {}", shown(z), shown(above)),
      fmt::format("at least one of {} rewards exceeds it with probability 1 - (1 - {})^{} = {} "
                  "{} {} = 1/N",
                  found.records, shown(above), found.records, shown(acts),
                  check.refutes ? ">" : "<=", shown(allowed))};
  check.conclusion = check.refutes
                         ? fmt::format(
                               "Refuted: in an episode of {} rounds some reward is clipped with "
                               "probability {}, not at most {}.",
                               found.records, rounded_down_beside(check.p, check.q, 4),
                               rounded_up_beside(check.q, check.p, 4))
                         : no_refutation(acts, allowed);
  return check;
}

Result<CertificateCheck> recompute(const PeelingCounterexample& found) {
  const Float s = found.entries;
  const Float epsilon = found.epsilon;
  const Float root = 2 * sqrt(Float(3 * s * log(1 / Float(found.delta))));  // xi eps/lambda
  const Float h = epsilon / root;
  const Float high = Float(1) / 2;
  const Float low = exp(Float(-h)) / 2;
  const Float p = binomial_tail(found.entries, found.least, high);
  const Float q = binomial_tail(found.entries, found.least, low);  // (4)
  CertificateCheck check;
  const Float true_delta = precise::compare_level(check, p, q, found.epsilon);
  ASSAY_TRY(carried(found.p, p, kSlack, "p"));
  ASSAY_TRY(carried(found.q, q, 0, "q"));
  ASSAY_TRY(carried(found.true_delta, true_delta, Float((p + exp(epsilon) * q) / 1'000'000'000),
                    "true_delta"));
  check.refutes = true_delta - Float(found.delta) > kSlack;
  check.steps = {
      fmt::format("d = s = {}, eps = {}, delta = {}: lambda/xi = eps/(2 sqrt(3 s log(1/delta))) = "
                  "{}; all entries are chosen",
                  found.entries, shown(epsilon), shown(found.delta), shown(h)),
      fmt::format(
          "an entry is 0 or lambda: its noisy value is at least lambda with probability e^-{}/2 "
          "= {} or 1/2",
          shown(h), shown(low)),
      fmt::format("at least {} of {} values are at least lambda with probability q = {} or p = "
                  "{}",
                  found.least, found.entries, shown(q), shown(p)),
      fmt::format("p - e^eps q = {} {} {} = delta", shown(true_delta),
                  check.refutes ? ">" : "<=", shown(found.delta))};
  check.conclusion =
      check.refutes
          ? fmt::format("Refuted: at eps = {} peeling of {} entries needs delta = {}, not {}.",
                        shown(epsilon), found.entries,
                        rounded_down_beside(check.true_delta, found.delta, 4), shown(found.delta))
          : no_refutation(true_delta, Float(found.delta));
  return check;
}

Result<CertificateCheck> recompute(const LowerCounterexample& found) {
  const Float cases = log(Float(found.dimension) / found.sparsity);
  const Float bound =
      Float(found.constant) * found.sparsity * cases * sqrt(cases) / Float(found.epsilon);
  const Float most = 2 * Float(found.context) * found.b_max * found.horizon;  // (5)
  ASSAY_TRY(carried(found.bound, bound, kSlack, "bound"));
  ASSAY_TRY(carried(found.most, most, kSlack, "most"));
  CertificateCheck check = compared(bound, most);
  check.steps = {
      fmt::format("T = {}, d = {}, s* = {}, log(d/s*) = {}, s* log(d/s*) = {}", found.horizon,
                  found.dimension, found.sparsity, shown(cases),
                  shown(Float(found.sparsity * cases))),
      fmt::format("c s* log(d/s*)^1.5/eps = {} at c = {}, eps = {}", shown(bound),
                  shown(found.constant), shown(found.epsilon)),
      fmt::format(
          "with two arms no round costs more than (|x_1|_inf + |x_2|_inf) b_max, 2 {} {} in "
          "expectation for bounded contexts and for Gaussian ones of that mean, so that the "
          "expected regret is at most {} in all, {} the bound",
          shown(found.context), shown(found.b_max), shown(most),
          check.refutes ? "below" : "not below"),
      "with another constant, at an eps that changes by the same factor, the bound is the "
      "same"};
  check.conclusion =
      check.refutes
          ? fmt::format("Refuted: the bound {} exceeds the largest regret of {} {}, which is {}.",
                        rounded_down_beside(check.p, check.q, 5), found.horizon,
                        plural(found.horizon, "round"), rounded_up_beside(check.q, check.p, 5))
          : no_refutation(bound, most);
  return check;
}

Result<CertificateCheck> recompute(const LeftOutCounterexample& found) {
  const Float support = found.support;
  const Float factor = (1 + 1 / Float(found.factor)) * (support - Float(found.sparsity)) /
                       (support - Float(found.kept));
  const Float size = support * Float(found.value) * Float(found.value);
  const Float left = 0;
  const Float right = factor * size;  // (6)
  ASSAY_TRY(carried(found.left, left, kSlack, "left"));
  ASSAY_TRY(carried(found.right, right, kSlack, "right"));
  CertificateCheck check = compared(left, right);
  check.steps = {
      fmt::format("|I| = {}, s = {}, s' = {}, c = {}, no noise; |v|^2 = {}", found.support,
                  found.sparsity, found.kept, shown(found.factor), shown(size)),
      "peeling chooses all of I, so P(v) = v and the left side is 0",
      fmt::format("the right side is (1 + 1/c) (|I| - s)/(|I| - s') |v|^2 = {} * {} = {} {} 0",
                  shown(factor), shown(size), shown(right), check.refutes ? "<" : ">=")};
  check.conclusion = check.refutes
                         ? fmt::format("Refuted: the left side is 0, but the right side is {}.",
                                       rounded_up(found.right, 5))
                         : no_refutation(left, right);
  return check;
}

}  // namespace assay
