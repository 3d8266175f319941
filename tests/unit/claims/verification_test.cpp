#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/bandits/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/registry/claims.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/auditors/sparse/claims/checks.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/golden.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/verified_claims.hpp"

namespace assay {
namespace {

std::vector<std::string> ids(const std::vector<const RegisteredClaim*>& claims) {
  std::vector<std::string> out;
  for (const auto* claim : claims) out.emplace_back(claim->id);
  return out;
}

TEST(ClaimRegistry, IdsAreUniqueAndEveryEntryIsComplete) {
  std::set<std::string_view> seen;
  for (const auto& claim : registered_claims()) {
    EXPECT_TRUE(seen.insert(claim.id).second) << claim.id;
    EXPECT_NE(claim.check, nullptr) << claim.id;
    EXPECT_FALSE(claim.statement.empty()) << claim.id;
    EXPECT_FALSE(claim.theorem.empty()) << claim.id;
    EXPECT_FALSE(claim.cost.empty()) << claim.id;
  }
}

TEST(ClaimRegistry, ARefutedOrVacuousClaimIsExplained) {
  for (const auto& claim : registered_claims()) {
    if (claim.expected == ClaimVerdict::kRefuted || claim.expected == ClaimVerdict::kVacuous ||
        !claim.rests_on.empty()) {
      EXPECT_FALSE(claim.comment.empty()) << claim.id;
    }
  }
}

TEST(ClaimRegistry, PremisesAreRegisteredBeforeWhatRestsOnThem) {
  std::set<std::string_view> before;
  for (const auto& claim : registered_claims()) {
    for (const auto premise : claim.rests_on) EXPECT_EQ(before.count(premise), 1u) << claim.id;
    before.insert(claim.id);
  }
}

// A check that knew the expected verdict could return it. It cannot include the registry, and the
// request that it gets does not carry it.
TEST(ClaimRegistry, NoCheckSeesAnExpectedVerdict) {
  const std::filesystem::path auditors = std::filesystem::path(ASSAY_SOURCE_DIR) / "auditors";
  for (const char* family : {"bandits", "experts"}) {
    int files = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(auditors / family / "claims")) {
      if (!entry.is_regular_file() || entry.path().filename() == "claims.cpp") continue;
      const auto text = read_file(entry.path());
      EXPECT_THAT(text, Not(HasSubstr("registered_claims("))) << entry.path();
      EXPECT_THAT(text, Not(HasSubstr("expected;"))) << entry.path();
      EXPECT_THAT(text, Not(HasSubstr(".expected"))) << entry.path();
      ++files;
    }
    EXPECT_GT(files, 5) << family;
  }
}

TEST(ClaimSelection, TakesNamesAndPatternsInRegistryOrder) {
  EXPECT_THAT(ids(select_claims({"rnm-*", "ts-step-?dp"}).value()),
              ElementsAre("ts-step-gdp", "rnm-hetero-gauss"));
  EXPECT_EQ(select_claims({}).value().size(), registered_claims().size());
  EXPECT_EQ(select_claims({"*", "ts-*"}).value().size(), registered_claims().size());
}

TEST(ClaimSelection, NamesTheNearestClaim) {
  EXPECT_EQ(select_claims({"ts-gpd"}).error().message,
            "unknown claim 'ts-gpd'; did you mean 'ts-gdp'?");
  EXPECT_THAT(select_claims({"ftnl-the-regret-of-the-leader"}),
              IsRefused("'; known: ftnl-dp-laplace, "));
  EXPECT_THAT(select_claims({"ts-*", "none-*"}), IsRefused("no claim matches 'none-*'"));
}

TEST(ClaimVerification, FindsTheFalseClaimsWithCertificatesThatCheckOut) {
  const auto verification = verified({"rnm-hetero-gauss", "ts-step-dp", "ts-eq27"});
  ASSERT_EQ(verification.results.size(), 3u);
  for (const auto& result : verification.results) {
    EXPECT_EQ(result.finding.verdict, ClaimVerdict::kRefuted) << result.claim->id;
    ASSERT_TRUE(result.finding.certificate) << result.claim->id;
    EXPECT_EQ(result.finding.certificate->claim, result.claim->id);
    const auto check = must(check_certificate(*result.finding.certificate));
    EXPECT_TRUE(check.refutes);
  }
}

TEST(ClaimVerification, ComesOutAsTheRegistryExpectsAtLowEffort) {
  // Those of other papers take half a minute; `assay verify` runs all in the tests of the command.
  auto claims = dueling_claims();
  for (auto& claim : sparse_claims()) claims.push_back(std::move(claim));
  for (const auto& claim : claims) {
    const auto finding = claim.check({.effort = kSanitized ? 0.02 : 0.25}, {});
    ASSERT_TRUE(finding) << claim.id;
    EXPECT_EQ(finding->verdict, claim.expected) << claim.id << ": " << finding->summary;
    EXPECT_EQ(finding->certificate != nullptr, claim.expected == ClaimVerdict::kRefuted);
    EXPECT_FALSE(finding->domain.empty()) << claim.id;
  }
}

// What a claim is registered to read of its request decides which options the command takes for it.
TEST(ClaimVerification, AClaimReadsWhatItIsRegisteredToRead) {
  if (kSanitized) GTEST_SKIP() << "the other tests of this file run the checks";
  for (const auto& claim : registered_claims()) {
    if (claim.id == "ts-gdp-loose") continue;  // takes a minute
    const auto finding = claim.check({1, 0.01, 0.999}, {});
    ASSERT_TRUE(finding) << claim.id;
    EXPECT_EQ(finding->confidence < 1.0, claim.reads == ClaimReads::kStatistical) << claim.id;
    if (claim.reads != ClaimReads::kNothing) continue;
    const auto other = claim.check({2, 0.02, 0.9}, {});
    ASSERT_TRUE(other) << claim.id;
    EXPECT_EQ(other->summary, finding->summary) << claim.id;
    EXPECT_EQ(other->evidence, finding->evidence) << claim.id;
    EXPECT_EQ(other->evaluations, finding->evaluations) << claim.id;
  }
}

TEST(ClaimVerification, FindsThemFromOtherSeedsToo) {
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    for (const auto& result : verified({"rnm-*", "ts-step-dp", "ts-eq27"}, 0.05, seed).results) {
      EXPECT_EQ(result.finding.verdict, ClaimVerdict::kRefuted) << result.claim->id << " " << seed;
    }
  }
}

