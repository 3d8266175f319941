// Releases with few outputs together: the profile as a sum over them.
#include <algorithm>
#include <cmath>

#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay::detail {
namespace {

constexpr double kMostOutputs = 10'000;
constexpr std::int64_t kMostReleasesListed = 64;

// Loss and log of the probability.
struct Listed {
  Enclosure loss;
  Enclosure log_mass;
};

Listed listed(const LossAtom& atom, const PrivacyLoss& loss) {
  const double relative =
      loss.weight_error + 4.0 * kUnitRoundoff * (2.0 + std::fabs(atom.log_mass));
  return {Enclosure(atom.loss) + Enclosure(-loss.loss_error, loss.loss_error),
          Enclosure(atom.log_mass) + Enclosure(-2.0 * relative, 2.0 * relative)};
}

// delta at this eps, from both sides: the infinite losses, and of each finite one the part above eps.
Enclosure delta_of(const Enumerated& whole, double eps) {
  Enclosure sum = whole.at_infinity;
  for (const auto& [loss, mass] : whole.outputs) {
    if (loss.high <= eps) continue;
    const Enclosure part = mass * -expm1(Enclosure(eps) - loss);  // (5) of account.md
    sum = sum + Enclosure(std::max(part.low, 0.0), std::max(part.high, 0.0));
  }
  return {std::max(sum.low, 0.0), std::min(sum.high, 1.0)};
}

}  // namespace

std::optional<Enumerated> enumerated(std::span<const PldTerm> terms) {
  double outputs = 1.0;
  for (const PldTerm& term : terms) {
    if (!term.loss.pieces.empty() || term.loss.atoms.empty()) return std::nullopt;
    if (term.count > kMostReleasesListed) return std::nullopt;
    for (std::int64_t i = 0; i < term.count && outputs <= kMostOutputs; ++i) {
      outputs *= static_cast<double>(term.loss.atoms.size());
    }
    if (outputs > kMostOutputs) return std::nullopt;
  }
  std::vector<Listed> all{{}};
  Enclosure log_finite = 0.0;  // of the probability that no loss is infinite
  for (const PldTerm& term : terms) {
    const PrivacyLoss& loss = term.loss;
    const double most = (Enclosure(loss.mass_at_infinity) + loss.mass_above + loss.mass_below).high;
    if (loss.mass_at_infinity + loss.mass_above + loss.mass_below > 0.0) {
      log_finite = log_finite + log1p(-Enclosure(loss.mass_at_infinity, std::min(most, 1.0))) *
                                    static_cast<double>(term.count);
    }
    for (std::int64_t i = 0; i < term.count; ++i) {
      std::vector<Listed> longer;
      longer.reserve(all.size() * loss.atoms.size());
      for (const Listed& output : all) {
        for (const LossAtom& atom : loss.atoms) {
          const Listed next = listed(atom, loss);
          longer.push_back({output.loss + next.loss, output.log_mass + next.log_mass});
        }
      }
      all = std::move(longer);
    }
  }
  Enumerated whole;
  for (const Listed& output : all) whole.outputs.push_back({output.loss, exp(output.log_mass)});
  if (log_finite.low < 0.0) whole.at_infinity = -expm1(log_finite);
  return whole;
}

Enclosure enumerated_bounds(const Enumerated& whole, const AccountTarget& target) {
  if (!target.asks_epsilon()) return delta_of(whole, target.given);
  const auto smallest = [&](const auto& side) {
    return smallest_double([&](double eps) { return side(delta_of(whole, eps)) <= target.given; });
  };
  const double upper = smallest([](Enclosure delta) { return delta.high; });
  const double kept = smallest([](Enclosure delta) { return delta.low; });
  const double lower = kept > 0.0 && std::isfinite(kept) ? std::max(0.0, round_down(kept)) : kept;
  return {std::min(lower, upper), upper};
}

}  // namespace assay::detail
