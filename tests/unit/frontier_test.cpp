// The conjecture's families, and the search of its frontier: budget, threads, checkpoints.
#include "assay/auditors/claims/experts/frontier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "assay/auditors/claims/experts/precise_law.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using namespace expert_checks;
using ::testing::HasSubstr;

FrontierPlan small_plan() {
  FrontierPlan plan;
  plan.chunks = 2;
  plan.most_epochs = 3;
  plan.most_actions = 1e4;
  plan.noises = {LeaderNoise::kGumbel};
  plan.constants = {8.0, 12.0};
  return plan;
}

FrontierChunks sample_chunks() {
  return {{{0, 0}, {100, 0.5, {1.0, 0.25, 3.0}}}, {{1, 1}, {7, -HUGE_VAL, {}}}};
}

// The needed constant really grows in both families, by exact probabilities and beyond the stated
// rate.
TEST(Conjecture, BothFamiliesGrowAtLeastAtTheirRates) {
  for (const auto noise : kLeaderNoises) {
    const double epsilon = 0.25;
    const double gap = 0.3;
    const double h = 1.0 / printed_scale(noise, epsilon);
    for (const double times_threshold : {0.7, 1.6}) {
      const double c2 = times_threshold * 4.0 * epsilon / h;
      const auto growth = growth_at(noise, epsilon, gap, c2);
      const double rate = std::max(growth.rate_below, growth.rate_above);
      ASSERT_GT(rate, 0.0);
      const double kappa = noise == LeaderNoise::kExponential ? 1.0 : 0.5;  // a lower bound
      for (const int epoch : {5, 6, 7, 8}) {
        const double rounds = std::ldexp(1.0, epoch - 1);
        ConjectureInstance instance{noise, epsilon, epoch, 0.0, gap, {}, {}};
        double least = std::log(kappa / 4.0) + rate * rounds;
        if (growth.rate_above > 0.0) {
          instance.first = {1.0, std::floor(std::exp(h * rounds))};
          least = std::log(4.0 / 27.0 * kappa / 2.0) + rate * rounds;
        }
        EXPECT_GE(log_needed_constant(instance, c2), least) << c2 << " " << epoch;
      }
    }
  }
}

TEST(Conjecture, TheNeededConstantAgreesWithFiftyDigits) {
  for (const auto noise : kLeaderNoises) {
    for (const int epoch : {1, 3, kSanitized ? 3 : 5}) {
      for (const double epsilon : {0.06, 0.4}) {
        const ConjectureInstance instance{noise, epsilon,     epoch,     0.25,
                                          0.5,   {0.75, 1e5}, {0.6, 3.0}};
        const double here = log_needed_constant(instance, 9.0);
        EXPECT_NEAR(here, precise_log_needed_constant(instance, 9.0), 1e-12) << epoch << epsilon;
      }
    }
  }
}

TEST(Conjecture, RatesAreOfOppositeSignsFarFromTheSplit) {
  EXPECT_GT(growth_at(LeaderNoise::kGumbel, 0.3, 0.6, 7.0).rate_below, 0.0);
  EXPECT_LT(growth_at(LeaderNoise::kGumbel, 0.3, 0.6, 7.0).rate_above, 0.0);
  EXPECT_LT(growth_at(LeaderNoise::kGumbel, 0.3, 0.6, 12.0).rate_below, 0.0);
  EXPECT_GT(growth_at(LeaderNoise::kGumbel, 0.3, 0.6, 12.0).rate_above, 0.0);
}

TEST(Conjecture, SaysNothingOfGapsUpToEpsilonOrMeansAboveOne) {
  ConjectureInstance instance{LeaderNoise::kGumbel, 0.5, 3, 0.0, 0.5, {}, {}};
  EXPECT_TRUE(std::isnan(log_needed_constant(instance, 9.0)));
  instance.gap = 0.6;
  EXPECT_FALSE(std::isnan(log_needed_constant(instance, 9.0)));
  instance.first = {0.7, 2.0};
  instance.best_mean = 0.35;
  EXPECT_TRUE(std::isnan(log_needed_constant(instance, 9.0)));
}

TEST(Frontier, DoesNotDependOnThreads) {
  RunControl two;
  two.threads = 2;
  const auto a = search_frontier(small_plan(), {}, {}).value();
  const auto b = search_frontier(small_plan(), {}, two).value();
  ASSERT_EQ(a.rows.size(), 2u);
  EXPECT_EQ(a.evaluations, b.evaluations);
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].instance, b.rows[i].instance);
    EXPECT_EQ(a.rows[i].log_c1, b.rows[i].log_c1);
    EXPECT_NEAR(a.rows[i].log_c1, a.rows[i].precise_log_c1, 1e-9);
  }
}

