#include "assay/mechanisms/accounting/pld/pld_composition.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/pld/internal/grid_choice.hpp"
#include "assay/mechanisms/accounting/pld/internal/loss_power.hpp"
#include "assay/mechanisms/accounting/pld/internal/loss_sketch.hpp"
#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"
#include "assay/mechanisms/accounting/pld/internal/product_tree.hpp"
#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::CompositionFocus;
using detail::kLargestStep;
using detail::LossSketch;

constexpr std::int64_t kLargestCount = 1'000'000'000;
constexpr std::int64_t kLargestPower = 32;
constexpr double kTailShare = 1e-8;          // of delta
constexpr double kLeastShare = 0.05;         // of the standard deviation: below it eps is near 0
constexpr std::size_t kFewKinds = 16;        // fewer terms get the full accuracy
constexpr double kManyKindsWidth = 2e-4;     // of eps, for more
constexpr double kNearEnough = 4.0;          // times the width: of kManyTerms one attempt suffices
constexpr double kLeastTolerance = 0x1p-42;  // of cells of several steps
constexpr double kShareOfTails = 1e-4;       // of the width, for the tails of one kind
constexpr double kErrorShare = 1e-4;         // of the width: misplaced mass counts up to 100 times
constexpr double kWorthwhile = 0.9;          // a finer grid that gains less is the last
constexpr std::int64_t kMostTransformed = std::int64_t{1} << 23;  // points, of all attempts
constexpr std::int64_t kSome = std::int64_t{1} << 19;  // after which the relative width suffices
constexpr int kCoarserGrids = 16;                      // tried where max_points do not suffice

// The budget at which the sum of one release of each term takes 65,536 points.
double least_budget(std::span<const LossSketch> sketches) {
  double span = 0.0;
  for (const LossSketch& s : sketches) span += s.span;
  double least = 0.0;
  for (const LossSketch& s : sketches) {
    const double step = span / 65536.0;
    least = std::max(least, s.count * step * step);
  }
  return least;
}

// n = (...((start r_1 + b_1) r_2 + b_2)...): factors near 16, without remainders where n allows.
struct Factor {
  std::int64_t power;
  std::int64_t remainder;
};
struct Factors {
  std::int64_t start;
  std::vector<Factor> rest;
};

Factors factors_of(std::int64_t count) {
  Factors factors{count, {}};
  while (factors.start > kLargestPower) {
    std::int64_t power = 16;
    for (const std::int64_t candidate :
         {16, 15, 18, 20, 14, 12, 21, 22, 24, 10, 25, 9, 8, 11, 13}) {
      if (factors.start % candidate != 0) continue;
      power = candidate;
      break;
    }
    factors.rest.push_back({power, factors.start % power});
    factors.start /= power;
  }
  std::reverse(factors.rest.begin(), factors.rest.end());
  return factors;
}

struct Plan {
  double tilt = 0.0;
  double budget = 0.0;         // of n h^2 at each level, C below
  double tail_mass = 0.0;      // for each single release, over all of them
  double tolerance = 0.0;      // relative, of the masses of all releases together
  bool keeps_lattices = true;  // isolated atoms stay on their grid, however fine it is
};

bool is_cancelled(const PldOptions& options) {
  return options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed);
}

tl::unexpected<Error> interrupted() {
  return fail(ErrorCode::kInterrupted, "interrupted while composing");
}

// `repeats` is how often each release of the term stands among all releases, 1 for a term alone.
Result<detail::TiltedPld> compose_term(const PldTerm& term, const Plan& plan,
                                       const PldBracket& bracket, double repeats,
                                       detail::FftPlans& ffts, const PldOptions& options,
                                       bool by_doubling = false) {
  const std::int64_t max_points = options.max_points;
  const auto n = static_cast<double>(term.count);
  const Factors factors = factors_of(term.count);
  const bool needs_base = std::any_of(factors.rest.begin(), factors.rest.end(),
                                      [](const Factor& f) { return f.remainder > 0; });
  detail::TiltedPld base = detail::tilt(bracket, plan.tilt, detail::kLevelBudget / (repeats * n));
  std::int64_t done = factors.start;
  auto acc =
      detail::compose({{{&base, done}}, repeats * n / static_cast<double>(done)}, ffts, max_points);
  for (const auto& [power, remainder] : factors.rest) {
    if (!acc) return acc;
    if (is_cancelled(options)) return interrupted();
    const double wanted =
        std::min(std::sqrt(plan.budget * static_cast<double>(done) / n), kLargestStep);
    double ratio = std::floor(wanted / acc->step * (1.0 + 1e-9));
    if (ratio > 1.0) {
      if (by_doubling) ratio = std::ldexp(1.0, std::ilogb(ratio));
      acc = detail::coarsen(*acc, static_cast<std::int64_t>(ratio));
      if (needs_base) base = detail::coarsen(base, static_cast<std::int64_t>(ratio));
    }
    done = done * power + remainder;
    detail::PowerProduct product{{{&*acc, power}}, repeats * n / static_cast<double>(done)};
    if (remainder > 0) product.factors.push_back({&base, remainder});
    acc = detail::compose(product, ffts, max_points);
  }
  return acc;
}

