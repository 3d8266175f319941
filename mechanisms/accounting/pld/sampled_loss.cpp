#include "assay/mechanisms/accounting/pld/sampled_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/internal/loss_parts.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::mixed_log_ratio;
using detail::unmixed_log_ratio;
using Kind = AddedNoise::Kind;

Status check_noise(const AddedNoise& noise, double sampling, double log_tail) {
  const bool continuous = noise.kind == Kind::kGaussian || noise.kind == Kind::kLaplace;
  const double least =
      noise.kind == Kind::kGaussian || noise.kind == Kind::kDiscreteGaussian ? 0.05 : 1e-2;
  const double most = noise.kind == Kind::kDiscreteGaussian ? 1e4 : 1e6;
  ASSAY_TRY(detail::check_within("scale", noise.scale, least, most));
  ASSAY_TRY(detail::check_within("shift", static_cast<double>(noise.shift), 1.0,
                                 continuous ? 1.0 : 1000.0));
  if (noise.kind == Kind::kDiscreteLaplace) {
    ASSAY_TRY(detail::check_within("shift/scale", static_cast<double>(noise.shift) / noise.scale,
                                   0.0, 300.0));
  }
  ASSAY_TRY(detail::check_within("sampling", sampling, 1e-9, 1.0 - 1e-9));
  return detail::check_within("log_tail", log_tail, -600.0, -20.0);
}

// ---- noise on integers --------------------------------------------------------------------------

// An outcome z of the noise without the record, by increasing z.
struct Outcome {
  double log_mass = 0.0;  // of R
  double up = 0.0;        // log u
  double down = 0.0;      // log v
};
struct Outcomes {
  std::vector<Outcome> all;
  double cut = 0.0;      // an upper bound on the mass cut off at either end, of R, P and V each
  double largest = 0.0;  // an upper bound on |log_mass|, |up| and |down|
};

Result<Outcomes> discrete_gaussian_outcomes(const AddedNoise& noise, double log_tail) {
  const auto distribution = ASSAY_TRY(DiscreteGaussian::create(noise.scale));
  const double variance = noise.scale * noise.scale;
  const auto edge =
      static_cast<std::int64_t>(std::ceil(noise.scale * std::sqrt(-2.0 * log_tail))) + 1;
  const auto s = static_cast<double>(noise.shift);
  Outcomes outcomes;
  for (std::int64_t z = -edge - noise.shift; z <= edge + noise.shift; ++z) {
    const double twice = 2.0 * static_cast<double>(z);
    outcomes.all.push_back({distribution.log_pmf(z), 0.5 * s * (twice - s) / variance,
                            -0.5 * s * (twice + s) / variance});
    const Outcome& last = outcomes.all.back();
    outcomes.largest = std::max(
        {outcomes.largest, std::fabs(last.log_mass), std::fabs(last.up), std::fabs(last.down)});
  }
  // As in privacy_loss.cpp: beyond k the tail falls faster than a geometric series.
  const double ratio = portable_exp(-static_cast<double>(2 * edge + 1) * 0.5 / variance);
  outcomes.cut = portable_exp(distribution.log_pmf(edge)) * ratio / (1.0 - ratio) * (1.0 + 1e-12);
  return outcomes;
}

Outcomes discrete_laplace_outcomes(const AddedNoise& noise) {
  const double unit = 1.0 / noise.scale;
  const double log_norm = portable_log1p(portable_exp(-unit));
  const double log_centre = portable_log(-portable_expm1(-unit)) - log_norm;
  const std::int64_t s = noise.shift;
  const auto ratio = [&](std::int64_t z, std::int64_t at) {  // of the noise at `at` to that at 0
    return static_cast<double>(std::abs(z) - std::abs(z - at)) * unit;
  };
  Outcomes outcomes;
  for (std::int64_t z = -s; z <= s; ++z) {  // the ends stand for all outcomes beyond
    const double fallen = -static_cast<double>(std::abs(z)) * unit;
    const bool end = z == s || z == -s;
    outcomes.all.push_back({fallen + (end ? -log_norm : log_centre), ratio(z, s), ratio(z, -s)});
  }
  outcomes.largest = static_cast<double>(s) * unit - log_centre + log_norm;
  return outcomes;
}

Result<Outcomes> outcomes_of(const AddedNoise& noise, double log_tail) {
  if (noise.kind == Kind::kDiscreteLaplace) return discrete_laplace_outcomes(noise);
  return discrete_gaussian_outcomes(noise, log_tail);
}

