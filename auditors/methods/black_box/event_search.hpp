// The choice of a candidate (a pair of inputs, and a setting of the target), a score and an event, from
// plays alone.
//
// Rounds of halving. In each, the candidates still in play are played afresh; scores are learnt from the
// plays of the rounds before (score.hpp), from the first of the fresh ones too where those are few, and
// their events are counted on the other fresh plays, which no score has seen (half_lines.hpp). The
// candidates whose best events promise most beyond the claim go on; in the last round the event is
// taken that is worth most with the round's doubt. Where that would not refute the claim, it would
// decide nothing, and the one that looks best, which may be a rare event, is taken.
//
// A source may say that a candidate's plays settle the search: the last round follows, with it alone; and it
// may add candidates around the best before the last round.
//
// Nothing that is chosen here is believed: certification plays the event again, with seeds of another
// phase.
// Threads: results do not depend on their number. Cost: 0.2 to 2 us a play and candidate, and playing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/auditors/methods/black_box/half_lines.hpp"
#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct SearchRound {
  std::size_t number = 0;
  bool last = false;
  std::int64_t plays = 0;  // a side of each candidate, at most
  std::size_t keep = 1;    // candidates that go on
  double doubt = 1.0;      // half_lines.hpp, (1)
  bool refines = false;    // the source adds candidates around the best
};

struct SearchedEvent {
  std::size_t candidate = 0;
  FoundEvent found;        // no score: it was not played
  std::size_t scores = 0;  // that were compared in the last round
};

// What the plays of a round are shown to, each of its members from several threads where these look at
// different candidates, `count` at any time.
class RoundLearner {
 public:
  virtual ~RoundLearner() = default;
  virtual void learn(std::size_t candidate, const SidePlays& plays) = 0;  // once
  virtual void count(std::size_t candidate, const SidePlays& fresh) = 0;  // after it; in parts
  virtual SearchedEvent best(std::size_t candidate) const = 0;            // of what was counted
};

// Where plays come from.
class PlaySource {
 public:
  virtual ~PlaySource() = default;
  virtual std::size_t candidates() const = 0;
  virtual OutputView view(std::size_t candidate) const = 0;
  virtual Outlook outlook(std::size_t candidate, double doubt) const = 0;
  // In the units of what is predicted: eps, or mu.
  virtual double claim(std::size_t candidate) const = 0;
  virtual Status play(const SearchRound& round, std::span<const std::size_t> candidates,
                      RoundLearner& learner, const RunControl& control) = 0;

  // By what candidates are ranked.
  virtual double promise(const SearchedEvent& event) const {
    return event.found.selected.predicted - claim(event.candidate);
  }
  virtual bool settles(const SearchedEvent&) const { return false; }
  // Adds to the candidates; returns the new ones.
  virtual std::vector<std::size_t> refine(const SearchedEvent&) { return {}; }
};

// Errors: the source's, interruption.
Result<SearchedEvent> search_event(PlaySource& source, std::span<const SearchRound> rounds,
                                   const RunControl& control);

// Plays first..first + count - 1.
OutputBatch cut(const OutputBatch& plays, std::int64_t first, std::int64_t count);
SidePlays cut(const SidePlays& plays, std::int64_t first, std::int64_t count);

// Of fresh plays, how many are learnt from where `earlier` are: a half in all.
inline std::int64_t learning_part(std::int64_t fresh, std::int64_t earlier) {
  return std::max<std::int64_t>(0, fresh / 2 - earlier);
}
// Counts all plays but the first `learnt`, a few thousand at a time.
void count_rest(std::size_t candidate, const SidePlays& plays, std::int64_t learnt,
                RoundLearner& learner, const RunControl& control);

}  // namespace assay