// Of all terms: 1 - product of (1 - m)^n, rounded down and up.
class AtInfinity {
 public:
  void add(const PldBracket& bracket, std::int64_t count) {
    const auto n = static_cast<double>(count);
    log_lower_ += n * portable_log1p(-std::min(bracket.lower_at_infinity, 1.0));
    log_upper_ += n * portable_log1p(-std::min(bracket.upper_at_infinity, 1.0));
    terms_ += 1.0;
  }
  void add(const AtInfinity& others) {
    log_lower_ += others.log_lower_;
    log_upper_ += others.log_upper_;
    terms_ += others.terms_;
  }
  double lower() const { return -portable_expm1(log_lower_) * (1.0 - slack()); }
  double upper() const { return std::min(-portable_expm1(log_upper_) * (1.0 + slack()), 1.0); }

 private:
  double slack() const { return 0x1p-50 * (terms_ + 2.0); }

  double log_lower_ = 0.0;
  double log_upper_ = 0.0;
  double terms_ = 0.0;
};

double releases_of(std::span<const PldTerm> terms) {
  double releases = 0.0;
  for (const PldTerm& term : terms) releases += static_cast<double>(term.count);
  return releases;
}

// The step of one release among several terms: C/n for each, and dyadic in the finest lattice, if there is one, so
// that its atoms stay on the grid.
double unit_step(std::span<const PldTerm> terms, const Plan& plan) {
  const double step = std::min(std::sqrt(plan.budget / releases_of(terms)), kLargestStep);
  double lattice = std::numeric_limits<double>::infinity();
  for (const PldTerm& term : terms) {
    if (term.loss.lattice > 0.0) lattice = std::min(lattice, term.loss.lattice);
  }
  return std::isinf(lattice) || !plan.keeps_lattices ? step : detail::dyadic_at_most(lattice, step);
}

constexpr std::int64_t kCoarse = 16;       // steps, of the grid of far masses
constexpr std::int64_t kFewUses = 8;       // that are joined as so many terms
constexpr std::size_t kTermsOfBlock = 64;  // terms of many that are composed by themselves

// A term of several uses keeps the grid of its own until it meets the others; one release starts on theirs.
Result<detail::TwoScales> leaf_of(const PldTerm& term, const LossSketch& sketch, const Plan& plan,
                                  const detail::ProductTree& tree, double unit, double releases,
                                  detail::FftPlans& ffts, const PldOptions& options,
                                  AtInfinity& infinity) {
  const auto n = static_cast<double>(term.count);
  const double tail = plan.tail_mass / n;
  const BracketFocus focus{plan.tilt, sketch.cumulants(plan.tilt).value / n};
  if (term.count == 1 || (term.count <= kFewUses && term.loss.lattice == 0.0)) {
    const auto bracket = ASSAY_TRY(discretise(term.loss, unit, tail, options.max_points, focus));
    infinity.add(bracket, term.count);
    auto leaf =
        detail::split(detail::tilt(bracket, plan.tilt, detail::kLevelBudget / releases), kCoarse);
    if (term.count == 1) return leaf;
    const std::vector<detail::TwoScales> uses(static_cast<std::size_t>(term.count), leaf);
    return detail::compose(uses, unit, releases / n, ffts, options.max_points);
  }
  Plan own = plan;
  own.budget = plan.budget * n / releases;
  const double step = detail::on_lattice(term.loss, std::sqrt(own.budget / n), plan.keeps_lattices);
  const auto bracket =
      ASSAY_TRY(discretise(term.loss, step, tail, options.max_points,
                           releases > n * kFewKinds ? std::optional(focus) : std::nullopt));
  infinity.add(bracket, term.count);
  auto whole = ASSAY_TRY(compose_term(term, own, bracket, releases / n, ffts, options));
  const double ratio = whole.step / unit;
  int exponent = 0;
  if (std::frexp(ratio, &exponent) == 0.5) {
    return detail::TwoScales{std::move(whole), {}};  // on the common grid already
  }
  return detail::TwoScales{detail::on_grid(whole, tree.step_of(n)), {}};
}

