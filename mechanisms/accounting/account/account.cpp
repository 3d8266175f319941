#include "assay/mechanisms/accounting/account/account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/accounting/account/internal/grouped_chain.hpp"
#include "assay/mechanisms/accounting/account/internal/selected_run.hpp"
#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::int64_t kMostExact = 100'000;  // releases in a closed form of binary pairs
constexpr std::size_t kMostParts = 64;        // one kind of so many is not the whole leak

// ---- closed forms -------------------------------------------------------------------------------

Enclosure log_of_delta(double delta) { return log(Enclosure(delta)); }

// The mu of a chain of Gaussian noise, GDP and matrix mechanisms.
std::optional<Enclosure> gaussian_mu(std::span<const ChainStep> chain) {
  Enclosure squares = 0.0;
  for (const ChainStep& step : chain) {
    Enclosure mu;
    if (const auto* noise = std::get_if<GaussianStep>(&step.mechanism)) {
      mu = detail::moved(noise->sensitivity, noise->group) / noise->sigma;
    } else if (const auto* level = std::get_if<GdpStep>(&step.mechanism)) {
      mu = level->mu;
    } else if (const auto* matrix = std::get_if<MatrixStep>(&step.mechanism);
               matrix != nullptr && is_exact(*matrix)) {
      mu = matrix_mu(*matrix);
    } else {
      return std::nullopt;
    }
    squares = squares + mu * mu * static_cast<double>(step.count);
  }
  return sqrt(squares);
}

std::optional<ClosedForm> gaussian_form(std::span<const ChainStep> chain,
                                        const AccountTarget& target) {
  const auto mu = gaussian_mu(chain);
  if (!mu) return std::nullopt;
  const std::string source = "Gaussian DP, mu^2 the sum of all";
  if (target.asks_epsilon()) {
    const Enclosure log_delta = log_of_delta(target.given);
    return ClosedForm{gdp_epsilon_lower(Mu{mu->low}, log_delta.high).value.value,
                      gdp_epsilon_upper(Mu{mu->high}, log_delta.low).value.value, source};
  }
  const auto at = [&](double m, double widened) {
    return gdp_delta(Mu{m}, Epsilon{target.given}).value * widened;
  };
  return ClosedForm{at(mu->low, 1.0 - 2.0 * kGdpRelativeError),
                    std::min(1.0, at(mu->high, 1.0 + 2.0 * kGdpRelativeError) +
                                      std::numeric_limits<double>::min()),
                    source};
}

// A step that is randomised response with two answers: its eps, between roundings, and own delta.
struct Binary {
  Enclosure epsilon;
  double delta = 0.0;
};
std::optional<Binary> as_binary(const StepMechanism& step) {
  if (const auto* pure = std::get_if<PureStep>(&step)) return Binary{pure->epsilon};
  if (const auto* own = std::get_if<ApproximateStep>(&step)) {
    return Binary{own->epsilon, own->own_delta};
  }
  if (const auto* response = std::get_if<RandomizedResponseStep>(&step)) {
    if (response->answers == 2) return Binary{response->epsilon};
  }
  if (const auto* noise = std::get_if<DiscreteLaplaceStep>(&step)) {
    return Binary{Enclosure(1.0) / noise->scale};
  }
  return std::nullopt;
}

// The largest double whose delta, rounded down, is above the target; 0 if there is none.
double largest_refuted(const OptimalComposition& whole, double delta) {
  const double first_not = detail::smallest_double(
      [&](double eps) { return whole.delta_at(Epsilon{eps}).lower.value.value <= delta; });
  if (std::isinf(first_not)) return first_not;
  return first_not > 0.0 ? std::max(0.0, detail::round_down(first_not)) : 0.0;
}

std::optional<ClosedForm> binary_form(std::span<const ChainStep> chain,
                                      const AccountTarget& target) {
  if (chain.size() != 1 || chain.front().count > kMostExact) return std::nullopt;
  const auto binary = as_binary(chain.front().mechanism);
  if (!binary) return std::nullopt;
  const auto make = [&](double eps) {
    return OptimalComposition::create({Epsilon{eps}, Delta{binary->delta}}, chain.front().count);
  };
  const auto low = make(binary->epsilon.low), high = make(binary->epsilon.high);
  if (!low || !high) return std::nullopt;
  const std::string source = "binomial, Kairouz, Oh, Viswanath (2017), theorem 3.3";
  if (!target.asks_epsilon()) {
    const Epsilon eps{target.given};
    return ClosedForm{low->delta_at(eps).lower.value.value, high->delta_at(eps).upper.value.value,
                      source};
  }
  const auto upper = high->epsilon_at(Delta{target.given});
  if (!upper) return std::nullopt;
  return ClosedForm{largest_refuted(*low, target.given), upper->value.value, source};
}

