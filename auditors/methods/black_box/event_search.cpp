#include "assay/auditors/methods/black_box/event_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"

namespace assay {
namespace {

constexpr std::size_t kPlaces = 4;  // one of so many places for each other reason of put_first

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

// The scores that these runs teach, with the cuts of their events.
std::vector<CountedScore> learn_counted(const OutputView& view, const SideRuns& runs,
                                        const RunControl& control) {
  std::vector<CountedScore> counted;
  ScoredRuns base_side(runs.base_side, control), neighbour_side(runs.neighbour_side, control);
  for (auto& score : learn_scores(view, runs, control)) {
    if (control.stopped()) break;
    auto cuts = cuts_of(base_side.scores(*score), neighbour_side.scores(*score));
    for (const double value : score->known_cuts()) cuts.push_back(score_rank(value));
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    // One value offers no event. A feature by itself may have others later, which the counts see.
    if (cuts.empty() && score->events() == EventClass::kHalfLines) continue;
    counted.emplace_back(std::move(score), std::move(cuts));
  }
  return counted;
}

void count_runs(std::vector<CountedScore>& scores, const SideRuns& fresh,
                const RunControl& control) {
  ScoredRuns base_side(fresh.base_side, control), neighbour_side(fresh.neighbour_side, control);
  for (auto& counted : scores) {
    if (control.stopped()) return;
    counted.add(base_side.scores(*counted.score()), neighbour_side.scores(*counted.score()));
  }
}

std::vector<FoundEvent> ranked_of(const std::vector<CountedScore>& scores, const Outlook& outlook) {
  std::vector<FoundEvent> ranked;
  for (const auto& score : scores) ranked.push_back(score.best(outlook));
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.selected.predicted > b.selected.predicted;
  });
  return ranked;
}

// Puts those that stay first. A few runs predict badly, so half of the places go to candidates for other reasons:
// first the likeliest events that never happened on one input, whose ratio such runs only bound from
// below; then the inputs that move outputs farthest under the same seeds, which no noise hides.
void put_first(const SearchRound& round, const PlaySource& source,
               std::vector<SearchedEvent>& ranked) {
  if (round.keep < 2 || round.keep >= ranked.size()) return;
  const std::size_t places = (round.keep + kPlaces - 1) / kPlaces;
  std::size_t next = std::max<std::size_t>(1, round.keep - std::min(round.keep, 2 * places));
  const auto take = [&](std::size_t last, const auto& reason) {
    for (; next < std::min(last, round.keep); ++next) {
      const auto first = ranked.begin() + static_cast<std::ptrdiff_t>(next);
      const auto best = std::max_element(
          first, ranked.end(), [&](const auto& a, const auto& b) { return reason(a) < reason(b); });
      if (!(reason(*best) > 0.0)) return;
      std::rotate(first, best, best + 1);
    }
  };
  take(next + places, [](const SearchedEvent& event) {
    return event.found.never_on_q ? event.found.selected.p : 0.0;
  });
  take(next + places, [&](const SearchedEvent& event) { return source.moved(event.candidate); });
}

class Round final : public RoundLearner {
 public:
  Round(const PlaySource& source, const SearchRound& round, const RunControl& control)
      : source_(source), round_(round), control_(control), of_(source.candidates()) {}

  void learn(std::size_t candidate, const SideRuns& runs) override {
    of_[candidate] = learn_counted(source_.view(candidate), runs, control_);
  }
  void count(std::size_t candidate, const SideRuns& fresh) override {
    count_runs(of_[candidate], fresh, control_);
  }

  std::vector<FoundEvent> ranked(std::size_t candidate) const override {
    return ranked_of(of_[candidate], source_.outlook(candidate, round_.doubt));
  }

  SearchedEvent best(std::size_t candidate) const override {
    SearchedEvent best = best_with(round_.doubt, candidate);
    if (!round_.last) return best;
    if (!refutes(best)) best = best_with(0.0, candidate);
    const double least = refutes(best) ? 0.0 : source_.frequency_to_see(candidate);
    if (least > 0.0) {
      SearchedEvent frequent = best_with(0.0, candidate, least);
      if (std::isfinite(frequent.found.selected.predicted)) best = std::move(frequent);
    }
    for (const auto& counted : of_[candidate]) {
      if (counted.score() == best.found.score) {
        best.found.classes = counted.classes(best.found.selected);
      }
    }
    return best;
  }

 private:
  SearchedEvent best_with(double doubt, std::size_t candidate, double least_frequency = 0.0) const {
    Outlook outlook = source_.outlook(candidate, doubt);
    outlook.least_frequency = least_frequency;
    SearchedEvent best{candidate, {}, of_[candidate].size()};
    best.found.selected.predicted = -std::numeric_limits<double>::infinity();
    for (const auto& counted : of_[candidate]) {
      if (control_.stopped()) break;
      FoundEvent found = counted.best(outlook);
      if (best.found.score == nullptr || found.selected.predicted > best.found.selected.predicted) {
        best.found = std::move(found);
      }
    }
    return best;
  }
  bool refutes(const SearchedEvent& event) const {
    return event.found.selected.predicted > source_.claim(event.candidate);
  }

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
    put_first(round, source, ranked);
    alive.clear();
    for (std::size_t i = 0; i < std::min(round.keep, ranked.size()); ++i) {
      alive.push_back(ranked[i].candidate);
    }
  }
  return std::move(ranked.front());
}

std::vector<FoundEvent> ranked_events(const OutputView& view, const Outlook& outlook,
                                      const SideRuns& taught, const SideRuns& counted,
                                      const RunControl& control) {
  auto scores = learn_counted(view, taught, control);
  count_runs(scores, counted, control);
  return ranked_of(scores, outlook);
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
  constexpr std::int64_t kMostRuns = 4096, kMostNumbers = 1 << 20;  // of a part, which is a copy
  const std::int64_t part = std::clamp<std::int64_t>(
      kMostNumbers / std::max<std::int64_t>(1, runs.base_side.width), 1, kMostRuns);
  const std::int64_t all = std::min(runs.base_side.count, runs.neighbour_side.count);
  for (std::int64_t at = learnt; at < all && !control.stopped(); at += part) {
    learner.count(candidate, cut(runs, at, std::min(part, all - at)));
  }
}

}  // namespace assay
