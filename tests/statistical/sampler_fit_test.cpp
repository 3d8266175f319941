// The error rates of the test of a sampler are at most those stated: false alarms, bounds that miss, faults not found.
//
// Each count of errors is compared with binomial_limit at 1e-3 over all counts of its test.
#include "assay/auditors/sampler/sampler_fit.hpp"

#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/sampler_draws.hpp"

namespace assay {
namespace {

StatedDistribution stated_as(const std::string& text) {
  return must(StatedDistribution::parse(text));
}

SamplerFit fitted(const StatedDistribution& stated, const FitEvents& events,
                  const std::vector<double>& draws) {
  return must(fit_samples(stated, events, draws, kAuditAlpha));
}

// Of 300 runs of each correct sampler, with few samples and with more.
TEST(SamplerFitValidity, FalseAlarmsAreAsRareAsStated) {
  constexpr int kRuns = 300;
  const auto cases = sampler_cases();
  const int limit = binomial_limit(kRuns, kAuditAlpha, static_cast<int>(2 * cases.size()));
  for (const auto& sampler : cases) {
    const auto stated = stated_as(sampler.stated);
    const auto events = fit_events(stated, 0.0);
    for (const std::size_t n : {200, 5000}) {
      const int alarms = count_runs_in_parallel(kRuns, [&](std::uint64_t run) {
        return fitted(stated, events, sampler.draws(n, 1000 + run)).differs();
      });
      EXPECT_LE(alarms, limit) << sampler.stated << " " << n;
    }
  }
}

// Samples of another scale: what is off is known, and the bounds contain it.
TEST(SamplerFitValidity, BoundsContainHowFarTheSamplerIsOff) {
  constexpr int kRuns = 200;
  constexpr std::size_t kDraws = 4000;
  const SamplerCase wider[] = {
      {"laplace:scale=1", draws_of(must(Laplace::create(0.0, 1.15)))},
      {"gaussian:sigma=1", draws_of(must(Gaussian::create(0.0, 0.9)))},
      {"discrete-laplace:scale=2", draws_of(must(DiscreteLaplace::create(2.3)))}};
  const double factors[] = {1.15, 0.9, 1.15};
  const int limit = binomial_limit(kRuns, kAuditAlpha, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto stated = stated_as(wider[i].stated);
    const auto truth = *stated.scaled(factors[i]);
    const auto events = fit_events(stated, 0.0);
    double distance = 0.0, threshold = 0.0, log_ratio = 0.0;
    for (const auto& cell : events.cells) {
      const double g = truth.between(cell.low, cell.high);
      distance += std::max(0.0, g - cell.probability);
      if (cell.probability >= kLeastBodyCell) {
        log_ratio = std::max(log_ratio, std::abs(std::log(g / cell.probability)));
      }
    }
    for (double t = -20.0; t <= 20.0; t += stated.is_whole() ? 1.0 : 0.01) {
      threshold = std::max(threshold, std::abs(truth.at_most(t) - stated.at_most(t)));
    }
    const int errors = count_runs_in_parallel(kRuns, [&](std::uint64_t run) {
      const auto fit = fitted(stated, events, wider[i].draws(kDraws, run));
      bool errs = distance < fit.distance.lower || distance > fit.distance.upper ||
                  threshold < fit.threshold.lower || threshold > fit.threshold.upper ||
                  log_ratio > fit.log_ratio;
      for (const auto* counted : {&fit.cells, &fit.tails}) {
        for (const auto& one : *counted) {
          const double g = probability_of(one.event, truth);
          errs |= g < one.lower || g > one.upper;
        }
      }
      return errs;
    });
    EXPECT_LE(errors, limit) << wider[i].stated;
  }
}

// What the report calls visible is missed in at most a tenth of the runs: both factors of the scale, and a total
// variation that is spread over all cells, half of which lose what the other half gains.
TEST(SamplerFitPower, VisibleFaultsAreSeen) {
  constexpr int kRuns = 300;
  constexpr std::size_t kDraws = 20'000;
  const std::string text = "gaussian:sigma=1";
  const auto stated = stated_as(text);
  const auto events = fit_events(stated, 0.0);
  const auto strength =
      fit_strength(stated, events, static_cast<std::int64_t>(kDraws), kAuditAlpha);
  const int limit = binomial_limit(kRuns, 1.0 - kFitPower, 3);
  for (const double factor : {*strength.scale_up, *strength.scale_down}) {
    ASSERT_NEAR(factor, 1.0, 0.1);
    const SamplerCase other{text, draws_of(must(Gaussian::create(0.0, factor)))};
    EXPECT_LE(
        count_runs_in_parallel(kRuns,
                               [&](std::uint64_t run) {
                                 return !fitted(stated, events, other.draws(kDraws, run)).differs();
                               }),
        limit)
        << factor;
  }
  // P(X in cell 2 j) (1 + 2 t), P(X in cell 2 j + 1) (1 - 2 t), about: total variation t.
  const double t = strength.distance;
  ASSERT_LT(t, 0.2);
  double even = 0.0;
  for (std::size_t i = 0; i < events.cells.size(); i += 2) even += events.cells[i].probability;
  const double taken = t / (1.0 - even);  // of an odd cell's samples, moved to the cell below it
  double moved = 0.0;
  for (std::size_t i = 1; i < events.cells.size(); i += 2) {
    moved += taken * events.cells[i].probability;
  }
  ASSERT_NEAR(moved, t, 1e-12);
  const SamplerCase spread{text, [&](ReplayStream& random) {
                             const double x = must(Gaussian::create(0.0, 1.0)).sample(random);
                             std::size_t cell = 0;
                             while (x > events.cells[cell].high) ++cell;
                             if (cell % 2 == 0 || random.uniform() >= taken) return x;
                             return events.cells[cell].low - 1e-7 * random.uniform();
                           }};
  EXPECT_LE(
      count_runs_in_parallel(kRuns,
                             [&](std::uint64_t run) {
                               return !fitted(stated, events, spread.draws(kDraws, run)).differs();
                             }),
      limit);
}

}  // namespace
}  // namespace assay
