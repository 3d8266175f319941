// Contexts against the recursion written out, their covariance at a named alpha, signals, recorded
// rounds.
#include "assay/policies/sparse/contexts.hpp"

#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/policies/sparse/context_file.hpp"
#include "assay/policies/sparse/gaussian_contexts.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

SparseVector drawn_signal(std::int64_t dimension, std::int64_t sparsity) {
  return random_signal(dimension, sparsity, 5).value();
}

TEST(RandomSignals, HaveTheirEntriesWhereAndAsLargeAsTheySay) {
  std::vector<int> at(8, 0);
  int negative = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto signal = random_signal(8, 3, seed).value();
    ASSERT_TRUE(check_signal(signal, 8));
    ASSERT_EQ(signal.indices.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      ++at[static_cast<std::size_t>(signal.indices[k])];
      EXPECT_GE(std::fabs(signal.values[k]), 0.5);
      EXPECT_LE(std::fabs(signal.values[k]), 1.0);
      negative += signal.values[k] < 0.0 ? 1 : 0;
    }
  }
  // Binomial(2000, 3/8), (6000, 1/2): six standard deviations, alpha 2e-8 with the nine of them.
  for (const int count : at) EXPECT_NEAR(count, 750, 6 * 21.7);
  EXPECT_NEAR(negative, 3000, 6 * 38.8);
  EXPECT_EQ(random_signal(8, 3, 4).value(), random_signal(8, 3, 4).value());
  EXPECT_EQ(random_signal(8, 8, 4).value().indices.back(), 7);
  EXPECT_EQ(random_signal(8, 9, 4).error().path, "/sparsity");
  EXPECT_EQ(random_signal(0, 0, 4).error().path, "/dimension");
}

TEST(Signals, AreRefusedByEntry) {
  EXPECT_THAT(check_signal({{1, 1}, {1.0, 1.0}}, 4).error().message,
              AllOf(HasSubstr("entry 2"), HasSubstr("2 to 3"), HasSubstr("not 1")));
  EXPECT_THAT(check_signal({{4}, {1.0}}, 4).error().message, HasSubstr("0 to 3"));
  EXPECT_THAT(check_signal({{0}, {HUGE_VAL}}, 4).error().message, HasSubstr("finite"));
  EXPECT_THAT(check_signal({{0, 1}, {1.0}}, 4).error().message, HasSubstr("2 indices, not 1"));
}

TEST(GreedyArms, AreTheFirstOfTheLargestProducts) {
  const std::vector<double> values{1, 2, 3, 5, 0, 0, 5, 9, 0};
  const ContextSet contexts{3, 3, values};
  EXPECT_EQ(greedy_arm(contexts, {{0}, {1.0}}), 1);
  EXPECT_EQ(greedy_arm(contexts, {{0, 1}, {1.0, 1.0}}), 2);
  EXPECT_EQ(greedy_arm(contexts, {}), 0);
}

// The draws in their order, by one call each.
TEST(GaussianContexts, FollowTheRecursionDrawByDraw) {
  for (const auto covariance :
       {ContextCovariance::kAutoregressive, ContextCovariance::kEquicorrelated}) {
    for (const double bound : {0.0, 0.7}) {
      GaussianContextsConfig config{.arms = 3,
                                    .dimension = 7,
                                    .covariance = covariance,
                                    .correlation = 0.4,
                                    .truncation = bound,
                                    .noise_width = 0.25};
      const auto beta = drawn_signal(7, 3);
      auto environment = GaussianContexts::create(config, beta).value();
      auto drawn = seeded_stream(1), plain = seeded_stream(1);
      const Gaussian normal = Gaussian::create(0.0, 1.0).value();
      for (int round = 0; round < 5; ++round) {
        std::vector<std::vector<double>> x(3, std::vector<double>(7));
        for (auto& row : x) {
          for (double& entry : row) entry = normal.sample(plain);
        }
        std::vector<double> score(3, 0.0);
        for (std::size_t i = 0; i < 3; ++i) {
          if (covariance == ContextCovariance::kEquicorrelated) {
            const double g = normal.sample(plain);
            for (double& entry : x[i]) entry = std::sqrt(0.4) * g + std::sqrt(0.6) * entry;
          } else {
            for (std::size_t j = 1; j < 7; ++j) {
              x[i][j] = 0.4 * x[i][j - 1] + std::sqrt(1.0 - 0.16) * x[i][j];
            }
          }
          for (double& entry : x[i]) {
            if (bound > 0.0 && std::fabs(entry) > bound) entry = std::copysign(bound, entry);
          }
          for (std::size_t k = 0; k < 3; ++k) {
            score[i] += beta.values[k] * x[i][static_cast<std::size_t>(beta.indices[k])];
          }
        }
        const auto contexts = environment.context(round, drawn);
        for (std::size_t i = 0; i < 3; ++i) {
          const auto row = contexts.of(static_cast<std::int64_t>(i));
          for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(row[j], x[i][j], 1e-14);
        }
        const double noise = normal.sample(plain);
        const double reward = environment.feedback(round, 1, drawn);
        EXPECT_NEAR(reward, score[1] + 0.25 * noise, 1e-14);
        const double most = *std::max_element(score.begin(), score.end());
        EXPECT_NEAR(environment.gap(1), most - score[1], 1e-14);
        EXPECT_NEAR(environment.earned(1, reward), reward - most, 1e-14);
      }
      EXPECT_EQ(drawn.next(), plain.next());
    }
  }
}

