#include "assay/auditors/methods/black_box/pair_bets.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "assay/auditors/methods/black_box/event_search.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/mechanisms/core/check.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFewestToLearn = 12;  // runs on each input
constexpr std::int64_t kLearnAgain = 2;      // times the runs
constexpr std::int64_t kMostBetOn =
    100'000;  // runs; more cost time, and decide nothing that fewer do not

// Of the number by itself, if there is only one, the scores with the best events, and the best event.
std::vector<double> shares_of(const OutputView& view) {
  if (view.shape.width() == 1) return {0.7, 0.15, 0.15};
  return {0.5, 0.25, 0.25};
}

// The number that is the output.
class NumberScore final : public OutputScore {
 public:
  std::string name() const override { return "the number"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(std::span<const double> output) const override { return output.front(); }
};

// Whether an event of another score happens.
class IndicatorScore final : public OutputScore {
 public:
  explicit IndicatorScore(FoundEvent found) : found_(std::move(found)) {}
  std::string name() const override { return "an event of " + found_.score->name(); }
  EventClass events() const override { return EventClass::kHalfLines; }
  double of_output(std::span<const double> output) const override {
    return indicator(found_.score->of_output(output));
  }
  double of_failed() const override { return indicator(found_.score->of_failed()); }

 private:
  double indicator(double score) const { return found_.selected.event.contains(score) ? 1.0 : 0.0; }

  FoundEvent found_;
};

}  // namespace

PairBets::PairBets(OutputView view, Outlook outlook, ForecastClaim claim, bool divided,
                   SideRuns earlier)
    : view_(std::move(view)),
      outlook_(std::move(outlook)),
      bets_(std::move(claim), shares_of(view_), divided),
      scores_(shares_of(view_).size()),
      stored_(std::move(earlier)),
      earlier_(stored_.base_side.count) {
  if (view_.shape.width() == 1) scores_.front() = std::make_shared<NumberScore>();
}

std::int64_t PairBets::next_block(const RunControl& control) {
  if (runs_ >= kMostBetOn) return std::numeric_limits<std::int64_t>::max();
  if (bets_.block_left() > 0) return bets_.block_left();
  const std::int64_t runs = std::min(stored_.base_side.count, stored_.neighbour_side.count);
  if (runs >= std::max(2 * kFewestToLearn, kLearnAgain * learned_from_)) learn(control);
  return assay::next_block(runs_);
}

std::vector<double> PairBets::scores_of_stored(const OutputScore& score,
                                               const RunControl& control) const {
  const std::array scores = {ScoredRuns(stored_.base_side, control).scores(score),
                             ScoredRuns(stored_.neighbour_side, control).scores(score)};
  std::array at = {static_cast<std::size_t>(earlier_), static_cast<std::size_t>(earlier_)};
  std::vector<double> out;
  for (const std::uint8_t side : on_neighbour_) out.push_back(scores[side][at[side]++]);
  return out;
}

void PairBets::learn(const RunControl& control) {
  const std::int64_t runs = std::min(stored_.base_side.count, stored_.neighbour_side.count);
  const std::int64_t taught = runs / 2;
  learned_from_ = runs;
  const auto ranked = ranked_events(view_, outlook_, cut(stored_, 0, taught),
                                    cut(stored_, taught, runs - taught), control);
  if (control.stopped()) return;
  // Of the observed runs, those up to the last that taught.
  std::size_t left_out = 0;
  std::array of_side = {earlier_, earlier_};
  for (std::size_t i = 0; i < on_neighbour_.size(); ++i) {
    if (of_side[on_neighbour_[i]]++ < taught) left_out = i + 1;
  }
  const auto before = scores_;
  take_scores(ranked);
  for (std::size_t at = 0; at < scores_.size(); ++at) {
    if (scores_[at] == before[at]) continue;
    bets_.exchange_score(at, scores_of_stored(*scores_[at], control), left_out);
  }
}

void PairBets::take_scores(const std::vector<FoundEvent>& ranked) {
  if (ranked.empty()) return;
  const std::size_t last = scores_.size() - 1;
  const std::size_t first = view_.shape.width() == 1 ? 1 : 0;
  for (std::size_t at = first; at < last && at - first < ranked.size(); ++at) {
    scores_[at] = ranked[at - first].score;
  }
  scores_[last] = std::make_shared<IndicatorScore>(ranked.front());
}

void PairBets::observe(const OutputBatch& run, CoinRun coin) {
  const std::size_t side = coin.on_p ? 0 : 1;
  append(run, side == 0 ? stored_.base_side : stored_.neighbour_side);
  on_neighbour_.push_back(static_cast<std::uint8_t>(side));
  const std::uint64_t digest = digest_of(run.play(0));
  if (!first_output_[side]) first_output_[side] = digest;
  alike_ = alike_ && *first_output_[side] == digest;
  std::array<double, 3> scores{};
  const auto of_run = std::span(scores).first(scores_.size());
  score(run.play(0), of_run);
  observe(of_run, coin);
}

void PairBets::observe(std::span<const double> scores, CoinRun coin) {
  if (runs_++ < kMostBetOn) bets_.observe(scores, coin);
}

void PairBets::score(std::span<const double> output, std::span<double> scores) const {
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    scores[i] = scores_[i] == nullptr ? 0.0 : scores_[i]->score(output);
  }
}

std::optional<std::array<std::uint64_t, 2>> PairBets::only_outputs() const {
  if (!alike_ || !first_output_[0] || !first_output_[1]) return {};
  return std::array{*first_output_[0], *first_output_[1]};
}

}  // namespace assay
