#include "assay/mechanisms/accounting/account/release_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

using detail::Enclosure;
using detail::middle;

StepLosses exact(const PrivacyLoss& loss) { return {both_orders(loss), std::nullopt, {}, {}}; }

// ---- two candidates -------------------------------------------------------------------------------

// Two outputs: the logs of their probabilities under P and Q.
struct TwoOutputs {
  Enclosure log_p, log_q, log_p_other, log_q_other;

  Enclosure loss() const { return log_p - log_q; }
  Enclosure loss_other() const { return log_p_other - log_q_other; }
};

PrivacyLoss loss_of_two(const TwoOutputs& two, double lattice = 0.0) {
  return detail::loss_of_outputs({{two.loss(), two.log_p}, {two.loss_other(), two.log_p_other}},
                                 lattice);
}

// How much the pair leaks: delta at the eps asked for, or eps at delta. It only chooses a pair.
// Few releases: the sum over how often the first output occurs, whose corners make a visible difference.
double leak_of_few(const TwoOutputs& two, const LossAccuracy& accuracy) {
  const double first = middle(two.loss()), second = middle(two.loss_other());
  const double p = middle(two.log_p), other = middle(two.log_p_other);
  struct Term {
    double loss, p, q;
  };
  std::vector<Term> terms;
  double log_choose = 0.0;
  const auto n = static_cast<double>(accuracy.releases);
  for (double k = 0.0; k <= n; ++k) {
    const double loss = k * first + (n - k) * second;
    const double log_mass = log_choose + k * p + (n - k) * other;
    terms.push_back({loss, portable_exp(log_mass), portable_exp(log_mass - loss)});
    log_choose += portable_log(std::max(n - k, 1.0)) - portable_log(k + 1.0);
  }
  const auto delta_at = [&](double eps) {
    const double factor = portable_exp(eps);
    double delta = 0.0;
    for (const Term& term : terms) {
      if (term.loss > eps) delta += term.p - factor * term.q;
    }
    return delta;
  };
  if (accuracy.epsilon >= 0.0) return delta_at(accuracy.epsilon);
  double low = 0.0, high = n * std::max(first, second);
  for (int i = 0; i < 40; ++i) {
    const double half = 0.5 * (low + high);
    (delta_at(half) > accuracy.delta ? low : high) = half;
  }
  return high;
}

// Many: the least over Renyi orders a = 1 + tilt.
double leak_of(const TwoOutputs& two, const LossAccuracy& accuracy) {
  constexpr std::int64_t kFew = 64;
  if (accuracy.releases <= kFew) return leak_of_few(two, accuracy);
  const double first = middle(two.loss()), second = middle(two.loss_other());
  const double p = middle(two.log_p), other = middle(two.log_p_other);
  return detail::leak_by_moments(accuracy, [&](double tilt) {
    const double a = p + tilt * first, b = other + tilt * second, top = std::max(a, b);
    return top + portable_log1p(portable_exp(std::min(a, b) - top));
  });
}

// The pair at the point, of those given, that leaks most.
template <class PairAt>
double worst_point(const std::vector<double>& points, const LossAccuracy& accuracy,
                   const PairAt& pair_at) {
  double worst = points.front(), most = -kInfinity;
  for (const double point : points) {
    const double leak = leak_of(pair_at(point), accuracy);
    if (!(leak > most)) continue;
    most = leak;
    worst = point;
  }
  return worst;
}

// (F(d), 1 - F(d)) against (F(e), 1 - F(e)) for the largest double e with d - e <= shift.
TwoOutputs shifted(const detail::DifferenceTail& tail, double d, double shift) {
  const double e = detail::round_up(d - shift);
  const auto logs = [&](double x) -> std::pair<Enclosure, Enclosure> {
    const Enclosure beyond = tail(Enclosure(std::fabs(x)));
    const Enclosure within = log1p(-beyond), outside = log(beyond);
    return x >= 0.0 ? std::pair{within, outside} : std::pair{outside, within};
  };
  const auto [p, p_other] = logs(d);
  const auto [q, q_other] = logs(e);
  return {p, q, p_other, q_other};
}

