#include "assay/mechanisms/accounting/account/integer_vector_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/internal/profile_hull.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::int64_t kMostListed = 30;  // D^2
constexpr double kMostListedSigma = 30.0;
constexpr std::int64_t kOnlyOne = 3;    // the largest D^2 with a single partition into squares
constexpr double kVectorError = 1e-11;  // of a mass: 30 sums of up to 1,000 terms each

// The noise of one entry, from -reach to reach.
struct EntryNoise {
  std::vector<double> masses;
  double lost = 0.0;
  double depth = 0.0;  // the standard deviations that are kept
};

Result<EntryNoise> entry_noise(double sigma, double log_tail) {
  const auto noise = ASSAY_TRY(DiscreteGaussian::create(sigma));
  EntryNoise entry;
  entry.depth = std::sqrt(-2.0 * log_tail);
  const auto reach = static_cast<std::int64_t>(std::ceil(sigma * entry.depth)) + 1;
  for (std::int64_t k = -reach; k <= reach; ++k) {
    entry.masses.push_back(portable_exp(noise.log_pmf(k)));
  }
  entry.lost = 2.0 * noise.ccdf(reach + 1) * (1.0 + 1e-12);
  return entry;
}

// A move of some entries, and P(m) of (1) for m from -top to top.
struct VectorMove {
  std::vector<std::int64_t> entries;
  std::vector<double> masses{1.0};
  double lost = 0.0;  // an upper bound on the mass of all other m
};

std::int64_t top_of(const VectorMove& move) {
  return static_cast<std::int64_t>(move.masses.size() / 2);
}

std::int64_t squared(const VectorMove& move) {
  std::int64_t sum = 0;
  for (const std::int64_t v : move.entries) sum += v * v;
  return sum;
}

// The move of all `entries`, with the masses of the sum of an m of `a` and `stride` times one of `b`.
VectorMove joined(std::vector<std::int64_t> entries, const std::vector<double>& a,
                  const std::vector<double>& b, std::int64_t stride, double sigma, double depth) {
  VectorMove next{std::move(entries), {}, 0.0};
  std::vector<double> all(a.size() + static_cast<std::size_t>(stride) * (b.size() - 1));
  for (std::size_t i = 0; i < b.size(); ++i) {
    double* to = all.data() + i * static_cast<std::size_t>(stride);
    for (std::size_t j = 0; j < a.size(); ++j) to[j] += b[i] * a[j];
  }
  const double deviation = sigma * std::sqrt(static_cast<double>(squared(next)));
  const auto kept = static_cast<std::size_t>(std::ceil(deviation * depth)) + 1;
  const std::size_t half = all.size() / 2;
  const std::size_t cut = half > kept ? half - kept : 0;
  for (std::size_t i = 0; i < cut; ++i) next.lost += 2.0 * all[i] * (1.0 + 1e-9);
  next.masses.assign(all.begin() + static_cast<std::ptrdiff_t>(cut),
                     all.end() - static_cast<std::ptrdiff_t>(cut));
  return next;
}

VectorMove with_entry(const VectorMove& move, std::int64_t by, const EntryNoise& noise,
                      double sigma) {
  std::vector<std::int64_t> entries = move.entries;
  entries.push_back(by);
  VectorMove next = joined(std::move(entries), move.masses, noise.masses, by, sigma, noise.depth);
  next.lost = (next.lost + move.lost + noise.lost) * (1.0 + 1e-12);
  return next;
}

// As many releases of the same move, as one move.
VectorMove repeated_move(const VectorMove& move, std::int64_t releases, double sigma,
                         double depth) {
  if (releases == 1) return move;
  const auto both = [&](const VectorMove& a, const VectorMove& b) {
    std::vector<std::int64_t> entries = a.entries;
    entries.insert(entries.end(), b.entries.begin(), b.entries.end());
    return joined(std::move(entries), a.masses, b.masses, 1, sigma, depth);
  };
  const VectorMove half = repeated_move(move, releases / 2, sigma, depth);
  const VectorMove even = both(half, half);
  return releases % 2 == 0 ? even : both(even, move);
}

// All partitions of `rest` into squares of at least `least` each, added to `move`.
using VisitMove = std::function<void(const VectorMove&)>;
void for_each_partition(std::int64_t rest, std::int64_t least, const VectorMove& move,
                        const EntryNoise& noise, double sigma, const VisitMove& visit) {
  for (std::int64_t by = least; by * by <= rest; ++by) {
    const std::int64_t left = rest - by * by;
    if (left > 0 && left < by * by) continue;
    const VectorMove next = with_entry(move, by, noise, sigma);
    if (left == 0) {
      visit(next);
    } else {
      for_each_partition(left, by, next, noise, sigma, visit);
    }
  }
}

// Half the distance of the points of the lattice.
double half_step(double sigma) { return 0.5 / (sigma * sigma); }

