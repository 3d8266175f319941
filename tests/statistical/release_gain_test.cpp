// What the losses of a release are worth beside counts: the policy that leaks through a count, of which
// `detect --sequences` sees the actions alone.
#include <cstdlib>

#include "assay/auditors/detect/sequences.hpp"
#include "assay/auditors/methods/release.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Both noisy counts of policies/faulty/exploration_count.hpp; S is 2 on the old side, 3 on the new one.
class TwoCounts final : public PairRelease {
 public:
  explicit TwoCounts(double scale)
      : scale_(scale), noise_(DiscreteLaplace::create(scale).value()) {}

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    const std::int64_t sum = side == Side::kBase ? 2 : 3;
    const std::int64_t explore = sum + noise_.sample(random);
    const std::int64_t last = sum + noise_.sample(random);
    // The rounds of arm 2 are a uniform subset: their number says all that they tell.
    return {{last >= 3 ? 1 : 0, static_cast<int>(std::clamp<std::int64_t>(explore, 0, 15))},
            loss_of(explore) + loss_of(last)};
  }
  double largest_loss() const override { return 2.0 / scale_; }

 private:
  double loss_of(std::int64_t y) const {
    return static_cast<double>(std::abs(y - 3) - std::abs(y - 2)) / scale_;
  }

  double scale_;
  DiscreteLaplace noise_;
};

// The lower bound on the largest loss, of which the release method shows that at delta = 1e-6.
double by_release(double scale, std::int64_t runs) {
  const ReleasePlan plan{{.claim = PureDp{Epsilon{1.0}}}, runs / 10, runs / 2 - runs / 10};
  return audit_by_release(TwoCounts(scale), plan, {}).value().quantities[1].lower.value;
}

TEST(ReleaseGain, ProvesMoreOfALeakThroughACountThanEventsDoFromAsManyRuns) {
  const auto table = faulty::sequence_table();
  auto row = *select_rows(table, {"budget-split"}).value().front();
  for (const std::int64_t runs : {2'000, 8'000}) {
    row.runs = runs;
    const auto events = audit_sequence(row, false, {}, {}).value();
    const double release = by_release(1.0, events.runs);
    EXPECT_GT(release, events.lower) << events.runs;
    EXPECT_LE(release, events.exact);
  }
}

}  // namespace
}  // namespace assay
