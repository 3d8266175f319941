// No two neighbouring inputs move the rounded answers further than the stated sensitivities.
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/fixed_point.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

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
