#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/internal/loss_parts.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::lower_tail;
using detail::mixed_log_ratio;
using detail::normal_log_density;
using detail::normal_panel;
using detail::normal_range;
using detail::upper_tail;

Status check_shift(std::int64_t shift) {
  return detail::check_within("shift", static_cast<double>(shift), 1.0, 1e6);
}

Status check_tail(double log_tail) {
  return detail::check_within("log_tail", log_tail, -600.0, -20.0);
}

}  // namespace

namespace loss_of {

Result<PrivacyLoss> gaussian(double sigma, double log_tail) {
  ASSAY_TRY(detail::check_within("sigma", sigma, 1e-2, 1e6));
  ASSAY_TRY(check_tail(log_tail));
  const auto [edge, mass] = normal_range(log_tail);
  const double mu = 1.0 / sigma;
  PrivacyLoss distribution;
  distribution.pieces.push_back({-edge, edge, normal_panel(edge), normal_log_density,
                                 [mu](double x) { return mu * (x + 0.5 * mu); },  // (2)
                                 [mu](double l) { return l / mu - 0.5 * mu; }, upper_tail,
                                 lower_tail});
  distribution.mass_above = mass;
  distribution.mass_below = mass;
  distribution.loss_error = 16.0 * kUnitRoundoff * mu * (edge + mu);
  distribution.weight_error = 8.0 * kUnitRoundoff;
  return distribution;
}

Result<PrivacyLoss> laplace(double scale) {
  ASSAY_TRY(detail::check_within("scale", scale, 1e-2, 1e6));
  const double end = 1.0 / scale;
  PrivacyLoss distribution;
  // P is centred at 1, Q at 0: outcomes above 1 have loss 1/b, those below 0 have loss -1/b. Between,
  // the loss (2 x - 1)/b has under P the density e^(-(1 - x)/b)/(2 b).
  distribution.atoms = {{-end, -end - portable_log(2.0)}, {end, -portable_log(2.0)}};  // (3)
  const double log_scale = portable_log(2.0 * scale);
  distribution.pieces.push_back(
      {0.0,
       1.0,
       0.25 * std::min(1.0, scale),
       [end, log_scale](double x) { return -(1.0 - x) * end - log_scale; },
       [end](double x) { return (2.0 * x - 1.0) * end; },
       [scale](double l) { return 0.5 * (l * scale + 1.0); },
       {},
       {}});
  distribution.loss_error = 8.0 * kUnitRoundoff * end;
  distribution.weight_error = 8.0 * kUnitRoundoff * (1.0 + end);
  distribution.lattice = end;
  return distribution;
}

Result<PrivacyLoss> bounded_range(double epsilon) {
  ASSAY_TRY(detail::check_within("epsilon", epsilon, 1e-6, 100.0));
  // At outcome x in [0, 1] the loss is (2 x - 1) eps, and P has the density eps e^(eps x)/(e^eps - 1).       (8)
  const double log_top = portable_log(epsilon / -portable_expm1(-epsilon));
  PrivacyLoss distribution;
  distribution.pieces.push_back(
      {0.0,
       1.0,
       0.25 * std::min(1.0, 1.0 / epsilon),
       [epsilon, log_top](double x) { return -(1.0 - x) * epsilon + log_top; },
       [epsilon](double x) { return (2.0 * x - 1.0) * epsilon; },
       [epsilon](double l) { return 0.5 * (l / epsilon + 1.0); },
       {},
       {}});
  distribution.loss_error = 8.0 * kUnitRoundoff * epsilon;
  distribution.weight_error = 8.0 * kUnitRoundoff * (1.0 + epsilon);
  return distribution;
}

Result<PrivacyLoss> randomized_response(double epsilon, std::int64_t answers) {
  ASSAY_TRY(detail::check_within("epsilon", epsilon, 1e-9, 300.0));
  ASSAY_TRY(detail::check_within("answers", static_cast<double>(answers), 2.0, 1e9));
  const auto others = static_cast<double>(answers - 1);
  // log of e^eps + k - 1
  const double log_norm = epsilon + portable_log1p(others * portable_exp(-epsilon));
  PrivacyLoss distribution;
  distribution.atoms.push_back({-epsilon, -log_norm});  // (4)
  if (answers > 2) distribution.atoms.push_back({0.0, portable_log(others - 1.0) - log_norm});
  distribution.atoms.push_back({epsilon, epsilon - log_norm});
  distribution.weight_error = 16.0 * kUnitRoundoff * (1.0 + epsilon);
  distribution.lattice = epsilon;
  return distribution;
}

Result<PrivacyLoss> discrete_laplace(double scale, std::int64_t shift) {
  ASSAY_TRY(detail::check_within("scale", scale, 1e-2, 1e6));
  ASSAY_TRY(check_shift(shift));
  const auto loss = [&](std::int64_t k) { return static_cast<double>(2 * k - shift) / scale; };
  const double unit = 1.0 / scale, end = loss(shift);
  ASSAY_TRY(detail::check_within("shift/scale", end, 0.0, 700.0));
  const double log_norm = portable_log1p(portable_exp(-unit));
  const double log_centre = portable_log(-portable_expm1(-unit)) - log_norm;
  PrivacyLoss distribution;
  distribution.atoms.push_back({-end, -end - log_norm});  // (5)
  for (std::int64_t k = 1; k < shift; ++k) {
    distribution.atoms.push_back({loss(k), static_cast<double>(k - shift) / scale + log_centre});
  }
  distribution.atoms.push_back({end, -log_norm});
  distribution.loss_error = 2.0 * kUnitRoundoff * end;
  distribution.weight_error = 16.0 * kUnitRoundoff * (1.0 + end);
  distribution.lattice = shift % 2 == 0 ? 2.0 / scale : unit;
  return distribution;
}

Result<PrivacyLoss> discrete_gaussian(double sigma, std::int64_t shift, double log_tail) {
  ASSAY_TRY(detail::check_within("sigma", sigma, 0.05, 1e4));
  ASSAY_TRY(check_shift(shift));
  ASSAY_TRY(check_tail(log_tail));
  const auto noise = ASSAY_TRY(DiscreteGaussian::create(sigma));
  const double half = 0.5 * static_cast<double>(shift) / (sigma * sigma);
  const auto edge = static_cast<std::int64_t>(std::ceil(sigma * std::sqrt(-2.0 * log_tail))) + 1;
  PrivacyLoss distribution;
  for (std::int64_t k = -edge; k <= edge; ++k) {
    distribution.atoms.push_back(
        {static_cast<double>(2 * k + shift) * half, noise.log_pmf(k)});  // (6)
  }
  // The tail beyond k falls faster than a geometric series of ratio e^(-(2 k + 1)/(2 sigma^2)).
  const double ratio = portable_exp(-static_cast<double>(2 * edge + 1) * 0.5 / (sigma * sigma));
  distribution.mass_above =
      portable_exp(noise.log_pmf(edge)) * ratio / (1.0 - ratio) * (1.0 + 1e-12);
  distribution.mass_below = distribution.mass_above;
  distribution.loss_error = 6.0 * kUnitRoundoff * static_cast<double>(2 * edge + shift) * half;
  distribution.weight_error = 64.0 * kUnitRoundoff;
  distribution.lattice = shift % 2 == 0 ? 2.0 * half : half;
  return distribution;
}

Result<PrivacyLoss> subsampled_gaussian(double sigma, double sampling, SamplingDirection direction,
                                        double log_tail) {
  ASSAY_TRY(detail::check_within("sigma", sigma, 0.05, 1e6));
  ASSAY_TRY(detail::check_within("sampling", sampling, 1e-9, 1.0 - 1e-9));
  ASSAY_TRY(check_tail(log_tail));
  const auto [edge, mass] = normal_range(log_tail);
  const double inverse = 1.0 / sigma;
  // Outcomes x in standard deviations of the noise: the shifted component sits at 1/sigma.
  const auto ratio = [=](double x) {
    return mixed_log_ratio(sampling, inverse * (x - 0.5 * inverse));
  };
  const auto inverse_ratio = [=](double l) {  // (7)
    return sigma * detail::unmixed_log_ratio(sampling, l) + 0.5 * inverse;
  };
  PrivacyLoss distribution;
  LossPiece piece;
  piece.panel = normal_panel(edge + inverse);
  if (direction == SamplingDirection::kRemove) {
    piece.low = -edge;
    piece.high = edge + inverse;
    piece.log_density = [ratio](double x) { return normal_log_density(x) + ratio(x); };
    piece.loss = ratio;
    piece.density_and_loss = [ratio](double x) {
      const double l = ratio(x);
      return std::pair{normal_log_density(x) + l, l};
    };
    piece.outcome = inverse_ratio;
    piece.mass_above = [=](double x) {
      return sampling * upper_tail(x - inverse) + (1.0 - sampling) * upper_tail(x);
    };
    piece.mass_below = lower_tail;
  } else {  // mirrored, so that the loss increases
    piece.low = -edge;
    piece.high = edge;
    piece.log_density = normal_log_density;
    piece.loss = [ratio](double y) { return -ratio(-y); };
    piece.outcome = [inverse_ratio](double l) { return -inverse_ratio(-l); };
    piece.mass_above = upper_tail;
    piece.mass_below = lower_tail;
  }
  if (inverse * (edge + inverse) < 600.0) {  // e^t below stays far from overflow
    const bool removes = direction == SamplingDirection::kRemove;
    piece.densities = [=](const double* outcomes, std::size_t n, double* p, double* q) {
      for (std::size_t i = 0; i < n; ++i) {
        const double x = removes ? outcomes[i] : -outcomes[i];
        const double without = portable_exp(normal_log_density(x));
        const double with =
            without * (1.0 - sampling + sampling * portable_exp(inverse * (x - 0.5 * inverse)));
        p[i] = removes ? with : without;
        q[i] = removes ? without : with;
      }
    };
  }
  const double largest =
      std::max(std::fabs(piece.loss(piece.low)), std::fabs(piece.loss(piece.high)));
  distribution.pieces.push_back(std::move(piece));
  distribution.mass_above = mass;
  distribution.mass_below = mass;
  distribution.loss_error = 32.0 * kUnitRoundoff * (largest + inverse);
  distribution.weight_error = 16.0 * kUnitRoundoff * (1.0 + largest);
  return distribution;
}

Result<PrivacyLoss> finite_pair(std::span<const double> p, std::span<const double> q) {
  if (p.empty() || p.size() != q.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "p and q must have the same number of entries, at least 1, not " +
                    std::to_string(p.size()) + " and " + std::to_string(q.size()),
                "/q");
  }
  PrivacyLoss distribution;
  double total_p = 0.0, total_q = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::string place = "[" + std::to_string(i) + "]";
    ASSAY_TRY(detail::check_within(("p" + place).c_str(), p[i], 0.0, 1.0));
    ASSAY_TRY(detail::check_within(("q" + place).c_str(), q[i], 0.0, 1.0));
    total_p += p[i];
    total_q += q[i];
    if (p[i] == 0.0) continue;
    if (q[i] == 0.0) {
      distribution.mass_at_infinity += p[i];
      continue;
    }
    const double loss = portable_log(p[i]) - portable_log(q[i]);
    distribution.atoms.push_back({loss, portable_log(p[i])});
    largest = std::max({largest, std::fabs(loss), -portable_log(p[i]), -portable_log(q[i])});
  }
  for (const auto& [name, total] : {std::pair{"p", total_p}, std::pair{"q", total_q}}) {
    if (std::fabs(total - 1.0) <= 1e-12) continue;
    return fail(ErrorCode::kInvalidArgument,
                std::string(name) + " must sum to 1 within 1e-12, not " + number_text(total),
                std::string("/") + name);
  }
  std::sort(distribution.atoms.begin(), distribution.atoms.end(),
            [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  // Sums of at most n products of (1 + u) in mass_at_infinity; the rest goes to mass_above.
  const double slack =
      2.0 * kUnitRoundoff * static_cast<double>(p.size()) * distribution.mass_at_infinity;
  distribution.mass_at_infinity = std::clamp(distribution.mass_at_infinity - slack, 0.0, 1.0);
  distribution.mass_above = 2.0 * slack;
  distribution.loss_error = 8.0 * kUnitRoundoff * largest;
  distribution.weight_error = 8.0 * kUnitRoundoff * (1.0 + largest);
  // Two atoms of a binary pair, +-eps, or any losses on a lattice by chance of the numbers.
  double step = 0.0;
  for (const LossAtom& atom : distribution.atoms) {
    double a = std::max(step, std::fabs(atom.loss)), b = std::min(step, std::fabs(atom.loss));
    const double small = 1e-12 * (a + b);
    while (b > small) {  // Euclid's algorithm on doubles
      const double rest = a - b * std::floor(a / b + 1e-9);
      a = std::exchange(b, std::max(rest, 0.0));
    }
    step = a;
    if (step * 1e6 <= largest)
      break;  // no lattice; with what rounding leaves the next loss would seem to be one
  }
  if (step * 1e6 > largest) distribution.lattice = step;
  return distribution;
}

}  // namespace loss_of
}  // namespace assay
