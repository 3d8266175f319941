// Finite mechanisms on arbitrary configurations and neighbouring inputs: laws sum to one, and no
// output's loss exceeds the guarantee.
#include "assay/mechanisms/faulty/sparse_vectors.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/above_threshold.hpp"
#include "assay/mechanisms/release/exponential_mechanism.hpp"
#include "assay/mechanisms/release/fixed_point.hpp"
#include "assay/mechanisms/release/randomized_response.hpp"
#include "assay/mechanisms/release/rappor.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/mechanisms/release/truncated_geometric.hpp"
#include "assay/mechanisms/release/unary_encoding.hpp"
#include "assay/tests/support/mechanism_distributions.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

double arbitrary_epsilon() { return std::exp2(arbitrary_between(-4.0, 2.0)); }

struct NeighbourAnswers {
  std::vector<double> first;
  std::vector<double> second;
};

// n answers in [-10, 10], integers half of the time; each moves by -1, 0, 1 or anything between.
NeighbourAnswers neighbouring_answers(std::int64_t n) {
  NeighbourAnswers out;
  const bool whole = *rc::gen::arbitrary<bool>();
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = arbitrary_between(-10.0, 10.0);
    out.first.push_back(whole ? std::round(x) : x);
    const int kind = *rc::gen::inRange(0, 4);
    const double move = kind == 3 ? arbitrary_between(-1.0, 1.0) : kind - 1.0;
    out.second.push_back(out.first.back() + move);
  }
  return out;
}

template <class M>
void check_guarantee(const M& mechanism, const typename M::Input& a, const typename M::Input& b) {
  const auto p = mechanism.log_pmf(a);
  const auto q = mechanism.log_pmf(b);
  RC_ASSERT(std::abs(testing::total_probability(p) - 1.0) <= 1e-11);
  RC_ASSERT(testing::worst_loss(p, q) <= testing::pure_level(mechanism.guarantee()) + 1e-9);
}

template <class M>
void check_neighbours(const M& mechanism, std::int64_t n) {
  const auto pair = neighbouring_answers(n);
  check_guarantee(mechanism, pair.first, pair.second);
}

RC_GTEST_PROP(Mechanisms, NoisyMaxKeepsItsGuarantee, ()) {
  const std::int64_t n = *rc::gen::inRange(1, 6);
  const auto noise = *rc::gen::element(MaxNoise::kLaplace, MaxNoise::kExponential,
                                       MaxNoise::kGumbel, MaxNoise::kDiscreteLaplace);
  check_neighbours(ReportNoisyMax::create({arbitrary_epsilon(), n, noise}).value(), n);
}

RC_GTEST_PROP(Mechanisms, SelectionKeepsItsGuarantee, ()) {
  const std::int64_t n = *rc::gen::inRange(1, 8);
  const SelectionConfig config{arbitrary_epsilon(), 1.0, n};
  check_neighbours(ExponentialMechanism::create(config).value(), n);
  check_neighbours(PermuteAndFlip::create(config).value(), n);
}

RC_GTEST_PROP(Mechanisms, SparseVectorsKeepTheLevelsTheirHeadersState, ()) {
  const std::int64_t n = *rc::gen::inRange(1, 6);
  const SparseVectorConfig config{arbitrary_epsilon(), arbitrary_between(-5.0, 5.0),
                                  *rc::gen::inRange(1, 4), n};
  check_neighbours(AboveThreshold::create(config).value(), n);
  check_neighbours(ResettingAboveThreshold::create(config).value(), n);
  check_neighbours(faulty::SparseVector4::create(config).value(), n);
  check_neighbours(faulty::SparseVector6::create(config).value(), n);
}

