// Different outputs and their numbers.
#include "assay/auditors/methods/black_box/output_index.hpp"

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using OutputRow = std::vector<double>;

TEST(OutputIndex, NumbersOutputsAsTheyAppear) {
  OutputIndex index(2);
  EXPECT_EQ(index.find(OutputRow{0, 1}), std::nullopt);
  EXPECT_EQ(index.find_or_add(OutputRow{0, 1}), 0u);
  EXPECT_EQ(index.find_or_add(OutputRow{1, 0}), 1u);
  EXPECT_EQ(index.find_or_add(OutputRow{0, 1}), 0u);
  EXPECT_EQ(index.find(OutputRow{1, 0}), 1u);
  EXPECT_EQ(index.size(), 2u);
}

TEST(OutputIndex, NanIsOneValueAndZeroHasNoSign) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  OutputIndex index(1);
  EXPECT_EQ(index.find_or_add(OutputRow{nan}), 0u);
  EXPECT_EQ(index.find_or_add(OutputRow{infinity}), 1u) << "not NaN";
  EXPECT_EQ(index.find_or_add(OutputRow{-infinity}), 2u);
  EXPECT_EQ(index.find_or_add(OutputRow{0.0}), 3u);
  EXPECT_EQ(index.find_or_add(OutputRow{-0.0}), 3u);
  EXPECT_EQ(index.find_or_add(OutputRow{std::copysign(nan, -1.0)}), 0u);
}

TEST(OutputIndex, AgreesWithAMapOfManyOutputs) {
  OutputIndex index(5);
  std::map<OutputRow, std::size_t> numbers;
  ReplayStream random({3, hash_purpose("output index")});
  for (int i = 0; i < 20'000; ++i) {
    OutputRow output;
    for (int k = 0; k < 5; ++k) output.push_back(static_cast<double>(uniform_below(random, 7)));
    const auto known = numbers.find(output);
    EXPECT_EQ(index.find(output).has_value(), known != numbers.end());
    EXPECT_EQ(index.find_or_add(output), numbers.emplace(output, numbers.size()).first->second);
  }
  EXPECT_EQ(index.size(), numbers.size());
  EXPECT_GT(index.size(), 10'000u);
}

}  // namespace
}  // namespace assay
