// The cases of best-arm identification: their verdicts, methods and errors.
#include "assay/auditors/best_arm/best_arm_cases.hpp"

#include "assay/tests/support/case_audits.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

TEST(BestArmCases, DpBaiIsVerifiedForAllPairsWithTheSlackThatIsLeft) {
  for (const char* table : {"pull", "time"}) {
    const auto report =
        audit("dp-bai", request_of({{"arms", "8"}, {"epsilon", "1"}, {"table", table}})).value();
    EXPECT_EQ(report.verdict, Verdict::kVerified);
    EXPECT_EQ(report.scope, Scope::kAllPairs);
    EXPECT_EQ(report.evidence.method, "exact");
    const auto& level = quantity(report, QuantityKind::kEpsilonAtDelta, 0.0);
    EXPECT_GT(level.lower.value, 0.999);
    EXPECT_LT(level.lower.value, 1.0);
    EXPECT_EQ(report.relation, std::string_view(table) == "pull" ? Relation::kReplaceOneCell
                                                                 : Relation::kReplaceOneColumn);
  }
}

TEST(BestArmCases, DpOdReadWithTheL2NormIsViolatedByAWitness) {
  const auto report = audit("dp-od", request_of({{"norm", "l2"}}, "eps=1")).value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
  ASSERT_TRUE(report.evidence.witness);
  const auto& witness = *report.evidence.witness;
  EXPECT_EQ(witness.actions.size(), 201U);
  EXPECT_GT(std::fabs(witness.log_probability_base - witness.log_probability_neighbour), 1.14);
  const auto right = audit("dp-od", request_of({}, "eps=1")).value();
  EXPECT_EQ(right.verdict, Verdict::kVerified);
  EXPECT_EQ(right.scope, Scope::kAllPairs);
  const auto loose = audit("dp-od", request_of({{"norm", "l2"}}, "eps=sqrt(d)*epsilon")).value();
  EXPECT_EQ(loose.scope, Scope::kAllPairs);
}

TEST(BestArmCases, TheClassicalConstantOfGaussianNoiseIsViolatedAtLargeEpsilon) {
  const std::vector<KeyValue> paper = {{"epsilon", "40"}, {"calibration", "paper"}};
  EXPECT_EQ(audit("dp-bai-gauss", request_of(paper)).value().verdict, Verdict::kViolated);
  for (const char* epsilon : {"0.5", "1", "40"}) {
    const auto corrected = audit("dp-bai-gauss", request_of({{"epsilon", epsilon}})).value();
    EXPECT_EQ(corrected.verdict, Verdict::kVerified) << epsilon;
    EXPECT_EQ(corrected.scope, Scope::kAllPairs);
  }
  const auto small = audit("dp-bai-gauss", request_of({{"calibration", "paper"}})).value();
  EXPECT_EQ(small.scope, Scope::kAllPairs);
}

TEST(BestArmCases, WithoutNoiseAnyClaimIsViolatedAndOneIsNeeded) {
  const auto large = request_of({{"arms", "500"}, {"budget", "6000"}}, "eps=1");
  EXPECT_EQ(audit("sequential-halving", large).value().verdict, Verdict::kViolated);
  for (const char* id : {"od-linbai", "sequential-halving"}) {
    EXPECT_EQ(audit(id, request_of({}, "eps=20")).value().verdict, Verdict::kViolated) << id;
    EXPECT_THAT(audit(id, request_of({})), IsRefused("promises no privacy"));
  }
}