std::optional<ClosedForm> laplace_form(std::span<const ChainStep> chain,
                                       const AccountTarget& target) {
  if (chain.size() != 1 || chain.front().count != 1) return std::nullopt;
  const auto* noise = std::get_if<LaplaceStep>(&chain.front().mechanism);
  if (noise == nullptr) return std::nullopt;
  const Enclosure loss = detail::moved(noise->sensitivity, noise->group) / noise->scale;
  const Enclosure value = target.asks_epsilon()
                              ? loss + log1p(Enclosure(-target.given)) * 2.0
                              : -expm1((Enclosure(target.given) - loss) * 0.5);  // (4)
  return ClosedForm{std::max(0.0, value.low), std::max(0.0, value.high),
                    "1 - e^((eps - sensitivity/scale)/2)"};
}

// One release of Gaussian noise on a sample that has the record with probability q: (6) of account.md.
std::optional<ClosedForm> sampled_form(std::span<const ChainStep> chain,
                                       const AccountTarget& target) {
  if (chain.size() != 1 || chain.front().count != 1) return std::nullopt;
  const auto* sampled = std::get_if<SampledStep>(&chain.front().mechanism);
  if (sampled == nullptr) return std::nullopt;
  const auto* noise = std::get_if<GaussianStep>(&sampled->noise);
  if (noise == nullptr) return std::nullopt;
  Enclosure q, distance;
  if (const auto* poisson = std::get_if<PoissonSampler>(&sampled->sampler)) {
    if (poisson->group > 1 || sampled->relation == SampledRelation::kReplaceOne)
      return std::nullopt;
    q = poisson->sampling;
    distance = noise->sensitivity;
  } else if (const auto* fixed = std::get_if<FixedSizeSampler>(&sampled->sampler)) {
    q = Enclosure(static_cast<double>(fixed->batch)) / static_cast<double>(fixed->records);
    distance = fixed->distance;
  } else {
    return std::nullopt;
  }
  const Enclosure mu = distance / noise->sigma;
  const std::string source = "Gaussian noise on a sample";
  if (!target.asks_epsilon()) {
    const Enclosure inner = log1p(expm1(Enclosure(target.given)) / q);
    const auto at = [&](double m, double eps) {
      return gdp_delta(Mu{m}, Epsilon{std::max(eps, 0.0)}).value;
    };
    if (!std::isfinite(inner.high)) return std::nullopt;
    const Enclosure low = q * (at(mu.low, inner.high) * (1.0 - 2.0 * kGdpRelativeError));
    const Enclosure high = q * (at(mu.high, inner.low) * (1.0 + 2.0 * kGdpRelativeError) +
                                std::numeric_limits<double>::min());
    return ClosedForm{low.low, std::min(1.0, high.high), source};
  }
  const Enclosure log_share = log_of_delta(target.given) - log(q);
  if (!(log_share.high < 0.0)) return std::nullopt;
  const auto outer = [&](double eps) { return log1p(q * expm1(Enclosure(eps))); };
  return ClosedForm{outer(gdp_epsilon_lower(Mu{mu.low}, log_share.high).value.value).low,
                    outer(gdp_epsilon_upper(Mu{mu.high}, log_share.low).value.value).high, source};
}

// ---- bounds -------------------------------------------------------------------------------------

struct Bounds {
  double lower = 0.0;
  double upper = 0.0;
  bool composed = true;  // by distributions; else only by bounds that need none
};

// Of two intervals of the same truth.
Bounds met(const Bounds& a, const Bounds& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper), a.composed || b.composed};
}

// Both orders of the neighbours, or one if they are the same.
struct Ordered {
  Bounds remove;
  std::optional<Bounds> add;
};

void set_bounds(const Ordered& orders, AccountAnswer& answer) {
  answer.lower = orders.remove.lower;
  answer.upper = orders.remove.upper;
  if (!orders.add) return;
  answer.lower = std::max(*answer.lower, orders.add->lower);  // (1)
  answer.upper = std::max(answer.upper, orders.add->upper);
  if (orders.remove.lower > orders.add->upper) answer.worse_order = "remove";
  if (orders.add->lower > orders.remove.upper) answer.worse_order = "add";
}

constexpr double kLeastComposed = 1e-260;  // above e^-600, the least delta to compose for

// Bounds by distributions; [0, inf] or [0, 1] if they cannot be composed.
Result<Bounds> bounds_of(std::span<const PldTerm> terms, const AccountTarget& target,
                         const PldOptions& options) {
  if (const auto whole = detail::enumerated(terms)) {
    const auto [lower, upper] = detail::enumerated_bounds(*whole, target);
    return Bounds{lower, upper};
  }
  const auto composed =
      target.asks_epsilon()
          ? compose_near(terms, Delta{std::max(target.given, kLeastComposed)}, options)
          : compose_near(terms, Epsilon{target.given}, options);
  if (!composed) {
    if (detail::is_interrupted(composed.error())) return tl::make_unexpected(composed.error());
    return Bounds{0.0, target.asks_epsilon() ? kInfinity : 1.0, false};
  }
  if (target.asks_epsilon()) {  // a composition for one delta bounds every other
    const auto eps = composed->epsilon(Delta{target.given});
    return Bounds{eps.lower.value.value, eps.upper.value.value};
  }
  const auto delta = composed->delta(Epsilon{target.given});
  return Bounds{delta.lower.value.value, delta.upper.value.value};
}

