// The audit of one subject. prepare_audit() checks a request, and run_audit() runs it.
//
// Preparation reads the claim, checks that the input fits the subject, and chooses the method and the seed.
// The audit then searches for a pair (or takes the given one), gathers the evidence of the method on that pair,
// compares it with the claim and with the proved guarantee for all pairs, and assembles the report:
//   transcripts.cpp   audits a pair process exactly, by enumeration, or by likelihood
//   releases.cpp      audits a release exactly or by likelihood, from its distributions, profile or densities
//   release_runs.cpp  audits actions by the losses of the release that they depend on
//   events.cpp        audits a release by running it, if nothing else is known of it
// If distributions or probabilities are known, each audit also tests samples against them
// (statistics/reported_probabilities.hpp). If the samples do not follow them, the verdict is Inconclusive.
// Threads: any number of threads gives the same report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_request.hpp"
#include "assay/auditors/engine/audited_subject.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct PreparedAudit : AuditTerms {
  AuditedSubject subject;
  AuditRequest request;
  Method method = Method::kExact;  // never auto
};

// Errors: a request out of range, a claim that cannot be read, an input that does not fit, a method that
// the subject does not have or whose limit it exceeds.
Result<PreparedAudit> prepare_audit(AuditedSubject subject, AuditRequest request);

// Errors: a search (--search) for a subject that does not score pairs; an audit that takes too long without a time
// budget. An interrupted audit still returns a report.
Result<AuditReport> run_audit(const PreparedAudit& audit, const RunControl& control);

namespace detail {

Result<Gathered> gather_transcripts(const PreparedAudit& audit, const RunControl& control);
Result<Gathered> gather_releases(const PreparedAudit& audit, const RunControl& control);
Result<Gathered> gather_release_runs(const PreparedAudit& audit, const RunControl& control);
Result<Gathered> gather_events(const PreparedAudit& audit, const RunControl& control);

// Whether the transcripts of a pair process are so few that the audit enumerates them by default.
bool lists_transcripts(const InputShape& shape);
// An error with the reason why releases cannot be audited exactly, judged by the first pair.
Status exact_releases(const AuditedSubject& subject, const InputPair& first,
                      const PrivacyLevel& claim, Delta delta0);
// The pairs of a subject that lists them: the given pair, the pairs of a given input, or those known to be
// hard.
std::vector<InputPair> listed_pairs(const PreparedAudit& audit);
// The description of the pairs examined, as "the worst of 12 pairs known to be hard".
std::string listed_text(const PreparedAudit& audit, std::size_t pairs);
// The text that follows listed_text() if the audit stopped before the last pair; otherwise empty.
std::string stop_text(std::size_t looked_at, std::size_t pairs);
// The seconds that one call takes, measured over a fortieth of the remaining time. call(i) makes the i-th call.
double seconds_of_call(const RunControl& control, const std::function<void(std::int64_t)>& call);
// The evidence of an audit that stopped before it knew anything about any pair.
PairEvidence nothing_certified(const PreparedAudit& audit, std::string method);

}  // namespace detail

}  // namespace assay
