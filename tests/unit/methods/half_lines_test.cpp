// The choice of an event of a score: orientation, side, intervals, and values that only one side has.
#include "assay/auditors/methods/black_box/half_lines.hpp"

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

class Value final : public OutputScore {
 public:
  explicit Value(EventClass events) : events_(events) {}
  std::string name() const override { return "value"; }
  EventClass events() const override { return events_; }
  double of_output(std::span<const double> output) const override { return output[0]; }

 private:
  EventClass events_;
};

using ScoreValues = std::vector<double>;

ScoreValues gaussian_scores(double location, std::size_t n, std::uint64_t lane) {
  ScoreValues scores(n);
  ReplayStream random({9, hash_purpose("events"), 0, lane});
  Gaussian::create(location, 1.0)->fill(random, std::span<double>(scores));
  return scores;
}

// Cut as the search cuts (event_search.cpp), for a certification of as many plays that are independent.
SelectedEvent best_event(const ScoreValues& base_scores, const ScoreValues& neighbour_scores,
                         EventClass events) {
  CountedScore counted(std::make_shared<Value>(events),
                       quantile_cuts(base_scores, neighbour_scores, 8, std::sqrt(2.0)));
  counted.add(base_scores, neighbour_scores);
  const auto runs = static_cast<double>(base_scores.size());
  Outlook outlook{.doubt = 1.0};
  outlook.width = [runs](double p, double q, double) {
    return 1.7 * std::sqrt(((1.0 - p) / p + (1.0 - q) / q) / runs);
  };
  return counted.best(outlook).selected;
}

TEST(HalfLines, OrientationAndSideAreFound) {
  const auto low = gaussian_scores(0.0, 4000, 0), high = gaussian_scores(1.0, 4000, 1);
  for (const bool exchanged : {false, true}) {
    const auto& base_scores = exchanged ? high : low;
    const auto& neighbour_scores = exchanged ? low : high;
    const auto selected = best_event(base_scores, neighbour_scores, EventClass::kHalfLines);
    const bool low_is_p =
        (selected.orientation == EventOrientation::kBaseAboveNeighbour) == !exchanged;
    EXPECT_EQ(selected.event.contains(-9.0), low_is_p);
    EXPECT_EQ(selected.event.contains(9.0), !low_is_p);
    EXPECT_GT(selected.predicted, 0.3);
    const auto counts = count_event(selected, base_scores, neighbour_scores);
    EXPECT_GT(static_cast<double>(counts.x), 1.5 * static_cast<double>(counts.y));
  }
}

TEST(HalfLines, IntervalsSeeABumpThatHalfLinesHardlySee) {
  ScoreValues flat(4000), bump(4000);
  ReplayStream random({10, hash_purpose("events"), 0, 0});
  for (double& score : flat) score = random.uniform();
  for (std::size_t i = 0; i < bump.size(); ++i) {
    bump[i] = i % 2 == 0 ? random.uniform() : 0.49 + 0.02 * random.uniform();
  }
  const auto half_line = best_event(flat, bump, EventClass::kHalfLines);
  const auto interval = best_event(flat, bump, EventClass::kIntervals);
  EXPECT_LT(half_line.predicted, 1.0);
  EXPECT_GT(interval.predicted, 1.5);
  EXPECT_EQ(interval.orientation, EventOrientation::kNeighbourAboveBase);
  EXPECT_TRUE(interval.event.contains(0.5));
  EXPECT_FALSE(interval.event.contains(0.1));
  EXPECT_FALSE(interval.event.contains(0.9));
}

// NaN, an infinity or an atom that only one side has.
TEST(HalfLines, ASpecialValueOfOneSideIsAnEvent) {
  for (const double special :
       {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 0.25}) {
    const auto plain = gaussian_scores(0.0, 2000, 6);
    auto odd = gaussian_scores(0.0, 2000, 7);
    for (std::size_t i = 0; i < odd.size(); i += 10) odd[i] = special;
    const auto selected = best_event(plain, odd, EventClass::kIntervals);
    EXPECT_EQ(selected.orientation, EventOrientation::kNeighbourAboveBase) << special;
    EXPECT_TRUE(selected.event.contains(special)) << special;
    EXPECT_GT(selected.predicted, 1.0) << special;
  }
}

TEST(HalfLines, IdenticalConstantScoresOfferNoEvent) {
  const ScoreValues same(500, 3.0);
  for (const auto events : {EventClass::kHalfLines, EventClass::kIntervals}) {
    EXPECT_EQ(best_event(same, same, events).predicted, -kInfinity);
  }
}

}  // namespace
}  // namespace assay
