#include "assay/mechanisms/accounting/pld/internal/ratio_lattice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "assay/mechanisms/accounting/pld/internal/panel_rule.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

constexpr double kOutside = 40.0;  // e^-40 of the tilted mass may lie outside the window at either end
constexpr double kTiny = 1e-280;   // masses below have lost digits

// Masses of R and P over some outcomes, with a bound on the relative errors of both.
struct Masses {
  double r = 0.0;
  double p = 0.0;
  double error = 0.0;
};

double relative_error(const PrivacyLoss& base, double largest_log, double roundings) {
  return base.weight_error + 2.0 * base.loss_error +
         4.0 * kUnitRoundoff * (4.0 + largest_log + roundings);
}

Masses masses_between(const PrivacyLoss& base, const LossPiece& piece, double low, double high) {
  Masses sum;
  if (!(low < high)) return sum;
  double largest_log = 0.0;
  const auto [radius, panels] = visit_panels(piece, low, high, [&](double x, double share) {
    const double log_p = piece.log_density(x);
    const double loss = piece.loss(x);
    sum.p += share * portable_exp(log_p);
    sum.r += share * portable_exp(log_p - loss);
    largest_log = std::max(largest_log, std::fabs(log_p) + 2.0 * std::fabs(loss));
  });
  sum.p *= radius;
  sum.r *= radius;
  sum.error = relative_error(base, largest_log, 2.0 * panels);
  return sum;
}

Masses masses_of(const PrivacyLoss& base, const LossAtom& atom) {
  return {portable_exp(atom.log_mass - atom.loss), portable_exp(atom.log_mass),
          relative_error(base, std::fabs(atom.log_mass) + 2.0 * std::fabs(atom.loss), 0.0)};
}

double least_loss(const PrivacyLoss& base) {
  double least = kInfinity;
  for (const LossAtom& atom : base.atoms) least = std::min(least, atom.loss);
  for (const LossPiece& piece : base.pieces) least = std::min(least, piece.loss(piece.low));
  return least;
}

double greatest_loss(const PrivacyLoss& base) {
  double greatest = -kInfinity;
  for (const LossAtom& atom : base.atoms) greatest = std::max(greatest, atom.loss);
  for (const LossPiece& piece : base.pieces) {
    greatest = std::max(greatest, piece.loss(piece.high));
  }
  return greatest;
}

// The outcome at which a piece passes a loss.
double outcome_at(const LossPiece& piece, double loss) {
  if (loss >= piece.loss(piece.high)) return piece.high;
  if (loss <= piece.loss(piece.low)) return piece.low;
  return std::clamp(piece.outcome(loss), piece.low, piece.high);
}

struct PlacedMass {
  double place;  // in steps
  double mass;
};

// Joins masses to groups whose means are whole places: a contraction. Masses arrive by increasing places, or by decreasing
// ones (direction -1). A group aims at the first whole place beyond its first mass and ends where its mean is there, in
// general within a mass, of which the rest begins the next group.
class Contraction {
 public:
  Contraction(std::vector<double>& masses, double direction)
      : masses_(masses), direction_(direction) {}

  void feed(double place, double mass) {
    while (mass > 0.0) {
      if (mass_ == 0.0) {
        target_ = direction_ > 0.0 ? std::ceil(place) : std::floor(place);
        members_ = 0;
      }
      const double beyond = direction_ * (place - target_);
      const double wanted = beyond > 0.0 ? std::max(-moment_ / beyond, 0.0) : mass;
      if (wanted >= mass && !(mass_ == 0.0 && beyond == 0.0)) {
        mass_ += mass;
        moment_ += mass * beyond;
        most_members_ = std::max(most_members_, ++members_);
        return;
      }
      masses_[static_cast<std::size_t>(target_)] += mass_ + std::min(wanted, mass);
      mass_ = moment_ = 0.0;
      mass -= std::min(wanted, mass);
    }
  }

  // What has joined no group that is complete.
  PlacedMass rest() const {
    return {mass_ > 0.0 ? target_ + direction_ * moment_ / mass_ : 0.0, mass_};
  }
  double most_members() const { return static_cast<double>(most_members_); }

