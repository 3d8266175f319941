// The pairs of above_threshold_step.hpp: of the flags of answers from above, and of explicit answers from below.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mechanisms/accounting/account/above_threshold_step.hpp"
#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay::detail {

// A pair of profile (1) of at most `answers`, or of (2), raised by less than 1e-9 of itself. `move` is m in units of the noise's
// scale, from 1e-6 to 100.
PrivacyLoss gaussian_flags(double move, std::int64_t answers, double log_tail);
PrivacyLoss laplace_flags(double move);

// A symmetric pair above the noise of a threshold that moves by `threshold` scales, composed with `flags`. Profiles below
// e^log_tail are cut off.
PrivacyLoss one_run(FlagNoise noise, double threshold, const PrivacyLoss& flags, double log_tail);

// (5), in units of the threshold's scale, of which the answers' scale is `scale`.
struct FlagStream {
  FlagNoise noise = FlagNoise::kLaplace;
  double scale = 1.0;
  std::int64_t first = 0;  // n
  double first_level = 0.0;
  std::int64_t blocks = 1;  // c
  std::int64_t size = 1;    // g
  double level = 0.0;

  // The levels moved up: the probabilities of a flag among the first, and of 0 to c blocks with a flag.
  std::vector<Enclosure> masses(double first_move, double move) const;
  // Quickly and without bounds.
  std::vector<double> rough_masses(double first_move, double move) const;
};

}  // namespace assay::detail