PrivacyLoss loss_of_move(const VectorMove& move, double sigma) {
  const double half = half_step(sigma);
  const std::int64_t top = top_of(move), distance = squared(move);
  PrivacyLoss loss;
  for (std::int64_t m = -top; m <= top; ++m) {
    const double mass = move.masses[static_cast<std::size_t>(m + top)];
    if (mass < 1e-300) continue;
    loss.atoms.push_back({static_cast<double>(2 * m + distance) * half, portable_log(mass)});
  }
  loss.mass_above = move.lost;
  loss.mass_below = move.lost;
  loss.loss_error = 6.0 * kUnitRoundoff * static_cast<double>(2 * top + distance) * half;
  loss.weight_error = kVectorError;
  loss.lattice = distance % 2 == 0 ? 2.0 * half : half;
  return loss;
}

// Upper bounds on delta at the losses j half, j = 0..2 top + D^2.
std::vector<double> profile_of_move(const VectorMove& move, double sigma) {
  const double half = half_step(sigma), growth = portable_expm1(half);
  const std::int64_t top = top_of(move), distance = squared(move);
  std::vector<double> profile(static_cast<std::size_t>(2 * top + distance + 1));
  double delta = 0.0, q = 0.0;
  std::int64_t m = top + 1;  // all from here have larger losses
  for (std::int64_t j = 2 * top + distance; j >= 0; --j) {
    const double at = static_cast<double>(j) * half;
    delta += growth * portable_exp(at) * q;
    for (; m > -top && 2 * (m - 1) + distance > j; --m) {
      const double p = move.masses[static_cast<std::size_t>(m - 1 + top)];
      const double loss = static_cast<double>(2 * (m - 1) + distance) * half;
      delta += p * -portable_expm1(at - loss);
      q += p * portable_exp(-loss);
    }
    profile[static_cast<std::size_t>(j)] = delta * (1.0 + 2.0 * kVectorError) + move.lost;
  }
  return profile;
}

// The largest of the profiles, each a line in e^loss between neighbouring points: at the points, and where the largest
// at one end of a cell meets that at the other.
std::vector<detail::ProfilePoint> largest_profile(std::vector<std::vector<double>>& profiles,
                                                  double half) {
  std::size_t length = 0;
  for (const auto& profile : profiles) length = std::max(length, profile.size());
  for (auto& profile : profiles) profile.resize(length, profile.back());  // they fall
  const auto largest = [&](const auto& value) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < profiles.size(); ++i) {
      if (value(profiles[i]) > value(profiles[best])) best = i;
    }
    return best;
  };
  const double width = portable_expm1(half);  // of a cell, in e^loss over that of its lower end
  std::vector<detail::ProfilePoint> points;
  for (std::size_t j = 0; j < length; ++j) {
    const double at = static_cast<double>(j) * half;
    const std::size_t here = largest([j](const auto& profile) { return profile[j]; });
    points.push_back({at, std::min(1.0, profiles[here][j])});
    if (j + 1 == length) break;
    const std::size_t next = largest([j](const auto& profile) { return profile[j + 1]; });
    const double lead = profiles[here][j] - profiles[next][j];
    const double behind = profiles[next][j + 1] - profiles[here][j + 1];
    if (!(lead > 0.0 && behind > 0.0)) continue;
    const double place = portable_log1p(lead / (lead + behind) * width);
    if (!(place > 1e-9 * half && place < half * (1.0 - 1e-9))) continue;
    const double part = portable_expm1(place) / width;
    const auto crossing = [&](const auto& profile) {
      return profile[j] + (profile[j + 1] - profile[j]) * part;
    };
    const double delta = crossing(profiles[largest(crossing)]);
    points.push_back({at + place, std::min(1.0, delta * (1.0 + kVectorError))});
  }
  return points;
}

// eps at delta, or delta at eps. It only chooses a move.
double leak_of_profile(const std::vector<double>& profile, double half,
                       const LossAccuracy& accuracy) {
  const auto at = [&](double eps) {
    const double place = eps / half;
    if (!(place < static_cast<double>(profile.size() - 1))) return profile.back();
    const auto j = static_cast<std::size_t>(place);
    const double part = portable_expm1(eps - static_cast<double>(j) * half) / portable_expm1(half);
    return profile[j] + (profile[j + 1] - profile[j]) * part;
  };
  if (accuracy.epsilon >= 0.0) return at(accuracy.epsilon);
  double low = 0.0, high = half * static_cast<double>(profile.size() - 1);
  for (int i = 0; i < 50; ++i) {
    const double eps = 0.5 * (low + high);
    (at(eps) > accuracy.delta ? low : high) = eps;
  }
  return high;
}

