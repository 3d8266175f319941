#include "assay/mechanisms/accounting/trade_off.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr double kLargestEpsilon = 700.0;  // e^eps must be a double

// How far b lies above the chord from a to c, times the chord's width.
Enclosure height_above_chord(const TradeOffVertex& a, const TradeOffVertex& b,
                             const TradeOffVertex& c) {
  const Enclosure rise = Enclosure(b.type_two) - a.type_two;
  const Enclosure run = Enclosure(b.type_one) - a.type_one;
  return rise * (Enclosure(c.type_one) - a.type_one) - run * (Enclosure(c.type_two) - a.type_two);
}

Status check_probability(const std::string& field, double value) {
  if (value >= 0.0 && value <= 1.0) return {};
  return detail::out_of_range(field, "in [0, 1]", number_text(value));
}

Status check_points(std::span<const TradeOffVertex> points, const std::string& name) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string field = name + "/" + std::to_string(i);
    const auto status =
        detail::first_failure(check_probability(field + "/type_one", points[i].type_one),
                              check_probability(field + "/type_two", points[i].type_two));
    if (!status) return status;
  }
  return {};
}

// 1 - d - slope x, a line of (2) in its steep half.
struct Line {
  Enclosure slope;
  double delta = 0.0;

  Enclosure at(double x) const { return Enclosure(1.0) - delta - slope * x; }
  // y = x there.
  Enclosure diagonal() const { return (Enclosure(1.0) - delta) / (1.0 + slope); }
};

// The point where the steeper line stops being the higher. Any point is valid: only its height is certified.
double meeting(const Line& steeper, const Line& flatter) {
  const Enclosure x = (Enclosure(flatter.delta) - steeper.delta) / (steeper.slope - flatter.slope);
  return std::max(0.0, 0.5 * (x.low + x.high));
}

// The lines of the upper envelope left of the diagonal, steepest first. Dropping a line too many
// only lowers the curve.
std::vector<Line> envelope(std::vector<Line> lines) {
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return std::pair{-a.slope.high, a.delta} < std::pair{-b.slope.high, b.delta};
  });
  const auto last = std::max_element(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.diagonal().low < b.diagonal().low;
  });
  std::vector<Line> kept;
  for (auto line = lines.begin(); line <= last; ++line) {
    // A flatter line of no larger delta is higher everywhere.
    while (!kept.empty() && kept.back().delta >= line->delta) kept.pop_back();
    if (!kept.empty() && kept.back().slope.low <= line->slope.high) continue;  // the same slope
    while (kept.size() >= 2 &&
           meeting(kept[kept.size() - 2], kept.back()) >= meeting(kept.back(), *line)) {
      kept.pop_back();
    }
    kept.push_back(*line);
  }
  return kept;
}

// Every vertex lies on or below both its lines. Rounding may disorder neighbouring vertices by a
// few ulp; moving one down or left keeps it below its lines, since lines fall.
std::vector<TradeOffVertex> vertices_of(const std::vector<Line>& lines) {
  std::vector<TradeOffVertex> steep{{0.0, lines.front().delta == 0.0 ? 1.0 : lines[0].at(0.0).low}};
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const double x = meeting(lines[i], lines[i + 1]);
    const double y = std::min(lines[i].at(x).low, lines[i + 1].at(x).low);
    steep.push_back({x, std::clamp(y, 0.0, steep.back().type_two)});
  }
  const Line& last = lines.back();
  const double x = std::clamp(last.diagonal().low, 0.0, steep.back().type_two);
  const double mirrored = ((Enclosure(1.0) - last.delta - x) / last.slope).low;
  const double y = std::clamp(std::min(last.at(x).low, mirrored), 0.0, steep.back().type_two);
  double right = std::min(x, y);
  for (auto point = steep.rbegin(); point != steep.rend(); ++point) {
    right = point->type_one = std::min(point->type_one, right);
  }
  std::vector<TradeOffVertex> all = steep;
  all.push_back({x, y});
  for (auto point = steep.rbegin(); point != steep.rend(); ++point) {
    all.push_back({point->type_two, point->type_one});
  }
  return all;
}

