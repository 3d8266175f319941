#include "assay/auditors/methods/black_box/coin_bets.hpp"

#include <algorithm>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/mechanisms/core/check.hpp"

namespace assay {

void CoinBets::exchange_score(std::size_t score, std::vector<double> scores, std::size_t first) {
  ASSAY_CHECK(left_ == 0 && scores.size() == runs_.size(), "between two blocks, of all runs");
  first_[score] = first;
  scores_[score] = std::move(scores);
}

void CoinBets::start_block() {
  Block block;
  cuts_.assign(shares_.size(), {});
  if (!runs_.empty()) {
    std::vector<std::uint8_t> on_p;
    for (const CoinRun& run : runs_) on_p.push_back(run.on_p ? 1 : 0);
    for (std::size_t score = 0; score < shares_.size(); ++score) {
      const std::size_t first = std::min(first_[score], runs_.size() - 1);
      ScoreCuts classed =
          class_runs(std::span(scores_[score]).subspan(first), std::span(on_p).subspan(first));
      cuts_[score] = std::move(classed.cuts);
      block.learned.push_back(std::move(classed.runs));
    }
    bets_.start_block(block.learned);
  }
  left_ = next_block(runs());
  block.last = runs() + left_;
  blocks_.push_back(std::move(block));
}

void CoinBets::observe(std::span<const double> scores, CoinRun run) {
  if (left_ == 0) start_block();
  const std::size_t first = classes_.size();
  for (std::size_t score = 0; score < scores.size(); ++score) {
    scores_[score].push_back(scores[score]);
    classes_.push_back(static_cast<std::uint8_t>(bin_of(cuts_[score], scores[score])));
  }
  runs_.push_back(run);
  --left_;
  bets_.observe(std::span(classes_).subspan(first), run.on_p, run.keyed);
}

ForecastBets CoinBets::against(ForecastClaim claim) const {
  ForecastBets bets(std::move(claim), shares_, divided_);
  std::size_t i = 0;
  for (const Block& block : blocks_) {
    if (!block.learned.empty()) bets.start_block(block.learned);
    for (; i < static_cast<std::size_t>(block.last) && i < runs_.size(); ++i) {
      bets.observe(std::span(classes_).subspan(i * shares_.size(), shares_.size()), runs_[i].on_p,
                   runs_[i].keyed);
    }
  }
  return bets;
}

}  // namespace assay
