// Discrete Gaussian noise on integer vectors, against values computed elsewhere and against the outputs of all moves of small
// vectors, listed here one by one.
#include "assay/mechanisms/accounting/account/integer_vector_step.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Entries = std::vector<int>;
using AskedOfVector = AccountTarget::Asked;

AccountAnswer vector_answer(const StepMechanism& step, std::int64_t count, AskedOfVector asked,
                            double given, std::int64_t moves = 1) {
  const std::vector<ChainStep> chain{{step, count, "", moves}};
  return must(account_for(chain, std::vector<AccountTarget>{{asked, given}})).front();
}
AccountAnswer vector_eps(const StepMechanism& step, std::int64_t count, double delta) {
  return vector_answer(step, count, AskedOfVector::kEpsilonAtDelta, delta);
}
AccountAnswer vector_delta(const StepMechanism& step, std::int64_t count, double eps) {
  return vector_answer(step, count, AskedOfVector::kDeltaAtEpsilon, eps);
}

// The masses of all losses of a move, in units of 1/(2 sigma^2), from all vectors of noise.
using Losses = std::map<int, double>;
Losses losses_of(const Entries& move, double sigma, int reach) {
  double sum = 0.0;
  for (int k = -60; k <= 60; ++k) sum += std::exp(-0.5 * k * k / (sigma * sigma));
  Losses all;
  Entries noise(move.size(), -reach);
  for (;;) {
    double mass = 1.0;
    int loss = 0;
    for (std::size_t i = 0; i < move.size(); ++i) {
      mass *= std::exp(-0.5 * noise[i] * noise[i] / (sigma * sigma)) / sum;
      loss += (noise[i] + move[i]) * (noise[i] + move[i]) - noise[i] * noise[i];
    }
    all[loss] += mass;
    std::size_t i = 0;
    while (i < noise.size() && ++noise[i] > reach) noise[i++] = -reach;
    if (i == noise.size()) return all;
  }
}

Losses together(const Losses& a, const Losses& b) {
  Losses all;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) all[x + y] += p * q;
  }
  return all;
}

double delta_of_losses(const Losses& losses, double sigma, double eps) {
  double delta = 0.0;
  for (const auto& [loss, mass] : losses) {
    const double value = loss / (2.0 * sigma * sigma);
    if (value > eps) delta += mass * -std::expm1(eps - value);
  }
  return delta;
}

TEST(IntegerVectorStep, AgreesWithIndependentValues) {
  for (const auto& [delta, eps] : {std::pair{1e-6, 4.917397}, std::pair{1e-3, 3.148577}}) {
    const auto answer = vector_eps(IntegerVectorStep{2.0, 4}, 1, delta);
    EXPECT_TRUE(answer.is_exact);
    EXPECT_NEAR(*answer.lower, eps, 1e-6);
    EXPECT_LE(answer.upper - *answer.lower, 1e-9);
  }
}

// Every move of up to five entries with a squared length of at most D^2, also those that are no partition of it.
TEST(IntegerVectorStep, OneReleaseIsTheWorstOfAllMoves) {
  const double sigma = 1.1;
  const std::vector<Entries> moves{{1},       {2},          {1, 1},          {2, 1},
                                   {2, 0, 1}, {1, 1, 1},    {2, 2},          {-2, 1},
                                   {1, -1},   {1, 1, 1, 1}, {1, 1, 1, 1, 1}, {0, 2}};
  for (const int distance : {2, 4, 5}) {
    std::vector<Losses> all;
    for (const Entries& move : moves) {
      int squares = 0;
      for (const int v : move) squares += v * v;
      if (squares <= distance) all.push_back(losses_of(move, sigma, move.size() > 3 ? 7 : 9));
    }
    const IntegerVectorStep step{sigma, distance};
    for (double eps = 0.0; eps < 7.0; eps += 0.13) {
      double truth = 0.0;
      for (const Losses& losses : all) {
        truth = std::max(truth, delta_of_losses(losses, sigma, eps));
      }
      const auto answer = vector_delta(step, 1, eps);
      EXPECT_TRUE(answer.is_exact);
      EXPECT_NEAR(answer.upper, truth, 1e-9 * truth + 1e-9);
      EXPECT_NEAR(*answer.lower, truth, 1e-9 * truth + 1e-9);
    }
  }
}

