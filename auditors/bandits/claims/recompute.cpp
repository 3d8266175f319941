// Every probability comes with a bound on its error, and no bound relies on the double-precision
// kernels. Notation: phi and Phi are those of the standard normal distribution, s_j^2 is the
// variance of arm j, the theta_j ~ N(m_j, s_j^2) are independent, and the arm with the largest
// theta_j is played.
//
// Two arms: P(k) = Phi((m_k - m_o)/sqrt(s_k^2 + s_o^2)), one erfc; relative error below 1e-30 (50
// digits, the argument at most 1000 in size). Beyond -1000 the value is 0, the error exp(-5e5).
//
// More arms, event E:
//   P(E) = integral F(x) dx,
//   F(x) = sum_{k in E} phi((x - m_k)/s_k)/s_k prod_{j != k} Phi((x - m_j)/s_j)                (1)
// It uses the trapezoid rule of step h = 0.55 r, r^2 = 1/sum_j 1/s_j^2. Its error, with L = 11:
//   discretisation  F is a mixture of N(., r^2) of total mass P(E): given the differences of the
//                   theta_j, which decide who wins, the winning theta has variance r^2. By Poisson
//                   summation the relative error is at most
//                     2 sum_{i >= 1} exp(-2 pi^2 i^2 r^2/h^2) < 1e-28                          (2)
//   left nodes      x < m_j - L s_j, where all terms but phi_j have a factor below Phi(-L) < 2e-28
//   phi cut off     beyond m_k +- L s_k: at most 2 (Phi(-L) + 0.55 phi(L)) < 3e-27 for each k in E
//   Phi             as 0 below -L and 1 above L, else by its Taylor polynomial of degree 16 about
//                   the nearest multiple t of 1/8, |d| <= 1/16. The remainder is bounded by
//                   |He_n(x)| phi(x) <= 1.09 sqrt(n!/(2 pi)), Cramer's inequality:
//                     |d|^17/17! * 1.09 sqrt(16!/(2 pi)) < 3e-29                               (3)
//                   which changes a term of F by at most 15 * 2e-28 of phi_k
//   rounding        2e6 nodes in 168 bits: below 1e-35
// Together these are below 1e-26 for each arm of E, so below 1e-24.
//
// References: Trefethen and Weideman, "The Exponentially Convergent Trapezoidal Rule", SIAM Review
// 56 (2014), for (2); NIST DLMF 18.14.9 for (3).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "assay/auditors/bandits/claims/counterexamples.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using precise::carried;
using precise::Float;
using precise::kSlack;
using precise::shown;

const Float kRootTwo = sqrt(Float(2));
const Float kInverseRootTwoPi = 1 / sqrt(2 * precise::pi());

constexpr int kCut = 11;           // L
constexpr int kPoints = 8;         // points of the table of Phi in each unit
constexpr int kDegree = 16;        // degree of its Taylor polynomials
constexpr double kStep = 0.55;     // h/r
constexpr double kMostWork = 2e6;  // nodes times arms
constexpr double kLargestEps = 1000.0;

struct EnclosedProbability {
  Float value;
  Float error;  // an upper bound
};

// theta_j of one arm; `variance_text` is the variance in readable form.
struct Normal {
  Float mean;
  Float variance;
  std::string variance_text;
};
using Distribution = std::vector<Normal>;

// ---- the normal distribution --------------------------------------------------------------------

Float density(const Float& t) { return kInverseRootTwoPi * exp(-t * t / 2); }

EnclosedProbability normal_cdf(const Float& t) {
  constexpr int kFar = 1000;
  if (t < -kFar) return {0, exp(Float(-kFar) * kFar / 2)};
  const Float value = erfc(Float(-t / kRootTwo)) / 2;
  return {value, value * Float("1e-30")};
}

using Polynomial = std::array<Float, kDegree + 1>;

// Phi(t + d) in powers of d: the derivatives of phi are (-1)^n He_n(t) phi(t).
Polynomial taylor(const Float& t) {
  Polynomial out;
  out[0] = erfc(Float(-t / kRootTwo)) / 2;
  Float before = 0;
  Float hermite = 1;
  Float factor = density(t);  // (-1)^n phi(t)/(n + 1)!
  for (int n = 0; n < kDegree; ++n) {
    out[static_cast<std::size_t>(n) + 1] = factor * hermite;
    const Float next = t * hermite - n * before;
    before = std::exchange(hermite, next);
    factor /= -(n + 2);
  }
  return out;
}

