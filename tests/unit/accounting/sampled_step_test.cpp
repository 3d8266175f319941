// Steps on a random sample, against values that share no code with the library (contour integrals and 40-digit sums,
// computed elsewhere) and against the exact leak of small data sets, by enumeration of their samples.
#include "assay/mechanisms/accounting/account/sampled_step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/accounting/pld/sampled_loss.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using enum SampledRelation;
using AskedOfSampled = AccountTarget::Asked;

SampledStep sampled(const SampledNoise& noise, const Sampler& sampler,
                    SampledRelation relation = kAddOrRemove) {
  return must(make_sampled(noise, sampler, relation));
}

AccountAnswer sampled_answer(const SampledStep& step, std::int64_t count, double delta) {
  const std::vector<ChainStep> chain{{step, count, ""}};
  return must(account_for(chain,
                          std::vector<AccountTarget>{{AskedOfSampled::kEpsilonAtDelta, delta}}))
      .front();
}

// eps of one order of the dominating pair, and of the attained one where it differs.
Interval<Epsilon> eps_of(const PrivacyLoss& loss, std::int64_t count, double delta) {
  return must(pld_epsilon(std::vector{PldTerm{loss, count}}, Delta{delta}));
}

void expect_eps(const PrivacyLoss& loss, std::int64_t count, double delta, double truth,
                double relative_width = 1e-3) {
  const auto eps = eps_of(loss, count, delta);
  const double slack = 2e-7 * truth;  // of the truth's own digits
  EXPECT_LE(eps.lower.value.value, truth + slack);
  EXPECT_GE(eps.upper.value.value, truth - slack);
  EXPECT_LE(eps.upper.value.value - eps.lower.value.value, relative_width * truth);
}

// Widths relative to eps, for eps far from 1, two atoms on no common lattice, and losses on none.
struct WidthCase {
  SampledStep step;
  std::int64_t count;
  double delta;
  double width;
};

class WidthOfSampled : public ::testing::TestWithParam<WidthCase> {};

TEST_P(WidthOfSampled, IsAShareOfEpsilon) {
  const WidthCase& c = GetParam();
  const AccountAnswer answer = sampled_answer(c.step, c.count, c.delta);
  ASSERT_TRUE(answer.lower && answer.is_exact);
  EXPECT_GT(*answer.lower, 0.0);
  EXPECT_LE(answer.upper - *answer.lower, c.width * answer.upper);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, WidthOfSampled,
    ::testing::ValuesIn(std::vector<WidthCase>{
        {sampled(GaussianStep{4.548}, PoissonSampler{8.65e-5}), 6358, 6.32e-9, 1e-4},
        {sampled(GaussianStep{22.5}, PoissonSampler{7.82e-5}), 3, 3.26e-10, 1e-4},
        {sampled(GaussianStep{19.22}, FixedSizeSampler{93910, 325}), 24, 4.85e-9, 1e-4},
        {sampled(LaplaceStep{12.05}, FixedSizeSampler{278094, 526}), 1369, 1.32e-9, 1e-4},
        {sampled(LaplaceStep{0.5999}, PoissonSampler{6.79e-4}), 1993, 1.83e-6, 1e-4},
        {sampled(DiscreteGaussianStep{2.891}, PoissonSampler{0.00967}), 5, 6.67e-12, 1e-4},
        {sampled(DiscreteGaussianStep{1.453}, FixedSizeSampler{248865, 2505}), 1470, 2.24e-7, 1e-4},
    }));

TEST(SampledStep, OneReleaseOfSampledLaplaceNoiseIsItsClosedForm) {
  for (const double q : {1e-4, 0.03, 0.7}) {
    for (const double b : {0.2, 1.7, 12.0}) {
      const auto loss =
          must(loss_of::poisson({AddedNoise::Kind::kLaplace, b, 1}, q, SamplingDirection::kRemove));
      for (const double share : {0.05, 0.4, 0.9}) {
        // The record is in the sample: delta at log(1 + q (e^e - 1)) is q (1 - e^((e - 1/b)/2)).
        const double without = share / b;
        const double eps = std::log1p(q * std::expm1(without));
        const double delta = q * -std::expm1(0.5 * (without - 1.0 / b));
        const auto found = must(
            pld_epsilon(std::vector{PldTerm{loss, 1}}, Delta{delta}, {.relative_width = 1e-5}));
        const double slack = 1e-11 * eps;
        EXPECT_LE(found.lower.value.value, eps + slack) << q << " " << b << " " << share;
        EXPECT_GE(found.upper.value.value, eps - slack) << q << " " << b << " " << share;
        // An eps far below the largest loss has the width of a share of that.
        EXPECT_LE(found.upper.value.value - found.lower.value.value,
                  1e-4 * std::max(eps, 0.05 * std::log1p(q * std::expm1(1.0 / b))))
            << q << " " << b << " " << share;
      }
    }
  }
}

