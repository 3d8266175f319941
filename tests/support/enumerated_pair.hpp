// A pair process of one round whose actions are the transcripts of an enumerated pair: the same
// laws and losses, at the cost of a table look-up, so that thousands of audits fit into a test.
#pragma once

#include "assay/auditors/methods/exact.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

class EnumeratedPair final : public CopiedPairProcess<EnumeratedPair> {
 public:
  explicit EnumeratedPair(const EnumeratedDistributions& distributions)
      : table_(std::make_shared<Table>()) {
    table_->log_p = distributions.log_p;
    table_->log_q = distributions.log_q;
    table_->cumulative_p = cumulative(distributions.log_p);
    table_->cumulative_q = cumulative(distributions.log_q);
  }

  std::int64_t horizon() const override { return 1; }
  int action_count() const override { return static_cast<int>(table_->log_p.size()); }
  std::int64_t round() const override { return round_; }
  void restart() override { round_ = 0; }
  bool agrees() const override { return false; }
  bool forced() const override { return false; }
  int draw(Side side, ReplayStream& random) override {
    const auto& c = side == Side::kBase ? table_->cumulative_p : table_->cumulative_q;
    const auto at = std::upper_bound(c.begin(), c.end(), random.uniform() * c.back());
    return static_cast<int>(std::min(at, c.end() - 1) - c.begin());
  }
  PairLogProbability log_probability(int action, ArgmaxPrecision) const override {
    const auto i = static_cast<std::size_t>(action);
    return {table_->log_p[i], table_->log_q[i]};
  }
  void log_probabilities(ArgmaxPrecision, std::span<double> log_p,
                         std::span<double> log_q) const override {
    std::copy(table_->log_p.begin(), table_->log_p.end(), log_p.begin());
    std::copy(table_->log_q.begin(), table_->log_q.end(), log_q.begin());
  }
  void advance(int) override { ++round_; }

 private:
  struct Table {
    std::vector<double> log_p, log_q, cumulative_p, cumulative_q;
  };
  static std::vector<double> cumulative(const std::vector<double>& logs) {
    std::vector<double> sums;
    double sum = 0.0;
    for (const double l : logs) sums.push_back(sum += std::exp(l));
    return sums;
  }
  std::shared_ptr<Table> table_;
  std::int64_t round_ = 0;
};

}  // namespace assay
