// Elimination without noise and in the local model, against recounts of the whole history.
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/preference_duels.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct AnsweredDuel {
  int a, b;
  bool told;
};

// The arms that stay after these rounds, by the whole history.
std::set<int> arms_that_stay(const std::vector<AnsweredDuel>& history, const std::set<int>& active,
                             double q, double log_cases) {
  double best = -HUGE_VAL;
  std::vector<std::pair<int, double>> highs;
  for (const int i : active) {
    double plays = 0.0;
    double sum = 0.0;  // of unbiased answers
    for (const AnsweredDuel& round : history) {
      if (round.a != i || !active.contains(round.b)) continue;
      plays += 1.0;
      sum += ((round.told ? 1.0 : 0.0) - q) / (1.0 - 2.0 * q);
    }
    const double wide = std::sqrt(log_cases / plays) / (1.0 - 2.0 * q);
    best = std::max(best, plays > 0.0 ? sum / plays - wide : -HUGE_VAL);
    highs.emplace_back(i, plays > 0.0 ? sum / plays + wide : HUGE_VAL);
  }
  std::set<int> out;
  for (const auto& [i, high] : highs) {
    if (!(high < best)) out.insert(i);
  }
  return out;
}

// How many arms left.
template <class P>
std::int64_t expect_recounted(const typename P::Config& config, const PreferenceDuels& duels,
                              std::uint64_t seed) {
  auto policy = P::create(config).value();
  double q = 0.0;
  if constexpr (requires { policy.lie(); }) q = 1.0 / (std::exp(config.epsilon) + 1.0);
  const double log_cases =
      std::log(static_cast<double>(config.arms * config.horizon) / config.delta);
  std::set<int> active;
  for (int arm = 0; arm < config.arms; ++arm) active.insert(arm);
  std::vector<AnsweredDuel> history;
  auto random = seeded_stream(seed);
  auto plain_random = seeded_stream(seed);
  auto luck = seeded_stream(seed, 1);
  for (std::int64_t t = 0; t < config.horizon; ++t) {
    const auto plays = [&](int i) {
      return std::count_if(history.begin(), history.end(), [&](const AnsweredDuel& round) {
        return round.a == i && active.contains(round.b);
      });
    };
    Duel expected{*active.begin(), *active.begin()};
    if (active.size() > 1) {
      expected.first = *std::min_element(active.begin(), active.end(),
                                         [&](int i, int j) { return plays(i) < plays(j); });
      expected.second = *std::next(
          active.begin(), static_cast<std::ptrdiff_t>(uniform_below(plain_random, active.size())));
    }
    const Duel duel = policy.choose(random);
    EXPECT_EQ(duel, expected) << t;
    const bool won = duels.feedback(t, duel, luck);
    if constexpr (requires { policy.observe(won, random); }) {
      policy.observe(won, random);
    } else {
      policy.observe(won);
    }
    if (active.size() > 1) {
      bool told = won;
      if constexpr (requires { policy.lie(); }) {
        const auto word = static_cast<double>(plain_random.next() >> 1) * 0x1p-63;
        told = word < q ? !won : won;
      }
      history.push_back({duel.first, duel.second, told});
      active = arms_that_stay(history, active, q, log_cases);
    }
    EXPECT_TRUE(
        std::equal(active.begin(), active.end(), policy.active().begin(), policy.active().end()));
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(random.next(), plain_random.next());
  return config.arms - static_cast<std::int64_t>(active.size());
}

TEST(EbsEliminations, PlayTheListingWithoutNoise) {
  EXPECT_EQ(expect_recounted<EbsElimination>({.arms = 4, .horizon = 700, .delta = 0.5},
                                             duels_of({8.0, 4.0, 0.0, -4.0}), 1),
            3);
  EXPECT_GE(expect_recounted<EbsElimination>({.arms = 6, .horizon = 700, .delta = 0.5},
                                             duels_of({4.0, 3.9, 0.0, -4.0, -4.0, 0.0}), 2),
            2);
}

TEST(EbsEliminations, PlayTheListingOnAnswersThatMayLie) {
  EXPECT_GE(
      expect_recounted<LocalEbsElimination>(
          {.arms = 3, .horizon = 900, .epsilon = 2.0, .delta = 0.5}, duels_of({8.0, 0.0, -8.0}), 1),
      1);
  EXPECT_EQ(
      expect_recounted<LocalEbsElimination>(
          {.arms = 3, .horizon = 300, .epsilon = 0.1, .delta = 0.5}, duels_of({8.0, 0.0, -8.0}), 2),
      0);
}

TEST(EbsEliminations, LieAsOftenAsTheLevelAllows) {
  for (const double epsilon : {1e-6, 0.5, 1.0, 5.0, 40.0}) {
    const auto policy = LocalEbsElimination::create({.epsilon = epsilon}).value();
    const double q = policy.lie();
    EXPECT_LE(std::log((1.0L - static_cast<long double>(q)) / static_cast<long double>(q)),
              static_cast<long double>(epsilon) * (1.0L + 1e-15L));
    EXPECT_NEAR(q * (std::exp(epsilon) + 1.0), 1.0, epsilon == 40.0 ? 0.05 : 1e-9);
  }
}

TEST(EbsEliminations, AreDeterminedByTheirStreams) {
  const auto policy = LocalEbsElimination::create({.arms = 5, .horizon = 500}).value();
  expect_determined_by_streams(policy, duels_of({1, 0, 0, 0, 0}), 500);
}

TEST(EbsEliminations, PromiseNothingOrTheLevelOfAnAnswer) {
  const auto open = EbsElimination::create({}).value().guarantee();
  EXPECT_EQ(std::get<PureDp>(open.level).epsilon.value, std::numeric_limits<double>::infinity());
  const auto local = LocalEbsElimination::create({.epsilon = 0.5}).value().guarantee();
  EXPECT_EQ(std::get<PureDp>(local.level).epsilon.value, 0.5);
  EXPECT_EQ(local.relation, Relation::kReplaceOnePreferences);
  EXPECT_EQ(local.view, View::kActions);
}

TEST(EbsEliminations, WithoutNoiseOrLocalRefuseSettingsByNameAndRange) {
  EXPECT_EQ(EbsElimination::create({.arms = 1}).error().message, "arms must be 2 to 1024, not 1");
  EXPECT_EQ(EbsElimination::create({.delta = 0.6}).error().path, "/delta");
  EXPECT_EQ(LocalEbsElimination::create({.epsilon = 50.0}).error().message,
            "epsilon must be 1e-06 to 40, not 50");
  EXPECT_EQ(LocalEbsElimination::create({.horizon = 0}).error().path, "/horizon");
}

}  // namespace
}  // namespace assay
