// Checks of certificates in 50 digits. Schedules, scales and events are implemented here a second
// time, with nothing from the policies.
//
// gaussian. With S_i sums and noise N(0, c^2) each, b = `others`, n pulls:
//   release      P(S_1 + noise <= 0) = Phi(-b/c); for the neighbour Phi(-(b + 1)/c)             (1)
//   transcript   arm 1 is dropped if S_1 < S_2 and S_1 < S_3, sums with noise, so
//                P >= Phi(-b/t) - Phi(-(n - b)/t), Q <= Phi(-(b + 1)/t), t = c sqrt 2           (2)
// moments. r = sqrt(x^2 + y^2) = L, beta = r/eps. a_1 and a_2 are orthogonal and of equal length,
// and a_3 is shorter: weights 1/2 on the first two have g_i <= 2, so they are G-optimal (Kiefer,
//   Wolfowitz), G = n r^2 I. U = S a_1 = (S x, S y), S the rewards of arm 1. Arm 3 is recommended
//   if (A, B) = U + noise has a_1.(A, B) < 0 and (a_2 - t a_1).(A, B) < 0:
//     A < min(-(y/x) B, k B),  k = (x + t y)/(y - t x) > 0                                      (3)
//   Both are at most 0 <= S x, so that A's distribution function is exp((. - S x)/beta)/2. Over B
//   in [0, S y], [S y, inf), (-inf, 0], with s = y/x, u = S x, v = S y:
//     P = e^(-(u+v)/beta)/4 (e^((1-s) v/beta) - 1)/(1 - s) + e^(-(u + s v)/beta)/(4 (1 + s))
//         + e^(-(u+v)/beta)/(4 (1 + k));  v/beta for the quotient if s = 1                   (4)
// later-basis. In the basis with the first axis along a_1, a_2 is (a_1.a_2, det)/|a_1|. On {both
//   entries of the release beyond both means} densities differ by eps (sum of its sizes)/L.     (5)
// change-of-measure. Randomised response answers rightly with probability e^eps/(1 + e^eps):
//   q = 1/(1 + e^eps), p = q (1 + TV (e^eps - 1))                                               (6)
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/best_arm/claims/counterexamples.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using precise::carried;
using precise::compare_level;
using precise::Float;
using precise::kSlack;
using precise::level_step;
using precise::loss_conclusion;
using precise::no_level_refutation;
using precise::no_refutation;
using precise::shown;

Float normal_distribution(const Float& t) { return erfc(Float(-t / sqrt(Float(2)))) / 2; }

Float log_quotient(const Float& p, const Float& q) { return log(Float(p / q)); }

}  // namespace

Result<CertificateCheck> recompute(const GaussianCounterexample& found) {
  const bool release = found.view == BestArmView::kRelease;
  const Float eps = found.epsilon;
  const Float delta = found.delta;
  const Float c = sqrt(2 * log(Float(1.25) / delta)) / eps;
  const Float width = release ? c : Float(c * sqrt(Float(2)));
  const Float others = found.others;
  const Float rest =
      release ? Float(0) : normal_distribution(-(Float(found.pulls) - others) / width);
  const Float p = normal_distribution(-others / width) - rest;  // (1), (2)
  const Float q = normal_distribution(-(others + 1) / width);
  CertificateCheck check;
  const Float true_delta = compare_level(check, p, q, found.epsilon);
  ASSAY_TRY(carried(found.p, p, kSlack, "p"));
  ASSAY_TRY(carried(found.q, q, kSlack * exp(-eps), "q"));
  ASSAY_TRY(carried(found.true_delta, true_delta, (p + exp(eps) * q) * Float("1e-9") + kSlack,
                    "true_delta"));
  check.refutes = true_delta - delta > kSlack;
  const std::string scale = release ? "c" : "(c sqrt(2))";
  check.steps = {
      fmt::format("noise on a sum of rewards: c = sqrt(2 log(1.25/{}))/{} = {}", shown(found.delta),
                  shown(found.epsilon), shown(c)),
      fmt::format("each of three arms is pulled {} times; their rewards add up to {} (one more "
                  "in the neighbour), 0 and {}",
                  found.pulls, shown(found.others), found.pulls),
      release ? fmt::format("P(released sum of arm a_1 <= 0): p = Phi(-{}/c) = {}",
                            shown(found.others), shown(p))
              : fmt::format("P(arm a_1 is dropped): p >= Phi(-{}/{}) - Phi(-({} - {})/{}) = {}",
                            shown(found.others), scale, found.pulls, shown(found.others), scale,
                            shown(p)),
      fmt::format("for the neighbour: q {} Phi(-{}/{}) = {}",
                  release ? "=" : "<=", shown(Float(others + 1)), scale, shown(q)),
      level_step(check, p, q, eps, found.delta)};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: {} is not ({}, {})-differentially private; at this eps, delta is at "
                "least {}, {} times the claimed one.",
                release ? "a released mean" : "the transcript", shown(found.epsilon),
                shown(found.delta),
                rounded_down_beside(static_cast<double>(true_delta), found.delta, 5),
                rounded_down(static_cast<double>(Float(true_delta / delta)), 3))
          : no_level_refutation(true_delta, found.delta);
  return check;
}

