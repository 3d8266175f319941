// The audit of one subject: prepared from a request, then run.
//
// Preparing reads the claim, holds the input against the subject, chooses the method and the seed. Running
// searches a pair (or takes the given one), gathers what the method finds out about it, sets that against
// the claim and the proof of all pairs, and assembles the report:
//   transcripts.cpp   of a pair process: exact by enumeration, or by likelihood
//   releases.cpp      of laws, profiles and densities of releases: exact, or by likelihood
//   release_plays.cpp of actions by the losses of what is released
//   events.cpp        of releases that are only played
// Where laws or probabilities are known, each run also holds draws against them
// (statistics/reported_probabilities.hpp): a sampler that does not follow them leaves Inconclusive.
// Threads: any number, the same report.
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

// Errors: a request out of range, a claim that does not read, an input that does not fit, a method that
// the subject does not have or whose limit it exceeds.
Result<PreparedAudit> prepare_audit(AuditedSubject subject, AuditRequest request);

// Errors: --search of a subject whose pairs are not scored; what takes too long without a budget. An
// interrupted run still returns a report.
Result<AuditReport> run_audit(const PreparedAudit& audit, const RunControl& control);

namespace detail {

Result<Gathered> gather_transcripts(const PreparedAudit& audit, const RunControl& control);
Result<Gathered> gather_releases(const PreparedAudit& audit, const RunControl& control);
Result<Gathered> gather_release_plays(const PreparedAudit& audit, const RunControl& control);
Result<Gathered> gather_events(const PreparedAudit& audit, const RunControl& control);

// Of a pair process, whether its transcripts are few enough to be listed without being asked.
bool lists_transcripts(const InputShape& shape);
// Why releases cannot be audited exactly, of the first pair; or nothing.
Status exact_releases(const AuditedSubject& subject, const InputPair& first,
                      const PrivacyLevel& claim, Delta delta0);
// The pairs of a subject that lists them: the given one, those beside a given input, or those known to be
// hard.
std::vector<InputPair> listed_pairs(const PreparedAudit& audit);
// "the worst of 12 pairs known to be hard", of those that were looked at.
std::string listed_text(const PreparedAudit& audit, std::size_t pairs);
// What follows it where a run was stopped before the last of them; else nothing.
std::string stop_text(std::size_t looked_at, std::size_t pairs);
// Seconds of one call, over a fortieth of the time that is left. call(i): the i-th.
double seconds_of_call(const RunControl& control, const std::function<void(std::int64_t)>& call);
// A run that was stopped before it knew anything of any pair.
PairEvidence nothing_certified(const PreparedAudit& audit, std::string method);

}  // namespace detail

}  // namespace assay