// The logs of the probability that one noisy score is above m others that are d lower, and of the rest; Laplace noise
// (docs/proofs/release_pairs.md, (1)).
std::pair<Enclosure, Enclosure> log_chances_above(int m, double d) {
  const Enclosure near = exp(Enclosure(-std::fabs(d)));
  const auto others = static_cast<double>(m);
  if (d < 0.0) {
    const Enclosure half = std::ldexp(1.0, -m - 1);
    Enclosure far = near;  // near^m
    for (int k = 1; k < m; ++k) far = far * near;
    const Enclosure between = m == 1 ? near * -d / 4.0 : half * (near - far) / (others - 1.0);
    const Enclosure above =
        half * far / (others + 1.0) + between + near * (Enclosure(1.0) - half) / (others + 1.0);
    return {log(above), log1p(-above)};
  }
  Enclosure chosen = 1.0, power = near, below = near / 2.0;  // of (-1/2)^k binom(m, k) near^k
  below = below - Enclosure(std::ldexp(1.0, -m - 1)) * near / (others + 1.0);
  for (int k = 1; k <= m; ++k) {
    const auto count = static_cast<double>(k);
    chosen = chosen * (others - count + 1.0) / count / -2.0;
    const Enclosure between = k == 1 ? near * d : (near - power) / (count - 1.0);
    below = below - chosen / 2.0 * (between + power / (count + 1.0));
    power = power * near;
  }
  return {log1p(-below), log(below)};
}

// One candidate against several with equal scores, which move against it by `shift` in all: either way, at the gap and the
// number that leak most. Many candidates have a largest noise like Gumbel's, one has Laplace's.
PrivacyLoss worst_of_several(double shift, const LossAccuracy& accuracy) {
  constexpr std::array kOthers = {1, 2, 3, 4, 6};
  constexpr double kGaps = 48.0, kFurthest = 8.0;
  struct Setting {
    int others = 1;
    bool falls = false;
    double gap = 0.0;
  };
  const auto pair_at = [shift](const Setting& at) -> TwoOutputs {
    const auto [p, p_other] = log_chances_above(at.others, at.gap);
    const auto [q, q_other] = log_chances_above(at.others, detail::round_up(at.gap - shift));
    if (at.falls) return {q, p, q_other, p_other};
    return {p, q, p_other, q_other};
  };
  Setting worst;
  double most = -kInfinity;
  const auto take = [&](const Setting& at) {
    const double leak = leak_of(pair_at(at), accuracy);
    if (leak > most) worst = at;
    most = std::max(most, leak);
  };
  const double step = (shift + kFurthest) / kGaps;
  for (const int others : kOthers) {
    for (const bool falls : {false, true}) {
      for (double i = 0.0; i <= kGaps; ++i) take({others, falls, i * step - 0.5 * kFurthest});
    }
  }
  for (double width = step / 2.0; width > 0.01 * step; width /= 2.0) {
    for (const double gap : {worst.gap - width, worst.gap + width}) {
      take({worst.others, worst.falls, gap});
    }
  }
  return loss_of_two(pair_at(worst));
}

