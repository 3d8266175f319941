#include "assay/auditors/bandits/thompson_sampling_case.hpp"

#include <fmt/format.h>

#include "assay/auditors/bandits/thompson_pair.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using Config = ModifiedThompsonSamplingConfig;

constexpr std::string_view kTitle = "Thompson sampling with Gaussian priors";
// A report has a row for every round.
constexpr std::int64_t kMostRounds = std::int64_t{1} << 20;

// The policy with its proved guarantee, for any calibration that the user names.
Guarantee proved_guarantee(Config config) {
  config.calibration = Calibration::kCorrected;
  return ModifiedThompsonSampling::create(config)->guarantee();
}

Status check_size(const Config& config) {
  if (config.horizon <= kMostRounds) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("horizon must be at most {} to be audited, as the report holds a row for "
                          "every round, not {}",
                          kMostRounds, config.horizon),
              "/horizon");
}

Status check_input(std::int64_t horizon, std::int64_t rows) {
  if (rows == horizon) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("has {} {}, but the horizon is {}; give exactly one reward for each "
                          "round, or -p horizon={}",
                          rows, plural(rows, "reward"), horizon, rows));
}

}  // namespace

CaseDescription ThompsonSamplingCase::describe() const {
  CaseDescription d;
  d.id = kId;
  d.title = kTitle;
  d.about =
      "Modified Thompson sampling pulls every arm b times. Then each round draws theta_i ~ "
      "N(mean_i, c/(n_i + 1)) for every arm and plays the arm with the largest. The defaults b = "
      "0, c = 1 are classical Thompson sampling. In round t every arm pays r_t. Neighbouring "
      "streams differ in one reward. The adversary sees the actions.";
  d.input = "a reward stream: one reward in [0, 1] per round, exactly as many as the horizon";
  d.methods = {"exact (arms^horizon <= 2^24)", "likelihood"};
  d.parameters = describe_fields<Config>();
  d.claims = {"mu=sqrt(T/2)  (Theorem 3, b = 0, c = 1)", "mu=sqrt(T/(c*(b+1)))  (Theorem 4)",
              "mu=sqrt((T-1)/(2*c))  (sharper, b = 0)",
              "mu=sqrt((T-b*N)/(c*(b+1)))  (sharper, b >= 1)"};
  d.reference =
      "T. Ou, M. Avella Medina, R. Cummings, \"Thompson Sampling Itself is Differentially "
      "Private\"";
  return d;
}

Result<AuditedSubject> ThompsonSamplingCase::subject(
    const std::vector<KeyValue>& parameters) const {
  const auto config = ASSAY_TRY(read_configuration<Config>(parameters));
  ASSAY_TRY(check_size(config));
  const auto policy = ASSAY_TRY(ModifiedThompsonSampling::create(config));
  AuditedSubject subject = subject_of(kId, kTitle, policy);
  subject.proved = proved_guarantee(config);
  subject.shape.arms = config.arms;
  subject.shape.horizon = config.horizon;
  subject.check = [horizon = config.horizon](const InputPair& pair) {
    return check_input(horizon, pair.base_input().rows);
  };
  subject.moves = PairMoves{.first_free_round = config.pre_pulls * config.arms + 1};
  subject.process = [policy](const InputPair& pair) {
    return std::make_unique<ThompsonPair<>>(policy, std::make_shared<const InputPair>(pair));
  };
  return subject;
}

}  // namespace assay
