// Releases of dueling policies on two neighbouring preference sequences: their losses against
// densities of everything released, computed from the duels by the listing.
#include "assay/auditors/dueling/dueling_pair.hpp"

#include <bit>

#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Arm i beats j for i < j in most rounds, and the changed round is reversed.
InputPair ranked_pair(std::int64_t arms, std::int64_t horizon, std::int64_t changed,
                      int upsets = 5) {
  InputTable table = InputTable::zeros(horizon, arms * arms);
  auto random = pair_stream(99);
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(i * arms + j);
  };
  for (std::int64_t t = 0; t < horizon; ++t) {
    for (std::int64_t i = 0; i < arms; ++i) {
      for (std::int64_t j = i + 1; j < arms; ++j) {
        const bool upset = uniform_below(random, 40) < static_cast<std::uint64_t>(upsets);
        table.row(t)[upset ? at(j, i) : at(i, j)] = 1.0;
      }
    }
  }
  Edit edit{changed, {}};
  for (std::int64_t i = 0; i < arms; ++i) {
    for (std::int64_t j = 0; j < arms; ++j) edit.values.push_back(table.row(changed)[at(j, i)]);
  }
  return InputPair::of(std::move(table), std::move(edit));
}

struct PlayedDuel {
  Duel duel;
  std::vector<int> left;
};

// The entries of every counter on one side of a pair, by the listing, given what was played.
std::map<int, std::vector<double>> entries_of(const InputPair& pair, Side side, std::int64_t arms,
                                              const std::vector<PlayedDuel>& rounds) {
  std::map<int, std::vector<double>> entries;
  std::map<std::pair<int, int>, double> wins;
  std::set<int> active;
  for (int arm = 0; arm < arms; ++arm) active.insert(arm);
  for (std::size_t t = 0; t < rounds.size(); ++t) {
    const auto [a, b] = rounds[t].duel;
    const auto round = static_cast<std::int64_t>(t);
    const auto row = side == Side::kNeighbour ? pair.neighbour_row(round) : pair.base()->row(round);
    const double won = row[static_cast<std::size_t>(a * arms + b)];
    entries[a].push_back(won);
    wins[{a, b}] += won;
    for (const int arm : rounds[t].left) active.erase(arm);
    if (active.size() == 1) break;
    for (const int i : rounds[t].left) {
      for (const int j : active) entries[j].push_back(-wins[{j, i}]);
    }
  }
  return entries;
}

// log of the density of all node values, where both sides have seen the same.
double counters_log_density(const std::map<int, std::vector<double>>& nodes,
                            const std::map<int, std::vector<double>>& entries, double scale) {
  double sum = 0.0;
  for (const auto& [arm, values] : nodes) {
    const auto& fed = entries.at(arm);
    EXPECT_EQ(fed.size(), values.size());
    for (std::size_t time = 1; time <= values.size(); ++time) {
      double exact = 0.0;
      for (std::size_t s = time - (time & -time); s < time; ++s) exact += fed[s];
      sum -= std::fabs(values[time - 1] - exact) / scale;
    }
  }
  return sum;
}

struct Played {
  std::vector<Duel> duels;
  double loss = 0.0;
  std::size_t removals = 0;  // entries of the changed counter that took the changed bit back
};

Played play_dp_ebs(const DpEbsEliminationConfig& config, const InputPair& pair, Side side,
                   std::uint64_t seed) {
  auto policy = DpEbsElimination::create(config).value();
  auto random = pair_stream(seed);
  std::vector<PlayedDuel> rounds;
  std::map<int, std::vector<double>> noises;
  Played out;
  for (std::int64_t t = 0; t < config.horizon; ++t) {
    const std::vector<int> before(policy.active().begin(), policy.active().end());
    const Duel duel = policy.choose(random);
    out.duels.push_back(duel);
    if (t + 1 == config.horizon || before.size() == 1) continue;  // nobody sees what comes of it
    const auto row = side == Side::kNeighbour ? pair.neighbour_row(t) : pair.base()->row(t);
    const bool won = row[static_cast<std::size_t>(duel.first * config.arms + duel.second)] == 1.0;
    policy.observe(won, random,
                   [&](const DpEbsElimination::Fed& fed) { noises[fed.arm].push_back(fed.noise); });
    PlayedDuel round{duel, {}};
    for (const int arm : before) {
      if (std::find(policy.active().begin(), policy.active().end(), arm) == policy.active().end())
        round.left.push_back(arm);
    }
    rounds.push_back(round);
  }
  const auto own = entries_of(pair, side, config.arms, rounds);
  const auto other =
      entries_of(pair, side == Side::kBase ? Side::kNeighbour : Side::kBase, config.arms, rounds);
  auto nodes = noises;
  for (auto& [arm, values] : nodes) {
    for (std::size_t time = 1; time <= values.size(); ++time) {
      for (std::size_t s = time - (time & -time); s < time; ++s) values[time - 1] += own.at(arm)[s];
    }
    std::size_t differing = 0;
    for (std::size_t s = 0; s < values.size(); ++s) differing += own.at(arm)[s] != other.at(arm)[s];
    out.removals += differing == 2;
  }
  const double scale = policy.noise_scale();
  out.loss = counters_log_density(nodes, own, scale) - counters_log_density(nodes, other, scale);
  if (side == Side::kNeighbour) out.loss = -out.loss;
  return out;
}