// The atoms of outcomes, each with its loss and its log-mass under the first distribution of the pair.
template <class ToAtom>
PrivacyLoss atoms_of(const Outcomes& outcomes, const ToAtom& to_atom) {
  PrivacyLoss loss;
  for (const Outcome& outcome : outcomes.all) loss.atoms.push_back(to_atom(outcome));
  if (loss.atoms.front().loss > loss.atoms.back().loss) {
    std::reverse(loss.atoms.begin(), loss.atoms.end());
  }
  std::vector<LossAtom> merged;  // equal losses: equal ratios, at the ends of Laplace noise
  for (const LossAtom& atom : loss.atoms) {
    if (merged.empty() || merged.back().loss != atom.loss) {
      merged.push_back(atom);
      continue;
    }
    LossAtom& last = merged.back();
    const double top = std::max(last.log_mass, atom.log_mass);
    const double least = std::min(last.log_mass, atom.log_mass);
    last.log_mass = top + portable_log1p(portable_exp(least - top));
  }
  loss.atoms = std::move(merged);
  loss.mass_above = outcomes.cut;
  loss.mass_below = outcomes.cut;
  loss.loss_error = 32.0 * kUnitRoundoff * (1.0 + outcomes.largest);
  loss.weight_error = 64.0 * kUnitRoundoff * (1.0 + outcomes.largest);
  return loss;
}

// ---- Laplace noise ------------------------------------------------------------------------------

// An outcome z in [0, 1] has under R the density e^(-z/b)/(2 b), log u = (2 z - 1)/b and log v = -1/b.
// Below 0, log u = -1/b; above 1, log u = 1/b.
struct LaplaceNoise {
  explicit LaplaceNoise(double scale, double sampling)
      : b(scale),
        q(sampling),
        end(1.0 / scale),
        log_scale(portable_log(2.0 * scale)),
        highest(mixed_log_ratio(sampling, 1.0 / scale)),
        lowest(mixed_log_ratio(sampling, -1.0 / scale)) {}

  double log_reference(double z) const { return -z * end - log_scale; }
  double mixed(double z) const { return mixed_log_ratio(q, (2.0 * z - 1.0) * end); }
  double outcome(double log_ratio) const {
    return 0.5 * (b * unmixed_log_ratio(q, log_ratio) + 1.0);
  }

  double b, q, end, log_scale, highest, lowest;
};

void set_laplace_errors(const LaplaceNoise& noise, PrivacyLoss& loss) {
  loss.loss_error = 32.0 * kUnitRoundoff * (1.0 + noise.end);
  loss.weight_error = 64.0 * kUnitRoundoff * (1.0 + noise.end);
}

LossPiece laplace_piece(const LaplaceNoise& noise, double low, double high) {
  LossPiece piece;
  piece.low = low;
  piece.high = high;
  piece.panel = 0.25 * std::min(1.0, noise.b);
  return piece;
}

PrivacyLoss laplace_poisson(const LaplaceNoise& noise, SamplingDirection direction) {
  const double log_half = -portable_log(2.0);
  PrivacyLoss loss;
  if (direction == SamplingDirection::kRemove) {
    loss.atoms = {{noise.lowest, log_half + noise.lowest},
                  {noise.highest, log_half - noise.end + noise.highest}};
    LossPiece piece = laplace_piece(noise, 0.0, 1.0);
    piece.log_density = [noise](double z) { return noise.log_reference(z) + noise.mixed(z); };
    piece.loss = [noise](double z) { return noise.mixed(z); };
    piece.density_and_loss = [noise](double z) {
      const double l = noise.mixed(z);
      return std::pair{noise.log_reference(z) + l, l};
    };
    piece.outcome = [noise](double l) { return noise.outcome(l); };
    loss.pieces.push_back(std::move(piece));
  } else {  // mirrored, so that the loss increases
    loss.atoms = {{-noise.highest, log_half - noise.end}, {-noise.lowest, log_half}};
    LossPiece piece = laplace_piece(noise, -1.0, 0.0);
    piece.log_density = [noise](double y) { return noise.log_reference(-y); };
    piece.loss = [noise](double y) { return -noise.mixed(-y); };
    piece.outcome = [noise](double l) { return -noise.outcome(-l); };
    loss.pieces.push_back(std::move(piece));
  }
  set_laplace_errors(noise, loss);
  return loss;
}

