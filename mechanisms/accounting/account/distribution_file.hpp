// Distributions of outputs and of losses from CSV files.
//
// A line has one number in each column; spaces around it, empty lines and lines that start with '#' are skipped. The first
// line may name the columns, in any order. Decimals are read as the nearest doubles. A loss may be "inf".
//
// The losses l_i with masses m_i under P stand for the pair P = (m_i), Q = (m_i e^-l_i), where what is missing from 1 in Q is an
// output of Q alone.                                                                                                        (1)
// Errors name the file, the line and the column: a file that cannot be read or has more than 1,000,000 lines of numbers, a
// word that is no number, masses outside [0, 1] or that do not sum to 1 within 1e-12, losses outside -700 to 700, losses
// whose Q in (1) sums to more than 1 + 1e-12.
// Threads: pure functions, which read the file.
#pragma once

#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

// The step with the numbers of its file; a step without a file is unchanged.
Result<FinitePairStep> with_file(FinitePairStep step);
Result<LossDistributionStep> with_file(LossDistributionStep step);

// Of (1). Precondition of these: a step of with_file().
StepLosses distribution_losses(const LossDistributionStep& step);
// The largest loss of this order; infinite where an output of one side alone exists.
detail::Enclosure distribution_largest_loss(const LossDistributionStep& step,
                                            SamplingDirection order);
// An upper bound of the Renyi divergence of this order > 1, the larger of both orders of the neighbours.
double distribution_divergence(const LossDistributionStep& step, double order);

}  // namespace assay