// eps at delta = 0: the sum of the largest losses of this order, or why it is infinite.
Known<Bounds> largest_sum(std::span<const ChainStep> chain, SamplingDirection order) {
  Enclosure sum = 0.0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const auto loss = step_largest_loss(chain[i].mechanism, order);
    if (!loss) {
      return tl::make_unexpected(Unknown{step_name(chain[i].mechanism) + ": " + loss.error().why});
    }
    const Enclosure each{loss->lower.value.value, loss->upper.value.value};
    sum = chain[i].count == 1 && i == 0 ? each : sum + each * static_cast<double>(chain[i].count);
  }
  return Bounds{sum.low, sum.high};
}

// Which bounds count: of a pair above the truth the upper one alone.
enum class Counts { kBoth, kUpper };

// The intersection with the bounds from the largest losses: beyond their sum delta is 0, which no grid
// shows. If these bounds are tight enough, nothing is composed.
Result<Bounds> bounds_of(std::span<const ChainStep> chain, SamplingDirection order,
                         std::span<const PldTerm> terms, const AccountTarget& target,
                         const PldOptions& options, Counts counts) {
  constexpr double kAsGood = 1e-9;  // relative, no distribution is tighter
  const auto largest = largest_sum(chain, order);
  if (!target.asks_epsilon() && largest && largest->upper <= target.given) return Bounds{0.0, 0.0};
  const double upper = target.asks_epsilon() && largest ? largest->upper : kInfinity;
  double lower = detail::event_lower(detail::output_events(terms), target);
  if (counts == Counts::kUpper) lower = std::min(lower, upper);
  if (std::isfinite(upper) && upper - lower <= kAsGood * upper) return Bounds{lower, upper, false};
  auto bounds = bounds_of(terms, target, options);
  if (!bounds) return bounds;
  bounds->upper = std::min(bounds->upper, upper);
  bounds->lower = std::max(bounds->lower, lower);
  if (counts == Counts::kUpper) bounds->lower = std::min(bounds->lower, bounds->upper);
  if (bounds->lower <= bounds->upper) return bounds;
  return fail(ErrorCode::kInternal, "the largest losses contradict the distributions: [" +
                                        number_text(bounds->lower) + ", " +
                                        number_text(bounds->upper) + "]");
}

// A quick interval, wide enough to tell which order leaks more.
PldOptions quick(PldOptions options, std::size_t kinds) {
  const double wide = kinds < kManyTerms ? 0.01 : 0.1;  // of eps
  constexpr double kWideForDelta = 0.3;                 // of delta
  constexpr double kQuickShare = 0.2;                   // of the time
  options.epsilon_width = 1e9;
  options.relative_width = std::max(options.relative_width, wide);
  options.delta_relative_width = std::max(options.delta_relative_width, kWideForDelta);
  options.attempts = 1;
  options.part *= kQuickShare;
  return options;
}

// Composes the two orders side by side where there are threads for it.
Result<Ordered> ordered_bounds(std::span<const ChainStep> chain, const detail::OrderedTerms& terms,
                               const AccountTarget& target, const PldOptions& options,
                               Counts counts, int threads) {
  using Order = SamplingDirection;
  const auto bounds_in = [&](Order order, const PldOptions& with) {
    return bounds_of(chain, order, order == Order::kRemove ? terms.remove : terms.add, target, with,
                     counts);
  };
  if (terms.add.empty()) {
    const auto both = ASSAY_TRY(bounds_in(Order::kRemove, options));
    return Ordered{both, std::nullopt};
  }
  constexpr std::array kOrders = {Order::kRemove, Order::kAdd};
  PldOptions narrow = options;
  narrow.part /= static_cast<double>(kOrders.size());
  const PldOptions rough = quick(narrow, chain.size());
  narrow.part -= rough.part;
  std::array<Result<Bounds>, 2> quickly, narrowly;
  parallel_for(threads, kOrders.size(),
               [&](std::size_t i) { quickly[i] = bounds_in(kOrders[i], rough); });
  for (const Result<Bounds>& each : quickly) {
    if (!each) return tl::make_unexpected(each.error());
  }
  // The order that leaks less needs no narrow interval.
  parallel_for(threads, kOrders.size(), [&](std::size_t i) {
    const bool is_lesser = quickly[i]->upper < quickly[1 - i]->lower;
    if (is_lesser && options.progress != nullptr) options.progress->add(narrow.part);
    narrowly[i] = is_lesser ? quickly[i] : bounds_in(kOrders[i], narrow);
  });
  std::array<Bounds, 2> bounds;
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    if (!narrowly[i]) return tl::make_unexpected(narrowly[i].error());
    bounds[i] = met(*quickly[i], *narrowly[i]);
    if (bounds[i].lower <= bounds[i].upper) continue;
    return fail(ErrorCode::kInternal, "a quick interval contradicts a narrow one: [" +
                                          number_text(bounds[i].lower) + ", " +
                                          number_text(bounds[i].upper) + "]");
  }
  return Ordered{bounds[0], bounds[1]};
}

