// Mixtures of Gaussians, against values computed elsewhere (contour integrals) and against sums over a grid of outcomes,
// in one and in two dimensions, that share no code with the library.
#include "assay/mechanisms/accounting/pld/mixture_loss.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/accounting/pld/sampled_loss.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Weights = std::vector<double>;
using Shifts = std::vector<double>;
using enum MixturePair;

PrivacyLoss mixture(const Weights& p, const Shifts& c, double sigma, MixturePair pair) {
  return must(loss_of::gaussian_mixture(p, c, sigma, pair));
}

Interval<Epsilon> mixture_eps(const PrivacyLoss& loss, std::int64_t count, double delta) {
  return must(pld_epsilon(std::vector{PldTerm{loss, count}}, Delta{delta}));
}

TEST(MixtureLoss, AGroupUnderPoissonAgreesWithIndependentValues) {
  const auto step =
      must(make_sampled(GaussianStep{2.0}, PoissonSampler{0.01, 3}, SampledRelation::kAddOrRemove));
  const auto pairs = must(sampled_losses(step));
  EXPECT_FALSE(pairs.attained);
  for (const auto& [loss, truth] : {std::pair{pairs.dominating.remove, 2.3770041},
                                    std::pair{pairs.dominating.add, 2.1740732}}) {
    const auto eps = mixture_eps(loss, 1000, 1e-6);
    EXPECT_LE(eps.lower.value.value, truth + 2e-7);
    EXPECT_GE(eps.upper.value.value, truth - 2e-7);
    EXPECT_LE(eps.upper.value.value - eps.lower.value.value, 1e-3 * truth);
  }
  const auto replacing =
      must(make_sampled(GaussianStep{2.0}, PoissonSampler{0.01, 3}, SampledRelation::kReplaceOne));
  const auto replaced = mixture_eps(must(sampled_losses(replacing)).dominating.remove, 1000, 1e-6);
  EXPECT_LE(replaced.lower.value.value, 4.6150684);
  EXPECT_GE(replaced.upper.value.value, 4.6150684);
  EXPECT_LE(replaced.upper.value.value - replaced.lower.value.value, 1e-4);
  // The scale counts by the sensitivity.
  const auto wide = must(
      make_sampled(GaussianStep{6.0, 3.0}, PoissonSampler{0.01, 3}, SampledRelation::kAddOrRemove));
  const auto eps = mixture_eps(must(sampled_losses(wide)).dominating.remove, 1000, 1e-6);
  EXPECT_NEAR(eps.upper.value.value, 2.3770041, 1e-3);
}

TEST(MixtureLoss, TwoAmountsAreTheSubsampledGaussian) {
  const AddedNoise noise{AddedNoise::Kind::kGaussian, 1.5, 1};
  const double q = 0.05;
  const std::pair<PrivacyLoss, PrivacyLoss> both[] = {
      {mixture({1.0 - q, q}, {0.0, 1.0}, 1.5, kRemove),
       must(loss_of::poisson(noise, q, SamplingDirection::kRemove))},
      {mixture({1.0 - q, q}, {0.0, 1.0}, 1.5, kAdd),
       must(loss_of::poisson(noise, q, SamplingDirection::kAdd))},
      {mixture({1.0 - q, q}, {0.0, 1.0}, 1.5, kReplace), must(loss_of::poisson_replaced(noise, q))},
      {mixture({1.0}, {3.0}, 4.5, kRemove), must(loss_of::gaussian(1.5))},
      {mixture({0.4, 0.6}, {1.0, 1.0}, 1.5, kAdd), must(loss_of::gaussian(1.5))},
      {mixture({1.0}, {1.0}, 3.0, kReplace), must(loss_of::gaussian(1.5))}};
  for (const auto& [mixed, known] : both) {
    for (const std::int64_t count : {1, 50}) {
      const auto one = mixture_eps(mixed, count, 1e-6), other = mixture_eps(known, count, 1e-6);
      EXPECT_LE(one.lower.value.value, other.upper.value.value);
      EXPECT_GE(one.upper.value.value, other.lower.value.value);
      EXPECT_NEAR(one.upper.value.value, other.upper.value.value,
                  2e-4 * (1.0 + other.upper.value.value));
    }
  }
}

