// An audit case: a policy or mechanism that can be audited by name, with its parameters.
//
// A case makes the subject of an audit (audited_subject.hpp) from its parameters, and describes itself to
// `explain` and `list`. The audit treats all subjects alike (audit.hpp).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/engine/audit.hpp"
#include "assay/auditors/engine/audit_request.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// How `explain` and `list` describe a case.
struct CaseDescription {
  std::string id = {};
  std::string title = {};
  std::string about = {};  // a paragraph
  Relation relation = Relation::kReplaceOneReward;
  View view = View::kActions;
  std::string input = {};                     // the content of the file --input
  InputKind input_kind = InputKind::kBandit;  // for a mechanism that file holds both inputs
  std::vector<std::string> methods = {};
  std::vector<FieldDescription> parameters = {};
  std::vector<std::string> claims =
      {};  // published claims, as `--claim` takes them, with their source
  std::string reference = {};
};

class AuditCase {
 public:
  virtual ~AuditCase() = default;
  virtual std::string_view id() const = 0;
  virtual CaseDescription describe() const = 0;
  // Errors: parameters that are unknown or out of range, sizes that cannot be audited.
  virtual Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const = 0;

  // Errors: those of subject(), and of the claim, the input and the method.
  Result<PreparedAudit> prepare(const AuditRequest& request) const;
  // Prepares the audit and runs it: prepare(), then run_audit().
  Result<AuditReport> run(const AuditRequest& request, const RunControl& control) const;
};

// A row of a family's table of cases: the description of the case, and the function that makes its subject.
class ListedCase final : public AuditCase {
 public:
  using MakeSubject =
      std::function<Result<AuditedSubject>(const CaseDescription&, const std::vector<KeyValue>&)>;
  ListedCase(CaseDescription description, MakeSubject make_subject)
      : description_(std::move(description)), make_subject_(std::move(make_subject)) {}

  std::string_view id() const override { return description_.id; }
  CaseDescription describe() const override { return description_; }
  Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const override {
    return make_subject_(description_, parameters);
  }

 private:
  CaseDescription description_;
  MakeSubject make_subject_;
};

}  // namespace assay
