// The exact law of DP-EBS-Elimination's duels: against a closed form, another order of integration
// and plays.
#include "assay/tests/support/duel_transcript_distribution.hpp"

#include <tuple>

#include <boost/math/distributions/binomial.hpp>

#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/policies/dueling/duels.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

DpEbsElimination elimination_policy(std::int64_t horizon, double epsilon,
                                    Radius radius = Radius::kNone) {
  return DpEbsElimination::create(
             {.horizon = horizon, .epsilon = epsilon, .delta = 0.5, .radius = radius})
      .value();
}
EbsTranscriptDistribution elimination_distribution(const DpEbsElimination& policy) {
  return EbsTranscriptDistribution::create(policy).value();
}

// Arm 0 beats arm 1 in the rounds whose bits are set.
InputTable duel_outcomes(std::int64_t horizon, unsigned bits) {
  InputTable out = InputTable::zeros(horizon, 4);
  for (std::int64_t t = 0; t < horizon; ++t) out.row(t)[(bits >> t & 1u) == 1 ? 1 : 2] = 1.0;
  return out;
}

// W_t in (1), by the formula of the bounds.
double width_at(const DpEbsElimination& policy, int t) {
  double sum = 0.0;
  for (const int plays : {(t + 1) / 2, t / 2}) {
    const double horizon = static_cast<double>(policy.config().horizon);
    sum += std::sqrt(std::log(2.0 * horizon / 0.5) / plays) +
           policy.radius(std::popcount(static_cast<unsigned>(plays))) / plays;
  }
  return sum;
}

double density(double x, double s) { return std::exp(-std::fabs(x) / s) / (2.0 * s); }
double cdf(double x, double s) {
  return x < 0.0 ? 0.5 * std::exp(x / s) : 1.0 - 0.5 * std::exp(-x / s);
}

// Three rounds: the difference of two Laplace variables leaves an interval, in closed form.
TEST(EbsTranscriptDistribution, OfThreeRoundsIsThatOfTheDifferenceOfTwoNoises) {
  for (const double epsilon : {0.3, 2.0, 8.0}) {
    const auto policy =
        elimination_policy(3, epsilon, epsilon > 1.0 ? Radius::kNone : Radius::kExact);
    const double s = policy.noise_scale();
    // P(Y - X > z) for noises of scale 1.
    const auto tail = [](double z) {
      return z >= 0.0 ? (0.5 + 0.25 * z) * std::exp(-z) : 1.0 - (0.5 - 0.25 * z) * std::exp(z);
    };
    auto exact = elimination_distribution(policy);
    for (const unsigned wins : {0u, 1u, 2u, 3u}) {
      const double gap = (wins & 1u ? 1.0 : 0.0) - (wins & 2u ? 1.0 : 0.0);
      const auto& chances = exact.chances(wins);
      EXPECT_NEAR(chances.leaves[2][0] / tail((width_at(policy, 2) + gap) / s), 1.0, 1e-12);
      EXPECT_NEAR(chances.leaves[2][1] / tail((width_at(policy, 2) - gap) / s), 1.0, 1e-12);
    }
    // (0, 1) won and a second arm's play: the path and its law.
    const auto distribution = exact.distribution(duel_outcomes(3, 3)).value();
    EXPECT_NEAR(distribution.at({1, 2, 3}), 0.25 * exact.chances(1).leaves[2][0], 1e-16);
    EXPECT_NEAR(distribution.at({1, 2, 0}),
                0.125 * exact.chances(1).none + 0.25 * exact.chances(1).leaves[2][1], 1e-16);
  }
}

// P(the elimination of round `last` is of the second arm, none before), by Gauss-Legendre over Y_1,
// X_2, Y_2, X_3 in the order of play, the first and the last estimate by their cdf.
class Nested {
 public:
  Nested(const DpEbsElimination& policy, unsigned wins, int last)
      : s_(policy.noise_scale()), panel_(last <= 5 ? 2.0 * s_ : 3.0 * s_), last_(last) {
    for (int t = 2; t <= last; ++t) widths_[t] = width_at(policy, t);
    for (int t = 1; t <= last; ++t) won_[t] = (wins >> (t - 1) & 1u) == 1 ? 1.0 : 0.0;
  }
  double second_leaves() const {
    double sum = 0.0;
    const double mean = won_[2];
    const double next = 0.5 * (won_[1] + won_[3]);  // as in rest()
    const std::vector<double> breaks{mean, won_[1] + widths_[2], won_[1] - widths_[2],
                                     next + widths_[3], next - widths_[3]};
    for (const auto& [y, w] :
         gauss_legendre_nodes(mean - 30 * s_, mean + 30 * s_, breaks, panel_)) {
      const double low = y - (last_ == 2 ? -widths_[2] : widths_[2]) - won_[1];
      const double first =
          last_ == 2 ? 1.0 - cdf(low, s_) : cdf(y + widths_[2] - won_[1], s_) - cdf(low, s_);
      sum += w * density(y - mean, s_) * first * (last_ == 2 ? 1.0 : rest(3, {0, y, 0, 0}));
    }
    return sum;
  }