TEST(MixtureLoss, ComposedMixturesAgreeWithIndependentValues) {
  for (const auto& [pair, truth] : {std::pair{kRemove, 14.2000561}, std::pair{kAdd, 6.6931142},
                                    std::pair{kReplace, 22.0127046}}) {
    const auto eps = mixture_eps(mixture({0.5, 0.3, 0.2}, {0.0, 1.0, 2.5}, 2.0, pair), 20, 1e-6);
    EXPECT_LE(eps.lower.value.value, truth + 1e-7);
    EXPECT_GE(eps.upper.value.value, truth - 1e-7);
    EXPECT_LE(eps.upper.value.value - eps.lower.value.value, 1e-4);
  }
}

double normal_at(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }

double density(const Weights& p, const Shifts& c, double sigma, double sign, double z) {
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) sum += p[k] * normal_at(z - sign * c[k] / sigma);
  return sum;
}

// The integral of (P - a Q)+ over z, by the trapezoidal rule.
double leak_on_line(const std::function<double(double)>& p, const std::function<double(double)>& q,
                    double a, double reach) {
  const double h = 2e-4;
  double sum = 0.0;
  for (double z = -reach; z <= reach; z += h) sum += std::max(0.0, p(z) - a * q(z));
  return sum * h;
}

struct Drawn {
  Weights p;
  Shifts c;
  double sigma;
};
const Drawn kDrawn[] = {{{0.5, 0.3, 0.2}, {0.0, 1.0, 2.5}, 1.0},
                        {{0.9, 0.1}, {0.5, 4.0}, 1.5},
                        {{0.2, 0.3, 0.1, 0.4}, {3.0, 0.0, 0.7, 0.0}, 2.0},
                        {{1e-9, 1.0 - 1e-9}, {0.0, 1.0}, 1.0}};

TEST(MixtureLoss, ProfilesAreThoseOfTheIntegral) {
  for (const auto& [p, c, sigma] : kDrawn) {
    const auto up = [&, p = p, c = c, sigma = sigma](double z) {
      return density(p, c, sigma, 1.0, z);
    };
    const auto down = [&, p = p, c = c, sigma = sigma](double z) {
      return density(p, c, sigma, -1.0, z);
    };
    for (const double eps : {0.0, 0.3, 1.2, 3.0}) {
      const double a = std::exp(eps);
      const std::pair<MixturePair, double> truths[] = {
          {kRemove, leak_on_line(up, normal_at, a, 14.0)},
          {kAdd, leak_on_line(normal_at, up, a, 14.0)},
          {kReplace, leak_on_line(up, down, a, 14.0)}};
      for (const auto& [pair, truth] : truths) {
        const auto delta =
            must(pld_delta(std::vector{PldTerm{mixture(p, c, sigma, pair), 1}}, Epsilon{eps}));
        EXPECT_LE(delta.lower.value.value, truth + 1e-8);
        EXPECT_GE(delta.upper.value.value, truth - 1e-8);
        EXPECT_LE(delta.upper.value.value, truth * 1.01 + 2e-8);
      }
    }
  }
}

// Shifts in the plane: two records with vectors of norm 1 at an angle, each in the sample by itself.
TEST(MixtureLoss, VectorsThatDoNotAlignLeakNoMore) {
  const double q = 0.3, sigma = 1.0, h = 0.03;
  const Weights p = group_weights(2, q);
  for (const double angle : {0.0, 0.8, 1.6, 3.1}) {
    const auto with = [&](double x, double y, double sign) {
      double sum = 0.0;
      for (int first = 0; first < 2; ++first) {
        for (int second = 0; second < 2; ++second) {
          const double weight = (first ? q : 1.0 - q) * (second ? q : 1.0 - q);
          const double at_x = sign * (first + second * std::cos(angle));
          const double at_y = sign * second * std::sin(angle);
          sum += weight * normal_at((x - at_x) / sigma) * normal_at((y - at_y) / sigma);
        }
      }
      return sum;
    };
    for (const double eps : {0.1, 0.6, 1.5}) {
      const double a = std::exp(eps);
      double remove = 0.0, add = 0.0, replace = 0.0;
      for (double x = -9.0; x <= 9.0; x += h) {
        for (double y = -9.0; y <= 9.0; y += h) {
          const double present = with(x, y, 1.0), absent = normal_at(x) * normal_at(y);
          remove += std::max(0.0, present - a * absent) * h * h;
          add += std::max(0.0, absent - a * present) * h * h;
          replace += std::max(0.0, present - a * with(x, y, -1.0)) * h * h;
        }
      }
      for (const auto& [pair, leak] :
           {std::pair{kRemove, remove}, std::pair{kAdd, add}, std::pair{kReplace, replace}}) {
        const auto delta = must(pld_delta(
            std::vector{PldTerm{mixture(p, {0.0, 1.0, 2.0}, sigma, pair), 1}}, Epsilon{eps}));
        EXPECT_LE(leak, delta.upper.value.value + 2e-5);
        if (angle == 0.0) {
          EXPECT_NEAR(leak, delta.lower.value.value, 1e-3 * leak + 2e-5);
        }
      }
    }
  }
}

