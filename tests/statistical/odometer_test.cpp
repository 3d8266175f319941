// The odometer holds at all times at once, for an adversary who picks levels by what
// it has seen and looks after every release; a bound for one time fixed in advance,
// read at every time, does not.
#include "../support/binomial_limit.hpp"
#include "../support/repetitions.hpp"
#include "assay/mechanisms/accounting/filters.hpp"
#include "assay/mechanisms/noise/gaussian_word.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

const int kOdometerRuns = 10'000;
constexpr double kOdometerDelta = 0.05;
constexpr int kOdometerReleases = 80;

struct Alarms {
  bool odometer = false;    // the loss passed it at some time
  bool fixed_time = false;  // it passed the bound for one time
};

// Gaussian releases: the loss of one of level mu is mu z + mu^2/2 on the first input. The adversary
// starts small and goes on faster where the loss is already high.
Alarms play(std::uint64_t run) {
  ReplayStream random({.seed = 41, .purpose = hash_purpose("odometer"), .replicate = run});
  auto odometer = ConcentratedOdometer::create(Delta{kOdometerDelta}, Rho{0.05}).value();
  const double quantile = normal_ccdf_quantile(kOdometerDelta);
  Alarms alarms;
  double loss = 0.0;
  double mu = 0.01;
  for (int t = 0; t < kOdometerReleases; ++t) {
    if (!odometer.record(GaussianDp{Mu{mu}})) ADD_FAILURE() << "refused at " << t;
    loss += mu * gaussian_from_word(random.next()) + 0.5 * mu * mu;
    const double sum = odometer.sum().value;
    alarms.odometer = alarms.odometer || loss > odometer.loss().value.value;
    // The loss after t releases fixed in advance is N(sum, 2 sum): its exact quantile.
    alarms.fixed_time = alarms.fixed_time || loss > sum + quantile * std::sqrt(2.0 * sum);
    mu *= loss > sum ? 1.15 : 1.05;
  }
  return alarms;
}

TEST(OdometerLaw, HoldsAtAllTimesAtOnceWhereABoundForOneTimeDoesNot) {
  int odometer = 0;
  int fixed_time = 0;
  for (int run = 0; run < kOdometerRuns; ++run) {
    const Alarms alarms = play(static_cast<std::uint64_t>(run));
    odometer += alarms.odometer ? 1 : 0;
    fixed_time += alarms.fixed_time ? 1 : 0;
  }
  EXPECT_LE(odometer, binomial_limit(kOdometerRuns, kOdometerDelta, 1));
  EXPECT_GT(odometer, 0) << "the bound is of the right size, not merely large";
  EXPECT_GT(fixed_time, binomial_limit(kOdometerRuns, 2.0 * kOdometerDelta, 1))
      << "why an odometer is needed";
}

}  // namespace
}  // namespace assay
