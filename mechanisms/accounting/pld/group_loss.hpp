// The privacy loss of a group of records, from that of one record.
//
//   auto three = loss_of::group(*loss_of::finite_pair(p, q), 3);
//
// From D to D' lead k changes of one record. With g(x) the largest power of a test of level x for P against Q, the pair of
// one change, such a test for the whole group has at most the power
//   g(g(.. g(x)))   (k times)                                                                   (1)
// In hockey-stick divergences H(a) = sum (P - a Q)+ that is the least of H(a_1) + a_1 H(a_2) + a_1 a_2 H(a_3) + .. over
// all a_1 a_2 .. a_k = a. Among all mechanisms for which every single change has at most the power g, some reach (1).
// For finitely many outputs (1) is a walk: g and g(.. g) by decreasing losses, side by side along the distribution between
// them. A piece of mass m of that distribution, between the losses l and l', has
//   the loss l + l',  the mass m e^l under P,  the mass m e^-l' under Q                         (2)
// Proofs, also of the errors: docs/proofs/groups.md. Reference: Dong, Roth, Su (JRSS B, 2022), theorem 2.14, for (1).
//
// Errors: losses with a density; a size outside 1 to 1000; more than 4e7 for size^2 times the number of outputs; losses that sum to
// more than 650. Threads: pure functions. Cost: 30 ns for each of size^2/2 times the number of outputs.
#pragma once

#include <cstdint>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::loss_of {

// (1), in the order of the neighbours that `one` has.
Result<PrivacyLoss> group(const PrivacyLoss& one, std::int64_t size);

}  // namespace assay::loss_of
