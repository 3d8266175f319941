#include "assay/policies/bandits/explore_then_commit.hpp"

#include <algorithm>

#include "assay/mechanisms/noise/laplace.hpp"

namespace assay {

Result<ExploreThenCommit> ExploreThenCommit::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return ExploreThenCommit(config);
}

ExploreThenCommit::ExploreThenCommit(const Config& config)
    : PolicyOf(config), totals_(static_cast<std::size_t>(config.arms)) {}

Guarantee ExploreThenCommit::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneReward, View::kActions,
          "Calibrating Noise to Sensitivity in Private Data Analysis: a Laplace mechanism of "
          "sensitivity 1 reads each reward once"};
}

void ExploreThenCommit::commit(ReplayStream& random) {
  for (double& total : totals_) {
    total = Laplace::create(total, 1.0 / config_.epsilon).value().sample(random);
  }
  action_ = static_cast<int>(std::max_element(totals_.begin(), totals_.end()) - totals_.begin());
  committed_ = true;  // (1)
}

}  // namespace assay