// Means of 40,000 products of two normals: standard deviation at most sqrt(2/40000); six of them,
// alpha 2e-9 each, 30 cells.
TEST(GaussianContexts, HaveTheCovarianceThatTheySay) {
  for (const auto covariance :
       {ContextCovariance::kAutoregressive, ContextCovariance::kEquicorrelated}) {
    GaussianContextsConfig config{
        .arms = 2, .dimension = 5, .covariance = covariance, .correlation = 0.5};
    auto environment = GaussianContexts::create(config, {}).value();
    auto random = seeded_stream(3);
    double sums[5][5] = {};
    double between = 0.0;
    for (int round = 0; round < 20'000; ++round) {
      const auto contexts = environment.context(round, random);
      for (std::int64_t arm = 0; arm < 2; ++arm) {
        const auto x = contexts.of(arm);
        for (std::size_t i = 0; i < 5; ++i) {
          for (std::size_t j = 0; j <= i; ++j) sums[i][j] += x[i] * x[j] / 40'000.0;
        }
      }
      between += contexts.of(0)[2] * contexts.of(1)[2] / 20'000.0;
    }
    const double width = 6.0 * std::sqrt(2.0 / 40'000.0);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double said = covariance == ContextCovariance::kAutoregressive
                                ? std::pow(0.5, static_cast<double>(i - j))
                                : (i == j ? 1.0 : 0.5);
        EXPECT_NEAR(sums[i][j], said, width) << i << ' ' << j;
      }
    }
    EXPECT_NEAR(between, 0.0, width);
  }
}

