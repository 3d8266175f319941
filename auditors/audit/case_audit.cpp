#include "assay/auditors/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>

#include "assay/auditors/audit/audit_parts.hpp"
#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/mechanisms/core/command_line.hpp"
#include "assay/policies/inputs/input_kind.hpp"
#include "assay/policies/sparse/context_file.hpp"

namespace assay {
namespace {

// The file of a mechanism has both neighbours. The sizes of the case say how to read a line of contexts.
Result<InputPair> read_inputs(const AuditJob& job, const AuditCase& audit_case,
                              const InputKindTraits& kind) {
  if (!kind.has_rounds()) return read_row_pair(job.input);
  if (kind.has_contexts()) {
    const auto subject = ASSAY_TRY(audit_case.subject(job.parameters));
    auto rounds =
        ASSAY_TRY(read_context_rows(job.input, subject.shape.arms, subject.shape.dimension));
    return InputPair::of(std::move(rounds), {});
  }
  auto table = ASSAY_TRY(kind.read(job.input, job.column));
  return InputPair::of(std::move(table), {});
}

Result<std::optional<AuditInput>> read_input(const AuditJob& job, const AuditCase& audit_case,
                                             const InputKindTraits& kind) {
  if (job.input.empty()) return std::optional<AuditInput>{};
  auto inputs = ASSAY_TRY(read_inputs(job, audit_case, kind));
  const std::string column = kind.has_rounds() ? job.column : "";
  return std::optional(AuditInput::of(job.input, column, std::move(inputs)));
}

Result<AuditRequest> read_request(const AuditJob& job, const AuditCase& audit_case,
                                  const InputKindTraits& kind) {
  AuditRequest request;
  request.parameters = job.parameters;
  request.claim = job.claim;
  request.method = ASSAY_TRY(read_choice<Method>("--method", job.method));
  if (job.see) request.see = job.see->value;
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
  request.input = ASSAY_TRY(read_input(job, audit_case, kind));
  return request;
}

Result<PreparedJob<AuditOutcome>> prepare_case(const AuditJob& job, const AuditCase& audit_case) {
  const CaseDescription described = audit_case.describe();
  const InputKindTraits& kind = traits_of(described.input_kind);
  const bool reads_features =
      std::any_of(described.parameters.begin(), described.parameters.end(),
                  [](const FieldDescription& field) { return field.name == kFeatureFile; });
  auto request = ASSAY_TRY(read_request(job, audit_case, kind));
  if (reads_features && !job.features.empty()) {
    request.parameters.push_back({std::string(kFeatureFile), job.features});
  }
  auto audit = ASSAY_TRY(audit_case.prepare(request));
  auto facts = detail::facts_of(job, detail::value_text(audit.method), audit.claim);
  facts.reads_stream = kind.is_stream();
  facts.draws_pairs = audit.subject.random_pair && audit.method == Method::kRelease;
  facts.reads_pair = !kind.has_rounds();
  facts.reads_features = reads_features;
  ASSAY_TRY(check_options(job, facts, "an audit of " + described.id + " by " + facts.method));
  return [audit = std::move(audit)](const Session& session) -> Result<AuditOutcome> {
    auto report = ASSAY_TRY(run_audit(audit, session.control));
    detail::fill_meta(session, report);
    return AuditOutcome{std::move(report), {}};
  };
}

bool is_file(const std::string& word) {
  std::error_code error;
  return std::filesystem::is_regular_file(word, error);
}

bool is_like_program(const std::string& word) {
  return word.find_first_of(" /") != std::string::npos || word.ends_with(".py") ||
         word.ends_with(".so") || is_file(word);
}

// The error of a program that is given in the place of a case, with the command that was meant.
tl::unexpected<Error> not_a_case(const AuditJob& job) {
  AuditJob meant = job;
  const std::string& word = job.case_id;
  if (word.ends_with(".so")) {
    meant.plugin = word;
  } else {
    const bool is_one_word = is_file(word) || word.find(' ') == std::string::npos;
    const bool is_script = is_one_word && word.ends_with(".py");
    meant.exec = (is_script ? "python3 " : "") + (is_one_word ? shell_quoted(word) : word);
  }
  if (meant.claim.empty()) meant.claim = "eps=1";
  const auto written = written_options(job);  // outlives the names
  std::vector<std::string_view> names = {"exec", "plugin"};
  for (const WrittenOption& given : written) {
    const bool is_of_case = given.name == "case" || given.name == "parameter";
    if (!is_of_case && given.name != "claim") names.push_back(given.name);
  }
  names.push_back("claim");
  return fail(
      ErrorCode::kUnknownKey,
      fmt::format("'{}' is no case (`assay list cases` names them). {}:\n  {}", word,
                  meant.exec.empty() ? "--plugin names a shared library" : "--exec names a program",
                  command_line("assay audit", meant, names)));
}

// For a class of the caller, which may throw or describe itself wrongly.
template <class Work>
auto held_responsible(const std::string& id, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return fail(ErrorCode::kTarget, id + ", " + error.what());
  }
}

}  // namespace

namespace detail {

AuditFacts facts_of(const AuditJob& job, const std::string& method, const PrivacyLevel& claim) {
  AuditFacts facts;
  if (!job.exec.empty()) facts.subject = SubjectKind::kProgram;
  if (!job.plugin.empty()) facts.subject = SubjectKind::kPlugin;
  if (!job.transcripts.empty()) facts.subject = SubjectKind::kRecorded;
  facts.kind = job.shape.kind;
  facts.tells_numbers = OutputLayout(job.shape).tells_numbers();
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
  const double transcripts =
      report.canaries ? static_cast<double>(report.evidence.samples + report.canaries->training)
                      : 2.0 * static_cast<double>(report.evidence.samples);
  report.meta.transcripts_per_second = transcripts / report.meta.seconds;
}

}  // namespace detail

Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job) {
  if (job.is_outside()) return detail::prepare_program(job);
  if (!job.case_id.empty()) {
    const auto audit_case = find_audit_case(job.case_id);
    if (!audit_case && is_like_program(job.case_id)) return not_a_case(job);
    return prepare_case(job, *ASSAY_TRY(audit_case));
  }
  return fail(ErrorCode::kInvalidArgument,
              "audit needs a case (`assay list cases` names them) or a target (--exec, --plugin or "
              "--transcripts)");
}

Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job, const AuditCase& audit_case) {
  if (job.is_outside() || !job.case_id.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "this audit is of " + std::string(audit_case.id()) +
                    ": CASE, --exec, --plugin and --transcripts name something else");
  }
  const auto id = std::string(audit_case.id());
  auto prepared = ASSAY_TRY(held_responsible(id, [&] { return prepare_case(job, audit_case); }));
  return [id, prepared = std::move(prepared)](const Session& session) {
    return held_responsible(id, [&] { return prepared(session); });
  };
}

}  // namespace assay
