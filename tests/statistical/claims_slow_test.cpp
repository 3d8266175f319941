// A true claim must not be refuted, whatever the seed: every claim that is not known to be false, at
// 100 seeds. What would be refuted at confidence 0.999 by chance alone (regret claims, two of them)
// may be so once in 100 seeds with probability below 0.1; here none is.
#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/registry/claims.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

class TrueClaims : public ::testing::TestWithParam<std::string> {};

TEST_P(TrueClaims, AreNotRefutedAtAnyOf100Seeds) {
  const bool open = GetParam() == "ts-gdp-loose";  // audits of long runs: fewer seeds
  const auto claims = select_claims({GetParam()}).value();
  for (std::uint64_t seed = 1; seed <= (open ? 10 : 100); ++seed) {
    ClaimRequest request{.seed = seed, .effort = open ? 0.05 : 0.25};
    const auto verification = verify_claims(claims, request, {.threads = 2}).value();
    const auto& result = verification.results.at(0);
    EXPECT_NE(result.finding.verdict, ClaimVerdict::kRefuted) << result.claim->id << " " << seed;
    EXPECT_TRUE(result.as_expected())
        << result.claim->id << " " << seed << ": " << result.finding.summary;
  }
}

std::vector<std::string> true_claims() {
  std::vector<std::string> ids;
  for (const auto& claim : registered_claims()) {
    if (claim.expected != ClaimVerdict::kRefuted) ids.emplace_back(claim.id);
  }
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Registry, TrueClaims, ::testing::ValuesIn(true_claims()),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace assay