 private:
  struct State {
    double x, y, x2, y2;
  };
  // Of rounds t and later, none having left before.
  double rest(int t, const State& now) const {
    const bool is_x = t % 2 == 1;
    const double own = is_x ? (t + 1) / 2 : t / 2, other = is_x ? t / 2 : (t + 1) / 2;
    const double mean = t == 3   ? won_[1] + won_[3]
                        : t == 4 ? won_[2] + won_[4]
                        : t == 5 ? now.x2 + won_[5]
                                 : now.y2 + won_[6];
    const double middle = own * (is_x ? now.y : now.x) / other;
    const double far = own * widths_[t];
    if (t == last_) return is_x ? 1.0 - cdf(middle + far - mean, s_) : cdf(middle - far - mean, s_);
    std::vector<double> breaks{mean};
    if (t <= 4) {  // where the middle of the next noise enters the next window
      const double its_mean = t == 3 ? won_[2] + won_[4] : now.x2 + won_[5];
      for (const double edge : {-widths_[t + 1], widths_[t + 1]}) {
        breaks.push_back(own * (0.5 * its_mean + edge));
      }
    }
    double sum = 0.0;
    for (const auto& [v, w] : gauss_legendre_nodes(middle - far, middle + far, breaks, panel_)) {
      const State next = is_x ? State{v, now.y, t == 3 ? v : now.x2, now.y2}
                              : State{now.x, v, now.x2, t == 4 ? v : now.y2};
      sum += w * density(v - mean, s_) * rest(t + 1, next);
    }
    return sum;
  }

  double s_;
  double panel_;
  int last_;
  std::array<double, 8> widths_{}, won_{};
};

TEST(EbsTranscriptDistribution, AgreesWithIntegralsInTheOrderOfPlay) {
  const auto policy = elimination_policy(8, 2.0);
  auto exact = elimination_distribution(policy);
  for (const unsigned wins : {0b0110101u, 0b1101001u}) {
    for (const int t : {2, 3, 4, 5}) {
      if (kSanitized && t > 4) continue;
      const double p = exact.chances(wins).leaves[static_cast<std::size_t>(t)][1];
      EXPECT_NEAR(Nested(policy, wins, t).second_leaves() / p, 1.0, t < 4 ? 1e-11 : 1e-6) << t;
    }
  }
  if (kSanitized) return;
  EXPECT_NEAR(
      Nested(policy, 0b0110101u, 6).second_leaves() / exact.chances(0b0110101u).leaves[6][1], 1.0,
      1e-6);
}

// Every summand is computed by itself from round 6 on.
TEST(EbsTranscriptDistribution, SumsToOne) {
  const auto expect_sum = [](const DpEbsElimination& policy, unsigned bits) {
    auto exact = elimination_distribution(policy);
    const auto distribution =
        exact.distribution(duel_outcomes(policy.config().horizon, bits)).value();
    double sum = 0.0;
    for (const auto& [transcript, p] : distribution) sum += p;
    EXPECT_NEAR(sum, 1.0, 3e-13) << policy.config().horizon << " " << policy.noise_scale();
  };
  for (const double epsilon : {0.2, 2.0, 30.0}) {
    for (std::int64_t horizon = 1; horizon <= 7; ++horizon) {
      expect_sum(elimination_policy(horizon, epsilon), 0x2b);
    }
  }
  for (const Radius radius : {Radius::kExact, Radius::kPaper}) {
    expect_sum(elimination_policy(7, 2.0, radius), 0x2b);
  }
  expect_sum(elimination_policy(8, 2.0), 0x6a);
  if (!kSanitized) expect_sum(elimination_policy(9, 4.0), 0xbb);
}

