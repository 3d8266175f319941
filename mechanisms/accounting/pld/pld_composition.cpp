#include "assay/mechanisms/accounting/pld/pld_composition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"
#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kTwoPi = 6.283185307179586477;
constexpr std::int64_t kLargestCount = 1'000'000'000;
constexpr std::int64_t kLargestPower = 32;
constexpr double kTailShare = 1e-8;      // of delta
constexpr double kLargestStep = 16.0;    // e^h and tilts times h stay far from overflow
constexpr double kRelativeWidth = 1e-7;  // of eps: no finer width is aimed at
constexpr double kWorthwhile = 0.9;      // a finer grid that gains less is the last
constexpr std::int64_t kMostTransformed = std::int64_t{1} << 23;  // points, of all attempts
constexpr int kCoarserGrids = 16;  // tried where max_points do not suffice

struct Focus {
  std::optional<double> log_delta;
  double eps = 0.0;
};

// A coarse estimate of a term: enough to choose a tilt and a grid. No bound depends on it.
struct Sketch {
  PldBracket coarse;
  double count = 1.0;

  // log E e^(t L) and its first two derivatives, n times.
  struct Cumulants {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;
  };
  Cumulants cumulants(double t) const {
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      if (coarse.upper[i] > 0.0) top = std::max(top, t * coarse.loss(i));
    }
    double mass = 0.0, first = 0.0, second = 0.0;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      const double l = coarse.loss(i);
      const double weight = coarse.upper[i] * portable_exp(t * l - top);
      mass += weight;
      first += weight * l;
      second += weight * l * l;
    }
    if (!(mass > 0.0)) return {};
    const double mean = first / mass;
    return {count * (top + portable_log(mass)), count * mean,
            count * std::max(second / mass - mean * mean, 0.0)};
  }
};

Sketch::Cumulants total(const std::vector<Sketch>& sketches, double t) {
  Sketch::Cumulants sum;
  for (const Sketch& sketch : sketches) {
    const auto part = sketch.cumulants(t);
    sum.value += part.value;
    sum.first += part.first;
    sum.second += part.second;
  }
  return sum;
}

double largest_loss(const std::vector<Sketch>& sketches) {
  double largest = 1e-300;
  for (const Sketch& s : sketches) {
    largest = std::max(
        {largest, std::fabs(s.coarse.loss(0)), std::fabs(s.coarse.loss(s.coarse.size() - 1))});
  }
  return largest;
}

// The budget at which the sum of one release of each term takes 65,536 points.
double least_budget(const std::vector<Sketch>& sketches) {
  double span = 0.0;
  for (const Sketch& s : sketches) span += static_cast<double>(s.coarse.size()) * s.coarse.step;
  double least = 0.0;
  for (const Sketch& s : sketches) {
    const double step = span / 65536.0;
    least = std::max(least, s.count * step * step);
  }
  return least;
}

// The tilt at which the composition is tight around the focus.
double choose_tilt(const std::vector<Sketch>& sketches, const Focus& focus) {
  const auto is_below = [&](double t) {  // the focus lies at a larger tilt
    const auto k = total(sketches, t);
    if (!focus.log_delta) return k.first < focus.eps;
    const double spread = std::max(kTwoPi * k.second, 1.0);
    return k.value - t * k.first - 0.5 * portable_log(spread) -
               portable_log(t * (1.0 + t)) >  // (1)
           *focus.log_delta;
  };
  const double cap = 300.0 / largest_loss(sketches);
  double low = 0.0;
  double high = std::min(1e-3, cap);
  if (!is_below(high)) return focus.log_delta ? high : 0.0;
  while (high < cap && is_below(high)) {
    low = high;
    high = std::min(2.0 * high, cap);
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (is_below(middle) ? low : high) = middle;
  }
  return low;
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
  double final_step = 0.0;     // of several terms; 0 for one
  double tail_mass = 0.0;      // for each single release, over all of them
  bool keeps_lattices = true;  // isolated atoms stay on their grid, however fine it is
};

bool is_cancelled(const PldOptions& options) {
  return options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed);
}

tl::unexpected<Error> interrupted() {
  return fail(ErrorCode::kInterrupted, "interrupted while composing");
}

bool is_lattice_only(const PrivacyLoss& distribution) {
  return distribution.pieces.empty() && distribution.lattice > 0.0;
}