RC_GTEST_PROP(Mechanisms, TheThirdSparseVectorKeepsTheLevelItsHeaderStates, ()) {
  const std::int64_t n = *rc::gen::inRange(1, 6);
  const SparseVectorConfig config{arbitrary_epsilon(), arbitrary_between(-5.0, 5.0),
                                  *rc::gen::inRange(1, 3), n};
  const auto m = faulty::SparseVector3::create(config).value();
  const auto pair = neighbouring_answers(n);
  ReplayStream random({*rc::gen::arbitrary<std::uint64_t>(), 0, 0, 0, Phase::kSearch});
  for (int i = 0; i < 10; ++i) {
    const auto output = m.release(pair.first, random);
    const double loss = m.log_density(output, pair.first) - m.log_density(output, pair.second);
    RC_ASSERT(loss <= testing::pure_level(m.guarantee()) + 1e-9);
  }
}

RC_GTEST_PROP(Mechanisms, LocalMechanismsKeepTheirGuarantee, ()) {
  const std::int64_t v = *rc::gen::inRange(0, 1000);
  const std::int64_t w = *rc::gen::inRange(0, 1000);
  const double f = arbitrary_between(0.05, 1.0);
  check_guarantee(OneTimeRappor::create({8, 3, f}).value(), v, w);
  check_guarantee(
      Rappor::create({8, 3, f, arbitrary_between(0.1, 0.9), arbitrary_between(0.1, 0.9)}).value(),
      v, w);
  const std::int64_t k = *rc::gen::inRange(2, 50);
  check_guarantee(RandomizedResponse::create({arbitrary_epsilon(), k}).value(), v % k, w % k);
  const std::int64_t bits = *rc::gen::inRange(2, 9);
  for (const auto kind : {UnaryBits::kOptimized, UnaryBits::kSymmetric}) {
    check_guarantee(UnaryEncoding::create({arbitrary_epsilon(), bits, kind}).value(), v % bits,
                    w % bits);
  }
  const std::int64_t n = *rc::gen::inRange(1, 7);
  const std::int64_t c = *rc::gen::inRange<std::int64_t>(1, n + 1);
  const auto geometric = TruncatedGeometric::create({*rc::gen::inRange(1, 7), n}).value();
  check_guarantee(geometric, c, c - 1);
  check_guarantee(geometric, c - 1, c);
}

// No two neighbouring inputs move the rounded answers further than the stated sensitivities.

// Answers near the boundaries of cells, where rounding does most.
double near_boundary(ReplayStream& random, double g) {
  const auto cell = static_cast<double>(static_cast<std::int64_t>(random.next() % 2001) - 1000);
  const double hair = std::ldexp(random.uniform() - 0.5, -static_cast<int>(random.next() % 40));
  return (cell + 0.5 + hair) * g;
}

RC_GTEST_PROP(FixedPoint, NeighboursStayWithinTheSensitivities, (std::uint64_t seed)) {
  ReplayStream random({seed, hash_purpose("fixed point"), 0, 0, Phase::kCertify});
  const double g = std::ldexp(1.0, static_cast<int>(random.next() % 61) - 30);
  const auto grid = FixedPoint::create(g).value();
  const auto n = 1 + random.next() % 8;
  double moved_l1 = 0.0;
  double moved_l2 = 0.0;
  double steps_l1 = 0.0;
  double steps_l2 = 0.0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double q = near_boundary(random, g);
    const double other = random.next() % 2 == 0 ? near_boundary(random, g)
                                                : q + g * std::ldexp(random.uniform() - 0.5, 3);
    // Differences of these are exact or, where not, rounded up below.
    const double d = std::abs(q - other) * (1.0 + 0x1p-50);
    const auto m = static_cast<double>(std::abs(grid.steps(q) - grid.steps(other)));
    moved_l1 += d;
    moved_l2 += d * d;
    steps_l1 += m;
    steps_l2 += m * m;
  }
  RC_PRE(moved_l1 > 0.0);
  const auto count = static_cast<std::int64_t>(n);
  RC_ASSERT(steps_l1 <= grid.l1_sensitivity(moved_l1 * (1.0 + 0x1p-48), count));
  RC_ASSERT(steps_l2 <= grid.squared_l2_sensitivity(std::sqrt(moved_l2) * (1.0 + 0x1p-48), count));
}

}  // namespace
}  // namespace assay
