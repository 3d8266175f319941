// The conjecture's families, and the search of its frontier: budget, threads, checkpoints.
#include "assay/auditors/experts/claims/frontier.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "assay/auditors/experts/claims/precise_distribution.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using namespace expert_checks;

FrontierPlan small_plan() {
  return FrontierPlan{.chunks = 2,
                      .most_epochs = 3,
                      .most_actions = 1e4,
                      .noises = {LeaderNoise::kGumbel},
                      .constants = {8.0, 12.0}};
}

// The noise, eps, r, mu_1, Delta_j, and two groups of others: 99 of gap 0.75, none of gap 0.5.
FrontierChunks sample_chunks() {
  const Point point{2.0, 0.25, 3.0, 0.125, 0.5, 0.75, 100.0, 0.5, 1.0};
  return {{{0, 0}, {100, 0.5, point}}, {{1, 1}, {7, -HUGE_VAL, {}}}};
}

// A checkpoint of `plan` whose chunks are these lines, with a checksum that fits.
std::string forged(const FrontierPlan& plan, const std::string& lines) {
  const std::string empty = frontier_checkpoint(plan, {});
  const std::string body = empty.substr(0, empty.size() - 17) + lines;
  return body + fmt::format("{:016x}\n", hash_purpose(body));
}

// The needed constant really grows in both families,
// by exact probabilities and beyond the stated rate.
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
    for (const int epoch : {1, 3, 5}) {
      if (kSanitized && epoch > 1) continue;
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
  const auto a = search_frontier(small_plan(), {}, {}).value();
  const auto b = search_frontier(small_plan(), {}, {.threads = 2}).value();
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
  FrontierRow row{.instance = {LeaderNoise::kGumbel, 0.25, 3, 0.0, 0.2500001, {1.0, 1e6}, {}}};
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
  const TemporaryFolder folder;
  const auto run = search_frontier(small_plan(), folder.file("run.ck"), {.cancel = &cancelled});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(folder.file("run.ck")));
}

TEST(FrontierCheckpoint, WhatIsWrittenIsRead) {
  const auto plan = small_plan();
  const auto bytes = frontier_checkpoint(plan, sample_chunks());
  const auto back = must(parse_frontier_checkpoint(bytes, plan, "run.ck"));
  EXPECT_EQ(back, sample_chunks());
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
  EXPECT_THAT(run, IsRefused("is the checkpoint of another run or program"));
  EXPECT_THAT(run, IsRefused("seed 1"));
  EXPECT_EQ(read_file(path), before);
  const std::string other = folder.write("other", "text\n");
  EXPECT_THAT(search_frontier(plan, other, {}), IsRefused("is not a checkpoint of assay frontier"));
}