// `range` is r, right to a few units in the last place.
Result<StepLosses> selection_losses(MaxNoise noise, double range, const LossAccuracy& accuracy) {
  const bool is_gumbel = noise == MaxNoise::kGumbel;
  const auto base =
      ASSAY_TRY(is_gumbel ? loss_of::bounded_range(range) : loss_of::laplace(1.0 / range));
  const PrivacyLoss above = detail::for_quotient(base, range);
  if (accuracy.releases == 1 && noise != MaxNoise::kLaplace) return exact(above);
  const double less = range * (1.0 - 8.0 * kUnitRoundoff);
  const PrivacyLoss below =
      is_gumbel ? detail::worst_range(less, accuracy)
      : noise == MaxNoise::kLaplace
          ? worst_of_several(less, accuracy)
          : detail::worst_shift([](Enclosure x) { return exp(-x) / 2.0; }, less, accuracy);
  return StepLosses{both_orders(above), both_orders(below),
                    is_gumbel ? "the range of the losses (docs/proofs/noisy_max_pairs.md, (2))"
                              : "Laplace noise of that eps (docs/proofs/noisy_max_pairs.md, (1))",
                    noise == MaxNoise::kLaplace
                        ? "a candidate whose score moves against those of some others"
                        : "two candidates whose scores move against each other"};
}

// Of weights with an eps of their own.
template <class Step>
Enclosure range_of(const Step& step) {
  return detail::moved(step.monotone ? 0.5 * step.epsilon : step.epsilon, step.group);
}

Enclosure range_of(const NoisyMaxStep& step) {
  return detail::moved(step.sensitivity, step.group) * (step.monotone ? 1.0 : 2.0) / step.scale;
}

// Cesar, Rogers (ALT 2021), lemma 3.4.
Enclosure rho_of_range(Enclosure range) { return range * range / 8.0; }

// (6). Near order 1 and for small ranges, where its terms cancel, the level of zCDP is as close.
RenyiDp renyi_of_range(Enclosure range) {
  return RenyiDp([range](double order) {
    const Enclosure a = order, beyond = a - 1.0;
    const Enclosure log_a = range + log(-expm1(-a * range));
    const Enclosure log_u = log(beyond) - log(a) + log_a - log(-expm1(-beyond * range));
    const Enclosure log_moment = beyond * log_u + log_a - log(a) - range - log(-expm1(-range));
    return std::max(0.0, std::min((log_moment / beyond).high, (rho_of_range(range) * a).high));
  });
}

// ---- reports of bits ------------------------------------------------------------------------------

// P(1) for the value's own bit, P(1) for others, and the complements.
struct BitChances {
  Enclosure one_set, one_unset, zero_set, zero_unset;

  Enclosure largest_loss() const {
    return log(one_set) + log(zero_unset) - log(one_unset) - log(zero_set);
  }
};

BitChances chances(const UnaryEncodingStep& step) {
  const Enclosure half = step.symmetric ? Enclosure(0.5) * step.epsilon : Enclosure(step.epsilon);
  const Enclosure low = exp(-half), sum = low + 1.0;
  const Enclosure unset = low / sum, kept = Enclosure(1.0) / sum;
  if (step.symmetric) return {kept, unset, unset, kept};
  return {0.5, unset, 0.5, kept};
}

BitChances chances(const RapporStep& step) {
  const Enclosure flip = Enclosure(0.5) * step.permanent, keep = Enclosure(1.0) - flip;
  const Enclosure p = step.one_if_zero, q = step.one_if_one;
  const Enclosure no_p = Enclosure(1.0) - p, no_q = Enclosure(1.0) - q;
  return {q * keep + p * flip, q * flip + p * keep, no_q * keep + no_p * flip,
          no_q * flip + no_p * keep};
}

// (4): m bits that are set in the first filter alone, and m in the second alone.
PrivacyLoss bits_apart(const BitChances& one, Enclosure step, std::int64_t m) {
  const auto binomial = [m](Enclosure yes, Enclosure no) {
    std::vector<Enclosure> masses;
    Enclosure log_choose = 0.0;
    for (std::int64_t i = 0; i <= m; ++i) {
      masses.push_back(exp(log_choose + log(yes) * static_cast<double>(i) +
                           log(no) * static_cast<double>(m - i)));
      log_choose =
          log_choose + log(Enclosure(static_cast<double>(m - i)) / static_cast<double>(i + 1));
    }
    return masses;
  };
  const auto first = binomial(one.one_set, one.zero_set);
  const auto second = binomial(one.one_unset, one.zero_unset);
  std::vector<detail::OutputOfRelease> outcomes;
  for (std::int64_t more = -m; more <= m; ++more) {
    Enclosure mass = 0.0;
    for (std::int64_t i = std::max<std::int64_t>(0, more); i <= std::min(m, m + more); ++i) {
      mass = mass + first[static_cast<std::size_t>(i)] * second[static_cast<std::size_t>(i - more)];
    }
    outcomes.push_back({step * static_cast<double>(more), log(mass)});
  }
  return detail::loss_of_outputs(outcomes, middle(step));
}

}  // namespace