// Some of the terms, composed.
struct Block {
  detail::TwoScales pld;
  double releases = 0.0;
  AtInfinity infinity;
};

// Chains of many terms are composed in blocks, side by side where there are threads for it. The terms of fewest releases
// come first, so that those of a block are alike.
Result<ComposedPld> compose_several(std::span<const PldTerm> terms,
                                    std::span<const LossSketch> sketches, const Plan& plan,
                                    detail::FftPlans& ffts, const PldOptions& options) {
  const double releases = releases_of(terms);
  const double unit = unit_step(terms, plan);
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool is_one = terms.size() < kManyTerms;
  if (!is_one) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return terms[a].count < terms[b].count; });
  }
  const std::size_t each = is_one ? terms.size() : kTermsOfBlock;
  const std::size_t blocks = (terms.size() + each - 1) / each;
  const auto tree_with = [&](detail::FftPlans& plans) {
    return detail::ProductTree(unit, releases, plans, options.max_points, options.cancel);
  };
  const auto compose_block = [&](std::size_t block, detail::FftPlans& plans) -> Result<Block> {
    Block part;
    auto tree = tree_with(plans);
    for (std::size_t k = block * each; k < std::min((block + 1) * each, terms.size()); ++k) {
      if (is_cancelled(options)) return interrupted();
      const std::size_t i = order[k];
      const auto n = static_cast<double>(terms[i].count);
      auto leaf = ASSAY_TRY(leaf_of(terms[i], sketches[i], plan, tree, unit, releases, plans,
                                    options, part.infinity));
      ASSAY_TRY(tree.add(std::move(leaf), n));
      part.releases += n;
    }
    part.pld = ASSAY_TRY(tree.product());
    return part;
  };
  std::vector<Result<Block>> parts(blocks);
  const std::size_t workers =
      std::min(blocks, static_cast<std::size_t>(std::max(options.threads, 1)));
  std::vector<detail::FftPlans> plans(workers - 1);  // of all workers but the first
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failed{blocks};  // the first that failed: none after it is needed
  parallel_for(options.threads, workers, [&](std::size_t worker) {
    detail::FftPlans& own = worker == 0 ? ffts : plans[worker - 1];
    for (std::size_t i = next++; i < failed; i = next++) {
      parts[i] = compose_block(i, own);
      if (options.progress != nullptr) {
        options.progress->add(options.part / static_cast<double>(blocks));
      }
      std::size_t least = failed;
      while (!parts[i] && i < least && !failed.compare_exchange_weak(least, i)) {
      }
    }
  });
  for (const detail::FftPlans& other : plans) ffts.count(other.points());
  auto tree = tree_with(ffts);
  AtInfinity infinity;
  for (auto& result : parts) {
    auto part = ASSAY_TRY(std::move(result));
    infinity.add(part.infinity);
    ASSAY_TRY(tree.add(std::move(part.pld), part.releases));
  }
  const auto product = ASSAY_TRY(tree.product());
  return ComposedPld(detail::together(product, product.fine.step), infinity.lower(),
                     infinity.upper());
}

Result<ComposedPld> compose_one(const PldTerm& term, const LossSketch& sketch, const Plan& plan,
                                detail::FftPlans& ffts, const PldOptions& options) {
  if (is_cancelled(options)) return interrupted();
  const auto n = static_cast<double>(term.count);
  const double wanted = std::sqrt(plan.budget / n);
  const auto grid =
      plan.keeps_lattices ? detail::atom_grid(term.loss, plan.tilt, wanted) : std::nullopt;
  const double step =
      grid ? grid->step : detail::on_lattice(term.loss, wanted, plan.keeps_lattices);
  const double tail = plan.tail_mass / n;
  std::optional<BracketFocus> focus;
  if (kLeastTolerance * n <= plan.tolerance) {
    focus = {plan.tilt, sketch.cumulants(plan.tilt).value / n, kShareOfTails, plan.tolerance / n};
  }
  const auto bracket = ASSAY_TRY(
      grid ? discretise(detail::shifted(term.loss, grid->offset), step, tail, options.max_points)
           : discretise(term.loss, step, tail, options.max_points, focus));
  if (is_cancelled(options)) return interrupted();
  const auto product =
      ASSAY_TRY(compose_term(term, plan, bracket, 1.0, ffts, options, grid.has_value()));
  AtInfinity infinity;
  infinity.add(bracket, term.count);
  return ComposedPld(product, infinity.lower(), infinity.upper(), grid ? n * grid->offset : 0.0);
}

