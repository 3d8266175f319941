// Bets on the runs of a pair from the first on, by scores that are learned from earlier runs.
//
// Three scores share the stake. Two are learned (score.hpp) from earlier runs, the search's included: those whose
// events separate the inputs best. If an output is one number, that number takes the place of the better one, with
// most of the stake. The third is the best event itself. They are learned again whenever the number of runs has
// doubled. The runs that taught a score are left out of the counts from which it bets, because it separates them better
// than it separates later ones.
// What bets on a run was fixed before it, so docs/proofs/forecast_bets.md holds for any target.
// Threads: values; score() may be called from several while nothing else is.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/auditors/methods/black_box/coin_bets.hpp"
#include "assay/auditors/methods/black_box/half_lines.hpp"
#include "assay/auditors/methods/black_box/output_summary.hpp"
#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

class PairBets {
 public:
  // `earlier`: runs of the search, of which there are as many on each input.
  PairBets(OutputView view, Outlook outlook, ForecastClaim claim, bool divided, SideRuns earlier);

  // Takes the scores of these events, the most promising first, and learns no others. Before the first run.
  void take_scores(const std::vector<FoundEvent>& ranked);

  // How many runs from here on have bets that do not depend on each other. Between two blocks it learns scores
  // first, if that is due.
  std::int64_t next_block(const RunControl& control);

  // A run to learn from, too. It is stored.
  void observe(const OutputBatch& run, CoinRun coin);
  // A run by its scores alone, if no more are learned.
  void observe(std::span<const double> scores, CoinRun coin);
  std::int64_t runs() const { return runs_; }  // observed

  std::size_t scores() const { return scores_.size(); }
  void score(std::span<const double> output, std::span<double> scores) const;

  const CoinBets& bets() const { return bets_; }

  // The stored runs on each input, in order: those of the search, `earlier()` on each input, then those observed.
  const SideRuns& stored() const { return stored_; }
  std::int64_t earlier() const { return earlier_; }
  // If all observed runs on D were alike, and all those on D': the digests of these two outputs.
  std::optional<std::array<std::uint64_t, 2>> only_outputs() const;

 private:
  void learn(const RunControl& control);
  std::vector<double> scores_of_stored(const OutputScore& score, const RunControl& control) const;

  OutputView view_;
  Outlook outlook_;
  CoinBets bets_;
  std::vector<std::shared_ptr<const OutputScore>> scores_;  // null: none yet
  SideRuns stored_;
  std::int64_t earlier_;
  std::int64_t learned_from_ = 0;           // runs on each input, at the last time
  std::vector<std::uint8_t> on_neighbour_;  // of the observed and stored runs
  std::int64_t runs_ = 0;
  std::array<std::optional<std::uint64_t>, 2> first_output_;
  bool alike_ = true;
};

}  // namespace assay