TEST(BestArmCases, BoundsByTheReleaseHoldThoseOfTheExactDistribution) {
  for (const char* id : {"dp-bai", "bai-baseline", "dp-od"}) {
    auto request =
        request_of({{"arms", "4"}, {"budget", "60"}}, "eps=0.4,delta=0.01", Method::kRelease);
    request.samples = 8000;
    const auto played = audit(id, request).value();
    EXPECT_EQ(played.evidence.method, "release");
    request.method = Method::kExact;
    request.samples.reset();
    request.input = AuditInput::of("pair", "", played.pair.inputs);
    const auto exact = audit(id, request).value();
    const auto& inner = quantity(exact, QuantityKind::kDeltaAtEpsilon, 0.4);
    const auto& outer = quantity(played, QuantityKind::kDeltaAtEpsilon, 0.4);
    EXPECT_LE(outer.lower.value, inner.upper.value) << id;
    EXPECT_GE(outer.upper.value, inner.lower.value) << id;
    EXPECT_GT(outer.lower.value, 0.5 * inner.lower.value - 0.005) << id;
  }
}

TEST(BestArmCases, WhatHasNoDistributionIsPlayedWithTheLossesOfItsRelease) {
  auto request = request_of({{"arms", "20"}, {"dimension", "4"}, {"budget", "400"}});
  request.samples = 2000;
  const auto report = audit("dp-bai", request).value();
  EXPECT_EQ(report.evidence.method, "release");
  EXPECT_EQ(report.scope, Scope::kAllPairs);
  EXPECT_GT(report.evidence.quantities.back().lower.value, 0.1);
  request.method = Method::kExact;
  EXPECT_THAT(audit("dp-bai", request), IsRefused("no distribution in one integral"));
}

TEST(BestArmCases, ByReleaseAnyNumberOfThreadsGivesTheSameBytesAndAStoppedRunComesBack) {
  auto request = request_of({{"arms", "4"}}, "eps=0.5,delta=0.01", Method::kRelease);
  request.samples = 2000;
  const auto one = audit("dp-bai", request).value();
  const auto other = audit("dp-bai", request, {.threads = 2}).value();
  EXPECT_EQ(one.reproduce, other.reproduce);
  for (std::size_t i = 0; i < one.evidence.quantities.size(); ++i) {
    EXPECT_EQ(one.evidence.quantities[i].lower.value, other.evidence.quantities[i].lower.value);
    EXPECT_EQ(one.evidence.quantities[i].upper.value, other.evidence.quantities[i].upper.value);
  }
  request.stop_after = 700;
  const auto part = audit("dp-bai", request).value();
  EXPECT_TRUE(part.evidence.interrupted);
  EXPECT_EQ(part.evidence.samples, 700);
  EXPECT_THAT(part.reproduce, HasSubstr("--samples 2000 --stop-after 700"));
}

TEST(BestArmCases, AnInterruptedReleaseAuditReportsWhatItHas) {
  expect_interrupted_audit(
      "dp-bai", request_of({{"arms", "20"}, {"dimension", "4"}, {"budget", "400"}}, "eps=0.1"));
}

TEST(BestArmCases, FeaturesAndTablesAreReadFromFiles) {
  const TemporaryFolder folder;
  const auto arms = folder.write("arms.csv", "1,0\n0,1\n0.7,0.7\n");
  const auto report =
      audit("bai-baseline", request_of({{"feature_file", arms}, {"budget", "30"}})).value();
  EXPECT_EQ(report.verdict, Verdict::kVerified);
  EXPECT_THAT(report.reproduce, HasSubstr("feature_file=" + arms));
  EXPECT_THAT(report.reproduce, HasSubstr("arms=3"));
  for (const auto& [key, value] : {std::pair{"arms", "8"}, {"features", "sphere"}}) {
    const auto error = error_of(audit(
        "bai-baseline", request_of({{"feature_file", arms}, {"budget", "30"}, {key, value}})));
    EXPECT_THAT(error.message, HasSubstr("as in the file of features, or left out, not "));
    EXPECT_EQ(error.path, std::string("/") + key);
  }
  // What it says is read back.
  EXPECT_EQ(audit("bai-baseline", request_of(report.parameters)).value().reproduce,
            report.reproduce);

  auto request = request_of({{"arms", "2"}, {"budget", "4"}});
  request.input = AuditInput::of("table", "", InputPair::of(InputTable::zeros(4, 2), {}));
  const auto beside = audit("dp-bai", request).value();
  EXPECT_EQ(beside.pair.found_by, "the worst of 2 pairs beside --input");
  request.input = AuditInput::of("table", "", InputPair::of(InputTable::zeros(5, 2), {}));
  EXPECT_THAT(audit("dp-bai", request), IsRefused("5 rows of 2 rewards"));
}