Status check_terms(std::span<const PldTerm> terms, const PldOptions& options) {
  if (terms.empty()) {
    return fail(ErrorCode::kInvalidArgument, "terms must have at least 1 entry", "/terms");
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].count >= 1 && terms[i].count <= kLargestCount) continue;
    const std::string path = "/terms/" + std::to_string(i) + "/count";
    return fail(ErrorCode::kInvalidArgument,
                "count must be 1 to 1e9, not " + std::to_string(terms[i].count), path);
  }
  const std::pair<const char*, double> widths[] = {
      {"epsilon_width", options.epsilon_width},
      {"relative_width", options.relative_width},
      {"least_relative_width", options.least_relative_width},
      {"delta_relative_width", options.delta_relative_width}};
  for (const auto& [name, value] : widths) {
    if (value > 0.0 && std::isfinite(value)) continue;
    return fail(ErrorCode::kInvalidArgument,
                std::string(name) + " must be positive and finite, not " + number_text(value),
                std::string("/") + name);
  }
  if (options.attempts < 1 || options.max_points < 16 ||
      options.max_points > (std::int64_t{1} << 26)) {
    const bool is_points = options.attempts >= 1;
    return fail(ErrorCode::kInvalidArgument,
                is_points
                    ? "max_points must be 16 to 67108864, not " + std::to_string(options.max_points)
                    : "attempts must be at least 1, not " + std::to_string(options.attempts),
                is_points ? "/max_points" : "/attempts");
  }
  return {};
}

// The number of levels at which the grid adds to the width: those of the longest term, and for several terms the
// step to the common grid and the joins.
double levels_of(std::span<const PldTerm> terms) {
  std::size_t longest = 0;
  for (const PldTerm& term : terms) {
    longest = std::max(longest, factors_of(term.count).rest.size() + 1);
  }
  const auto levels = static_cast<double>(longest);
  return terms.size() == 1 ? levels : levels + 1.0 + detail::ProductTree::depth(terms.size());
}

// The budget at which the leaves of many terms have no more points in all than a few transforms of the longest kind.
// A chain of more kinds has a wider interval instead of a longer wait.
double budget_of_points(std::span<const LossSketch> sketches) {
  constexpr double kAll = 0x1p27;
  constexpr double kMostEach = 0x1p18;
  if (sketches.size() < kFewKinds) return 0.0;
  double span = 0.0, releases = 0.0;
  for (const LossSketch& s : sketches) {
    span += s.span;
    releases += s.count;
  }
  const auto kinds = static_cast<double>(sketches.size());
  const double step = span / std::min(kAll, kMostEach * kinds);
  return releases * step * step;
}

// The achieved width over the requested width, at the focus.
double excess(const ComposedPld& result, const CompositionFocus& focus, double epsilon_width,
              double delta_relative_width) {
  if (focus.log_delta) {
    const auto eps = result.epsilon(*focus.log_delta);
    return (eps.upper.value.value - eps.lower.value.value) / epsilon_width;
  }
  const LogDeltaBounds bounds = result.log_delta(Epsilon{focus.eps});
  if (bounds.upper < -690.0) return 0.0;  // a double's zero is near
  return portable_expm1(std::min(bounds.upper - bounds.lower, 700.0)) / delta_relative_width;
}

bool is_too_large(const Result<ComposedPld>& result) {
  return !result && result.error().code == ErrorCode::kLimit;
}
bool is_interrupted(const Result<ComposedPld>& result) {
  return !result && result.error().code == ErrorCode::kInterrupted;
}

// Without tails too small to show in delta: far losses would need a long grid, and a smaller tilt.
std::vector<PldTerm> without_tails(std::span<const PldTerm> terms, double log_delta) {
  const double tail_mass = portable_exp(log_delta) * kTailShare / static_cast<double>(terms.size());
  std::vector<PldTerm> all;
  for (const PldTerm& term : terms) {
    all.push_back(
        {assay::without_tails(term.loss, tail_mass / static_cast<double>(term.count)), term.count});
  }
  return all;
}

