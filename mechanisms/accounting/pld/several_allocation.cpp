// Random allocation of a record to several batches: compositions from above, a statistic from below.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/allocation_loss.hpp"
#include "assay/mechanisms/accounting/pld/internal/ratio_sum.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// ---- from above: draws of one batch of a part each, composed ---------------------------------------

constexpr std::int64_t kLatticeCells = 4096;
constexpr double kTrimmed = 1e-9;  // of delta at the top, of the mass at the bottom

// P-masses at multiples of a step. The masses of Q are those times e^-loss.
struct LossLattice {
  double step = 0.0;
  std::int64_t lowest = 0;
  std::vector<double> mass;
  double infinite = 0.0;
  double error = 0.0;       // relative, of masses
  double loss_error = 0.0;  // absolute
};

// Adds a mass at a loss of a lattice point and a part of the step, so that both distributions keep their masses.
void add_between(std::vector<double>& masses, std::size_t cell, double part, double step,
                 double mass) {
  const double up = std::min(mass * (portable_expm1(-part) / portable_expm1(-step)), mass);
  const double slack = 16.0 * kUnitRoundoff * mass;
  masses[cell] += mass - up + slack;
  masses[cell + 1] += up + slack;
}

// Little mass at the top becomes infinite loss, and at the bottom moves up.
void trim(LossLattice& lattice, double top, double bottom) {
  std::size_t end = lattice.mass.size(), begin = 0;
  double above = 0.0, below = 0.0;
  while (end > 1 && above + lattice.mass[end - 1] <= top) above += lattice.mass[--end];
  while (begin + 1 < end && below + lattice.mass[begin] <= bottom) below += lattice.mass[begin++];
  lattice.infinite += above * (1.0 + 1e-9);
  lattice.mass.resize(end);
  lattice.mass.erase(lattice.mass.begin(),
                     lattice.mass.begin() + static_cast<std::ptrdiff_t>(begin));
  lattice.mass.front() += below;
  lattice.lowest += static_cast<std::int64_t>(begin);
}

LossLattice lattice_of_losses(const PrivacyLoss& loss, double delta) {
  // The range of losses that matter.
  std::size_t end = loss.atoms.size(), begin = 0;
  double above = 0.0, below = 0.0;
  const auto mass_at = [&](std::size_t i) { return portable_exp(loss.atoms[i].log_mass); };
  while (end > 1 && (above += mass_at(end - 1)) <= kTrimmed * delta) --end;
  while (begin + 1 < end && (below += mass_at(begin)) <= kTrimmed) ++begin;
  const double low = loss.atoms[begin].loss, high = loss.atoms[end - 1].loss;
  LossLattice lattice;
  int exponent = 0;  // a power of two, so that all lattices have common points
  std::frexp(std::max(high - low, 1e-9) / static_cast<double>(kLatticeCells), &exponent);
  lattice.step = std::ldexp(1.0, exponent);
  lattice.lowest = static_cast<std::int64_t>(std::floor(low / lattice.step)) - 1;
  lattice.mass.resize(static_cast<std::size_t>(kLatticeCells) + 8);
  lattice.infinite = loss.mass_at_infinity + loss.mass_above;
  double largest = 1.0;
  for (const LossAtom& atom : loss.atoms) {
    const double place = atom.loss / lattice.step - static_cast<double>(lattice.lowest);
    const double cell = std::max(std::floor(place), 0.0);
    if (cell + 1.0 >= static_cast<double>(lattice.mass.size())) {
      lattice.infinite += portable_exp(atom.log_mass) * (1.0 + 1e-9);
      continue;
    }
    add_between(lattice.mass, static_cast<std::size_t>(cell),
                std::clamp((place - cell) * lattice.step, 0.0, lattice.step), lattice.step,
                portable_exp(atom.log_mass));
    largest = std::max({largest, std::fabs(atom.loss), std::fabs(atom.log_mass)});
  }
  lattice.mass.front() += loss.mass_below;
  lattice.error = loss.weight_error +
                  kUnitRoundoff * (8.0 * largest + static_cast<double>(loss.atoms.size()) + 32.0);
  lattice.loss_error =
      loss.loss_error +
      16.0 * kUnitRoundoff * (largest + static_cast<double>(kLatticeCells) * lattice.step);
  return lattice;
}

