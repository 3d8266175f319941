// fliphat-peeling: the privacy loss of the peelings of a call of N-IHT, at the parameters of the paper's experiments.
// It is the delta at the promised level, by peeling_composition.hpp, for the paper's noise with the sensitivity that it
// assumes and with the true one, and for the corrected noise. The figure is
// computed and not simulated.
//
// The bound from below is for one iteration. The replaced record moves half of the entries up and half of them down by
// the whole sensitivity (x = x_max on some entries and -x_max on the others, y = R, against their opposites). The other
// records hold the entries at one size, and the contexts of all arms are alike. This is a level of the release; the
// transcript of actions reveals less.
#pragma once

#include "assay/auditors/figures/experiment.hpp"

namespace assay::detail {

Experiment peeling_levels();

}  // namespace assay::detail