// A step of at most `wanted` with the atoms of the distribution on its multiples; or the lattice itself,
// if it has nothing but atoms: finer grids would be empty between them. Only atoms on most of its points
// may lie between those of a coarser grid.
double on_lattice(const PrivacyLoss& distribution, double wanted, bool keeps_lattice = true) {
  wanted = std::min(wanted, kLargestStep);
  if (distribution.lattice == 0.0) return wanted;
  if (!is_lattice_only(distribution) || distribution.lattice > kLargestStep) {
    return distribution.lattice / std::ceil(distribution.lattice / wanted);
  }
  if (!keeps_lattice) return wanted;
  const double span = distribution.atoms.back().loss - distribution.atoms.front().loss;
  const bool is_dense =
      span < 4.0 * distribution.lattice * static_cast<double>(distribution.atoms.size());
  return is_dense && wanted > 8.0 * distribution.lattice
             ? distribution.lattice * std::floor(wanted / distribution.lattice)
             : distribution.lattice;
}

// The largest step unit 2^k that is at most `wanted`.
double dyadic_at_most(double unit, double wanted) {
  int exponent = 0;
  static_cast<void>(std::frexp(wanted / unit, &exponent));
  return std::ldexp(unit, exponent - 1);
}

double first_step(const PldTerm& term, const Plan& plan) {
  const double wanted = std::sqrt(plan.budget / static_cast<double>(term.count));
  if (plan.final_step == 0.0) return on_lattice(term.loss, wanted, plan.keeps_lattices);
  return dyadic_at_most(plan.final_step, std::min(wanted, plan.final_step));
}

Result<detail::TiltedPld> compose_term(const PldTerm& term, const Plan& plan,
                                       const PldBracket& bracket, detail::FftPlans& ffts,
                                       const PldOptions& options) {
  const std::int64_t max_points = options.max_points;
  const auto n = static_cast<double>(term.count);
  const Factors factors = factors_of(term.count);
  const bool needs_base = std::any_of(factors.rest.begin(), factors.rest.end(),
                                      [](const Factor& f) { return f.remainder > 0; });
  detail::TiltedPld base = detail::tilt(bracket, plan.tilt);
  std::int64_t done = factors.start;
  auto acc =
      detail::compose({&base, done, nullptr, 0, n / static_cast<double>(done)}, ffts, max_points);
  for (const auto& [power, remainder] : factors.rest) {
    if (!acc) return acc;
    if (is_cancelled(options)) return interrupted();
    const double wanted =
        std::min(std::sqrt(plan.budget * static_cast<double>(done) / n), kLargestStep);
    double ratio = std::floor(wanted / acc->step * (1.0 + 1e-9));
    if (plan.final_step > 0.0) ratio = dyadic_at_most(1.0, std::max(ratio, 1.0));
    if (ratio > 1.0) {
      acc = detail::coarsen(*acc, static_cast<std::int64_t>(ratio));
      if (needs_base) base = detail::coarsen(base, static_cast<std::int64_t>(ratio));
    }
    done = done * power + remainder;
    acc = detail::compose({&*acc, power, &base, remainder, n / static_cast<double>(done)}, ffts,
                          max_points);
  }
  if (acc && plan.final_step > 0.0) {
    acc = detail::coarsen(*acc, std::llround(plan.final_step / acc->step));
  }
  return acc;
}

// Of all terms: 1 - product of (1 - m)^n, rounded down and up.
struct AtInfinity {
  double lower = 0.0;
  double upper = 0.0;
};

AtInfinity at_infinity(std::span<const PldTerm> terms, const std::vector<PldBracket>& brackets) {
  double log_lower = 0.0, log_upper = 0.0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto n = static_cast<double>(terms[i].count);
    log_lower += n * portable_log1p(-std::min(brackets[i].lower_at_infinity, 1.0));
    log_upper += n * portable_log1p(-std::min(brackets[i].upper_at_infinity, 1.0));
  }
  const double slack = 0x1p-50 * static_cast<double>(terms.size() + 2);
  return {-portable_expm1(log_lower) * (1.0 - slack),
          std::min(-portable_expm1(log_upper) * (1.0 + slack), 1.0)};
}

