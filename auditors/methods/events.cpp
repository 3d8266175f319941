#include "assay/auditors/methods/events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

namespace {

constexpr std::int64_t kLowestRank = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighestRank = std::numeric_limits<std::int64_t>::max();
// Standard errors of the selection part by which an interval is marked down: the best of thousands
// looks better than it is. Half-lines are few enough.
constexpr double kDoubt = 1.0;
constexpr double kNone = -std::numeric_limits<double>::infinity();

// A cut before `rank`: how many scores of each side lie below it.
struct Cut {
  std::int64_t rank;
  double old_below, new_below;
};

std::vector<std::int64_t> sorted_ranks(std::span<const double> scores) {
  std::vector<std::int64_t> ranks;
  ranks.reserve(scores.size());
  for (const double s : scores) ranks.push_back(score_rank(s));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// The cuts before every distinct value but the lowest, and the two ends; at most about `most`
// inner ones, evenly spread over the pooled scores.
std::vector<Cut> cuts_of(std::span<const double> old_scores, std::span<const double> new_scores,
                         std::size_t most) {
  const auto old_ranks = sorted_ranks(old_scores), new_ranks = sorted_ranks(new_scores);
  std::vector<Cut> cuts{{kLowestRank, 0.0, 0.0}};
  const std::size_t total = old_ranks.size() + new_ranks.size();
  const std::size_t spacing = std::max<std::size_t>(1, total / most);
  std::size_t i = 0, j = 0, last = 0;
  bool after_atom = false;
  while (i < old_ranks.size() || j < new_ranks.size()) {
    const std::int64_t a = i < old_ranks.size() ? old_ranks[i] : kHighestRank;
    const std::int64_t b = j < new_ranks.size() ? new_ranks[j] : kHighestRank;
    const std::int64_t rank = std::min(a, b);
    const std::size_t below = i + j;
    const Cut before{rank, static_cast<double>(i), static_cast<double>(j)};
    while (i < old_ranks.size() && old_ranks[i] == rank) ++i;
    while (j < new_ranks.size() && new_ranks[j] == rank) ++j;
    // The value of many scores has a cut on either side.
    const bool atom = i + j - below >= std::max<std::size_t>(2, spacing / 2);
    if (below > 0 && (below >= last + spacing || atom || after_atom)) {
      cuts.push_back(before);
      last = below;
    }
    after_atom = atom;
  }
  cuts.push_back({kHighestRank, static_cast<double>(i), static_cast<double>(j)});
  return cuts;
}

// Ranks [cuts[i], cuts[j]).
ScoreEvent between(const std::vector<Cut>& cuts, std::size_t i, std::size_t j, bool inside) {
  const bool to_the_end = j + 1 == cuts.size();
  return {cuts[i].rank, to_the_end ? kHighestRank : cuts[j].rank - 1, inside};
}

// The candidate of the largest objective(p, q), p and q smoothed.
template <class Objective>
SelectedEvent best_event(std::span<const double> old_scores, std::span<const double> new_scores,
                         EventClass events, std::optional<EventOrientation> orientation,
                         const Objective& objective) {
  constexpr std::size_t kMostIntervalCuts = 48;
  const bool intervals = events == EventClass::kIntervals;
  const auto cuts = cuts_of(old_scores, new_scores,
                            intervals ? kMostIntervalCuts : old_scores.size() + new_scores.size());
  const auto n = static_cast<double>(old_scores.size()), m = static_cast<double>(new_scores.size());
  SelectedEvent best;
  best.event = {kLowestRank, kHighestRank, true};
  best.p = best.q = 1.0;
  best.predicted = kNone;
  if (orientation) best.orientation = *orientation;
  const auto consider = [&](std::size_t i, std::size_t j, bool inside) {
    double of_old = cuts[j].old_below - cuts[i].old_below;
    double of_new = cuts[j].new_below - cuts[i].new_below;
    if (!inside) {
      of_old = n - of_old;
      of_new = m - of_new;
    }
    for (const auto side : {EventOrientation::kOldAboveNew, EventOrientation::kNewAboveOld}) {
      if (orientation && *orientation != side) continue;
      const bool old_is_p = side == EventOrientation::kOldAboveNew;
      const double p = old_is_p ? (of_old + 0.5) / (n + 1.0) : (of_new + 0.5) / (m + 1.0);
      const double q = old_is_p ? (of_new + 1.0) / (m + 1.5) : (of_old + 1.0) / (n + 1.5);
      const double value = objective(p, q, old_is_p);
      if (value > best.predicted) best = {between(cuts, i, j, inside), side, p, q, value};
    }
  };
  const std::size_t end = cuts.size() - 1;
  if (!intervals) {
    for (std::size_t i = 1; i < end; ++i) {
      consider(i, end, true);
      consider(0, i, true);
    }
    return best;
  }
  for (std::size_t i = 0; i < end; ++i) {
    for (std::size_t j = i + 1; j <= end; ++j) {
      if (i == 0 && j == end) continue;
      consider(i, j, true);
      if (i > 0 && j < end) consider(i, j, false);
    }
  }
  return best;
}

}  // namespace

SelectedEvent select_event(std::span<const double> old_scores, std::span<const double> new_scores,
                           const EventPlan& plan, std::int64_t old_left, std::int64_t new_left) {
  const double z = normal_ccdf_quantile(plan.alpha), delta = plan.delta.value;
  const auto old_runs = static_cast<double>(old_left), new_runs = static_cast<double>(new_left);
  const double doubt = plan.events == EventClass::kIntervals ? kDoubt : 0.0;
  const auto old_seen = static_cast<double>(old_scores.size());
  const auto new_seen = static_cast<double>(new_scores.size());
  const auto predicted = [&](double p, double q, bool old_is_p) {
    const double above = p - delta;
    if (!(above > 0.0)) return kNone;
    const double of_p = p * (1.0 - p) / (above * above), of_q = (1.0 - q) / q;
    const auto deviation = [&](double old_size, double new_size) {
      return std::sqrt(old_is_p ? of_p / old_size + of_q / new_size
                                : of_p / new_size + of_q / old_size);
    };
    return portable_log(above / q) - z * deviation(old_runs, new_runs) -
           doubt * deviation(old_seen, new_seen);  // (1)
  };
  return best_event(old_scores, new_scores, plan.events, plan.orientation, predicted);
}

EventCounts count_event(const SelectedEvent& selected, std::span<const double> old_scores,
                        std::span<const double> new_scores) {
  const auto hits = [&](std::span<const double> scores) {
    return static_cast<std::int64_t>(std::count_if(scores.begin(), scores.end(), [&](double score) {
      return selected.event.contains(score);
    }));
  };
  const auto old_runs = static_cast<std::int64_t>(old_scores.size());
  const auto new_runs = static_cast<std::int64_t>(new_scores.size());
  if (selected.orientation == EventOrientation::kOldAboveNew) {
    return {hits(old_scores), old_runs, hits(new_scores), new_runs};
  }
  return {hits(new_scores), new_runs, hits(old_scores), old_runs};
}

Result<EventEvidence> audit_scores(std::span<const double> old_scores,
                                   std::span<const double> new_scores, const EventPlan& plan) {
  constexpr std::size_t kFewest = 10;
  if (old_scores.size() < kFewest || new_scores.size() < kFewest) {
    return fail(ErrorCode::kInvalidArgument, "each side needs at least 10 scores", "/scores");
  }
  if (!(plan.delta.value >= 0.0 && plan.delta.value <= 1.0)) {
    return fail(ErrorCode::kInvalidArgument, "delta must lie in [0, 1]", "/delta");
  }
  if (!(plan.alpha > 1e-12 && plan.alpha <= 0.5)) {
    return fail(ErrorCode::kInvalidArgument, "alpha must lie in (1e-12, 0.5]", "/alpha");
  }
  if (!(plan.selection_share > 0.0 && plan.selection_share < 1.0)) {
    return fail(ErrorCode::kInvalidArgument, "selection_share must lie in (0, 1)",
                "/selection_share");
  }
  const auto part = [&](std::span<const double> scores) {
    const auto size =
        static_cast<std::size_t>(static_cast<double>(scores.size()) * plan.selection_share);
    return std::clamp<std::size_t>(size, 1, scores.size() - 1);
  };
  const std::size_t old_part = part(old_scores), new_part = part(new_scores);
  const auto old_rest = old_scores.subspan(old_part), new_rest = new_scores.subspan(new_part);
  EventEvidence evidence;
  evidence.alpha = plan.alpha;
  evidence.selection_runs = static_cast<std::int64_t>(old_part + new_part);
  evidence.selected = select_event(old_scores.first(old_part), new_scores.first(new_part), plan,
                                   static_cast<std::int64_t>(old_rest.size()),
                                   static_cast<std::int64_t>(new_rest.size()));
  evidence.counts = count_event(evidence.selected, old_rest, new_rest);
  const auto test = ASSAY_TRY(ExactTest::create(evidence.counts, plan.alpha));
  evidence.epsilon = test.epsilon_lower_bound(plan.delta);
  return evidence;
}

Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double q, std::int64_t n,
                                 std::int64_t m, double alpha, double power) {
  const double highest = portable_log((1.0 - delta.value) / q);
  const auto seen = [&](double epsilon) {
    const double p = std::min(1.0, portable_exp(epsilon) * q + delta.value);
    return exact_test_power(n, m, alpha, claimed, delta, p, q) >= power;
  };
  if (!(highest > claimed.value) || !seen(highest)) {
    return Epsilon{std::numeric_limits<double>::infinity()};
  }
  double low = claimed.value, high = highest;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (low + high);
    (seen(middle) ? high : low) = middle;
  }
  return Epsilon{high};
}

