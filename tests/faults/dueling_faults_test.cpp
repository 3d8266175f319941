// Planted faults in private dueling bandits: each is convicted at power 0.99 by the release method,
// or by the check that is its own, where its correct twin is acquitted.
//
// DP-EBS, K = 2 arms, eps = 1, bounds without radius; GOptimal, K = 3, d = 2.
//
// | fault                      | what leaks                            | level    | convicted by    |
// |----------------------------|---------------------------------------|----------|-----------------|
// | losses do not advance      | before its first win a counter has no | infinite | release, duels  |
// | noise redrawn each prefix  | a bit is in every later estimate      | grows    | losses of nodes |
// | -1 in place of the wins    | nothing: a bit is not taken back      | < eps    | its counts      |
// | reads unreleased counts    | who leaves, and when                  | infinite | release, duels  |
// | ties by the private count  | who plays next                        | infinite | release, duels  |
// | Laplace(1/eps) where       | nothing beyond eps, but more than the | eps      | losses of counts|
// |   log(T)/eps is promised   |   eps/log(T) of the proof             |          | release, duels  |
//
// Noise that is redrawn shows in the estimates. The duels end at an arm's first crossing, and to
// survive n readings has a chance of about 2^-n where each tells e^(1/s): they hardly show it.
#include "assay/auditors/dueling/dueling_inputs.hpp"
#include "assay/auditors/dueling/dueling_pair.hpp"
#include "assay/tests/support/faulty_ebs.hpp"
#include "assay/tests/support/release_convictions.hpp"

namespace assay {
namespace {

FaultyEbs two_arms(EbsFault fault, std::int64_t horizon, double radius = 0.0, double width = 0.0) {
  return {{.arms = 2, .horizon = horizon, .epsilon = 1.0}, fault, radius, width};
}

// The first arm of every duel wins (or loses) while arms play in turn; one round is reversed.
InputPair all_alike(std::int64_t horizon, bool wins, std::int64_t changed = 0) {
  InputTable table = InputTable::zeros(horizon, 4);
  for (std::int64_t t = 0; t < horizon; ++t) table.row(t)[(t % 2 == 0) == wins ? 1 : 2] = 1.0;
  return reversed_round(std::make_shared<const InputTable>(std::move(table)), 2, changed);
}

void expect_convicted_with_counterpart(const FaultyEbs& fault, const InputPair& pair,
                                       std::int64_t runs) {
  FaultyEbs correct = fault;
  correct.fault = EbsFault::kNone;
  expect_convicted(FaultyEbsRelease(fault, pair), FaultyEbsRelease(correct, pair),
                   PureDp{Epsilon{1.0}}, runs);
}

TEST(DuelingFaults, TheCorrectCounterpartPlaysAsThePolicyDoes) {
  const DpEbsEliminationConfig config{.arms = 4, .horizon = 300, .epsilon = 400.0, .delta = 0.5};
  const auto base = dueling_base({.arms = 4, .horizon = 300, .turn = 4});
  const auto pair = reversed_round(base, 4, 3);
  const FaultyEbsRelease counterpart({config, EbsFault::kNone, 1.0, 1.0}, pair);
  const auto right = DpEbsElimination::create(config).value();
  const auto release = dueling_release(right, pair).value();
  std::size_t left = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Side side = seed % 2 == 0 ? Side::kBase : Side::kNeighbour;
    ReplayStream random({.seed = seed}), same({.seed = seed});
    const FaultyPlay played = counterpart.play(side, random);
    DpEbsElimination policy = right;
    for (std::int64_t t = 0; t < 300; ++t) {
      const Duel duel = policy.choose(same);
      ASSERT_EQ(duel, played.duels[static_cast<std::size_t>(t)]) << t;
      const auto row = side == Side::kBase ? base->row(t) : pair.neighbour_row(t);
      policy.observe(
          row[4 * static_cast<std::size_t>(duel.first) + static_cast<std::size_t>(duel.second)] ==
              1.0,
          same);
    }
    left += policy.active().size() < 4;
    const double loss = side == Side::kBase ? played.loss : -played.loss;
    EXPECT_NEAR(release->sample(side, ReplayStream({.seed = seed})).loss, loss, 1e-6);
  }
  EXPECT_GT(left, 15U);
}

TEST(DuelingFaults, ACounterThatLossesDoNotAdvanceIsConvicted) {
  expect_convicted_with_counterpart(two_arms(EbsFault::kSkipsLosses, 12), all_alike(12, false),
                                    400);
}

// No loss of an eps-DP release is above eps: one that is convicts.
int loss_convictions(const PairRelease& release, double epsilon, std::uint64_t runs, int audits) {
  return count_runs(audits, [&](std::uint64_t seed) {
    double largest = 0.0;
    for (std::uint64_t i = 0; i < runs; ++i) {
      const ReplayStream random({.seed = seed, .replicate = i});
      largest = std::max(largest, std::fabs(release.sample(Side::kBase, random).loss));
    }
    return largest > epsilon * (1.0 + 1e-9);
  });
}

TEST(DuelingFaults, NoiseRedrawnForEachPrefixIsConvictedByItsLosses) {
  const auto pair = all_alike(400, true);
  const FaultyEbsRelease wrong(two_arms(EbsFault::kRedraws, 400, 1.0, 1.0), pair);
  const FaultyEbsRelease right(two_arms(EbsFault::kNone, 400, 1.0, 1.0), pair);
  const int audits = 100;
  EXPECT_GE(loss_convictions(wrong, 1.0, 40, audits), audits - audits / 100);
  EXPECT_EQ(loss_convictions(right, 1.0, 40, audits), 0);
}

TEST(DuelingFaults, EliminationsThatReadUnreleasedCountsAreConvicted) {
  expect_convicted_with_counterpart(two_arms(EbsFault::kReadsCounts, 12), all_alike(12, false),
                                    200);
}

TEST(DuelingFaults, TiesBrokenByThePrivateCountAreConvicted) {
  expect_convicted_with_counterpart(two_arms(EbsFault::kTiesByWins, 12, 1.0, 1.0),
                                    all_alike(12, false, 1), 200);
}

TEST(DuelingFaults, OneTakenBackInPlaceOfTheWinsIsConvictedByItsCounts) {
  const DpEbsEliminationConfig config{.arms = 4, .horizon = 300, .epsilon = 400.0, .delta = 0.5};
  const auto pair = reversed_round(dueling_base({.arms = 4, .horizon = 300, .turn = 4}), 4, 3);
  const FaultyEbsRelease wrong({config, EbsFault::kTakesBackOne}, pair);
  const FaultyEbsRelease right({config, EbsFault::kNone}, pair);
  std::size_t games = 0;
  double largest = 0.0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const auto* release : {&wrong, &right}) {
      ReplayStream random({.seed = seed});
      const FaultyPlay played = release->play(Side::kBase, random);
      // Of games that removed some duels and go on: their last rounds are of two arms.
      const bool removed = played.duels.back().first != played.duels[298].first &&
                           played.duels.back().first < 2 && played.duels[298].first < 2;
      if (release == &wrong) largest = std::max(largest, std::fabs(played.loss));
      double off = 0.0;
      for (std::size_t i = 0; i < 4; ++i) {
        if (played.wins[i] > 0.0) off += std::fabs(played.entries[i] - played.wins[i]);
      }
      if (release == &right) {
        EXPECT_EQ(off, 0.0);
      } else if (removed) {
        ++games;
        EXPECT_GT(off, 0.0);
      }
    }
  }
  EXPECT_GT(games, 20U);
  EXPECT_LE(largest, config.epsilon);  // no leak: what is released is off
}

