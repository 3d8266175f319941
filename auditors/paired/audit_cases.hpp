// Every audit case, registered once: `assay list`, `explain`, parsing and tests derive from this
// list. (Self-registering statics would vanish from a static library.)
#pragma once

#include "assay/auditors/paired/ftnl.hpp"
#include "assay/auditors/paired/mechanisms/additive_noise.hpp"
#include "assay/auditors/paired/mechanisms/counters.hpp"
#include "assay/auditors/paired/mechanisms/integer_inputs.hpp"
#include "assay/auditors/paired/mechanisms/mechanism_case.hpp"
#include "assay/auditors/paired/mechanisms/selection.hpp"
#include "assay/auditors/paired/mechanisms/sparse_vectors.hpp"
#include "assay/auditors/paired/thompson_sampling.hpp"
#include "assay/mechanisms/core/type_list.hpp"
#include "assay/mechanisms/release/mechanisms.hpp"

namespace assay {

// The policies, then every mechanism of the one list of mechanisms.
using AuditCases =
    JoinedList<TypeList<ThompsonSamplingCase, FtnlCase>, WrappedList<MechanismCase, Mechanisms>>;

}  // namespace assay