PrivacyLoss laplace_replaced(const LaplaceNoise& noise) {
  const double log_end = -portable_log(2.0) - noise.end;  // of R beyond 1, and beyond -1
  const double reach = noise.highest - noise.lowest;
  PrivacyLoss loss;
  loss.atoms = {{-reach, log_end + noise.lowest}, {reach, log_end + noise.highest}};
  LossPiece below =
      laplace_piece(noise, -1.0, 0.0);  // the mirror of `above`, with P and Q exchanged
  below.log_density = [noise](double z) { return noise.log_reference(-z) + noise.lowest; };
  below.loss = [noise](double z) { return noise.lowest - noise.mixed(-z); };
  below.outcome = [noise](double l) { return -noise.outcome(noise.lowest - l); };
  LossPiece above = laplace_piece(noise, 0.0, 1.0);
  above.log_density = [noise](double z) { return noise.log_reference(z) + noise.mixed(z); };
  above.loss = [noise](double z) { return noise.mixed(z) - noise.lowest; };
  above.density_and_loss = [noise](double z) {
    const double l = noise.mixed(z);
    return std::pair{noise.log_reference(z) + l, l - noise.lowest};
  };
  above.outcome = [noise](double l) { return noise.outcome(l + noise.lowest); };
  loss.pieces = {std::move(below), std::move(above)};
  set_laplace_errors(noise, loss);
  return loss;
}

// ---- Gaussian noise -----------------------------------------------------------------------------

// The loss at z deviations is odd and increasing: with w = e^(mu z), c = q e^(-mu^2/2) and r = 1 - q,
//   e^l = (r + c w)/(r + c/w),   so   mu z = l/2 + asinh(r sinh(l/2)/c)
PrivacyLoss gaussian_replaced(double sigma, double sampling, double log_tail) {
  const auto [edge, mass] = detail::normal_range(log_tail);
  const double mu = 1.0 / sigma;
  const auto shifted = [=](double z) { return mixed_log_ratio(sampling, mu * (z - 0.5 * mu)); };
  const auto loss = [=](double z) { return shifted(z) - shifted(-z); };
  const double log_rest = portable_log1p(-sampling) - portable_log(sampling) + 0.5 * mu * mu;
  LossPiece piece;
  piece.low = -edge;
  piece.high = edge + mu;
  piece.panel = detail::normal_panel(edge + 2.0 * mu);  // Q is centred at -mu, too
  piece.log_density = [=](double z) { return detail::normal_log_density(z) + shifted(z); };
  piece.loss = loss;
  piece.density_and_loss = [=](double z) {
    const double up = shifted(z);
    return std::pair{detail::normal_log_density(z) + up, up - shifted(-z)};
  };
  piece.outcome = [=](double l) {
    const double half = 0.5 * std::fabs(l);
    // asinh(e^log_rest sinh(half)), by logarithms where the product is large
    const double log_sine =
        half > 0.0 ? half + portable_log(-portable_expm1(-2.0 * half)) - portable_log(2.0)
                   : -std::numeric_limits<double>::infinity();
    const double log_product = log_rest + log_sine;
    double area = 0.0;
    if (log_product > 20.0) {
      area = log_product + portable_log(2.0);  // the next term is below u of it
    } else {
      const double product = portable_exp(log_product);
      area =
          portable_log1p(product + product * product / (1.0 + std::sqrt(1.0 + product * product)));
    }
    return std::copysign((half + area) / mu, l);
  };
  piece.mass_above = [=](double x) {
    return (sampling * detail::upper_tail(x - mu) + (1.0 - sampling) * detail::upper_tail(x)) *
           (1.0 + 1e-12);
  };
  piece.mass_below = detail::lower_tail;
  PrivacyLoss distribution;
  const double largest = std::max(std::fabs(loss(piece.low)), std::fabs(loss(piece.high)));
  distribution.pieces.push_back(std::move(piece));
  distribution.mass_above = mass * (1.0 + 1e-12);
  distribution.mass_below = mass;
  distribution.loss_error = 64.0 * kUnitRoundoff * (largest + mu);
  distribution.weight_error = 32.0 * kUnitRoundoff * (1.0 + largest + mu * edge);
  return distribution;
}