// Not a fault but two readings, each audited at both levels.
TEST(DuelingFaults, TheListingsNoiseOfCountsIsNotThatOfTheProof) {
  constexpr std::int64_t kRounds = 40;
  constexpr double kLevel = 3.0;
  GOptDpdbConfig config{
      .arms = 3, .dimension = 2, .horizon = kRounds, .epsilon = kLevel, .phase_scale = 1e-5};
  const auto listing = GOptDpdb::create(config).value();
  config.noise = CountNoise::kProof;
  const auto proof = GOptDpdb::create(config).value();
  const double proved = proof.spent_epsilon();
  EXPECT_NEAR(listing.spent_epsilon(), kLevel, 1e-12);
  EXPECT_NEAR(proved, kLevel / std::log(static_cast<double>(kRounds)), 1e-12);
  const auto base = dueling_base({.arms = 3, .horizon = kRounds, .turn = 1});
  const auto pair = reversed_round(base, 3, 4);
  const auto wrong = dueling_release(listing, pair, listing.spent_epsilon()).value();
  const auto right = dueling_release(proof, pair, proved).value();
  const int audits = 100;
  EXPECT_GE(loss_convictions(*wrong, proved, 12, audits), audits - audits / 100);
  EXPECT_EQ(loss_convictions(*right, proved, 12, audits), 0);
  EXPECT_EQ(loss_convictions(*wrong, kLevel, 12, audits), 0);
  // The duels show it as well.
  EXPECT_EQ(convictions(*wrong, PureDp{Epsilon{proved}}, 300, 5), 5);
  EXPECT_EQ(convictions(*right, PureDp{Epsilon{proved}}, 300, 2), 0);
}

}  // namespace
}  // namespace assay