// The lower bounds of the pairs that data sets have, in place of those of the dominating ones.
Status take_lower(const Ordered& attained, Ordered& orders) {
  orders.remove.lower = attained.remove.lower;
  if (attained.add && orders.add) orders.add->lower = attained.add->lower;
  if (attained.add && !orders.add) {
    orders.remove.lower = std::max(orders.remove.lower, attained.add->lower);
  }
  if (!attained.add && orders.add) orders.add->lower = attained.remove.lower;
  for (const Bounds* bounds : {&orders.remove, orders.add ? &*orders.add : &orders.remove}) {
    if (bounds->lower <= bounds->upper) continue;
    return fail(ErrorCode::kInternal,
                "explicit data sets contradict the dominating pair: " + number_text(bounds->lower) +
                    " above " + number_text(bounds->upper));
  }
  return {};
}

// A lower bound on the probability that the terms guarantee nothing.
double certain_loss(std::span<const PldTerm> terms) {
  Enclosure log_kept = 0.0;
  for (const PldTerm& term : terms) {
    if (term.loss.mass_at_infinity == 0.0) continue;
    log_kept =
        log_kept + log1p(Enclosure(-term.loss.mass_at_infinity)) * static_cast<double>(term.count);
  }
  return std::max(0.0, (-expm1(log_kept)).low);
}

Result<AccountAnswer> at_delta_zero(std::span<const ChainStep> chain, AccountAnswer answer) {
  answer.route = "the sum of the largest losses";
  const auto remove = largest_sum(chain, SamplingDirection::kRemove);
  const auto add = largest_sum(chain, SamplingDirection::kAdd);
  if (remove && add) {
    set_bounds({*remove, *add}, answer);
    return answer;
  }
  answer.upper = kInfinity;
  answer.lower = kInfinity;
  // A step without a pair may be as private as pure DP, so nothing shows that it has no finite eps.
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (!has_pair(chain[i].mechanism)) continue;
    for (const auto& sum : {largest_sum(chain.subspan(i, 1), SamplingDirection::kRemove),
                            largest_sum(chain.subspan(i, 1), SamplingDirection::kAdd)}) {
      if (sum) continue;
      answer.why_infinite = "no finite eps holds at delta = 0: " + sum.error().why;
      return answer;
    }
  }
  answer.lower = std::nullopt;
  answer.why_infinite =
      "no finite eps follows at delta = 0: " + (remove ? add.error().why : remove.error().why);
  return answer;
}

// Certainly infinite: some steps guarantee nothing with a probability above delta.
bool is_infinite(const detail::PairedChain& chain, AccountAnswer& answer) {
  const double delta = answer.target.given;
  const detail::OrderedTerms& terms = chain.lower();
  const double certain = std::max(certain_loss(terms.remove), certain_loss(terms.add));
  if (!answer.target.asks_epsilon() || certain <= delta) return false;
  answer.lower = kInfinity;
  answer.upper = kInfinity;
  answer.route = "the probability that the steps guarantee nothing";
  answer.why_infinite = "the steps guarantee nothing with probability " + number_text(certain) +
                        ", more than delta = " + number_text(delta);
  return true;
}

// Applies another bound on the same truth, and notes its name.
void meet(const std::string& name, double lower, double upper, AccountAnswer& answer,
          std::vector<std::string>& met) {
  constexpr double kVisible = 1e-9;  // relative; a bound that moves an end by less is not named
  const bool raises = answer.lower && lower > *answer.lower * (1.0 + kVisible);
  const bool lowers = upper < answer.upper * (1.0 - kVisible);
  if (answer.lower) answer.lower = std::max(*answer.lower, lower);
  answer.upper = std::min(answer.upper, upper);
  if ((raises || lowers) && std::find(met.begin(), met.end(), name) == met.end()) {
    met.push_back(name);
  }
}

std::string listed_by(const std::vector<std::string>& names, const std::string& separator) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

// The intersection with all other certified bounds of the chain.
void meet_others(std::span<const ChainStep> chain, AccountAnswer& answer) {
  if (std::isinf(answer.lower.value_or(0.0))) return;
  const bool was_infinite = !std::isfinite(answer.upper);
  std::vector<std::string> met;
  if (answer.closed) {
    meet("the closed form", answer.closed->lower, answer.closed->upper, answer, met);
  }
  if (!answer.others.empty() && answer.others.front().upper) {  // the tightest first
    meet(answer.others.front().name, 0.0, *answer.others.front().upper, answer, met);
  }
  for (std::size_t i = 0; chain.size() > 1 && chain.size() <= kMostParts && i < chain.size(); ++i) {
    const auto part = detail::closed_form(chain.subspan(i, 1), answer.target);
    if (part) meet("the closed form of a step", part->lower, kInfinity, answer, met);
  }
  if (!std::isfinite(answer.upper)) {
    if (!answer.why_infinite.empty()) return;
    answer.why_infinite =
        "no route gives a finite eps at delta = " + number_text(answer.target.given) +
        ", near the probability that the steps guarantee nothing";
  } else if (was_infinite) {
    answer.route = listed_by(met, " and ") +
                   ", since privacy-loss distributions leave no room below this delta";
  } else if (!met.empty()) {
    answer.route += "; intersected with " + listed_by(met, " and ");
  }
}

