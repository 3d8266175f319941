// What the checks of certificates compute again.
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/auditors/registry/certificates.hpp"
#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

// Certificates against numbers computed in other ways: closed forms in long double, tanh-sinh
// quadrature in 50 digits, the double-precision kernel.

using testing::claimed_round_epsilon;
using testing::distribution_certificate;
using testing::event_numbers;
using testing::noisy_max_certificate;
using testing::round_certificate;
using Float = boost::multiprecision::cpp_bin_float_50;

CertificateCheck checked(const Certificate& certificate) {
  return must(check_certificate(certificate));
}

RoundCounterexample& round_of(Certificate& certificate) {
  return certificate.counterexample.as<RoundCounterexample>();
}
NoisyMaxCounterexample& max_of(Certificate& certificate) {
  return certificate.counterexample.as<NoisyMaxCounterexample>();
}

TEST(CheckCertificate, TheKnownRoundRefutesTheStatedLevel) {
  const auto check = checked(round_certificate());
  EXPECT_TRUE(check.refutes);
  EXPECT_NEAR(check.epsilon, 0.6993, 5e-5);
  EXPECT_NEAR(check.true_delta, 0.0818, 5e-5);
  auto certificate = round_certificate();
  const auto& numbers = round_of(certificate).numbers;
  EXPECT_NEAR(check.p, numbers.p, 1e-15);
  EXPECT_NEAR(check.q, numbers.q, 1e-15);
  EXPECT_NEAR(check.true_delta, numbers.true_delta, 1e-15);
  EXPECT_THAT(check.conclusion, HasSubstr("Refuted: the next action is not (0.69928, 0.01)-"));
}

TEST(CheckCertificate, StepsCanBeFollowedByHand) {
  const auto steps = checked(round_certificate()).steps;
  EXPECT_THAT(steps, Contains("arm 0: 1 pull, rewards 1 in all, mean 1/2 = 0.5, variance 1/2"));
  EXPECT_THAT(steps, Contains(HasSubstr("one pull of arm 0, has reward 0 instead of 1; "
                                        "mean 0/2 = 0")));
  EXPECT_THAT(steps, Contains(HasSubstr("p = P(arm 0) = Phi((0.5 - 0.951048951)/"
                                        "sqrt(1/2 + 1/1001)) = Phi(-0.637")));
  EXPECT_THAT(steps, Contains(HasSubstr("after the neighbour: q = P(arm 0) = Phi((0 - 0.951")));
  EXPECT_THAT(steps, Contains(HasSubstr("sqrt(log(1/(2 * 0.01)))/(2 sqrt(2)) = 0.6992")));
  EXPECT_THAT(steps, Contains(HasSubstr("> 0.01 = delta")));
}

TEST(CheckCertificate, AllowedNeighboursThatShowNothingDoNotRefute) {
  auto certificate = round_certificate();
  auto& round = round_of(certificate);
  const auto numbers = round.numbers;
  round.neighbour_reward = 1.0;
  round.numbers = event_numbers({0}, numbers.epsilon, numbers.delta, numbers.p, numbers.p);
  const auto same = checked(certificate);
  EXPECT_FALSE(same.refutes);
  EXPECT_THAT(same.conclusion, HasSubstr("Not refuted"));
  EXPECT_FALSE(checked(round_certificate(0.25)).refutes);
}

TEST(CheckCertificate, AllArmsTogetherAreAlwaysPlayed) {
  auto certificate = round_certificate();
  auto& numbers = round_of(certificate).numbers;
  numbers = event_numbers({0, 1}, claimed_round_epsilon(2, 0.01), 0.01, 1.0L, 1.0L);
  EXPECT_FALSE(checked(certificate).refutes);
}

TEST(CheckCertificate, TheNoisyMaxRefutesTheoremSix) {
  const auto check = checked(noisy_max_certificate());
  const auto certificate = noisy_max_certificate();
  const auto& numbers = certificate.counterexample.as<NoisyMaxCounterexample>().numbers;
  EXPECT_NEAR(check.true_delta, numbers.true_delta, 1e-15);
  EXPECT_EQ(check.refutes, numbers.true_delta > numbers.delta);
  EXPECT_TRUE(check.refutes);
}