 private:
  std::vector<double>& masses_;
  double direction_;
  double target_ = 0.0;
  double mass_ = 0.0;
  double moment_ = 0.0;  // about the target, at most 0
  std::int64_t members_ = 0;
  std::int64_t most_members_ = 0;
};

// Puts a mass at a whole place next to it, with as much mass from the other side as keeps the mean; or, where there is
// none, rounded.
void place_rest(std::vector<double>& masses, const PlacedMass& rest, bool rounds_down) {
  if (rest.mass == 0.0) return;
  const double floor = std::floor(rest.place);
  const auto below = static_cast<std::size_t>(floor);
  const double above = rest.place - floor;
  if (above == 0.0) {
    masses[below] += rest.mass;
    return;
  }
  const auto take_from_below = [&] {
    for (std::size_t k = below; k-- > 0;) {
      const double taken = rest.mass * above / static_cast<double>(below - k);
      if (masses[k] < taken) continue;
      masses[k] -= taken;
      masses[below] += rest.mass + taken;
      return true;
    }
    return false;
  };
  const auto take_from_above = [&] {
    for (std::size_t k = below + 2; k < masses.size(); ++k) {
      const double taken = rest.mass * (1.0 - above) / static_cast<double>(k - below - 1);
      if (masses[k] < taken) continue;
      masses[k] -= taken;
      masses[below + 1] += rest.mass + taken;
      return true;
    }
    return false;
  };
  const bool is_done = above <= 0.5 ? take_from_below() || take_from_above()
                                    : take_from_above() || take_from_below();
  if (!is_done) masses[rounds_down ? below : below + 1] += rest.mass;
}

// Adds up the masses of one ratio on its lattice.
class LatticeFiller {
 public:
  LatticeFiller(const PrivacyLoss& base, const RatioCut& cut, double step,
                SamplingDirection direction)
      : base_(base), cut_(cut), step_(step), is_add_(direction == SamplingDirection::kAdd) {
    const auto top = static_cast<std::size_t>(std::ceil(portable_exp(cut.log_largest) / step));
    upper_.resize(top + 2);
  }

  void add_atoms() {
    for (const LossAtom& atom : base_.atoms) {
      if (atom.loss > cut_.log_largest) continue;
      add(cell_of_loss(atom.loss), masses_of(base_, atom));
    }
  }

  void add_pieces() {
    for (const LossPiece& piece : base_.pieces) {
      const double end = outcome_at(piece, cut_.log_largest);
      std::size_t half = 2 * cell_of_loss(piece.loss(piece.low));
      for (double edge = piece.low; edge < end; ++half) {
        const double largest = 0.5 * static_cast<double>(half + 1) * step_;
        const double limit = half + 1 >= 2 * upper_.size() - 2
                                 ? end
                                 : std::clamp(outcome_at(piece, portable_log(largest)), edge, end);
        add(half / 2, masses_between(base_, piece, edge, limit));
        edge = limit;
      }
    }
  }

  RatioLattice finish() {
    const double rounding =
        kUnitRoundoff * static_cast<double>(base_.atoms.size() + 4 * base_.pieces.size() + 16);
    const double lowest = least_loss(base_);
    const double rest = (1.0 - total_r_) + lost_r_;
    const double rest_error = total_error_ + 8.0 * kUnitRoundoff;
    // The rest of R has x <= e^lowest: to both ends of the lattice cell around that, and at least as much.
    upper_[0] += std::max(rest - cut_.r_above * (1.0 - 1e-9) + rest_error, 0.0);
    const double end = std::max(std::ceil(portable_exp(lowest) / step_), 1.0);
    upper_[static_cast<std::size_t>(end)] += base_.mass_below / (end * step_) * (1.0 + 1e-12);
    // f decreases: what is cut off moves down.
    if (is_add_) upper_[upper_.size() - 3] += cut_.r_above * (1.0 + 1e-9);
    for (double& mass : upper_) mass *= 1.0 + 2.0 * rounding;
    const double low_rest = rest - cut_.r_above * (1.0 + 1e-9) - rest_error;
    if (low_rest > 0.0) {  // rounded up for kAdd
      const double place =
          is_add_ && base_.mass_below > 0.0 ? portable_exp(lowest) / step_ : 0.0;
      places_.push_back({place, low_rest});
    }
    return contracted();
  }

