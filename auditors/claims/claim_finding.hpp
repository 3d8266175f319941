// The result of the check of a claim.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

struct Certificate;  // certificates/certificate.hpp

enum class ClaimVerdict {
  kHolds,         // proved exactly, or certified over the domain that the finding states
  kNotRefuted,    // a search found nothing; the finding states its domain
  kRefuted,       // with a certificate that an independent check has accepted
  kVacuous,       // true, but no better than the trivial bound anywhere in the tested domain
  kInconclusive,  // the check could not decide
};
constexpr std::array<std::pair<ClaimVerdict, std::string_view>, 5> enum_names(ClaimVerdict) {
  return {{{ClaimVerdict::kHolds, "Holds"},
           {ClaimVerdict::kNotRefuted, "NotRefuted"},
           {ClaimVerdict::kRefuted, "Refuted"},
           {ClaimVerdict::kVacuous, "Vacuous"},
           {ClaimVerdict::kInconclusive, "Inconclusive"}}};
}

// A table of numbers for the reader ("T", "lower bound on mu", ...), one row per case.
struct FindingTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct ClaimFinding {
  ClaimVerdict verdict = ClaimVerdict::kInconclusive;
  std::string summary;  // one sentence: the reason for the verdict
  // What the check covered, with its limits. If the claim holds: what the proof covers, up to the first
  // semicolon, then what was searched or run beside it.
  std::string domain;
  std::vector<std::string> evidence;  // lines of text
  FindingTable table;                 // may be empty
  std::int64_t evaluations = 0;       // points, states or runs examined
  double confidence = 1.0;            // with which the verdict holds; 1 if it is not statistical
  std::shared_ptr<const Certificate> certificate;  // present if and only if the verdict is Refuted
};

}  // namespace assay
