// A complete policy of our own: pulls each of two arms `pulls` times in turn, then stays with one of them. It prefers
// arm 1 by the difference of the sums of rewards, which one reward moves by at most 1, so it is eps-DP.
#pragma once

#include <cmath>

#include "assay/policies/concepts.hpp"

struct ExploreConfig {
  std::int64_t horizon = 8, pulls = 2;
  double epsilon = 1.0;

  static void fields(auto&& visit) {
    using C = ExploreConfig;
    visit(assay::field("horizon", &C::horizon, assay::Range{1, 1e6}, "T", "number of rounds"));
    visit(assay::field("pulls", &C::pulls, assay::Range{1, 1e5}, "m", "pulls of each arm"));
    visit(assay::field("epsilon", &C::epsilon, assay::Range{1e-3, 100}, "eps", "privacy level"));
  }
  assay::Status check() const {  // so that only configurations that commit are drawn
    if (2 * pulls < horizon) return {};
    return assay::fail(assay::ErrorCode::kInvalidArgument, "pulls must be below horizon/2",
                       "/pulls");
  }
};

class ExploreThenCommit : public assay::BanditPolicy<ExploreConfig> {
 public:
  static assay::Result<ExploreThenCommit> create(const Config& c) { return ExploreThenCommit(c); }
  assay::Guarantee guarantee() const {
    return {assay::PureDp{assay::Epsilon{config().epsilon}}, assay::Relation::kReplaceOneReward,
            assay::View::kActions, "explore_then_commit.hpp"};
  }

  // choose() may change nothing that later probabilities depend on, unless advance() changes it alike.
  int choose(assay::ReplayStream& random) {
    const int arm = random.uniform() < std::exp(log_probability(1)) ? 1 : 0;
    advance(arm);
    return arm;
  }
  void observe(double reward) {
    if (++round_ <= 2 * config().pulls) difference_ += arm_ == 1 ? reward : -reward;
  }

  // With these two the checks compute exact losses instead of counting runs.
  double log_probability(int arm) const {
    if (round_ < 2 * config().pulls) return arm == round_ % 2 ? 0.0 : -INFINITY;
    if (round_ > 2 * config().pulls) return arm == arm_ ? 0.0 : -INFINITY;
    return -std::log1p(std::exp(config().epsilon * (arm == 1 ? -difference_ : difference_)));
  }
  void advance(int arm) { arm_ = arm; }

 private:
  explicit ExploreThenCommit(const Config& c) : assay::BanditPolicy<ExploreConfig>(c) {}
  std::int64_t round_ = 0;
  int arm_ = 0;
  double difference_ = 0.0;  // of the rewards of arm 1 and arm 0
};
