// Claims about sparse linear bandits: the settings of certificates on the policies
// themselves.
#include "assay/auditors/sparse/claims/checks.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

// ---- the settings of certificates, on N-IHT itself ------------------------------------------------

// n records of which the last is replaced: the vector of the step after theta.
std::vector<double> vector_with(const GradientCounterexample& found, const std::vector<double>& x,
                                double y) {
  RegressionData data(static_cast<std::int64_t>(x.size()), found.records, 2,
                      {found.x_max, found.x_max * found.b_max});
  for (std::int64_t i = 1; i < found.records; ++i)
    data.add(std::vector<double>(x.size(), 0.5), 0.25);
  data.add(x, y);
  NihtPlan plan{.iterations = 2, .step = found.step, .projection = found.b_max, .loss = found.loss};
  SparseVector theta;
  for (std::size_t j = 0; j < found.estimate.size(); ++j) {
    if (found.estimate[j] == 0.0) continue;
    theta.indices.push_back(static_cast<std::int64_t>(j));
    theta.values.push_back(found.estimate[j]);
  }
  return niht_vector(plan, data, theta);
}

TEST(SparseCounterexamples, TheRecordMovesTheVectorOfNihtByTheDistanceStated) {
  auto found = testing::gradient_certificate().counterexample.as<GradientCounterexample>();
  for (const std::int64_t records : {1, 4}) {
    found.records = records;
    const auto one = vector_with(found, found.context, found.reward);
    const auto other = vector_with(found, found.other_context, found.other_reward);
    double widest = 0.0;
    for (std::size_t j = 0; j < one.size(); ++j) {
      widest = std::max(widest, std::fabs(one[j] - other[j]));
    }
    EXPECT_DOUBLE_EQ(widest, 8.0 / static_cast<double>(records));
  }
}

// Two records that a pocket calculator checks: one or two entries of -1, 0 or 1.
TEST(SparseClaims, TheSensitivityIsRefutedByTwoRecordsOfWholeNumbers) {
  for (const auto& claim : sparse_claims()) {
    if (claim.id != "niht-sensitivity") continue;
    for (const std::uint64_t seed : {1, 2, 3}) {
      ClaimRequest request{.seed = seed};
      const auto finding = claim.check(request, {}).value();
      const auto& found = finding.certificate->counterexample.as<GradientCounterexample>();
      EXPECT_LE(found.context.size(), 2u);
      for (const auto& entries : {found.context, found.other_context, found.estimate}) {
        for (const double entry : entries) EXPECT_EQ(entry, std::round(entry));
      }
      EXPECT_EQ(found.records, 1);
      EXPECT_GT(found.distance, 1.9 * found.allowed);
    }
  }
}

}  // namespace
}  // namespace assay