// The total variation of P and R without sampling, times 1 - q, and the mass of R where u = 1.
double mass_at_zero(const AddedNoise& noise, double sampling, const Outcomes& outcomes) {
  const double kept = 1.0 - sampling;
  if (noise.kind == Kind::kGaussian) {
    return kept * -portable_expm1(portable_log(2.0 * normal_ccdf(0.5 / noise.scale)));
  }
  if (noise.kind == Kind::kLaplace) return kept * -portable_expm1(-0.5 / noise.scale);
  double mass = 0.0;
  for (const Outcome& outcome : outcomes.all) {
    const double reference = portable_exp(outcome.log_mass);
    if (outcome.up == 0.0) mass += reference;
    if (outcome.up > 0.0) mass += kept * reference * portable_expm1(outcome.up);
  }
  return mass;
}

}  // namespace

namespace loss_of {

Result<PrivacyLoss> poisson(const AddedNoise& noise, double sampling, SamplingDirection direction,
                            double log_tail) {
  ASSAY_TRY(check_noise(noise, sampling, log_tail));
  if (noise.kind == Kind::kGaussian) {
    return subsampled_gaussian(noise.scale, sampling, direction, log_tail);
  }
  if (noise.kind == Kind::kLaplace) {
    return laplace_poisson(LaplaceNoise(noise.scale, sampling), direction);
  }
  const auto outcomes = ASSAY_TRY(outcomes_of(noise, log_tail));
  return atoms_of(outcomes, [&](const Outcome& outcome) {
    const double ratio = mixed_log_ratio(sampling, outcome.up);
    return direction == SamplingDirection::kRemove ? LossAtom{ratio, outcome.log_mass + ratio}
                                                   // (1)
                                                   : LossAtom{-ratio, outcome.log_mass};  // (2)
  });
}

Result<PrivacyLoss> poisson_replaced(const AddedNoise& noise, double sampling, double log_tail) {
  ASSAY_TRY(check_noise(noise, sampling, log_tail));
  if (noise.kind == Kind::kGaussian) return gaussian_replaced(noise.scale, sampling, log_tail);
  if (noise.kind == Kind::kLaplace) return laplace_replaced(LaplaceNoise(noise.scale, sampling));
  const auto outcomes = ASSAY_TRY(outcomes_of(noise, log_tail));
  return atoms_of(outcomes, [&](const Outcome& outcome) {  // (3)
    const double up = mixed_log_ratio(sampling, outcome.up);
    return LossAtom{up - mixed_log_ratio(sampling, outcome.down), outcome.log_mass + up};
  });
}

Result<PrivacyLoss> fixed_size_replaced(const AddedNoise& noise, double sampling, double log_tail) {
  const auto remove = ASSAY_TRY(poisson(noise, sampling, SamplingDirection::kRemove, log_tail));
  const auto add = ASSAY_TRY(poisson(noise, sampling, SamplingDirection::kAdd, log_tail));
  const bool continuous = noise.kind == Kind::kGaussian || noise.kind == Kind::kLaplace;
  const auto outcomes = continuous ? Outcomes{} : ASSAY_TRY(outcomes_of(noise, log_tail));
  PrivacyLoss hull;  // (4)
  const auto keep = [&](const PrivacyLoss& from, bool above) {
    for (const LossAtom& atom : from.atoms) {
      if (above ? atom.loss > 0.0 : atom.loss < 0.0) hull.atoms.push_back(atom);
    }
    for (LossPiece piece : from.pieces) {
      const double zero = std::clamp(piece.outcome(0.0), piece.low, piece.high);
      (above ? piece.low : piece.high) = zero;
      (above ? piece.mass_below : piece.mass_above) = {};
      if (piece.low < piece.high) hull.pieces.push_back(std::move(piece));
    }
  };
  keep(add, false);
  hull.atoms.push_back({0.0, portable_log(mass_at_zero(noise, sampling, outcomes))});
  keep(remove, true);
  hull.mass_above = remove.mass_above;
  hull.mass_below = add.mass_below;
  hull.loss_error = std::max(remove.loss_error, add.loss_error);
  // A total variation near 0 is a difference from 1: right to a few u of the noise's own scale.
  hull.weight_error =
      std::max(remove.weight_error, add.weight_error) + 64.0 * kUnitRoundoff * (1.0 + noise.scale);
  return hull;
}

Result<PrivacyLoss> added(const AddedNoise& noise, double log_tail) {
  switch (noise.kind) {
    case Kind::kGaussian:
      return gaussian(noise.scale, log_tail);
    case Kind::kLaplace:
      return laplace(noise.scale);
    case Kind::kDiscreteGaussian:
      return discrete_gaussian(noise.scale, noise.shift, log_tail);
    case Kind::kDiscreteLaplace:
      break;
  }
  return discrete_laplace(noise.scale, noise.shift);
}

PrivacyLoss opposed(const PrivacyLoss& remove, const PrivacyLoss& add) {
  // From the largest u with the smallest v on, each from the end at which its small masses are right to a few u of
  // themselves. What is left of an atom is right to a few u of the whole atom, so that all pieces together are the atoms
  // with relative errors of n u.
  PrivacyLoss loss;
  loss.mass_above = remove.mass_at_infinity + remove.mass_above;
  double largest = 1.0;
  std::size_t up = remove.atoms.size(), down = add.atoms.size();
  double left_up = 0.0;
  double left_down = add.mass_at_infinity + add.mass_above;  // of v = 0
  bool is_zero = true;
  while (true) {
    while (left_up <= 0.0 && up > 0) {
      const LossAtom& atom = remove.atoms[--up];
      left_up = portable_exp(atom.log_mass - atom.loss);
    }
    while (left_down <= 0.0 && down > 0) {
      left_down = portable_exp(add.atoms[--down].log_mass);
      is_zero = false;
    }
    if (left_up <= 0.0) break;
    const double mass = left_down > 0.0 ? std::min(left_up, left_down) : left_up;
    const double u = remove.atoms[up].loss;
    const double log_mass = portable_log(mass) + u;
    if (is_zero) {
      loss.mass_above += portable_exp(log_mass) * (1.0 + 1e-9);
    } else {
      loss.atoms.push_back({u + add.atoms[down].loss, log_mass});  // (6)
      largest =
          std::max({largest, std::fabs(u), std::fabs(add.atoms[down].loss), std::fabs(log_mass)});
    }
    left_up -= mass;
    left_down -= mass;
  }
  std::reverse(loss.atoms.begin(), loss.atoms.end());
  loss.mass_below = remove.mass_below;
  loss.loss_error = remove.loss_error + add.loss_error + 4.0 * kUnitRoundoff * largest;
  loss.weight_error = remove.weight_error + add.weight_error +
                      16.0 * kUnitRoundoff *
                          (largest + static_cast<double>(remove.atoms.size() + add.atoms.size()));
  return loss;
}

PrivacyLoss flagged(const PrivacyLoss& first, const PrivacyLoss& second, double weight,
                    double weight_error) {
  PrivacyLoss both;
  for (const auto& [part, part_share] :
       {std::pair{&first, 1.0 - weight}, std::pair{&second, weight}}) {
    const double share = part_share;
    if (share <= 0.0) continue;
    const double log_share = portable_log(share);
    for (LossAtom atom : part->atoms) {
      atom.log_mass += log_share;
      both.atoms.push_back(atom);
    }
    for (LossPiece piece : part->pieces) {
      piece.log_density = [log_density = piece.log_density, log_share](double x) {
        return log_density(x) + log_share;
      };
      if (piece.density_and_loss) {
        piece.density_and_loss = [whole = piece.density_and_loss, log_share](double x) {
          auto both_of = whole(x);
          both_of.first += log_share;
          return both_of;
        };
      }
      if (piece.densities) {
        piece.densities = [densities = piece.densities, share](const double* x, std::size_t n,
                                                               double* p, double* q) {
          densities(x, n, p, q);
          for (std::size_t i = 0; i < n; ++i) {
            p[i] *= share;
            q[i] *= share;
          }
        };
      }
      for (auto* bound : {&piece.mass_above, &piece.mass_below}) {
        if (!*bound) continue;
        *bound = [whole = *bound, most = share * (1.0 + weight_error + 0x1p-50)](double x) {
          return whole(x) * most;
        };
      }
      both.pieces.push_back(std::move(piece));
    }
    both.mass_at_infinity += part->mass_at_infinity * share * (1.0 - weight_error - 0x1p-50);
    both.mass_above +=
        part->mass_above + part->mass_at_infinity * share * 2.0 * (weight_error + 0x1p-50);
    both.mass_below += part->mass_below;
    both.loss_error = std::max(both.loss_error, part->loss_error);
    both.weight_error =
        std::max(both.weight_error,
                 part->weight_error + 8.0 * kUnitRoundoff * (1.0 - log_share) + weight_error);
  }
  std::sort(both.atoms.begin(), both.atoms.end(),
            [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  return both;
}

}  // namespace loss_of
}  // namespace assay
