// The cases of selection, compiled here once.
#include "assay/auditors/mechanisms/mechanism_case.hpp"
#include "assay/auditors/mechanisms/selection.hpp"

namespace assay {

template std::unique_ptr<AuditCase> make_mechanism_case<ExponentialMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<PermuteAndFlip>();
template std::unique_ptr<AuditCase> make_mechanism_case<ReportNoisyMax>();
template std::unique_ptr<AuditCase> make_mechanism_case<TopK>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::PeelingMechanism>();

}  // namespace assay
