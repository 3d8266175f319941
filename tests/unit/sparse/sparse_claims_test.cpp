// Claims about sparse linear bandits: certificates and every way in which they can be wrong, and their
// settings on the policies themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/sparse/claims/checks.hpp"
#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

// ---- certificates -------------------------------------------------------------------------------

TEST(CheckSparseCertificate, SoundOnesRefute) {
  for (const auto& certificate : {testing::gradient_certificate(), testing::clipping_certificate(),
                                  testing::peeling_certificate(), testing::lower_certificate()}) {
    const auto check = check_certificate(certificate);
    ASSERT_TRUE(check) << certificate.claim << check.error().to_string();
    EXPECT_TRUE(check->refutes) << check->conclusion;
    EXPECT_THAT(check->conclusion, HasSubstr("Refuted: "));
    EXPECT_GE(check->steps.size(), 3u);
  }
}

// A point at which the claim is true: its numbers are right, and it refutes nothing.
TEST(CheckSparseCertificate, WhatDoesNotExceedTheClaimRefutesNothing) {
  const auto harmless = [](std::string claim, auto found) {
    const auto check = check_certificate({std::move(claim), found});
    ASSERT_TRUE(check) << check.error().to_string();
    EXPECT_FALSE(check->refutes) << check->conclusion;
    EXPECT_THAT(check->conclusion, HasSubstr("Not refuted by this"));
  };
  auto small = testing::gradient_certificate().counterexample.as<GradientCounterexample>();
  small.x_max = 0.25;
  small.context = {0.25, 0.25};
  small.other_context = {0.25, -0.25};
  small.reward = small.other_reward = -0.25;
  small.distance = 0.5;  // 2 0.25 |-0.5 - 0.5|: as much as is allowed
  small.allowed = 0.5;
  harmless("niht-sensitivity", small);
  harmless("clip-inactive", sparse_checks::clipping_at({2.0}));
  harmless("sparse-lower", sparse_checks::lower_at({1000.0, 1000.0, 10.0, 0.1}));
  harmless("peel-dp", sparse_checks::peeling_at({60.0, 1000.0, 0.01}));
}

struct SparseLie {
  std::string name;
  Certificate certificate;
  std::string path;
};

template <class C>
Certificate altered_sparse(Certificate certificate, const std::function<void(C&)>& alter) {
  alter(certificate.counterexample.as<C>());
  return certificate;
}

