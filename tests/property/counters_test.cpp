// Counters on arbitrary streams and neighbours: the sums that are released never move further than
// the calibration assumes, and no release's loss exceeds its guarantee.
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/square_root_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

using Vector = std::vector<double>;

struct NeighbourStreams {
  Vector first;
  Vector second;
};

// Entries in [lowest, lowest + sensitivity], at its ends half of the time; one of them replaced.
NeighbourStreams neighbouring_streams(double lowest, double sensitivity, bool integers) {
  const auto entry = [&] {
    const int kind = *rc::gen::inRange(0, 4);
    const double inside = arbitrary_between(lowest, lowest + sensitivity);
    return kind == 0   ? lowest
           : kind == 1 ? detail::highest_entry(lowest, sensitivity)
           : integers  ? std::floor(inside)
                       : inside;
  };
  NeighbourStreams out;
  const auto n = *rc::gen::inRange<std::size_t>(1, 70);
  for (std::size_t i = 0; i < n; ++i) out.first.push_back(entry());
  out.second = out.first;
  out.second[*rc::gen::inRange<std::size_t>(0, n)] = entry();
  return out;
}

struct Setting {
  TreeCounterConfig tree;
  double share = 0.5;
  NeighbourStreams pair;
};

Setting arbitrary_setting(CounterNoise kind) {
  Setting out;
  const bool integers = is_discrete(kind);
  const double sensitivity = integers ? *rc::gen::inRange(1, 6) : arbitrary_between(0.1, 5.0);
  const double lowest = integers ? *rc::gen::inRange(-5, 6) : arbitrary_between(-5.0, 5.0);
  out.tree = {*rc::gen::inRange<std::int64_t>(70, 300),
              std::exp2(arbitrary_between(-4.0, 2.0)),
              is_laplace(kind) ? 0.0 : 1e-5,
              sensitivity,
              lowest,
              kind};
  out.share = arbitrary_between(0.05, 0.95);
  out.pair = neighbouring_streams(lowest, sensitivity, integers);
  return out;
}

HybridCounterMechanism hybrid_of(const Setting& s) {
  return HybridCounterMechanism::create({s.tree.epsilon, s.tree.delta, s.tree.sensitivity,
                                         s.tree.lowest, s.share, s.tree.noise})
      .value();
}

RC_GTEST_PROP(Counters, NodesMoveNoFurtherThanTheCalibrationAssumes, ()) {
  const auto s = arbitrary_setting(CounterNoise::kIdealizedLaplace);
  const auto a = tree_node_sums(s.pair.first);
  const auto b = tree_node_sums(s.pair.second);
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    moved += a[i] != b[i] ? 1 : 0;
    RC_ASSERT(std::abs(a[i] - b[i]) <= s.tree.sensitivity * (1.0 + 1e-12));
  }
  RC_ASSERT(moved <= tree_levels(static_cast<std::int64_t>(s.pair.first.size())));
}

template <class Mechanism>
void check_pure(const Mechanism& m, const NeighbourStreams& pair) {
  RC_ASSERT(m.check_input(pair.first).has_value() && m.check_input(pair.second).has_value());
  ReplayStream random({*rc::gen::arbitrary<std::uint64_t>(), hash_purpose("property")});
  const auto out = m.release(pair.first, random);
  const double loss = m.log_density(out, pair.first) - m.log_density(out, pair.second);
  const double level = std::get<PureDp>(m.guarantee().level).epsilon.value;
  RC_ASSERT(std::isfinite(loss));
  RC_ASSERT(std::abs(loss) <= level * (1.0 + 1e-9));
}

RC_GTEST_PROP(Counters, LaplaceLossesNeverExceedTheLevel, ()) {
  const auto s = arbitrary_setting(
      *rc::gen::element(CounterNoise::kDiscreteLaplace, CounterNoise::kIdealizedLaplace));
  check_pure(TreeCounterMechanism::create(s.tree).value(), s.pair);
  check_pure(HonakerCounterMechanism::create(s.tree).value(), s.pair);
  check_pure(hybrid_of(s), s.pair);
}

// With noise-free output, the loss of a Gaussian release is mu^2/2.
template <class Mechanism, class Output>
void check_gaussian(const Mechanism& m, const NeighbourStreams& pair, const Output& mean) {
  const double loss = m.log_density(mean, pair.first) - m.log_density(mean, pair.second);
  const double mu = std::get<GaussianDp>(m.guarantee().level).mu.value;
  RC_ASSERT(loss >= -1e-9);
  RC_ASSERT(2.0 * loss <= mu * mu * (1.0 + 1e-9) + 1e-9);
}

RC_GTEST_PROP(Counters, GaussianReleasesMoveByAtMostMu, ()) {
  const auto s = arbitrary_setting(CounterNoise::kIdealizedGaussian);
  Vector sums;
  double sum = 0.0;
  for (const double x : s.pair.first) sums.push_back(sum += x);
  check_gaussian(TreeCounterMechanism::create(s.tree).value(), s.pair, sums);
  check_gaussian(HonakerCounterMechanism::create(s.tree).value(), s.pair,
                 tree_node_sums(s.pair.first));
  check_gaussian(hybrid_of(s), s.pair, sums);
  check_gaussian(idealized::SquareRootCounterMechanism::create(
                     {s.tree.horizon, s.tree.epsilon, s.tree.sensitivity, s.tree.lowest})
                     .value(),
                 s.pair, sums);
}

}  // namespace
}  // namespace assay
