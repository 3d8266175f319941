#include "assay/mechanisms/accounting/account/internal/order_profile.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/core/shared_progress.hpp"

namespace assay::detail {
namespace {

using Orders = std::vector<const std::vector<PldTerm>*>;

Orders orders_of(const OrderedTerms& terms) {
  Orders orders{&terms.remove};
  if (!terms.add.empty()) orders.push_back(&terms.add);
  return orders;
}

// All deltas of all orders side by side, where there are threads for it.
Result<std::vector<OrderProfile>> profiles_of(const Orders& orders, std::span<const double> deltas,
                                              const PldOptions& options,
                                              const RunControl& control) {
  std::vector<Result<ComposedPld>> parts(
      orders.size() * deltas.size(), fail(ErrorCode::kInternal, "a part that was not composed"));
  SharedProgress progress(control, "curves");
  parallel_for(control.threads, parts.size(), [&](std::size_t i) {
    const auto& order = *orders[i / deltas.size()];
    parts[i] = compose_near(order, Delta{deltas[i % deltas.size()]}, options);
    progress.add(1.0 / static_cast<double>(parts.size()));
  });
  std::vector<OrderProfile> profiles;
  for (std::size_t o = 0; o < orders.size(); ++o) {
    OrderProfile profile{output_events(*orders[o]), {}, {}};
    for (std::size_t d = 0; d < deltas.size(); ++d) {
      auto& part = parts[o * deltas.size() + d];
      if (!part && is_interrupted(part.error())) return tl::make_unexpected(part.error());
      if (!part) continue;
      profile.ends.push_back(part->epsilon(Delta{deltas[d]}).upper.value.value);
      profile.parts.push_back(std::move(*part));
    }
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

}  // namespace

double OrderProfile::upper(double eps) const {
  double least = 1.0;
  for (const auto& part : parts) {
    least = std::min(least, part.delta(Epsilon{eps}).upper.value.value);
  }
  return least;
}

double OrderProfile::lower(double eps) const {
  double most = event_lower(events, {AccountTarget::Asked::kDeltaAtEpsilon, eps});
  for (const auto& part : parts) {
    most = std::max(most, part.delta(Epsilon{eps}).lower.value.value);
  }
  return most;
}

double OrderProfile::end() const {
  double furthest = 0.0;
  for (const double eps : ends) {
    if (std::isfinite(eps)) furthest = std::max(furthest, eps);
  }
  return furthest;
}

PldOptions profile_width(std::span<const ChainStep> chain, const RunControl& control) {
  const bool is_rough = is_wide_between_pairs(chain) || chain.size() >= kManyTerms;
  const double share = is_rough ? 2e-3 : 2e-4;
  return {.epsilon_width = 5.0 * share,
          .least_relative_width = share,
          .max_points = std::int64_t{1} << 18,
          .attempts = 2,
          .cancel = control.cancel};
}

Result<PairedProfiles> paired_profiles(const PairedChain& chain, std::span<const double> deltas,
                                       const PldOptions& options, const RunControl& control) {
  auto orders = orders_of(chain.dominating);
  const std::size_t above = orders.size();
  if (chain.attained) {
    for (const auto* order : orders_of(*chain.attained)) orders.push_back(order);
  }
  auto all = ASSAY_TRY(profiles_of(orders, deltas, options, control));
  const auto first_below =
      std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(above));
  PairedProfiles profiles;
  if (chain.attained) profiles.attained.emplace(first_below, std::make_move_iterator(all.end()));
  all.resize(above);
  profiles.dominating = std::move(all);
  return profiles;
}

Result<std::vector<OrderProfile>> order_profiles(const OrderedTerms& terms,
                                                 std::span<const double> deltas,
                                                 const PldOptions& options,
                                                 const RunControl& control) {
  return profiles_of(orders_of(terms), deltas, options, control);
}

}  // namespace assay::detail