Status check_agreement(const AccountAnswer& answer) {
  const double lower = answer.lower.value_or(0.0);
  if (answer.closed && (answer.closed->lower > answer.upper || answer.closed->upper < lower)) {
    return fail(ErrorCode::kInternal, "the certified interval and its closed form contradict: [" +
                                          number_text(lower) + ", " + number_text(answer.upper) +
                                          "] and [" + number_text(answer.closed->lower) + ", " +
                                          number_text(answer.closed->upper) + "]");
  }
  for (const OtherAccounting& other : answer.others) {
    if (!other.upper || *other.upper >= lower) continue;
    return fail(ErrorCode::kInternal, other.name + " gives " + number_text(*other.upper) +
                                          ", below the certified lower bound " +
                                          number_text(lower));
  }
  return {};
}

Status check_target(const AccountTarget& target) {
  if (target.asks_epsilon()) return detail::check_delta("delta", target.given);
  return detail::check_non_negative("at_epsilon", target.given);
}

// Of eps; fewer points suffice for the least width where eps is above 100.
constexpr PldOptions kAccountWidth{.relative_width = 5e-5, .least_relative_width = 1e-6};

// The lower bound of a chain without a pair above all data sets, if there is one.
Result<AccountAnswer> with_attained(std::span<const ChainStep> chain, const LossAccuracy& accuracy,
                                    AccountAnswer answer, const RunControl& control,
                                    const PldOptions& options) {
  const auto terms = ASSAY_TRY(detail::attained_chain(chain, control, accuracy));
  if (!terms) return answer;
  const auto orders = ASSAY_TRY(
      ordered_bounds(chain, *terms, answer.target, options, Counts::kBoth, control.threads));
  const double lower = std::max(orders.remove.lower, orders.add ? orders.add->lower : 0.0);
  if (!std::isfinite(lower)) return answer;
  answer.lower = lower;
  answer.is_exact = false;
  answer.route += ", from above; from below, a pair that data sets have";
  return answer;
}

// Random allocation alone takes much longer for closer losses.
bool has_costly_losses(std::span<const ChainStep> chain) {
  return std::any_of(chain.begin(), chain.end(), [](const ChainStep& step) {
    const auto* sampled = std::get_if<SampledStep>(&step.mechanism);
    return sampled != nullptr && sampled->relation == SampledRelation::kAddOrRemove &&
           std::holds_alternative<AllocationSampler>(sampled->sampler);
  });
}

// The order that leaks less, from rough losses; nothing if these do not tell.
Result<std::optional<SamplingDirection>> lesser_order(std::span<const ChainStep> chain,
                                                      const AccountTarget& target,
                                                      LossAccuracy accuracy,
                                                      const RunControl& control) {
  using Order = std::optional<SamplingDirection>;
  const bool is_at_zero = target.asks_epsilon() && target.given == 0.0;
  if (is_at_zero || !has_costly_losses(chain)) return Order();
  accuracy.relative_width = kRoughWidth;
  const auto paired = ASSAY_TRY(detail::paired_chain(chain, control, accuracy));
  if (!paired || paired->dominating.add.empty() || paired->lower().add.empty()) return Order();
  PldOptions options = quick({}, chain.size());
  options.cancel = control.cancel;
  for (const auto& [lesser, other] :
       {std::pair{SamplingDirection::kAdd, SamplingDirection::kRemove},
        std::pair{SamplingDirection::kRemove, SamplingDirection::kAdd}}) {
    const auto of = [](const detail::OrderedTerms& terms, SamplingDirection order) {
      return std::span<const PldTerm>(order == SamplingDirection::kAdd ? terms.add : terms.remove);
    };
    const auto above = ASSAY_TRY(
        bounds_of(chain, lesser, of(paired->dominating, lesser), target, options, Counts::kUpper));
    const auto below = ASSAY_TRY(
        bounds_of(chain, other, of(paired->lower(), other), target, options, Counts::kBoth));
    if (above.upper < below.lower) return Order(lesser);
  }
  return Order();
}

// The pairs of the chain, as close as the answer needs.
Result<Known<detail::PairedChain>> pairs_for(std::span<const ChainStep> chain,
                                             const AccountTarget& target, LossAccuracy accuracy,
                                             const RunControl& control) {
  accuracy.lesser = ASSAY_TRY(lesser_order(chain, target, accuracy, control));
  return detail::paired_chain(chain, control, accuracy);
}

