// What the exact test of an event's counts reaches, at alpha = 0.05 with fixed seeds: lower bounds and
// power on known probabilities.
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// A binomial count by inversion of one uniform.
std::int64_t inverted_binomial(ReplayStream& random, std::int64_t n, double p) {
  const double target = std::log(random.uniform());
  std::int64_t low = 0, high = n;
  while (low < high) {
    const std::int64_t k = low + (high - low) / 2;
    if (binomial_log_cdf(k, n, p) >= target) {
      high = k;
    } else {
      low = k + 1;
    }
  }
  return low;
}

struct BoundRow {
  double p, q;
  std::int64_t n;
  double delta;
  double gain;  // of the mean bound over two Clopper-Pearson limits at alpha/2, on the same counts
};

// The gains of a first, independent implementation of this test in another language.
TEST(EventBounds, GainOverClopperPearsonIsThatOfAnIndependentImplementation) {
  const BoundRow rows[] = {{0.3, 0.1, 10000, 0.0, 0.0328},
                           {1e-3, 1e-5, 10000, 0.0, 1.062},
                           {1e-3, 1e-5, 1000000, 0.0, 0.168},
                           {1e-3, 1e-5, 1000000, 1e-5, 0.174},
                           {0.5, 0.02, 500, 0.0, 0.194}};
  constexpr int kRuns = 400;
  for (const auto& row : rows) {
    std::vector<double> gains(kRuns), bounds(kRuns);
    parallel_for(2, kRuns, [&](std::size_t i) {
      ReplayStream random({1, hash_purpose("event bounds"), i, 0});
      const std::int64_t x = inverted_binomial(random, row.n, row.p);
      const std::int64_t y = inverted_binomial(random, row.n, row.q);
      const auto test = ExactTest::create({x, row.n, y, row.n}, kAuditAlpha).value();
      bounds[i] = test.epsilon_lower_bound(Delta{row.delta}).value.value;
      const double low = clopper_pearson_lower(x, row.n, kAuditAlpha / 2.0).value.value - row.delta;
      const double high = clopper_pearson_upper(y, row.n, kAuditAlpha / 2.0).value.value;
      gains[i] = bounds[i] - std::log(std::max(1e-9, low) / high);
    });
    EXPECT_NEAR(mean_of(gains), row.gain, 0.1 * row.gain) << row.p << " " << row.n;
    const double truth = std::log((row.p - row.delta) / row.q);
    int errors = 0;
    for (const double b : bounds) errors += b > truth;
    EXPECT_LE(errors, binomial_limit(kRuns, kAuditAlpha, 5));
  }
}

struct PowerRow {
  double p, q, epsilon, delta;
  std::int64_t n;
  double exact;  // frequency in 400 simulations of the independent implementation
};

const PowerRow kPowers[] = {{0.3, 0.1, 0.9, 0.0, 1600, 0.777},
                            {0.3, 0.1, 0.9, 0.0, 3200, 0.973},
                            {0.5, 0.02, 2.5, 1e-3, 400, 0.715},
                            {1e-3, 1e-5, 3.0, 1e-5, 100000, 0.718},
                            {1e-3, 1e-5, 3.0, 1e-5, 200000, 0.968}};

TEST(EventPower, ExactTestHasThePowerThatAnIndependentImplementationMeasured) {
  for (const auto& row : kPowers) {
    const double power = exact_test_power(row.n, row.n, kAuditAlpha, Epsilon{row.epsilon},
                                          Delta{row.delta}, row.p, row.q);
    const double error = std::sqrt(row.exact * (1.0 - row.exact) / 400.0);
    EXPECT_NEAR(power, row.exact, 3.3 * error) << row.p << " " << row.n;
  }
}

// The power function against the decisions on sampled counts.
TEST(EventPower, PowerFunctionIsTheFrequencyOfRefutations) {
  constexpr int kRuns = 4000;
  const auto& row = kPowers[2];
  const int refuted = count_runs(kRuns, [&](std::uint64_t run) {
    ReplayStream random({2, hash_purpose("event power"), run, 0});
    const std::int64_t x = inverted_binomial(random, row.n, row.p);
    const std::int64_t y = inverted_binomial(random, row.n, row.q);
    return ExactTest::create({x, row.n, y, row.n}, kAuditAlpha)
        ->refutes(Epsilon{row.epsilon}, Delta{row.delta});
  });
  const double power = exact_test_power(row.n, row.n, kAuditAlpha, Epsilon{row.epsilon},
                                        Delta{row.delta}, row.p, row.q);
  EXPECT_NEAR(refuted / static_cast<double>(kRuns), power,
              3.3 * std::sqrt(power * (1.0 - power) / kRuns));
}

}  // namespace
}  // namespace assay
