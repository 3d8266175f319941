#include "assay/mechanisms/accounting/composition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::int64_t kMostRepetitions = std::int64_t{1} << 53;  // counted exactly by a double

Status check_level(const PureDp& level, const std::string& at) {
  return detail::check_non_negative(at + "epsilon", level.epsilon.value);
}
Status check_level(const ApproximateDp& level, const std::string& at) {
  return detail::first_failure(detail::check_non_negative(at + "epsilon", level.epsilon.value),
                               detail::check_delta(at + "delta", level.delta.value));
}
Status check_level(const GaussianDp& level, const std::string& at) {
  return detail::check_non_negative(at + "mu", level.mu.value);
}
Status check_level(const ZeroConcentratedDp& level, const std::string& at) {
  return detail::check_non_negative(at + "rho", level.rho.value);
}

template <class Level>
Status check_levels(std::span<const Level> levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto status = check_level(levels[i], "levels/" + std::to_string(i) + "/");
    if (!status) return status;
  }
  return {};
}

// An upper end as a level's value.
Result<double> finite(Enclosure value, const std::string& name) {
  if (std::isfinite(value.high)) return std::max(0.0, value.high);
  return fail(ErrorCode::kLimit, name + " of the whole overflows: the levels are too large",
              "/" + name);
}

// Sums that start at an exact 0, so that a single level stays what it is.
template <class Range, class Part>
Enclosure sum_of(const Range& range, const Part& part) {
  Enclosure sum = 0.0;
  bool empty = true;
  for (const auto& item : range) {
    const Enclosure next = part(item);
    if (next.low == 0.0 && next.high == 0.0) continue;
    sum = empty ? next : sum + next;
    empty = false;
  }
  return sum;
}

Enclosure epsilon_of(const PureDp& level) { return level.epsilon.value; }
Enclosure epsilon_of(const ApproximateDp& level) { return level.epsilon.value; }
Enclosure rho_of(const ZeroConcentratedDp& level) { return level.rho.value; }

// log(1 - delta), exactly 0 for delta = 0.
Enclosure log_kept(const ApproximateDp& level) {
  if (level.delta.value == 0.0) return 0.0;
  return log1p(Enclosure(-level.delta.value));
}

// If only one level loses anything, it is the answer, unrounded.
Result<ApproximateDp> approximate_from(Enclosure eps, Enclosure log_rest) {
  const auto epsilon = ASSAY_TRY(finite(eps, "epsilon"));
  const bool is_pure = log_rest.low == 0.0 && log_rest.high == 0.0;
  const double delta = is_pure ? 0.0 : (-expm1(log_rest)).high;
  if (!(delta < 1.0)) {
    return fail(ErrorCode::kLimit, "delta of the whole reaches 1, which guarantees nothing",
                "/delta");
  }
  return ApproximateDp{Epsilon{epsilon}, Delta{std::max(0.0, delta)}};
}

// The root of a sum of squares, scaled by the largest so that no square leaves the range.
Result<GaussianDp> root_of_squares(std::span<const GaussianDp> levels, double count) {
  double largest = 0.0;
  for (const GaussianDp& level : levels) largest = std::max(largest, level.mu.value);
  if (largest == 0.0) return GaussianDp{};
  int exponent = 0;
  static_cast<void>(std::frexp(largest, &exponent));
  const Enclosure squares = sum_of(levels, [&](const GaussianDp& level) -> Enclosure {
    // A part whose scaled value underflows is moved up to the least normal double.
    if (level.mu.value == 0.0) return 0.0;
    const double scaled = std::max(std::ldexp(level.mu.value, -exponent), 0x1p-500);
    return Enclosure(scaled) * scaled;
  });
  const double root = sqrt(squares * count).high;
  double unscaled = std::ldexp(root, exponent);  // inexact only where it is subnormal
  if (std::ldexp(unscaled, -exponent) < root) unscaled = detail::round_up(unscaled);
  const auto mu = ASSAY_TRY(finite(unscaled, "mu"));
  return GaussianDp{Mu{mu}};
}

