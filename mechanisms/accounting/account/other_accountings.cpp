// Basic, advanced, optimal, zCDP, Renyi and Gaussian accounting of a chain.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/advanced_composition.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostExpanded = 1'000'000;  // levels in one sum
constexpr std::int64_t kMostOptimal = 100'000;     // releases in one exact composition
constexpr std::size_t kMostCurves = 64;            // kinds whose sum is computed at any order
constexpr std::int64_t kMostComposed = 50;         // steps of which each takes a composition
// Shares of a delta are this much smaller: room for the rounding of up to a million levels.
constexpr double kRoom = 1.0 - 1e-9;

constexpr const char* kOnlyOwn =
    "for delta at an eps it needs pure or (eps, delta) levels; those of these steps have an eps "
    "for each delta";

using Outcome = tl::expected<double, Unknown>;

Outcome unknown(std::string why) { return tl::make_unexpected(Unknown{std::move(why)}); }

template <class T>
Outcome failed(const Result<T>& result) {
  return unknown(result.error().message);
}

std::int64_t releases_of(std::span<const ChainStep> chain) {
  std::int64_t total = 0;
  for (const ChainStep& step : chain) total += step.count;
  return total;
}

// A level with the step's own delta, if any, and none that this file picks.
bool has_own_level(const ChainStep& step) {
  const auto* group = std::get_if<GroupStep>(&step.mechanism);
  return step_pure(step.mechanism).has_value() ||
         std::holds_alternative<ApproximateStep>(step.mechanism) ||
         (group != nullptr && std::holds_alternative<ApproximateStep>(group->mechanism));
}

bool all_own(std::span<const ChainStep> chain) {
  return std::all_of(chain.begin(), chain.end(), has_own_level);
}

// An (eps, delta) level of this step takes a composition, 10 ms.
bool takes_a_composition(const ChainStep& step) {
  return !has_own_level(step) && has_pair(step.mechanism) && !step_gaussian(step.mechanism);
}

// The steps as (eps, delta) levels; those without one of their own get `share` of the target's
// delta, evenly.
struct Levels {
  std::vector<ApproximateDp> each;  // one level a step
  ApproximateDp sum;                // basic composition
};

Result<Levels> levels_at(std::span<const ChainStep> chain, double delta,
                         const RunControl& control) {
  if (std::count_if(chain.begin(), chain.end(), takes_a_composition) > kMostComposed) {
    return fail(ErrorCode::kLimit, "more than 50 steps without a level of their own");
  }
  const auto total = static_cast<double>(releases_of(chain));
  Levels levels;
  std::vector<ApproximateDp> repeated;
  for (const ChainStep& step : chain) {
    if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    const auto level =
        ASSAY_TRY(has_own_level(step) ? step_single(step.mechanism, Delta{0.5})
                                      : step_single(step.mechanism, Delta{delta / total * kRoom}));
    const auto many = ASSAY_TRY(compose_repeated(level, step.count));
    levels.each.push_back(level);
    repeated.push_back(many);
  }
  levels.sum = ASSAY_TRY(compose(std::span<const ApproximateDp>(repeated)));
  return levels;
}

std::string too_much_delta(double own, double delta) {
  return "the steps' own deltas come to " + number_text(own) + ", the target is " +
         number_text(delta);
}

// The composed level of all steps, or the reason why one of them has none.
template <class Level, class OfStep>
tl::expected<Level, Unknown> composed(std::span<const ChainStep> chain, const OfStep& of_step,
                                      const RunControl& control) {
  std::vector<Level> levels;
  for (const ChainStep& step : chain) {
    if (control.interrupted()) return tl::make_unexpected(Unknown{"interrupted"});
    const auto level = of_step(step.mechanism);
    if (!level) {
      return tl::make_unexpected(Unknown{step_name(step.mechanism) + ": " + level.error().why});
    }
    const auto many = compose_repeated(*level, step.count);
    if (!many) return tl::make_unexpected(Unknown{many.error().message});
    levels.push_back(*many);
  }
  Result<Level> whole = compose(std::span<const Level>(levels));
  if (!whole) return tl::make_unexpected(Unknown{whole.error().message});
  return *whole;
}

// A sum of many curves, at whole orders and by convexity of (a - 1) D_a between them, each computed once. For one thread.
RenyiDp at_whole_orders(RenyiDp curve) {
  const auto known = std::make_shared<std::map<double, double>>();
  const auto at = [known, curve = std::move(curve)](double order) {
    const auto [place, is_new] = known->try_emplace(order, 0.0);
    if (is_new) place->second = curve.at(order).value.value;
    return place->second;
  };
  return RenyiDp([at](double order) {
    const double below = std::floor(order), above = std::ceil(order);
    if (order <= 2.0) return at(2.0);
    if (below == above) return at(order);
    using detail::Enclosure;
    const Enclosure low = (Enclosure(above) - order) * (below - 1.0) * at(below);
    const Enclosure high = (Enclosure(order) - below) * (above - 1.0) * at(above);
    return ((low + high) / (Enclosure(order) - 1.0)).high;
  });
}