Result<ComposedPld> compose_once(std::span<const PldTerm> terms, const Plan& plan,
                                 detail::FftPlans& ffts, const PldOptions& options) {
  const std::int64_t max_points = options.max_points;
  std::vector<PldBracket> brackets;
  std::optional<detail::TiltedPld> product;
  for (const PldTerm& term : terms) {
    if (is_cancelled(options)) return interrupted();
    auto bracket =
        ASSAY_TRY(discretise(term.loss, first_step(term, plan),
                             plan.tail_mass / static_cast<double>(term.count), max_points));
    if (is_cancelled(options)) return interrupted();
    auto part = compose_term(term, plan, bracket, ffts, options);
    if (part && product) part = detail::compose({&*product, 1, &*part, 1, 1.0}, ffts, max_points);
    if (!part) return tl::make_unexpected(part.error());
    product = std::move(*part);
    brackets.push_back(std::move(bracket));
  }
  const AtInfinity infinity = at_infinity(terms, brackets);
  return ComposedPld(*product, infinity.lower, infinity.upper);
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

Result<std::vector<Sketch>> sketch(std::span<const PldTerm> terms) {
  constexpr double kCells = 1500.0;
  std::vector<Sketch> sketches;
  for (const PldTerm& term : terms) {
    double low = 0.0, high = 0.0;
    for (const LossAtom& atom : term.loss.atoms) {
      low = std::min(low, atom.loss);
      high = std::max(high, atom.loss);
    }
    for (const LossPiece& piece : term.loss.pieces) {
      low = std::min(low, piece.loss(piece.low));
      high = std::max(high, piece.loss(piece.high));
    }
    const double span = std::max(high - low, 1e-12);
    double step = std::min(span / kCells, kLargestStep);
    if (term.loss.lattice > step) {
      const double lattice = term.loss.lattice;
      step = is_lattice_only(term.loss) ? lattice / std::ceil(lattice / kLargestStep)
                                        : on_lattice(term.loss, step);
    }
    auto coarse = ASSAY_TRY(discretise(term.loss, step));
    sketches.push_back({std::move(coarse), static_cast<double>(term.count)});
  }
  return sketches;
}

// Several terms end on one grid. A term with isolated atoms and few uses has to stay on its own.
double common_step(std::span<const PldTerm> terms, double budget, bool keeps_lattices) {
  const double step = std::min(std::sqrt(budget), kLargestStep);
  if (!keeps_lattices) return step;
  double lattice = std::numeric_limits<double>::infinity();
  for (const PldTerm& term : terms) {
    if (term.loss.lattice > 0.0) lattice = std::min(lattice, term.loss.lattice);
  }
  if (std::isinf(lattice)) return step;
  return lattice <= step ? lattice : dyadic_at_most(lattice, step);
}

// The number of levels at which the grid adds to the width.
double levels_of(std::span<const PldTerm> terms) {
  double levels = 0.0;
  for (const PldTerm& term : terms) {
    levels += static_cast<double>(factors_of(term.count).rest.size() + (terms.size() > 1 ? 2 : 1));
  }
  return levels;
}

// The achieved width over the requested width, at the focus.
double excess(const ComposedPld& result, const Focus& focus, double epsilon_width,
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

Result<ComposedPld> compose_at(std::span<const PldTerm> terms, const Focus& focus,
                               const PldOptions& options) {
  ASSAY_TRY(check_terms(terms, options));
  const auto sketches = ASSAY_TRY(sketch(terms));
  Plan plan;
  plan.tilt = choose_tilt(sketches, focus);
  const auto cumulants = total(sketches, plan.tilt);
  const double width = focus.log_delta
                           ? std::max(options.epsilon_width, kRelativeWidth * cumulants.first)
                           : options.delta_relative_width / std::max(plan.tilt, 0.5);
  plan.budget = 0.7 * 8.0 * width / ((1.0 + plan.tilt) * levels_of(terms));  // (2)
  const double variance = cumulants.second;
  // Tails too small to show in delta; (1) without its smaller terms if only eps is known.
  const double log_delta = focus.log_delta.value_or(
      std::min(cumulants.value - plan.tilt * std::max(focus.eps, cumulants.first), 0.0));
  plan.tail_mass =
      std::min(portable_exp(log_delta), 1.0) * kTailShare / static_cast<double>(terms.size());
  // Not wider than the distribution itself. But near the largest loss a tilted distribution is one atom,
  // and its variance says nothing.
  plan.budget = std::min(plan.budget, std::max(variance / 16.0, least_budget(sketches)));
  Result<ComposedPld> best = fail(ErrorCode::kInternal, "no attempt was made");
  double best_excess = std::numeric_limits<double>::infinity();
  detail::FftPlans ffts;
  const auto compose_again = [&] {
    plan.final_step = terms.size() > 1 ? common_step(terms, plan.budget, plan.keeps_lattices) : 0.0;
    return compose_once(terms, plan, ffts, options);
  };
  for (int attempt = 0; attempt < options.attempts; ++attempt) {
    auto result = compose_again();
    for (int i = 0; attempt == 0 && i < kCoarserGrids && is_too_large(result); ++i) {
      plan.budget *= 4.0;
      plan.keeps_lattices = false;
      result = compose_again();
    }
    if (!result) return attempt == 0 || is_interrupted(result) ? result : best;
    const double now = excess(*result, focus, width, options.delta_relative_width);
    const bool gains = attempt == 0 || now < kWorthwhile * best_excess;
    if (attempt == 0 || now < best_excess) {
      best = std::move(result);
      best_excess = now;
    }
    if (!(now > 1.0) || !gains || ffts.points() > kMostTransformed) break;
    plan.budget *= std::clamp(0.7 / now, 1.0 / 16.0, 0.7);
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