TEST(GaussianContexts, PayUniformNoiseInsideItsWidth) {
  GaussianContextsConfig config{
      .dimension = 2, .reward_noise = RewardNoise::kUniform, .noise_width = 0.1};
  auto environment = GaussianContexts::create(config, {}).value();
  auto random = seeded_stream(4);
  double sum = 0.0, squares = 0.0, most = 0.0;
  for (int round = 0; round < 10'000; ++round) {
    environment.context(round, random);
    const double reward = environment.feedback(round, 0, random);
    sum += reward;
    squares += reward * reward;
    most = std::max(most, std::fabs(reward));
  }
  EXPECT_LE(most, 0.1);
  EXPECT_GT(most, 0.0999);  // else probability e^-10
  // Standard deviations 0.1/sqrt(3)/100 and 0.01 sqrt(4/45)/100: six of them.
  EXPECT_NEAR(sum / 10'000.0, 0.0, 6 * 5.8e-4);
  EXPECT_NEAR(squares / 10'000.0, 0.01 / 3.0, 6 * 3.0e-5);
}

TEST(GaussianContexts, AreRefusedByField) {
  const auto refused = [](GaussianContextsConfig config) {
    return GaussianContexts::create(config, {}).error();
  };
  EXPECT_EQ(refused({.arms = 1}).path, "/arms");
  EXPECT_EQ(refused({.correlation = 1.0}).path, "/correlation");
  const auto negative =
      refused({.covariance = ContextCovariance::kEquicorrelated, .correlation = -0.1});
  EXPECT_EQ(negative.path, "/correlation");
  EXPECT_THAT(negative.message, AllOf(HasSubstr("0 to 0.999"), HasSubstr("-0.1")));
  EXPECT_EQ(refused({.arms = 1024, .dimension = 100'000}).path, "/dimension");
  EXPECT_EQ(GaussianContexts::create({.dimension = 2}, {{2}, {1.0}}).error().path, "/signal");
}

TEST(RecordedContexts, AnswerWithTheirRow) {
  const InputTable rows{2, 6, {0.5, -7, 1, 2, 3, 4, 0.25, 8, 5, 6, 7, 8}};
  auto recorded = RecordedContexts::create(2, 2, rows).value();
  auto random = seeded_stream(1), same = seeded_stream(1);
  const auto contexts = recorded.context(1, random);
  EXPECT_THAT(contexts.of(0), ::testing::ElementsAre(5, 6));
  EXPECT_THAT(contexts.of(1), ::testing::ElementsAre(7, 8));
  EXPECT_EQ(recorded.feedback(1, 1, random), 8.0);
  EXPECT_EQ(recorded.feedback(0, 1, random), -7.0);
  EXPECT_EQ(random.next(), same.next());
}

TEST(RecordedContexts, AreRefusedByRowAndColumn) {
  InputTable rows{2, 6, std::vector<double>(12, 0.0)};
  rows.values[9] = std::nan("");
  EXPECT_THAT(RecordedContexts::create(2, 2, rows).error().message,
              AllOf(HasSubstr("row 2, column 4"), HasSubstr("1e100")));
  EXPECT_THAT(
      RecordedContexts::create(2, 3, rows).error().message,
      AllOf(HasSubstr("8 values: 2 rewards, then 2 contexts of 3 entries"), HasSubstr("2 of 6")));
  EXPECT_FALSE(RecordedContexts::create(2, 2, {0, 6, {}}));
}

// Files of contexts and rewards: what is read, what is refused and where.

class ContextFiles : public ::testing::Test {
 protected:
  std::string written(const std::string& text) { return folder_.write("log.csv", text); }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kThree = "# rewards, contexts\n1,2,3,4\r\n5, 6,-7,8e1\n9,10,11,\"12\"\n\n";

TEST_F(ContextFiles, AreRefusedByLineAndColumn) {
  const auto refused = [&](const char* text) {
    return read_context_rows(written(text), 2, 1).error();
  };
  const auto bad = refused("1,2,3,4\n1,2,nan,4\n");
  EXPECT_EQ(bad.line, 2);
  EXPECT_THAT(bad.message, AllOf(HasSubstr("column 3"), HasSubstr("1e100")));
  EXPECT_THAT(refused("1,2,3,1e101\n").message, HasSubstr("column 4 is 1e101"));
  // A line of more numbers than anybody asked for is not split to its end.
  const auto many = refused((std::string(8 << 20, ',') + "\n").c_str());
  EXPECT_THAT(many.message, HasSubstr("has more than 4 numbers; 4 are needed"));
  const auto few = refused("#\n1,2,3\n");
  EXPECT_EQ(few.line, 2);
  EXPECT_THAT(few.message, AllOf(HasSubstr("3 numbers; 4"), HasSubstr("2 contexts of 1 entries")));
  EXPECT_EQ(refused("1,2,3,4\n\n1,2,3,4\n").line, 2);
  EXPECT_THAT(refused("1,2,3,\"4\n").message, HasSubstr("quote"));
  EXPECT_THAT(refused("# nothing\n").message, HasSubstr("no rounds"));
  EXPECT_EQ(read_context_rows(written(kThree), 1, 1).error().path, "/arms");
  EXPECT_EQ(read_context_rows(written(kThree), 2, 0).error().path, "/dimension");
  EXPECT_FALSE(read_context_rows("/nowhere/at/all", 2, 1));
}

TEST_F(ContextFiles, BecomeInputsWhole) {
  const auto table = read_context_rows(written(kThree), 2, 1).value();
  EXPECT_EQ(table.rows, 3);
  EXPECT_EQ(table.columns, 4);
  EXPECT_THAT(table.row(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(table.row(1), ElementsAre(5, 6, -7, 80));
  EXPECT_THAT(table.row(2), ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(read_context_rows(written("\n"), 2, 1).error().message, HasSubstr("no rounds"));
}

}  // namespace
}  // namespace assay