// Whoever forges a file can make its checksum fit: every number is checked before it is used.
TEST(FrontierCheckpoint, AForgedOneIsRefusedByLineAndLeftAlone) {
  const std::string good = "0 0 100 0x1p-1 0x1p+1 0x1p-2 0x1.8p+1 0x1p-3 0x1p-1 0x1.8p-1 0x1.9p+6 ";
  const std::string end = "0x1p-1 0x1p+0\n";
  const std::string first = good + end;
  struct Case {
    std::string lines;
    long line;
    const char* message;
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string lines = first;
    const auto at = lines.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return lines.replace(at, from.size(), to);
  };
  const std::vector<Case> cases{
      {"1000000000 0 5 0x1p+3 0x1p+0\n", 4, "its row must be 0 to 1, not 1000000000"},
      {"0 0 5 0x1p+300 0x1p+0\n", 4, "its instance must have 9 numbers, not 1"},
      {"-1 0 5 -inf\n", 4, "its row must be 0 to 1, not -1"},
      {"2 0 5 -inf\n", 4, "its row must be 0 to 1, not 2"},
      {"0 -1 5 -inf\n", 4, "its chunk must be 0 to 999999, not -1"},
      {"0 1000000 5 -inf\n", 4, "its chunk must be 0 to 999999, not 1000000"},
      {"0 9223372036854775808 5 -inf\n", 4, "it is not a chunk"},
      {"0 0 0 -inf\n", 4, "its evaluations must be 1 to 1000000, not 0"},
      {"0 0 9223372036854775807 -inf\n", 4, "its evaluations must be 1 to 1000000, not 9223372"},
      {"0 0 5 0x1p+3\n", 4, "it has a constant but no instance"},
      {"0 0 5 nan\n", 4, "it has a constant but no instance"},
      {"0 0 5 -inf 0x1p+0\n", 4, "its log c1 must be finite if it has an instance"},
      {with("100 0x1p-1", "100 nan"), 4, "its log c1 must be finite if it has an instance"},
      {with("100 0x1p-1", "100 inf"), 4, "its log c1 must be finite if it has an instance"},
      {good + "0x1p-1\n", 4, "its instance must have 9 numbers, not 8"},
      {good + "0x1p-1 0x1p+0 0x1p+0\n", 4, "its instance must have 9 numbers, not 10"},
      {with("0x1p+1", "0x1p+0"), 4, "its noise must be 2 to 2, not 1"},
      {with("0x1p+1", "nan"), 4, "its noise must be 2 to 2, not nan"},
      {with("0x1p-2", "0x1p+300"), 4, "its eps must be 0.02 to 0.98, not 2.037035976334486e+90"},
      {with("0x1p-2", "nan"), 4, "its eps must be 0.02 to 0.98, not nan"},
      {with("0x1.8p+1", "0x1p+6"), 4, "its r must be 1 to 3, not 64"},
      {with("0x1.8p+1", "0x1.4p+1"), 4, "its r must be whole, not 2.5"},
      {with("0x1.8p+1", "-0x1p+0"), 4, "its r must be 1 to 3, not -1"},
      {with("0x1p-3", "inf"), 4, "its mu_1 must be 0 to 0.9, not inf"},
      {with("0x1.9p+6", "0x1p+40"), 4, "its others must be 1 to 10001, not 1099511627776"},
      {with("0x1.9p+6", "0x1.91p+6"), 4, "its others must be whole, not 100.25"},
      {with("0x1p-3", "0x1p-1"), 4, "the conjecture does not cover its instance"},
      {first + "1 0 5 0x1p+0\n", 5, "it has a constant but no instance"},
      {first + first, 5, "its chunk appears twice"},
      {first + "\n", 5, "it is not a chunk"},
      {first + "0 1 5\n", 5, "it is not a chunk"},
      {first + "0 1 5 -inf \n", 5, "it is not a chunk"}};
  const TemporaryFolder folder;
  const auto plan = small_plan();
  ASSERT_TRUE(parse_frontier_checkpoint(forged(plan, first), plan, "run.ck"));
  for (const auto& [lines, line, message] : cases) {
    SCOPED_TRACE(lines);
    const std::string bytes = forged(plan, lines);
    const std::string path = folder.write("run.ck", bytes);
    const auto error = error_of(search_frontier(plan, path, {}));
    EXPECT_EQ(error.code, ErrorCode::kParse);
    EXPECT_EQ(error.line, line);
    EXPECT_THAT(error.message, HasSubstr("is damaged: " + std::string(message)));
    EXPECT_EQ(read_file(path), bytes);
  }
}

// Under the thread sanitizer: no thread is the first to ask the multiprecision library for anything
// that it makes unguarded. (CTest runs each test in a process of its own.)
TEST(PreciseDistribution, IsComputedFromManyThreadsAtOnce) {
  const ConjectureInstance instance{LeaderNoise::kLaplace, 0.4, 2, 0.25, 0.5, {0.75, 10.0}, {}};
  std::vector<double> values(8);
  parallel_for(8, values.size(),
               [&](std::size_t i) { values[i] = precise_log_needed_constant(instance, 9.0); });
  EXPECT_EQ(values, std::vector<double>(8, values[0]));
  EXPECT_NEAR(values[0], log_needed_constant(instance, 9.0), 1e-12);
}

TEST(FrontierPlan, NamesWhatIsOutOfRange) {
  const std::pair<void (*)(FrontierPlan&), const char*> rows[] = {
      {[](FrontierPlan& plan) { plan.chunks = 0; }, "budget must be a whole number 1 to"},
      {[](FrontierPlan& plan) { plan.most_epochs = 9; }, "epochs must be a whole number 1 to 8"},
      {[](FrontierPlan& plan) { plan.constants = {0.0}; }, "c2 must be 0.1 to 1e6, not 0"},
      {[](FrontierPlan& plan) { plan.most_actions = 0.5; }, "actions must be 1 to 1e12"}};
  for (const auto& [change, message] : rows) {
    auto plan = small_plan();
    change(plan);
    EXPECT_THAT(check_plan(plan).error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace assay