double quantile_error(double x, double y) {
  return 2.0 * (1e-13 * (std::fabs(x) + std::fabs(y)) + 1e-15);  // that of mu_from_event, twice
}

// The event {reject} of a vertex, as logs of its probability on both inputs; nothing for the two constant
// tests. An infinite log is a test that is never wrong on one input.
std::optional<std::pair<double, double>> event_of(const TradeOffVertex& point) {
  if (point.type_one >= 1.0 || point.type_two >= 1.0) return std::nullopt;
  return std::pair{portable_log(point.type_one), portable_log1p(-point.type_two)};
}

Enclosure value_at(std::span<const TradeOffVertex> vertices, double type_one) {
  ASSAY_CHECK(type_one >= 0.0 && type_one <= 1.0, "an error is a probability");
  const auto next =
      std::lower_bound(vertices.begin(), vertices.end(), type_one,
                       [](const TradeOffVertex& p, double x) { return p.type_one < x; });
  if (next->type_one == type_one) return next->type_two;
  const TradeOffVertex& before = *(next - 1);
  const Enclosure part =
      (Enclosure(type_one) - before.type_one) / (Enclosure(next->type_one) - before.type_one);
  return (1.0 - part) * before.type_two + part * next->type_two;
}

tl::unexpected<Error> no_finite_mu() {
  return fail(ErrorCode::kInvalidArgument,
              "curve must have f(0) = 1 and f(x) > 0 below x = 1: no finite mu allows a test that "
              "is never wrong on one input",
              "/curve");
}

}  // namespace

// Points that lie on or above a chord of others are dropped where that is certain.
TradeOff lower_hull(std::vector<TradeOffVertex> points) {
  points.push_back({0.0, 1.0});
  points.push_back({1.0, 0.0});
  std::sort(points.begin(), points.end(), [](const TradeOffVertex& a, const TradeOffVertex& b) {
    return std::pair{a.type_one, a.type_two} < std::pair{b.type_one, b.type_two};
  });
  TradeOff curve;
  auto& hull = curve.vertices_;
  hull.clear();
  for (const TradeOffVertex& point : points) {
    // Of equal type I errors the first, which is the lowest.
    if (!hull.empty() && hull.back().type_one == point.type_one) continue;
    while (hull.size() >= 2 &&
           height_above_chord(hull[hull.size() - 2], hull.back(), point).low >= 0.0) {
      hull.pop_back();
    }
    hull.push_back(point);
  }
  return curve;
}

Result<TradeOff> TradeOff::create(std::span<const TradeOffVertex> vertices) {
  ASSAY_TRY(check_points(vertices, "vertices"));
  TradeOff curve;
  auto& all = curve.vertices_;
  all.assign(vertices.begin(), vertices.end());
  if (all.empty() || all.front().type_one > 0.0) all.insert(all.begin(), {0.0, 1.0});
  if (all.back().type_one < 1.0) all.push_back({1.0, 0.0});
  const auto refuse = [](std::size_t i, const std::string& rule) {
    return fail(ErrorCode::kInvalidArgument,
                "vertices[" + std::to_string(i) + "] " + rule + " (ends added where missing)",
                "/vertices");
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && !(all[i].type_one > all[i - 1].type_one)) {
      return refuse(i, "must have a larger type I error than the one before");
    }
    if (i > 0 && all[i].type_two > all[i - 1].type_two) {
      return refuse(i, "must not have a larger type II error than the one before");
    }
    if ((Enclosure(all[i].type_one) + all[i].type_two).low > 1.0) {
      return refuse(i, "must have errors that add up to at most 1: guessing does as well");
    }
    if (i > 1 && height_above_chord(all[i - 2], all[i - 1], all[i]).low > 0.0) {
      return refuse(i - 1, "must not lie above the chord of its neighbours: tests can be mixed");
    }
  }
  if (all.back().type_two > 0.0) return refuse(all.size() - 1, "must have type II error 0 at 1");
  return curve;
}

double TradeOff::lower_at(double type_one) const {
  return std::max(0.0, value_at(vertices_, type_one).low);
}

TradeOff TradeOff::inverse() const {
  std::vector<TradeOffVertex> mirrored;
  for (const TradeOffVertex& p : vertices_) mirrored.push_back({p.type_two, p.type_one});
  return lower_hull(std::move(mirrored));
}

