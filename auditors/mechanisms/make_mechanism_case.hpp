// The cases of mechanisms, for the list of all cases.
#pragma once

#include <memory>

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

// The case of a mechanism. mechanisms/mechanism_case.hpp defines it; the file of each family instantiates it.
template <class M>
std::unique_ptr<AuditCase> make_mechanism_case();

}  // namespace assay
