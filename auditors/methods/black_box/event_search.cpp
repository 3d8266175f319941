#include "assay/auditors/methods/black_box/event_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"

namespace assay {
namespace {

// The cuts of a score's events: quantiles of the scores of the runs from which it was learnt.
std::vector<std::int64_t> cuts_of(std::span<const double> base_scores,
                                  std::span<const double> neighbour_scores) {
  constexpr std::size_t kMostForCuts = 1 << 17;
  constexpr std::size_t kFewestOutside = 8;
  const auto some = [](std::span<const double> scores) {
    const std::size_t step = scores.size() / kMostForCuts + 1;
    std::vector<double> out;
    for (std::size_t i = 0; i < scores.size(); i += step) out.push_back(scores[i]);
    return out;
  };
  return quantile_cuts(some(base_scores), some(neighbour_scores), kFewestOutside, std::sqrt(2.0));
}

class Round final : public RoundLearner {
 public:
  Round(const PlaySource& source, const SearchRound& round, const RunControl& control)
      : source_(source), round_(round), control_(control), of_(source.candidates()) {}

  void learn(std::size_t candidate, const SideRuns& runs) override {
    ScoredRuns base_side(runs.base_side, control_), neighbour_side(runs.neighbour_side, control_);
    for (auto& score : learn_scores(source_.view(candidate), runs, control_)) {
      if (control_.stopped()) return;
      auto cuts = cuts_of(base_side.scores(*score), neighbour_side.scores(*score));
      for (const double value : score->known_cuts()) cuts.push_back(score_rank(value));
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      // One value offers no event. A feature by itself may have others later, which the counts see.
      if (cuts.empty() && score->events() == EventClass::kHalfLines) continue;
      of_[candidate].emplace_back(std::move(score), std::move(cuts));
    }
  }

  void count(std::size_t candidate, const SideRuns& fresh) override {
    ScoredRuns base_side(fresh.base_side, control_), neighbour_side(fresh.neighbour_side, control_);
    for (auto& counted : of_[candidate]) {
      if (control_.stopped()) return;
      counted.add(base_side.scores(*counted.score()), neighbour_side.scores(*counted.score()));
    }
  }

  SearchedEvent best(std::size_t candidate) const override {
    const CountedScore* winner = nullptr;
    const auto with = [&](double doubt) {
      const Outlook outlook = source_.outlook(candidate, doubt);
      SearchedEvent best{candidate, {}, of_[candidate].size()};
      best.found.selected.predicted = -std::numeric_limits<double>::infinity();
      for (const auto& counted : of_[candidate]) {
        if (control_.stopped()) break;
        FoundEvent found = counted.best(outlook);
        if (best.found.score != nullptr &&
            found.selected.predicted <= best.found.selected.predicted) {
          continue;
        }
        best.found = std::move(found);
        winner = &counted;
      }
      return best;
    };
    SearchedEvent best = with(round_.doubt);
    const bool decides = best.found.selected.predicted > source_.claim(candidate);
    if (!round_.last) return best;
    if (!decides) best = with(0.0);
    if (winner != nullptr) {
      best.found.classes = winner->classes(best.found.selected);
    }
    return best;
  }

 private:
  const PlaySource& source_;
  const SearchRound& round_;
  const RunControl& control_;
  std::vector<std::vector<CountedScore>> of_;  // by candidate
};

}  // namespace

Result<SearchedEvent> search_event(PlaySource& source, std::span<const SearchRound> rounds,
                                   const RunControl& control) {
  std::vector<std::size_t> alive(source.candidates());
  std::iota(alive.begin(), alive.end(), std::size_t{0});
  std::vector<SearchedEvent> ranked;
  for (const SearchRound& round : rounds) {
    const bool settled = !ranked.empty() && source.settles(ranked.front());
    if (settled && !round.last) continue;
    if (round.refines && !ranked.empty()) {
      const auto added = source.refine(ranked.front());
      if (added.empty()) continue;
      alive.insert(alive.end(), added.begin(), added.end());
    }
    if (settled) alive.resize(1);
    Round learner(source, round, control);
    ASSAY_TRY(source.play(round, alive, learner, control));
    if (!round.last && round.keep >= alive.size()) continue;
    ranked.clear();
    for (const std::size_t candidate : alive) ranked.push_back(learner.best(candidate));
    if (control.stopped()) return fail(ErrorCode::kInterrupted, "interrupted");
    std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
      return source.promise(a) > source.promise(b);
    });
    alive.clear();
    for (std::size_t i = 0; i < std::min(round.keep, ranked.size()); ++i) {
      alive.push_back(ranked[i].candidate);
    }
  }
  return std::move(ranked.front());
}

OutputBatch cut(const OutputBatch& runs, std::int64_t first, std::int64_t count) {
  OutputBatch out{count, runs.width, {}, runs.failure};
  out.values.assign(runs.values.begin() + first * runs.width,
                    runs.values.begin() + (first + count) * runs.width);
  return out;
}

SideRuns cut(const SideRuns& runs, std::int64_t first, std::int64_t count) {
  return {cut(runs.base_side, first, count), cut(runs.neighbour_side, first, count)};
}

void count_rest(std::size_t candidate, const SideRuns& runs, std::int64_t learnt,
                RoundLearner& learner, const RunControl& control) {
  constexpr std::int64_t kPart = 4096;
  for (std::int64_t at = learnt; at < runs.base_side.count && !control.stopped(); at += kPart) {
    learner.count(candidate, cut(runs, at, std::min(kPart, runs.base_side.count - at)));
  }
}

}  // namespace assay
