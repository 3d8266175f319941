// The privacy loss of one release on a random sample of the records.
//
// A release adds noise to a sum, and one record moves the sum by 1. Under R the record is absent, under P it is
// present and under V its opposite is; u = dP/dR and v = dV/dR are the likelihood ratios. A sample has the record with
// probability q. With a record of the worst kind, and others that contribute nothing, the pairs are
//   poisson, remove    (1 - q) R + q P  against  R:      log(1 - q + q u)                       (1)
//   poisson, add       R  against  (1 - q) R + q P:     -log(1 - q + q u)                       (2)
//   poisson_replaced   (1 - q) R + q P  against  (1 - q) R + q V:
//                                        log(1 - q + q u) - log(1 - q + q v)                   (3)
//   fixed_size_replaced   batches of fixed size, and P and R the noise with one of two records: no data sets have
//                      this pair, and it dominates all. Losses above 0 are those of (1), below 0 those of (2), and
//                      the rest is an atom at 0                                                (4)
//   flagged            with probability w the pair `second`, otherwise `first`, and the output says which  (5)
// (1) to (3) dominate every release of the sampler, also of vectors whose norm one record moves by 1 (L2 for Gaussian
// noise, L1 for Laplace noise), and these data sets have them. (4) is exact for one release.
//
// A mechanism of eps-DP has the ratios of discrete Laplace noise of scale 1/eps, and one of mu-GDP those of Gaussian
// noise of sigma 1/mu, so (1) to (4) serve these levels as well.
//
// Reference: docs/proofs/sampling.md, which proves (3) and (4) and names the sources of (1), (2) and (5).
// Errors: parameters of privacy_loss.hpp; a shift of continuous noise other than 1; q outside 1e-9..1 - 1e-9.
// Threads: pure functions. Cost: that of the loss without sampling.
#pragma once

#include <cstdint>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Noise that is added to a sum, in units in which one record moves it by 1; on integers, by `shift`.
struct AddedNoise {
  enum class Kind { kGaussian, kLaplace, kDiscreteGaussian, kDiscreteLaplace };
  Kind kind = Kind::kGaussian;
  double scale = 1.0;  // sigma, or b
  std::int64_t shift = 1;
};

namespace loss_of {

Result<PrivacyLoss> poisson(const AddedNoise& noise, double sampling, SamplingDirection direction,
                            double log_tail = kDefaultLogTail);
Result<PrivacyLoss> poisson_replaced(const AddedNoise& noise, double sampling,
                                     double log_tail = kDefaultLogTail);
Result<PrivacyLoss> fixed_size_replaced(const AddedNoise& noise, double sampling,
                                        double log_tail = kDefaultLogTail);
// `weight` in [0, 1], right to weight_error of itself, as 1 - weight is.
PrivacyLoss flagged(const PrivacyLoss& first, const PrivacyLoss& second, double weight,
                    double weight_error);

}  // namespace loss_of
}  // namespace assay