const std::vector<Polynomial>& taylor_table() {
  static const std::vector<Polynomial> table = [] {
    std::vector<Polynomial> out;
    for (int i = -kCut * kPoints; i <= kCut * kPoints; ++i)
      out.push_back(taylor(Float(i) / kPoints));
    return out;
  }();
  return table;
}

Float tabulated_cdf(const Float& t) {
  if (t <= -kCut) return 0;
  if (t >= kCut) return 1;
  const long nearest = std::lround(kPoints * static_cast<double>(t));
  const Float d = t - Float(nearest) / kPoints;
  const auto& polynomial = taylor_table()[static_cast<std::size_t>(nearest + kCut * kPoints)];
  Float value = polynomial[kDegree];
  for (std::size_t i = kDegree; i-- > 0;) value = value * d + polynomial[i];  // (3)
  return value;
}

// ---- the probability of an event ----------------------------------------------------------------

// One arm, evaluated along equidistant nodes.
class Sweep {
 public:
  Sweep(const Normal& arm, const Float& first, const Float& step) {
    const Float deviation = sqrt(arm.variance);
    t_ = (first - arm.mean) / deviation;
    step_ = step / deviation;
    shrink_ = exp(-step_ * step_);
  }

  Float cdf() const { return tabulated_cdf(t_); }
  Float weight() const { return inside_ ? weight_ : Float(0); }  // h phi((x - m)/s)/s

  // phi(t + d) = phi(t) exp(-t d - d^2/2), and that factor shrinks by exp(-d^2) from node to node.
  void enter() {
    if (!inside_ && t_ >= -kCut && t_ <= kCut) {
      inside_ = true;
      weight_ = step_ * density(t_);
      ratio_ = exp(-(t_ + step_ / 2) * step_);
    }
  }
  void advance() {
    t_ += step_;
    weight_ *= ratio_;
    ratio_ *= shrink_;
    inside_ = inside_ && t_ <= kCut;
  }

 private:
  Float t_;
  Float step_;
  Float shrink_;
  Float weight_ = 0;
  Float ratio_ = 1;
  bool inside_ = false;
};

struct Nodes {
  Float first;
  Float step;
  long count = 0;
};

Result<Nodes> place_nodes(const Distribution& distribution, const std::vector<int>& event) {
  Float precision = 0;
  Float low = distribution[0].mean - kCut * sqrt(distribution[0].variance);
  for (const Normal& arm : distribution) {
    precision += 1 / arm.variance;
    low = std::max(low, Float(arm.mean - kCut * sqrt(arm.variance)));
  }
  Float high = low;
  for (const int k : event) {
    const Normal& arm = distribution[static_cast<std::size_t>(k)];
    high = std::max(high, Float(arm.mean + kCut * sqrt(arm.variance)));
  }
  const Float step = kStep / sqrt(precision);
  const Float count = ceil((high - low) / step) + 1;
  if (count * distribution.size() > kMostWork) {
    return fail(ErrorCode::kLimit,
                fmt::format("has deviations that differ too much: {:.2g} nodes of the quadrature "
                            "for {} arms; at most {:.2g} are allowed",
                            static_cast<double>(count), distribution.size(),
                            kMostWork / static_cast<double>(distribution.size())),
                "/counterexample");
  }
  return Nodes{low, step, static_cast<long>(count)};
}

Result<EnclosedProbability> integrate(const Distribution& distribution,
                                      const std::vector<int>& event) {
  const auto nodes = ASSAY_TRY(place_nodes(distribution, event));
  std::vector<Sweep> arms;
  for (const Normal& arm : distribution) arms.emplace_back(arm, nodes.first, nodes.step);
  std::vector<bool> wins(distribution.size(), false);
  for (const int k : event) wins[static_cast<std::size_t>(k)] = true;
  Float total = 0;
  for (long i = 0; i < nodes.count; ++i) {
    Float sum = 0;      // (1) over the arms so far,
    Float product = 1;  // and the product of their Phi
    for (std::size_t j = 0; j < arms.size(); ++j) {
      const Float below = arms[j].cdf();
      arms[j].enter();
      sum *= below;
      if (wins[j]) sum += arms[j].weight() * product;
      product *= below;
      arms[j].advance();
    }
    total += sum;
  }
  return EnclosedProbability{total, Float("1e-24")};
}