// Amounts beyond 40 deviations with next to no weight only widen what is reported.
TEST(MixtureLoss, LargeGroupsAreAtLeastAsCostlyAsSmallOnes) {
  double least = 0.0;
  for (const std::int64_t group : {1, 5, 20, 60, 300}) {
    for (const auto relation : {SampledRelation::kAddOrRemove, SampledRelation::kReplaceOne}) {
      const auto step =
          must(make_sampled(GaussianStep{4.0}, PoissonSampler{1e-3, group}, relation));
      const std::vector<ChainStep> chain{{step, 10, ""}};
      const auto answer = must(account_for(chain, std::vector<AccountTarget>{{{}, 1e-6}})).front();
      EXPECT_TRUE(answer.is_exact);
      EXPECT_LE(answer.upper - *answer.lower, PldOptions{}.epsilon_width);
      if (relation == SampledRelation::kAddOrRemove) {
        EXPECT_GT(*answer.lower, least);
        least = *answer.lower;
      } else {
        EXPECT_GE(answer.upper, least);
      }
    }
  }
}

TEST(MixtureLoss, ErrorsNameTheParameter) {
  using ::testing::HasSubstr;
  const auto refusal = [](const Weights& p, const Shifts& c, double sigma) {
    return refusal_of(loss_of::gaussian_mixture(p, c, sigma, kRemove));
  };
  EXPECT_THAT(refusal({}, {}, 1.0), HasSubstr("same number of entries"));
  EXPECT_THAT(refusal({1.0}, {1.0, 2.0}, 1.0), HasSubstr("not 1 and 2"));
  EXPECT_THAT(refusal({0.5, 0.4}, {0.0, 1.0}, 1.0), HasSubstr("weights must sum to 1"));
  EXPECT_THAT(refusal({1.5, -0.5}, {0.0, 1.0}, 1.0), HasSubstr("weights[0] must be in [0, 1]"));
  EXPECT_THAT(refusal({0.5, 0.5}, {0.0, -1.0}, 1.0), HasSubstr("shifts[1] must be in [0, 1e+12]"));
  EXPECT_THAT(refusal({0.5, 0.5}, {0.0, 0.0}, 1.0), HasSubstr("one above 0"));
  EXPECT_THAT(refusal({0.5, 0.5}, {0.0, 50.0}, 1.0), HasSubstr("sigma must be at least 1/40"));
  EXPECT_THAT(refusal_of(make_sampled(LaplaceStep{2.0}, PoissonSampler{0.1, 2}, {})),
              HasSubstr("group above 1 with a sampler needs gaussian or gdp"));
}

TEST(MixtureLoss, StepsReadBack) {
  const std::vector<KeyValue> given{{"sigma", "2"},
                                    {"weights", "0.5,0.25,0.25"},
                                    {"shifts", "0,1,3"},
                                    {"relation", "replace-one"}};
  const auto step = must(make_step("gaussian-mixture", given));
  EXPECT_EQ(step_relation(step), "replace-one");
  EXPECT_EQ(to_string(must(make_step(step_name(step), step_parameters(step)))), to_string(step));
  EXPECT_THAT(refusal_of(make_step("gaussian-mixture", std::vector<KeyValue>{{"sigma", "2"}})),
              ::testing::HasSubstr("needs weights"));
  const auto add =
      must(make_step("gaussian-mixture", std::vector<KeyValue>{given.begin(), given.begin() + 3}));
  EXPECT_NEAR(step_largest_loss(add, SamplingDirection::kAdd)->upper.value.value, std::log(2.0),
              1e-11);
  EXPECT_FALSE(step_largest_loss(add, SamplingDirection::kRemove));
}

}  // namespace
}  // namespace assay