TEST(SampledStep, PoissonSamplesAgreeWithIndependentValues) {
  const auto losses = [](const SampledNoise& noise, double q, SampledRelation relation) {
    return must(sampled_losses(sampled(noise, PoissonSampler{q}, relation))).dominating;
  };
  const auto gaussian = losses(GaussianStep{1.0}, 0.01, kAddOrRemove);
  expect_eps(gaussian.remove, 1000, 1e-6, 2.1245152);
  expect_eps(gaussian.add, 1000, 1e-6, 1.5890888);
  const auto replaced = losses(GaussianStep{2.0}, 0.01, kReplaceOne);
  EXPECT_TRUE(replaced.symmetric);
  expect_eps(replaced.remove, 1000, 1e-5, 1.2051987);
  const auto laplace = losses(LaplaceStep{2.0}, 0.05, kAddOrRemove);
  expect_eps(laplace.remove, 100, 1e-5, 0.8840994);
  expect_eps(laplace.add, 100, 1e-5, 0.8256809);
  expect_eps(losses(LaplaceStep{2.0}, 0.05, kReplaceOne).remove, 100, 1e-5, 1.6783866);
  expect_eps(losses(DiscreteGaussianStep{1.5}, 0.02, kReplaceOne).remove, 500, 1e-6, 2.782984);
}

