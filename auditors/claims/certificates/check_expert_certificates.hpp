// The checks of refutations of claims about RNM-FTNL (check_certificate.hpp holds what all share):
// every number again in 50 digits, from the inputs alone.
//
//   epoch     probabilities of one action by Gauss-Legendre panels or softmax (precise_choice.inc),
//             of absolute error below 1e-45; refutes if log(p/q) exceeds epsilon by more than 1e-20
//   regret    closed sums over epochs; refutes if the regret exceeds the bound by more than 1e-20
//   integral  closed form; refutes if it differs from the printed value by more than 1e-9
//   growth    both rates; refutes if they exceed 1e-20
// Threads: pure functions. Cost: below 1 ms, an epoch of 16 actions 30 ms.
#pragma once

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"

namespace assay {

Result<CertificateCheck> check_epoch(const EpochCounterexample& epoch);
Result<CertificateCheck> check_regret(const RegretCounterexample& regret);
Result<CertificateCheck> check_integral(const IntegralMismatch& mismatch);
Result<CertificateCheck> check_growth(const GrowthCounterexample& growth);

}  // namespace assay
