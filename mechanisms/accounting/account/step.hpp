// A step of a chain of releases to account for: a mechanism or a level, with its parameters.
//
// Each property of a step has a function below:
//   losses      its dominating pair, in both orders: the record in P (remove) or in Q (add)
//   pure        eps of eps-DP           mu      of mu-GDP           rho    of rho-zCDP
//   renyi       an upper curve          single  (eps, delta) of one release
// If a mechanism has no such level, the result is `Unknown` with the reason in words (Gaussian noise has
// no pure eps).
//
// The pairs. For the noise mechanisms they are those of privacy_loss.hpp (a sensitivity s divides
// the scale by s), the same in both orders. eps-DP is a post-processing of randomised response with
// odds e^eps. (eps, delta)-DP is a post-processing of a response that gives the input itself with
// probability delta and randomised response otherwise (Kairouz, Oh, Viswanath),
//   P = (delta, (1 - delta) e^eps/(1 + e^eps), (1 - delta)/(1 + e^eps), 0),  Q mirrored          (1)
// so each of these levels has a pair that dominates every mechanism of the level. mu-GDP is dominated by Gaussian
// noise of sigma = 1/mu (Dong, Roth, Su, definition 2.6). rho-zCDP has none: its profile is an
// infimum over Renyi orders, which no single pair attains.
//
// Renyi curve of the subsampled Gaussian, at whole orders a, and by convexity between them:
//   D_a = log(sum over k of C(a, k) (1 - q)^(a - k) q^k e^((k^2 - k)/(2 sigma^2)))/(a - 1)      (2)
// for a removed record, which is never below that for an added one (Mironov, Talwar, Zhang,
// theorem 5). For a finite pair the curve is the sum itself, the larger of both orders.
//
// Errors name the parameter and its range. Threads: values. Cost: at most 0.1 ms, but 10 ms for
// `single` where it composes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/mechanisms/accounting/account/above_threshold_step.hpp"
#include "assay/mechanisms/accounting/account/group_step.hpp"
#include "assay/mechanisms/accounting/account/integer_vector_step.hpp"
#include "assay/mechanisms/accounting/account/matrix_step.hpp"
#include "assay/mechanisms/accounting/account/mixture_step.hpp"
#include "assay/mechanisms/accounting/account/release_step.hpp"
#include "assay/mechanisms/accounting/account/sampled_step.hpp"
#include "assay/mechanisms/accounting/account/selection_step.hpp"
#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// To add a kind that has a pair: a struct like those of release_step.hpp, and its name here. Its fields give it parameters,
// help, errors and reports; its functions losses() and largest_loss() levels and compositions.
using StepMechanism =
    std::variant<GaussianStep, LaplaceStep, DiscreteLaplaceStep, DiscreteGaussianStep,
                 IntegerVectorStep, RandomizedResponseStep, ExponentialStep, PermuteAndFlipStep,
                 NoisyMaxStep, UnaryEncodingStep, RapporStep, TruncatedGeometricStep,
                 AboveThresholdStep, PureStep, ApproximateStep, GdpStep, ZcdpStep,
                 RepeatAndSelectStep, FinitePairStep, LossDistributionStep, GaussianMixtureStep,
                 MatrixStep, SampledStep, GroupStep>;

inline constexpr std::string_view kSubsampledGaussian = "subsampled-gaussian";

// The name, title and parameters of a step, for help and errors.
struct StepDescription {
  std::string name;
  std::string title;
  std::vector<FieldDescription> parameters;
};
std::vector<StepDescription> step_descriptions();
// The samplers that a step can name as its parameter `sampler`, with the parameters that each adds to those of the noise.
std::vector<StepDescription> sampler_descriptions();

// Whether the relation of the neighbours is a parameter of this mechanism or sampler, because the cost depends on it.
bool takes_relation(const std::string& name, bool has_sampler);

// Makes a step from its name and its parameters as text, each given at most once. With `sampler` it is a SampledStep, and
// "subsampled-gaussian" is short for gaussian with the sampler poisson. Errors: an unknown name or parameter
// (the message lists the known ones); a parameter that is missing, out of range or contradictory; a mechanism that
// no theorem covers with this sampler.
Result<StepMechanism> make_step(const std::string& name, std::span<const KeyValue> parameters);
// Takes the group of a step without a sampler out of its parameters; 1 if they have none. Errors: those of the text, and a group
// outside 1 to 1000.
Result<std::int64_t> take_group(const std::string& name, std::vector<KeyValue>& parameters);
std::string step_name(const StepMechanism& step);
std::vector<KeyValue> step_parameters(const StepMechanism& step);
// "gaussian, sigma 2, sensitivity 1".
std::string to_string(const StepMechanism& step);

// Whether the step adds independent noise to one answer, so that k answers with its noise are k releases.
bool has_independent_noise(const StepMechanism& step);

// The relation of the neighbours, "add-or-remove" or "replace-one", that a sampler implies; empty for other steps.
std::string step_relation(const StepMechanism& step);

// Whether a pair above the step is known. Levels of zCDP have none, nor have selections among their mechanisms; chains
// with such a step are composed by Renyi divergences.
bool has_pair(const StepMechanism& step);
// The pairs; Unknown where has_pair() is false. The outer Result has the errors of the pair itself; also: kInterrupted.
Result<Known<StepLosses>> step_losses(const StepMechanism& step, const LossAccuracy& accuracy = {});
// The pairs that lower bounds rest on, also of steps with none above; Unknown for a level of zCDP.
Result<Known<std::vector<RepeatedLosses>>> step_attained(const StepMechanism& step,
                                                         const LossAccuracy& accuracy = {});

Known<PureDp> step_pure(const StepMechanism& step);
Known<GaussianDp> step_gaussian(const StepMechanism& step);
Known<ZeroConcentratedDp> step_zcdp(const StepMechanism& step);
Known<RenyiDp> step_renyi(const StepMechanism& step);
// The least upper bound of the loss in this order, as an interval: eps at delta = 0.
Known<Interval<Epsilon>> step_largest_loss(const StepMechanism& step, SamplingDirection order);

// The level that basic and advanced composition use: the pure level if there is one, otherwise the (eps, delta) of the
// level itself, otherwise the eps of one release at this delta, which must be in (0, 1).
Result<ApproximateDp> step_single(const StepMechanism& step, Delta delta);

}  // namespace assay
