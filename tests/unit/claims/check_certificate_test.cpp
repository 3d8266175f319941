// Certificates against numbers computed in other ways: closed forms in long double, tanh-sinh
// quadrature in 50 digits, the double-precision kernel; and against every lie they could tell.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>

#include "assay/auditors/registry/certificates.hpp"
#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

using testing::claimed_round_epsilon;
using ::testing::Contains;
using testing::event_numbers;
using ::testing::HasSubstr;
using testing::law_certificate;
using testing::noisy_max_certificate;
using testing::round_certificate;
using Float = boost::multiprecision::cpp_bin_float_50;

CertificateCheck checked(const Certificate& certificate) {
  const auto check = check_certificate(certificate);
  EXPECT_TRUE(check) << (check ? "" : check.error().to_string());
  return check.value_or(CertificateCheck{});
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
  EXPECT_THAT(steps, Contains("arm 1: 1 play, rewards 1 in all, mean 1/2 = 0.5, variance 1/2"));
  EXPECT_THAT(steps, Contains(HasSubstr("one play of arm 1, has reward 0 instead of 1; "
                                        "mean 0/2 = 0")));
  EXPECT_THAT(steps, Contains(HasSubstr("p = P(arm 1) = Phi((0.5 - 0.951048951)/"
                                        "sqrt(1/2 + 1/1001)) = Phi(-0.637")));
  EXPECT_THAT(steps, Contains(HasSubstr("after the neighbour: q = P(arm 1) = Phi((0 - 0.951")));
  EXPECT_THAT(steps, Contains(HasSubstr("sqrt(log(1/(2 * 0.01)))/(2 sqrt(2)) = 0.6992")));
  EXPECT_THAT(steps, Contains(HasSubstr("> 0.01 = delta")));
}

TEST(CheckCertificate, AllowedNeighboursThatShowNothingDoNotRefute) {
  auto certificate = round_certificate();
  auto& round = round_of(certificate);
  const auto numbers = round.numbers;
  round.new_reward = 1.0;
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
  const auto check = checked(law_certificate());
  EXPECT_TRUE(check.refutes);
  EXPECT_THAT(check.conclusion, HasSubstr("different probabilities"));
  auto certificate = law_certificate();
  auto& law = certificate.counterexample.as<LawMismatch>();
  law.history.clear();  // both variances are 1
  law.probability = law.printed_probability = 0.5;
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
  NoisyMaxCounterexample max;
  max.values = arms.means;
  max.deviations = arms.deviations;
  max.sensitivities.assign(arms.means.size(), 0.0);
  max.sensitivities[0] = 1.0;
  max.new_value = arms.means[0] - 1.0;
  Arms after = arms;
  after.means[0] = max.new_value;
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
  const auto check = check_certificate(certificate);
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().code, ErrorCode::kLimit);
  EXPECT_THAT(check.error().message, HasSubstr("deviations that differ too much"));
}

TEST(CheckCertificate, ProbabilitiesBelowEveryDoubleAreNotMistakenForARefutation) {
  auto certificate = noisy_max_certificate();
  auto& max = max_of(certificate);
  max.values = {0.0, 1e9};
  max.numbers.p = max.numbers.q = max.numbers.true_delta = 0.0;
  EXPECT_FALSE(checked(certificate).refutes);
}

// ---- refusals -----------------------------------------------------------------------------------

struct ToldLie {
  std::string name;
  std::function<void(Certificate&)> tell;
  std::string path;
  std::string message;
};

void expect_lie_refused(Certificate certificate, const ToldLie& lie) {
  lie.tell(certificate);
  const auto check = check_certificate(certificate);
  ASSERT_FALSE(check) << lie.name;
  EXPECT_EQ(check.error().path, lie.path) << lie.name;
  EXPECT_THAT(check.error().message, HasSubstr(lie.message)) << lie.name;
}

TEST(CheckCertificate, EveryInconsistentNumberIsRefusedByName) {
  const std::vector<std::pair<std::string, double EventNumbers::*>> fields = {
      {"epsilon", &EventNumbers::epsilon},
      {"p", &EventNumbers::p},
      {"q", &EventNumbers::q},
      {"true_delta", &EventNumbers::true_delta}};
  for (const auto& [name, member] : fields) {
    const auto member_now = member;
    const auto factor = [member_now](double by) {
      return [member_now, by](Certificate& c) { round_of(c).numbers.*member_now *= by; };
    };
    expect_lie_refused(round_certificate(),
                       {name, factor(1.0 + 3e-9), "/numbers/" + name, "but the inputs give"});
    auto close = round_certificate();
    factor(1.0 + 3e-10)(close);
    EXPECT_TRUE(check_certificate(close)) << name;
  }
  const auto law = [](Certificate& c) -> LawMismatch& {
    return c.counterexample.as<LawMismatch>();
  };
  expect_lie_refused(law_certificate(), {"p", [&](Certificate& c) { law(c).probability = 0.5; },
                                         "/numbers/probability", "states 0.5"});
  expect_lie_refused(law_certificate(),
                     {"q", [&](Certificate& c) { law(c).printed_probability = 0.5; },
                      "/numbers/printed_probability", "states 0.5"});
}

