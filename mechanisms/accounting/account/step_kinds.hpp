// The kinds of steps in a chain of releases: noise, levels of privacy, and explicit pairs, with their parameters.
//
// step.hpp makes steps from text and computes their losses and levels; sampled_step.hpp has the steps that run on a
// random sample of the records. Threads: values.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A parameter must be given if its default is outside its range.
inline constexpr Range kStepScale{1e-12, 1e12};
inline constexpr Range kStepLevel{1e-9, 300.0};
// `group` below is no parameter: group_step.hpp sets it. It is apart from the sensitivity, which it multiplies, because their
// product may be no double.

struct GaussianStep {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kTitle = "Gaussian noise";
  double sigma = 0.0;
  double sensitivity = 1.0;
  double group = 1.0;
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
  double group = 1.0;
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

// A parameter that is no field of a configuration: numbers, written "0.5,0.25,0.25", or a text.
template <class Step, class T>
struct TextParameter {
  std::string_view name;
  T Step::*member;
  std::string_view allowed;
  std::string_view help;
  bool is_required = true;
};

// An explicit pair: p is the distribution with the record, q the one without it. A file of both takes their place.
struct FinitePairStep {
  static constexpr std::string_view kName = "finite-pair";
  static constexpr std::string_view kTitle = "Two distributions over the same outputs";
  static constexpr std::string_view kFile = "pair";
  std::vector<double> p;
  std::vector<double> q;
  std::string file = {};
  static void texts(auto&& visit) {
    using Numbers = TextParameter<FinitePairStep, std::vector<double>>;
    visit(Numbers{"p", &FinitePairStep::p, "sum to 1",
                  "the distribution of the output with the record", false});
    visit(Numbers{"q", &FinitePairStep::q, "sum to 1",
                  "the distribution of the output without the record", false});
    visit(TextParameter<FinitePairStep, std::string>{
        kFile, &FinitePairStep::file, "FILE.csv",
        "the file of both distributions, with the columns p and q", false});
  }
};

// The distribution of the loss under P, with the record, read from a file.
struct LossDistributionStep {
  static constexpr std::string_view kName = "loss-distribution";
  static constexpr std::string_view kTitle = "A distribution of the privacy loss";
  static constexpr std::string_view kFile = "losses";
  std::string file;
  std::vector<double> losses = {};  // the last may be infinite
  std::vector<double> masses = {};
  static void texts(auto&& visit) {
    visit(TextParameter<LossDistributionStep, std::string>{
        kFile, &LossDistributionStep::file, "FILE.csv",
        "the file of the distribution, with the columns loss and mass (inf for an infinite loss)"});
  }
};

// ---- what is known of a step ----------------------------------------------------------------------

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
inline DirectedLosses both_orders(const PrivacyLoss& loss) { return {loss, loss, true}; }

struct RepeatedLosses {
  DirectedLosses losses;
  std::int64_t count = 1;
};

// The pair that dominates a step, and the one that explicit data sets have. Upper bounds rest on the first, lower bounds on
// the second.
struct StepLosses {
  DirectedLosses dominating;
  std::optional<DirectedLosses> attained;  // none: the same
  // Where the two are different pairs and not only two sides of one: why each holds, for reports.
  std::string dominating_source;
  std::string attained_source;
  // Pairs of the same release, composed with those above (sparse vector).
  std::vector<RepeatedLosses> more_dominating = {};
  std::vector<RepeatedLosses> more_attained = {};  // only where `attained` is given
};

inline constexpr double kRoughWidth = 1e-2;

// How losses are computed.
struct LossAccuracy {
  double log_tail =
      kDefaultLogTail;  // normal tails extend down to probability e^log_tail, -600 to -20
  double delta = 1e-6;  // losses that are only bounded are tight near this delta
  const std::atomic<bool>* cancel = nullptr;
  // Of the whole chain. Bounds of one release may be exact where no pair is, and the pair that leaks most depends on it.
  std::int64_t releases = 1;
  double epsilon = -1.0;         // the eps at which delta is asked for; negative if eps is
  double relative_width = 1e-4;  // of its eps, for such losses
  // The order that leaks less, if that is known: its losses need no more than kRoughWidth.
  std::optional<SamplingDirection> lesser = std::nullopt;
};

}  // namespace assay