TEST(SampledStep, FixedSizeBatchesAgreeWithIndependentValues) {
  const GaussianStep noise{1.0, 0.5};  // two records are 1 apart
  const FixedSizeSampler sampler{10'000, 100};
  const auto adding = must(sampled_losses(sampled(noise, sampler)));
  EXPECT_FALSE(adding.attained);
  expect_eps(adding.dominating.remove, 1000, 1e-5, 1.8282367);
  expect_eps(adding.dominating.add, 1000, 1e-5, 1.4166620);
  const auto replacing = sampled(noise, sampler, kReplaceOne);
  expect_eps(must(sampled_losses(replacing)).dominating.remove, 1000, 1e-5, 2.1989100);
  const auto answer = sampled_answer(replacing, 1000, 1e-5);
  EXPECT_FALSE(answer.is_exact);
  EXPECT_NEAR(*answer.lower, 1.8282367, 2e-3);
  EXPECT_NEAR(answer.upper, 2.1989100, 2e-3);
  EXPECT_THAT(answer.route, ::testing::HasSubstr("between two pairs"));
}

TEST(SampledStep, OneReplacedRecordOfAFixedSizeBatchIsExact) {
  for (const SampledNoise& noise :
       {SampledNoise{GaussianStep{1.0}}, SampledNoise{LaplaceStep{1.0}},
        SampledNoise{DiscreteGaussianStep{2.0}}, SampledNoise{DiscreteLaplaceStep{2.0}}}) {
    const auto answer =
        sampled_answer(sampled(noise, FixedSizeSampler{50, 5}, kReplaceOne), 1, 1e-5);
    EXPECT_LE(answer.upper - *answer.lower, 2e-4 * answer.upper);
  }
}

TEST(SampledStep, TruncatedPoissonAgreesWithIndependentValues) {
  const auto losses =
      must(sampled_losses(sampled(GaussianStep{1.0}, TruncatedPoissonSampler{0.05, 1000, 70})));
  expect_eps(losses.attained->remove, 100, 1e-6, 4.1062752);
  expect_eps(losses.dominating.remove, 100, 1e-6, 6.8030731);
}

TEST(SampledStep, RandomAllocationAgreesWithIndependentValues) {
  for (const auto& [sigma, remove, add] :
       {std::tuple{1.0, 0.857986, 0.4864251}, std::tuple{2.0, 0.204930, 0.2006791}}) {
    const auto step = sampled(GaussianStep{3.0 * sigma, 3.0}, AllocationSampler{100});
    const auto losses = must(sampled_losses(step));
    const auto between = [&](const PrivacyLoss& lower, const PrivacyLoss& upper, double truth) {
      EXPECT_LE(eps_of(lower, 1, 1e-6).lower.value.value, truth + 2e-6);
      EXPECT_GE(eps_of(upper, 1, 1e-6).upper.value.value, truth - 2e-6);
    };
    between(losses.attained->remove, losses.dominating.remove, remove);
    between(losses.attained->add, losses.dominating.add, add);
    const auto answer = sampled_answer(step, 1, 1e-6);
    EXPECT_TRUE(answer.is_exact);
    EXPECT_EQ(answer.worse_order, "remove");
    EXPECT_LE(*answer.lower, remove + 2e-6);
    EXPECT_GE(answer.upper, remove - 2e-6);
    EXPECT_LE(answer.upper - *answer.lower, 1e-3 * remove);
  }
}

TEST(SampledStep, ShuffledAnswersAgreeWithIndependentValues) {
  const auto bounds = [](const SampledNoise& noise, double lower, double upper) {
    const auto answer = sampled_answer(sampled(noise, ShuffleSampler{1000}, kReplaceOne), 1, 1e-6);
    EXPECT_FALSE(answer.is_exact);
    EXPECT_LE(*answer.lower, lower + 1e-7);
    EXPECT_GE(*answer.lower, lower * (1.0 - 1e-4));
    EXPECT_GE(answer.upper, upper - 1e-7);
    EXPECT_LE(answer.upper, upper * (1.0 + 3e-4));
    EXPECT_THAT(answer.route, ::testing::HasSubstr("between two pairs"));
  };
  bounds(RandomizedResponseStep{2.0, 2}, 0.3232790, 0.3232790);
  bounds(RandomizedResponseStep{3.0, 10}, 0.6631245, 0.6633603);
  bounds(PureStep{2.0}, 0.3232790, 0.5454980);
}

// The sum of two passes is one with twice the squared distance.
TEST(SampledStep, PassesWithTheSameBatchesAreOneWithLessNoise) {
  const auto several =
      sampled_answer(sampled(GaussianStep{4.0}, AllocationSampler{50, 4}), 1, 1e-6);
  const auto one = sampled_answer(sampled(GaussianStep{2.0}, AllocationSampler{50}), 1, 1e-6);
  EXPECT_NEAR(several.upper, one.upper, 1e-4 * one.upper);
}

// The truth is a simulation's, with three standard errors.
TEST(SampledStep, SeveralParticipationsAgreeWithASimulation) {
  const AllocationSampler two{.batches = 100, .participations = 2};
  const auto answer = sampled_answer(sampled(GaussianStep{1.0}, two), 1, 1e-6);
  EXPECT_FALSE(answer.is_exact);
  EXPECT_LE(*answer.lower, 1.5179 + 0.0009);
  EXPECT_GE(*answer.lower, 1.4720) << "the sum of the ratios alone";
  EXPECT_GE(answer.upper, 1.5522);
  EXPECT_LE(answer.upper, 1.5581);
  const auto replaced = sampled_answer(sampled(GaussianStep{1.0}, two, kReplaceOne), 1, 1e-6);
  EXPECT_GE(replaced.upper, answer.upper);
  EXPECT_GE(*replaced.lower, *answer.lower - 1e-3);
}

// A batch that never fills is a Poisson sample.
// Coarse grids read the densities of a piece, fine ones its logarithm and its loss.
TEST(SampledLoss, AFlagScalesBothFormsOfADensity) {
  const auto part = [](double sampling) {
    return loss_of::poisson({AddedNoise::Kind::kGaussian, 1.0, 1}, sampling,
                            SamplingDirection::kRemove)
        .value();
  };
  const PrivacyLoss both = loss_of::flagged(part(0.01), part(0.2), 0.3, 0.0);
  int compared = 0;
  for (const LossPiece& piece : both.pieces) {
    if (!piece.densities) continue;
    for (const double x : {-1.0, 0.5, 2.0}) {
      double p = 0.0, q = 0.0;
      piece.densities(&x, 1, &p, &q);
      const double log_density = piece.log_density(x);
      EXPECT_NEAR(p, std::exp(log_density), 1e-14);
      EXPECT_NEAR(q, std::exp(log_density - piece.loss(x)), 1e-14);
      if (piece.density_and_loss) {
        EXPECT_EQ(piece.density_and_loss(x), std::pair(log_density, piece.loss(x)));
      }
      EXPECT_LE(piece.mass_above(-40.0), 0.7 * (1.0 + 1e-9)) << "a bound on the share alone";
      ++compared;
    }
  }
  EXPECT_EQ(compared, 6);
}

TEST(SampledStep, ABatchThatNeverFillsChangesNothing) {
  const TruncatedPoissonSampler sampler{0.02, 1000, 1000};
  for (const auto relation : {kAddOrRemove, kReplaceOne}) {
    const auto truncated = sampled_answer(sampled(GaussianStep{1.0}, sampler, relation), 100, 1e-6);
    const auto poisson =
        sampled_answer(sampled(GaussianStep{1.0}, PoissonSampler{0.02}, relation), 100, 1e-6);
    EXPECT_NEAR(truncated.upper, poisson.upper, 3e-4);
    EXPECT_NEAR(*truncated.lower, *poisson.lower, 3e-4);
  }
}

// ---- small data sets, exactly ---------------------------------------------------------------------

using Law = std::map<std::int64_t, double>;  // of an output

double tail_mass_free(std::int64_t z, double b) {  // two-sided geometric noise
  const double t = std::exp(-1.0 / b);
  return (1.0 - t) / (1.0 + t) * std::pow(t, std::abs(static_cast<double>(z)));
}

constexpr std::int64_t kEdge = 80;  // outputs kept; beyond them is less than 1e-15 of any law below

Law noisy(const std::map<std::int64_t, double>& sums, double b) {
  Law law;
  for (const auto& [sum, weight] : sums) {
    for (std::int64_t z = -kEdge; z <= kEdge; ++z) law[z] += weight * tail_mass_free(z - sum, b);
  }
  return law;
}

double leak(const Law& p, const Law& q, double a) {
  double sum = 0.0;
  for (const auto& [z, mass] : p) sum += std::max(0.0, mass - a * q.at(z));
  return sum;
}

// The sums of all samples, with their probabilities; `weight` of the sampled positions.
std::map<std::int64_t, double> sums_of(const std::vector<std::int64_t>& records,
                                       const std::function<double(std::uint32_t)>& weight) {
  std::map<std::int64_t, double> sums;
  for (std::uint32_t set = 0; set < (1U << records.size()); ++set) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if ((set >> i & 1U) != 0) sum += records[i];
    }
    sums[sum] += weight(set);
  }
  return sums;
}

