#include "assay/mechanisms/release/exponential_mechanism.hpp"

#include "assay/tests/support/mechanism_laws.hpp"

namespace assay {
namespace {

using testing::expect_counts_follow;
using testing::total_probability;

ReplayStream exponential_stream(std::uint64_t seed) {
  return ReplayStream({seed, hash_purpose("tests/exponential"), 0, 0, Phase::kCertify});
}

// Several blocks, the last one short; some of no weight at all.
std::vector<double> long_scores() {
  std::vector<double> scores(3000);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = i % 3 == 0 ? -1e6 : 0.002 * static_cast<double>(i % 1500);
  }
  scores[2998] = 12.0;
  return scores;
}

TEST(ExponentialMechanism, ManyReleasesAreTheBitsOfRepeatedOnes) {
  const auto scores = long_scores();
  const auto mechanism = ExponentialMechanism::create({1.0, 1.0, 3000}).value();
  auto one = exponential_stream(1);
  auto many = exponential_stream(1);
  std::vector<double> out(500);
  mechanism.release_many(scores, many, out);
  for (const double x : out)
    EXPECT_EQ(static_cast<std::int64_t>(x), mechanism.release(scores, one));
  EXPECT_EQ(one.next(), many.next());
}

TEST(ExponentialMechanism, BothSamplersFollowTheLaw) {
  const auto scores = long_scores();
  const auto mechanism = ExponentialMechanism::create({1.0, 1.0, 3000}).value();
  const auto law = mechanism.log_pmf(scores);
  auto random = exponential_stream(2);
  std::vector<double> blocks(scores.size(), 0.0);
  std::vector<double> out(400000);
  mechanism.release_many(scores, random, out);
  for (const double x : out) ++blocks[static_cast<std::size_t>(x)];
  expect_counts_follow(blocks, law, 400000, "blocks");
  std::vector<double> streaming(scores.size(), 0.0);
  for (int draw = 0; draw < 5000; ++draw) {
    ++streaming[static_cast<std::size_t>(mechanism.release_streaming(scores, random))];
  }
  expect_counts_follow(streaming, law, 5000, "streaming");
}

TEST(ExponentialMechanism, AMillionCandidatesKeepTheirLaw) {
  constexpr std::size_t kCandidates = 1'000'000;
  std::vector<double> scores(kCandidates);
  for (std::size_t i = 0; i < kCandidates; ++i) scores[i] = -0.001 * static_cast<double>(i);
  const auto mechanism = ExponentialMechanism::create({2.0, 1.0, 1'000'000}).value();
  const auto law = mechanism.log_pmf(scores);
  // Geometric: P(0) = 1 - e^-0.001, up to e^-1000.
  const double first = std::log(-std::expm1(-0.001));
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, kCandidates / 2, kCandidates - 1}) {
    EXPECT_NEAR(law[i], first - 0.001 * static_cast<double>(i), 1e-12);
  }
  EXPECT_NEAR(total_probability(law), 1.0, 1e-11);
}

TEST(ExponentialMechanism, TooManyCandidatesAreAnError) {
  const auto error = error_of(ExponentialMechanism::create({1.0, 1.0, 100'000'001}));
  EXPECT_EQ(error.path, "/answers");
}

}  // namespace
}  // namespace assay
