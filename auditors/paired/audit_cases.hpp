// Every audit case, registered once: `assay list`, `explain`, parsing and tests derive from this
// list. (Self-registering statics would vanish from a static library.)
#pragma once

#include "assay/auditors/paired/ftnl.hpp"
#include "assay/auditors/paired/thompson_sampling.hpp"
#include "assay/mechanisms/core/type_list.hpp"

namespace assay {

using AuditCases = TypeList<ThompsonSamplingCase, FtnlCase>;

}  // namespace assay