Result<ComposedPld> compose_at(std::span<const PldTerm> given, const CompositionFocus& focus,
                               const PldOptions& options) {
  ASSAY_TRY(check_terms(given, options));
  const std::vector<PldTerm> terms =
      focus.log_delta ? detail::with_powers(without_tails(given, *focus.log_delta))
                      : detail::with_powers(given);
  const auto sketches = ASSAY_TRY(detail::sketches_of(terms));
  Plan plan;
  plan.tilt = detail::choose_tilt(sketches, focus);
  const auto cumulants = total(sketches, plan.tilt);
  // Where eps is far below the spread of losses, a share of it would take too fine a grid.
  const auto relative_at = [&](double eps) {
    return options.relative_width * std::max(eps, kLeastShare * std::sqrt(cumulants.second));
  };
  const auto width_at = [&](double eps) {
    const double least = terms.size() < kFewKinds ? options.least_relative_width : kManyKindsWidth;
    return std::max(std::min(options.epsilon_width, relative_at(eps)), least * eps);
  };
  double eps = cumulants.first;  // until it is known
  double width =
      focus.log_delta ? width_at(eps) : options.delta_relative_width / std::max(plan.tilt, 0.5);
  plan.budget = 0.7 * 8.0 * width / ((1.0 + plan.tilt) * levels_of(terms));  // (2)
  if (terms.size() >= kFewKinds)
    plan.budget *= 0.4;  // a second attempt costs more than a finer first one
  plan.tolerance = kErrorShare * width * std::max(plan.tilt, 0.5);
  const double variance = cumulants.second;
  // Tails too small to show in delta; (1) without its smaller terms if only eps is known.
  const double log_delta = focus.log_delta.value_or(
      std::min(cumulants.value - plan.tilt * std::max(focus.eps, cumulants.first), 0.0));
  plan.tail_mass =
      std::min(portable_exp(log_delta), 1.0) * kTailShare / static_cast<double>(terms.size());
  // Not wider than the distribution itself. But near the largest loss a tilted distribution is one atom,
  // and its variance says nothing.
  const double floor = budget_of_points(sketches);
  plan.budget =
      std::clamp(plan.budget, floor, std::max({variance / 16.0, least_budget(sketches), floor}));
  Result<ComposedPld> best = fail(ErrorCode::kInternal, "no attempt was made");
  double best_excess = std::numeric_limits<double>::infinity();
  detail::FftPlans ffts;
  const auto compose_again = [&] {
    return terms.size() == 1 ? compose_one(terms.front(), sketches.front(), plan, ffts, options)
                             : compose_several(terms, sketches, plan, ffts, options);
  };
  for (int attempt = 0; attempt < options.attempts; ++attempt) {
    auto result = compose_again();
    for (int i = 0; attempt == 0 && i < kCoarserGrids && is_too_large(result); ++i) {
      plan.budget *= 4.0;
      plan.keeps_lattices = false;
      result = compose_again();
    }
    if (!result) return attempt == 0 || is_interrupted(result) ? result : best;
    if (attempt == 0 && focus.log_delta) {
      eps = std::min(eps, result->epsilon(*focus.log_delta).upper.value.value);
      width = width_at(eps);
    }
    const double now = excess(*result, focus, width, options.delta_relative_width);
    const bool gains = attempt == 0 || now < kWorthwhile * best_excess;
    if (attempt == 0 || now < best_excess) {
      best = std::move(result);
      best_excess = now;
    }
    if (!(now > 1.0) || !gains || ffts.points() > kMostTransformed) break;
    if (terms.size() >= kManyTerms && now < kNearEnough) break;  // finer would take seconds
    if (focus.log_delta && now * width <= relative_at(eps) && ffts.points() > kSome) break;
    if (plan.budget <= floor) break;
    plan.budget = std::max(plan.budget * std::clamp(0.7 / now, 1.0 / 16.0, 0.7), floor);
  }
  return best;
}

}  // namespace

Result<ComposedPld> compose_near(std::span<const PldTerm> terms, Delta delta,
                                 const PldOptions& options) {
  const double log_delta = delta.value > 0.0 ? portable_log(delta.value) : -1e9;
  if (!(delta.value < 1.0) || !(log_delta >= -600.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "delta must be in [e^-600, 1), not " + number_text(delta.value), "/delta");
  }
  return compose_at(terms, {log_delta, 0.0}, options);
}

Result<ComposedPld> compose_near(std::span<const PldTerm> terms, Epsilon eps,
                                 const PldOptions& options) {
  if (!(eps.value >= 0.0 && std::isfinite(eps.value))) {
    return fail(ErrorCode::kInvalidArgument,
                "epsilon must be finite and at least 0, not " + number_text(eps.value), "/epsilon");
  }
  return compose_at(terms, {std::nullopt, eps.value}, options);
}

Result<Interval<Epsilon>> pld_epsilon(std::span<const PldTerm> terms, Delta delta,
                                      const PldOptions& options) {
  const auto composed = ASSAY_TRY(compose_near(terms, delta, options));
  return composed.epsilon(delta);
}

Result<Interval<Delta>> pld_delta(std::span<const PldTerm> terms, Epsilon eps,
                                  const PldOptions& options) {
  const auto composed = ASSAY_TRY(compose_near(terms, eps, options));
  return composed.delta(eps);
}

}  // namespace assay
