// The texts that all formats of an audit report share: the headline, the method, the certified and the claimed
// numbers, and long sequences in short form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// The verdict and the number that decided it, in one line: "Violated: eps at delta = 1e-6 is at
// least 0.8123; the claim allows 0.5". The verdict's name comes first, as to_string spells it.
std::string headline(const AuditReport& report);

// The method and the number of its samples: "likelihood, 200,000 transcripts on each input and 8,192 tilted ones".
std::string method_text(const AuditReport& report);
// The runs of the target by purpose: "6,120 of 40,000 in all: 800 pre-screen, 2,300 search, ...; left undone: ..."
std::string runs_text(const RunsSpent& runs);

// The alpha that the ledger has given out. The text is never above 1 - confidence, although the sum is rounded.
std::string spent_text(const AuditReport& report);

// Whether the report knows the two inputs. It does not for recorded runs.
bool has_pair(const AuditReport& report);
// Whether the result is about a pair of inputs, and not about canaries.
bool is_of_pair(const AuditReport& report);

// The certified interval and the value that the claim allows, to about five digits. Bounds are rounded outward. The
// text of a bound never moves it to the other side of the claim.
inline constexpr const char* kNoBound = "no upper bound";
struct QuantityTexts {
  std::string lower;
  std::string upper;    // kNoBound if nothing bounds the quantity from above
  std::string claimed;  // empty if the claim does not limit the quantity
};
QuantityTexts quantity_texts(const PrivacyLevel& claim, const ReportedQuantity& quantity);

// The evidence for a bound: "exact enumeration", "theorem: augmented release", "unknown (black box)".
std::string evidence_text(const AuditReport& report, const EvidencedBound& bound);

// The claim as written, and its value: "mu=sqrt(T/2), that is mu = 7.07107".
std::string claim_text(const AuditReport& report);

// Whether the target can only be run, because it reports no probabilities.
bool is_black_box(const AuditReport& report);
// The heading of the checks, which names the assumption that they test.
std::string checks_title(const AuditReport& report);
// The reason for the verdict; empty if the headline gives it.
std::string why_text(const AuditReport& report);
// How the strength in the headline is known: "an estimate, with probability 0.9, for ..."; empty without one.
std::string strength_text(const AuditReport& report);
// Whether the lowest bits of floating-point outputs refuted the claim.
bool is_by_low_bits(const AuditReport& report);
// "seen in 12 of 4,000 runs (0.003)".
// What differs most between outputs on the two inputs, if the claim is violated; or empty.
std::string difference_text(const AuditReport& report);
// What a search saw that ended before anything was certified; or empty.
std::string estimate_text(const AuditReport& report);
std::string seen_text(std::int64_t hits, std::int64_t runs);
// "512 of 1,000 runs fail on the base input, ...".
std::string failures_text(const FailureEvidence& found);

// The rewards r_1..r_T, with the changed one as "[D -> D']": "0 x 49, [0 -> 1], 0 x 50". Beyond about a dozen
// groups of equal rewards, "..." replaces the rest.
std::string stream_text(const WorstPair& pair);
std::string row_text(const std::vector<double>& row);  // the same for one row
std::string actions_text(const std::vector<int>& actions);

}  // namespace assay
