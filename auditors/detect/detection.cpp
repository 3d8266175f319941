#include "assay/auditors/detect/detection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "assay/auditors/detect/row_limits.hpp"
#include "assay/auditors/detect/row_samples.hpp"
#include "assay/auditors/detect/row_search.hpp"
#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/auditors/statistics/pair_betting.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/named_rows.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using faulty::DetectionRow;

constexpr double kLeastProbability = 1e-3;

// The number of `left` runs that go to Q: the best split, but at least a thirty-third for each of P and Q.
std::int64_t runs_on_q(const SelectedEvent& selected, std::int64_t left) {
  constexpr double kMostRatio = 32.0;
  const double p = selected.p;
  const double q = selected.q;
  double ratio = 1.0;
  if (p > q && p < 1.0) {
    ratio =
        std::clamp(best_ratio(Epsilon{portable_log(p / q)}, p, q), 1.0 / kMostRatio, kMostRatio);
  }
  return left - static_cast<std::int64_t>(static_cast<double>(left) / (1.0 + ratio));
}

// The number of `count` fresh samples that hit the event.
std::int64_t count_hits(const DetectionRow& row, const RowEvent& chosen, std::size_t input,
                        std::uint64_t seed, std::int64_t count, const RunControl& control) {
  const detail::SampleStage stage{seed, Phase::kCertify, 0, false};
  const auto parts = map_chunks(control, detail::chunks_of(count), [&](std::size_t chunk) {
    std::int64_t here = 0;
    if (control.cancelled()) return here;
    const auto outputs = detail::sample_chunk(row, input, stage, count, chunk);
    for (std::size_t i = 0; i < outputs.size(); i += row.output_size) {
      const auto output = std::span(outputs).subspan(i, row.output_size);
      here += chosen.found.selected.event.contains(chosen.found.score->score(output)) ? 1 : 0;
    }
    return here;
  });
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

// The fresh coupled pairs that hit the event: 1 for P, 2 for Q, 3 for both.
std::vector<std::uint8_t> coupled_hits(const DetectionRow& row, const RowEvent& chosen,
                                       const std::array<std::size_t, 2>& inputs, std::uint64_t seed,
                                       std::int64_t pairs, const RunControl& control) {
  const detail::SampleStage stage{seed, Phase::kCertify, 1, true};
  const auto parts = map_chunks(control, detail::chunks_of(pairs), [&](std::size_t chunk) {
    std::vector<std::uint8_t> hits;
    if (control.cancelled()) return hits;
    for (const std::size_t side : {0u, 1u}) {
      const auto outputs = detail::sample_chunk(row, inputs[side], stage, pairs, chunk);
      hits.resize(outputs.size() / row.output_size);
      for (std::size_t i = 0; i < hits.size(); ++i) {
        const auto output = std::span(outputs).subspan(i * row.output_size, row.output_size);
        const bool hit = chosen.found.selected.event.contains(chosen.found.score->score(output));
        hits[i] = static_cast<std::uint8_t>(hits[i] | (hit ? 1u << side : 0u));
      }
    }
    std::erase(hits, std::uint8_t{0});
    hits.shrink_to_fit();
    return hits;
  });
  std::vector<std::uint8_t> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

// Points around the bound that the search expects, closer near it.
std::vector<double> epsilon_grid(double expected, double error) {
  std::vector<double> grid;
  for (double at = -12.0; at < 6.0; at += at < -6.0 ? 1.0 : 0.35) {
    const double epsilon = expected + at * error;
    if (epsilon > 1e-6) grid.push_back(epsilon);
  }
  return grid;
}

// The data of the bound.
struct Bets {
  std::uint64_t seed;
  double alpha;
  std::int64_t left;  // samples of P and Q together
};

// The lower bound by bets on coupled pairs (pair_betting.hpp). A pair without a hit moves no wealth at delta = 0
// and is skipped, so time is counted in pairs with a hit.
double bet_on_pairs(const DetectionRow& row, const RowEvent& chosen,
                    const std::array<std::size_t, 2>& inputs, const Bets& bets,
                    const RunControl& control, EventCounts& counts) {
  const std::int64_t pairs = bets.left / 2;
  const auto hits = coupled_hits(row, chosen, inputs, bets.seed, pairs, control);
  counts = {0, pairs, 0, pairs};
  for (const std::uint8_t hit : hits) {
    counts.x += hit & 1;
    counts.y += hit >> 1;
  }
  const double p = chosen.found.selected.p;
  const double q = chosen.found.selected.q;
  const auto n = static_cast<double>(pairs);
  const double error = std::sqrt(pair_variance(p, q, chosen.found.both) / n);
  const auto grid = epsilon_grid(portable_log(p / q), error);
  const double expected_hits = n * (p + q - chosen.found.both);
  PairBettingPlan plan;
  plan.alpha = bets.alpha;
  plan.horizon = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(expected_hits - 3.0 * std::sqrt(expected_hits)));
  const auto certified = map_chunks(control, grid.size(), [&](std::size_t i) -> char {
    auto test = PairBettingTest::create(Epsilon{grid[i]}, Delta{0.0}, plan).value();
    for (std::size_t k = 0; k < hits.size() && !test.certified(); ++k) {
      test.observe(hits[k] & 1, hits[k] >> 1);
    }
    return test.certified() ? 1 : 0;
  });
  const auto first = std::find(certified.begin(), certified.end(), char{0});
  return first == certified.begin() ? 0.0
                                    : grid[static_cast<std::size_t>(first - certified.begin()) - 1];
}

}  // namespace

