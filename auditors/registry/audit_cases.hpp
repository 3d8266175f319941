// The list of all audit cases: the policies and mechanisms that a user can audit by name. `assay list`,
// `assay explain`, the reading of options and the tests all use this list.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Every case, in the order that `assay list cases` prints.
const std::vector<std::unique_ptr<AuditCase>>& audit_cases();

// Errors: an unknown id. The message names the nearest known one.
Result<const AuditCase*> find_audit_case(std::string_view id);

}  // namespace assay
