#include "assay/auditors/jobs/audit.hpp"

#include <memory>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/jobs/audit_parts.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/policies/inputs/loss_sequence.hpp"
#include "assay/policies/inputs/reward_stream.hpp"

namespace assay {
namespace {

// Both neighbours of a mechanism.
Status read_pair(const AuditJob& job, AuditInput& input) {
  auto pair = ASSAY_TRY(read_row_pair(job.input));
  std::vector<double> both = pair.old_row;
  both.insert(both.end(), pair.new_row.begin(), pair.new_row.end());
  input.source = {job.input, "", digest_of(both), 2};
  input.rewards = std::move(pair.old_row);
  input.neighbour = std::move(pair.new_row);
  return {};
}

Status read_rounds(const AuditJob& job, InputRows rows, AuditInput& input) {
  if (rows == InputRows::kLosses) {
    auto losses = ASSAY_TRY(read_losses(job.input));
    input.rewards = std::move(losses.values);
    input.columns = losses.actions;
  } else {
    input.rewards = ASSAY_TRY(read_rewards(job.input, job.column));
  }
  input.source = {job.input, job.column, digest_of(input.rewards),
                  static_cast<std::int64_t>(input.rewards.size()) / input.columns};
  return {};
}

Result<std::optional<AuditInput>> read_input(const AuditJob& job, InputRows rows) {
  if (job.input.empty()) return std::optional<AuditInput>{};
  AuditInput input;
  ASSAY_TRY(rows == InputRows::kPair ? read_pair(job, input) : read_rounds(job, rows, input));
  return std::optional<AuditInput>(std::move(input));
}

Result<AuditRequest> read_request(const AuditJob& job, InputRows rows) {
  AuditRequest request;
  request.parameters = job.parameters;
  request.claim = job.claim;
  request.method = ASSAY_TRY(read_choice<Method>("--method", job.method));
  request.confidence = job.confidence.value;
  request.delta0 = job.delta0.value;
  request.seed = job.seed;
  request.samples = job.samples;
  request.seconds = job.seconds;
  request.stop_after = job.stop_after;
  request.search = job.search;
  request.stop_when_decided = job.stop_when_decided;
  if (request.samples && request.seconds) {
    return fail(ErrorCode::kInvalidArgument,
                "--samples and --time contradict each other: give one");
  }
  request.input = ASSAY_TRY(read_input(job, rows));
  return request;
}

Result<PreparedJob<AuditOutcome>> prepare_case(const AuditJob& job) {
  const AuditCase* audit_case = ASSAY_TRY(find_audit_case(job.case_id));
  const InputRows rows = audit_case->describe().input_rows;
  auto request = ASSAY_TRY(read_request(job, rows));
  const auto resolved = ASSAY_TRY(audit_case->resolve(request));
  auto facts = detail::facts_of(job, detail::value_text(resolved.method), resolved.claim);
  facts.reads_stream = rows == InputRows::kReward;
  facts.reads_pair = rows == InputRows::kPair;
  ASSAY_TRY(check_options(job, facts, "an audit of " + job.case_id + " by " + facts.method));
  return
      [audit_case, request = std::move(request)](const Session& session) -> Result<AuditOutcome> {
        auto report = ASSAY_TRY(audit_case->run(request, session.control));
        detail::fill_meta(session, report);
        return AuditOutcome{std::move(report), {}};
      };
}

}  // namespace

namespace detail {

AuditFacts facts_of(const AuditJob& job, const std::string& method, const PrivacyLevel& claim) {
  AuditFacts facts;
  if (!job.exec.empty()) facts.subject = SubjectKind::kProgram;
  if (!job.plugin.empty()) facts.subject = SubjectKind::kPlugin;
  if (!job.transcripts.empty()) facts.subject = SubjectKind::kRecorded;
  facts.kind = job.shape.kind;
  facts.method = method;
  facts.claims_mu = std::holds_alternative<GaussianDp>(claim);
  facts.has_input = !job.input.empty();
  facts.has_samples = job.samples.has_value();
  facts.varies = !job.vary.empty();
  facts.stops_when_decided = job.stop_when_decided;
  return facts;
}

void fill_meta(const Session& session, AuditReport& report) {
  report.meta = session.meta();
  const double transcripts = report.canaries
                                 ? static_cast<double>(report.samples + report.canaries->training)
                                 : 2.0 * static_cast<double>(report.samples);
  report.meta.transcripts_per_second = transcripts / report.meta.seconds;
}

}  // namespace detail

Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job) {
  if (job.is_outside()) return detail::prepare_program(job);
  if (!job.case_id.empty()) return prepare_case(job);
  return fail(ErrorCode::kInvalidArgument,
              "audit needs a case (`assay list cases`), or a target: --exec, --plugin or "
              "--transcripts");
}

}  // namespace assay
