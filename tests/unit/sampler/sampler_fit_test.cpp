// The tests of a sampler: each planted fault is found by the test that is for it; limits and strengths against Boost.
#include "assay/auditors/sampler/sampler_fit.hpp"

#include <atomic>
#include <boost/math/distributions/binomial.hpp>

#include "assay/tests/support/sampler_draws.hpp"

namespace assay {
namespace {

constexpr double kFitAlpha = 1e-6;
constexpr std::size_t kFitDraws = 200'000;
const SamplerCase kPlainLaplace{"laplace:scale=1", draws_of(must(Laplace::create(0.0, 1.0)))};
const SamplerCase kPlainInteger{"discrete-laplace:scale=2",
                                draws_of(must(DiscreteLaplace::create(2.0)))};

StatedDistribution read_stated_text(const std::string& text) {
  return must(StatedDistribution::parse(text));
}

SamplerFit fit_of(const std::string& text, const std::vector<double>& samples,
                  double rounded_to = 0.0) {
  const auto stated = read_stated_text(text);
  return must(fit_samples(stated, fit_events(stated, rounded_to), samples, kFitAlpha));
}

std::set<std::string> rejecting_tests(const SamplerFit& fit) {
  std::set<std::string> names;
  for (const auto& test : fit.tests) {
    if (test.rejects()) names.insert(test.name);
    EXPECT_EQ(test.rejects(), !test.finding.empty()) << test.name;
  }
  EXPECT_EQ(fit.differs(), !names.empty());
  return names;
}

std::string finding_of_test(const SamplerFit& fit, const std::string& name) {
  for (const auto& test : fit.tests) {
    if (test.name == name) return test.finding;
  }
  return "";
}

// Draws that a fault changes, one after the other.
std::vector<double> with_fault(const std::function<double(double)>& fault,
                               const SamplerCase& sampler = kPlainLaplace) {
  auto draws = sampler.draws(kFitDraws, 5);
  for (double& x : draws) x = fault(x);
  return draws;
}

TEST(SamplerFit, OfCorrectSamplersRejectsNothing) {
  for (const auto& sampler : sampler_cases()) {
    const auto fit = fit_of(sampler.stated, sampler.draws(kFitDraws, 3));
    EXPECT_THAT(rejecting_tests(fit), IsEmpty()) << sampler.stated;
    EXPECT_LT(fit.distance.upper, 0.05) << sampler.stated;
    EXPECT_EQ(fit.distance.lower, 0.0) << sampler.stated;
    double spent = 0.0;
    for (const auto& entry : fit.alpha) spent += entry.alpha;
    EXPECT_LE(spent, kFitAlpha * (1.0 + 1e-12));
  }
}

TEST(SamplerFit, FindsEachFaultByTheTestThatIsForIt) {
  const auto laplace = [](const std::vector<double>& draws) {
    return rejecting_tests(fit_of("laplace:scale=1", draws));
  };
  EXPECT_THAT(laplace(with_fault([](double x) { return 1.05 * x; })), Contains("tails"));
  EXPECT_THAT(laplace(with_fault([](double x) { return x + 0.03; })),
              AllOf(Contains("thresholds"), Contains("tails")));
  // Nine times the tail beyond 8.5, one sample in a thousand.
  EXPECT_THAT(laplace(with_fault([](double x) { return x > 6.3 ? x + 2.3 : x; })),
              AllOf(Contains("tails"), Not(Contains("thresholds")), Not(Contains("distance"))));
  EXPECT_THAT(laplace(with_fault([](double x) { return std::clamp(x, -7.0, 7.0); })),
              AllOf(Contains("tails"), Contains("repeats")));
  EXPECT_THAT(
      laplace(with_fault([](double x) { return static_cast<double>(static_cast<float>(x)); })),
      ElementsAre("repeats"));
  EXPECT_THAT(laplace(with_fault([](double x) { return std::round(x * 1e6) / 1e6; })),
              ElementsAre("repeats"));
  // A hole at one place of the middle: a cell is too small, and no tail or threshold is.
  EXPECT_THAT(laplace(with_fault([](double x) { return x > 0.3 && x < 0.33 ? x - 0.033 : x; })),
              AllOf(Contains("cells"), Not(Contains("tails"))));
  int place = 0;
  EXPECT_THAT(laplace(with_fault([&](double x) { return ++place == 77 ? std::nan("") : x; })),
              ElementsAre("possible"));
  // The sign is as before in 54 of 100 samples.
  double before = 1.0;
  auto random = seeded_stream(9);
  EXPECT_THAT(laplace(with_fault([&](double x) {
                const double sign = random.uniform() < 0.54 ? before : -before;
                before = sign;
                return sign * std::abs(x);
              })),
              ElementsAre("order"));
  // The first tenth comes ten times.
  auto repeated = with_fault([](double x) { return x; });
  for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = repeated[i % (kFitDraws / 10)];
  EXPECT_THAT(laplace(repeated), Contains("repeats"));
}

TEST(SamplerFit, FindsFaultsOfWholeNumbers) {
  const auto whole = [](const std::vector<double>& draws) {
    return rejecting_tests(fit_of("discrete-laplace:scale=2", draws));
  };
  EXPECT_THAT(whole(with_fault([](double x) { return x == 3.0 ? 2.0 : x; }, kPlainInteger)),
              Contains("cells"));
  EXPECT_THAT(whole(with_fault([](double x) { return x + 0.5; }, kPlainInteger)),
              Contains("possible"));
  auto repeated = with_fault([](double x) { return x; }, kPlainInteger);
  for (std::size_t i = kFitDraws / 2; i < kFitDraws; ++i) repeated[i] = repeated[i - kFitDraws / 2];
  EXPECT_THAT(whole(repeated), Contains("repeats"));
  // Only even numbers, of a noise so wide that no cell sees it.
  const SamplerCase wide{"discrete-gaussian:sigma=1000",
                         draws_of(must(DiscreteGaussian::create(1000.0)))};
  const auto even = with_fault([](double x) { return 2.0 * std::floor(x / 2.0); }, wide);
  EXPECT_THAT(rejecting_tests(fit_of(wide.stated, even)), ElementsAre("residues"));
  EXPECT_THAT(
      rejecting_tests(fit_of("geometric:p=0.3",
                             {with_fault([](double x) { return x - 1.0; }, sampler_cases()[7])})),
      Contains("possible"));
}

TEST(SamplerFit, SaysWhatItFound) {
  const auto printed =
      fit_of("laplace:scale=1", with_fault([](double x) { return std::round(x * 1e3) / 1e3; }));
  EXPECT_THAT(finding_of_test(printed, "repeats"),
              AllOf(HasSubstr("of 200,000 samples repeat an earlier one"),
                    HasSubstr("no sample has more than 3 decimals: print 17 digits")));
  int place = 0;
  const auto infinite =
      fit_of("laplace:scale=1", with_fault([&](double x) {
               return ++place == 77 ? -std::numeric_limits<double>::infinity() : x;
             }));
  EXPECT_EQ(finding_of_test(infinite, "possible"),
            "1 sample cannot occur, the first at place 77: minus infinity");
  const auto biased = fit_of("laplace:scale=1", with_fault([](double x) { return x + 0.03; }));
  EXPECT_THAT(finding_of_test(biased, "thresholds"),
              MatchesRegex(".* of 200,000 samples are at or below .*; .* are expected"));
}

// A sampler on a grid is correct if it is said to round, in any of the three ways, and not if its grid is coarser.
TEST(SamplerFit, AllowsTheRoundingThatIsStated) {
  const std::function<double(double)> roundings[] = {
      [](double x) { return std::round(x * 64.0) / 64.0; },
      [](double x) { return std::floor(x * 64.0) / 64.0; },
      [](double x) { return std::ceil(x * 64.0) / 64.0; }};
  for (const auto& rounding : roundings) {
    const auto draws = with_fault(rounding);
    EXPECT_THAT(rejecting_tests(fit_of("laplace:scale=1", draws, 1.0 / 64.0)), IsEmpty());
    EXPECT_THAT(rejecting_tests(fit_of("laplace:scale=1", draws)), Contains("repeats"));
  }
  const auto coarse = with_fault([](double x) { return std::floor(x * 4.0) / 4.0; });
  EXPECT_THAT(rejecting_tests(fit_of("laplace:scale=1", coarse, 1.0 / 64.0)), Contains("cells"));
  // A wrong scale is still found.
  const auto wrong = with_fault([](double x) { return std::round(1.1 * x * 64.0) / 64.0; });
  EXPECT_THAT(rejecting_tests(fit_of("laplace:scale=1", wrong, 1.0 / 64.0)), Contains("tails"));
}

TEST(SamplerFit, LimitsOfEventsHaveTheirPower) {
  const auto fit = fit_of("laplace:scale=1", kPlainLaplace.draws(kFitDraws, 3));
  const double n = static_cast<double>(kFitDraws);
  const auto expect_power = [&](const std::vector<CountedEvent>& events, double level) {
    for (const auto& one : events) {
      const double p = one.event.probability;
      // The counts that the two sides of the event's test reject.
      const boost::math::binomial_distribution<> stated(n, p);
      double high = std::floor(n * p) + 1.0, low = high;
      while (boost::math::cdf(boost::math::complement(stated, high - 1.0)) > level) high += 1.0;
      while (low >= 0.0 && boost::math::cdf(stated, low) > level) low -= 1.0;
      if (!std::isnan(one.seen_above)) {
        const boost::math::binomial_distribution<> more(n, one.seen_above);
        const double power = boost::math::cdf(boost::math::complement(more, high - 1.0));
        EXPECT_GE(power, kFitPower) << p;
        EXPECT_LE(power, kFitPower + 1e-4) << p;
      }
      ASSERT_EQ(std::isnan(one.seen_below), low < 0.0) << p;
      if (low >= 0.0) {
        const double power =
            boost::math::cdf(boost::math::binomial_distribution<>(n, one.seen_below), low);
        EXPECT_GE(power, kFitPower) << p;
        EXPECT_LE(power, kFitPower + 1e-4) << p;
      }
    }
  };
  expect_power(fit.cells, 0.3 * kFitAlpha / (2.0 * static_cast<double>(fit.cells.size())));
  expect_power(fit.tails, 0.2 * kFitAlpha / (2.0 * static_cast<double>(fit.tails.size())));
}

TEST(SamplerFit, SamplesThatAimsTakeMeetThemAndFewerDoNot) {
  for (const std::string text : {"laplace:scale=1", "discrete-gaussian:sigma=3"}) {
    const auto stated = read_stated_text(text);
    const auto events = fit_events(stated, 0.0);
    for (const FitAims& aims :
         {FitAims{0.05, {}, {}}, FitAims{{}, 0.5, {}}, FitAims{{}, {}, 1.1}}) {
      const auto n = samples_to_see(stated, events, aims, kFitAlpha, 10'000'000);
      ASSERT_TRUE(n) << text;
      EXPECT_TRUE(aims.met_by(fit_strength(stated, events, *n, kFitAlpha))) << text << " " << *n;
      EXPECT_FALSE(aims.met_by(fit_strength(stated, events, *n * 8 / 10, kFitAlpha))) << text;
    }
    EXPECT_FALSE(samples_to_see(stated, events, {1e-3, {}, {}}, kFitAlpha, 1'000'000));
  }
}

TEST(SamplerFit, HearsAnInterrupt) {
  const std::atomic<bool> raised = true;
  RunControl control;
  control.cancel = &raised;
  const auto stated = read_stated_text("laplace:scale=1");
  EXPECT_EQ(error_of(fit_samples(stated, fit_events(stated, 0.0), kPlainLaplace.draws(1000, 1),
                                 kFitAlpha, control))
                .code,
            ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace assay