// A chain with what several targets or accountings need of it, each made once.
class Sums {
 public:
  Sums(std::span<const ChainStep> chain, const RunControl& control)
      : chain_(chain), control_(control) {}

  std::span<const ChainStep> chain() const { return chain_; }

  const Result<Levels>& levels_at(double delta) {
    const auto known = levels_.find(delta);
    if (known != levels_.end()) return known->second;
    return levels_.emplace(delta, assay::levels_at(chain_, delta, control_)).first->second;
  }
  const tl::expected<ZeroConcentratedDp, Unknown>& zcdp() {
    if (!zcdp_) zcdp_ = composed<ZeroConcentratedDp>(chain_, step_zcdp, control_);
    return *zcdp_;
  }
  const tl::expected<RenyiDp, Unknown>& renyi() {
    if (!renyi_) renyi_ = composed<RenyiDp>(chain_, step_renyi, control_);
    if (*renyi_ && chain_.size() > kMostCurves && !is_tabulated_) {
      renyi_ = at_whole_orders(**renyi_);
      is_tabulated_ = true;
    }
    return *renyi_;
  }
  const tl::expected<GaussianDp, Unknown>& gaussian() {
    if (!gaussian_) gaussian_ = composed<GaussianDp>(chain_, step_gaussian, control_);
    return *gaussian_;
  }

 private:
  std::span<const ChainStep> chain_;
  const RunControl& control_;
  std::map<double, Result<Levels>> levels_;
  std::optional<tl::expected<ZeroConcentratedDp, Unknown>> zcdp_;
  std::optional<tl::expected<RenyiDp, Unknown>> renyi_;
  bool is_tabulated_ = false;
  std::optional<tl::expected<GaussianDp, Unknown>> gaussian_;
};

Outcome basic(Sums& sums, const AccountTarget& target) {
  const auto chain = sums.chain();
  if (!target.asks_epsilon() && !all_own(chain)) return unknown(kOnlyOwn);
  if (target.asks_epsilon() && target.given == 0.0 && !all_own(chain)) {
    return unknown("no finite eps at delta = 0");
  }
  const auto& levels = sums.levels_at(target.given);
  if (!levels) return failed(levels);
  const ApproximateDp& sum = levels->sum;
  if (target.asks_epsilon()) {
    if (sum.delta.value <= target.given) return sum.epsilon.value;
    return unknown(too_much_delta(sum.delta.value, target.given));
  }
  return approximate_at_epsilon(sum, Epsilon{target.given}).delta.value;
}

// Levels with half of the remaining delta as slack, or all that their own deltas leave.
struct Slack {
  Levels levels;
  double slack = 0.0;
};
tl::expected<Slack, Unknown> with_slack(Sums& sums, double delta) {
  const auto& levels = sums.levels_at(0.5 * delta);
  if (!levels) return tl::make_unexpected(Unknown{levels.error().message});
  const double own = levels->sum.delta.value;
  const double slack = (delta - own) / (1.0 - own) * kRoom;
  if (slack > 0.0) return Slack{*levels, slack};
  return tl::make_unexpected(Unknown{too_much_delta(own, delta)});
}

Outcome for_epsilon_only() { return unknown("it is stated for eps at a delta"); }

Outcome checked(const Result<ApproximateDp>& level, double delta) {
  if (!level) return failed(level);
  if (level->delta.value <= delta) return level->epsilon.value;
  return unknown(too_much_delta(level->delta.value, delta));
}

Outcome drv(Sums& sums, const AccountTarget& target) {
  const auto chain = sums.chain();
  if (!target.asks_epsilon()) return for_epsilon_only();
  if (target.given == 0.0) return unknown("it needs a delta above 0");
  if (chain.size() > 1) return unknown("it is stated for equal steps");
  const auto parts = ASSAY_TRY(with_slack(sums, target.given));
  const ApproximateDp& each = parts.levels.each.front();
  const auto count = chain.front().count;
  const double slack = (target.given - static_cast<double>(count) * each.delta.value) * kRoom;
  if (!(slack > 0.0)) return unknown(too_much_delta(parts.levels.sum.delta.value, target.given));
  return checked(advanced_composition_drv(each, count, Delta{slack}), target.given);
}

