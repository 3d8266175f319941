// The cases of integer inputs, compiled here once.
#include "assay/auditors/mechanisms/integer_inputs.hpp"
#include "assay/auditors/mechanisms/mechanism_case.hpp"

namespace assay {

template std::unique_ptr<AuditCase> make_mechanism_case<RandomizedResponse>();
template std::unique_ptr<AuditCase> make_mechanism_case<UnaryEncoding>();
template std::unique_ptr<AuditCase> make_mechanism_case<TruncatedGeometric>();
template std::unique_ptr<AuditCase> make_mechanism_case<Rappor>();
template std::unique_ptr<AuditCase> make_mechanism_case<OneTimeRappor>();

}  // namespace assay
