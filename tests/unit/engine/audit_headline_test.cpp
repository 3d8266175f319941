// The first line of every report is about what is claimed, at its eps and delta, for every case.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// The quantities that a claim puts a number to, as quantity_label spells them.
std::vector<std::string> labels_of(const PrivacyLevel& claim) {
  if (std::holds_alternative<GaussianDp>(claim)) return {"mu"};
  const auto* both = std::get_if<ApproximateDp>(&claim);
  ReportedQuantity epsilon_at{.kind = QuantityKind::kEpsilonAtDelta,
                              .at = both ? both->delta.value : 0.0};
  ReportedQuantity delta_at{
      .kind = QuantityKind::kDeltaAtEpsilon,
      .at = both ? both->epsilon.value : std::get<PureDp>(claim).epsilon.value};
  return {quantity_label(epsilon_at), quantity_label(delta_at)};
}

// No text names eps at another delta, delta at another eps, or another kind of quantity.
void expect_about_claim(const std::string& text, const AuditReport& report) {
  static const std::regex kNamed(
      R"((eps at delta = [-0-9.e]*[0-9]|delta at eps = [-0-9.e]*[0-9]))");
  const auto labels = labels_of(report.claim);
  for (std::sregex_iterator it(text.begin(), text.end(), kNamed), end; it != end; ++it) {
    EXPECT_THAT(labels, ::testing::Contains(it->str())) << text;
  }
}

AuditRequest small_request(const std::string& case_id) {
  AuditRequest request;
  if (case_id == "thompson-sampling") request.parameters = {{"arms", "2"}, {"horizon", "5"}};
  if (case_id == "gopt-dpdb") request.parameters = {{"horizon", "60"}, {"phase_scale", "1e-6"}};
  if (case_id == "dp-ebs" || case_id.starts_with("ebs-")) request.parameters = {{"horizon", "60"}};
  if (case_id == "fliphat" || case_id.ends_with("-bandit"))
    request.parameters = {{"horizon", "15"}};
  request.seed = 1;
  return request;
}

void check(const AuditCase& audit_case, const std::string& claim, Method method) {
  const std::string id = audit_case.describe().id;
  AuditRequest request = small_request(id);
  request.claim = claim;
  request.method = method;
  const auto prepared = audit_case.prepare(request);
  if (!prepared) return;  // not a method of this case
  if (prepared->method != Method::kExact) request.samples = 256;
  const auto report = must(audit_case.run(request, RunControl{}));
  SCOPED_TRACE(fmt::format("{} claims {} by {}", id, report.claim_text, report.evidence.method));
  const std::string line = headline(report);
  EXPECT_THAT(line, StartsWith(to_string(report.verdict)));
  expect_about_claim(line, report);
  expect_about_claim(report.reason, report);
  // Where it names no quantity it says why, in the words of the reason, or how strong the audit was.
  bool is_named = line.find(report.reason) != std::string::npos ||
                  (report.strength && line.find("this pair") != std::string::npos);
  for (const auto& label : labels_of(report.claim)) {
    is_named = is_named || line.find(": " + label + " is at ") != std::string::npos;
  }
  EXPECT_TRUE(is_named) << line;
  std::string text = to_text(report);
  text = std::regex_replace(text.substr(0, text.find("\n\n")), std::regex("\n"), " ");
  EXPECT_EQ(text, line);
  EXPECT_EQ(nlohmann::json::parse(to_json(report)).at("headline").get<std::string>(), line);
}

// The claims take turns, so that each meets cases of every family.
TEST(AuditHeadline, IsAboutWhatIsClaimedForEveryCaseMethodAndVerdict) {
  const char* const claims[] = {"eps=0.01", "eps=40", "eps=0.5,delta=0.001", "mu=9"};
  std::size_t turn = 0;
  for (const auto& audit_case : audit_cases()) {
    check(*audit_case, claims[turn++ % std::size(claims)], Method::kAuto);
    if (kSanitized) continue;  // the texts are the same
    check(*audit_case, "", Method::kAuto);
    check(*audit_case, turn % 2 == 0 ? "" : "eps=0.01", Method::kLikelihood);
    check(*audit_case, turn % 2 == 0 ? "eps=0.01" : "", Method::kEvents);
  }
}

TEST(AuditHeadline, OfAPureClaimIsNotAtAnotherDelta) {
  for (const auto& [id, parameter] :
       {std::pair("report-noisy-max", "gumbel"), {"laplace", ""}, {"tree-counter", ""}}) {
    AuditRequest request;
    if (*parameter != '\0') request.parameters = {{"noise", parameter}};
    const auto report = must((*find_audit_case(id))->run(request, RunControl{}));
    EXPECT_EQ(headline(report).find("1e-6"), std::string::npos) << headline(report);
  }
}

// A proved level of another kind says what it comes to for the claim.
TEST(AuditHeadline, ReasonOfAProvedLevelIsAboutTheClaim) {
  AuditRequest request = small_request("thompson-sampling");
  request.claim = "eps=9,delta=0.1";
  const auto report = must((*find_audit_case("thompson-sampling"))->run(request, RunControl{}));
  EXPECT_EQ(report.scope, Scope::kAllPairs);
  EXPECT_THAT(report.reason, StartsWith("delta at eps = 9 is at most "));
  EXPECT_THAT(report.reason, HasSubstr(" for every pair: mu = "));
}

}  // namespace
}  // namespace assay