Result<AccountAnswer> answer_of(std::span<const ChainStep> chain, const LossAccuracy& accuracy,
                                AccountAnswer answer, const RunControl& control,
                                PldOptions options) {
  const AccountTarget& target = answer.target;
  options.cancel = control.cancel;
  options.threads = control.threads;
  if (detail::is_wide_between_pairs(chain)) {
    constexpr double kEnough = 1e-3;  // of eps
    options.least_relative_width = std::max(options.least_relative_width, kEnough);
    options.delta_relative_width = std::max(options.delta_relative_width, 10.0 * kEnough);
  }
  const auto paired = ASSAY_TRY(pairs_for(chain, target, accuracy, control));
  if (!paired) {
    const auto bound = ASSAY_TRY(detail::one_sided(chain, target, control));
    answer.upper = bound.upper;
    answer.route = bound.route;
    return with_attained(chain, accuracy, std::move(answer), control, options);
  }
  if (is_infinite(*paired, answer)) return answer;
  const detail::OrderedTerms& terms = paired->dominating;
  std::array<Result<Ordered>, 2> sides;  // of the dominating pairs, and of the attained ones
  const std::size_t count = paired->attained ? 2 : 1;
  options.part /= static_cast<double>(count);
  parallel_for(control.threads, count, [&](std::size_t i) {
    const bool is_upper = i == 0 && paired->attained;
    sides[i] = ordered_bounds(chain, i == 0 ? terms : *paired->attained, target, options,
                              is_upper ? Counts::kUpper : Counts::kBoth, control.threads);
  });
  auto orders = ASSAY_TRY(std::move(sides[0]));
  if (paired->attained) {
    const auto attained = ASSAY_TRY(std::move(sides[1]));
    ASSAY_TRY(take_lower(attained, orders));
  }
  set_bounds(orders, answer);
  answer.is_exact = paired->sources.empty();
  answer.route = "the largest losses";
  if (orders.remove.composed || (orders.add && orders.add->composed)) {
    answer.route = terms.add.empty()
                       ? "privacy-loss distributions"
                       : "privacy-loss distributions, the worse of a record added and one removed";
  }
  if (!answer.is_exact) answer.route += ", between two pairs: " + paired->sources;
  return answer;
}

std::int64_t all_releases(std::span<const ChainStep> chain) {
  std::int64_t total = 0;
  for (const ChainStep& step : chain) total += step.count;
  return total;
}

void append(const DirectedLosses& losses, std::span<const RepeatedLosses> more, std::int64_t count,
            detail::OrderedTerms& terms, bool& all_symmetric) {
  all_symmetric = all_symmetric && losses.symmetric;
  terms.remove.push_back({losses.remove, count});
  terms.add.push_back({losses.add, count});
  for (const RepeatedLosses& each : more) {
    append(each.losses, {}, each.count * count, terms, all_symmetric);
  }
}

// The tails that must be kept so that the part cut off does not show in delta.
LossAccuracy accuracy_near(std::span<const ChainStep> chain, double delta) {
  const auto count = static_cast<double>(all_releases(chain));
  const double wanted = portable_log(std::max(delta, kLeastComposed)) - portable_log(count) - 20.0;
  return {.log_tail = std::clamp(wanted, -600.0, kDefaultLogTail), .delta = delta};
}

// That of the target, or for an eps the best bound on its delta.
LossAccuracy accuracy_for(std::span<const ChainStep> chain, const AccountAnswer& answer) {
  double delta = answer.target.asks_epsilon() ? answer.target.given : 1.0;
  if (!answer.target.asks_epsilon()) {
    for (const auto& other : answer.others) delta = std::min(delta, other.upper.value_or(1.0));
  }
  LossAccuracy accuracy = accuracy_near(chain, delta);
  if (!answer.target.asks_epsilon()) accuracy.epsilon = answer.target.given;
  return accuracy;
}

// All that decides the cost of a release.
std::string kind_key(const ChainStep& step) {
  return to_string(step.mechanism) + " " + std::to_string(step.moves) + " " +
         std::to_string(step.group);
}

// The tightest first, those without a bound last; otherwise in the given order.
void sort_by_tightness(std::vector<OtherAccounting>& others) {
  std::stable_sort(others.begin(), others.end(),
                   [](const OtherAccounting& a, const OtherAccounting& b) {
                     return a.upper.value_or(kInfinity) < b.upper.value_or(kInfinity);
                   });
}

}  // namespace

