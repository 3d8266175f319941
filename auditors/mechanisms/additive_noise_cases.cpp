// The cases of additive noise, compiled here once.
#include "assay/auditors/mechanisms/additive_noise.hpp"
#include "assay/auditors/mechanisms/mechanism_case.hpp"

namespace assay {

template std::unique_ptr<AuditCase> make_mechanism_case<LaplaceMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<GaussianMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<SnappedLaplace>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::LaplaceMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::GaussianMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<DiscreteLaplaceMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<DiscreteGaussianMechanism>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::NoisyHistogram>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::PrefixSum>();
template std::unique_ptr<AuditCase> make_mechanism_case<idealized::ParallelLaplace>();

}  // namespace assay