Result<StepLosses> ExponentialStep::losses(const LossAccuracy& accuracy) const {
  return selection_losses(MaxNoise::kGumbel, middle(range_of(*this)), accuracy);
}
Enclosure ExponentialStep::largest_loss() const { return range_of(*this); }
Enclosure ExponentialStep::rho() const { return rho_of_range(largest_loss()); }
RenyiDp ExponentialStep::renyi() const { return renyi_of_range(largest_loss()); }

Result<StepLosses> PermuteAndFlipStep::losses(const LossAccuracy& accuracy) const {
  return selection_losses(MaxNoise::kExponential, middle(range_of(*this)), accuracy);
}
Enclosure PermuteAndFlipStep::largest_loss() const { return range_of(*this); }
RenyiDp PermuteAndFlipStep::renyi() const { return *laplace_renyi(Epsilon{largest_loss().high}); }

Status NoisyMaxStep::check() const {
  const auto refused = [](const char* why) {
    return fail(ErrorCode::kInvalidArgument, std::string("noise ") + why, "/noise");
  };
  if (noise == MaxNoise::kGaussian) {
    return refused(
        "gaussian has no pair for the index alone. Nearest: gdp with mu = sqrt(candidates) sensitivity/scale");
  }
  if (noise == MaxNoise::kDiscreteLaplace) {
    return refused(
        "discrete-laplace has no pair below its level. Nearest: pure with epsilon = 2 sensitivity/scale");
  }
  const double ratio = scale / (sensitivity * group);
  if (ratio >= 0.02 && ratio <= 1e6) return {};
  return detail::out_of_range("scale", "0.02 to 1e+06 times the sensitivity",
                              number_text(ratio) + " times");
}
Result<StepLosses> NoisyMaxStep::losses(const LossAccuracy& accuracy) const {
  return selection_losses(noise, middle(range_of(*this)), accuracy);
}
Enclosure NoisyMaxStep::largest_loss() const { return range_of(*this); }
RenyiDp NoisyMaxStep::renyi() const {
  if (noise == MaxNoise::kGumbel) return renyi_of_range(range_of(*this));
  return *laplace_renyi(Epsilon{largest_loss().high});
}
Enclosure NoisyMaxStep::rho() const {
  if (noise == MaxNoise::kGumbel) return rho_of_range(range_of(*this));
  return zcdp_rho(PureDp{Epsilon{largest_loss().high}})->value.value;
}

Result<StepLosses> UnaryEncodingStep::losses(const LossAccuracy& /*accuracy*/) const {
  return exact(bits_apart(chances(*this), epsilon, 1));  // (3)
}
Enclosure UnaryEncodingStep::largest_loss() const { return epsilon; }

Status RapporStep::check() const {
  if (one_if_one > one_if_zero) return {};
  return detail::out_of_range("one_if_one", "above one_if_zero", number_text(one_if_one));
}
Result<StepLosses> RapporStep::losses(const LossAccuracy& /*accuracy*/) const {
  const auto one = chances(*this);
  return exact(bits_apart(one, one.largest_loss(), hashes));
}
Enclosure RapporStep::largest_loss() const {
  return chances(*this).largest_loss() * static_cast<double>(hashes);
}

