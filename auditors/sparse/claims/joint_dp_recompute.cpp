// Checks of FLIPHAT's certificates in 50 digits. Everything is implemented here a second time, with
// nothing from the policies. Noise W is Laplace, its scale b: P(W > -h b) = 1 - e^-h/2.
//
// greedy-sign. v = 2 eta x_max (+-R) = +-R/x_max for any theta, since 2 eta x_max^2 = 1; the
//   noise of the last peeling has b = eta B u, B = 2 R, u = 2 sqrt(3 log(M/delta)) M/eps:
//   h = (R/x_max)/b = x_max/u,  P = 1 - e^-h/2,  Q = e^-h/2                                     (1)
//   The projection keeps signs. M = ceil(28 log b_max^2) for b_max = e^(M/56).
// The others. R = x_max b_max + sigma sqrt(2 log n), B = R + x_max b_max, eta = 1e-4,
//   u = 2 sqrt(3 s log(1/delta))/eps, b = eta B u/n. v is shift b on group 1 and 0 on group 2, in the
//   neighbour the other way: shift = 4 eta x_max R/(n b) = 4 x_max R/(B u)                      (2)
//   A draw among a and b coordinates of sizes shift and 0, k = e^-shift: the largest is of the first
//   with probability  integral of a f(z - shift) F(z - shift)^(a-1) F(z)^b dz, over z < 0, between
//   and z > shift (there by t = F(z - shift), F(z) = 1 - k + k t):
//     k^a 2^-(a+b) a/(a + b)  +  a 2^-a sum_i C(b,i) (-1/2)^i (k^i - k^a)/(a - i), shift k^a for i = a
//     +  sum_i C(b,i) (1 - k)^(b-i) k^i a/(a + i) (1 - 2^-(a+i))                                (3)
//   s draws without replacement: the distribution of K, those of group 1. Given K, theta_j > 0 for
//   binomially many, K at 1 - e^-shift/2 and s - K at 1/2; the lead is their difference. Groups swap
//   roles in the neighbour, so that Q = P(lead <= -the event's).                                (4)
//   The projection changes at most the probability that it acts, P(G_s > C/b - s shift), G_s of the
//   Gamma distribution: e^-y sum over i < s of y^i/i!                                          (5)
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

// p and q of an event against a level.
struct JointLevel {
  double epsilon;
  double delta;
};

Status carry_level(const auto& found, const precise::Float& p, const precise::Float& q,
                   JointLevel level) {
  using precise::carried;
  using precise::Float;
  const Float scaled_q = exp(Float(level.epsilon)) * q;
  ASSAY_TRY(carried(found.p, p, precise::kSlack, "p"));
  ASSAY_TRY(carried(found.q, q, precise::kSlack, "q"));
  return carried(found.true_delta, Float(p - scaled_q), (p + scaled_q) * Float("1e-9"),
                 "true_delta");
}

void conclude(CertificateCheck& check, const precise::Float& p, const precise::Float& q,
              JointLevel level, std::string_view event) {
  using precise::Float;
  using precise::shown;
  const Float true_delta = precise::compare_level(check, p, q, level.epsilon);
  check.refutes = true_delta - level.delta > precise::kSlack;
  check.steps.push_back(precise::level_step(check, p, q, Float(level.epsilon), level.delta));
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: {} shows that FLIPHAT is not ({}, {})-joint differentially private; at this "
                "eps, delta is at least {}, {} times the claimed one.",
                event, shown(level.epsilon), shown(level.delta),
                rounded_down_beside(check.true_delta, level.delta, 5),
                rounded_down(check.true_delta / level.delta, 3))
          : precise::no_level_refutation(true_delta, level.delta);
}

// (3) for all draws of a peeling, then (4) and (5).
class PreciseGroups {
 public:
  using Float = precise::Float;

  PreciseGroups(std::int64_t group, std::int64_t draws, Float shift)
      : group_(group), draws_(draws), shift_(std::move(shift)) {
    const auto powers = [&](const Float& base) {
      std::vector<Float> out{1};
      for (std::int64_t i = 0; i < 2 * group_; ++i) out.push_back(Float(out.back() * base));
      return out;
    };
    const Float k = exp(Float(-shift_));
    k_ = powers(k);
    rest_ = powers(Float(1 - k));
    half_ = powers(Float(0.5));
    sign_ = 1 - k / 2;
  }

  const Float& sign() const { return sign_; }