EnclosedProbability two_arms(const Distribution& distribution, int k) {
  const auto played = static_cast<std::size_t>(k);
  const Float gap = distribution[played].mean - distribution[1 - played].mean;
  return normal_cdf(gap / sqrt(distribution[0].variance + distribution[1].variance));
}

Result<EnclosedProbability> event_probability(const Distribution& distribution,
                                              const std::vector<int>& event) {
  if (distribution.size() > 2) return integrate(distribution, event);
  EnclosedProbability sum{0, 0};
  for (const int k : event) {
    const EnclosedProbability one = two_arms(distribution, k);
    sum = {sum.value + one.value, sum.error + one.error};
  }
  return sum;
}

// ---- words --------------------------------------------------------------------------------------

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "P(arm 0 or arm 2)".
std::string event_text(const std::vector<int>& event) {
  std::vector<std::string> names;
  for (const int k : event) names.push_back(fmt::format("arm {}", k));
  return fmt::format("P({})", fmt::join(names, " or "));
}

// For two arms the formula with its numbers, for more the integrand of the quadrature.
std::vector<std::string> probability_steps(const Distribution& distribution,
                                           const std::vector<int>& event, const std::string& name,
                                           const Float& value) {
  std::vector<std::string> out;
  if (distribution.size() > 2) {
    out.push_back(
        fmt::format("{} = {} = integral of {}phi((x - mean_k)/s_k)/s_k times the product of "
                    "Phi((x - mean_j)/s_j) over the other arms j, s^2 the variance, = {}",
                    name, event_text(event),
                    event.size() > 1 ? "the sum over these arms k of " : "", shown(value)));
    return out;
  }
  for (const int k : event) {
    const Normal& played = distribution[static_cast<std::size_t>(k)];
    const Normal& other = distribution[static_cast<std::size_t>(1 - k)];
    const Float argument =
        (played.mean - other.mean) / sqrt(distribution[0].variance + distribution[1].variance);
    out.push_back(fmt::format(
        "{}{} = Phi(({} - {})/sqrt({} + {})) = Phi({}) = {}", event.size() == 1 ? name + " = " : "",
        event_text({k}), shown(played.mean), shown(other.mean), distribution[0].variance_text,
        distribution[1].variance_text, shown(argument), shown(two_arms(distribution, k).value)));
  }
  if (event.size() > 1)
    out.push_back(fmt::format("{} = {} = {}", name, event_text(event), shown(value)));
  return out;
}

// ---- distributions of Thompson sampling ---------------------------------------------------------

struct Tally {
  std::int64_t plays = 0;
  Float rewards = 0;
};

std::vector<Tally> tallies(int arms, const std::vector<ArmPlays>& history) {
  std::vector<Tally> out(static_cast<std::size_t>(arms));
  for (const ArmPlays& plays : history) {
    Tally& tally = out[static_cast<std::size_t>(plays.arm)];
    tally.plays += plays.times;
    tally.rewards += Float(plays.reward) * plays.times;
  }
  return out;
}

// Variance 1/(n + 1)^power.
Normal posterior(const Tally& tally, int power) {
  const Float plays_and_one = tally.plays + 1;
  return {tally.rewards / plays_and_one, 1 / pow(plays_and_one, power),
          fmt::format("1/{}{}", tally.plays + 1, power == 1 ? "" : "^2")};
}

Distribution posteriors(const std::vector<Tally>& all, int power) {
  Distribution out;
  for (const Tally& tally : all) out.push_back(posterior(tally, power));
  return out;
}

std::string mean_text(const Tally& tally) {
  return fmt::format("mean {}/{} = {}", shown(tally.rewards), tally.plays + 1,
                     shown(Float(tally.rewards / (tally.plays + 1))));
}

std::vector<std::string> tally_steps(const std::vector<Tally>& all) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    out.push_back(fmt::format("arm {}: {}, rewards {} in all, {}, variance 1/{}", i,
                              counted(all[i].plays, "pull"), shown(all[i].rewards),
                              mean_text(all[i]), all[i].plays + 1));
  }
  return out;
}

// ---- comparing with the carried numbers ---------------------------------------------------------

void add_steps(CertificateCheck& check, const std::vector<std::string>& more) {
  check.steps.insert(check.steps.end(), more.begin(), more.end());
}