TEST(BestArmCases, MuIsBoundedFromBelowByTheRelease) {
  auto request = request_of({{"arms", "2"}, {"epsilon", "20"}}, "mu=0.5", Method::kRelease);
  request.samples = 4000;
  const auto report = audit("dp-bai-gauss", request).value();
  EXPECT_EQ(report.verdict, Verdict::kViolated);
}

TEST(BestArmCases, EventsCountTheTranscriptsOfAPairAsWell) {
  auto request =
      request_of({{"arms", "2"}, {"budget", "6"}, {"epsilon", "3"}}, "eps=0.5", Method::kEvents);
  request.samples = 4000;
  EXPECT_EQ(audit("dp-bai", request).value().verdict, Verdict::kViolated);
}

TEST(BestArmCases, ManyArmsAreAuditedOnTheFirstRowsOfTheirTable) {
  std::vector<KeyValue> many{{"arms", "10000"}, {"dimension", "16"}, {"budget", "20000"}};
  const auto refusal = [&](std::vector<KeyValue> parameters, Method method = Method::kAuto) {
    return refusal_of(audit("dp-bai", request_of(std::move(parameters), "eps=1", method)));
  };
  EXPECT_THAT(refusal(many),
              HasSubstr("must be at most 4000000; for a table of fewer rows, past which "
                        "every pull pays 0, give rows, here at most 400"));
  many.push_back({"rows", "137"});
  EXPECT_THAT(refusal(many),
              HasSubstr("rows must be 138 (above the pulls of any arm in phase 1) to 20000"));
  many.back().value = "401";
  EXPECT_THAT(refusal(many), HasSubstr("401 rows of 10000 numbers"));
  many.back().value = "138";
  EXPECT_THAT(refusal(many, Method::kEvents), HasSubstr("method must be auto, exact, likelihood"));
  if (kSanitized) return;  // it takes minutes; plays of fewer arms are sanitized below
  auto request = request_of(many);
  request.samples = 64;
  const auto report = audit("dp-bai", request).value();
  EXPECT_EQ(report.evidence.method, "release");
  EXPECT_EQ(report.verdict, Verdict::kVerified);
  EXPECT_EQ(report.pair.inputs.base_input().rows, 138);
  many.push_back({"table", "time"});
  EXPECT_THAT(refusal(many), HasSubstr("rows needs table=pull"));
}

TEST(BestArmCases, RowsThatNoPlayReadsNeedNotBeHeld) {
  const auto exact = [](const char* rows) {
    std::vector<KeyValue> parameters{{"arms", "6"}, {"dimension", "4"}, {"budget", "60"}};
    if (*rows != 0) parameters.push_back({"rows", rows});
    return audit("dp-bai", request_of(parameters)).value().evidence.quantities;
  };
  const auto whole = exact(""), part = exact("20"), named = exact("60");
  ASSERT_EQ(part.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(named[i].lower.value, whole[i].lower.value);
    EXPECT_EQ(part[i].lower.value, whole[i].lower.value);
  }
}

TEST(BestArmCases, MethodsThatACaseDoesNotHaveAreRefused) {
  for (const char* id : {"laplace", "thompson-sampling", "ftnl"}) {
    EXPECT_THAT(audit(id, request_of({}, "eps=1", Method::kRelease)),
                IsRefused("method must be auto"))
        << id;
  }
}

}  // namespace
}  // namespace assay
