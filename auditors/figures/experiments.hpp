// Every experiment, registered once: `assay simulate`, `list`, `explain` and tests derive from this
// list.
#pragma once

#include "assay/auditors/bandits/figures/thompson_sampling_figures.hpp"
#include "assay/auditors/experts/figures/experts_figures.hpp"
#include "assay/mechanisms/core/type_list.hpp"

namespace assay {

using Experiments =
    TypeList<ThompsonSamplingFigure1, ThompsonSamplingFigure2, ThompsonSamplingFigure3,
             ThompsonSamplingFigure4, ThompsonSamplingFigure5, ThompsonSamplingFigure6,
             ThompsonSamplingFigure7, ThompsonSamplingFigure8, ExpertsOneGap, ExpertsResampling,
             ExpertsDeterministic>;

}  // namespace assay
