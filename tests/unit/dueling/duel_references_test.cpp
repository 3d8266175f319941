// RUCB, RMED1 and Double Thompson Sampling against their listings, recomputed from the whole
// history each round.
#include "assay/policies/dueling/double_thompson_sampling.hpp"
#include "assay/policies/dueling/rmed1.hpp"
#include "assay/policies/dueling/rucb.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/preference_duels.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct ToldDuel {
  Duel duel;
  bool won;
};

// w_ij, n_ij from the history.
struct DuelTable {
  std::vector<std::vector<double>> w;
  DuelTable(int arms, const std::vector<ToldDuel>& history)
      : w(static_cast<std::size_t>(arms), std::vector<double>(static_cast<std::size_t>(arms))) {
    for (const auto& [duel, won] : history) {
      const auto a = static_cast<std::size_t>(duel.first);
      const auto b = static_cast<std::size_t>(duel.second);
      if (a != b) w[won ? a : b][won ? b : a] += 1.0;
    }
  }
  std::size_t arms() const { return w.size(); }
  double n(std::size_t i, std::size_t j) const { return w[i][j] + w[j][i]; }
  double bound(std::size_t i, std::size_t j, double width, double side) const {
    if (i == j) return 0.5;
    return n(i, j) == 0.0 ? 1.0 + side : w[i][j] / n(i, j) + side * std::sqrt(width / n(i, j));
  }
};

int drawn_arm(const std::vector<int>& arms, ReplayStream& random) {
  return arms.size() == 1 ? arms[0]
                          : arms[static_cast<std::size_t>(uniform_below(random, arms.size()))];
}
template <class Value>
std::vector<int> largest(const std::vector<int>& of, const Value& value) {
  double most = -HUGE_VAL;
  for (const int i : of) most = std::max(most, value(i));
  std::vector<int> out;
  for (const int i : of) {
    if (value(i) == most) out.push_back(i);
  }
  return out;
}
std::vector<int> arms_below(std::size_t arms) {
  std::vector<int> out;
  for (std::size_t i = 0; i < arms; ++i) out.push_back(static_cast<int>(i));
  return out;
}
std::size_t at(int arm) { return static_cast<std::size_t>(arm); }

// Plays `policy` beside `plain(table, round, random)`; the history.
template <class P, class Plain>
std::vector<ToldDuel> expect_plain(P policy, const PreferenceDuels& duels, std::int64_t rounds,
                                   std::uint64_t seed, Plain plain) {
  std::vector<ToldDuel> history;
  auto random = seeded_stream(seed);
  auto plain_random = seeded_stream(seed);
  auto luck = seeded_stream(seed, 1);
  for (std::int64_t t = 0; t < rounds && !::testing::Test::HasFailure(); ++t) {
    const DuelTable table(static_cast<int>(policy.config().arms), history);
    const Duel duel = policy.choose(random);
    EXPECT_EQ(duel, plain(table, static_cast<double>(t + 1), plain_random)) << t;
    const bool won = duels.feedback(t, duel, luck);
    policy.observe(won);
    history.push_back({duel, won});
  }
  EXPECT_EQ(random.next(), plain_random.next());
  return history;
}

// How often both arms of the second half are the best one.
double share_of_best(const std::vector<ToldDuel>& history) {
  const auto half = static_cast<std::ptrdiff_t>(history.size() / 2);
  const auto hits = std::count_if(history.begin() + half, history.end(), [](const ToldDuel& round) {
    return round.duel == Duel{0, 0};
  });
  return static_cast<double>(hits) / static_cast<double>(half);
}