TEST(DuelingPairs, LossesOfDpEbsAreThoseOfTheDensitiesOfAllNodes) {
  struct Case {
    std::int64_t arms;
    std::int64_t horizon;
    double epsilon;
    std::int64_t changed;
  };
  std::size_t removals = 0, losses = 0;
  for (const Case& c : {Case{2, 300, 100, 0}, Case{4, 400, 400, 0}, Case{4, 400, 400, 30},
                        Case{4, 400, 400, 77}, Case{5, 600, 500, 3}, Case{3, 60, 1, 59}}) {
    for (const auto calibration : {Calibration::kPaper, Calibration::kCorrected}) {
      const DpEbsEliminationConfig config{.arms = c.arms,
                                          .horizon = c.horizon,
                                          .epsilon = c.epsilon,
                                          .delta = 0.5,
                                          .calibration = calibration};
      const auto pair = ranked_pair(c.arms, c.horizon, c.changed);
      const auto policy = DpEbsElimination::create(config).value();
      const auto release = dueling_release(policy, pair, policy.spent_epsilon()).value();
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const Side side = seed % 2 == 0 ? Side::kBase : Side::kNeighbour;
        const Played played = play_dp_ebs(config, pair, side, seed);
        const auto sample = release->sample(side, pair_stream(seed));
        EXPECT_NEAR(sample.loss, played.loss, 1e-6 * (1.0 + c.epsilon));
        EXPECT_LE(std::fabs(sample.loss), release->largest_loss() * (1.0 + 1e-12));
        removals += played.removals;
        losses += sample.loss != 0.0;
      }
    }
  }
  EXPECT_GT(losses, 60U);
  EXPECT_GT(removals, 10U);
}

// Nothing but the duels is seen: in which round an arm was first passed over.
TEST(DuelingPairs, WhatIsSeenIsAFunctionOfTheDuels) {
  for (const std::int64_t arms : {2, 4}) {
    const auto pair = ranked_pair(arms, 300, 1, 0);
    const DpEbsEliminationConfig config{.arms = arms, .horizon = 300, .epsilon = 500, .delta = 0.5};
    const auto release = dueling_release(DpEbsElimination::create(config).value(), pair).value();
    std::size_t left = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Side side = seed % 2 == 0 ? Side::kBase : Side::kNeighbour;
      const auto duels = play_dp_ebs(config, pair, side, seed).duels;
      const auto actions = release->sample(side, pair_stream(seed)).actions;
      if (duels[1].first == duels[1].second) {
        EXPECT_EQ(actions, std::vector<int>{0});  // the changed bit was not played
        continue;
      }
      ASSERT_EQ(actions[0], 1);
      std::int64_t round = 0;
      while (round < 300 && duels[static_cast<std::size_t>(round)].first == round % arms) ++round;
      if (round == 300) {
        EXPECT_EQ(actions.size(), 1U);
        continue;
      }
      ++left;
      const auto turn = static_cast<std::uint64_t>(round / arms);  // its highest bits, when large
      const auto told =
          turn < 64 ? static_cast<std::uint64_t>(round) : turn >> (std::bit_width(turn) - 6);
      EXPECT_THAT(actions, ::testing::Contains(static_cast<int>(told)));
    }
    EXPECT_GT(left, 20U);
  }
}

// P e^-L = 1 on the old side, Q e^L = 1 on the new one.
TEST(DuelingPairs, LossesAreThoseOfTwoDistributions) {
  const auto pair = ranked_pair(3, 200, 4);
  const auto dp = dueling_release(
      DpEbsElimination::create({.arms = 3, .horizon = 200, .epsilon = 2, .delta = 0.5}).value(),
      pair);
  const auto local = dueling_release(
      LocalEbsElimination::create({.arms = 3, .horizon = 200, .epsilon = 2, .delta = 0.5}).value(),
      pair);
  const auto gopt = dueling_release(
      GOptDpdb::create(
          {.arms = 3, .horizon = 200, .epsilon = 1, .initial_draws = 3, .phase_scale = 2e-5})
          .value(),
      pair);
  for (const auto* release : {&dp, &local, &gopt}) {
    ASSERT_TRUE(*release);
    const std::uint64_t plays = release == &gopt ? 800 : 3000;
    const double mean = 1.0 / static_cast<double>(plays);
    double base_sum = 0.0, neighbour_sum = 0.0;
    std::uint64_t losses = 0;
    for (std::uint64_t seed = 0; seed < plays; ++seed) {
      const double loss = (**release)->sample(Side::kBase, pair_stream(seed)).loss;
      base_sum += std::exp(-loss);
      losses += loss != 0.0;
      neighbour_sum +=
          std::exp((**release)->sample(Side::kNeighbour, pair_stream(seed + plays)).loss);
    }
    EXPECT_GT(losses, plays / 4);
    // Three deviations and more: that of a term is at most 2, of losses +-2 in two rounds of three.
    EXPECT_NEAR(base_sum * mean, 1.0, 6.0 * std::sqrt(mean));
    EXPECT_NEAR(neighbour_sum * mean, 1.0, 6.0 * std::sqrt(mean));
  }
}

}  // namespace
}  // namespace assay