double choose(int n, int k) {
  double value = 1.0;
  for (int i = 0; i < k; ++i) value = value * (n - i) / (i + 1);
  return value;
}

std::map<std::int64_t, double> poisson_sums(const std::vector<std::int64_t>& records, double q) {
  return sums_of(records, [&](std::uint32_t set) {
    const int k = __builtin_popcount(set);
    return std::pow(q, k) * std::pow(1.0 - q, static_cast<int>(records.size()) - k);
  });
}

std::map<std::int64_t, double> fixed_sums(const std::vector<std::int64_t>& records, int batch) {
  return sums_of(records, [&](std::uint32_t set) {
    return __builtin_popcount(set) == batch ? 1.0 / choose(static_cast<int>(records.size()), batch)
                                            : 0.0;
  });
}

std::map<std::int64_t, double> drawn_sums(const std::vector<std::int64_t>& records, int batch) {
  std::map<std::int64_t, double> sums{{0, 1.0}};
  for (int draw = 0; draw < batch; ++draw) {
    std::map<std::int64_t, double> longer;
    for (const auto& [sum, weight] : sums) {
      for (const std::int64_t record : records) {
        longer[sum + record] += weight / static_cast<double>(records.size());
      }
    }
    sums = std::move(longer);
  }
  return sums;
}

// Draws a Poisson sample, and keeps a uniform part of it if it is too large.
std::map<std::int64_t, double> truncated_sums(const std::vector<std::int64_t>& records, double q,
                                              int most) {
  const int n = static_cast<int>(records.size());
  return sums_of(records, [&](std::uint32_t kept) {
    const int k = __builtin_popcount(kept);
    if (k > most) return 0.0;
    double weight = std::pow(q, k) * std::pow(1.0 - q, n - k);
    if (k < most) return weight;
    for (int drawn = most + 1; drawn <= n; ++drawn) {  // larger samples that contain `kept`
      weight += choose(n - k, drawn - k) * std::pow(q, drawn) * std::pow(1.0 - q, n - drawn) /
                choose(drawn, most);
    }
    return weight;
  });
}

