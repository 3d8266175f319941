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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A parameter must be given if its default is outside its range.
inline constexpr Range kStepScale{1e-12, 1e12};
inline constexpr Range kStepLevel{1e-9, 300.0};

struct GaussianStep {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kTitle = "Gaussian noise";
  double sigma = 0.0;
  double sensitivity = 1.0;
  static void fields(auto&& visit) {
    using C = GaussianStep;
    visit(field("sigma", &C::sigma, kStepScale, "", "the standard deviation of the noise"));
    visit(field("sensitivity", &C::sensitivity, kStepScale, "",
                "how far one record moves the answer, or a vector in L2 distance"));
  }
};

struct LaplaceStep {
  static constexpr std::string_view kName = "laplace";
  static constexpr std::string_view kTitle = "Laplace noise";
  double scale = 0.0;
  double sensitivity = 1.0;
  static void fields(auto&& visit) {
    using C = LaplaceStep;
    visit(field("scale", &C::scale, kStepScale, "",
                "the scale b of the noise, of density ~ e^(-|x|/b)"));
    visit(field("sensitivity", &C::sensitivity, kStepScale, "",
                "how far one record moves the answer"));
  }
};

struct DiscreteLaplaceStep {
  static constexpr std::string_view kName = "discrete-laplace";
  static constexpr std::string_view kTitle = "Laplace noise on integers, sensitivity 1";
  double scale = 0.0;
  static void fields(auto&& visit) {
    visit(field("scale", &DiscreteLaplaceStep::scale, Range{1e-2, 1e6}, "", "the scale b"));
  }
};

struct DiscreteGaussianStep {
  static constexpr std::string_view kName = "discrete-gaussian";
  static constexpr std::string_view kTitle = "Gaussian noise on integers, sensitivity 1";
  double sigma = 0.0;
  static void fields(auto&& visit) {
    visit(field("sigma", &DiscreteGaussianStep::sigma, Range{0.05, 1e4}, "",
                "the sigma of the weights e^(-k^2/(2 sigma^2))"));
  }
};

struct RandomizedResponseStep {
  static constexpr std::string_view kName = "randomized-response";
  static constexpr std::string_view kTitle = "Randomised response";
  double epsilon = 0.0;
  std::int64_t answers = 2;
  static void fields(auto&& visit) {
    using C = RandomizedResponseStep;
    visit(field("epsilon", &C::epsilon, kStepLevel, "",
                "the eps of the level, for randomised response the log odds of a true answer"));
    visit(field("answers", &C::answers, Range{2, 1e9}, "", "the number of possible answers"));
  }
};

struct SubsampledGaussianStep {
  static constexpr std::string_view kName = "subsampled-gaussian";
  static constexpr std::string_view kTitle =
      "Gaussian noise on a Poisson sample, one record added or removed";
  double sigma = 0.0;
  double sampling = 0.0;
  double sensitivity = 1.0;
  static void fields(auto&& visit) {
    using C = SubsampledGaussianStep;
    visit(field("sigma", &C::sigma, kStepScale, "", "the standard deviation of the noise"));
    visit(field("sampling", &C::sampling, Range{1e-9, 1.0 - 1e-9}, "",
                "the probability that a record is in the sample"));
    visit(field("sensitivity", &C::sensitivity, kStepScale, "",
                "how far one record moves the answer, or a vector in L2 distance"));
  }
};

struct PureStep {
  static constexpr std::string_view kName = "pure";
  static constexpr std::string_view kTitle = "Any eps-DP mechanism";
  double epsilon = 0.0;
  static void fields(auto&& visit) {
    visit(field("epsilon", &PureStep::epsilon, kStepLevel, "", "the eps of the level"));
  }
};

struct ApproximateStep {
  static constexpr std::string_view kName = "approximate";
  static constexpr std::string_view kTitle = "Any (eps, delta)-DP mechanism";
  double epsilon = 0.0;
  double own_delta = -1.0;
  static void fields(auto&& visit) {
    using C = ApproximateStep;
    visit(field("epsilon", &C::epsilon, kStepLevel, "", "the eps of the level"));
    visit(
        field("own_delta", &C::own_delta, Range{0.0, 1.0 - 0x1p-53}, "", "the delta of the level"));
  }
};

struct GdpStep {
  static constexpr std::string_view kName = "gdp";
  static constexpr std::string_view kTitle = "Any mu-GDP mechanism";
  double mu = 0.0;
  static void fields(auto&& visit) {
    visit(field("mu", &GdpStep::mu, Range{1e-6, 100.0}, "", "the mu of the level"));
  }
};

struct ZcdpStep {
  static constexpr std::string_view kName = "zcdp";
  static constexpr std::string_view kTitle = "Any rho-zCDP mechanism";
  double rho = 0.0;
  static void fields(auto&& visit) {
    visit(field("rho", &ZcdpStep::rho, kStepScale, "", "the rho of the level"));
  }
};

// An explicit pair: p is the distribution with the record, q the one without it.
struct FinitePairStep {
  static constexpr std::string_view kName = "finite-pair";
  static constexpr std::string_view kTitle = "Two distributions over the same outputs";
  std::vector<double> p;
  std::vector<double> q;
};

using StepMechanism =
    std::variant<GaussianStep, LaplaceStep, DiscreteLaplaceStep, DiscreteGaussianStep,
                 RandomizedResponseStep, SubsampledGaussianStep, PureStep, ApproximateStep, GdpStep,
                 ZcdpStep, FinitePairStep>;

// The name, title and parameters of a step, for help and errors.
struct StepDescription {
  std::string name;
  std::string title;
  std::vector<FieldDescription> parameters;
};
std::vector<StepDescription> step_descriptions();

// Makes a step from its name and its parameters as text, each given at most once. Errors: an unknown name or parameter
// (the message lists the known ones); a parameter that is missing, out of range or contradictory.
Result<StepMechanism> make_step(const std::string& name, std::span<const KeyValue> parameters);
std::string step_name(const StepMechanism& step);
std::vector<KeyValue> step_parameters(const StepMechanism& step);
// "gaussian, sigma 2, sensitivity 1".
std::string to_string(const StepMechanism& step);

// Whether the step adds independent noise to one answer, so that k answers with its noise are k releases.
bool has_independent_noise(const StepMechanism& step);

struct Unknown {
  std::string why;
};
template <class T>
using Known = tl::expected<T, Unknown>;

struct DirectedLosses {
  PrivacyLoss remove;
  PrivacyLoss add;
  bool symmetric = true;  // whether the two orders are equal
};
// The dominating pair; Unknown for zCDP. The outer Result has the errors of the pair itself. Normal tails
// extend down to probability e^log_tail, with log_tail in -600 to -20.
Result<Known<DirectedLosses>> step_losses(const StepMechanism& step,
                                          double log_tail = kDefaultLogTail);

Known<PureDp> step_pure(const StepMechanism& step);
Known<GaussianDp> step_gaussian(const StepMechanism& step);
Known<ZeroConcentratedDp> step_zcdp(const StepMechanism& step);
Known<RenyiDp> step_renyi(const StepMechanism& step);
// The least upper bound of the pair's loss in this order, as an interval: eps at delta = 0.
Known<Interval<Epsilon>> step_largest_loss(const StepMechanism& step, SamplingDirection order);

// The level that basic and advanced composition use: the pure level if there is one, otherwise the (eps, delta) of the
// level itself, otherwise the eps of one release at this delta, which must be in (0, 1).
Result<ApproximateDp> step_single(const StepMechanism& step, Delta delta);

}  // namespace assay