// The two largest values of each number of a level, which (5) composes.
template <class Level, class Value>
std::vector<Level> two_largest(std::span<const Level> levels, Value value) {
  std::vector<Level> sorted(levels.begin(), levels.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](const Level& a, const Level& b) { return value(a) > value(b); });
  sorted.resize(std::min<std::size_t>(2, sorted.size()));
  return sorted;
}

template <class Level, class Value>
Result<Level> in_parallel(std::span<const Level> levels, Partition partition, Value value) {
  if (levels.empty())
    return fail(ErrorCode::kInvalidArgument, "levels must not be empty", "/levels");
  ASSAY_TRY(check_levels(levels));
  const auto largest = two_largest(levels, value);
  if (partition == Partition::kByPosition) return largest.front();  // (4)
  return compose(std::span<const Level>(largest));                  // (5)
}

template <class Level>
Status check_group(const Level& level, std::int64_t size) {
  return detail::first_failure(check_level(level, ""),
                               detail::check_count("size", size, kMostRepetitions));
}

template <class Level>
Status check_repeated(const Level& level, std::int64_t count) {
  return detail::first_failure(check_level(level, ""),
                               detail::check_count("count", count, kMostRepetitions));
}

Enclosure times(double value, std::int64_t count) {
  if (count == 1) return value;
  return Enclosure(value) * static_cast<double>(count);
}

}  // namespace

Result<PureDp> compose(std::span<const PureDp> levels) {
  ASSAY_TRY(check_levels(levels));
  const Enclosure sum = sum_of(levels, [](const PureDp& x) { return epsilon_of(x); });  // (1)
  const double eps = ASSAY_TRY(finite(sum, "epsilon"));
  return PureDp{Epsilon{eps}};
}

Result<ApproximateDp> compose(std::span<const ApproximateDp> levels) {
  ASSAY_TRY(check_levels(levels));
  if (levels.size() == 1) return levels.front();
  return approximate_from(sum_of(levels, [](const ApproximateDp& x) { return epsilon_of(x); }),
                          sum_of(levels, log_kept));  // (2)
}

Result<GaussianDp> compose(std::span<const GaussianDp> levels) {
  ASSAY_TRY(check_levels(levels));
  if (levels.size() == 1) return levels.front();
  return root_of_squares(levels, 1.0);  // (3)
}

Result<ZeroConcentratedDp> compose(std::span<const ZeroConcentratedDp> levels) {
  ASSAY_TRY(check_levels(levels));
  const double sum = ASSAY_TRY(finite(sum_of(levels, rho_of), "rho"));  // (3)
  return ZeroConcentratedDp{Rho{sum}};
}

RenyiDp compose(std::span<const RenyiDp> curves) {
  std::vector<RenyiDp> parts(curves.begin(), curves.end());
  return RenyiDp([parts = std::move(parts)](double order) {
    return sum_of(parts, [&](const RenyiDp& part) { return Enclosure(part.at(order).value.value); })
        .high;  // (3)
  });
}

Result<PureDp> compose_repeated(const PureDp& level, std::int64_t count) {
  ASSAY_TRY(check_repeated(level, count));
  const auto eps = ASSAY_TRY(finite(times(level.epsilon.value, count), "epsilon"));
  return PureDp{Epsilon{eps}};
}

Result<ApproximateDp> compose_repeated(const ApproximateDp& level, std::int64_t count) {
  ASSAY_TRY(check_repeated(level, count));
  if (count == 1) return level;
  const Enclosure kept = log_kept(level);
  return approximate_from(times(level.epsilon.value, count),
                          kept.low == 0.0 ? Enclosure(0.0) : kept * static_cast<double>(count));
}

Result<GaussianDp> compose_repeated(const GaussianDp& level, std::int64_t count) {
  ASSAY_TRY(check_repeated(level, count));
  if (count == 1) return level;
  return root_of_squares({&level, 1}, static_cast<double>(count));
}