TEST(DuelReferences, RucbPlaysItsListing) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::set<int> hypothesized;
    const auto plain = [&](const DuelTable& table, double t, ReplayStream& random) {
      const double width = 0.51 * std::log(t);
      std::vector<int> champions;
      for (const int i : arms_below(table.arms())) {
        bool all = true;
        for (const int j : arms_below(table.arms())) {
          all = all && table.bound(at(i), at(j), width, 1.0) >= 0.5;
        }
        if (all) champions.push_back(i);
      }
      std::set<int> kept;
      for (const int i : champions) {
        if (hypothesized.contains(i)) kept.insert(i);
      }
      hypothesized = kept;
      int c = -1;
      if (champions.empty()) {
        c = drawn_arm(arms_below(table.arms()), random);
      } else if (champions.size() == 1) {
        c = champions[0];
        hypothesized = {c};
      } else if (!hypothesized.empty() && random.next() >> 63 == 0) {
        c = *hypothesized.begin();
      } else {
        std::erase_if(champions, [&](int i) { return hypothesized.contains(i); });
        c = drawn_arm(champions, random);
      }
      auto rivals = largest(arms_below(table.arms()),
                            [&](int j) { return table.bound(at(j), at(c), width, 1.0); });
      if (rivals.size() > 1) std::erase(rivals, c);
      return Duel{c, drawn_arm(rivals, random)};
    };
    const auto history = expect_plain(Rucb::create({.arms = 5}).value(),
                                      duels_of({4, 1, 0, -1, -2}), 3000, seed, plain);
    EXPECT_GT(share_of_best(history), 0.5);
  }
}

TEST(DuelReferences, Rmed1PlaysItsListing) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    constexpr int kArms = 5;
    std::vector<int> list = arms_below(kArms);
    std::set<int> remaining(list.begin(), list.end());
    std::set<int> next;
    std::size_t slot = 0;
    std::vector<Duel> initial;
    for (int i = 0; i < kArms; ++i) {
      for (int j = i + 1; j < kArms; ++j) initial.push_back({i, j});
    }
    const auto opponents = [](const DuelTable& table, int i) {
      std::vector<int> out;
      for (const int j : arms_below(table.arms())) {
        if (j != i && table.w[at(i)][at(j)] / table.n(at(i), at(j)) <= 0.5) out.push_back(j);
      }
      return out;
    };
    const auto divergence = [&](const DuelTable& table, int i) {
      double sum = 0.0;
      for (const int j : opponents(table, i)) {
        const double p = table.w[at(i)][at(j)] / table.n(at(i), at(j));
        double d = std::log(2.0);
        for (const double x : {p, 1.0 - p}) d += x > 0.0 ? x * std::log(x) : 0.0;
        sum += table.n(at(i), at(j)) * d;
      }
      return sum;
    };
    // Rounding of the divergences is no tie: those near the smallest are as good.
    const auto best = [&](const DuelTable& table) {
      int out = 0;
      for (const int i : arms_below(kArms)) {
        if (divergence(table, i) < divergence(table, out) - 1e-9) out = i;
      }
      return out;
    };
    const auto plain = [&](const DuelTable& table, double t, ReplayStream&) {
      const auto played = static_cast<std::size_t>(t) - 1;
      if (played < initial.size()) return initial[played];
      if (played > initial.size()) {  // what the round before has to tell
        remaining.erase(list[slot]);
        for (const int j : arms_below(kArms)) {
          const double gap = divergence(table, j) - divergence(table, best(table));
          const double most = std::log(t - 1.0) + 0.3 * std::pow(kArms, 1.01);
          if (!remaining.contains(j) && gap <= most) next.insert(j);
        }
        if (++slot == list.size()) {
          list.assign(next.begin(), next.end());
          remaining = next;
          next.clear();
          slot = 0;
        }
      }
      const int l = list[slot];
      const auto o = opponents(table, l);
      if (o.empty() || std::find(o.begin(), o.end(), best(table)) != o.end()) {
        return Duel{l, best(table)};
      }
      int strongest = l == 0 ? 1 : 0;
      for (const int j : arms_below(kArms)) {
        const auto mean = [&](int k) { return table.w[at(l)][at(k)] / table.n(at(l), at(k)); };
        if (j != l && mean(j) < mean(strongest)) strongest = j;
      }
      return Duel{l, strongest};
    };
    const auto history = expect_plain(Rmed1::create({.arms = kArms}).value(),
                                      duels_of({4, 1, 0, -1, -2}), 2000, seed, plain);
    EXPECT_GT(share_of_best(history), 0.8);
  }
}