 private:
  std::size_t cell_of_loss(double loss) const {
    const double cell = std::floor(portable_exp(loss) / step_);
    return std::min(static_cast<std::size_t>(cell), upper_.size() - 2);
  }

  void add(std::size_t cell, const Masses& masses) {
    if (masses.r < kTiny) {
      upper_[cell] += kTiny;
      upper_[cell + 1] += kTiny;
      return;
    }
    const auto place = static_cast<double>(cell);
    const double r = masses.r;
    const double up = std::clamp(masses.p / step_ - place * r, 0.0, r);
    const double slack = 2.0 * (masses.error + 4.0 * kUnitRoundoff) * (place + 1.0) * r;
    upper_[cell] += r - up + slack + masses.error * r;
    upper_[cell + 1] += up + slack;
    const double sum = total_r_ + (r - lost_r_);  // compensated
    lost_r_ = (sum - total_r_) - (r - lost_r_);
    total_r_ = sum;
    total_error_ += masses.error * r;
    largest_error_ = std::max(largest_error_, masses.error);
    places_.push_back({std::clamp(masses.p / step_ / r, place, place + 1.0),
                       r * (1.0 - masses.error - 4.0 * kUnitRoundoff)});
  }

  RatioLattice contracted() {
    RatioLattice lattice;
    lattice.step = step_;
    std::vector<double> lower(upper_.size());
    const auto is_lower = [](const PlacedMass& a, const PlacedMass& b) { return a.place < b.place; };
    if (!std::is_sorted(places_.begin(), places_.end(), is_lower)) {
      std::sort(places_.begin(), places_.end(), is_lower);
    }
    // From both ends to the mode: where masses grow, the borders of the groups settle.
    const auto mode = static_cast<std::size_t>(
        std::max_element(
            places_.begin(), places_.end(),
            [](const PlacedMass& a, const PlacedMass& b) { return a.mass < b.mass; }) -
        places_.begin());
    Contraction rising(lower, 1.0), falling(lower, -1.0);
    for (std::size_t i = 0; i <= mode; ++i) rising.feed(places_[i].place, places_[i].mass);
    for (std::size_t i = places_.size(); i-- > mode + 1;) {
      falling.feed(places_[i].place, places_[i].mass);
    }
    falling.feed(rising.rest().place, rising.rest().mass);
    place_rest(lower, falling.rest(), !is_add_);
    const double rounding = kUnitRoundoff * (rising.most_members() + falling.most_members() + 8.0);
    for (double& mass : lower) mass *= 1.0 - 2.0 * rounding;
    lattice.lower = std::move(lower);
    lattice.upper = std::move(upper_);
    const double largest = std::max(std::fabs(least_loss(base_)), std::fabs(cut_.log_largest));
    lattice.loss_error = 2.0 * base_.loss_error + 2.0 * largest_error_ + 4.0 * rounding +
                         16.0 * kUnitRoundoff * (1.0 + largest);
    return lattice;
  }

  const PrivacyLoss& base_;
  const RatioCut& cut_;
  double step_;
  bool is_add_;
  std::vector<double> upper_;
  std::vector<PlacedMass> places_;
  double total_r_ = 0.0;
  double lost_r_ = 0.0;  // of its roundings
  double total_error_ = 0.0;
  double largest_error_ = 0.0;
};

// An upper bound on log E e^(slope x) of both sides.
double log_moment_of(const RatioLattice& lattice, double slope) {
  const double ratio = portable_exp(slope * lattice.step);
  double lower = 0.0, upper = 0.0, factor = 1.0;
  for (std::size_t i = 0; i < lattice.upper.size(); ++i) {
    lower += lattice.lower[i] * factor;
    upper += lattice.upper[i] * factor;
    factor *= ratio;
  }
  const auto size = static_cast<double>(lattice.upper.size());
  return portable_log(std::max(lower, upper) + 1e-290) + 6.0 * kUnitRoundoff * (size + 4.0);
}

// The slopes that every moment below can take: e^(slope x) does not overflow.
bool is_usable(double slope, double largest) { return slope * largest <= 600.0; }