TEST(CheckCertificate, RoundsThatAreNotNeighboursAreRefused) {
  const std::vector<ToldLie> lies = {
      {"Claim", [](Certificate& c) { c.claim = "ts-step-dpp"; }, "/claim", "'ts-step-dp'"},
      {"Kind", [](Certificate& c) { c.claim = "ts-eq27"; }, "/counterexample/kind", "must be law"},
      {"Advanced", [](Certificate& c) { c.claim = "ts-advanced"; }, "/claim", "can refute"},
      {"Reward", [](Certificate& c) { round_of(c).history[1].reward = 1.5; },
       "/counterexample/history/1/reward", "from 0 to 1, not 1.5"},
      {"NotANumber", [](Certificate& c) { round_of(c).new_reward = std::nan(""); },
       "/counterexample/neighbour_reward", "must be a number"},
      {"Times", [](Certificate& c) { round_of(c).history[0].times = 2; },
       "/counterexample/history/0/times", "must be 1, not 2"},
      {"NoTimes", [](Certificate& c) { round_of(c).history[2].times = 0; },
       "/counterexample/history/2/times", "1 to 1000000000"},
      {"Changed", [](Certificate& c) { round_of(c).changed = 3; }, "/counterexample/changed",
       "1 to 3"},
      {"Arm", [](Certificate& c) { round_of(c).history[1].arm = 2; },
       "/counterexample/history/1/arm", "1 to 2, not 3"},
      {"Arms", [](Certificate& c) { round_of(c).arms = 17; }, "/counterexample/arms", "2 to 16"},
      {"NoHistory", [](Certificate& c) { round_of(c).history.clear(); }, "/counterexample/history",
       "must not be empty"},
      {"NoEvent", [](Certificate& c) { round_of(c).numbers.event.clear(); }, "/numbers/event",
       "at least one arm"},
      {"Event", [](Certificate& c) { round_of(c).numbers.event = {-1}; }, "/numbers/event/0",
       "1 to 16, not 0"},
      {"Twice",
       [](Certificate& c) {
         round_of(c).numbers.event = {0, 0};
       },
       "/numbers/event/1", "arm 1 twice"},
      {"DeltaZero", [](Certificate& c) { round_of(c).numbers.delta = 0.0; }, "/numbers/delta",
       "between 0 and 1"},
      {"DeltaLarge", [](Certificate& c) { round_of(c).numbers.delta = 0.75; }, "/numbers/delta",
       "at most 0.5"},
  };
  for (const auto& lie : lies) expect_lie_refused(round_certificate(), lie);
}

TEST(CheckCertificate, NoisyMaximaThatAreNotNeighboursAreRefused) {
  const std::vector<ToldLie> lies = {
      {"TooFar", [](Certificate& c) { max_of(c).new_value = std::nextafter(-1.0, -2.0); },
       "/counterexample/neighbour_value", "within the sensitivity 1 of the value 0"},
      {"OneArm", [](Certificate& c) { max_of(c).values.pop_back(); }, "/counterexample/values",
       "2 to 16 numbers, not 1"},
      {"Lengths", [](Certificate& c) { max_of(c).deviations.pop_back(); },
       "/counterexample/deviations", "2 numbers"},
      {"Deviation", [](Certificate& c) { max_of(c).deviations[1] = 0.0; },
       "/counterexample/deviations/1", "from 1e-09 to 1e+09, not 0"},
      {"Sensitivity", [](Certificate& c) { max_of(c).sensitivities[0] = -1.0; },
       "/counterexample/sensitivities/0", "from 0 to"},
      {"Value", [](Certificate& c) { max_of(c).values[1] = HUGE_VAL; }, "/counterexample/values/1",
       "from -1e+09"},
      {"Changed", [](Certificate& c) { max_of(c).changed = 2; }, "/counterexample/changed",
       "1 to 2"},
      {"LargeEps", [](Certificate& c) { max_of(c).sensitivities[1] = 1e9; }, "/counterexample",
       "at most 1000"},
  };
  for (const auto& lie : lies) expect_lie_refused(noisy_max_certificate(), lie);
}

}  // namespace
}  // namespace assay