TEST(CheckSparseCertificate, LiesAreNamedByTheirField) {
  using G = GradientCounterexample;
  using C = ClippingCounterexample;
  using P = PeelingCounterexample;
  using L = LowerCounterexample;
  const auto gradient = testing::gradient_certificate();
  const auto clipping = testing::clipping_certificate();
  const auto peeling = testing::peeling_certificate();
  const auto lower = testing::lower_certificate();
  const std::vector<SparseLie> lies = {
      {"distance", altered_sparse<G>(gradient, [](G& c) { c.distance = 9.0; }),
       "/numbers/distance"},
      {"allowed", altered_sparse<G>(gradient, [](G& c) { c.allowed = 1.9; }), "/numbers/allowed"},
      {"half", altered_sparse<G>(gradient, [](G& c) { c.loss = SquaredLoss::kHalf; }),
       "/numbers/distance"},
      {"records", altered_sparse<G>(gradient, [](G& c) { c.records = 2; }), "/numbers/distance"},
      {"noise",
       altered_sparse<G>(gradient, [](G& c) { c.records = 8, c.sigma = 1, c.distance = 1; }),
       "/numbers/allowed"},
      {"context", altered_sparse<G>(gradient, [](G& c) { c.context[0] = 1.5; }),
       "/counterexample/context"},
      {"other context", altered_sparse<G>(gradient, [](G& c) { c.other_context.pop_back(); }),
       "/counterexample/other_context"},
      {"estimate", altered_sparse<G>(gradient, [](G& c) { c.estimate[1] = 0.5; }),
       "/counterexample/estimate"},
      {"reward", altered_sparse<G>(gradient, [](G& c) { c.reward = -1.01; }),
       "/counterexample/reward"},
      {"other reward", altered_sparse<G>(gradient, [](G& c) { c.other_reward = 2.0; }),
       "/counterexample/other_reward"},
      {"acts", altered_sparse<C>(clipping, [](C& c) { c.acts = 0.2; }), "/numbers/acts"},
      {"rounds", altered_sparse<C>(clipping, [](C& c) { c.records = 128; }), "/numbers/acts"},
      {"no episode", altered_sparse<C>(clipping, [](C& c) { c.records = 65; }),
       "/counterexample/records"},
      {"inverse", altered_sparse<C>(clipping, [](C& c) { c.allowed = 0.01; }), "/numbers/allowed"},
      {"p", altered_sparse<P>(peeling, [](P& c) { c.p *= 1.001; }), "/numbers/p"},
      {"q", altered_sparse<P>(peeling, [](P& c) { c.q *= 0.999; }), "/numbers/q"},
      {"delta needed", altered_sparse<P>(peeling, [](P& c) { c.true_delta *= 1.001; }),
       "/numbers/true_delta"},
      {"level", altered_sparse<P>(peeling, [](P& c) { c.epsilon = 100.0; }), "/numbers/q"},
      {"bound", altered_sparse<L>(lower, [](L& c) { c.bound = 1e6; }), "/numbers/bound"},
      {"cost", altered_sparse<L>(lower, [](L& c) { c.most = 200.0; }), "/numbers/most"},
      {"not sparse", altered_sparse<L>(lower, [](L& c) { c.sparsity = 101; }),
       "/counterexample/sparsity"},
      {"more than all", altered_sparse<P>(peeling, [](P& c) { c.least = 1001; }),
       "/counterexample/least"}};
  for (const auto& lie : lies) {
    const auto check = check_certificate(lie.certificate);
    ASSERT_FALSE(check) << lie.name;
    EXPECT_EQ(check.error().path, lie.path) << lie.name << ": " << check.error().to_string();
  }
}

// ---- the settings of certificates, on N-IHT itself ------------------------------------------------

// n records of which the last is replaced: the vector of the step after theta.
std::vector<double> vector_with(const GradientCounterexample& found, const std::vector<double>& x,
                                double y) {
  RegressionData data(static_cast<std::int64_t>(x.size()), found.records, 2,
                      {found.x_max, found.x_max * found.b_max});
  for (std::int64_t i = 1; i < found.records; ++i)
    data.add(std::vector<double>(x.size(), 0.5), 0.25);
  data.add(x, y);
  NihtPlan plan;
  plan.iterations = 2;
  plan.step = found.step;
  plan.projection = found.b_max;
  plan.loss = found.loss;
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

// ---- the registry -------------------------------------------------------------------------------

TEST(SparseClaims, ComeOutAsTheRegistryExpectsAtLowEffort) {
  for (const auto& claim : sparse_claims()) {
    ClaimRequest request;
    request.effort = kSanitized ? 0.02 : 0.25;
    const auto finding = claim.check(request, {});
    ASSERT_TRUE(finding) << claim.id;
    EXPECT_EQ(finding->verdict, claim.expected) << claim.id << ": " << finding->summary;
    EXPECT_EQ(finding->certificate != nullptr, claim.expected == ClaimVerdict::kRefuted);
    EXPECT_FALSE(finding->domain.empty()) << claim.id;
  }
}

// Two records that a pocket calculator checks: one or two entries of -1, 0 or 1.
TEST(SparseClaims, TheSensitivityIsRefutedByTwoRecordsOfWholeNumbers) {
  for (const auto& claim : sparse_claims()) {
    if (claim.id != "niht-sensitivity") continue;
    for (const std::uint64_t seed : {1, 2, 3}) {
      ClaimRequest request;
      request.seed = seed;
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
