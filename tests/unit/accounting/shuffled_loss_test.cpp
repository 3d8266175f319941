// Shuffled local answers, against values computed elsewhere and against the exact leak of all data sets of a few users, by
// enumeration of their answers.
#include "assay/mechanisms/accounting/pld/shuffled_loss.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

double shuffled_eps_above(const PrivacyLoss& loss, double delta) {
  const PldOptions fine{.epsilon_width = 1e-7};
  return must(pld_epsilon(std::vector{PldTerm{loss, 1}}, Delta{delta}, fine)).upper.value.value;
}
double shuffled_eps_below(const PrivacyLoss& loss, double delta) {
  const PldOptions fine{.epsilon_width = 1e-7};
  return must(pld_epsilon(std::vector{PldTerm{loss, 1}}, Delta{delta}, fine)).lower.value.value;
}

void expect_shuffled(const ShuffledLosses& pairs, double lower, double upper) {
  const double above = shuffled_eps_above(pairs.dominating, 1e-6);
  const double below = std::max(shuffled_eps_below(pairs.attained, 1e-6),
                                shuffled_eps_below(pairs.attained_mirror, 1e-6));
  EXPECT_GE(above, upper - 1e-7);
  EXPECT_LE(above, upper * (1.0 + 6e-4));
  EXPECT_LE(below, lower + 1e-7);
  EXPECT_GE(below, lower * (1.0 - 6e-4));
}

TEST(ShuffledLoss, AgreesWithIndependentValues) {
  expect_shuffled(must(loss_of::shuffled_response(2.0, 2, 1000)), 0.3232790, 0.3232790);
  expect_shuffled(must(loss_of::shuffled_response(3.0, 10, 1000)), 0.6631245, 0.6633603);
  expect_shuffled(must(loss_of::shuffled_pure(2.0, 1000)), 0.3232790, 0.5454980);
}

using Histogram = std::vector<int>;
using HistogramLaw = std::map<Histogram, double>;

// The counts of all answers of users with these values.
HistogramLaw shuffled_answers(const std::vector<int>& values, int answers, double e) {
  HistogramLaw law{{Histogram(static_cast<std::size_t>(answers)), 1.0}};
  for (const int value : values) {
    HistogramLaw longer;
    for (const auto& [counts, mass] : law) {
      for (int answer = 0; answer < answers; ++answer) {
        Histogram more = counts;
        ++more[static_cast<std::size_t>(answer)];
        longer[more] += mass * (answer == value ? e : 1.0) / (e + answers - 1);
      }
    }
    law = std::move(longer);
  }
  return law;
}

double histogram_leak(const HistogramLaw& p, const HistogramLaw& q, double a) {
  double sum = 0.0;
  for (const auto& [counts, mass] : p) sum += std::max(0.0, mass - a * q.at(counts));
  return sum;
}

double profile_of_shuffle(const PrivacyLoss& loss, double log_a) {
  double sum = loss.mass_at_infinity;
  for (const LossAtom& atom : loss.atoms) {
    sum += std::exp(atom.log_mass) * std::max(0.0, -std::expm1(log_a - atom.loss));
  }
  return sum;
}

// All values of the others; the user has 0 or 1.
double worst_leak_of_data(int answers, int users, double e, double a) {
  double worst = 0.0;
  int data_sets = 1;
  for (int i = 1; i < users; ++i) data_sets *= answers;
  for (int code = 0; code < data_sets; ++code) {
    std::vector<int> values{0};
    for (int rest = code, i = 1; i < users; ++i, rest /= answers) values.push_back(rest % answers);
    const auto p = shuffled_answers(values, answers, e);
    values[0] = 1;
    const auto q = shuffled_answers(values, answers, e);
    worst = std::max({worst, histogram_leak(p, q, a), histogram_leak(q, p, a)});
  }
  return worst;
}

TEST(ShuffledLoss, NoFewUsersLeakMoreThanThePairAndSomeAsMuchAsTheAttainedOne) {
  for (const auto& [answers, users] : {std::pair{2, 2}, {2, 5}, {2, 8}, {3, 4}, {4, 4}, {5, 3}}) {
    for (const double eps : {0.3, 1.0, 2.5}) {
      const double e = std::exp(eps);
      const auto pairs = must(loss_of::shuffled_response(eps, answers, users));
      const auto pure = must(loss_of::shuffled_pure(eps, users));
      for (const double log_a : {-1.0, -0.2, 0.0, 0.05, 0.3, 0.9, 2.0}) {
        const double truth = worst_leak_of_data(answers, users, e, std::exp(log_a));
        EXPECT_LE(truth, profile_of_shuffle(pairs.dominating, log_a) + 1e-12);
        EXPECT_LE(truth, profile_of_shuffle(pure.dominating, log_a) + 1e-12);
        EXPECT_GE(truth, std::max(profile_of_shuffle(pairs.attained, log_a),
                                  profile_of_shuffle(pairs.attained_mirror, log_a)) -
                             1e-12);
        if (answers > 2) continue;
        EXPECT_LE(profile_of_shuffle(pairs.dominating, log_a), truth + 1e-5) << "all data sets";
      }
    }
  }
}

TEST(ShuffledLoss, OneUserAmongFewLosesAtMostTheEpsilonOfOneAnswer) {
  for (const double eps : {1e-6, 0.01, 5.0, 20.0}) {
    for (const std::int64_t answers : {2, 3, 1000}) {
      const auto pairs = must(loss_of::shuffled_response(eps, answers, 3));
      EXPECT_LE(shuffled_eps_above(pairs.dominating, 1e-9), eps * (1.0 + 1e-4) + 1e-4);
    }
  }
}

TEST(ShuffledLoss, ManyUsersAreCountedInGroups) {
  for (const std::int64_t users : {20'000, 1'000'000}) {
    const auto two = must(loss_of::shuffled_response(1.0, 2, users));
    const double above = shuffled_eps_above(two.dominating, 1e-8);
    const double below = std::max(shuffled_eps_below(two.attained, 1e-8),
                                  shuffled_eps_below(two.attained_mirror, 1e-8));
    EXPECT_LE(below, above);
    EXPECT_GE(below, above * (1.0 - 2e-3)) << users;
    const auto many = must(loss_of::shuffled_response(1.0, 8, users));
    const double upper = shuffled_eps_above(many.dominating, 1e-8);
    const double lower = shuffled_eps_below(many.attained, 1e-8);
    EXPECT_LE(lower, upper);
    EXPECT_GE(lower, upper * (1.0 - 2e-2)) << users;
  }
}

TEST(ShuffledLoss, RefusesWhatIsOutOfRange) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal_of(loss_of::shuffled_response(2.0, 1, 10)), HasSubstr("answers"));
  EXPECT_THAT(refusal_of(loss_of::shuffled_response(2.0, 2, 1)), HasSubstr("users"));
  EXPECT_THAT(refusal_of(loss_of::shuffled_response(200.0, 2, 10)), HasSubstr("epsilon"));
  EXPECT_THAT(refusal_of(loss_of::shuffled_pure(2.0, 2'000'000)), HasSubstr("users"));
}

}  // namespace
}  // namespace assay
