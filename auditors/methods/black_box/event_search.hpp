// Chooses a candidate (a pair of inputs, and a setting of the target), a score and an event, from runs
// alone.
//
// The choice takes rounds of halving. Each round makes fresh runs of the remaining candidates. It learns scores
// from the runs of the rounds before (score.hpp), and from the first of the fresh ones if those are few. It then
// counts their events on the other fresh runs, which no score has seen (half_lines.hpp). The candidates
// whose best events seem to exceed the claim most go on, and as many for reasons that few runs show better: an event
// that one input never had, inputs that move outputs far. The last round takes the event of highest value,
// after the round's doubt is subtracted. If that event would not refute the claim, the round takes the
// event that looks best without doubt, which may be rare, because otherwise nothing would be decided. If that would not
// refute the claim either, it is the best without doubt of those frequent enough for the leak that the audit should see:
// a rarer one would only make the test weak.
//
// A source may say that a candidate's runs settle the search. Then the last round follows, with that candidate alone.
// A source may also add candidates around the best before the last round.
//
// No certificate relies on these choices: certification repeats the event with seeds of another
// phase.
// Threads: results do not depend on their number. Cost: 0.2 to 2 us a run and candidate, plus the runs themselves.
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
  std::int64_t runs = 0;  // on each input of each candidate, at most
  std::size_t keep = 1;   // candidates that go on
  double doubt = 1.0;     // half_lines.hpp, (1)
  bool refines = false;   // the source adds candidates around the best
};

struct SearchedEvent {
  std::size_t candidate = 0;
  FoundEvent found;        // without a score if the candidate did not run
  std::size_t scores = 0;  // compared in the last round
};

// Receives the runs of a round. Several threads may call its members for different
// candidates, and `count` at any time.
class RoundLearner {
 public:
  virtual ~RoundLearner() = default;
  virtual void learn(std::size_t candidate, const SideRuns& runs) = 0;   // once
  virtual void count(std::size_t candidate, const SideRuns& fresh) = 0;  // after it; in parts
  virtual SearchedEvent best(std::size_t candidate) const = 0;           // by the counts
  // The best event of each score, the most promising first.
  virtual std::vector<FoundEvent> ranked(std::size_t candidate) const = 0;
};

// The source of the runs.
class PlaySource {
 public:
  virtual ~PlaySource() = default;
  virtual std::size_t candidates() const = 0;
  virtual OutputView view(std::size_t candidate) const = 0;
  virtual Outlook outlook(std::size_t candidate, double doubt) const = 0;
  // In the units of the prediction: eps, or mu.
  virtual double claim(std::size_t candidate) const = 0;
  // An event whose rarer_frequency() is below this is too rare to see the leak that the audit should see; 0 if all are.
  virtual double frequency_to_see(std::size_t) const { return 0.0; }
  virtual Status play(const SearchRound& round, std::span<const std::size_t> candidates,
                      RoundLearner& learner, const RunControl& control) = 0;

  // The value by which candidates are ranked.
  virtual double promise(const SearchedEvent& event) const {
    return event.found.selected.predicted - claim(event.candidate);
  }
  // How far the inputs of a candidate move an output under the same seeds; 0 if that is not known.
  virtual double moved(std::size_t) const { return 0.0; }
  virtual bool settles(const SearchedEvent&) const { return false; }
  // Adds to the candidates; returns the new ones.
  virtual std::vector<std::size_t> refine(const SearchedEvent&) { return {}; }
};

// Errors: the source's, interruption.
Result<SearchedEvent> search_event(PlaySource& source, std::span<const SearchRound> rounds,
                                   const RunControl& control);

// The best event, by the counts of some runs, of each score that others teach; the most promising first.
std::vector<FoundEvent> ranked_events(const OutputView& view, const Outlook& outlook,
                                      const SideRuns& taught, const SideRuns& counted,
                                      const RunControl& control);

// The runs first..first + count - 1.
OutputBatch cut(const OutputBatch& runs, std::int64_t first, std::int64_t count);
SideRuns cut(const SideRuns& runs, std::int64_t first, std::int64_t count);

// How many fresh runs to learn from, when `earlier` ones are there: half of all.
inline std::int64_t learning_part(std::int64_t fresh, std::int64_t earlier) {
  return std::max<std::int64_t>(0, fresh / 2 - earlier);
}
// Counts all runs but the first `learnt`, a few thousand at a time; as many of one input as of the other.
void count_rest(std::size_t candidate, const SideRuns& runs, std::int64_t learnt,
                RoundLearner& learner, const RunControl& control);

}  // namespace assay