Outcome kov(Sums& sums, const AccountTarget& target) {
  const auto chain = sums.chain();
  if (!target.asks_epsilon()) return for_epsilon_only();
  if (target.given == 0.0) return unknown("it needs a delta above 0");
  if (releases_of(chain) > kMostExpanded) return unknown("more than 1,000,000 releases");
  const auto parts = ASSAY_TRY(with_slack(sums, target.given));
  std::vector<ApproximateDp> all;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    all.insert(all.end(), static_cast<std::size_t>(chain[i].count), parts.levels.each[i]);
  }
  return checked(advanced_composition(all, Delta{parts.slack}), target.given);
}

Outcome optimal(Sums& sums, const AccountTarget& target) {
  const auto chain = sums.chain();
  if (chain.size() > 1) return unknown("for unequal steps it is #P-hard");
  if (!target.asks_epsilon() && !all_own(chain)) return unknown(kOnlyOwn);
  if (chain.front().count > kMostOptimal) return unknown("more than 100,000 releases");
  if (target.given == 0.0 && !all_own(chain)) return unknown("no finite eps at delta = 0");
  const auto& levels = sums.levels_at(0.5 * target.given);
  if (!levels) return failed(levels);
  const auto whole = OptimalComposition::create(levels->each.front(), chain.front().count);
  if (!whole) return failed(whole);
  if (!target.asks_epsilon()) return whole->delta_at(Epsilon{target.given}).upper.value.value;
  const auto eps = whole->epsilon_at(Delta{target.given});
  if (!eps) return failed(eps);
  return eps->value.value;
}

template <class Q>
Outcome value_of(const Result<UpperBound<Q>>& bound) {
  if (!bound) return failed(bound);
  return bound->value.value;
}

Outcome zcdp(Sums& sums, const AccountTarget& target) {
  const auto whole = ASSAY_TRY(sums.zcdp());
  if (target.asks_epsilon()) return value_of(zcdp_epsilon(whole.rho, Delta{target.given}));
  return value_of(zcdp_delta(whole.rho, Epsilon{target.given}));
}

Outcome renyi(Sums& sums, const AccountTarget& target) {
  const auto whole = ASSAY_TRY(sums.renyi());
  if (target.asks_epsilon()) return value_of(renyi_epsilon(whole, Delta{target.given}));
  return value_of(renyi_delta(whole, Epsilon{target.given}));
}

Outcome gaussian(Sums& sums, const AccountTarget& target) {
  const auto whole = ASSAY_TRY(sums.gaussian());
  if (!target.asks_epsilon()) {
    return approximate_at_epsilon(whole, Epsilon{target.given}).delta.value;
  }
  const auto level = approximate_at_delta(whole, Delta{target.given});
  if (!level) return failed(level);
  return level->epsilon.value;
}

struct Accounting {
  const char* name;
  const char* source;
  Outcome (*upper)(Sums&, const AccountTarget&);
};

constexpr Accounting kAccountings[] = {
    {"Gaussian DP", "Dong, Roth, Su (2022), corollary 2.13 and theorem 3.2", gaussian},
    {"optimal composition", "Kairouz, Oh, Viswanath (2017), theorem 3.3", optimal},
    {"Renyi DP", "Mironov (2017), proposition 1; Canonne, Kamath, Steinke (2020), proposition 12",
     renyi},
    {"zCDP", "Bun, Steinke (2016), lemma 2.3; Canonne, Kamath, Steinke (2020)", zcdp},
    {"advanced composition, KOV", "Kairouz, Oh, Viswanath (2017), theorem 3.5", kov},
    {"advanced composition, DRV", "Dwork, Rothblum, Vadhan (2010), theorem III.3", drv},
    {"basic composition", "Dwork, Roth (2014), theorem 3.16", basic},
};

}  // namespace

std::vector<std::vector<OtherAccounting>> other_accountings(std::span<const ChainStep> chain,
                                                            std::span<const AccountTarget> targets,
                                                            const RunControl& control) {
  Sums sums(chain, control);
  std::vector<std::vector<OtherAccounting>> of_targets;
  for (const AccountTarget& target : targets) {
    std::vector<OtherAccounting> all;
    for (const auto& [name, source, upper] : kAccountings) {
      OtherAccounting other{name, source, std::nullopt, {}};
      const Outcome outcome = upper(sums, target);
      if (outcome && std::isfinite(*outcome)) {
        other.upper = *outcome;
      } else {
        other.why_not = outcome ? "it gives no finite eps here" : outcome.error().why;
      }
      all.push_back(std::move(other));
    }
    of_targets.push_back(std::move(all));
  }
  return of_targets;
}

}  // namespace assay
