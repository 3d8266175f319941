// Chains with a step that no single pair dominates: the best of several valid upper bounds.
#include <algorithm>
#include <array>
#include <cmath>

#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay::detail {
namespace {

// A bound on delta, or on eps, for the part of the chain with pairs.
constexpr std::array<double, 5> kShares = {0.01, 0.1, 0.5, 0.9, 0.99};

struct Parts {
  std::vector<ChainStep> paired;
  std::vector<ChainStep> rest;
};

Parts split(std::span<const ChainStep> chain) {
  Parts parts;
  for (const ChainStep& step : chain) {
    (has_pair(step.mechanism) ? parts.paired : parts.rest).push_back(step);
  }
  return parts;
}

OneSided better(OneSided a, OneSided b) { return b.upper < a.upper ? std::move(b) : std::move(a); }

// zCDP and Renyi sums of the chain, without pairs.
OneSided by_sums(std::span<const ChainStep> chain, const AccountTarget& target,
                 const RunControl& control) {
  OneSided zcdp{kInfinity, "the sum of all rho, then zCDP to (eps, delta)"};
  OneSided renyi{kInfinity, "the sum of all Renyi curves, then Renyi DP to (eps, delta)"};
  const auto of_target = other_accountings(chain, {&target, 1}, control);
  for (const OtherAccounting& other : of_target.front()) {
    if (other.name == "zCDP") zcdp.upper = other.upper.value_or(kInfinity);
    if (other.name == "Renyi DP") renyi.upper = other.upper.value_or(kInfinity);
  }
  return better(std::move(zcdp), std::move(renyi));
}

// Infinite, or 1, if the pairs cannot be composed.
Result<double> paired_upper(const PairedChain& chain, const AccountTarget& target,
                            const RunControl& control) {
  const PldOptions options{.cancel = control.cancel};
  const auto nothing = [&](const Error& error) -> Result<double> {
    if (is_interrupted(error)) return tl::make_unexpected(error);
    return target.asks_epsilon() ? kInfinity : 1.0;
  };
  double upper = 0.0;
  for (const auto* terms : {&chain.dominating.remove, &chain.dominating.add}) {
    if (terms->empty()) continue;
    if (target.asks_epsilon()) {
      const auto eps = pld_epsilon(*terms, Delta{target.given}, options);
      if (!eps) return nothing(eps.error());
      upper = std::max(upper, eps->upper.value.value);
    } else {
      const auto delta = pld_delta(*terms, Epsilon{target.given}, options);
      if (!delta) return nothing(delta.error());
      upper = std::max(upper, delta->upper.value.value);
    }
  }
  return upper;
}

// (2), third: one share of the target goes to the pairs, the rest to the Renyi curves.
Result<OneSided> by_split(const Parts& parts, const AccountTarget& target, double share,
                          const RunControl& control) {
  const auto paired = ASSAY_TRY(paired_chain(parts.paired, control));
  const double first = target.given * share;
  const double second = (Enclosure(target.given) - first).low;
  const auto upper = ASSAY_TRY(paired_upper(*paired, {target.asked, first}, control));
  const double rest = by_sums(parts.rest, {target.asked, second}, control).upper;
  return OneSided{(Enclosure(upper) + rest).high,
                  "the steps with pairs, by privacy-loss distributions at " + number_text(first) +
                      ", plus the other steps at " + number_text(second)};
}

}  // namespace

Result<OneSided> one_sided(std::span<const ChainStep> chain, const AccountTarget& target,
                           const RunControl& control) {
  OneSided best = by_sums(chain, target, control);
  const Parts parts = split(chain);
  if (!parts.paired.empty() && target.given > 0.0) {
    for (const double share : kShares) {
      const auto divided = ASSAY_TRY(by_split(parts, target, share, control));
      best = better(std::move(best), divided);
    }
  }
  if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
  if (!target.asks_epsilon()) best.upper = std::min(best.upper, 1.0);
  return best;
}

}  // namespace assay::detail