// Chernoff bounds from the moments at the tilt and at other slopes.
SumRange range_from(std::span<const double> tilts, std::span<const double> tilt_moments,
                    std::span<const double> slopes, std::span<const double> slope_moments,
                    double count) {
  SumRange range{kInfinity, 0.0};
  for (std::size_t i = 0; i < tilts.size(); ++i) {
    double high = kInfinity, low = 0.0;
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      const double distance = slopes[j] - tilts[i];
      const double exponent = count * (slope_moments[j] - tilt_moments[i]) + kOutside;
      if (distance > 0.0) high = std::min(high, exponent / distance);
      if (distance < 0.0) low = std::max(low, exponent / distance);
    }
    range.high = std::max(range.high, high);
    range.low = std::min(range.low, low);
  }
  return range;
}

struct AllocationComplex {
  double re;
  double im;
};

AllocationComplex product(AllocationComplex x, AllocationComplex y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

AllocationComplex whole_power(AllocationComplex base, std::int64_t exponent) {
  AllocationComplex result{1.0, 0.0};
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = product(result, base);
    if (exponent > 1) base = product(base, base);
  }
  return result;
}

// Both sides to a power in place, lower + i upper, and the sums for the error of the result, pointwise.
struct RaisedSpectrum {
  double growth_squares = 0.0;  // of the sum of t (|V| + e)^(t - 1), lower, and upper
  double other_growth_squares = 0.0;
  double magnitudes = 0.0;  // |V|^t of both
  double squares = 0.0;
};

RaisedSpectrum raise_both(std::vector<double>& re, std::vector<double>& im, std::int64_t count,
                          double noise) {
  RaisedSpectrum sums;
  const auto t = static_cast<double>(count);
  for (std::size_t k = 0; k < re.size(); ++k) {
    const std::size_t p = Fft::partner(k);
    if (p < k) continue;
    const double times = p == k ? 1.0 : 2.0;
    AllocationComplex sides[2] = {{0.5 * (re[k] + re[p]), 0.5 * (im[k] - im[p])},
                                  {0.5 * (im[k] + im[p]), 0.5 * (re[p] - re[k])}};
    for (int side = 0; side < 2; ++side) {
      AllocationComplex& v = sides[side];
      const double size = std::sqrt(v.re * v.re + v.im * v.im);
      const double log_growth = (t - 1.0) * portable_log(size + noise);
      if (log_growth < -150.0) {  // nothing: e^-150 at most, with its error
        v = {0.0, 0.0};
        continue;
      }
      const double growth = portable_exp(log_growth);
      (side == 0 ? sums.growth_squares : sums.other_growth_squares) += times * growth * growth;
      sums.magnitudes += times * growth * size;
      sums.squares += times * growth * size * growth * size;
      v = whole_power(v, count);
    }
    re[k] = sides[0].re - sides[1].im;
    im[k] = sides[0].im + sides[1].re;
    re[p] = sides[0].re + sides[1].im;
    im[p] = sides[1].re - sides[0].im;
  }
  return sums;
}