TEST(CheckCertificate, TheTwoVariancesGiveOneArmDifferentProbabilities) {
  const auto check = checked(distribution_certificate());
  EXPECT_TRUE(check.refutes);
  EXPECT_THAT(check.conclusion, HasSubstr("different probabilities"));
  auto certificate = distribution_certificate();
  auto& distribution = certificate.counterexample.as<DistributionMismatch>();
  distribution.history.clear();  // both variances are 1
  distribution.probability = distribution.printed_probability = 0.5;
  EXPECT_FALSE(checked(certificate).refutes);
}

// ---- three and more arms ------------------------------------------------------------------------

struct Arms {
  std::vector<double> means;
  std::vector<double> deviations;
};

// Independent of the check in rule and cut: double exponential, piece by piece. The rule squares
// its error from level to level: one that it estimates at 1e-11 is far below a double's.
Float quadrature(const Arms& arms, std::size_t k) {
  boost::math::quadrature::tanh_sinh<Float> rule(9);
  const auto density = [&](const Float& t) {
    Float value = exp(-t * t / 2) / sqrt(2 * boost::math::constants::pi<Float>());
    const Float x = Float(arms.means[k]) + t * arms.deviations[k];
    for (std::size_t j = 0; j < arms.means.size(); ++j) {
      if (j == k) continue;
      const Float u = (x - arms.means[j]) / arms.deviations[j];
      value *= Float(oracle::normal_tail(oracle::Real(Float(-u))));
    }
    return value;
  };
  Float sum = 0;
  for (int piece = -12; piece < 12; piece += 8) {
    sum += rule.integrate(density, Float(piece), Float(piece + 8), Float("1e-11"));
  }
  return sum;
}

double kernel(const Arms& arms, int k) {
  return std::exp(log_argmax_probability(arms.means, arms.deviations, k, ArgmaxPrecision::kExact));
}

// A noisy max of these arms whose first value moves by -1, with the numbers of `probability`.
template <class Probability>
Certificate certificate_of(const Arms& arms, const std::vector<int>& event,
                           Probability probability) {
  NoisyMaxCounterexample max{.values = arms.means, .deviations = arms.deviations};
  max.sensitivities.assign(arms.means.size(), 0.0);
  max.sensitivities[0] = 1.0;
  max.neighbour_value = arms.means[0] - 1.0;
  Arms after = arms;
  after.means[0] = max.neighbour_value;
  long double p = 0.0L;
  long double q = 0.0L;
  for (const int k : event) {
    p += static_cast<long double>(probability(arms, k));
    q += static_cast<long double>(probability(after, k));
  }
  const double delta = 0.01;
  const long double epsilon =
      std::sqrt(std::log((static_cast<long double>(arms.means.size()) - 1) / (2.0L * delta))) /
      (2.0L * arms.deviations[0]);
  max.numbers = event_numbers(event, epsilon, delta, p, q);
  return {"rnm-hetero-gauss", max};
}

void expect_the_carried_numbers(const Certificate& certificate, double tolerance) {
  const auto check = checked(certificate);
  const auto& carried = certificate.counterexample.as<NoisyMaxCounterexample>().numbers;
  EXPECT_NEAR(check.p, carried.p, tolerance * carried.p);
  EXPECT_NEAR(check.q, carried.q, tolerance * carried.q);
}

TEST(CheckCertificate, ThreeArmsAgreeWithAnotherQuadratureInFiftyDigits) {
  const Arms arms{{0.0, 0.5, -0.25}, {1.0, 0.75, 0.5}};
  const auto rule = [](const Arms& a, int k) { return quadrature(a, static_cast<std::size_t>(k)); };
  expect_the_carried_numbers(certificate_of(arms, {0, 2}, rule), 4e-16);
}

TEST(CheckCertificate, ManyArmsAgreeWithTheKernelThatItDoesNotUse) {
  const std::vector<Arms> cases = {
      {{0.0, 1.0, 2.0}, {1.0, 0.01, 0.5}},
      {{0.5, 0.25, 0.75, 0.0}, {0.7, 0.03, 0.7, 0.2}},
      {{3.0, 0.0, 0.0, 0.0, 0.0}, {1.0, 2.0, 4.0, 8.0, 16.0}},
      {std::vector<double>(16, 0.0),
       {1, .5, .3, .2, .1, .1, .1, .05, .05, .05, .05, .02, .02, .02, .02, .02}},
  };
  for (const auto& arms : cases) {
    expect_the_carried_numbers(certificate_of(arms, {0}, kernel), 1e-12);
    expect_the_carried_numbers(certificate_of(arms, {0, 2}, kernel), 1e-12);
  }
}

