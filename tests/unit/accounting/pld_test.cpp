// Composed profiles against what is known in another way: the Gaussian closed form, exact sums in
// 100 digits, integrals. Every interval has to contain the truth, and to be as narrow as asked for.
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"

#include <complex>
#include <numbers>
#include <tuple>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"
#include "assay/mechanisms/accounting/pld/sampled_loss.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"

namespace assay {
namespace {

using Big100 = oracle::Digits<100>;

double low(const Interval<Epsilon>& interval) { return interval.lower.value.value; }
double high(const Interval<Epsilon>& interval) { return interval.upper.value.value; }
double epsilon_width(const Interval<Epsilon>& interval) { return high(interval) - low(interval); }

// The truth lies within, and the interval is no wider than that.
template <class Quantity>
void expect_around(const Interval<Quantity>& interval, double truth, double width) {
  EXPECT_LE(interval.lower.value.value, truth);
  EXPECT_GE(interval.upper.value.value, truth);
  EXPECT_LE(interval.upper.value.value - interval.lower.value.value, width);
}

ComposedPld composed_near(const std::vector<PldTerm>& terms, Delta delta,
                          const PldOptions& options = {}) {
  return must(compose_near(terms, delta, options));
}

// ---- Gaussian: the closed form of mu = sqrt(n)/sigma ----

struct GaussianCase {
  double sigma;
  std::int64_t count;
};

class PldOfGaussian : public ::testing::TestWithParam<GaussianCase> {
 protected:
  std::vector<PldTerm> terms() const {
    return {{*loss_of::gaussian(GetParam().sigma), GetParam().count}};
  }
  Mu mu() const { return Mu{std::sqrt(static_cast<double>(GetParam().count)) / GetParam().sigma}; }
};

TEST_P(PldOfGaussian, EpsilonIsKnownToTheWidthAskedFor) {
  for (const double delta : {1e-5, 1e-10}) {
    const auto eps = must(pld_epsilon(terms(), Delta{delta}));
    const double exact = gdp_epsilon(mu(), Delta{delta}).value;
    expect_around(eps, exact, 1e-4);
  }
}

TEST_P(PldOfGaussian, SmallDeltasAreKnownToAThousandth) {
  const Epsilon eps = gdp_epsilon(mu(), Delta{1e-10});
  const auto delta = must(pld_delta(terms(), eps));
  const double exact = gdp_delta(mu(), eps).value;
  expect_around(delta, exact, 1e-3 * exact);
}

TEST_P(PldOfGaussian, TheProfileLiesBetweenTheBoundsEverywhere) {
  const ComposedPld pld = composed_near(terms(), Delta{1e-5});
  const double focus = gdp_epsilon(mu(), Delta{1e-5}).value;
  for (int i = 0; i <= 300; ++i) {
    const Epsilon eps{focus * i / 200.0};
    const LogDeltaBounds bounds = pld.log_delta(eps);
    const double exact = gdp_log_delta(mu(), eps);
    EXPECT_LE(bounds.lower, exact + kGdpRelativeError * std::fabs(exact)) << eps.value;
    EXPECT_GE(bounds.upper, exact - kGdpRelativeError * std::fabs(exact)) << eps.value;
  }
}

INSTANTIATE_TEST_SUITE_P(Compositions, PldOfGaussian,
                         ::testing::ValuesIn(std::vector<GaussianCase>{
                             {1.0, 1}, {3.0, 10}, {30.0, 997}, {10.0, 10000}, {50.0, 1000000}}));

TEST(PldOfGaussians, AtOneHundredMillionCompositionsTheTruthIsStillInside) {
  const auto eps = must(pld_epsilon(std::vector{PldTerm{*loss_of::gaussian(5000.0), 100000000}},
                                    Delta{1e-6}, {.epsilon_width = 1e-2}));
  const double exact = gdp_epsilon(Mu{2.0}, Delta{1e-6}).value;
  expect_around(eps, exact, 1e-2);
}

TEST(PldOfGaussians, DifferentOnesComposeToTheirRootSumOfSquares) {
  const std::vector<PldTerm> terms{
      {*loss_of::gaussian(2.0), 3}, {*loss_of::gaussian(7.0), 40}, {*loss_of::gaussian(20.0), 250}};
  const double mu = std::sqrt(3.0 / 4.0 + 40.0 / 49.0 + 250.0 / 400.0);
  const auto eps = must(pld_epsilon(terms, Delta{1e-6}));
  const double exact = gdp_epsilon(Mu{mu}, Delta{1e-6}).value;
  expect_around(eps, exact, 1e-4);
}

// delta of one release for eps of either sign.
double gaussian_profile(double mu, double eps) {
  if (eps >= 0.0) return gdp_delta(Mu{mu}, Epsilon{eps}).value;
  return -std::expm1(eps) + std::exp(eps) * gdp_delta(Mu{mu}, Epsilon{-eps}).value;
}

TEST(PldOfGaussians, TailsThatAreCutOffStillCount) {
  for (const double tail : {1e-12, 1e-4, 0.02}) {
    const auto bracket = must(discretise(*loss_of::gaussian(2.0), 0.01, tail));
    EXPECT_GT(bracket.upper_at_infinity, 0.9 * tail);
    EXPECT_EQ(bracket.lower_at_infinity, 0.0);
    for (double eps = -3.0; eps <= 3.0; eps += 0.0417) {
      const Interval<Delta> delta = bracket.delta(Epsilon{eps});
      const double exact = gaussian_profile(0.5, eps);
      SCOPED_TRACE(eps);
      expect_around(delta, exact, 1e-4 + 2.0 * tail);
    }
  }
}

// ---- Randomised response: multinomial sums in 100 digits ----

// delta of n uses: sum over j answers up and i answers down of their probability times
// (1 - e^(eps - (j - i) level))+, the other k - 2 answers saying nothing.
Big100 exact_response_delta(double level, std::int64_t answers, int n, double eps) {
  const Big100 norm = exp(Big100(level)) + (answers - 1);
  const Big100 up = exp(Big100(level)) / norm;
  const Big100 down = 1 / norm;
  const Big100 neither = Big100(answers - 2) / norm;
  Big100 sum = 0;
  Big100 outer = 1;  // n choose j
  for (int j = 0; j <= n; ++j) {
    Big100 inner = 1;  // n - j choose i
    for (int i = 0; i <= n - j; ++i) {
      const Big100 loss = Big100(j - i) * Big100(level);
      const bool has_rest = answers > 2 || i + j == n;
      if (loss > eps && has_rest) {
        const Big100 rest = answers > 2 ? Big100(pow(neither, n - i - j)) : Big100(1);
        sum += outer * inner * pow(up, j) * pow(down, i) * rest * (1 - exp(Big100(eps) - loss));
      }
      inner = inner * (n - j - i) / (i + 1);
    }
    outer = outer * (n - j) / (j + 1);
  }
  return sum;
}

struct ResponseCase {
  double level;
  std::int64_t answers;
  int count;
};

class PldOfResponse : public ::testing::TestWithParam<ResponseCase> {};

TEST_P(PldOfResponse, IsTheExactSumUpToRounding) {
  const auto [level, answers, count] = GetParam();
  const std::vector<PldTerm> terms{{*loss_of::randomized_response(level, answers), count}};
  for (const double share : {0.0, 0.13, 0.5, 0.9, 0.999}) {
    const double eps = share * level * count;
    const auto composition = must(compose_near(terms, Epsilon{eps}));
    const LogDeltaBounds bounds = composition.log_delta(Epsilon{eps});
    const Big100 exact = log(exact_response_delta(level, answers, count, eps));
    EXPECT_LE(Big100(bounds.lower), exact) << eps;
    EXPECT_GE(Big100(bounds.upper), exact) << eps;
    EXPECT_LE(bounds.upper - bounds.lower, 1e-6) << eps;
  }
}

INSTANTIATE_TEST_SUITE_P(Compositions, PldOfResponse,
                         ::testing::ValuesIn(std::vector<ResponseCase>{
                             {1.0, 2, 1}, {0.3, 2, 2}, {2.0, 5, 3}, {0.1, 3, 30}, {0.05, 2, 200}}));

TEST(PldOfResponses, AreTheDiscreteLaplaceOfTheSameLevel) {
  // 1 apart, a two-sided geometric law loses +-1/b like a binary response of eps = 1/b.
  const auto a =
      pld_epsilon(std::vector{PldTerm{*loss_of::discrete_laplace(8.0), 500}}, Delta{1e-7});
  const auto b =
      pld_epsilon(std::vector{PldTerm{*loss_of::randomized_response(0.125), 500}}, Delta{1e-7});
  ASSERT_TRUE(a && b);
  EXPECT_LE(std::max(low(*a), low(*b)), std::min(high(*a), high(*b)));
  EXPECT_LE(epsilon_width(*a), 1e-8);
}

// ---- One release more, by integration: delta_(n+1)(eps) = E delta_n(eps - L) ----

using Profile = std::function<double(double)>;

struct Kinked {
  Profile log_density;  // of the outcome under P
  Profile loss;
  double lowest;
  double highest;
  std::vector<double> breaks;
};

double integral(const Kinked& distribution, const Profile& delta, double eps,
                const std::vector<double>& more_breaks) {
  std::vector<double> breaks = distribution.breaks;
  breaks.insert(breaks.end(), more_breaks.begin(), more_breaks.end());
  double sum = 0.0;
  for (const QuadratureNode& node :
       gauss_legendre_nodes(distribution.lowest, distribution.highest, breaks,
                            (distribution.highest - distribution.lowest) / 40.0)) {
    sum += node.weight * std::exp(distribution.log_density(node.x)) *
           delta(eps - distribution.loss(node.x));
  }
  return sum;
}

constexpr double kOracle = 1e-11;  // relative error of the integrals, by halving their panels

void expect_inside(const ComposedPld& pld, double eps, double exact) {
  const Interval<Delta> delta = pld.delta(Epsilon{eps});
  EXPECT_LE(delta.lower.value.value, exact * (1.0 + kOracle) + 1e-15) << eps;
  EXPECT_GE(delta.upper.value.value, exact * (1.0 - kOracle) - 1e-15) << eps;
}

// One Laplace release, for eps of either sign: up to -1/b all outputs count, at 1/b none.
double laplace_delta(double scale, double eps) {
  const double end = 1.0 / scale;
  if (eps >= end) return 0.0;
  return eps <= -end ? -std::expm1(eps) : -std::expm1(0.5 * (eps - end));
}

// Its losses within (-end, end).
Kinked between_ends(double end) {
  const auto log_density = [=](double l) { return 0.5 * (l - end) - std::log(4.0); };
  return {log_density, [](double l) { return l; }, -end, end, {}};
}

double two_laplace_deltas(double scale, double eps) {
  const double end = 1.0 / scale;
  const Kinked middle = between_ends(end);
  const Profile one = [=](double e) { return laplace_delta(scale, e); };
  return 0.5 * one(eps - end) + 0.5 * std::exp(-end) * one(eps + end) +
         integral(middle, one, eps, {eps - end, eps + end});
}

TEST(PldOfLaplace, OneTwoAndThreeReleasesAgreeWithIntegrals) {
  const double scale = 1.7, end = 1.0 / scale;
  const PrivacyLoss distribution = *loss_of::laplace(scale);
  const ComposedPld one = composed_near({{distribution, 1}}, Delta{1e-3});
  const ComposedPld two = composed_near({{distribution, 2}}, Delta{1e-3});
  const ComposedPld three = composed_near({{distribution, 3}}, Delta{1e-3});
  const Kinked middle = between_ends(end);
  const Profile delta_two = [=](double e) { return two_laplace_deltas(scale, e); };
  for (int i = 0; i <= 20; ++i) {
    const double eps = 0.0973 * i;
    expect_inside(one, eps, laplace_delta(scale, eps));
    expect_inside(two, eps, two_laplace_deltas(scale, eps));
    if (i % 4 != 0) continue;
    const double exact = 0.5 * delta_two(eps - end) + 0.5 * std::exp(-end) * delta_two(eps + end) +
                         integral(middle, delta_two, eps, {eps, eps - 2 * end, eps + 2 * end});
    expect_inside(three, eps, exact);
    if (exact == 0.0) continue;
    const auto near = must(pld_delta(std::vector{PldTerm{distribution, 3}}, Epsilon{eps}));
    EXPECT_LE(near.lower.value.value, exact * (1.0 + kOracle));
    EXPECT_GE(near.upper.value.value, exact * (1.0 - kOracle));
    EXPECT_LE(near.upper.value.value - near.lower.value.value, 1e-3 * exact);
  }
}

TEST(PldOfLaplace, TenThousandReleasesAgreeWithPublishedBounds) {
  const auto eps =
      must(pld_epsilon(std::vector{PldTerm{*loss_of::laplace(100.0), 10000}}, Delta{1e-5}));
  EXPECT_GE(high(eps), 4.36551);  // each side of the two intervals with the other
  EXPECT_LE(low(eps), 4.367994);
  EXPECT_LE(epsilon_width(eps), 1e-4);
  const auto finer = must(pld_epsilon(std::vector{PldTerm{*loss_of::laplace(100.0), 10000}},
                                      Delta{1e-5}, {.epsilon_width = 1e-5}));
  EXPECT_LE(epsilon_width(finer), 1e-5);
  EXPECT_GE(low(finer), low(eps));  // another grid, the same truth
  EXPECT_LE(high(finer), high(eps));
}

// delta is the integral of E e^(s L)^n e^(-s eps)/(s (s + 1)) over Re s = c > 0, over 2 pi i.
double laplace_contour(double scale, int count, double eps, double c) {
  const double a = 1.0 / scale, step = 0.01;
  double sum = 0.0;
  for (int k = 0; k < 6000; ++k) {
    const std::complex<double> s(c, step * k);
    const auto up = std::exp(s * a), down = std::exp(-(1.0 + s) * a);
    const auto mean = 0.5 * (up + down + (up - down) / (2.0 * s + 1.0));
    const auto value =
        std::exp(static_cast<double>(count) * std::log(mean) - s * eps) / (s * (s + 1.0));
    sum += (k == 0 ? 0.5 : 1.0) * value.real();
  }
  return sum * step / std::numbers::pi;
}

TEST(PldOfLaplace, ManyReleasesAgreeWithAContourIntegral) {
  for (const auto& [count, delta, c] :
       {std::tuple{10000, 1e-5, 3.5}, {10000, 1e-6, 4.2}, {1000, 1e-6, 12.0}}) {
    const auto eps =
        must(pld_epsilon(std::vector{PldTerm{*loss_of::laplace(100.0), count}}, Delta{delta}));
    EXPECT_GE(laplace_contour(100.0, count, low(eps), c), delta * (1.0 - 1e-9)) << count;
    EXPECT_LE(laplace_contour(100.0, count, high(eps), c), delta * (1.0 + 1e-9)) << count;
    EXPECT_LE(epsilon_width(eps), 1e-4);
  }
}

// The Poisson-subsampled Gaussian, from the half-line that is its best event.
struct Subsampled {
  double sigma;
  double q;
  SamplingDirection direction;

