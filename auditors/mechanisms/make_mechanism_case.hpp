// The cases of mechanisms, for the list of all cases.
#pragma once

#include <memory>

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

// The case of a mechanism; defined in mechanisms/mechanism_case.hpp, for each in the file of its family.
template <class M>
std::unique_ptr<AuditCase> make_mechanism_case();

}  // namespace assay
