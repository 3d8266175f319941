// The list of all policies that come with Assay. To add a policy, add its type here. The tests of
// everything that a policy must satisfy (tests/unit/registry/policies_test.cpp) run over this list.
#pragma once

#include "assay/mechanisms/core/type_list.hpp"
#include "assay/policies/bandits/anytime_lazy_ucb.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/bandits/explore_then_commit.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/policies/dueling/double_thompson_sampling.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"
#include "assay/policies/dueling/rmed1.hpp"
#include "assay/policies/dueling/rucb.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"
#include "assay/policies/sparse/fliphat.hpp"
#include "assay/policies/sparse/iht_bandit.hpp"
#include "assay/policies/sparse/lasso_bandit.hpp"
#include "assay/policies/sparse/random_arm.hpp"

namespace assay {

using Policies =
    TypeList<AnytimeLazyUcb, DpSuccessiveElimination, ModifiedThompsonSampling, Ucb1,
             ExploreThenCommit, FollowTheLeader, Hedge, RandomPrefix, RnmFtnl, DpBai, DpBaiGauss,
             BaiBaseline, SequentialHalving, OdLinBai, DpOd, DpEbsElimination, EbsElimination,
             LocalEbsElimination, GOptDpdb, Rucb, Rmed1, DoubleThompsonSampling, Fliphat, IhtBandit,
             LassoBandit, RandomArm>;

}  // namespace assay