// All data sets of this many records with values -1, 0 and 1.
std::vector<std::vector<std::int64_t>> data_sets(int size) {
  std::vector<std::vector<std::int64_t>> all{{}};
  for (int i = 0; i < size; ++i) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& records : all) {
      for (std::int64_t value = -1; value <= 1; ++value) {
        longer.push_back(records);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The profile of one release of a pair, a sum over its atoms; without what may lie above them.
double profile(const PrivacyLoss& loss, double log_a) {
  double sum = loss.mass_at_infinity;
  for (const LossAtom& atom : loss.atoms) {
    sum += std::exp(atom.log_mass) * std::max(0.0, -std::expm1(log_a - atom.loss));
  }
  return sum;
}

constexpr double kLogRatios[] = {-1.5, -0.7, -0.2, 0.0, 0.1, 0.4, 0.8, 1.4};

struct Worst {
  double above = -1.0;  // the largest leak of a data set less the dominating profile
  double below = 0.0;   // the smallest difference of the attained profile and the largest leak
};

// Compares all neighbours under both orders with the pairs of the step. `pairs_of` calls its argument with the laws of
// the larger data set (or the one with the record x) and of the other.
Worst compare(const StepLosses& losses, SampledRelation relation,
              const std::function<void(const std::function<void(const Law&, const Law&)>&)>& each) {
  Worst worst;
  worst.below = 1.0;
  for (const double log_a : kLogRatios) {
    double remove = 0.0, add = 0.0;
    each([&](const Law& with, const Law& without) {
      remove = std::max(remove, leak(with, without, std::exp(log_a)));
      add = std::max(add, leak(without, with, std::exp(log_a)));
    });
    const auto& attained = losses.attained.value_or(losses.dominating);
    if (relation == kReplaceOne) remove = add = std::max(remove, add);
    worst.above = std::max(
        {worst.above,
         remove - profile(losses.dominating.remove, log_a) - losses.dominating.remove.mass_above,
         add - profile(losses.dominating.add, log_a) - losses.dominating.add.mass_above});
    const double lower = relation == kReplaceOne ? std::max(profile(attained.remove, log_a),
                                                            profile(attained.add, log_a))
                                                 : profile(attained.remove, log_a);
    worst.below = std::min({worst.below, remove - lower,
                            relation == kReplaceOne ? 1.0 : add - profile(attained.add, log_a)});
  }
  return worst;
}

using LawOf = std::function<Law(const std::vector<std::int64_t>&)>;

void expect_dominated(const SampledStep& step, int others, const LawOf& law_of) {
  const auto losses = must(sampled_losses(step));
  const auto worst = compare(losses, step.relation, [&](const auto& visit) {
    for (const auto& rest : data_sets(others)) {
      for (std::int64_t x = -1; x <= 1; ++x) {
        auto with = rest;
        with.push_back(x);
        if (step.relation == kAddOrRemove) {
          visit(law_of(with), law_of(rest));
          continue;
        }
        for (std::int64_t y = -1; y < x; ++y) {
          auto replaced = rest;
          replaced.push_back(y);
          visit(law_of(with), law_of(replaced));
        }
      }
    }
  });
  EXPECT_LE(worst.above, 1e-12) << "a data set leaks more than the dominating pair";
  EXPECT_GE(worst.below, -1e-12) << "no data set leaks as much as the attained pair";
}

TEST(SampledStep, NoSmallDataSetLeaksMoreThanItsPairAndSomeLeakAsMuchAsTheAttainedOne) {
  for (const double b : {1.0, 2.5}) {
    const DiscreteLaplaceStep noise{b};
    for (const auto relation : {kAddOrRemove, kReplaceOne}) {
      for (const double q : {0.1, 0.6}) {
        expect_dominated(sampled(noise, PoissonSampler{q}, relation), 2,
                         [&](const auto& records) { return noisy(poisson_sums(records, q), b); });
        for (const int most : {1, 2}) {
          expect_dominated(
              sampled(noise, TruncatedPoissonSampler{q, 4, most}, relation), 3,
              [&](const auto& records) { return noisy(truncated_sums(records, q, most), b); });
        }
      }
      for (const int batch : {1, 2}) {
        expect_dominated(sampled(noise, FixedSizeSampler{4, batch}, relation), 3,
                         [&](const auto& records) { return noisy(fixed_sums(records, batch), b); });
      }
      for (const int batch : {1, 2, 3}) {
        if (relation == kAddOrRemove) continue;
        expect_dominated(sampled(noise, WithReplacementSampler{3, batch}, relation), 2,
                         [&](const auto& records) { return noisy(drawn_sums(records, batch), b); });
      }
    }
  }
}

// Two batches and one record: the two outputs as one number.
TEST(SampledStep, NoAllocationOfOneRecordLeaksMoreThanItsPair) {
  const double b = 1.5;
  constexpr std::int64_t kWide = 1000;
  const auto law_of = [&](std::int64_t value) {
    Law law;
    for (std::int64_t y = -40; y <= 40; ++y) {
      for (std::int64_t z = -40; z <= 40; ++z) {
        law[kWide * y + z] = 0.5 * (tail_mass_free(y - value, b) * tail_mass_free(z, b) +
                                    tail_mass_free(y, b) * tail_mass_free(z - value, b));
      }
    }
    return law;
  };
  const Law with = law_of(1), opposite = law_of(-1), without = law_of(0);
  const DiscreteLaplaceStep noise{b};
  const auto adding = compare(must(sampled_losses(sampled(noise, AllocationSampler{2}))),
                              kAddOrRemove, [&](const auto& visit) { visit(with, without); });
  EXPECT_LE(adding.above, 1e-10);
  EXPECT_GE(adding.below, -1e-10);
  const auto replacing =
      compare(must(sampled_losses(sampled(noise, AllocationSampler{2}, kReplaceOne))), kReplaceOne,
              [&](const auto& visit) {
                visit(with, opposite);
                visit(with, without);
              });
  EXPECT_LE(replacing.above, 1e-10);
  EXPECT_GE(replacing.below, -1e-10);
}

// Two of three batches and one record.
TEST(SampledStep, NoAllocationToTwoBatchesLeaksMoreThanItsPair) {
  const double b = 1.5;
  constexpr std::int64_t kWide = 100;
  const auto law_of = [&](std::int64_t value) {
    Law law;
    for (std::int64_t x = -16; x <= 16; ++x) {
      for (std::int64_t y = -16; y <= 16; ++y) {
        for (std::int64_t z = -16; z <= 16; ++z) {
          const auto mass = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            return tail_mass_free(x - i * value, b) * tail_mass_free(y - j * value, b) *
                   tail_mass_free(z - k * value, b);
          };
          law[kWide * (kWide * x + y) + z] = (mass(1, 1, 0) + mass(1, 0, 1) + mass(0, 1, 1)) / 3.0;
        }
      }
    }
    return law;
  };
  const Law with = law_of(1), opposite = law_of(-1), without = law_of(0);
  const AllocationSampler two{.batches = 3, .participations = 2};
  const DiscreteLaplaceStep noise{b};
  const double cut = 1e-4;  // of the outputs left out here, beyond 16
  const auto adding = compare(must(sampled_losses(sampled(noise, two))), kAddOrRemove,
                              [&](const auto& visit) { visit(with, without); });
  EXPECT_LE(adding.above, 1e-10);
  EXPECT_GE(adding.below, -cut);
  const auto replacing = compare(must(sampled_losses(sampled(noise, two, kReplaceOne))),
                                 kReplaceOne, [&](const auto& visit) {
                                   visit(with, opposite);
                                   visit(with, without);
                                 });
  EXPECT_LE(replacing.above, 1e-10);
  EXPECT_GE(replacing.below, -cut);
}

// ---- draws with replacement -----------------------------------------------------------------------

double copies_weight(int draws, int records, int k) {
  return choose(draws, k) * std::pow(1.0 / records, k) * std::pow(1.0 - 1.0 / records, draws - k);
}

// N(mu, 1) against N(0, 1), from the error function.
double gaussian_leak(double mu, double eps) {
  const auto above = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  return above(eps / mu - 0.5 * mu) - std::exp(eps) * above(eps / mu + 0.5 * mu);
}

double delta_of(const PrivacyLoss& loss, double eps, bool upper) {
  const auto delta = must(pld_delta(std::vector{PldTerm{loss, 1}}, Epsilon{eps}));
  return upper ? delta.upper.value.value : delta.lower.value.value;
}

// q times the leak of the noise, also where a share of eps would take too fine a grid.
TEST(SampledStep, OneReleaseOfSampledGaussianNoiseIsItsClosedForm) {
  const auto check = [](const SampledStep& step, double q, double mu) {
    for (const double inner : {0.01, 0.5, 2.0}) {
      const double delta = q * gaussian_leak(mu, inner);
      const double truth = std::log1p(q * std::expm1(inner));
      const auto answer = sampled_answer(step, 1, delta);
      EXPECT_NEAR(answer.upper, truth, 1e-9 * truth);
      EXPECT_NEAR(*answer.lower, truth, 1e-9 * truth);
      const std::vector<AccountTarget> targets{{AskedOfSampled::kDeltaAtEpsilon, truth}};
      const auto back = must(account_for(std::vector<ChainStep>{{step, 1, ""}}, targets)).front();
      EXPECT_NEAR(back.upper, delta, 1e-9 * delta);
      EXPECT_NEAR(*back.lower, delta, 1e-9 * delta);
    }
  };
  check(sampled(GaussianStep{0.8}, PoissonSampler{1e-4}), 1e-4, 1.25);
  check(sampled(GaussianStep{2.0}, FixedSizeSampler{100, 5}), 0.05, 1.0);
  check(sampled(GaussianStep{2.0}, FixedSizeSampler{100, 5}, kReplaceOne), 0.05, 1.0);
}

// From above, the sum over the copies; from below the integral of the two densities.
TEST(SampledStep, DrawsWithReplacementAgreeWithSumsOverTheCopies) {
  constexpr int kRecords = 20, kDraws = 5;
  for (const double mu : {0.5, 1.5}) {
    const SampledStep step =
        sampled(GdpStep{mu}, WithReplacementSampler{kRecords, kDraws}, kReplaceOne);
    const auto losses = must(sampled_losses(step));
    EXPECT_TRUE(losses.dominating.symmetric);
    for (const double eps : {0.1, 0.5, 1.0, 3.0}) {
      const double drawn = 1.0 - copies_weight(kDraws, kRecords, 0);
      const double inner = std::log1p(std::expm1(eps) / drawn);
      double above = 0.0, remove = 0.0, add = 0.0;
      for (int k = 1; k <= kDraws; ++k) {
        above += copies_weight(kDraws, kRecords, k) * gaussian_leak(k * mu, inner);
      }
      constexpr double kStep = 1e-3;
      for (double z = -12.0; z <= 22.0; z += kStep) {
        double mixture = 0.0;
        for (int k = 0; k <= kDraws; ++k) {
          mixture +=
              copies_weight(kDraws, kRecords, k) * std::exp(-0.5 * (z - k * mu) * (z - k * mu));
        }
        const double reference = std::exp(-0.5 * z * z), scale = kStep / std::sqrt(2.0 * M_PI);
        remove += scale * std::max(0.0, mixture - std::exp(eps) * reference);
        add += scale * std::max(0.0, reference - std::exp(eps) * mixture);
      }
      const double found = delta_of(losses.dominating.remove, eps, true);
      EXPECT_GE(found, above * (1.0 - 1e-9));
      EXPECT_LE(found, above * (1.0 + 2e-3));
      const double below = delta_of(losses.attained->remove, eps, false);
      EXPECT_LE(below, remove * (1.0 + 1e-5));
      EXPECT_GE(below, remove * (1.0 - 2e-3));
      const double other = delta_of(losses.attained->add, eps, false);
      EXPECT_LE(other, add * (1.0 + 1e-5) + 1e-12);
      EXPECT_GE(other, add * (1.0 - 2e-3) - 1e-9);
    }
  }
}

TEST(SampledStep, OneDrawIsABatchOfFixedSize) {
  for (const SampledNoise& noise : {SampledNoise{GaussianStep{1.0}}, SampledNoise{LaplaceStep{2.0}},
                                    SampledNoise{DiscreteGaussianStep{2.0}}}) {
    const auto drawn =
        must(sampled_losses(sampled(noise, WithReplacementSampler{1000, 1}, kReplaceOne)));
    const auto fixed = must(sampled_losses(sampled(noise, FixedSizeSampler{1000, 1}, kReplaceOne)));
    const auto compare_eps = [](const PrivacyLoss& one, const PrivacyLoss& other) {
      const auto a = eps_of(one, 10, 1e-5), b = eps_of(other, 10, 1e-5);
      EXPECT_NEAR(a.upper.value.value, b.upper.value.value, 2e-4);
      EXPECT_NEAR(a.lower.value.value, b.lower.value.value, 2e-4);
    };
    compare_eps(drawn.dominating.remove, fixed.dominating.remove);
    compare_eps(drawn.attained->remove, fixed.attained->remove);
    compare_eps(drawn.attained->add, fixed.attained->add);
  }
}

TEST(SampledStep, DrawsWithReplacementTakeEveryNoiseAndLevel) {
  for (const SampledNoise& noise :
       {SampledNoise{GaussianStep{4.0}}, SampledNoise{LaplaceStep{4.0}},
        SampledNoise{DiscreteGaussianStep{4.0}}, SampledNoise{DiscreteLaplaceStep{4.0}},
        SampledNoise{PureStep{0.5}}, SampledNoise{GdpStep{0.5}}}) {
    const auto step = sampled(noise, WithReplacementSampler{50, 10}, kReplaceOne);
    const auto answer = sampled_answer(step, 1, 1e-5);
    const auto largest = sampled_largest_loss(step, SamplingDirection::kRemove);
    EXPECT_LE(answer.upper, largest.high);
    EXPECT_LE(*answer.lower, largest.high);
    EXPECT_GE(*answer.lower, 0.25 * answer.upper);
    EXPECT_FALSE(answer.is_exact);
  }
}

// Of more copies than losses are computed for: they count as infinite losses.
TEST(SampledStep, CopiesBeyondTheRangeOfLossesCountAsLost) {
  const auto losses = must(
      sampled_losses(sampled(GaussianStep{0.1}, WithReplacementSampler{1000, 1}, kReplaceOne)));
  EXPECT_LT(losses.dominating.remove.mass_above, 1e-12);
  const auto twice = must(
      sampled_losses(sampled(GaussianStep{0.1}, WithReplacementSampler{1000, 2}, kReplaceOne)));
  EXPECT_GE(twice.dominating.remove.mass_above, 1e-6);
  EXPECT_LE(twice.dominating.remove.mass_above, 1.001e-6);
}

TEST(SampledStep, TheLargestLossOfDrawsIsThatOfOneDrawEach) {
  const SampledStep step = sampled(LaplaceStep{2.0}, WithReplacementSampler{20, 5}, kReplaceOne);
  const double truth = 5.0 * std::log1p(std::expm1(1.0) / 20.0);  // two records are 2 apart
  for (const auto order : {SamplingDirection::kRemove, SamplingDirection::kAdd}) {
    const auto largest = sampled_largest_loss(step, order);
    EXPECT_LE(largest.low, truth + 1e-14);
    EXPECT_GE(largest.high, truth - 1e-14);
    EXPECT_NEAR(largest.high, largest.low, 1e-13);
  }
}

// ---- the ends of the ranges -----------------------------------------------------------------------

TEST(SampledStep, ASampleOfNearlyAllIsTheNoiseItself) {
  const double q = 1.0 - 1e-9;
  const auto all = eps_of(must(loss_of::laplace(2.0)), 10, 1e-6);
  const auto most = must(sampled_losses(sampled(LaplaceStep{2.0}, PoissonSampler{q}))).dominating;
  EXPECT_NEAR(eps_of(most.remove, 10, 1e-6).upper.value.value, all.upper.value.value, 1e-4);
  EXPECT_NEAR(eps_of(most.add, 10, 1e-6).upper.value.value, all.upper.value.value, 1e-4);
}

TEST(SampledStep, LevelsAreDiscreteLaplaceAndGaussianNoise) {
  for (const auto relation : {kAddOrRemove, kReplaceOne}) {
    const auto pure =
        sampled_answer(sampled(PureStep{0.5}, PoissonSampler{0.1}, relation), 20, 1e-6);
    const auto noise =
        sampled_answer(sampled(DiscreteLaplaceStep{2.0}, PoissonSampler{0.1}, relation), 20, 1e-6);
    EXPECT_NEAR(pure.upper, noise.upper, 1e-4);
    const auto gdp = sampled_answer(sampled(GdpStep{0.5}, PoissonSampler{0.1}, relation), 20, 1e-6);
    const auto gaussian =
        sampled_answer(sampled(GaussianStep{2.0}, PoissonSampler{0.1}, relation), 20, 1e-6);
    EXPECT_NEAR(gdp.upper, gaussian.upper, 2e-4);
  }
}

TEST(SampledStep, TheLargestLossIsThatOfTheSample) {
  const SampledStep step = sampled(LaplaceStep{2.0}, PoissonSampler{0.05});
  EXPECT_NEAR(sampled_largest_loss(step, SamplingDirection::kRemove).high,
              std::log1p(0.05 * std::expm1(0.5)), 1e-14);
  EXPECT_NEAR(sampled_largest_loss(step, SamplingDirection::kAdd).high,
              -std::log1p(0.05 * std::expm1(-0.5)), 1e-14);
  const SampledStep gaussian = sampled(GaussianStep{2.0}, PoissonSampler{0.05});
  EXPECT_TRUE(std::isinf(sampled_largest_loss(gaussian, SamplingDirection::kRemove).high));
  EXPECT_NEAR(sampled_largest_loss(gaussian, SamplingDirection::kAdd).high, -std::log1p(-0.05),
              1e-14);
}

std::string refusal_of_step(const std::string& name, const std::vector<KeyValue>& parameters) {
  return refusal_of(make_step(name, parameters));
}

TEST(SampledStep, RefusalsNameTheNearestThatHasATheorem) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal_of_step("randomized-response",
                              {{"epsilon", "1"}, {"sampler", "poisson"}, {"sampling", "0.1"}}),
              AllOf(HasSubstr("takes no sampler but shuffle"), HasSubstr("Nearest: pure")));
  EXPECT_THAT(refusal_of_step("gaussian", {{"sigma", "1"}, {"sampler", "shuffle"}, {"users", "9"}}),
              AllOf(HasSubstr("shuffle takes randomized-response"), HasSubstr("Nearest: pure")));
  EXPECT_THAT(refusal_of_step("gaussian", {{"sigma", "1"},
                                           {"sampler", "random-allocation"},
                                           {"batches", "9"},
                                           {"participations", "9"}}),
              HasSubstr("participations must be below batches"));
  EXPECT_THAT(refusal_of_step("pure", {{"epsilon", "1"},
                                       {"sampler", "shuffle"},
                                       {"users", "9"},
                                       {"relation", "add-or-remove"}}),
              HasSubstr("shuffle needs the relation replace-one"));
  EXPECT_THAT(refusal_of_step("zcdp", {{"rho", "1"}, {"sampler", "poisson"}, {"sampling", "0.1"}}),
              HasSubstr("Nearest: the mechanism itself"));
  EXPECT_THAT(refusal_of_step("gaussian", {{"sigma", "1"}, {"sampler", "permutation"}}),
              HasSubstr("Nearest: fixed-size"));
  EXPECT_THAT(refusal_of_step("gaussian", {{"sigma", "1"},
                                           {"sampler", "with-replacement"},
                                           {"records", "9"},
                                           {"batch", "2"},
                                           {"relation", "add-or-remove"}}),
              AllOf(HasSubstr("needs the relation replace-one"),
                    HasSubstr("Nearest: with-replacement with replace-one")));
  EXPECT_THAT(
      refusal_of_step(
          "gaussian",
          {{"sigma", "1"}, {"sampler", "with-replacement"}, {"records", "9"}, {"batch", "10"}}),
      HasSubstr("batch must be at most records"));
  EXPECT_THAT(refusal_of_step("gaussian", {{"sigma", "1"}, {"sampler", "poison"}}),
              HasSubstr("did you mean 'poisson'?"));
  EXPECT_THAT(refusal_of_step("gaussian", {{"sigma", "1"}, {"sampler", "poisson"}}),
              HasSubstr("poisson needs sampling"));
  EXPECT_THAT(
      refusal_of_step(
          "gaussian",
          {{"sigma", "0.06"}, {"sampler", "fixed-size"}, {"records", "10"}, {"batch", "2"}}),
      HasSubstr("sigma must be 0.05 to 1e+06 times the distance 2, not 0.03 times"));
  EXPECT_THAT(refusal_of_step(
                  "gaussian",
                  {{"sigma", "1"}, {"sampler", "fixed-size"}, {"records", "10"}, {"batch", "10"}}),
              HasSubstr("batch must be below records"));
  EXPECT_THAT(refusal_of_step("gaussian", {{"sigma", "1"},
                                           {"sampler", "fixed-size"},
                                           {"records", "10"},
                                           {"batch", "1"},
                                           {"distance", "2.5"}}),
              HasSubstr("distance must be from the sensitivity to twice that"));
  EXPECT_THAT(
      refusal_of_step(
          "gaussian",
          {{"sigma", "1"}, {"sampler", "poisson"}, {"sampling", "0.5"}, {"relation", "swap"}}),
      HasSubstr("relation"));
}

TEST(SampledStep, TextsReadBack) {
  for (const SampledStep& step :
       {sampled(GaussianStep{2.0, 0.5}, PoissonSampler{0.01}, kReplaceOne),
        sampled(LaplaceStep{2.0, 0.5}, FixedSizeSampler{100, 5, 0.75}),
        sampled(GaussianStep{2.0}, AllocationSampler{100, 3, 2}),
        sampled(GaussianStep{2.0}, WithReplacementSampler{100, 3}, kReplaceOne),
        sampled(RandomizedResponseStep{2.0, 5}, ShuffleSampler{100}, kReplaceOne),
        sampled(DiscreteGaussianStep{2.0}, TruncatedPoissonSampler{0.1, 100, 30})}) {
    const auto parameters = step_parameters(step);
    const auto again = must(make_step(step_name(step), parameters));
    EXPECT_EQ(to_string(again), to_string(StepMechanism(step)));
  }
  EXPECT_EQ(step_name(must(make_step("subsampled-gaussian",
                                     std::vector<KeyValue>{{"sigma", "2"}, {"sampling", "0.1"}}))),
            "gaussian");
}

}  // namespace
}  // namespace assay