LossLattice coarser(const LossLattice& fine) {
  LossLattice lattice = fine;
  lattice.step = 2.0 * fine.step;
  lattice.lowest = (fine.lowest - (fine.lowest & 1)) / 2;
  lattice.mass.assign(fine.mass.size() / 2 + 3, 0.0);
  for (std::size_t i = 0; i < fine.mass.size(); ++i) {
    const std::int64_t place = fine.lowest + static_cast<std::int64_t>(i) - 2 * lattice.lowest;
    const auto cell = static_cast<std::size_t>(place / 2);
    if ((place & 1) == 0) {
      lattice.mass[cell] += fine.mass[i];
    } else {
      add_between(lattice.mass, cell, fine.step, lattice.step, fine.mass[i]);
    }
  }
  lattice.error += 16.0 * kUnitRoundoff;
  return lattice;
}

std::vector<double> convolved_sums(const std::vector<double>& a, const std::vector<double>& b,
                                   std::size_t most) {
  std::vector<double> sum(std::min(a.size() + b.size() - 1, most));
  for (std::size_t i = 0; i < std::min(a.size(), sum.size()); ++i) {
    const double weight = a[i];
    if (weight == 0.0) continue;
    const std::size_t end = std::min(b.size(), sum.size() - i);
    for (std::size_t j = 0; j < end; ++j) sum[i + j] += weight * b[j];
  }
  return sum;
}

LossLattice composed_lattices(LossLattice a, LossLattice b, double delta) {
  while (a.step < b.step) a = coarser(a);
  while (b.step < a.step) b = coarser(b);
  LossLattice sum;
  sum.step = a.step;
  sum.lowest = a.lowest + b.lowest;
  sum.mass = convolved_sums(a.mass, b.mass, a.mass.size() + b.mass.size());
  sum.infinite = a.infinite + b.infinite;
  sum.error = a.error + b.error +
              kUnitRoundoff * (static_cast<double>(std::min(a.mass.size(), b.mass.size())) + 8.0);
  sum.loss_error = a.loss_error + b.loss_error;
  trim(sum, kTrimmed * delta, kTrimmed);
  while (sum.mass.size() > 2 * static_cast<std::size_t>(kLatticeCells)) sum = coarser(sum);
  return sum;
}

template <class Value, class Multiply>
Value power_of(const Value& one, std::int64_t count, const Multiply& multiply) {
  Value power = one;
  int bit = 62;
  while ((count >> bit & 1) == 0) --bit;
  for (--bit; bit >= 0; --bit) {
    power = multiply(power, power);
    if ((count >> bit & 1) != 0) power = multiply(power, one);
  }
  return power;
}

PrivacyLoss to_loss(const LossLattice& lattice) {
  PrivacyLoss loss;
  double largest = 1.0;
  for (std::size_t i = 0; i < lattice.mass.size(); ++i) {
    if (!(lattice.mass[i] > 0.0)) continue;
    const double at =
        static_cast<double>(lattice.lowest + static_cast<std::int64_t>(i)) * lattice.step;
    loss.atoms.push_back({at, portable_log(lattice.mass[i])});
    largest = std::max({largest, std::fabs(at), std::fabs(loss.atoms.back().log_mass)});
  }
  loss.mass_above = std::min(lattice.infinite * (1.0 + 1e-9), 1.0);
  loss.weight_error = lattice.error + 16.0 * kUnitRoundoff * largest;
  loss.loss_error = lattice.loss_error + 4.0 * kUnitRoundoff * largest;
  return loss;
}

// ---- from below: the sum of a label of each batch --------------------------------------------------

constexpr double kLabelCells = 2048.0;

// Masses of sums of labels, from above or from below.
struct LabelSums {
  std::int64_t lowest = 0;
  std::vector<double> mass;
  double lost = 0.0;   // of masses at the low end, which are left out
  double error = 0.0;  // relative
};

// Labels rise with x: like x below `bend`, and with its logarithm beyond. With k of t participations the ratio is nearly
// that of a sample in which a record is with probability k/t, the product of all 1 + (x - 1) k/t, so `bend` is near t/k.
struct Labels {
  double bend = 1.0;
  double step = 1.0;
  double ratio(double label) const {  // the least x
    return bend * portable_expm1(label * step / bend);
  }
  double of(double x) const { return bend * portable_log1p(x / bend) / step; }
};