double leak_of_move(const VectorMove& move, double sigma, double depth,
                    const LossAccuracy& accuracy) {
  constexpr double kMostPoints = 2000.0, kMostLoss = 600.0;
  const double distance =
      static_cast<double>(squared(move)) * static_cast<double>(accuracy.releases);
  const double points = 2.0 * depth * sigma * std::sqrt(distance);
  if (points < kMostPoints && (points + distance) * half_step(sigma) < kMostLoss) {
    const VectorMove all = repeated_move(move, accuracy.releases, sigma, depth);
    return leak_of_profile(profile_of_move(all, sigma), half_step(sigma), accuracy);
  }
  const PrivacyLoss loss = loss_of_move(move, sigma);
  return detail::leak_by_moments(accuracy, [&](double tilt) {
    LogSum sum;
    for (const LossAtom& atom : loss.atoms) sum.add(1.0, atom.log_mass + tilt * atom.loss);
    return sum.log();
  });
}

// Entries whose squares come nearest to D^2, the largest first, as many as take at most some tenths of a second.
std::vector<std::int64_t> nearest_move(std::int64_t distance, std::size_t width) {
  constexpr std::size_t kMostEntries = 4;
  constexpr double kMostSteps = 3e8;
  std::vector<std::int64_t> entries;
  double sum = 0.0;
  while (distance > 0 && entries.size() < kMostEntries) {
    auto by = static_cast<std::int64_t>(std::sqrt(static_cast<double>(distance)));
    while (by * by > distance) --by;
    sum += static_cast<double>(by);
    const double steps =
        sum * static_cast<double>(width * width) * static_cast<double>(entries.size());
    if (steps > kMostSteps) break;
    entries.push_back(by);
    distance -= by * by;
  }
  return entries;
}

}  // namespace

Status IntegerVectorStep::check() const {
  const double ratio = sigma / std::sqrt(static_cast<double>(squared_sensitivity));
  if (ratio >= 0.05) return {};
  return detail::out_of_range("sigma", "at least 0.05 times the sensitivity",
                              number_text(ratio) + " times");
}

bool IntegerVectorStep::has_pair() const {
  return squared_sensitivity == 1 ||
         (squared_sensitivity <= kMostListed && sigma <= kMostListedSigma);
}

Result<Known<StepLosses>> IntegerVectorStep::losses(const LossAccuracy& accuracy) const {
  if (!has_pair()) {
    return Known<StepLosses>(tl::make_unexpected(
        Unknown{"moves of a vector are listed up to a squared sensitivity of 30 and sigma 30"}));
  }
  if (squared_sensitivity == 1) {
    const auto loss = ASSAY_TRY(loss_of::discrete_gaussian(sigma, 1, accuracy.log_tail));
    return Known<StepLosses>(StepLosses{both_orders(loss), std::nullopt, {}, {}});
  }
  const auto noise = ASSAY_TRY(entry_noise(sigma, accuracy.log_tail));
  const double half = half_step(sigma);
  std::vector<std::vector<double>> profiles;
  PrivacyLoss worst;
  double most = -kInfinity;
  for_each_partition(squared_sensitivity, 1, {}, noise, sigma, [&](const VectorMove& move) {
    profiles.push_back(profile_of_move(move, sigma));
    const double leak = leak_of_move(move, sigma, noise.depth, accuracy);
    if (!(leak > most)) return;
    most = leak;
    worst = loss_of_move(move, sigma);
  });
  if (squared_sensitivity <= kOnlyOne) {
    return Known<StepLosses>(StepLosses{both_orders(worst), std::nullopt, {}, {}});
  }
  const PrivacyLoss above = detail::hull_of_profile(largest_profile(profiles, half));  // (3)
  StepLosses losses{both_orders(above), both_orders(worst), {}, {}};
  if (accuracy.releases > 1) {
    losses.dominating_source =
        "the least pair above all moves of a vector (docs/proofs/integer_vectors.md, (3))";
    losses.attained_source = "the move that leaks most, the same in every release";
  }
  return Known<StepLosses>(std::move(losses));
}

Result<DirectedLosses> IntegerVectorStep::attained(const LossAccuracy& accuracy) const {
  const auto noise = ASSAY_TRY(entry_noise(sigma, accuracy.log_tail));
  const auto entries = nearest_move(squared_sensitivity, noise.masses.size());
  if (entries.size() == 1) {
    const auto loss =
        ASSAY_TRY(loss_of::discrete_gaussian(sigma, entries.front(), accuracy.log_tail));
    return both_orders(loss);
  }
  VectorMove move;
  for (const std::int64_t by : entries) move = with_entry(move, by, noise, sigma);
  return both_orders(loss_of_move(move, sigma));
}

Known<Enclosure> IntegerVectorStep::largest_loss() const {
  return tl::make_unexpected(Unknown{"its noise can lose any eps, with small probability"});
}

Enclosure IntegerVectorStep::rho() const {
  return Enclosure(0.5 * static_cast<double>(squared_sensitivity)) / (Enclosure(sigma) * sigma);
}

RenyiDp IntegerVectorStep::renyi() const { return *to_renyi(ZeroConcentratedDp{Rho{rho().high}}); }

}  // namespace assay
