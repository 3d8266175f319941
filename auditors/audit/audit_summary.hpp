// What every writer says in the same words: the headline, the names of the quantities, the numbers
// beside the claim, and long sequences made short.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// The verdict and the number that decided it, in one line: "Violated: eps at delta = 1e-6 is at
// least 0.8123; the claim allows 0.5". The verdict's name comes first, as to_string spells it.
std::string headline(const AuditReport& report);

// "likelihood, 200,000 transcripts a side and 8,192
// tilted ones": the method and all that it sampled.
std::string method_text(const AuditReport& report);
// "6,120 of 40,000 in all: 800 probe, 2,300 search, ...; left undone: ..."
std::string plays_text(const PlaysSpent& plays);

// What the ledger's shares come to, as text: at most what the confidence leaves, although they are
// doubles that round.
std::string spent_text(const AuditReport& report);

// Whether the neighbouring inputs are known: of recorded plays they are not.
bool has_pair(const AuditReport& report);

// The certified interval and what the claim allows, to about five digits, rounded outward and never
// onto the other side of the claim.
struct QuantityTexts {
  std::string lower;
  std::string upper;
  std::string claimed;  // empty where the claim says nothing
};
QuantityTexts quantity_texts(const PrivacyLevel& claim, const ReportedQuantity& quantity);

// What a bound rests on: "exact enumeration", "theorem: augmented release".
std::string evidence_text(const EvidencedBound& bound);

// The claim as written and what it comes to: "mu=sqrt(T/2), that is mu = 7.07107".
std::string claim_text(const AuditReport& report);

// Of a target that can only be played: no probabilities are reported.
bool is_black_box(const AuditReport& report);
// What the report's checks are evidence of.
std::string checks_title(const AuditReport& report);
// The reason, where the headline does not say it; and what the run would have seen, with its power, in
// words where the reason does not say them. Empty for nothing to say.
std::string why_text(const AuditReport& report);
std::string visible_text(const AuditReport& report);
// "seen in 12 of 4,000 plays (0.003)".
std::string seen_text(std::int64_t hits, std::int64_t plays);
std::string failures_text(
    const FailureEvidence& found);  // "512 of 1,000 runs fail on the old input, ..."

// The rewards r_1..r_T, the changed one as "[old -> new]": "0 x 49, [0 -> 1], 0 x 50". Beyond about a
// dozen runs, "..." stands for the rest.
std::string stream_text(const WorstPair& pair);
std::string row_text(const std::vector<double>& row);  // the same for one side of a pair of rows
std::string actions_text(const std::vector<int>& actions);

}  // namespace assay