struct SeveralPlan {
  std::int64_t batches = 0;
  std::int64_t participations = 0;
  SamplingDirection direction = SamplingDirection::kRemove;
  double delta = 0.0;
};

class LabelPair {
 public:
  LabelPair(const PrivacyLoss& base, const SeveralPlan& plan) : base_(base), plan_(plan) {}

  PrivacyLoss loss(double bend) {
    const Labels labels = labels_of(bend);
    std::vector<double> points{0.0};
    for (std::int64_t i = 1; i <= highest_; ++i)
      points.push_back(labels.ratio(static_cast<double>(i)));
    const auto cells = detail::masses_in_cells(base_, points);
    const auto t = plan_.batches, k = plan_.participations;
    const bool removes = plan_.direction == SamplingDirection::kRemove;
    // The one of which delta is a part from below, the other from above.
    const LabelSums rest_low = power(one_of(cells, false, false), t - k);
    const LabelSums rest_high = power(one_of(cells, false, true), t - k);
    const LabelSums with =
        multiply(removes ? rest_low : rest_high, power(one_of(cells, true, !removes), k));
    const LabelSums without =
        multiply(removes ? rest_high : rest_low, power(one_of(cells, false, removes), k));
    return loss_between(removes ? with : without, removes ? without : with);
  }

 private:
  // From rough masses: the labels that matter, and a step for which their sums have about kLabelCells values.
  Labels labels_of(double bend) {
    constexpr int kRough = 512;
    double low = 0.0, high = 0.0;
    for (const LossAtom& atom : base_.atoms) {
      low = std::min(low, atom.loss);
      high = std::max(high, atom.loss);
    }
    for (const LossPiece& piece : base_.pieces) {
      low = std::min(low, piece.loss(piece.low));
      high = std::max(high, piece.loss(piece.high));
    }
    std::vector<double> points{0.0};
    for (int i = 0; i <= kRough; ++i) {
      points.push_back(portable_exp(low + (high - low) * static_cast<double>(i) / kRough));
    }
    const auto cells = detail::masses_in_cells(base_, points);
    Labels labels{bend, 1.0};
    double above = 0.0, largest = 0.0;
    double mean[2] = {}, square[2] = {}, mass[2] = {};
    for (std::size_t i = cells.size(); i-- > 0;) {
      above += cells[i].p;
      const double y = labels.of(std::max(points[std::min(i + 1, points.size() - 1)], 1e-300));
      if (largest == 0.0 && above > 1e-4 * plan_.delta) largest = y;
      const double kept = std::min(y, largest > 0.0 ? largest : y);
      for (const int with : {0, 1}) {
        const double weight = with == 1 ? cells[i].p : cells[i].r;
        mass[with] += weight;
        mean[with] += weight * kept;
        square[with] += weight * kept * kept;
      }
    }
    const auto t = static_cast<double>(plan_.batches),
               k = static_cast<double>(plan_.participations);
    const auto spread = [&](int with) {
      return std::max(square[with] - mean[with] * mean[with], 0.0);
    };
    const double deviation = std::sqrt(t * spread(0) + k * spread(1));
    const double top = t * mean[0] + k * mean[1] + 7.0 * deviation + largest;
    const double bottom = std::max(0.0, t * mean[0] - 7.0 * deviation);
    labels.step = std::max(top - bottom, largest) / kLabelCells;
    highest_ = static_cast<std::int64_t>(std::floor(largest / labels.step));
    most_ = static_cast<std::int64_t>(std::ceil(top / labels.step));
    return labels;
  }

  // What the base leaves out has the lowest or the highest label.
  LabelSums one_of(const std::vector<detail::RatioMasses>& cells, bool with, bool above) const {
    LabelSums one;
    double total = 0.0;
    for (const auto& cell : cells) {
      const double mass = with ? cell.p : cell.r;
      one.mass.push_back(mass * (above ? 1.0 + cell.error : 1.0 - cell.error));
      total += mass * (1.0 - cell.error);
    }
    if (above) {
      const double cut = base_.mass_above + base_.mass_at_infinity;
      one.mass.back() += with ? cut : base_.mass_above;
      one.mass.front() += with ? base_.mass_below
                               : std::max(1.0 - total, 0.0) +
                                     8.0 * kUnitRoundoff * static_cast<double>(cells.size());
    }
    one.error = 4.0 * kUnitRoundoff;
    return one;
  }