// Improves the bounds of `sum` by one transform of the measure tilted to e^(tilt x - log_scale) times itself.
void add_tilt(const RatioLattice& lattice, std::int64_t count, double tilt, double log_scale,
              const Fft& fft, RatioSum& sum) {
  const auto t = static_cast<double>(count);
  const std::size_t size = fft.size();
  const double root = std::sqrt(static_cast<double>(size));
  std::vector<double> re(size), im(size);
  for (std::size_t i = 0; i < lattice.upper.size(); ++i) {
    const double factor =
        portable_exp(tilt * (static_cast<double>(i) * lattice.step) - log_scale);
    re[i & (size - 1)] += lattice.lower[i] * factor;
    im[i & (size - 1)] += lattice.upper[i] * factor;
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < size; ++i) squares += re[i] * re[i] + im[i] * im[i];
  const double norm = std::sqrt(squares) * (1.0 + 1e-9);
  const double largest = static_cast<double>(lattice.upper.size()) * lattice.step;
  const double input_error = 4.0 * kUnitRoundoff * (4.0 + std::fabs(tilt) * largest + std::fabs(log_scale));

  fft.forward(re, im);
  const double noise = (fft.relative_error() + 4.0 * kUnitRoundoff) * root * norm;
  const RaisedSpectrum raised = raise_both(re, im, count, noise);
  const double spectrum_l2 = std::sqrt(raised.squares);
  fft.inverse(re, im);
  const double forward = t * noise * (std::sqrt(raised.growth_squares) + std::sqrt(raised.other_growth_squares));
  const double products = (1.01 * t * kComplexProductError + 4.0 * kUnitRoundoff) * raised.magnitudes;
  const double inverse_size = 1.0 / static_cast<double>(size);
  const double error = (1.0 + 1e-6) * ((forward + products) * inverse_size +
                                       fft.relative_error() * spectrum_l2 / root) +
                       1e-60;
  const double outside = 2.1 * portable_exp(-kOutside);
  const double relative = 2.0 * t * input_error;
  for (std::size_t i = 0; i < sum.upper.size(); ++i) {
    const std::int64_t index = sum.first + static_cast<std::int64_t>(i);
    const std::size_t place = static_cast<std::size_t>(index) & (size - 1);
    const double exponent = tilt * (static_cast<double>(index) * lattice.step);
    const double scale = portable_exp(std::min(t * log_scale - exponent, 700.0));
    const double slack =
        relative + 8.0 * kUnitRoundoff * (2.0 + std::fabs(t * log_scale) + std::fabs(exponent));
    const double high = std::max(im[place] * inverse_size + error, 0.0) * scale * (1.0 + slack);
    const double low = (re[place] * inverse_size - error - outside) * scale * (1.0 - slack);
    sum.upper[i] = std::min(sum.upper[i], high);
    sum.lower[i] = std::max(sum.lower[i], low);
  }
}

}  // namespace

std::vector<RatioLayer> ratio_layers(const PrivacyLoss& base) {
  std::vector<RatioLayer> layers;
  for (const LossAtom& atom : base.atoms) {
    const Masses masses = masses_of(base, atom);
    layers.push_back({atom.loss, masses.r, masses.p});
  }
  for (const LossPiece& piece : base.pieces) {
    const double panels = std::ceil((piece.high - piece.low) / piece.panel);
    const double width = (piece.high - piece.low) / panels;
    for (double k = 0.0; k < panels; k += 1.0) {
      const double low = piece.low + k * width;
      const double high = k + 1.0 == panels ? piece.high : low + width;
      const Masses masses = masses_between(base, piece, low, high);
      layers.push_back({piece.loss(high), masses.r, masses.p});
    }
  }
  std::sort(layers.begin(), layers.end(), [](const RatioLayer& a, const RatioLayer& b) {
    return a.largest_loss < b.largest_loss;
  });
  return layers;
}

RatioCut cut_of(const PrivacyLoss& base, const std::vector<RatioLayer>& layers, double repeats,
                double most, SamplingDirection direction) {
  const bool is_add = direction == SamplingDirection::kAdd;
  const double beyond = portable_exp(-greatest_loss(base)) * base.mass_above;
  double r = beyond, p = base.mass_above;
  std::size_t end = layers.size();
  for (; end > 1; --end) {
    const RatioLayer& layer = layers[end - 1];
    const double next = repeats * (r + layer.r) + (is_add ? 0.0 : p + layer.p);
    if (next > most) break;
    r += layer.r;
    p += layer.p;
  }
  RatioCut cut{layers[end - 1].largest_loss, beyond, base.mass_above + base.mass_at_infinity};
  // Again, for what really lies beyond the cut.
  for (const LossAtom& atom : base.atoms) {
    if (atom.loss <= cut.log_largest) continue;
    const Masses masses = masses_of(base, atom);
    cut.r_above += masses.r;
    cut.p_above += masses.p;
  }
  for (const LossPiece& piece : base.pieces) {
    const Masses masses =
        masses_between(base, piece, outcome_at(piece, cut.log_largest), piece.high);
    cut.r_above += masses.r;
    cut.p_above += masses.p;
  }
  cut.r_above *= 1.0 + 1e-10;
  cut.p_above *= 1.0 + 1e-10;
  return cut;
}

RatioLattice ratio_lattice(const PrivacyLoss& base, const RatioCut& cut, double step,
                           SamplingDirection direction) {
  LatticeFiller filler(base, cut, step, direction);
  filler.add_atoms();
  filler.add_pieces();
  return filler.finish();
}

