// The cases of counters, compiled here once.
#include "assay/auditors/mechanisms/counters.hpp"
#include "assay/auditors/mechanisms/mechanism_case.hpp"

namespace assay {

template std::unique_ptr<AuditCase> make_mechanism_case<TreeCounterMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<HonakerCounterMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<HybridCounterMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::SquareRootCounterMechanism>();

}  // namespace assay
