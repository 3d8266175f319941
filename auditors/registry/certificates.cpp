#include "assay/auditors/registry/certificates.hpp"

#include "assay/auditors/bandits/claims/counterexamples.hpp"
#include "assay/auditors/best_arm/claims/counterexamples.hpp"
#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"
#include "assay/auditors/dueling/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/printed_counterexamples.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/counterexamples.hpp"
#include "assay/auditors/sparse/claims/joint_dp_counterexamples.hpp"

namespace assay {

const CounterexampleKinds& counterexample_kinds() {
  static const auto kinds = kinds_of<
      RoundCounterexample, NoisyMaxCounterexample, DistributionMismatch, EpochCounterexample,
      RegretCounterexample, IntegralMismatch, GrowthCounterexample, VotesCounterexample,
      FirstRoundCounterexample, GaussianCounterexample, MomentsCounterexample,
      LaterBasisCounterexample, MeasureCounterexample, BudgetCounterexample,
      OneDimensionCounterexample, BordaCounterexample, ScoreGapCounterexample, PhaseCounterexample,
      PullsCounterexample, DuelRegretCounterexample, ConfidenceCounterexample,
      EmptyCounterCounterexample, RemovalCounterexample, CoverageCounterexample,
      OneCountCounterexample, SampledDuelCounterexample, GradientCounterexample,
      ClippingCounterexample, PeelingCounterexample, LowerCounterexample, LeftOutCounterexample,
      GreedySignCounterexample, NormalizedContextsCounterexample, ExperimentsCounterexample>();
  return kinds;
}

Result<Certificate> read_certificate(std::string_view json) {
  return read_certificate(json, counterexample_kinds());
}

Result<Certificate> read_certificate_file(const std::string& path) {
  return read_certificate_file(path, counterexample_kinds());
}

Result<CertificateCheck> check_certificate(const Certificate& certificate) {
  return check_certificate(certificate, counterexample_kinds());
}

}  // namespace assay