bool Detection::as_expected() const {
  return complete() && std::all_of(results.begin(), results.end(),
                                   [](const DetectionResult& r) { return r.as_expected(); });
}

std::int64_t sniper_samples(const DetectionRow& row) {
  return 2 * static_cast<std::int64_t>(row.pairs.size()) * 5'000'000 + 20'000'000;
}

Result<std::vector<const DetectionRow*>> select_rows(const std::vector<DetectionRow>& table,
                                                     const std::vector<std::string>& patterns) {
  return detail::rows_named(table, patterns, "mechanism", "detect", &DetectionRow::name);
}

Status check_plan(const DetectionPlan& plan) {
  if (!(plan.confidence >= 0.5 && plan.confidence <= 1.0 - 1e-9)) {
    return fail(ErrorCode::kInvalidArgument, "confidence must lie in [0.5, 1 - 1e-9]",
                "/confidence");
  }
  if (!(plan.sample_share >= 0.001 && plan.sample_share <= 0.1)) {
    return fail(ErrorCode::kInvalidArgument, "sample_share must lie in [0.001, 0.1]",
                "/sample_share");
  }
  return {};
}

DetectionResult detect_row(const DetectionRow& row, const DetectionPlan& plan,
                           const RunControl& control) {
  const auto started = std::chrono::steady_clock::now();
  DetectionResult result;
  result.row = &row;
  result.sniper_samples = sniper_samples(row);
  const auto budget =
      static_cast<std::int64_t>(plan.sample_share * static_cast<double>(result.sniper_samples));
  const double alpha = 1.0 - plan.confidence;
  const RowEvent best = search_row(row, {plan.seed, alpha, budget}, control);
  const std::int64_t left = budget - best.samples;
  result.samples = best.samples;
  if (control.cancelled()) return result;

  result.pair = best.pair;
  result.score = best.found.score->name();
  result.selected = best.found.selected;
  const bool base_is_p = best.found.selected.orientation == EventOrientation::kBaseAboveNeighbour;
  const auto& [base_input, neighbour_input] = row.pairs[best.pair];
  const std::size_t on_p = base_is_p ? base_input : neighbour_input;
  const std::size_t on_q = base_is_p ? neighbour_input : base_input;
  if (certified_coupled(best.found.selected.q, static_cast<double>(left))) {
    result.lower =
        bet_on_pairs(row, best, {on_p, on_q}, {plan.seed, alpha, left}, control, result.counts);
  } else {
    result.counts.m = runs_on_q(best.found.selected, left);
    result.counts.n = left - result.counts.m;
    result.counts.x = count_hits(row, best, on_p, plan.seed, result.counts.n, control);
    result.counts.y = count_hits(row, best, on_q, plan.seed, result.counts.m, control);
    if (control.cancelled()) return result;
    const auto test = ExactTest::create(result.counts, alpha);
    ASSAY_CHECK(test.has_value(), "the budget and the confidence were checked");
    result.lower = test->epsilon_lower_bound(Delta{0.0}).value.value;
  }
  result.samples += left;
  if (control.cancelled()) return result;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

Result<Detection> detect(const std::vector<const DetectionRow*>& rows, const DetectionPlan& plan,
                         const RunControl& control,
                         const std::function<void(const DetectionResult&)>& done) {
  ASSAY_TRY(check_plan(plan));
  Detection detection;
  detection.plan = plan;
  detection.selected = static_cast<std::int64_t>(rows.size());
  std::uint64_t number = 0;
  for (const DetectionRow* row : rows) {
    control.report(row->name, static_cast<double>(detection.results.size()) /
                                  static_cast<double>(rows.size()));
    auto result = ASSAY_TRY(
        shared_item<DetectionResult>(control, "rows", number++, [&](const RunControl& own) {
          DetectionResult found = detect_row(*row, plan, own);
          if (own.cancelled()) return found;
          const RowLimits limits =
              limits_of(*row, kLeastProbability, found.samples, 1.0 - plan.confidence, own);
          found.best_event = limits.best_event;
          found.ceiling = limits.ceiling;
          return found;
        }));
    if (control.cancelled()) break;
    if (!result) continue;
    result->row = row;
    detection.results.push_back(std::move(*result));
    if (done) done(detection.results.back());
  }
  ASSAY_TRY(end_of_shared_loop(control));
  return detection;
}

}  // namespace assay