TEST(DuelReferences, DoubleThompsonSamplingPlaysItsListing) {
  for (const std::uint64_t seed : {1, 2}) {
    const auto plain = [](const DuelTable& table, double t, ReplayStream& random) {
      const double width = 0.6 * std::log(t);
      const auto all = arms_below(table.arms());
      const auto candidates = largest(all, [&](int i) {
        double beaten = 0.0;
        for (const int j : all) {
          beaten += j != i && table.bound(at(i), at(j), width, 1.0) > 0.5 ? 1.0 : 0.0;
        }
        return beaten;
      });
      std::vector<std::vector<double>> theta(table.arms(), std::vector<double>(table.arms(), 0.5));
      for (std::size_t i = 0; i < table.arms(); ++i) {
        for (std::size_t j = i + 1; j < table.arms(); ++j) {
          theta[i][j] = detail::sample_beta(table.w[i][j] + 1.0, table.w[j][i] + 1.0, random);
          theta[j][i] = 1.0 - theta[i][j];
        }
      }
      const int a = drawn_arm(largest(candidates,
                                      [&](int i) {
                                        double votes = 0.0;
                                        for (const double x : theta[at(i)])
                                          votes += x > 0.5 ? 1.0 : 0.0;
                                        return votes;
                                      }),
                              random);
      std::vector<double> phi(table.arms(), 0.5);
      for (const int i : all) {
        if (i == a) continue;
        phi[at(i)] =
            detail::sample_beta(table.w[at(i)][at(a)] + 1.0, table.w[at(a)][at(i)] + 1.0, random);
      }
      std::vector<int> open;
      for (const int i : all) {
        if (table.bound(at(i), at(a), width, -1.0) <= 0.5) open.push_back(i);
      }
      return Duel{a, drawn_arm(largest(open, [&](int i) { return phi[at(i)]; }), random)};
    };
    const auto history = expect_plain(DoubleThompsonSampling::create({.arms = 5}).value(),
                                      duels_of({4, 1, 0, -1, -2}), 1500, seed, plain);
    EXPECT_GT(share_of_best(history), 0.5);
  }
}

TEST(DuelReferences, DrawBetaVariablesOfTheirDistribution) {
  // Distribution functions of Beta(a, b) with whole a, b are binomial tails. The largest of 6 gaps
  // of 40,000 draws exceeds 0.0135 with probability below 12 e^(-2 n 0.0135^2) = 6e-6.
  constexpr int kDraws = 40000;
  auto random = seeded_stream(11);
  for (const auto& [a, b] :
       {std::pair{1, 1}, std::pair{3, 2}, std::pair{1, 7}, std::pair{40, 60}}) {
    std::vector<double> draws;
    for (int i = 0; i < kDraws; ++i) draws.push_back(detail::sample_beta(a, b, random));
    for (const double x : {0.1, 0.3, 0.4, 0.5, 0.7, 0.9}) {
      const int n = a + b - 1;
      double cdf = 0.0;
      for (int k = a; k <= n; ++k) {
        cdf += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                        k * std::log(x) + (n - k) * std::log(1.0 - x));
      }
      const auto below =
          std::count_if(draws.begin(), draws.end(), [&](double y) { return y <= x; });
      EXPECT_NEAR(static_cast<double>(below) / kDraws, cdf, 0.0135) << a << " " << b << " " << x;
    }
  }
}

template <class P>
class EveryDuelReference : public ::testing::Test {};
using References = ::testing::Types<Rucb, Rmed1, DoubleThompsonSampling>;
TYPED_TEST_SUITE(EveryDuelReference, References);

TYPED_TEST(EveryDuelReference, PromisesNothingAndRefusesByNameAndRange) {
  const auto guarantee = TypeParam::create({}).value().guarantee();
  EXPECT_EQ(std::get<PureDp>(guarantee.level).epsilon.value,
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(guarantee.relation, Relation::kReplaceOnePreferences);
  EXPECT_EQ(TypeParam::create({.arms = 1}).error().message, "arms must be 2 to 1024, not 1");
}

TYPED_TEST(EveryDuelReference, IsDeterminedByItsStreams) {
  const auto policy = TypeParam::create({.arms = 4}).value();
  expect_determined_by_streams(policy, duels_of({1, 0.5, 0, 0}), 400, false);
}

TEST(DuelReferences, RefuseTheirOwnParametersByRange) {
  EXPECT_EQ(Rucb::create({.alpha = 0.1}).error().message, "alpha must be 0.5 to 100, not 0.1");
  EXPECT_EQ(DoubleThompsonSampling::create({.alpha = 101.0}).error().path, "/alpha");
  EXPECT_EQ(Rmed1::create({.slack = -1.0}).error().message, "slack must be 0 to 1e+06, not -1");
}

}  // namespace
}  // namespace assay