TEST(IntegerVectorStep, ComposedMovesMayDiffer) {
  const double sigma = 1.2;
  const Losses one = losses_of({2}, sigma, 9), four = losses_of({1, 1, 1, 1}, sigma, 8);
  const Losses ones = together(one, one), mixed = together(one, four), fours = together(four, four);
  for (double eps = 0.0; eps < 12.0; eps += 0.7) {
    const auto answer = vector_delta(IntegerVectorStep{sigma, 4}, 2, eps);
    EXPECT_FALSE(answer.is_exact);
    const double same =
        std::max(delta_of_losses(ones, sigma, eps), delta_of_losses(fours, sigma, eps));
    const double most = std::max(same, delta_of_losses(mixed, sigma, eps));
    EXPECT_GE(answer.upper, most * (1.0 - 1e-7));
    EXPECT_LE(answer.upper, 1.3 * most);
    EXPECT_LE(*answer.lower, same * (1.0 + 1e-7));
    EXPECT_GE(*answer.lower, same * (1.0 - 1e-7));
  }
}

TEST(IntegerVectorStep, OneEntryAndAllOnesAreReleasesOfNumbers) {
  for (const double sigma : {0.3, 3.0, 25.0}) {
    const auto one = vector_eps(IntegerVectorStep{sigma, 1}, 7, 1e-6);
    const auto number = vector_eps(DiscreteGaussianStep{sigma}, 7, 1e-6);
    EXPECT_EQ(one.upper, number.upper);
    EXPECT_EQ(*one.lower, *number.lower);
    const auto three = vector_eps(IntegerVectorStep{sigma, 3}, 4, 1e-6);
    const auto numbers =
        vector_answer(DiscreteGaussianStep{sigma}, 4, AskedOfVector::kEpsilonAtDelta, 1e-6, 3);
    EXPECT_TRUE(three.is_exact);
    EXPECT_GE(three.upper, *numbers.lower);
    EXPECT_LE(*three.lower, numbers.upper);
    EXPECT_LE(three.upper - *three.lower, 1e-3 * three.upper);
  }
}

TEST(IntegerVectorStep, LongMovesHaveRhoAboveAndAMoveBelow) {
  const double sigma = 4.0;
  const IntegerVectorStep step{sigma, 40};  // (6, 2)
  EXPECT_FALSE(has_pair(step));
  EXPECT_TRUE(has_pair(IntegerVectorStep{sigma, 30}));
  const Losses losses = losses_of({6, 2}, sigma, 40);
  for (const double eps : {1.0, 5.0}) {
    const auto answer = vector_delta(step, 1, eps);
    const double truth = delta_of_losses(losses, sigma, eps);
    EXPECT_NEAR(*answer.lower, truth, 1e-9 * truth);
    const double rho = 40.0 / (2.0 * sigma * sigma);
    EXPECT_NEAR(answer.upper, vector_delta(ZcdpStep{rho}, 1, eps).upper, 1e-12);
    EXPECT_THAT(answer.route, HasSubstr("the sum of all rho"));
  }
  const auto square = vector_eps(IntegerVectorStep{1000.0, 1'000'000}, 3, 1e-6);
  EXPECT_LE(*square.lower, square.upper);
  EXPECT_GE(*square.lower, 0.9 * square.upper);
}

// Upper and lower bounds meet the continuous noise where sigma is large.
TEST(IntegerVectorStep, IsNearGaussianNoise) {
  const auto answer = vector_eps(IntegerVectorStep{20.0, 29}, 50, 1e-5);
  const auto gaussian = vector_eps(GaussianStep{20.0, std::sqrt(29.0)}, 50, 1e-5);
  EXPECT_NEAR(answer.upper, gaussian.upper, 1e-4 * gaussian.upper);
  EXPECT_NEAR(*answer.lower, gaussian.upper, 1e-4 * gaussian.upper);
}

TEST(IntegerVectorStep, RefusesWhatItDoesNotCover) {
  const auto made = [](std::vector<KeyValue> parameters) {
    return make_step("discrete-gaussian-vector", parameters);
  };
  EXPECT_EQ(to_string(must(made({{"sigma", "2"}, {"squared_sensitivity", "4"}}))),
            "discrete-gaussian-vector, sigma 2, squared_sensitivity 4");
  EXPECT_THAT(made({{"sigma", "0.1"}}), IsRefused("sigma"));
  EXPECT_THAT(made({{"sigma", "2"}, {"squared_sensitivity", "0"}}),
              IsRefused("squared_sensitivity"));
  EXPECT_THAT(made({{"sigma", "2"}, {"squared_sensitivity", "1000000"}}),
              IsRefused("at least 0.05 times the sensitivity"));
  EXPECT_THAT(vector_eps(IntegerVectorStep{2.0, 4}, 1, 0.0).why_infinite,
              HasSubstr("can lose any eps"));
}

}  // namespace
}  // namespace assay
