// A step of Gaussian noise on a sum that the records at stake move by a random amount: a mixture of Gaussians.
//
// With a probability weights[k] they move the sum by at most shifts[k] in L2 distance: records of one person that take part
// together or by themselves, or any other sampler of one's own whose number of moves does not depend on the other
// records. To replace them moves the sum the other way. The pairs are those of mixture_loss.hpp, exact in each order.
// Errors: those of mixture_loss.hpp. Threads: values.
#pragma once

#include <string_view>
#include <vector>

#include "assay/mechanisms/accounting/account/sampled_step.hpp"
#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

struct GaussianMixtureStep {
  static constexpr std::string_view kName = "gaussian-mixture";
  static constexpr std::string_view kTitle =
      "Gaussian noise on a sum that moves by a random amount";
  double sigma = 0.0;
  SampledRelation relation = SampledRelation::kAddOrRemove;
  std::vector<double> weights;
  std::vector<double> shifts;
  static void fields(auto&& visit) {
    using C = GaussianMixtureStep;
    visit(field("sigma", &C::sigma, kStepScale, "", "the standard deviation of the noise"));
    visit(field("relation", &C::relation, Range{}, "", "the relation of the neighbours"));
  }
  static void texts(auto&& visit) {
    using Numbers = TextParameter<GaussianMixtureStep, std::vector<double>>;
    visit(Numbers{"weights", &GaussianMixtureStep::weights, "sum to 1",
                  "the probability of each amount by which the records move the answer"});
    visit(Numbers{"shifts", &GaussianMixtureStep::shifts, "at least 0",
                  "these amounts, as many, in L2 distance"});
  }
  // Without it, the equality of configurations would compare the fields alone.
  friend bool operator==(const GaussianMixtureStep&, const GaussianMixtureStep&) = default;
};

Result<StepLosses> mixture_losses(const GaussianMixtureStep& step,
                                  const LossAccuracy& accuracy = {});
// The least upper bound of the loss in this order; infinite where the sum always moves, and for a removed record.
detail::Enclosure mixture_largest_loss(const GaussianMixtureStep& step, SamplingDirection order);

}  // namespace assay
