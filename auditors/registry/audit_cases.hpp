// Every audit case, registered once. `assay list`, `assay explain`, parsing and tests use this list.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Every case, in the order that `assay list cases` prints.
const std::vector<std::unique_ptr<AuditCase>>& audit_cases();

// Errors: an unknown id, with the nearest known one.
Result<const AuditCase*> find_audit_case(std::string_view id);

}  // namespace assay