Result<StepLosses> TruncatedGeometricStep::losses(const LossAccuracy& /*accuracy*/) const {
  const Enclosure loss = largest_loss();
  const Enclosure sum = log(Enclosure(2.0) + std::ldexp(1.0, -static_cast<int>(bits)));
  return exact(detail::loss_of_outputs({{-loss, -sum}, {loss, loss - sum}}, middle(loss)));
}
Enclosure TruncatedGeometricStep::largest_loss() const {
  return log1p(Enclosure(std::ldexp(1.0, -static_cast<int>(bits))));
}

namespace detail {

PrivacyLoss worst_shift(const DifferenceTail& tail, double shift, const LossAccuracy& accuracy) {
  constexpr int kPoints = 24;
  constexpr double kFurthest = 8.0;
  std::vector<double> points;
  for (int i = 0; i <= kPoints; ++i) {
    const double part = static_cast<double>(i) / kPoints;
    points.push_back(part * shift);
    points.push_back(-part * part * kFurthest);
  }
  const auto pair_at = [&](double d) { return shifted(tail, d, shift); };
  return loss_of_two(pair_at(worst_point(points, accuracy, pair_at)));
}

// Gumbel noise: losses t and t - r, under P with (e^(r - t) - 1) e^t/(e^r - 1) and the rest.
PrivacyLoss worst_range(double range, const LossAccuracy& accuracy) {
  constexpr int kParts = 960, kCoarse = 20;
  const auto pair_at = [range](double part) -> TwoOutputs {
    const Enclosure r = range, t = r * part / static_cast<double>(kParts);
    const Enclosure log_all = log(expm1(r));
    const Enclosure p = log(expm1(r - t)) + t - log_all, other = log(expm1(t)) - log_all;
    return {p, p - t, other, other + (r - t)};
  };
  std::vector<double> coarse, fine;
  for (int part = kCoarse; part < kParts; part += kCoarse) coarse.push_back(part);
  const double near = worst_point(coarse, accuracy, pair_at);
  for (int step = 1 - kCoarse; step < kCoarse; ++step) fine.push_back(near + step);
  const double worst = worst_point(fine, accuracy, pair_at);
  const int common = std::gcd(kParts, static_cast<int>(worst));
  return loss_of_two(pair_at(worst), range * common / kParts);
}

double log_moment(const PrivacyLoss& loss, double tilt) {
  LogSum sum;
  for (const LossAtom& atom : loss.atoms) sum.add(1.0, atom.log_mass + tilt * atom.loss);
  return sum.log();
}

double leak_by_moments(const LossAccuracy& accuracy,
                       const std::function<double(double)>& log_moment) {
  const double log_delta = portable_log(std::clamp(accuracy.delta, 1e-300, 0.999));
  const auto n = static_cast<double>(accuracy.releases);
  double least = kInfinity;
  for (double tilt = 1e-2; tilt < 2e3; tilt *= 1.25) {
    const double moment = n * log_moment(tilt);
    const double log_order = portable_log1p(tilt);
    const double gain = tilt * (portable_log(tilt) - log_order) - log_order;
    least = std::min(least, accuracy.epsilon >= 0.0 ? moment - tilt * accuracy.epsilon + gain
                                                    : (moment - log_delta + gain) / tilt);
  }
  return least;
}

PrivacyLoss loss_of_outputs(const std::vector<OutputOfRelease>& outputs, double lattice) {
  PrivacyLoss all;
  for (const auto& [loss, log_mass] : outputs) {
    if (log_mass.high == -kInfinity) continue;
    all.atoms.push_back({middle(loss), middle(log_mass)});
    all.loss_error = std::max(all.loss_error, loss.high - loss.low);
    all.weight_error = std::max(all.weight_error, 2.0 * (log_mass.high - log_mass.low));
  }
  std::sort(all.atoms.begin(), all.atoms.end(),
            [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  all.lattice = lattice;
  return all;
}

}  // namespace detail
}  // namespace assay