namespace detail {

bool is_interrupted(const Error& error) { return error.code == ErrorCode::kInterrupted; }

bool is_wide_between_pairs(std::span<const ChainStep> chain) {
  return std::any_of(chain.begin(), chain.end(), [](const ChainStep& step) {
    const auto* sampled = std::get_if<SampledStep>(&step.mechanism);
    return sampled != nullptr && std::holds_alternative<WithReplacementSampler>(sampled->sampler);
  });
}

std::optional<ClosedForm> closed_form(std::span<const ChainStep> chain,
                                      const AccountTarget& target) {
  if (target.asks_epsilon() && target.given == 0.0) return std::nullopt;
  for (const auto& form : {gaussian_form, binary_form, laplace_form, sampled_form}) {
    if (const auto closed = form(chain, target)) return closed;
  }
  return std::nullopt;
}

std::vector<OutputEvent> output_events(std::span<const PldTerm> terms) {
  std::vector<OutputEvent> events;
  const auto add = [&](double price) {  // the output of largest loss + log mass/price
    OutputEvent event;
    for (const PldTerm& term : terms) {
      const auto& atoms = term.loss.atoms;
      if (atoms.empty()) continue;  // fewer leak less
      const auto worth = [&](const LossAtom& a) { return a.loss + a.log_mass / price; };
      const LossAtom& atom = *std::max_element(
          atoms.begin(), atoms.end(),
          [&](const LossAtom& a, const LossAtom& b) { return worth(a) < worth(b); });
      const double relative =
          2.0 * (term.loss.weight_error + 0x1p-51 * (1.0 + std::fabs(atom.log_mass)));
      const auto n = static_cast<double>(term.count);
      event.log_mass = (event.log_mass + (Enclosure(atom.log_mass) - relative) * n).low;
      event.loss = (event.loss + (Enclosure(atom.loss) - term.loss.loss_error) * n).low;
    }
    events.push_back(event);
  };
  for (double price = 0x1p-20; price < 0x1p20; price *= 4.0) add(price);
  add(kInfinity);
  return events;
}

double event_lower(std::span<const OutputEvent> events, const AccountTarget& target) {
  double most = 0.0;
  for (const OutputEvent& event : events) {
    if (!target.asks_epsilon()) {
      const Enclosure kept = -expm1(Enclosure(target.given) - event.loss);
      most = std::max(most, (exp(Enclosure(event.log_mass)) * kept).low);  // (3)
      continue;
    }
    const Enclosure share = exp(log_of_delta(target.given) - event.log_mass);
    if (share.high < 1.0) {
      most = std::max(most, (Enclosure(event.loss) + log1p(-share)).low);  // (3) for eps
    }
  }
  return most;
}

Result<std::vector<ChainStep>> checked_chain(std::span<const ChainStep> chain) {
  if (chain.empty()) return fail(ErrorCode::kInvalidArgument, "a chain needs a step", "/step");
  std::vector<ChainStep> steps(chain.begin(), chain.end());
  std::int64_t total = 0;
  for (ChainStep& step : steps) {
    ASSAY_TRY(check_count("count", step.count, kMostReleases));
    ASSAY_TRY(check_count("moves", step.moves, kMostReleases));
    step = ASSAY_TRY(with_group(std::move(step)));
    if (step.moves > 1) {
      if (!has_independent_noise(step.mechanism)) {
        return fail(ErrorCode::kInvalidArgument,
                    "moves is for noise that each answer gets independently, not for " +
                        step_name(step.mechanism),
                    "/moves");
      }
      if (step.moves > kMostReleases / step.count) {
        const auto both = std::to_string(step.moves) + " x " + std::to_string(step.count);
        ASSAY_TRY(out_of_range("moves", "at most 1000000000 times count together", both));
      }
      step.count *= std::exchange(step.moves, 1);
    }
    total += step.count;
    if (total > kMostReleases) {
      ASSAY_TRY(out_of_range("count", "at most 1000000000 over all steps", std::to_string(total)));
    }
  }
  return merged_steps(steps);
}

Result<Known<PairedChain>> paired_chain(std::span<const ChainStep> chain, const RunControl& control,
                                        const LossAccuracy& accuracy) {
  PairedChain paired;
  OrderedTerms attained;
  std::vector<std::string> sources;
  bool symmetric = true, attained_symmetric = true, has_attained = false;
  LossAccuracy each = accuracy;
  each.releases = all_releases(chain);
  each.cancel = control.cancel;
  for (const ChainStep& step : chain) {
    if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    const auto losses = ASSAY_TRY(step_losses(step.mechanism, each));
    if (!losses) return Known<PairedChain>(tl::make_unexpected(losses.error()));
    append(losses->dominating, losses->more_dominating, step.count, paired.dominating, symmetric);
    const bool is_bracket = losses->attained.has_value();
    append(is_bracket ? *losses->attained : losses->dominating,
           is_bracket ? losses->more_attained : losses->more_dominating, step.count, attained,
           attained_symmetric);
    const std::string source =
        "from above, " + losses->dominating_source + "; from below, " + losses->attained_source;
    has_attained = has_attained || losses->attained;
    if (!losses->dominating_source.empty() &&
        std::find(sources.begin(), sources.end(), source) == sources.end()) {
      sources.push_back(source);
    }
  }
  if (symmetric) paired.dominating.add.clear();
  if (attained_symmetric) attained.add.clear();
  if (has_attained) paired.attained = std::move(attained);
  paired.sources = listed_by(sources, "; ");
  return Known<PairedChain>(std::move(paired));
}

Result<Known<OrderedTerms>> attained_chain(std::span<const ChainStep> chain,
                                           const RunControl& control,
                                           const LossAccuracy& accuracy) {
  OrderedTerms terms;
  bool symmetric = true;
  LossAccuracy each = accuracy;
  each.releases = all_releases(chain);
  each.cancel = control.cancel;
  for (const ChainStep& step : chain) {
    if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    const auto losses = ASSAY_TRY(step_attained(step.mechanism, each));
    if (!losses) return Known<OrderedTerms>(tl::make_unexpected(losses.error()));
    for (const RepeatedLosses& pair : *losses) {
      append(pair.losses, {}, pair.count * step.count, terms, symmetric);
    }
  }
  if (symmetric) terms.add.clear();
  return Known<OrderedTerms>(std::move(terms));
}

}  // namespace detail

std::vector<ChainStep> merged_steps(std::span<const ChainStep> chain) {
  std::vector<ChainStep> kinds;
  std::unordered_map<std::string, std::size_t> places;
  for (const ChainStep& step : chain) {
    const std::string key = kind_key(step);
    const auto [place, is_new] = places.try_emplace(key, kinds.size());
    if (is_new) {
      kinds.push_back(step);
    } else {
      kinds[place->second].count += step.count;
    }
  }
  return kinds;
}

