#include "assay/auditors/claims/search/violation_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr double kNoMargin = -std::numeric_limits<double>::infinity();
constexpr std::size_t kChunk = 256;  // points

struct Scored {
  double margin = kNoMargin;
  Point point;
  static auto byte_fields(auto& self) { return std::tie(self.margin, self.point); }
};

// Shared by the climbs and the shrinking.
struct Evaluator {
  std::span<const Parameter> space;
  const Margin& margin;
  const RunControl& control;
  std::int64_t evaluations = 0;

  // Once stopped, no point is better than another, so that climbs and shrinking end.
  double operator()(const Point& point) {
    if (control.cancelled()) return kNoMargin;
    ++evaluations;
    const double value = margin(point);
    return std::isnan(value) ? kNoMargin : value;
  }
};

bool better(const Scored& a, const Scored& b) { return a.margin > b.margin; }

// The best points of one chunk of random points.
std::vector<Scored> best_of_chunk(const SearchedClaim& claim, const SearchPlan& plan,
                                  std::size_t first, std::size_t last, const RunControl& control) {
  std::vector<Scored> scored;
  for (std::size_t i = first; i < last && !control.cancelled(); ++i) {
    ReplayStream random(
        {plan.seed, hash_purpose(plan.purpose), static_cast<std::uint64_t>(i), 0, Phase::kSearch});
    Point point = generate_point(claim.space, random);
    const double value = claim.margin(point);
    if (!std::isnan(value)) scored.push_back({value, std::move(point)});
  }
  std::stable_sort(scored.begin(), scored.end(), better);
  if (scored.size() > static_cast<std::size_t>(plan.climbs)) {
    scored.resize(static_cast<std::size_t>(plan.climbs));
  }
  return scored;
}

std::vector<Scored> random_best(const SearchedClaim& claim, const SearchPlan& plan,
                                const RunControl& control) {
  const auto points = static_cast<std::size_t>(plan.points);
  const std::size_t chunks = (points + kChunk - 1) / kChunk;
  auto parts = map_chunks(control, chunks, [&](std::size_t c) {
    return best_of_chunk(claim, plan, c * kChunk, std::min(points, (c + 1) * kChunk), control);
  });
  std::vector<Scored> all;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
  std::stable_sort(all.begin(), all.end(), better);
  if (all.size() > static_cast<std::size_t>(plan.climbs)) {
    all.resize(static_cast<std::size_t>(plan.climbs));
  }
  return all;
}

// A whole parameter moves by at least 1, even if the step along its scale is less.
double moved(const Parameter& p, double value, double step) {
  const double target = value_at(p, position_of(p, value) + step);
  if (!p.whole || target != value) return target;
  return std::clamp(value + (step > 0.0 ? 1.0 : -1.0), p.low, p.high);
}

// Compass search moves one parameter at a time and halves the step when no move helps.
Scored climb(Evaluator& evaluate, Scored at) {
  for (double step = 0.25; step > 1e-4; step /= 2.0) {
    bool improved = true;
    for (int sweep = 0; improved && sweep < 8; ++sweep) {
      improved = false;
      for (std::size_t i = 0; i < evaluate.space.size(); ++i) {
        for (const double signed_step : {step, -step}) {
          Point next = at.point;
          next[i] = moved(evaluate.space[i], next[i], signed_step);
          if (next[i] == at.point[i]) continue;
          const double value = evaluate(next);
          if (value <= at.margin) continue;
          at = {value, std::move(next)};
          improved = true;
        }
      }
    }
  }
  return at;
}

// Takes the first simplification that keeps the margin, until none does.
Scored shrink(Evaluator& evaluate, Scored at, double least) {
  for (bool simplified = true; simplified;) {
    simplified = false;
    for (Point& candidate : simpler_points(evaluate.space, at.point)) {
      const double value = evaluate(candidate);
      if (value < least) continue;
      at = {value, std::move(candidate)};
      simplified = true;
      break;
    }
  }
  return at;
}

}  // namespace

SearchOutcome search_violation(const SearchedClaim& claim, const SearchPlan& plan,
                               const RunControl& control) {
  SearchOutcome outcome;
  Evaluator evaluate{claim.space, claim.margin, control, plan.points};
  Scored best;
  for (const Scored& start : random_best(claim, plan, control)) {
    if (control.cancelled()) break;
    const Scored top = climb(evaluate, start);
    if (best.point.empty() || top.margin > best.margin) best = top;
  }
  outcome.best = best.point;
  outcome.margin = best.margin;
  if (!best.point.empty() && best.margin > claim.tolerance) {
    const Scored small =
        shrink(evaluate, best, std::max(best.margin * plan.keep, 2.0 * claim.tolerance));
    outcome.violation = small.point;
    outcome.violation_margin = small.margin;
  }
  outcome.evaluations = evaluate.evaluations;
  return outcome;
}

}  // namespace assay