TEST(ClaimVerification, TheHistoryOfTheRefutedRoundIsAReadableOne) {
  const auto verification = verified({"ts-step-dp"}, 1.0);
  const auto& found =
      verification.results[0].finding.certificate->counterexample.as<RoundCounterexample>();
  EXPECT_EQ(found.arms, 2);
  EXPECT_LE(found.history.size(), 4u);
  EXPECT_GT(found.numbers.true_delta, 2.0 * found.numbers.delta);
}

TEST(ClaimVerification, SaysWhichPremisesAreRefuted) {
  const auto verification = verified({"ts-step-dp", "ts-advanced"});
  EXPECT_THAT(verification.results[1].refuted_premises, ElementsAre("ts-step-dp"));
  EXPECT_EQ(verification.results[1].finding.verdict, ClaimVerdict::kHolds);
  EXPECT_TRUE(verified({"ts-advanced"}).results[0].refuted_premises.empty());
}

TEST(ClaimVerification, IsTheSameForAnyNumberOfThreads) {
  const auto claims = select_claims({"ts-step-*", "gdp-*", "mts-regret"}).value();
  ClaimRequest request{.effort = kSanitized ? 0.01 : 0.05};
  auto a = verify_claims(claims, request, {}).value();
  auto b = verify_claims(claims, request, {.threads = 2}).value();
  for (auto* v : {&a, &b}) {
    for (auto& result : v->results) result.seconds = 0.0;
  }
  EXPECT_EQ(to_json(a, {}), to_json(b, {}));
}

TEST(ClaimVerification, StopsBetweenClaimsWhenItIsInterrupted) {
  const std::atomic<bool> cancelled{true};
  const auto verification =
      verify_claims(select_claims({"ts-*"}).value(), {}, {.cancel = &cancelled}).value();
  EXPECT_TRUE(verification.results.empty());
  EXPECT_GT(verification.selected, 5);
  EXPECT_THAT(verification_summary(verification), HasSubstr("were not checked"));
}

TEST(ClaimVerification, RefusesARequestOutsideItsRanges) {
  ClaimRequest request{.effort = 0.0};
  EXPECT_EQ(verify_claims({}, request, {}).error().message, "effort must be 0.01 to 1000, not 0");
  request = {};
  request.confidence = 1.0;
  EXPECT_EQ(verify_claims({}, request, {}).error().message,
            "confidence must be at least 0.5 and below 1, not 1");
}

TEST(VerificationReport, JsonValidatesAgainstTheCommittedSchema) {
  const TemporaryFolder folder;
  const std::string root = ASSAY_SOURCE_DIR;
  const auto document = to_json(verified({"ts-step-*", "mts-regret", "ts-advanced"}, 0.05), {});
  expect_valid("verification-report.schema.json", document);
}

TEST(VerificationReport, TextReadsAsItDid) {
  auto verification = verified({"ts-step-*", "ts-advanced", "ts-eq27"}, 0.25);
  for (auto& result : verification.results) result.seconds = 0.5;
  testing::expect_golden("verification.txt", to_text(verification));
  for (auto& result : verification.results) {
    for (const TextStyle style : {TextStyle{false, 60}, TextStyle{false, 100}}) {
      const auto text = claim_text(result, style);
      EXPECT_THAT(text, HasSubstr(std::string(result.claim->theorem)));
    }
  }
}

TEST(VerificationReport, NamesWhatIsNotAsExpected) {
  auto verification = verified({"ts-step-gdp"}, 0.05);
  verification.results[0].finding.verdict = ClaimVerdict::kInconclusive;
  EXPECT_FALSE(verification.results[0].as_expected());
  EXPECT_THAT(
      verification_summary(verification),
      HasSubstr("The registry expects another verdict: ts-step-gdp: Inconclusive, expected Holds"));
}

}  // namespace
}  // namespace assay
