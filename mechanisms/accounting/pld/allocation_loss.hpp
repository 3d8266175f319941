// The privacy loss of random allocation: of t batches, a record takes part in exactly one, or k, chosen uniformly.
//
//   auto base = loss_of::gaussian(1.0);  // noise over sensitivity
//   auto epoch = loss_of::allocated(*base, 100, SamplingDirection::kRemove);
//   auto eps = pld_epsilon(std::vector{PldTerm{epoch->upper, 1}}, Delta{1e-6});  // upper: .8581
//
// Privacy: let each batch's step be dominated by the base pair (P, R), P with the record, whatever was seen before. Let
// x = dP/dR, x_1, .., x_t independent copies of it under R, and
//   u = (x_1 + .. + x_t)/t                                                                      (1)
// Then the epoch is dominated by the pair with the likelihood ratio u:
//   remove   loss log u under u R:   H_a = P(u = inf) + E_R (u - a)+                            (2)
//   add      loss -log u under R:    H_a = E_R (1 - a u)+                                       (3)
// and t steps that are equal to the base attain it. Epochs with new draws compose; in one order, both orders apart.
//
// Accuracy: `upper` and `lower` have profiles above and below that of (1) at every eps of either sign, and so have their
// compositions. All errors are rounded outward. At delta and for one epoch their eps differ by about relative_width of
// it, if max_cells suffice; the bounds hold in any case. They are wide where the base's own tails are: choose its
// log_tail far below delta, and for Gaussian noise below 0.2 at -600, since R lies in the tail of P there.
// Proofs and references: docs/proofs/random_allocation.md.
// Errors: /base without a finite loss; /batches outside 1..1e7; /delta, /relative_width or /max_cells outside the ranges
// below; kLimit for losses of one batch beyond 300 (Gaussian noise below about 0.06); kInterrupted.
// Threads: pure. Cost: 0.1 s for 100 batches, 0.5 s for 10,000.
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
  double delta = 1e-6;           // 1e-100 to 1: the bounds are tight around its eps
  double relative_width = 1e-4;  // 1e-9 to 0.1, of that eps
  std::int64_t max_cells =
      4096;  // 16 to 65536, of the distribution of a sum; time grows with its square
  const std::atomic<bool>* cancel = nullptr;  // polled between sums
};

namespace loss_of {

Result<BracketedLoss> allocated(const PrivacyLoss& base, std::int64_t batches,
                                SamplingDirection direction, const AllocationOptions& options = {});

// k participations in t batches, all choices of k alike: u is e_k(x_1, .., x_t)/binom(t, k), whose distribution is not
// computed. `upper` and `lower` are two pairs:
//   upper   composes k draws of one of t/k batches each, rounded down for k - r of them and up for r = t mod k   (6)
//   lower   is that of S, the sum of labels of the x_i, of which k are under P: a function of the outputs        (7)
// Errors also: /participations outside 1..t - 1.
Result<BracketedLoss> allocated_several(const PrivacyLoss& base, std::int64_t batches,
                                        std::int64_t participations, SamplingDirection direction,
                                        const AllocationOptions& options = {});

}  // namespace loss_of

namespace detail {

// The upper bound of `allocated`, with atoms alone.
Result<PrivacyLoss> allocated_atoms(const PrivacyLoss& base, std::int64_t batches,
                                    SamplingDirection direction, const AllocationOptions& options);
// The eps >= 0 at which the profile of atoms is delta, without its errors: for choices only.
double epsilon_estimate(const PrivacyLoss& loss, double delta);

}  // namespace detail
}  // namespace assay
