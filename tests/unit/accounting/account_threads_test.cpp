// Accounts by several threads: the numbers are those of one.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

std::vector<double> numbers_of(const std::vector<ChainStep>& chain, int threads) {
  RunControl control;
  control.threads = threads;
  std::vector<double> all;
  using Asked = AccountTarget::Asked;
  const std::vector<AccountTarget> targets{{Asked::kEpsilonAtDelta, 1e-6},
                                           {Asked::kDeltaAtEpsilon, 1.0},
                                           {Asked::kEpsilonAtDelta, 1e-9}};
  for (const AccountAnswer& answer : must(account_for(chain, targets, control))) {
    all.insert(all.end(), {answer.lower.value_or(-1.0), answer.upper});
  }
  for (const WithoutStep& without : must(costs_without(chain, targets.front(), control))) {
    all.insert(all.end(), {without.lower.value_or(-1.0), without.upper});
  }
  const auto curves = must(account_curves(chain, control));
  for (const ProfileBand& point : curves.profile) {
    all.insert(all.end(), {point.epsilon, point.lower, point.upper});
  }
  for (const TradeOffBand& point : curves.trade_off) {
    all.insert(all.end(), {point.type_one, point.lower, point.upper});
  }
  return all;
}

TEST(AccountThreads, DecideNoNumber) {
  const auto sampled =
      must(make_sampled(GaussianStep{1.0}, PoissonSampler{0.01}, SampledRelation::kAddOrRemove));
  const auto drawn = must(make_sampled(GaussianStep{2.0}, WithReplacementSampler{1000, 5},
                                       SampledRelation::kReplaceOne));
  for (const std::vector<ChainStep>& chain :
       {std::vector<ChainStep>{{sampled, 60, ""}, {LaplaceStep{20.0, 1.0}, 30, ""}},
        std::vector<ChainStep>{{drawn, 20, ""}},
        std::vector<ChainStep>{{ZcdpStep{0.125}, 1, ""}}}) {
    const auto one = numbers_of(chain, 1);
    EXPECT_EQ(one, numbers_of(chain, 4));
    EXPECT_GT(one.size(), 100u);
  }
}

// So many are composed in blocks, of which the counts are alike.
TEST(AccountThreads, ComposeTheSameBlocksOfManyKinds) {
  std::vector<PldTerm> terms;
  double squares = 0.0;
  for (int i = 0; i < 700; ++i) {
    const double sigma = 20.0 + 0.1 * static_cast<double>((i * 389) % 700);
    const std::int64_t count = i % 90 == 3 ? 40 : 1 + i % 2;
    terms.push_back({must(loss_of::gaussian(sigma)), count});
    squares += static_cast<double>(count) / (sigma * sigma);
  }
  const double truth = gdp_epsilon(Mu{std::sqrt(squares)}, Delta{1e-8}).value;
  std::vector<std::pair<double, double>> found;
  for (const int threads : {1, 3}) {
    const auto eps = must(pld_epsilon(terms, Delta{1e-8}, {.threads = threads}));
    found.emplace_back(eps.lower.value.value, eps.upper.value.value);
    EXPECT_LE(eps.lower.value.value, truth);
    EXPECT_GE(eps.upper.value.value, truth);
    EXPECT_LE(eps.upper.value.value - eps.lower.value.value, 1e-3 * truth);
  }
  EXPECT_EQ(found[0], found[1]);
  const std::atomic<bool> cancel{true};
  const PldOptions interrupted{.cancel = &cancel, .threads = 3};
  EXPECT_THAT(refusal_of(pld_epsilon(terms, Delta{1e-8}, interrupted)), HasSubstr("interrupted"));
}

TEST(AccountThreads, ReportProgressFromTheThreadThatAsked) {
  std::vector<ChainStep> chain;
  for (int i = 0; i < 520; ++i) {
    chain.push_back({must(make_sampled(GaussianStep{1.0 + 0.001 * i}, PoissonSampler{0.01},
                                       SampledRelation::kAddOrRemove)),
                     1, ""});
  }
  RunControl control;
  control.threads = 3;
  std::vector<double> fractions;
  control.progress = [&, starter = std::this_thread::get_id()](const Progress& made) {
    EXPECT_EQ(std::this_thread::get_id(), starter);
    EXPECT_EQ(made.stage, "composing");
    fractions.push_back(made.fraction);
  };
  const AccountTarget target{AccountTarget::Asked::kEpsilonAtDelta, 1e-6};
  must(account_for(chain, std::vector{target}, control));
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_LE(fractions.back(), 1.0);
}

// Two pairs are one loop, whose progress does not begin again.
TEST(AccountThreads, ReportProgressOfCurvesOnce) {
  const auto drawn = must(make_sampled(GaussianStep{2.0}, WithReplacementSampler{1000, 5},
                                       SampledRelation::kReplaceOne));
  RunControl control;
  std::vector<double> fractions;
  control.progress = [&](const Progress& made) { fractions.push_back(made.fraction); };
  must(account_curves(std::vector<ChainStep>{{drawn, 20, ""}}, control));
  ASSERT_GT(fractions.size(), 6u);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_NEAR(fractions.back(), 1.0, 1e-9);
}

}  // namespace
}  // namespace assay
