#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

struct State {
  std::vector<double> means;
  std::vector<double> scales;
};

// A state of Thompson sampling: means of rewards in
// [0, 1], s = sqrt(c/(n + 1)), pulls from 0 to 1000.
State thompson_state(ReplayStream& rng, std::size_t arms) {
  State state;
  const double c = rng.uniform() < 0.7 ? 1.0 : 1.0 + 9.0 * rng.uniform();
  for (std::size_t j = 0; j < arms; ++j) {
    const double pulls = std::floor(std::pow(10.0, 3.0 * rng.uniform())) - 1.0;
    state.means.push_back(std::floor(rng.uniform() * (pulls + 1.0)) / (pulls + 1.0));
    state.scales.push_back(std::sqrt(c / (pulls + 1.0)));
  }
  return state;
}

State any_state() {
  ReplayStream rng(StreamId{.seed = *rc::gen::arbitrary<std::uint64_t>()});
  return thompson_state(rng, *rc::gen::inRange<std::size_t>(2, 12));
}

double deviation_from_one(const State& state, ArgmaxPrecision precision) {
  std::vector<double> log_p(state.means.size());
  log_argmax_probabilities(state.means, state.scales, precision, log_p);
  double sum = -1.0;
  for (const double lp : log_p) sum += std::exp(lp);
  return std::fabs(sum);
}

TEST(GaussianArgmaxProperty, ProbabilitiesOfThousandsOfStatesSumToOne) {
  ReplayStream rng(StreamId{.seed = 5});
  for (int trial = 0; trial < 10000; ++trial) {
    const State state = thompson_state(rng, 2 + static_cast<std::size_t>(trial) % 11);
    ASSERT_LE(deviation_from_one(state, ArgmaxPrecision::kExact), 1e-13) << trial;
    ASSERT_LE(deviation_from_one(state, ArgmaxPrecision::kSampling), 1e-10) << trial;
  }
}

TEST(GaussianArgmaxProperty, ProbabilitiesTakenOneByOneSumToOne) {
  ReplayStream rng(StreamId{.seed = 6});
  for (int trial = 0; trial < 4000; ++trial) {
    const State state = thompson_state(rng, 3 + static_cast<std::size_t>(trial) % 8);
    double sum = -1.0;
    for (std::size_t k = 0; k < state.means.size(); ++k) {
      sum += std::exp(log_argmax_probability(state.means, state.scales, static_cast<int>(k),
                                             ArgmaxPrecision::kExact));
    }
    ASSERT_LE(std::fabs(sum), 1e-13) << trial;
  }
}

TEST(GaussianArgmaxProperty, AllArmsAtOnceAreTheArmsOneByOneForScalesOfAnyRatio) {
  ReplayStream rng(StreamId{.seed = 7});
  for (int trial = 0; trial < 4000; ++trial) {
    State state;
    const double ratio = std::pow(10.0, 3.5 * rng.uniform());
    const double spread = std::pow(10.0, 3.0 * rng.uniform() - 2.0);
    for (int j = 0; j < 3 + trial % 10; ++j) {
      state.scales.push_back(std::pow(ratio, -rng.uniform()));
      state.means.push_back(spread * (2.0 * rng.uniform() - 1.0));
    }
    std::vector<double> rough(state.means.size());
    std::vector<double> fine(state.means.size());
    log_argmax_probabilities(state.means, state.scales, ArgmaxPrecision::kSampling, rough);
    log_argmax_probabilities(state.means, state.scales, ArgmaxPrecision::kExact, fine);
    for (std::size_t k = 0; k < state.means.size(); ++k) {
      const double one = log_argmax_probability(state.means, state.scales, static_cast<int>(k),
                                                ArgmaxPrecision::kExact);
      const double spacing = 0x1p-52 * std::fabs(one);
      ASSERT_NEAR(fine[k], one, 2e-14 + 2.0 * spacing) << trial;
      ASSERT_NEAR(rough[k], one, 1e-10 + 1e-14 + 5.0 * spacing) << trial;
    }
  }
}

RC_GTEST_PROP(GaussianArgmaxProperty, BothPrecisionsAgree, ()) {
  const State state = any_state();
  const int k = *rc::gen::inRange<int>(0, static_cast<int>(state.means.size()));
  const double rough =
      log_argmax_probability(state.means, state.scales, k, ArgmaxPrecision::kSampling);
  const double fine = log_argmax_probability(state.means, state.scales, k, ArgmaxPrecision::kExact);
  RC_ASSERT(std::fabs(rough - fine) <= 1e-10 + 1e-14 + 0x1p-49 * std::fabs(fine));
}

RC_GTEST_PROP(GaussianArgmaxProperty, SidesOfAPairAreTheSingleStates, ()) {
  const State state = any_state();
  const int arms = static_cast<int>(state.means.size());
  const int k = *rc::gen::inRange<int>(0, arms);
  const int changed = *rc::gen::inRange<int>(0, arms);
  const auto c = static_cast<std::size_t>(changed);
  State other = state;
  other.means[c] += state.scales[c] * state.scales[c];
  const auto pair = log_argmax_probability_pair(state.means, state.scales, changed, other.means[c],
                                                k, ArgmaxPrecision::kExact);
  const double p = log_argmax_probability(state.means, state.scales, k, ArgmaxPrecision::kExact);
  const double q = log_argmax_probability(other.means, other.scales, k, ArgmaxPrecision::kExact);
  RC_ASSERT(std::fabs(pair.p - p) <= 2e-14 + 0x1p-51 * std::fabs(p));
  RC_ASSERT(std::fabs(pair.q - q) <= 2e-14 + 0x1p-51 * std::fabs(q));
  // A larger mean helps its own arm and hurts every other one.
  const double gain = k == changed ? pair.q - pair.p : pair.p - pair.q;
  RC_ASSERT(gain >= -2e-14 - 0x1p-51 * std::fabs(p));
}

RC_GTEST_PROP(GaussianArgmaxProperty, ShiftAndUnitOfTheMeansDoNotMatter, ()) {
  const State state = any_state();
  const int k = *rc::gen::inRange<int>(0, static_cast<int>(state.means.size()));
  State moved = state;
  const double unit = std::ldexp(1.0, *rc::gen::inRange(-30, 30));
  for (double& m : moved.means) m = unit * (m + 1.0);  // the sum rounds by 1e-16
  for (double& s : moved.scales) s *= unit;
  const double a = log_argmax_probability(state.means, state.scales, k, ArgmaxPrecision::kExact);
  const double b = log_argmax_probability(moved.means, moved.scales, k, ArgmaxPrecision::kExact);
  // A mean that moves by 2^-53 moves log P by less
  // than that times its slope, (6 + sqrt(-2 log P))/s.
  const double slope = 40.0 * (6.0 + std::sqrt(-2.0 * a)) * static_cast<double>(state.means.size());
  RC_ASSERT(std::fabs(a - b) <= 2e-14 + 0x1p-51 * std::fabs(a) + 0x1p-52 * slope);
}

}  // namespace
}  // namespace assay