Result<std::vector<AccountAnswer>> account_for(std::span<const ChainStep> steps,
                                               std::span<const AccountTarget> targets,
                                               const RunControl& control) {
  const auto chain = ASSAY_TRY(detail::checked_chain(steps));
  if (targets.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a delta or an eps has to be asked for", "/target");
  }
  for (const AccountTarget& target : targets) {
    ASSAY_TRY(check_target(target));
  }
  for (const ChainStep& step : chain) {  // the one part of other accountings that takes long
    const auto* search = std::get_if<RepeatAndSelectStep>(&step.mechanism);
    if (search != nullptr && search->mechanism != nullptr) {
      ASSAY_TRY(search->mechanism->profile(control.cancel, control.threads));
    }
  }
  auto others = other_accountings(chain, targets, control);
  SharedProgress progress(control, "composing");
  PldOptions options = kAccountWidth;
  options.progress = &progress;
  options.part = 1.0 / static_cast<double>(targets.size());
  const auto answer_to = [&](std::size_t i) -> Result<AccountAnswer> {
    const AccountTarget& target = targets[i];
    AccountAnswer known;
    known.target = target;
    known.closed = detail::closed_form(chain, target);
    known.others = std::move(others[i]);
    if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    sort_by_tightness(known.others);
    const auto accuracy = accuracy_for(chain, known);
    auto answer = ASSAY_TRY(target.asks_epsilon() && target.given == 0.0
                                ? at_delta_zero(chain, std::move(known))
                                : answer_of(chain, accuracy, std::move(known), control, options));
    ASSAY_TRY(check_agreement(answer));
    meet_others(chain, answer);
    ASSAY_TRY(check_agreement(answer));
    return answer;
  };
  std::vector<Result<AccountAnswer>> found(targets.size());
  parallel_for(control.threads, targets.size(), [&](std::size_t i) { found[i] = answer_to(i); });
  std::vector<AccountAnswer> answers;
  for (auto& each : found) answers.push_back(ASSAY_TRY(std::move(each)));
  return answers;
}

Result<AccountAnswer> certified_cost(std::span<const ChainStep> steps, const AccountTarget& target,
                                     double width, double near_delta, const RunControl& control) {
  const auto chain = ASSAY_TRY(detail::checked_chain(steps));
  ASSAY_TRY(check_target(target));
  AccountAnswer known;
  known.target = target;
  known.closed = detail::closed_form(chain, target);
  if (target.asks_epsilon() && target.given == 0.0) return at_delta_zero(chain, std::move(known));
  auto answer =
      ASSAY_TRY(answer_of(chain, accuracy_near(chain, near_delta), std::move(known), control,
                          {.epsilon_width = width,
                           .delta_relative_width = width,
                           .max_points = std::int64_t{1} << 19,
                           .attempts = 3}));
  ASSAY_TRY(check_agreement(answer));
  meet_others(chain, answer);
  return answer;
}

Result<std::vector<WithoutStep>> costs_without(std::span<const ChainStep> steps,
                                               const AccountTarget& target,
                                               const RunControl& control) {
  constexpr std::size_t kMostKinds = 20, kLargest = 5;
  constexpr double kOrder = 8.0;
  ASSAY_TRY(detail::checked_chain(steps));
  const auto kinds = merged_steps(steps);
  std::vector<WithoutStep> all;
  if (kinds.size() < 2 || kinds.size() >= kManyTerms) return all;
  std::vector<std::size_t> left_out(kinds.size());
  std::iota(left_out.begin(), left_out.end(), std::size_t{0});
  if (kinds.size() > kMostKinds) {
    std::vector<double> sizes;
    for (const ChainStep& kind : kinds) {
      const auto curve = step_renyi(kind.mechanism);
      const double each = curve ? curve->at(kOrder).value.value : kInfinity;
      sizes.push_back(each * static_cast<double>(kind.count) * static_cast<double>(kind.moves) *
                      static_cast<double>(kind.group * kind.group));
    }
    std::stable_sort(left_out.begin(), left_out.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    left_out.resize(kLargest);
    std::sort(left_out.begin(), left_out.end());
  }
  std::unordered_map<std::string, std::size_t> firsts;
  for (std::size_t i = 0; i < steps.size(); ++i) firsts.try_emplace(kind_key(steps[i]), i);
  std::vector<Result<AccountAnswer>> costs(left_out.size());
  RunControl alone = control;
  alone.threads = 1;
  parallel_for(control.threads, left_out.size(), [&](std::size_t i) {
    auto rest = kinds;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out[i]));
    costs[i] =
        certified_cost(rest, target, 1e-3, target.asks_epsilon() ? target.given : 1e-6, alone);
  });
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const ChainStep& kind = kinds[left_out[i]];
    const auto answer = ASSAY_TRY(costs[i]);
    all.push_back({firsts.at(kind_key(kind)), kind.count, answer.lower, answer.upper});
  }
  return all;
}

}  // namespace assay