  Float first_wins(std::int64_t a, std::int64_t b) const {
    if (a == 0) return 0;
    Float below = 0;
    Float above = 0;
    Float cases = 1;  // C(b, i)
    for (std::int64_t i = 0; i <= b; ++i) {
      const Float part =
          i == a ? Float(shift_ * at(k_, a)) : Float((at(k_, i) - at(k_, a)) / (a - i));
      below += (i % 2 == 0 ? cases : Float(-cases)) * at(half_, i) * part;
      above += cases * at(rest_, b - i) * at(k_, i) * a / (a + i) * (1 - at(half_, a + i));
      cases = cases * (b - i) / (i + 1);
    }
    return at(k_, a) * at(half_, a + b) * a / (a + b) + a * at(half_, a) * below + above;
  }

  // P(K = 0), .., P(K = s).
  std::vector<Float> chosen() const {
    std::vector<Float> distribution{1};
    for (std::int64_t draw = 0; draw < draws_; ++draw) {
      std::vector<Float> next(distribution.size() + 1, Float(0));
      for (std::int64_t k = 0; k <= draw; ++k) {
        const auto from = static_cast<std::size_t>(k);
        if (k > group_ || draw - k > group_) continue;
        const Float first = first_wins(group_ - k, group_ - (draw - k));
        next[from + 1] += distribution[from] * first;
        next[from] += distribution[from] * (1 - first);
      }
      distribution = std::move(next);
    }
    return distribution;
  }

  // (4): P(lead = -s), .., P(lead = s).
  std::vector<Float> leads(const std::vector<Float>& chosen) const {
    std::vector<Float> distribution(static_cast<std::size_t>(2 * draws_ + 1), Float(0));
    for (std::int64_t k = 0; k <= draws_; ++k) {
      const auto first = binomial(k, sign_);
      const auto second = binomial(draws_ - k, Float(0.5));
      for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t j = 0; j < second.size(); ++j) {
          distribution[static_cast<std::size_t>(draws_) + i - j] +=
              at(chosen, k) * first[i] * second[j];
        }
      }
    }
    return distribution;
  }

 private:
  static const Float& at(const std::vector<Float>& list, std::int64_t i) {
    return list[static_cast<std::size_t>(i)];
  }
  static std::vector<Float> binomial(std::int64_t n, const Float& p) {
    std::vector<Float> distribution{1};
    for (std::int64_t i = 0; i < n; ++i) {
      distribution.emplace_back(0);
      for (std::size_t k = distribution.size() - 1; k > 0; --k)
        distribution[k] = distribution[k] * (1 - p) + distribution[k - 1] * p;
      distribution[0] *= 1 - p;
    }
    return distribution;
  }

  std::int64_t group_;
  std::int64_t draws_;
  Float shift_;
  std::vector<Float> k_;     // powers of e^-shift
  std::vector<Float> rest_;  // of 1 - e^-shift
  std::vector<Float> half_;
  Float sign_;
};

struct GroupSetting {
  precise::Float x_max;
  precise::Float b_max;
  double sigma;
  std::int64_t sparsity;
  std::int64_t group;
  JointLevel level;
};

Result<CertificateCheck> recompute_groups(const PeeledGroups& found, const GroupSetting& setting,
                                          std::string_view event) {
  using precise::carried;
  using precise::Float;
  using precise::shown;
  const auto s = setting.sparsity;
  const Float largest = setting.x_max * setting.b_max;
  const Float clip = largest + Float(setting.sigma) * sqrt(Float(2 * log(Float(found.records))));
  const Float bound = clip + largest;  // B
  const Float unit =
      2 * sqrt(Float(3 * s * -log(Float(setting.level.delta)))) / setting.level.epsilon;
  const Float scale = Float("1e-4") * bound * unit / found.records;
  const Float shift = 4 * setting.x_max * clip / (bound * unit);  // (2)
  const PreciseGroups groups(setting.group, s, shift);
  const auto chosen = groups.chosen();
  const auto leads = groups.leads(chosen);

  const Float reach = setting.b_max / scale - s * shift;  // (5)
  Float acts = 1;
  if (reach > 0) {
    Float term = 1;
    Float sum = 0;
    for (std::int64_t i = 0; i < s; ++i) {
      sum += term;
      term *= reach / (i + 1);
    }
    acts = exp(Float(-reach)) * sum;
  }
  Float event_p = 0;
  Float event_q = 0;
  for (std::int64_t v = -s; v <= s; ++v) {
    const Float& mass = leads[static_cast<std::size_t>(v + s)];
    if (v >= found.lead) event_p += mass;
    if (v <= -found.lead) event_q += mass;
  }
  const Float p = event_p - acts;
  const Float q = event_q + acts;
  ASSAY_TRY(carried(found.shift, shift, precise::kSlack, "shift"));
  ASSAY_TRY(carry_level(found, p, q, setting.level));

  CertificateCheck check;
  std::vector<std::string> distribution;
  for (const Float& mass : chosen)
    distribution.push_back(fmt::format("{:.6g}", static_cast<double>(mass)));
  check.steps = {
      fmt::format("R = x_max b_max + sigma sqrt(2 log n) = {}, B = R + x_max b_max = {}, noise of "
                  "scale b = (eta B/n) 2 sqrt(3 s log(1/delta))/eps = {}",
                  shown(clip), shown(bound), shown(scale)),
      fmt::format("v_j = (2 eta/n) sum of x_j y: on group 1 it is 4 eta x_max R/n, which is {} "
                  "b, and in the neighbour 0; on group 2 it is the other way around",
                  shown(shift)),
      fmt::format("the first of {} draws is of group 1 with probability {}; among all draws 0 to "
                  "{} are of group 1 with probabilities {}",
                  s, shown(groups.first_wins(setting.group, setting.group)), s,
                  fmt::join(distribution, ", ")),
      fmt::format("a value that was drawn is above 0 with probability 1 - e^-{}/2 = {} on group "
                  "1, 1/2 on group 2",
                  shown(shift), shown(groups.sign())),
      fmt::format("the projection acts with probability at most {}",
                  acts < Float("1e-300") ? std::string("1e-300")
                                         : rounded_up(static_cast<double>(acts), 10)),
      fmt::format("P(group 1 leads by {} or more): p >= {}; on the neighbour, P(group 2 does): q "
                  "<= {}",
                  found.lead, rounded_down(static_cast<double>(p), 10),
                  rounded_up(static_cast<double>(q), 10))};
  conclude(check, p, q, setting.level, event);
  return check;
}

}  // namespace