LogMoment log_moment(std::span<const RatioLayer> layers, double log_largest, double slope) {
  double mass = 0.0, first = 0.0, second = 0.0;
  for (const RatioLayer& layer : layers) {
    if (layer.largest_loss > log_largest || layer.r < kTiny) continue;
    const double x = layer.p / layer.r;
    const double weight = layer.r * portable_exp(std::min(slope * x, 650.0));
    mass += weight;
    first += weight * x;
    second += weight * x * x;
  }
  const double mean = first / mass;
  return {portable_log(mass), mean, std::max(second / mass - mean * mean, 0.0)};
}

SumRange range_of(std::span<const RatioLayer> layers, double log_largest, std::int64_t count,
                  std::span<const double> tilts, std::span<const double> slopes) {
  std::vector<double> tilt_moments, slope_moments;
  const auto moment = [&](double slope) { return log_moment(layers, log_largest, slope).value; };
  for (const double tilt : tilts) tilt_moments.push_back(moment(tilt));
  for (const double slope : slopes) slope_moments.push_back(moment(slope));
  return range_from(tilts, tilt_moments, slopes, slope_moments, static_cast<double>(count));
}

Result<RatioSum> sum_of(const RatioLattice& lattice, std::int64_t count,
                        std::span<const double> tilts, std::span<const double> slopes,
                        FftPlans& plans, std::int64_t max_points,
                        const std::atomic<bool>* cancel) {
  const auto t = static_cast<double>(count);
  const auto top = static_cast<std::int64_t>(lattice.upper.size()) - 1;
  const double largest = static_cast<double>(top) * lattice.step;
  std::vector<double> usable, tilt_moments, slope_moments;
  for (const double tilt : tilts) tilt_moments.push_back(log_moment_of(lattice, tilt));
  for (const double slope : slopes) {
    if (!is_usable(slope, largest)) continue;
    usable.push_back(slope);
    slope_moments.push_back(log_moment_of(lattice, slope));
  }
  const SumRange range = range_from(tilts, tilt_moments, usable, slope_moments, t);
  // The whole range if that is shorter; count * top may exceed what a double counts, but then it is not.
  const double whole = t * static_cast<double>(top);
  RatioSum sum;
  sum.first = std::max(static_cast<std::int64_t>(std::floor(range.low / lattice.step)),
                       std::int64_t{0});
  const double last = std::min(std::ceil(range.high / lattice.step), whole);
  const double wanted = last - static_cast<double>(sum.first) + 1.0;
  if (!(wanted <= static_cast<double>(max_points))) {
    return fail(ErrorCode::kLimit,
                "the sum of the likelihood ratios needs " + number_text(wanted) +
                    " points, more than max_points = " + std::to_string(max_points),
                "/max_points");
  }
  const std::size_t size = std::bit_ceil(static_cast<std::size_t>(wanted));
  const auto length = static_cast<std::size_t>(
      std::min(static_cast<double>(size), whole - static_cast<double>(sum.first) + 1.0));
  sum.lower.assign(length, 0.0);
  sum.upper.assign(length, kInfinity);
  sum.below = sum.above = kInfinity;
  const Fft& fft = plans.of_size(size);
  for (std::size_t i = 0; i < tilts.size(); ++i) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
      return fail(ErrorCode::kInterrupted, "interrupted while adding likelihood ratios");
    }
    add_tilt(lattice, count, tilts[i], tilt_moments[i], fft, sum);
    const double low = static_cast<double>(sum.first) * lattice.step;
    const double high = low + static_cast<double>(length) * lattice.step;
    const double log_outside = t * tilt_moments[i] - kOutside + 1e-6;
    if (tilts[i] >= 0.0) {
      sum.above = std::min(sum.above, portable_exp(std::min(log_outside - tilts[i] * high, 700.0)));
    }
    if (tilts[i] <= 0.0) {
      sum.below = std::min(sum.below, portable_exp(std::min(log_outside - tilts[i] * low, 700.0)));
    }
  }
  if (sum.first == 0) sum.below = 0.0;
  if (static_cast<double>(sum.first) + static_cast<double>(length) > whole) sum.above = 0.0;
  return sum;
}

}  // namespace assay::detail