Result<ZeroConcentratedDp> compose_repeated(const ZeroConcentratedDp& level, std::int64_t count) {
  ASSAY_TRY(check_repeated(level, count));
  const auto rho = ASSAY_TRY(finite(times(level.rho.value, count), "rho"));
  return ZeroConcentratedDp{Rho{rho}};
}

Result<RenyiDp> compose_repeated(const RenyiDp& curve, std::int64_t count) {
  ASSAY_TRY(detail::check_count("count", count, kMostRepetitions));
  return RenyiDp(
      [curve, count](double order) { return times(curve.at(order).value.value, count).high; });
}

Result<PureDp> compose_parallel(std::span<const PureDp> levels, Partition partition) {
  return in_parallel(levels, partition, [](const PureDp& x) { return x.epsilon.value; });
}

Result<ApproximateDp> compose_parallel(std::span<const ApproximateDp> levels, Partition partition) {
  // The largest eps and the largest delta may belong to different levels. A level that has both covers
  // them all, and two of the next ones cover every pair.
  if (levels.empty())
    return fail(ErrorCode::kInvalidArgument, "levels must not be empty", "/levels");
  ASSAY_TRY(check_levels(levels));
  const auto by_epsilon =
      two_largest(levels, [](const ApproximateDp& x) { return x.epsilon.value; });
  const auto by_delta = two_largest(levels, [](const ApproximateDp& x) { return x.delta.value; });
  std::vector<ApproximateDp> covering;
  for (std::size_t i = 0; i < by_epsilon.size(); ++i) {
    covering.push_back({by_epsilon[i].epsilon, by_delta[i].delta});
  }
  if (partition == Partition::kByPosition) return covering.front();  // (4)
  return compose(std::span<const ApproximateDp>(covering));          // (5)
}

Result<GaussianDp> compose_parallel(std::span<const GaussianDp> levels, Partition partition) {
  return in_parallel(levels, partition, [](const GaussianDp& x) { return x.mu.value; });
}

Result<ZeroConcentratedDp> compose_parallel(std::span<const ZeroConcentratedDp> levels,
                                            Partition partition) {
  return in_parallel(levels, partition, [](const ZeroConcentratedDp& x) { return x.rho.value; });
}

Result<PureDp> for_group(const PureDp& level, std::int64_t size) {
  ASSAY_TRY(check_group(level, size));
  const double eps = ASSAY_TRY(finite(times(level.epsilon.value, size), "epsilon"));  // (6)
  return PureDp{Epsilon{eps}};
}

Result<ApproximateDp> for_group(const ApproximateDp& level, std::int64_t size) {
  ASSAY_TRY(check_group(level, size));
  if (size == 1) return level;
  const auto eps = ASSAY_TRY(finite(times(level.epsilon.value, size), "epsilon"));
  if (level.delta.value == 0.0) return ApproximateDp{Epsilon{eps}, {}};
  const Enclosure growth = level.epsilon.value == 0.0 ? Enclosure(static_cast<double>(size))
                                                      : expm1(times(level.epsilon.value, size)) /
                                                            expm1(Enclosure(level.epsilon.value));
  const double delta = (growth * level.delta.value).high;  // (6)
  if (!(delta < 1.0)) {
    return fail(ErrorCode::kLimit, "delta of the group reaches 1: the group is too large", "/size");
  }
  return ApproximateDp{Epsilon{eps}, Delta{delta}};
}

Result<GaussianDp> for_group(const GaussianDp& level, std::int64_t size) {
  ASSAY_TRY(check_group(level, size));
  const double mu = ASSAY_TRY(finite(times(level.mu.value, size), "mu"));  // (6)
  return GaussianDp{Mu{mu}};
}