  double ratio(double x) const {  // log of mixture over N(0, sigma^2)
    return std::log1p(q * std::expm1((2.0 * x - 1.0) / (2.0 * sigma * sigma)));
  }
  double threshold(double l) const {  // where ratio is l
    const double lifted = std::expm1(l) + q;
    return lifted <= 0.0 ? -kInfinity : sigma * sigma * std::log(lifted / q) + 0.5;
  }
  double delta(double eps) const {
    const double x = threshold(direction == SamplingDirection::kRemove ? eps : -eps);
    const auto mixture = [&](const auto& tail) {
      return q * tail((x - 1.0) / sigma) + (1.0 - q) * tail(x / sigma);
    };
    if (direction == SamplingDirection::kRemove) {
      return mixture(normal_ccdf) - std::exp(eps) * normal_ccdf(x / sigma);
    }
    return normal_cdf(x / sigma) - std::exp(eps) * mixture(normal_cdf);
  }
  Kinked distribution() const {
    const bool is_remove = direction == SamplingDirection::kRemove;
    return {[=, *this](double x) {
              return normal_log_pdf(x / sigma) - std::log(sigma) + (is_remove ? ratio(x) : 0.0);
            },
            [=, *this](double x) { return is_remove ? ratio(x) : -ratio(x); },
            -9.0 * sigma,
            9.0 * sigma + 1.0,
            {}};
  }
};

class PldOfSubsampled : public ::testing::TestWithParam<Subsampled> {};

TEST_P(PldOfSubsampled, OneAndTwoReleasesAgreeWithIntegrals) {
  const Subsampled& truth = GetParam();
  const auto distribution = loss_of::subsampled_gaussian(truth.sigma, truth.q, truth.direction);
  ASSERT_TRUE(distribution);
  const ComposedPld one = composed_near({{*distribution, 1}}, Delta{1e-4});
  const ComposedPld two = composed_near({{*distribution, 2}}, Delta{1e-4});
  const Profile delta = [&](double eps) { return truth.delta(eps); };
  for (int i = 0; i <= 24; ++i) {
    const double eps = 0.0431 * i;
    expect_inside(one, eps, truth.delta(eps));
    // delta of one release has a kink in its tail's slope where eps leaves the range of losses.
    const double edge = std::log1p(-truth.q);
    const bool is_remove = truth.direction == SamplingDirection::kRemove;
    const double kink = is_remove ? truth.threshold(eps - edge) : truth.threshold(-eps - edge);
    std::vector<double> breaks;
    if (std::isfinite(kink)) breaks.push_back(kink);
    expect_inside(two, eps, integral(truth.distribution(), delta, eps, breaks));
  }
}

TEST_P(PldOfSubsampled, ManyReleasesAreKnownToTheWidthAskedFor) {
  const Subsampled& truth = GetParam();
  const auto distribution = loss_of::subsampled_gaussian(truth.sigma, truth.q, truth.direction);
  const auto eps = must(
      pld_epsilon(std::vector{PldTerm{*distribution, 300}}, Delta{1e-6}, {.epsilon_width = 1e-3}));
  EXPECT_LE(epsilon_width(eps), 1e-3);
  EXPECT_GT(low(eps), 0.0);
  // Sampling only helps.
  const double whole = gdp_epsilon(Mu{std::sqrt(300.0) / truth.sigma}, Delta{1e-6}).value;
  EXPECT_LT(high(eps), whole);
}

INSTANTIATE_TEST_SUITE_P(Directions, PldOfSubsampled,
                         ::testing::ValuesIn(std::vector<Subsampled>{
                             {1.0, 0.2, SamplingDirection::kRemove},
                             {1.0, 0.2, SamplingDirection::kAdd},
                             {2.0, 0.05, SamplingDirection::kRemove},
                             {2.0, 0.05, SamplingDirection::kAdd}}));

TEST(PldOfDiscreteGaussian, IsTheExactSum) {
  const double sigma = 2.5;
  std::vector<Big100> mass;  // at -100..100
  Big100 norm = 0;
  for (int k = -100; k <= 100; ++k) {
    mass.push_back(exp(-Big100(k) * k / (2 * Big100(sigma) * Big100(sigma))));
    norm += mass.back();
  }
  const auto exact = [&](double eps) {  // of two releases
    Big100 sum = 0;
    const Big100 factor = exp(Big100(eps));
    for (int i = 1; i < 200; ++i) {
      for (int j = 1; j < 200; ++j) {
        const auto place = [&](int k) { return static_cast<std::size_t>(k); };
        const Big100 p = mass[place(i)] * mass[place(j)];
        const Big100 q = mass[place(i + 1)] * mass[place(j + 1)];
        const Big100 gain = p - factor * q;
        if (gain > 0) sum += gain;
      }
    }
    return Big100(sum / (norm * norm));
  };
  const std::vector<PldTerm> terms{{*loss_of::discrete_gaussian(sigma), 2}};
  for (const double eps : {0.05, 1.01, 2.3}) {
    const Big100 truth = exact(eps);
    const auto delta = must(pld_delta(terms, Epsilon{eps}));
    EXPECT_LE(Big100(delta.lower.value.value), truth);
    EXPECT_GE(Big100(delta.upper.value.value), truth);
    EXPECT_LE(Big100(delta.upper.value.value - delta.lower.value.value), 1e-7 * truth);
  }
}

// The (eps, delta) of two releases of integer noise whose centres are `shift` apart, in high
// precision; `mass(k)` need not be normalised.
Big100 delta_of_two_shifted(const std::function<Big100(int)>& mass, int shift, double eps) {
  constexpr int kReach = 150;
  std::vector<Big100> masses;  // of -kReach - shift..kReach
  Big100 norm = 0;
  for (int k = -kReach - shift; k <= kReach; ++k) {
    masses.push_back(mass(k));
    norm += masses.back();
  }
  const auto at = [&](int k) { return masses[static_cast<std::size_t>(k + kReach + shift)]; };
  const Big100 factor = exp(Big100(eps));
  Big100 sum = 0;
  for (int i = -kReach; i <= kReach; ++i) {
    for (int j = -kReach; j <= kReach; ++j) {
      const Big100 gain = at(i - shift) * at(j - shift) - factor * at(i) * at(j);
      if (gain > 0) sum += gain;
    }
  }
  return Big100(sum / (norm * norm));
}

void expect_tight(const PrivacyLoss& distribution, const Big100& truth, double eps) {
  const auto delta = must(pld_delta(std::vector{PldTerm{distribution, 2}}, Epsilon{eps}));
  EXPECT_LE(Big100(delta.lower.value.value), truth) << eps;
  EXPECT_GE(Big100(delta.upper.value.value), truth) << eps;
  EXPECT_LE(Big100(delta.upper.value.value - delta.lower.value.value), 1e-7 * truth) << eps;
}

TEST(PldOfIntegerNoise, TakesAnyIntegerSensitivity) {
  for (const int shift : {2, 3, 7}) {
    const double scale = 2.5, sigma = 3.0;
    const auto laplace = [&](int k) { return Big100(exp(-Big100(std::abs(k)) / Big100(scale))); };
    const auto gaussian = [&](int k) {
      return Big100(exp(-Big100(k) * k / (2 * Big100(sigma) * Big100(sigma))));
    };
    for (const double eps : {0.3, 1.01}) {
      expect_tight(*loss_of::discrete_laplace(scale, shift),
                   delta_of_two_shifted(laplace, shift, eps), eps);
      expect_tight(*loss_of::discrete_gaussian(sigma, shift),
                   delta_of_two_shifted(gaussian, shift, eps), eps);
    }
  }
}

TEST(PldOfPairs, MassThatOnlyOneSideMakesIsDelta) {
  const auto distribution =
      must(loss_of::finite_pair(std::vector{0.01, 0.99}, std::vector{0.0, 1.0}));
  const ComposedPld pld = composed_near({{distribution, 7}}, Delta{0.5});
  const Interval<Delta> delta = pld.delta(Epsilon{3.0});
  const double exact = 1.0 - std::pow(0.99, 7);
  expect_around(delta, exact, 1e-12);
  EXPECT_EQ(high(pld.epsilon(Delta{0.01})), kInfinity);
}

TEST(PldOfMixes, ALaplaceAndAResponseAreAProductOfBoth) {
  const double scale = 2.0, level = 0.25;
  const std::vector<PldTerm> terms{{*loss_of::laplace(scale), 1},
                                   {*loss_of::randomized_response(level), 2}};
  const ComposedPld pld = composed_near(terms, Delta{1e-3});
  const double up = std::exp(level) / (1.0 + std::exp(level));
  for (int i = 0; i <= 10; ++i) {
    const double eps = 0.0871 * i;
    double exact = 0.0;
    exact += up * up * laplace_delta(scale, eps - 2.0 * level);
    exact += 2.0 * up * (1.0 - up) * laplace_delta(scale, eps);
    exact += (1.0 - up) * (1.0 - up) * laplace_delta(scale, eps + 2.0 * level);
    expect_inside(pld, eps, exact);
  }
  EXPECT_LE(epsilon_width(pld.epsilon(Delta{1e-3})), 1e-4);
}

// ---- what a grid leaves out ----

TEST(PldBrackets, AtomsThatAreCutOffStillCount) {
  const auto whole = must(loss_of::discrete_gaussian(2.0));
  const auto exact = [&](double eps) {
    double sum = 0.0;
    for (const LossAtom& atom : whole.atoms) {
      if (atom.loss > eps) sum += std::exp(atom.log_mass) * -std::expm1(eps - atom.loss);
    }
    return sum;
  };
  constexpr double kTail = 1e-3;
  const auto kept = without_tails(whole, kTail);
  const double last = kept.atoms.back().loss;
  ASSERT_LT(kept.atoms.size() + 4, whole.atoms.size());
  ASSERT_GT(exact(last), 1e-9);
  const auto bracket = must(discretise(whole, 0.03, kTail));
  EXPECT_LT(bracket.size(), must(discretise(whole, 0.03)).size());
  for (const double eps : {-2.0, -0.5, 0.0, 0.3, 1.0, 0.5 * last, last, last + 0.1}) {
    const auto delta = bracket.delta(Epsilon{eps});
    EXPECT_LE(delta.lower.value.value, exact(eps)) << eps;
    EXPECT_GE(delta.upper.value.value, exact(eps)) << eps;
    EXPECT_LE(delta.upper.value.value - delta.lower.value.value, kTail + 0.02 * exact(eps)) << eps;
  }
}

TEST(PldBrackets, CellsOfSeveralStepsHoldTheClosedFormOfTwoSamples) {
  constexpr double kShare = 0.02;
  struct Sample {
    double sigma, sampling, share;
  };
  const Sample first{1.0, 0.01, 1.0 - kShare}, second{0.5, 0.3, kShare};
  const auto exact = [&](double eps) {
    double sum = 0.0;
    for (const Sample& one : {first, second}) {
      const double inner = std::log1p(std::expm1(eps) / one.sampling);
      sum += one.share * one.sampling * gdp_delta(Mu{1.0 / one.sigma}, Epsilon{inner}).value;
    }
    return sum;
  };
  const auto loss_of_one = [](const Sample& one) {
    return must(loss_of::subsampled_gaussian(one.sigma, one.sampling, SamplingDirection::kRemove));
  };
  const auto both = loss_of::flagged(loss_of_one(first), loss_of_one(second), kShare, 0.0);
  for (const double tolerance : {1e-11, kInfinity}) {
    const BracketFocus focus{0.0, 0.0, 0.3, tolerance};
    const auto bracket = must(discretise(both, 5e-4, 1e-14, 1 << 20, focus));
    EXPECT_LT(4 * std::ssize(bracket.upper), bracket.places.back());
    for (const double eps : {0.001, 0.01, 0.1, 0.5, 1.0, 3.0, 6.0, 9.0}) {
      const auto delta = bracket.delta(Epsilon{eps});
      EXPECT_LE(delta.lower.value.value, exact(eps)) << eps;
      EXPECT_GE(delta.upper.value.value, exact(eps)) << eps;
      EXPECT_LE(delta.upper.value.value - delta.lower.value.value, 0.01 * exact(eps) + 1e-9) << eps;
    }
  }
}

TEST(PldOfRareSamples, AreAsNarrowAsOthers) {
  const auto loss = must(loss_of::poisson({AddedNoise::Kind::kDiscreteGaussian, 0.9664, 1}, 6.68e-5,
                                          SamplingDirection::kRemove));
  const auto eps =
      must(pld_epsilon(std::vector{PldTerm{loss, 9852}}, Delta{9.7e-4}, {.relative_width = 5e-5}));
  EXPECT_LE(epsilon_width(eps), 1e-4 * high(eps));
}

TEST(PldRefinement, ANarrowerRequestGivesANarrowerInterval) {
  const std::vector<PldTerm> terms{{*loss_of::gaussian(4.0), 64}};
  double before = kInfinity;
  for (const double wanted : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const auto eps = must(pld_epsilon(terms, Delta{1e-6}, {.epsilon_width = wanted}));
    EXPECT_LE(epsilon_width(eps), wanted);
    EXPECT_LT(epsilon_width(eps), before);
    before = epsilon_width(eps);
  }
}

// ---- From the values of a profile ----

// The largest distance between the two bounds; the truth has to lie between them.
double width_around(const PldBracket& bracket, double mu) {
  double widest = 0.0;
  for (double eps = -3.0; eps <= 3.0; eps += 0.0173) {
    const Interval<Delta> delta = bracket.delta(Epsilon{eps});
    const double exact = gaussian_profile(mu, eps);
    EXPECT_LE(delta.lower.value.value, exact) << eps;
    EXPECT_GE(delta.upper.value.value, exact) << eps;
    widest = std::max(widest, delta.upper.value.value - delta.lower.value.value);
  }
  return widest;
}

TEST(PldOfProfiles, HoldTheTruthWithinASecondOrderWidth) {
  const double mu = 0.7;
  double before = kInfinity;
  for (const int points : {10, 20, 40, 80}) {
    const double step = 1.0 / points;
    const auto bracket = discretise_profile([&](double l) { return gaussian_profile(mu, l); }, step,
                                            -6 * points, 6 * points, 1e-14);
    ASSERT_TRUE(bracket) << bracket.error().to_string();
    const double now = width_around(*bracket, mu);
    EXPECT_LT(now, 1.2 * step * step);
    EXPECT_LT(now, 0.3 * before);
    before = now;
  }
}

TEST(PldOfProfiles, TheirErrorIsThatOfTheValues) {
  const auto delta = [](double factor) {
    return [factor](double l) { return std::min(1.0, factor * gaussian_profile(0.7, l)); };
  };
  for (const double factor : {1.0 - 1e-4, 1.0 + 1e-4}) {
    const auto bracket = must(discretise_profile(delta(factor), 0.05, -100, 100, 1.01e-4));
    static_cast<void>(width_around(bracket, 0.7));
  }
}

TEST(PldOfProfiles, RefuseWhatIsNoProfile) {
  const auto path = [](double value, double step, std::int64_t highest, double error) {
    const auto got = discretise_profile([=](double) { return value; }, step, 0, highest, error);
    return got ? std::string("none") : got.error().path;
  };
  EXPECT_EQ(path(0.5, 0.1, 10, 0.0), "none");
  EXPECT_EQ(path(1.5, 0.1, 10, 0.0), "/delta");
  EXPECT_EQ(path(std::nan(""), 0.1, 10, 0.0), "/delta");
  EXPECT_EQ(path(0.5, -0.1, 10, 0.0), "/step");
  EXPECT_EQ(path(0.5, 0.1, 2, 0.0), "/highest");
  EXPECT_EQ(path(0.5, 0.1, 10, -1.0), "/relative_error");
}

// ---- Bad input ----

// (8) by its closed form, and composed by values computed with contour integrals.
TEST(PldOfABoundedRange, IsItsProfile) {
  for (const double range : {1e-3, 0.3, 2.0, 30.0}) {
    for (const double part : {0.0, 0.2, 0.5, 0.99}) {
      const double eps = part * range;
      const double root = std::exp(range / 2.0) - std::exp(eps / 2.0);
      const double exact = root * root / std::expm1(range);
      const auto delta =
          must(pld_delta(std::vector{PldTerm{*loss_of::bounded_range(range), 1}}, Epsilon{eps}));
      expect_around(delta, exact, 2e-3 * exact);
    }
  }
  const auto composed =
      must(pld_epsilon(std::vector{PldTerm{*loss_of::bounded_range(0.5), 30}}, Delta{1e-6}));
  EXPECT_NEAR(high(composed), 7.85632, 1e-4);
  EXPECT_GE(high(composed), 6.8686701);  // two candidates at the worst gap
  EXPECT_THAT(loss_of::bounded_range(0.0), IsRefused("epsilon"));
}

TEST(PldErrors, NameTheFieldOfALossAndItsRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(loss_of::gaussian(nan), IsRefused("sigma must be in [0.01, 1"));
  EXPECT_THAT(loss_of::gaussian(0.0), IsRefused("sigma"));
  EXPECT_THAT(loss_of::gaussian(1.0, 3.0), IsRefused("log_tail must be in [-600, -20]"));
  EXPECT_THAT(loss_of::laplace(-1.0), IsRefused("scale"));
  EXPECT_THAT(loss_of::laplace(kInfinity), IsRefused("scale"));
  EXPECT_THAT(loss_of::randomized_response(-1.0), IsRefused("epsilon"));
  EXPECT_THAT(loss_of::randomized_response(1.0, 1), IsRefused("answers"));
  EXPECT_THAT(loss_of::discrete_laplace(nan), IsRefused("scale"));
  EXPECT_THAT(loss_of::discrete_laplace(1.0, 0), IsRefused("shift must be in [1, 1"));
  EXPECT_THAT(loss_of::discrete_laplace(0.1, 1000), IsRefused("shift/scale"));
  EXPECT_THAT(loss_of::discrete_gaussian(nan), IsRefused("sigma"));
  EXPECT_THAT(loss_of::discrete_gaussian(1.0, -2), IsRefused("shift must be in [1, 1"));
  EXPECT_THAT(loss_of::subsampled_gaussian(1.0, 1.5, SamplingDirection::kAdd),
              IsRefused("sampling"));
  EXPECT_THAT(loss_of::finite_pair(std::vector{0.5}, std::vector{0.5, 0.5}),
              IsRefused("same number"));
  EXPECT_THAT(loss_of::finite_pair(std::vector{0.5, nan}, std::vector{0.5, 0.5}),
              IsRefused("p[1]"));
  EXPECT_THAT(loss_of::finite_pair(std::vector{0.5, 0.5}, std::vector{0.5, 0.4}),
              IsRefused("q must sum to 1"));
}

TEST(PldErrors, NameTheFieldOfACompositionAndItsRange) {
  const PrivacyLoss distribution = *loss_of::gaussian(1.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto path = [&](std::int64_t count, double delta, const PldOptions& options = {}) {
    const auto got = pld_epsilon(std::vector{PldTerm{distribution, count}}, Delta{delta}, options);
    return got ? std::string("none") : got.error().path;
  };
  EXPECT_EQ(path(1, 1e-5), "none");
  EXPECT_EQ(path(0, 1e-5), "/terms/0/count");
  EXPECT_EQ(path(-3, 1e-5), "/terms/0/count");
  EXPECT_EQ(path(std::numeric_limits<std::int64_t>::max(), 1e-5), "/terms/0/count");
  EXPECT_EQ(path(1, 0.0), "/delta");
  EXPECT_EQ(path(1, 1.0), "/delta");
  EXPECT_EQ(path(1, nan), "/delta");
  EXPECT_EQ(path(1, -1.0), "/delta");
  EXPECT_EQ(path(1, 1e-5, {.epsilon_width = 0.0}), "/epsilon_width");
  EXPECT_EQ(path(1, 1e-5, {.relative_width = -1.0}), "/relative_width");
  EXPECT_EQ(path(1, 1e-5, {.least_relative_width = 0.0}), "/least_relative_width");
  EXPECT_EQ(path(1, 1e-5, {.delta_relative_width = nan}), "/delta_relative_width");
  EXPECT_EQ(path(1, 1e-5, {.max_points = 0}), "/max_points");
  EXPECT_EQ(path(1, 1e-5, {.attempts = 0}), "/attempts");
  EXPECT_EQ(path(100000, 1e-5, {.max_points = 64}), "/max_points");
  EXPECT_EQ(pld_epsilon({}, Delta{1e-5}).error().path, "/terms");
  for (const double eps : {nan, -1.0, kInfinity}) {
    EXPECT_EQ(pld_delta(std::vector{PldTerm{distribution, 1}}, Epsilon{eps}).error().path,
              "/epsilon");
  }
  EXPECT_EQ(discretise(distribution, 0.0).error().path, "/step");
  EXPECT_EQ(discretise(distribution, nan).error().path, "/step");
  EXPECT_EQ(discretise(distribution, 0.1, nan).error().path, "/tail_mass");
}

// Cells of several steps, of grids as coarse as they come: the terms of the optimistic bound grow with e^(half a cell).
TEST(PldComposition, CoarseGridsOfLargeLossesEncloseTheClosedForm) {
  for (const double mu : {5.0, 20.0, 48.34}) {
    for (const bool two_kinds : {false, true}) {
      std::vector<PldTerm> terms{{must(loss_of::gaussian(1.0 / (two_kinds ? 0.6 * mu : mu))), 1}};
      if (two_kinds) terms.push_back({must(loss_of::gaussian(1.0 / (0.8 * mu))), 1});
      for (const double width : {2e-5, 2e-4, 1e-3, 5e-3}) {
        for (const double anchor : {1e-4, 1e-9}) {
          const PldOptions options{.epsilon_width = 5.0 * width,
                                   .least_relative_width = width,
                                   .max_points = std::int64_t{1} << 18,
                                   .attempts = 1};
          const auto composed = must(compose_near(terms, Delta{anchor}, options));
          for (int i = 0; i <= 60; ++i) {
            const Epsilon eps{(0.5 * mu * mu + 6.0 * mu) * i / 60};
            const double truth = gdp_delta(Mu{mu}, eps).value;
            const auto bounds = composed.delta(eps);
            EXPECT_LE(bounds.lower.value.value, truth * (1.0 + 1e-9)) << mu << " " << width;
            EXPECT_GE(bounds.upper.value.value, truth * (1.0 - 1e-9)) << mu << " " << width;
          }
          const auto found = composed.epsilon(Delta{anchor});
          EXPECT_LE(found.upper.value.value - found.lower.value.value,
                    std::max(2.0 * width, 1e-3) * found.upper.value.value);
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
