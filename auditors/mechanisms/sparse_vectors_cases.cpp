// The cases of sparse vectors, compiled here once.
#include "assay/auditors/mechanisms/mechanism_case.hpp"
#include "assay/auditors/mechanisms/sparse_vectors.hpp"

namespace assay {

template std::unique_ptr<AuditCase> make_mechanism_case<AboveThreshold>();
template std::unique_ptr<AuditCase> make_mechanism_case<ResettingAboveThreshold>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::NumericalSparseVector>();

}  // namespace assay
