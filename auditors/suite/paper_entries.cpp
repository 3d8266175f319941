#include "assay/auditors/suite/paper_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "assay/auditors/detect/detect_job.hpp"
#include "assay/auditors/registry/claims.hpp"
#include "assay/auditors/suite/internal/entry_parts.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/verify/verify_job.hpp"
#include "assay/mechanisms/core/command_line.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"
#include "assay/policies/faulty/sequence_table.hpp"

namespace assay {
namespace {

// One line for each unexpected result.
void fill_verification(const VerificationOutcome& outcome, bool strict, EntryResult& result) {
  std::int64_t undecided = 0, wrong = 0, refuted = 0, proved = 0;
  for (const auto& one : outcome.verification.results) {
    const bool is_refuted = one.finding.verdict == ClaimVerdict::kRefuted;
    refuted += is_refuted ? 1 : 0;
    proved += is_refuted || one.finding.verdict == ClaimVerdict::kHolds ? 1 : 0;
    if (one.as_expected() && !(strict && is_refuted)) continue;
    const bool decides = one.finding.verdict != ClaimVerdict::kInconclusive;
    (decides ? wrong : undecided) += 1;
    result.details.push_back(fmt::format(
        "{}: {}, registered as {}: {}", one.claim->id, detail::value_text(one.finding.verdict),
        detail::value_text(one.claim->expected), one.finding.summary));
  }
  const auto n = static_cast<std::int64_t>(outcome.verification.results.size());
  result.claim = joined(outcome.verification.results,
                        [](const ClaimResult& one) { return std::string(one.claim->id); });
  if (!outcome.complete()) undecided += outcome.verification.selected - n;
  result.status = wrong > 0       ? EntryStatus::kViolated
                  : undecided > 0 ? EntryStatus::kInconclusive
                                  : EntryStatus::kHeld;
  const std::string claims = fmt::format("{} claim{}", n, n == 1 ? "" : "s");
  result.verdict = wrong > 0       ? "not as registered"
                   : undecided > 0 ? "undecided"
                   : proved == n   ? kProvedAsRegistered
                                   : "as registered";
  result.headline =
      wrong + undecided == 0
          ? fmt::format("{} with the registered verdict, {} of them refuted", claims, refuted)
          : fmt::format("{}: {} with a verdict other than the registered one, {} undecided{}",
                        claims, wrong, undecided,
                        result.details.empty() ? "" : "; " + result.details.front());
}

// Samples give only a lower bound.
EntryFigure lower_bound(std::string_view row, double certified, double alpha) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return {fmt::format("eps of {}", row), FigureKind::kLoss, certified, kNone, {}, {}, alpha};
}
EntryFigure figure_of(const DetectionResult& one, double alpha) {
  return lower_bound(one.row->name, one.lower, alpha);
}
EntryFigure figure_of(const SequenceResult& one, double alpha) {
  return lower_bound(one.row->name, one.fault.lower, alpha);
}
bool convicts_wrongly(const DetectionResult& one) { return one.above_truth(); }
bool convicts_wrongly(const SequenceResult& one) {
  return one.fault.above_truth() || one.counterpart.above_truth();
}

template <class Found>
void fill_detection(const Found& found, double alpha, EntryResult& result) {
  std::vector<std::string> wrong, missed;
  for (const auto& one : found.results) {
    result.figures.push_back(figure_of(one, alpha));
    const std::string name(one.row->name);
    if (convicts_wrongly(one)) {
      wrong.push_back(name);
    } else if (!one.as_expected()) {
      missed.push_back(name);
    }
  }
  const auto n = found.results.size();
  result.status = !wrong.empty() || !missed.empty() ? EntryStatus::kViolated
                  : !found.complete()               ? EntryStatus::kInconclusive
                                                    : EntryStatus::kHeld;
  result.verdict = !wrong.empty()   ? "above the truth"
                   : missed.empty() ? "as the truth implies"
                                    : "missed";
  result.headline = fmt::format("{} of {} rows are as the truth implies",
                                n - wrong.size() - missed.size(), found.selected);
  if (!wrong.empty()) result.headline += "; certified above the truth: " + joined(wrong);
  if (!missed.empty()) result.headline += "; not convicted: " + joined(missed);
}

Result<EntryRun> prepare_verify_entry(const SuiteEntry& entry, const EntryTerms& terms) {
  auto job = ASSAY_TRY(read_options<VerificationJob>(entry.options));
  const auto claims = ASSAY_TRY(select_claims(job.claims));
  job.request.confidence = confidence_of(terms.alpha / static_cast<double>(claims.size())).value;
  job.request.seed = terms.seed;
  const auto prepared = ASSAY_TRY(prepare(job));
  CommandLine command("assay verify");
  for (const auto* claim : claims) command.add(claim->id);
  command.add("--seed", std::to_string(job.request.seed));
  command.add("--confidence", number_text(job.request.confidence));
  command.add("--effort", number_text(job.request.effort));
  return [prepared, strict = job.strict, text = command.text()](
             const Session& session, EntryResult& result) -> EntryIllustration {
    result.reproduce = text;
    const auto outcome = prepared(session);
    if (!outcome) return detail::failed(result, outcome.error());
    fill_verification(*outcome, strict, result);
    for (const auto& one : outcome->verification.results) {
      result.alpha += std::max(0.0, 1.0 - one.finding.confidence);
    }
    return {};
  };
}

Result<EntryRun> prepare_detect_entry(const SuiteEntry& entry, const EntryTerms& terms) {
  auto job = ASSAY_TRY(read_options<DetectionJob>(entry.options));
  // A row of sequences is two audits.
  const double rows =
      job.sequences
          ? 2.0 * static_cast<double>(
                      ASSAY_TRY(select_rows(faulty::sequence_table(), job.rows)).size())
          : static_cast<double>(ASSAY_TRY(select_rows(faulty::detection_table(), job.rows)).size());
  job.confidence = confidence_of(terms.alpha / rows).value;
  job.seed = terms.seed;
  const auto prepared = ASSAY_TRY(prepare(job));
  CommandLine command("assay detect");
  for (const auto& row : job.rows) command.add(row);
  if (job.sequences) command.add("--sequences");
  command.add("--seed", std::to_string(job.seed));
  command.add("--confidence", number_text(*job.confidence));
  if (!job.sequences) command.add("--sample-share", number_text(job.sample_share));
  return [prepared, alpha = terms.alpha, text = command.text()](
             const Session& session, EntryResult& result) -> EntryIllustration {
    result.reproduce = text;
    result.alpha = alpha;
    const auto outcome = prepared(session);
    if (!outcome) return detail::failed(result, outcome.error());
    std::visit([&](const auto& found) { fill_detection(found, alpha, result); },
               outcome->detection);
    return {};
  };
}

}  // namespace

Status check_papers(EntryKind) { return {}; }

std::vector<EntryOption> paper_entry_options(EntryKind kind) {
  return kind == EntryKind::kVerify ? detail::options_for<VerificationJob>()
                                    : detail::options_for<DetectionJob>();
}

Result<EntryRun> prepare_paper_entry(const SuiteEntry& entry, const EntryTerms& terms) {
  return entry.kind == EntryKind::kVerify ? prepare_verify_entry(entry, terms)
                                          : prepare_detect_entry(entry, terms);
}

}  // namespace assay
