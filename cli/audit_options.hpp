// Which options of `assay audit` have an effect on which audit.
#pragma once

#include <string>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/cli/audit_words.hpp"
#include "assay/cli/options.hpp"
#include "assay/policies/external/target.hpp"

namespace assay::cli {

enum class SubjectKind { kCase, kProgram, kPlugin, kRecorded };

// What decides which options an audit uses.
struct AuditTraits {
  SubjectKind subject = SubjectKind::kCase;
  std::string name;                      // of the case
  InputKind input = InputKind::kBandit;  // of the case
  InputKind kind = InputKind::kBandit;   // of a target outside
  std::string method;                    // "exact", "likelihood", "events" or "one-run"
  bool claims_mu = false;
};

Status refuse_unused(const App& app, const AuditTraits& traits, const AuditWords& words);

}  // namespace assay::cli
