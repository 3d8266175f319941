// The next round after a fixed history: a pair process of one round, for one-round claims.
//
// The history's actions are played without being counted, so the process audits the law of the next
// action given that history under both inputs (the paper's Lemma 3: sqrt(1/2)-GDP).
#pragma once

#include "assay/auditors/methods/pair_process.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

template <class Process>
class HistoryPair final : public CopiedPairProcess<HistoryPair<Process>> {
 public:
  HistoryPair(Process process, std::vector<int> history)
      : process_(std::move(process)), history_(std::move(history)) {
    restart();
    after_history_.push_back(process_);
  }

  std::int64_t horizon() const override { return 1; }
  int action_count() const override { return process_.action_count(); }
  std::int64_t round() const override { return played_ ? 1 : 0; }
  void restart() override {
    if (!after_history_.empty()) {
      process_ = after_history_.front();
    } else {
      process_.restart();
      for (const int action : history_) process_.advance(action);
    }
    played_ = false;
  }
  bool agrees() const override { return process_.agrees(); }
  bool forced() const override { return process_.forced(); }
  int draw(Side side, ReplayStream& random) override { return process_.draw(side, random); }
  PairLogProbability log_probability(int action, ArgmaxPrecision precision) const override {
    return process_.log_probability(action, precision);
  }
  void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                         std::span<double> log_q) const override {
    process_.log_probabilities(precision, log_p, log_q);
  }
  void advance(int) override { played_ = true; }  // the audit ends here
  UpperBound<Mu> augmented_mu() const override { return process_.augmented_mu(); }

 private:
  Process process_;
  std::vector<int> history_;
  std::vector<Process> after_history_;  // the state after the history, once known
  bool played_ = false;
};

}  // namespace assay