UpperBound<Delta> trade_off_delta(const LowerBound<TradeOff>& curve, Epsilon epsilon) {
  ASSAY_CHECK(epsilon.value >= 0.0, "eps must be in [0, inf]");
  const Enclosure slope = exp(Enclosure(epsilon.value));
  double most = 0.0;
  for (const TradeOffVertex& p : curve.value.vertices()) {
    if (p.type_one == 0.0 && p.type_two == 1.0) continue;
    // At x = 0 even an infinite slope costs nothing.
    const Enclosure cost = p.type_one == 0.0 ? Enclosure(0.0) : slope * p.type_one;
    most = std::max(most, (Enclosure(1.0) - p.type_two - cost).high);  // (1)
  }
  return {Delta{std::min(1.0, most)}};
}

LowerBound<Delta> trade_off_delta(const UpperBound<TradeOff>& curve, Epsilon epsilon) {
  ASSAY_CHECK(epsilon.value >= 0.0, "eps must be in [0, inf]");
  const Enclosure slope = exp(Enclosure(epsilon.value));
  double most = 0.0;
  for (const TradeOffVertex& p : curve.value.vertices()) {
    const Enclosure cost = p.type_one == 0.0 ? Enclosure(0.0) : slope * p.type_one;
    most = std::max(most, (Enclosure(1.0) - p.type_two - cost).low);  // (1)
  }
  return {Delta{most}};
}

Result<LowerBound<TradeOff>> trade_off_from_profile(std::span<const ApproximateDp> levels) {
  if (levels.empty()) {
    return fail(ErrorCode::kInvalidArgument, "levels must not be empty", "/levels");
  }
  std::vector<Line> lines;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string field = "levels/" + std::to_string(i);
    const double eps = levels[i].epsilon.value;
    if (!(eps >= 0.0 && eps <= kLargestEpsilon)) {
      return tl::make_unexpected(
          detail::out_of_range(field + "/epsilon", "in [0, 700]", number_text(eps)).error());
    }
    ASSAY_TRY(check_probability(field + "/delta", levels[i].delta.value));
    lines.push_back({exp(Enclosure(eps)), levels[i].delta.value});
  }
  return LowerBound<TradeOff>{lower_hull(vertices_of(envelope(std::move(lines))))};  // (2)
}

Result<LowerBound<TradeOff>> trade_off_of(const PureDp& level) {
  return trade_off_of(ApproximateDp{level.epsilon, {}});
}

Result<LowerBound<TradeOff>> trade_off_of(const ApproximateDp& level) {
  return trade_off_from_profile({&level, 1});
}

Result<UpperBound<TradeOff>> trade_off_from_tests(std::span<const TradeOffVertex> tests) {
  if (tests.empty()) return fail(ErrorCode::kInvalidArgument, "tests must not be empty", "/tests");
  ASSAY_TRY(check_points(tests, "tests"));
  return UpperBound<TradeOff>{lower_hull({tests.begin(), tests.end()})};  // (4)
}

Result<UpperBound<Mu>> trade_off_mu(const LowerBound<TradeOff>& curve) {
  double most = 0.0;
  for (const TradeOffVertex& point : curve.value.vertices()) {
    const auto event = event_of(point);
    if (!event) continue;
    const double x = normal_quantile_from_log(event->first);
    const double y = normal_quantile_from_log(event->second);
    if (std::isinf(x) || std::isinf(y)) return no_finite_mu();
    most = std::max(most, std::fabs(x - y) + quantile_error(x, y));  // (3)
  }
  return UpperBound<Mu>{Mu{most}};
}

Result<LowerBound<Mu>> trade_off_mu(const UpperBound<TradeOff>& curve) {
  double most = 0.0;
  for (const TradeOffVertex& point : curve.value.vertices()) {
    const auto event = event_of(point);
    if (!event) continue;
    const double mu = mu_from_event_lower(event->first, event->second).value.value;
    if (std::isinf(mu)) return no_finite_mu();
    most = std::max(most, mu);  // (3)
  }
  return LowerBound<Mu>{Mu{most}};
}

}  // namespace assay
