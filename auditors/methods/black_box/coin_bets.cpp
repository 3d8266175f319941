#include "assay/auditors/methods/black_box/coin_bets.hpp"

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"

namespace assay {

void CoinBets::observe(double score, bool on_p) {
  if (left_ == 0) {
    if (!scores_.empty()) {
      ScoreCuts classed = class_runs(scores_, on_p_);
      bets_.start_block(classed.runs);
      cuts_ = std::move(classed.cuts);
    }
    left_ = next_block(runs());
  }
  bets_.observe(bin_of(cuts_, score), on_p);
  scores_.push_back(score);
  on_p_.push_back(on_p ? 1 : 0);
  --left_;
}

}  // namespace assay