Status PeeledGroups::check_groups() const {
  if (!std::has_single_bit(static_cast<std::uint64_t>(records))) {
    return out_of_range(kCounterexampleRoot + "/records",
                        "must be a power of 2, the length of an episode");
  }
  return {};
}

Status NormalizedContextsCounterexample::check() const {
  ASSAY_TRY(check_groups());
  if (sparsity > 2 * group) {
    return out_of_range(kCounterexampleRoot + "/sparsity",
                        "must be at most 2 group, the dimension");
  }
  if (group <= records) return {};
  return out_of_range(kCounterexampleRoot + "/group",
                      "must be at most records: the next episode has a round for each coordinate");
}

Status ExperimentsCounterexample::check() const {
  ASSAY_TRY(check_groups());
  if (records >= kExperimentsGroup) return {};
  return out_of_range(kCounterexampleRoot + "/records",
                      "must be at least 256: the next episode has a round for each coordinate");
}

Result<CertificateCheck> recompute(const GreedySignCounterexample& found) {
  using precise::Float;
  using precise::shown;
  const Float m = found.iterations;
  const Float unit = 2 * sqrt(Float(3 * log(Float(m / Float(found.delta))))) * m / found.epsilon;
  const Float distance = Float(found.x_max) / unit;  // (1)
  const Float q = exp(Float(-distance)) / 2;
  const Float p = 1 - q;
  const JointLevel level{found.epsilon, found.delta};
  ASSAY_TRY(carry_level(found, p, q, level));
  CertificateCheck check;
  check.steps = {
      fmt::format("d = s = 1, M = {} (Proposition 5.5 for kappa = 1, b_max = e^(M/56)), eta = 1/(2 "
                  "x_max^2); R = x_max b_max, B = 2 R for the one record of round 1",
                  found.iterations),
      fmt::format("the noise has scale b = eta B u, u = 2 sqrt(3 log(M/delta)) M/eps = {}",
                  shown(unit)),
      fmt::format("every iteration has v = 2 eta x_max R = R/x_max, and in the neighbour v = "
                  "-R/x_max: this is x_max/u = {} scales b",
                  shown(distance)),
      fmt::format("round 2 plays the arm with context x_max, not the arm with context 0, if "
                  "theta > 0: p = 1 - e^-{}/2 = {}, q = {}",
                  shown(distance), shown(p), shown(q))};
  conclude(check, p, q, level, fmt::format("an input with x_max = {}, T = 2", shown(found.x_max)));
  return check;
}

Result<CertificateCheck> recompute(const NormalizedContextsCounterexample& found) {
  return recompute_groups(
      found, {1, 1, found.sigma, found.sparsity, found.group, {found.epsilon, found.delta}},
      fmt::format("an input with x_max = 1, s = {}, d = {}", found.sparsity, 2 * found.group));
}

Result<CertificateCheck> recompute(const ExperimentsCounterexample& found) {
  return recompute_groups(found,
                          {sqrt(precise::Float(2 * log(precise::Float(2 * kExperimentsGroup)))),
                           found.b_max,
                           kExperimentsSigma,
                           kExperimentsSparsity,
                           kExperimentsGroup,
                           {found.epsilon, kExperimentsDelta}},
                          "an input at the experiments' d = 400, s = 10");
}

}  // namespace assay