// Below the threshold c1 may lie beyond the doubles: it is shown, not infinite.
TEST(Frontier, ConstantsBeyondTheDoublesAreShownAsPowersOfE) {
  Frontier frontier;
  frontier.rows.resize(1);
  frontier.rows[0].precise_log_c1 = 1234.56789;
  EXPECT_EQ(frontier_table(frontier).rows[0][2], "e^1234.5");
  frontier.rows[0].precise_log_c1 = 0.0;
  EXPECT_EQ(frontier_table(frontier).rows[0][2], "1");
}

TEST(Frontier, AnInstanceIsShownWithItsGapAboveEpsilon) {
  Frontier frontier;
  FrontierRow row;
  row.instance = {LeaderNoise::kGumbel, 0.25, 3, 0.0, 0.2500001, {1.0, 1e6}, {}};
  frontier.rows.push_back(row);
  const auto cells = frontier_table(frontier).rows[0];
  EXPECT_EQ(cells[3], "0.25");
  EXPECT_EQ(cells[6], "0.2501");
  EXPECT_EQ(cells[7], "1,000,000 of gap 1");
}

// A search that goes on from part of its chunks ends where one that was never stopped does.
TEST(Frontier, ResumesFromAnyPartOfItsChunks) {
  const TemporaryFolder folder;
  const auto plan = small_plan();
  const std::string whole = folder.file("whole.ck");
  const auto straight = search_frontier(plan, whole, {}).value();
  const std::string bytes = read_file(whole);
  auto part = parse_frontier_checkpoint(bytes, plan, whole).value();
  ASSERT_EQ(part.size(), 4u);
  part.erase(part.begin());
  part.erase(std::prev(part.end()));
  const std::string cut = folder.write("part.ck", frontier_checkpoint(plan, part));
  const auto resumed = search_frontier(plan, cut, {}).value();
  EXPECT_EQ(read_file(cut), bytes);
  EXPECT_EQ(resumed.evaluations, straight.evaluations);
  EXPECT_EQ(resumed.rows[0].log_c1, straight.rows[0].log_c1);
}

TEST(Frontier, AnInterruptedSearchKeepsNoUnfinishedChunk) {
  const std::atomic<bool> cancelled{true};
  RunControl control;
  control.cancel = &cancelled;
  const TemporaryFolder folder;
  const auto run = search_frontier(small_plan(), folder.file("run.ck"), control);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run.ck")));
}

TEST(FrontierCheckpoint, WhatIsWrittenIsRead) {
  const auto plan = small_plan();
  const auto bytes = frontier_checkpoint(plan, sample_chunks());
  const auto back = parse_frontier_checkpoint(bytes, plan, "run.ck");
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(*back, sample_chunks());
}

TEST(FrontierCheckpoint, AnyOneByteChangedOrMissingIsRefused) {
  const auto plan = small_plan();
  const auto bytes = frontier_checkpoint(plan, sample_chunks());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(parse_frontier_checkpoint(damaged, plan, "run.ck")) << i;
    EXPECT_FALSE(parse_frontier_checkpoint(bytes.substr(0, i), plan, "run.ck")) << i;
  }
}

TEST(FrontierCheckpoint, AForeignOneIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  auto plan = small_plan();
  const std::string path = folder.write("run.ck", frontier_checkpoint(plan, sample_chunks()));
  const std::string before = read_file(path);
  plan.seed = 2;
  const auto run = search_frontier(plan, path, {});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("is the checkpoint of another run or program"));
  EXPECT_THAT(run.error().message, HasSubstr("seed 1"));
  EXPECT_EQ(read_file(path), before);
  const std::string other = folder.write("other", "text\n");
  EXPECT_THAT(search_frontier(plan, other, {}).error().message,
              HasSubstr("is not a checkpoint of assay frontier"));
}

TEST(FrontierPlan, NamesWhatIsOutOfRange) {
  FrontierPlan plan = small_plan();
  plan.chunks = 0;
  EXPECT_THAT(check_plan(plan).error().message, HasSubstr("budget must be a whole number 1 to"));
  plan = small_plan();
  plan.most_epochs = 9;
  EXPECT_THAT(check_plan(plan).error().message, HasSubstr("epochs must be a whole number 1 to 8"));
  plan = small_plan();
  plan.constants = {0.0};
  EXPECT_THAT(check_plan(plan).error().message, HasSubstr("c2 must be 0.1 to 1e6, not 0"));
  plan = small_plan();
  plan.most_actions = 0.5;
  EXPECT_THAT(check_plan(plan).error().message, HasSubstr("actions must be 1 to 1e12"));
}

}  // namespace
}  // namespace assay