// ---- a level against an event -------------------------------------------------------------------

struct LevelClaim {
  Float eps;
  std::string formula;  // the formula of eps with its numbers
  std::string subject;  // the output that is not private: "the next action"
};

struct Refutation {
  Float true_delta;
  Float margin;  // true_delta - delta must exceed this
};

Refutation refutation(const Float& eps, const EnclosedProbability& p,
                      const EnclosedProbability& q) {
  const Float grown = exp(eps);
  return {p.value - grown * q.value, Float("1e-20") + p.error + grown * q.error};
}

Status check_carried(const EventNumbers& stated, const Float& eps, const EnclosedProbability& p,
                     const EnclosedProbability& q, const Float& true_delta) {
  ASSAY_TRY(carried(stated.epsilon, eps, 0, "epsilon"));
  ASSAY_TRY(carried(stated.p, p.value, kSlack, "p"));  // quadratures have an absolute error
  ASSAY_TRY(carried(stated.q, q.value, kSlack, "q"));
  // A difference of doubles is as accurate as its terms.
  const Float rounding = (p.value + exp(eps) * q.value) * Float("1e-13");
  return carried(stated.true_delta, true_delta, rounding + kSlack, "true_delta");
}

std::string level_conclusion(bool refutes, const LevelClaim& claim, const EventNumbers& numbers,
                             const Float& true_delta) {
  const auto eps = static_cast<double>(claim.eps);
  const auto found = static_cast<double>(true_delta);
  if (!refutes) {
    return fmt::format("Not refuted by this: at eps = {}, p - e^eps q = {} does not exceed {}.",
                       rounded(eps, 5), shown(true_delta), shown(numbers.delta));
  }
  return fmt::format(
      "Refuted: {} is not ({}, {})-differentially private; at this eps, delta is at least {}.",
      claim.subject, rounded_down(eps, 5), shown(numbers.delta),
      rounded_down_beside(found, numbers.delta, 5));
}

// `check` holds the steps that lead to the two distributions.
Result<CertificateCheck> check_level(CertificateCheck check, const LevelClaim& claim,
                                     const Distribution& before, const Distribution& after,
                                     const EventNumbers& numbers) {
  if (claim.eps > kLargestEps) {
    return fail(ErrorCode::kLimit,
                fmt::format("gives a claimed eps of {}; it must be at most {}", shown(claim.eps),
                            shown(kLargestEps)),
                "/counterexample");
  }
  const auto p = ASSAY_TRY(event_probability(before, numbers.event));
  const auto q = ASSAY_TRY(event_probability(after, numbers.event));
  const Refutation found = refutation(claim.eps, p, q);
  ASSAY_TRY(check_carried(numbers, claim.eps, p, q, found.true_delta));
  check.refutes = found.true_delta - Float(numbers.delta) > found.margin;
  add_steps(check, probability_steps(before, numbers.event, "p", p.value));
  add_steps(check, probability_steps(after, numbers.event, "after the neighbour: q", q.value));
  check.steps.push_back(fmt::format("claimed eps at delta = {}: {} = {}", shown(numbers.delta),
                                    claim.formula, shown(claim.eps)));
  check.steps.push_back(precise::level_step(check, p.value, q.value, claim.eps, numbers.delta));
  check.epsilon = static_cast<double>(claim.eps);
  check.p = static_cast<double>(p.value);
  check.q = static_cast<double>(q.value);
  check.true_delta = static_cast<double>(found.true_delta);
  check.conclusion = level_conclusion(check.refutes, claim, numbers, found.true_delta);
  return check;
}

// sqrt(log((n - 1)/(2 delta))).
Float root_log(std::size_t arms, double delta) {
  // The rules guarantee (n - 1)/(2 delta) >= 1 up to rounding.
  return sqrt(std::max(Float(0), Float(log(Float(arms - 1) / (2 * Float(delta))))));
}

std::string root_log_text(std::size_t arms, double delta) {
  return fmt::format("sqrt(log({}/(2 * {})))", arms - 1, shown(delta));
}

}  // namespace