Result<CertificateCheck> recompute(const MomentsCounterexample& found) {
  const Float x = found.first;
  const Float y = found.second;
  const Float t = found.third;
  const Float norm = sqrt(x * x + y * y);
  const Float beta = norm / Float(found.epsilon);
  const Float slope = y / x;
  const Float steep = (x + t * y) / (y - t * x);
  const auto probability = [&](const Float& sum) {
    const Float u = sum * x / beta;
    const Float v = sum * y / beta;
    const Float quotient = slope == 1 ? v : Float((exp(Float((1 - slope) * v)) - 1) / (1 - slope));
    return Float(exp(Float(-(u + v))) / 4 * (quotient + 1 / (1 + steep)) +
                 exp(Float(-(u + slope * v))) / (4 * (1 + slope)));  // (4)
  };
  const Float p = probability(Float(found.pulls - 1));
  const Float q = probability(Float(found.pulls));
  const Float loss = log_quotient(p, q);
  ASSAY_TRY(carried(found.p, p, 0, "p"));
  ASSAY_TRY(carried(found.q, q, 0, "q"));
  ASSAY_TRY(carried(found.loss, loss, Float("1e-9"), "loss"));
  CertificateCheck check;
  check.refutes = loss - Float(found.epsilon) > kSlack;
  compare_level(check, p, q, found.epsilon);
  check.steps = {
      fmt::format("arms ({0}, {1}), ({1}, -{0}) and {2} times the first; a G-optimal design pulls "
                  "the first two {3} times each, G = {4} I",
                  shown(x), shown(y), shown(t), found.pulls,
                  shown(Float(found.pulls * (x * x + y * y)))),
      fmt::format("noise on each entry of U: Laplace of scale L/eps = {}/{} = {}, L the l2 norm",
                  shown(norm), shown(found.epsilon), shown(beta)),
      fmt::format("arm a_3 is recommended if A < -({}) B and A < {} B, (A, B) = U + noise, U = S "
                  "({}, {}), S the rewards of arm a_1",
                  shown(slope), shown(steep), shown(x), shown(y)),
      fmt::format("S = {}: p = P(arm a_3) = {}", found.pulls - 1, shown(p)),
      fmt::format("the neighbour, one reward 1 instead of 0, S = {}: q = {}", found.pulls,
                  shown(q)),
      fmt::format("log(p/q) = {} {} {} = eps", shown(loss),
                  check.refutes ? ">" : "<=", shown(found.epsilon))};
  check.conclusion = loss_conclusion(check.refutes, "the recommendation", loss, found.epsilon);
  return check;
}

