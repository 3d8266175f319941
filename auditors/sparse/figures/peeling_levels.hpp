// fliphat-peeling: what the peelings of a call of N-IHT give up, at the parameters of the paper's
// experiments: delta at the level promised, by peeling_composition.hpp, for the paper's noise with the
// sensitivity that it assumes and with the true one, and for the corrected noise. Computed.
//
// From below, where one iteration is made: records of which the replaced one moves half of the entries
// up and half of them down by the whole sensitivity (x = x_max on some entries and -x_max on the others,
// y = R, against their opposites), the others holding them at one size; contexts of all arms alike. A
// level of the release; the transcript of actions sees less.
#pragma once

#include "assay/auditors/figures/experiment.hpp"

namespace assay::detail {

Experiment peeling_levels();

}  // namespace assay::detail