Result<ZeroConcentratedDp> for_group(const ZeroConcentratedDp& level, std::int64_t size) {
  ASSAY_TRY(check_group(level, size));
  if (size == 1) return level;
  const double count = static_cast<double>(size);
  const double rho = ASSAY_TRY(finite(Enclosure(level.rho.value) * count * count, "rho"));  // (6)
  return ZeroConcentratedDp{Rho{rho}};
}

Result<RenyiDp> for_group(const RenyiDp& curve, std::int64_t size) {
  constexpr std::int64_t kMostSize = std::int64_t{1} << 30;
  ASSAY_TRY(detail::check_count("size", size, kMostSize));
  if (size == 1) return curve;
  double orders = 1.0;  // 2^c
  double factor = 1.0;  // 3^c, exact below 2^53
  while (orders < static_cast<double>(size)) orders *= 2.0, factor *= 3.0;
  return RenyiDp([curve, orders, factor](double order) {
    const double raised = orders * std::max(order, 2.0);
    if (std::isinf(raised)) return kInfinity;
    return (Enclosure(curve.at(raised).value.value) * factor).high;  // (7)
  });
}

Result<Guarantee> compose(std::span<const Guarantee> guarantees) {
  if (guarantees.empty()) {
    return fail(ErrorCode::kInvalidArgument, "guarantees must not be empty", "/guarantees");
  }
  Guarantee whole = guarantees.front();
  bool any_gaussian = false;
  bool any_delta = false;
  for (std::size_t i = 0; i < guarantees.size(); ++i) {
    const Guarantee& part = guarantees[i];
    const std::string at = "guarantees/" + std::to_string(i);
    if (part.relation != whole.relation) {
      return fail(ErrorCode::kInvalidArgument,
                  at + "/relation must be that of the first, \"" + to_string(whole.relation) +
                      "\", not \"" + to_string(part.relation) + "\"",
                  "/" + at + "/relation");
    }
    if (part.view != whole.view) {
      return fail(ErrorCode::kInvalidArgument,
                  at + "/view must be that of the first, \"" + to_string(whole.view) +
                      "\", not \"" + to_string(part.view) + "\"",
                  "/" + at + "/view");
    }
    any_gaussian = any_gaussian || std::holds_alternative<GaussianDp>(part.level);
    const auto* both = std::get_if<ApproximateDp>(&part.level);
    any_delta = any_delta || (both != nullptr && both->delta.value > 0.0);
    if (i > 0 && part.source != guarantees[i - 1].source) whole.source += "; " + part.source;
  }
  if (any_gaussian && any_delta) {
    return fail(ErrorCode::kInvalidArgument,
                "levels must not mix mu with delta above 0: convert each mu to (eps, delta) at a "
                "delta of your choice first",
                "/guarantees");
  }
  const auto finish = [&](const auto& level) -> Result<Guarantee> {
    if (!level) return tl::make_unexpected(level.error());
    whole.level = *level;
    whole.source = "composition of: " + whole.source;
    return whole;
  };
  std::vector<GaussianDp> gaussian;
  std::vector<ApproximateDp> approximate;
  std::vector<PureDp> pure;
  for (const Guarantee& part : guarantees) {
    if (any_gaussian) {
      const auto level = ASSAY_TRY(to_gaussian(part.level));
      gaussian.push_back(level);
    } else if (const auto* both = std::get_if<ApproximateDp>(&part.level); both != nullptr) {
      approximate.push_back(*both);
    } else {
      pure.push_back(std::get<PureDp>(part.level));
    }
  }
  if (any_gaussian) return finish(compose(std::span<const GaussianDp>(gaussian)));
  if (approximate.empty()) return finish(compose(std::span<const PureDp>(pure)));
  for (const PureDp& level : pure) approximate.push_back({level.epsilon, {}});
  return finish(compose(std::span<const ApproximateDp>(approximate)));
}

Guarantee after_post_processing(Guarantee guarantee, View view, const std::string& function) {
  guarantee.view = view;
  guarantee.source += "; post-processing: " + function;
  return guarantee;
}

}  // namespace assay