Result<CertificateCheck> recompute(const LaterBasisCounterexample& found) {
  const Float x1 = found.x1, y1 = found.y1, x2 = found.x2, y2 = found.y2;
  const Float norm = std::max({Float(abs(x1) + abs(y1)), Float(abs(x2) + abs(y2)), Float(1)});
  const Float length = sqrt(x1 * x1 + y1 * y1);
  const Float along = (x1 * x2 + y1 * y2) / length;
  const Float across = (x1 * y2 - x2 * y1) / length;
  const Float moved = abs(along) + abs(across);
  const Float loss = Float(found.epsilon) * moved / norm;  // (5)
  ASSAY_TRY(carried(found.norm, norm, kSlack, "norm"));
  ASSAY_TRY(carried(found.loss, loss, kSlack, "loss"));
  CertificateCheck check;
  check.refutes = loss - Float(found.epsilon) > kSlack;
  check.epsilon = found.epsilon;
  check.p = static_cast<double>(moved);
  check.q = static_cast<double>(norm);
  check.steps = {
      fmt::format("arms ({}, {}, 0), ({}, {}, 0), (0, 0, 1): L, the largest l1 norm, is {}",
                  shown(x1), shown(y1), shown(x2), shown(y2), shown(norm)),
      fmt::format("the first two arms remain: in a basis whose first vector is along the first "
                  "of them, the second is ({}, {})",
                  shown(along), shown(across)),
      fmt::format("one reward of arm a_2 moves the released moments by {} in l1 norm, and their "
                  "noise has scale {}/eps",
                  shown(moved), shown(norm)),
      fmt::format("beyond both means their densities differ by a factor of e^loss, loss = eps "
                  "{}/{} = {} {} {} = eps",
                  shown(moved), shown(norm), shown(loss),
                  check.refutes ? ">" : "<=", shown(found.epsilon))};
  check.conclusion =
      loss_conclusion(check.refutes, "the release of the second phase", loss, found.epsilon);
  return check;
}

Result<CertificateCheck> recompute(const MeasureCounterexample& found) {
  const Float grown = exp(Float(found.epsilon));
  const Float q = 1 / (1 + grown);  // (6)
  const Float p = q + q * Float(found.distance) * (grown - 1);
  const Float loss = log_quotient(p, q);
  const Float bound = 6 * Float(found.epsilon) * Float(found.distance);
  ASSAY_TRY(carried(found.p, p, kSlack, "p"));
  ASSAY_TRY(carried(found.q, q, kSlack, "q"));
  ASSAY_TRY(carried(found.loss, loss, Float("1e-12"), "loss"));
  ASSAY_TRY(carried(found.bound, bound, kSlack, "bound"));
  CertificateCheck check;
  check.refutes = loss - bound > kSlack;
  compare_level(check, p, q, found.epsilon);
  check.steps = {
      "the policy pulls arm iota only in its last round, and recommends one of two other arms by "
      "randomised response on that reward. It is eps-DP, and for n = 1 it is its own "
      "early-stopped version",
      fmt::format("arm iota pays 0: q = P(the arm that 1 makes likely) = 1/(1 + e^{}) = {}",
                  shown(found.epsilon), shown(q)),
      fmt::format("arm iota pays 1 with probability {}, TV = {}: p = {}", shown(found.distance),
                  shown(found.distance), shown(p)),
      fmt::format("log(p/q) = log(1 + TV (e^eps - 1)) = {} {} {} = 6 eps n TV", shown(loss),
                  check.refutes ? ">" : "<=", shown(bound))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: at eps = {} two instances with n TV = {} differ by a factor of e^{}, not "
                "at most e^{}.",
                shown(found.epsilon), shown(found.distance),
                rounded_down_beside(static_cast<double>(loss), found.bound, 5), shown(bound))
          : no_refutation(loss, bound);
  return check;
}