// What is drawn of each transcript, one of thousands of counts being off with probability 1e-6.
TEST(EbsTranscriptDistribution, IsThatOfPlays) {
  for (const auto& [horizon, bits] : {std::pair<std::int64_t, unsigned>{8, 0x5au}, {9, 0x1au}}) {
    const auto fresh = elimination_policy(horizon, 2.0);
    const auto outcomes = duel_outcomes(horizon, bits);
    auto exact = elimination_distribution(fresh);
    const auto distribution = exact.distribution(outcomes).value();
    const auto duels = RecordedOutcomes::create(2, outcomes).value();
    std::map<std::vector<int>, int> counts;
    const int plays = repetitions(200'000);
    for (int play = 0; play < plays; ++play) {
      ReplayStream random({.seed = 7, .lane = static_cast<std::uint64_t>(play)});
      auto policy = fresh;
      std::vector<int> transcript;
      for (std::int64_t t = 0; t < horizon; ++t) {
        const Duel duel = policy.choose(random);
        transcript.push_back(2 * duel.first + duel.second);
        policy.observe(duels.feedback(t, duel, random), random);
      }
      ++counts[transcript];
    }
    // Each by itself; by its end and how often arm 0 met arm 1 before, as many plays a class as tell.
    for (const bool together : {false, true}) {
      const auto of_class = [&](const std::vector<int>& transcript) {
        if (!together) return transcript;
        const auto run = std::find_if(transcript.rbegin(), transcript.rend(),
                                      [&](int duel) { return duel != transcript.back(); });
        return std::vector<int>{transcript.back(), static_cast<int>(run - transcript.rbegin()),
                                static_cast<int>(std::count(run, transcript.rend(), 1))};
      };
      std::map<std::vector<int>, std::pair<double, int>> classes;
      for (const auto& [transcript, p] : distribution) classes[of_class(transcript)].first += p;
      for (const auto& [transcript, count] : counts) {
        ASSERT_TRUE(distribution.contains(transcript));
        classes[of_class(transcript)].second += count;
      }
      for (const auto& [name, both] : classes) {
        const boost::math::binomial_distribution<> drawn(plays, both.first);
        EXPECT_GT(boost::math::cdf(drawn, both.second), 1e-9);
        if (both.second == 0) continue;
        EXPECT_GT(boost::math::cdf(complement(drawn, both.second - 1.0)), 1e-9);
      }
    }
  }
}

TEST(DuelTranscriptDistributions, OfNeighboursLoseAtMostTheLevelOfTheRelease) {
  const auto policy = elimination_policy(7, 2.0);
  auto flipped = duel_outcomes(7, 0x2a);
  const Edit edit{0, {0.0, 1.0, 0.0, 0.0}};  // arm 0 wins round 1 if it meets arm 1
  const auto distributions =
      duel_transcript_distributions(policy, InputPair::of(flipped, edit)).value();
  const auto exact = ExactLoss::create(distributions.distributions).value();
  // h = 3 nodes of the first counter hold round 1, and all of eps is spent on them.
  const double largest = std::max(exact.largest_loss(Orientation::kBaseToNeighbour),
                                  exact.largest_loss(Orientation::kNeighbourToBase));
  EXPECT_LT(largest, 2.0 * (1.0 + 1e-9));
  EXPECT_GT(largest, 0.5);
  // A transcript that begins with a duel of arm 0 with itself tells nothing of round 1.
  for (std::size_t i = 0; i < distributions.transcripts.size(); ++i) {
    if (distributions.transcripts[i][0] == 0 && distributions.transcripts[i][1] != 3) {
      EXPECT_NEAR(distributions.distributions.log_p[i], distributions.distributions.log_q[i],
                  1e-12);
    }
  }
}

// Every pair of tables there is: 2^5 of what can be seen of six rounds, by the round that turns. What
// the duels tell is at most what one node does, of the three that hold an entry.
TEST(DuelTranscriptDistributions, OfAllPairsLoseNoMoreThanOneNodeDoes) {
  for (const auto& [epsilon, radius, least] : {std::tuple{2.0, Radius::kNone, 0.97},
                                               {4.0, Radius::kNone, 0.99},
                                               {2.0, Radius::kExact, 0.999}}) {
    const auto policy = elimination_policy(6, epsilon, radius);
    ASSERT_NEAR(policy.noise_scale() * epsilon, 3.0, 1e-12);
    auto exact = elimination_distribution(policy);
    std::vector<DuelDistribution> distributions;
    for (unsigned bits = 0; bits < 32; ++bits) {
      distributions.push_back(exact.distribution(duel_outcomes(6, bits)).value());
    }
    double largest = 0.0;
    for (unsigned bits = 0; bits < 32; ++bits) {
      for (unsigned turned = 1; turned < 32; turned <<= 1) {
        for (const auto& [transcript, p] : distributions[bits]) {
          largest = std::max(largest, std::log(p / distributions[bits ^ turned].at(transcript)));
        }
      }
    }
    const double of_a_node = 1.0 / policy.noise_scale();
    EXPECT_LT(largest, of_a_node * (1.0 + 1e-9));
    EXPECT_GT(largest, of_a_node * least);
  }
}

TEST(EbsTranscriptDistribution, SaysWhatItIsOf) {
  const auto error = [](const DpEbsEliminationConfig& config) {
    return EbsTranscriptDistribution::create(DpEbsElimination::create(config).value())
        .error()
        .message;
  };
  EXPECT_THAT(error({.arms = 3, .horizon = 8}), HasSubstr("2 arms and at most 9 rounds"));
  EXPECT_THAT(error({.arms = 2, .horizon = 10}), HasSubstr("2 arms and at most 9 rounds"));
  EXPECT_THAT(error({.arms = 2, .horizon = 8, .epsilon = 200.0}), HasSubstr("scale T/200"));
  EXPECT_FALSE(elimination_distribution(elimination_policy(4, 1.0))
                   .distribution(duel_outcomes(5, 0))
                   .has_value());
}

}  // namespace
}  // namespace assay
