// The privacy loss of random allocation: of t batches, a record takes part in exactly one, chosen uniformly.
//
//   auto base = loss_of::gaussian(1.0);                     // noise over sensitivity
//   auto epoch = loss_of::allocated(*base, 100, SamplingDirection::kRemove);
//   // eps at delta = 1e-6, by pld_epsilon of epoch->lower and of epoch->upper: .85798
//
// Privacy: let each batch's step be dominated by the base pair (P, R), P with the record, also given what was seen before.
// Let x = dP/dR, x_1, .., x_t independent copies of it under R, and
//   u = (x_1 + .. + x_t)/t                                                                      (1)
// Then the epoch is dominated by the pair with the likelihood ratio u:
//   remove   loss log u under u R:   H_a = P(u = inf) + E_R (u - a)+                            (2)
//   add      loss -log u under R:    H_a = E_R (1 - a u)+                                       (3)
// and t steps that are equal to the base attain it. Epochs with new draws compose.
//
// Accuracy: `upper` and `lower` have profiles above and below that of (1) at every eps of either sign, and so have their
// compositions. All errors are rounded outward. At delta and for one epoch their eps differ by about relative_width of
// it, if max_points suffice; in any case the bounds hold.
// Proofs and references: docs/proofs/random_allocation.md.
// Errors: /batches outside 1..1e7, /delta outside (1e-200, 1), /relative_width outside [1e-9, 0.1], /max_points outside
// [1024, 2^26]; kLimit for likelihood ratios above e^600 (Gaussian noise below 0.04 of the sensitivity); kInterrupted.
// Threads: pure. Cost: 0.1 to 1 s. Memory: 64 max_points bytes.
#pragma once

#include <atomic>
#include <cstdint>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct BracketedLoss {
  PrivacyLoss upper;
  PrivacyLoss lower;
};

struct AllocationOptions {
  double delta = 1e-6;            // the bounds are tight around the eps of this delta
  double relative_width = 1e-4;   // of that eps
  std::int64_t max_cells = 4096;  // for the distribution of a sum; time grows with its square
  const std::atomic<bool>* cancel = nullptr;  // polled between transforms
};

namespace loss_of {

Result<BracketedLoss> allocated(const PrivacyLoss& base, std::int64_t batches,
                                SamplingDirection direction, const AllocationOptions& options = {});

}  // namespace loss_of
}  // namespace assay