// Formulas (5) to (8): lambda = max(2, (K - c)^(1/log d)), c = ceil(d^2/4); g and h as in
// policies/best_arm/schedule.hpp, both minima from 1, M = M_1 + that of g - 1.
Result<CertificateCheck> recompute(const BudgetCounterexample& found) {
  const std::int64_t d = found.dimension;
  const std::int64_t c = (d * d + 3) / 4;
  const std::int64_t beyond = found.arms - c;
  const Float lambda =
      beyond == 1 ? Float(2) : std::max(Float(2), Float(exp(log(Float(beyond)) / log(Float(d)))));
  std::vector<std::int64_t> sizes;
  std::int64_t h = beyond;
  while (h > 0) {
    sizes.push_back(std::min(found.arms, c) + h);
    const Float quotient = Float(h + 1) / lambda;
    const Float nearest = round(quotient);
    if (quotient != nearest && abs(quotient - nearest) < kSlack) {
      return fail(ErrorCode::kLimit, "lies within 1e-20 of a step of the schedule",
                  "/counterexample/arms");
    }
    h = static_cast<std::int64_t>(ceil(quotient)) - 1;
  }
  const auto first_stage = static_cast<std::int64_t>(sizes.size());
  for (std::int64_t g = (std::min(found.arms, c) + 1) / 2; g > 1; g = (g + 1) / 2) {
    sizes.push_back(g);
  }
  const auto phases = static_cast<std::int64_t>(sizes.size());
  const std::int64_t effective = found.budget - first_stage * d - (phases - first_stage) * c;  // T'
  if (effective <= 0) {
    return fail(ErrorCode::kInvalidArgument, "leaves no pulls for the phases",
                "/counterexample/budget");
  }
  std::int64_t spent = 0;
  std::vector<std::string> shares;
  for (const std::int64_t active : sizes) {
    const std::int64_t rank = std::min(d, active);
    const std::int64_t pulled = rank * rank < active ? rank : active;
    const std::int64_t each = (effective + phases * pulled - 1) / (phases * pulled);
    spent += pulled * each;
    shares.push_back(fmt::format("{} x {}", pulled, each));
  }
  ASSAY_TRY(carried(found.spent, Float(spent), 0, "spent"));
  CertificateCheck check;
  check.refutes = spent > found.budget;
  check.p = static_cast<double>(spent);
  check.q = static_cast<double>(found.budget);
  check.true_delta = static_cast<double>(spent - found.budget);
  check.steps = {
      fmt::format("K = {}, d = {}: lambda = {}, M_1 = {}, M = {}, active arms {}", found.arms, d,
                  shown(lambda), first_stage, phases, fmt::join(sizes, ", ")),
      fmt::format("T = {}: T' = T - {} * {} - {} * {} = {}", found.budget, first_stage, d,
                  phases - first_stage, c, effective),
      fmt::format("arms times pulls, ceil(T'/(M arms)) each: {}", fmt::join(shares, ", ")),
      fmt::format("in all {} {} {} = T", spent, check.refutes ? ">" : "<=", found.budget)};
  check.conclusion =
      check.refutes ? fmt::format("Refuted: DP-BAI as printed pulls {} times with a budget of {}.",
                                  spent, found.budget)
                    : fmt::format("Not refuted by this: {} of {} pulls.", spent, found.budget);
  return check;
}

// K = 2, d = 1: c = 1, lambda = 2 (beta^0 = 1 >= K - c), g_0 = h_0 = 1, h_1 = 0, g_1 = 1, so M_1 = M =
// 1 and T' = T - 1. d < sqrt 2, so the collection is the arm of feature 1, with all T' pulls. The score
// of the other is t times its private mean 1 + Z, the larger of both if and only if 1 + Z < 0, Z of
// scale 1/(eps T').
Result<CertificateCheck> recompute(const OneDimensionCounterexample& found) {
  const Float pulls = Float(found.budget) - 1;
  const Float error = exp(Float(-Float(found.epsilon) * pulls)) / 2;
  ASSAY_TRY(carried(found.error, error, kSlack, "error"));
  CertificateCheck check = precise::compared(error, Float(0));
  check.steps = {
      fmt::format("K = 2, d = 1, T = {}: M_1 = M = 1, T' = T - 1 = {} pulls of the arm with the "
                  "larger feature, whose rewards are 1",
                  found.budget, shown(pulls)),
      "H_BAI and H_pri are maxima over 2 <= i <= min(d^2, K) = 1, over no i: as 0 they make the bound "
      "exp(-T'/(65 M H)) 0",
      fmt::format("the other arm is recommended if 1 + Z < 0, Z Laplace of scale 1/(eps T') = {}",
                  shown(Float(1 / (Float(found.epsilon) * pulls)))),
      fmt::format("its probability: e^-{}/2 = {} > 0", shown(Float(Float(found.epsilon) * pulls)),
                  shown(error))};
  check.conclusion =
      check.refutes
          ? fmt::format("Refuted: in one dimension DP-BAI errs with probability {}, not 0.",
                        rounded_down(found.error, 4))
          : no_refutation(error, Float(0));
  return check;
}

}  // namespace assay