TEST(CheckCertificate, AllOfSeveralArmsTogetherHaveProbabilityOne) {
  const Arms arms{{0.0, 1.0, 2.0}, {1.0, 0.01, 0.5}};
  const auto certificate =
      certificate_of(arms, {0, 1, 2}, [](const Arms&, int k) { return k == 0 ? 1.0L : 0.0L; });
  expect_the_carried_numbers(certificate, 1e-15);
}

TEST(CheckCertificate, AnArmFarAboveAllOthersLeavesThemNothing) {
  const Arms arms{{0.0, 1e6, 0.0}, {1.0, 1.0, 1.0}};
  const auto certificate = certificate_of(arms, {0}, [](const Arms&, int) { return 0.0L; });
  EXPECT_FALSE(checked(certificate).refutes);
}

TEST(CheckCertificate, DeviationsTooFarApartForTheQuadratureAreRefused) {
  const auto certificate = certificate_of({{0.0, 0.0, 0.0}, {1.0, 1e-8, 1.0}}, {0},
                                          [](const Arms&, int) { return 0.5L; });
  const auto error = error_of(check_certificate(certificate));
  EXPECT_EQ(error.code, ErrorCode::kLimit);
  EXPECT_THAT(error.message, HasSubstr("deviations that differ too much"));
}

TEST(CheckCertificate, ProbabilitiesBelowEveryDoubleAreNotMistakenForARefutation) {
  auto certificate = noisy_max_certificate();
  auto& max = max_of(certificate);
  max.values = {0.0, 1e9};
  max.numbers.p = max.numbers.q = max.numbers.true_delta = 0.0;
  EXPECT_FALSE(checked(certificate).refutes);
}

// The checks of certificates about RNM-FTNL: what is computed again, against closed forms.

TEST(CheckExpertCertificate, TheFirstEpochOfTwoActionsLosesTheLogOfTwoEMinusOne) {
  const auto check = check_certificate(testing::epoch_certificate()).value();
  EXPECT_NEAR(std::log(check.p / check.q), std::log(2.0 * std::exp(1.0) - 1.0), 1e-14);
  EXPECT_THAT(check.conclusion, HasSubstr("is not 1-differentially private"));
  EXPECT_THAT(check.conclusion, HasSubstr("1.4898801"));
}

// With several actions and sums that are not whole, against the quadrature of the mechanism.
TEST(CheckExpertCertificate, EpochsOfManyActionsAgreeWithTheMechanism) {
  for (const auto noise :
       {LeaderNoise::kLaplace, LeaderNoise::kExponential, LeaderNoise::kGumbel}) {
    EpochCounterexample epoch{.noise = noise,
                              .epsilon = 0.75,
                              .others = {1.25, 0.5, 0.5, 2.75},
                              .before = {0.0, 1.0, 0.25, 1.0},
                              .after = {1.0, 0.0, 0.5, 0.0},
                              .action = 0};
    ReportNoisyMaxConfig config{.epsilon = noise == LeaderNoise::kExponential ? 1.5 : 0.75,
                                .answers = 4,
                                .noise = noise == LeaderNoise::kLaplace  ? MaxNoise::kLaplace
                                         : noise == LeaderNoise::kGumbel ? MaxNoise::kGumbel
                                                                         : MaxNoise::kExponential};
    const auto choice = ReportNoisyMax::create(config).value();
    double log_p[2];
    for (const bool after : {false, true}) {
      std::vector<double> scores;
      for (std::size_t i = 0; i < 4; ++i) {
        scores.push_back(-epoch.others[i] - (after ? epoch.after : epoch.before)[i]);
      }
      log_p[after ? 1 : 0] = choice.log_pmf(scores)[0];
    }
    epoch.p = std::exp(log_p[0]);
    epoch.q = std::exp(log_p[1]);
    epoch.loss = log_p[0] - log_p[1];
    const auto check = must(check_certificate({"ftnl-dp-laplace", epoch}));
    EXPECT_NEAR(check.p / epoch.p, 1.0, 1e-12);
    EXPECT_NEAR(check.q / epoch.q, 1.0, 1e-12);
    EXPECT_EQ(check.refutes, epoch.loss > 0.75);
  }
}

}  // namespace
}  // namespace assay