CellScore::CellScore(std::span<const std::int64_t> old_cells,
                     std::span<const std::int64_t> new_cells) {
  std::map<std::int64_t, std::pair<double, double>> counts;
  for (const auto cell : old_cells) counts[cell].first += 1.0;
  for (const auto cell : new_cells) counts[cell].second += 1.0;
  const double scale = portable_log((static_cast<double>(new_cells.size()) + 1.0) /
                                    (static_cast<double>(old_cells.size()) + 1.0));
  for (const auto& [cell, count] : counts) {
    scores_[cell] = portable_log((count.first + 0.5) / (count.second + 0.5)) + scale;
  }
}

double CellScore::operator()(std::int64_t cell) const {
  const auto found = scores_.find(cell);
  return found == scores_.end() ? 0.0 : found->second;
}

Result<SequentialEventAudit> SequentialEventAudit::create(Epsilon epsilon, Delta delta,
                                                          const Plan& plan) {
  PairBettingPlan bets;
  bets.alpha = plan.alpha;
  bets.horizon = plan.horizon;
  bets.bets = plan.bets;
  const auto test = ASSAY_TRY(PairBettingTest::create(epsilon, delta, bets));
  return SequentialEventAudit(test, epsilon, delta, plan);
}

bool SequentialEventAudit::observe(double old_score, double new_score) {
  if (event_) {
    const double of_old = event_->event.contains(old_score) ? 1.0 : 0.0;
    const double of_new = event_->event.contains(new_score) ? 1.0 : 0.0;
    const bool old_is_p = event_->orientation == EventOrientation::kOldAboveNew;
    test_.observe(old_is_p ? of_old : of_new, old_is_p ? of_new : of_old);
  }
  old_.push_back(old_score);
  new_.push_back(new_score);
  if (pairs() >= next_choice_ && !refuted()) {
    const double c = portable_exp(epsilon_.value), delta = delta_.value;
    event_ = best_event(old_, new_, plan_.events, std::nullopt, [&](double p, double q, bool) {
      return (p - c * q - delta) / std::sqrt(p * (1.0 - p) + c * c * q * (1.0 - q));  // (2)
    });
    next_choice_ = pairs() + pairs() / 2;
  }
  return refuted();
}

}  // namespace assay