Result<CertificateCheck> recompute(const RoundCounterexample& round) {
  const auto arms = static_cast<std::size_t>(round.arms);
  const ArmPlays& changed = round.history[round.changed];
  const auto arm = static_cast<std::size_t>(changed.arm);
  auto all = tallies(round.arms, round.history);
  const Distribution before = posteriors(all, 1);
  CertificateCheck check;
  check.steps = tally_steps(all);
  all[arm].rewards += Float(round.neighbour_reward) - Float(changed.reward);
  check.steps.push_back(
      fmt::format("the neighbour: history[{}], one pull of arm {}, has reward {} instead of {}; "
                  "{}",
                  round.changed, arm, shown(round.neighbour_reward), shown(changed.reward),
                  mean_text(all[arm])));
  const double delta = round.numbers.delta;
  const LevelClaim claim{root_log(arms, delta) / (2 * kRootTwo),
                         root_log_text(arms, delta) + "/(2 sqrt(2))", "the next action"};
  return check_level(std::move(check), claim, before, posteriors(all, 1), round.numbers);
}

Result<CertificateCheck> recompute(const NoisyMaxCounterexample& max) {
  const std::size_t arms = max.values.size();
  CertificateCheck check;
  Distribution before;
  Float worst = 0;
  for (std::size_t i = 0; i < arms; ++i) {
    const Float deviation = max.deviations[i];
    const Float ratio = Float(max.sensitivities[i]) / deviation;
    worst = std::max(worst, ratio);
    before.push_back({max.values[i], deviation * deviation, shown(max.deviations[i]) + "^2"});
    check.steps.push_back(fmt::format("arm {}: value {}, deviation {}, sensitivity {}, ratio {}", i,
                                      shown(max.values[i]), shown(max.deviations[i]),
                                      shown(max.sensitivities[i]), shown(ratio)));
  }
  const double sensitivity = max.sensitivities[max.changed];
  if (abs(Float(max.neighbour_value) - Float(max.values[max.changed])) > Float(sensitivity)) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("must lie within the sensitivity {} of the value {}, not at {}",
                    shown(sensitivity), shown(max.values[max.changed]), shown(max.neighbour_value)),
        "/counterexample/neighbour_value");
  }
  Distribution after = before;
  after[max.changed].mean = max.neighbour_value;
  check.steps.push_back(fmt::format("the neighbour: value {} of arm {} instead of {}",
                                    shown(max.neighbour_value), max.changed,
                                    shown(max.values[max.changed])));
  const double delta = max.numbers.delta;
  const LevelClaim claim{root_log(arms, delta) / 2 * worst,
                         fmt::format("{}/2 * {}", root_log_text(arms, delta), shown(worst)),
                         "the noisy maximum"};
  return check_level(std::move(check), claim, before, after, max.numbers);
}

Result<CertificateCheck> recompute(const DistributionMismatch& distribution) {
  const auto all = tallies(distribution.arms, distribution.history);
  const Distribution algorithm = posteriors(all, 1);
  const Distribution printed = posteriors(all, 2);
  const auto p = ASSAY_TRY(event_probability(algorithm, {distribution.arm}));
  const auto q = ASSAY_TRY(event_probability(printed, {distribution.arm}));
  ASSAY_TRY(carried(distribution.probability, p.value, kSlack, "probability"));
  ASSAY_TRY(carried(distribution.printed_probability, q.value, kSlack, "printed_probability"));
  const Float difference = abs(p.value - q.value);
  CertificateCheck check;
  check.refutes = difference > Float("1e-9") + p.error + q.error;
  check.p = static_cast<double>(p.value);
  check.q = static_cast<double>(q.value);
  check.true_delta = static_cast<double>(difference);
  check.steps = tally_steps(all);
  add_steps(check, probability_steps(algorithm, {distribution.arm}, "variance 1/(n + 1)", p.value));
  add_steps(check, probability_steps(printed, {distribution.arm}, "variance 1/(n + 1)^2", q.value));
  check.steps.push_back(fmt::format("|{} - {}| = {} {} 1e-9", shown(p.value), shown(q.value),
                                    shown(difference), check.refutes ? ">" : "<="));
  check.conclusion =
      check.refutes ? fmt::format(
                          "Refuted: the two variances give arm {} different probabilities, {} and "
                          "{}.",
                          distribution.arm, rounded(static_cast<double>(p.value), 5),
                          rounded(static_cast<double>(q.value), 5))
                    : fmt::format(
                          "Not refuted by this: the two variances give arm {} the same "
                          "probability within 1e-9.",
                          distribution.arm);
  return check;
}

}  // namespace assay