  LabelSums multiply(const LabelSums& a, const LabelSums& b) const {
    LabelSums sum;
    sum.lowest = a.lowest + b.lowest;
    if (sum.lowest > most_) return {most_, {0.0}, 1.0, 0.0};
    sum.mass = convolved_sums(a.mass, b.mass, static_cast<std::size_t>(most_ - sum.lowest) + 1);
    sum.error = a.error + b.error +
                kUnitRoundoff * (static_cast<double>(std::min(a.mass.size(), b.mass.size())) + 4.0);
    sum.lost = 1.001 * (a.lost + b.lost);
    const double negligible = 1e-18 * plan_.delta;
    std::size_t begin = 0;
    double below = 0.0;
    while (begin + 1 < sum.mass.size() && below + sum.mass[begin] <= negligible) {
      below += sum.mass[begin++];
    }
    sum.lost += 1.001 * below;
    sum.mass.erase(sum.mass.begin(), sum.mass.begin() + static_cast<std::ptrdiff_t>(begin));
    sum.lowest += static_cast<std::int64_t>(begin);
    return sum;
  }

  LabelSums power(const LabelSums& one, std::int64_t count) const {
    return power_of(one, count,
                    [this](const LabelSums& a, const LabelSums& b) { return multiply(a, b); });
  }

  static PrivacyLoss loss_between(const LabelSums& low, const LabelSums& high) {
    PrivacyLoss loss;
    double largest = 1.0;
    for (std::size_t i = 0; i < low.mass.size(); ++i) {
      if (low.mass[i] < 1e-280) continue;
      const std::int64_t place = low.lowest + static_cast<std::int64_t>(i) - high.lowest;
      double other = high.lost;
      if (place >= 0 && place < static_cast<std::int64_t>(high.mass.size())) {
        other += high.mass[static_cast<std::size_t>(place)];
      }
      if (other < 1e-290) continue;
      loss.atoms.push_back({portable_log(low.mass[i] / other), portable_log(low.mass[i])});
      largest = std::max(largest, std::fabs(loss.atoms.back().log_mass));
    }
    std::sort(loss.atoms.begin(), loss.atoms.end(),
              [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
    loss.weight_error = low.error + 16.0 * kUnitRoundoff * largest;
    loss.loss_error = low.error + high.error + 16.0 * kUnitRoundoff * largest;
    return loss;
  }

  const PrivacyLoss& base_;
  SeveralPlan plan_;
  std::int64_t highest_ = 0;  // label
  std::int64_t most_ = 0;     // sum of labels that is told apart
};

}  // namespace

namespace loss_of {

Result<BracketedLoss> allocated_several(const PrivacyLoss& base, std::int64_t batches,
                                        std::int64_t participations, SamplingDirection direction,
                                        const AllocationOptions& options) {
  ASSAY_TRY(detail::check_within("batches", static_cast<double>(batches), 2.0, 1e7));
  ASSAY_TRY(detail::check_within("participations", static_cast<double>(participations), 1.0,
                                 static_cast<double>(batches - 1)));
  if (participations == 1) return allocated(base, batches, direction, options);
  const std::int64_t part = batches / participations, longer = batches % participations;
  const auto draws = [&](std::int64_t size, std::int64_t count) -> Result<LossLattice> {
    const auto one = ASSAY_TRY(detail::allocated_atoms(base, size, direction, options));
    return power_of(lattice_of_losses(one, options.delta), count,
                    [&](const LossLattice& a, const LossLattice& b) {
                      return composed_lattices(a, b, options.delta);
                    });
  };
  auto all = ASSAY_TRY(draws(part, participations - longer));
  if (longer > 0) {
    auto rest = ASSAY_TRY(draws(part + 1, longer));
    all = composed_lattices(std::move(all), std::move(rest), options.delta);
  }
  LabelPair pair(base, {batches, participations, direction, options.delta});
  BracketedLoss loss{to_loss(all), {}};
  double best = -1.0;
  for (const double bend : {1.0, 2.0}) {
    PrivacyLoss lower =
        pair.loss(bend * static_cast<double>(batches) / static_cast<double>(participations));
    const double epsilon = detail::epsilon_estimate(lower, options.delta);
    if (epsilon <= best) continue;
    best = epsilon;
    loss.lower = std::move(lower);
  }
  return loss;
}

}  // namespace loss_of
}  // namespace assay
