#include "assay/mechanisms/accounting/pld/internal/loss_power.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

constexpr std::int64_t kLargestCounted = 200;  // releases in one power
constexpr double kMostPowerOutputs = 6000.0;   // outputs of a power

// The number of ways in which n releases spread over k outputs.
double counts_of(std::int64_t n, std::size_t k) {
  double counts = 1.0;
  for (std::size_t i = 1; i < k; ++i) {
    counts *= static_cast<double>(n + static_cast<std::int64_t>(i)) / static_cast<double>(i);
  }
  return counts;
}

// The distribution of n releases, by how often each output comes: a multinomial sum.
PrivacyLoss power_of(const PrivacyLoss& loss, std::int64_t n) {
  const auto releases = static_cast<double>(n);
  std::vector<double> log_factorial{0.0};
  for (std::int64_t i = 1; i <= n; ++i) {
    log_factorial.push_back(log_factorial.back() + portable_log(static_cast<double>(i)));
  }
  PrivacyLoss power;
  double largest = 0.0, heaviest = 0.0;
  const auto add = [&](const auto& self, std::size_t atom, std::int64_t left, double sum,
                       double log_mass) -> void {
    const auto& [each, weight] = loss.atoms[atom];
    const bool is_last = atom + 1 == loss.atoms.size();  // it takes what is left
    for (std::int64_t times = is_last ? left : 0; times <= left; ++times) {
      const auto c = static_cast<double>(times);
      const double next = sum + c * each;
      const double mass = log_mass + c * weight - log_factorial[static_cast<std::size_t>(times)];
      if (is_last) {
        power.atoms.push_back({next, mass});
      } else {
        self(self, atom + 1, left - times, next, mass);
      }
    }
  };
  add(add, 0, n, 0.0, log_factorial.back());
  for (const LossAtom& atom : loss.atoms) {
    largest = std::max(largest, std::fabs(atom.loss));
    heaviest = std::max(heaviest, std::fabs(atom.log_mass));
  }
  std::sort(power.atoms.begin(), power.atoms.end(),
            [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  const auto terms = static_cast<double>(loss.atoms.size() + 2);
  const double u = 0x1p-53;
  power.loss_error = releases * (loss.loss_error + 2.0 * u * terms * largest);
  // Of the logarithms of factorials: n roundings of sums of up to log n!, in each of the k + 1 that meet.
  power.weight_error =
      releases * (loss.weight_error + 4.0 * u * (2.0 + heaviest)) +
      2.0 * u * terms * (releases * (heaviest + log_factorial.back()) + log_factorial.back());
  const auto any = [&](double each) { return -portable_expm1(releases * portable_log1p(-each)); };
  if (loss.mass_at_infinity > 0.0) {
    power.mass_at_infinity = any(loss.mass_at_infinity) * (1.0 - 0x1p-45);
  }
  // Where one release was cut off, also below, the others may lose much.
  const double most = loss.mass_at_infinity + loss.mass_above + loss.mass_below;
  if (most > 0.0) {
    power.mass_above =
        std::max(any(std::min(most, 1.0)) * (1.0 + 0x1p-45) - power.mass_at_infinity, 0.0);
  }
  return power;
}

// A lattice on which the atoms are few steps apart, and all stay; a finer one is no help.
bool has_short_lattice(const PrivacyLoss& loss) {
  constexpr double kMostSteps = 1024.0;
  return loss.atoms.back().loss - loss.atoms.front().loss <= kMostSteps * loss.lattice;
}

}  // namespace

std::vector<PldTerm> with_powers(std::span<const PldTerm> terms) {
  std::vector<PldTerm> all;
  for (const PldTerm& term : terms) {
    const PrivacyLoss& loss = term.loss;
    std::int64_t n = 1;
    if (loss.pieces.empty() && loss.atoms.size() > 1 && !has_short_lattice(loss)) {
      while (n < std::min(term.count, kLargestCounted) &&
             counts_of(n + 1, loss.atoms.size()) <= kMostPowerOutputs) {
        ++n;
      }
    }
    if (n < 2) {
      all.push_back(term);
      continue;
    }
    all.push_back({power_of(loss, n), term.count / n});
    const std::int64_t rest = term.count % n;
    if (rest > 0) all.push_back({rest == 1 ? loss : power_of(loss, rest), 1});
  }
  return all;
}

}  // namespace assay::detail
