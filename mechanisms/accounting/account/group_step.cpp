#include "assay/mechanisms/accounting/account/group_step.hpp"

#include <string>
#include <type_traits>
#include <utility>

#include "assay/mechanisms/accounting/account/internal/grouped_chain.hpp"
#include "assay/mechanisms/accounting/account/internal/selected_run.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"

namespace assay::detail {
namespace {

tl::unexpected<Error> no_group(const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, why, "/group");
}

template <class Step>
bool is_grouped(const Step& step) {
  if constexpr (requires { step.group; }) {
    return step.group != 1;
  } else if constexpr (std::is_same_v<Step, RepeatAndSelectStep>) {
    return step.mechanism != nullptr && step.mechanism->step().group != 1;
  }
  return false;
}

template <class Step>
concept IsLocalReport = std::is_same_v<Step, RandomizedResponseStep> ||
    std::is_same_v<Step, UnaryEncodingStep> || std::is_same_v<Step, RapporStep>;

Status check_level(const char* name, double value, Range range) {
  if (value >= range.low && value <= range.high) return {};
  return out_of_range(std::string("group times ") + name,
                      number_text(range.low) + " to " + number_text(range.high),
                      number_text(value));
}

// Losses are computed for these ranges.
Status check_range(const GaussianStep& s) {
  return check_level("sensitivity/sigma", s.group * s.sensitivity / s.sigma, {1e-6, 100.0});
}
Status check_range(const LaplaceStep& s) {
  return check_level("sensitivity/scale", s.group * s.sensitivity / s.scale, {1e-6, 100.0});
}
Status check_range(const MatrixStep& s) {
  return check_level("distance/sigma", matrix_mu(s).high, {1e-6, 100.0});
}
Status check_range(const NoisyMaxStep& s) { return s.check(); }
template <class Weights>
Status check_range(const Weights& s) {
  return check_level("epsilon", s.group * s.epsilon, kSelectionLevel);
}

struct Grouping {
  ChainStep& step;
  std::int64_t size;

  template <class Step>
  Status operator()(Step one) const {
    const auto k = static_cast<double>(size);
    if constexpr (std::is_same_v<Step, SampledStep>) {
      return no_group("group with a sampler is a parameter of poisson alone");
    } else if constexpr (std::is_same_v<Step, GaussianMixtureStep>) {
      return no_group(
          "gaussian-mixture takes no group: its weights state how often the records of one person are in the "
          "sample. Nearest: the weights and shifts of the whole group");
    } else if constexpr (std::is_same_v<Step, RepeatAndSelectStep>) {
      if (one.mechanism == nullptr) {
        return no_group(
            "repeat-and-select takes a group with run alone. Nearest: the level of one run for the whole group, which "
            "is k epsilon, k mu or k^2 rho for k records");
      }
      ChainStep run = one.mechanism->step();
      run.group = size;
      one.mechanism = ASSAY_TRY(selected_run(std::move(run)));
      step.mechanism = one;
    } else if constexpr (std::is_same_v<Step, IntegerVectorStep>) {
      return no_group(
          "discrete-gaussian-vector takes no group: not all moves of that length are sums of those of "
          "its records. Nearest: squared-sensitivity times k^2, for k records, is an upper bound");
    } else if constexpr (IsLocalReport<Step>) {
      if (size > kMostReleases / step.count) {
        return out_of_range("group", "at most 1000000000 times count together",
                            std::to_string(size) + " x " + std::to_string(step.count));
      }
      step.count *= size;
      step.group = 1;
      return {};
    } else if constexpr (std::is_same_v<Step, GdpStep>) {
      ASSAY_TRY(check_level("mu", one.mu * k, {1e-6, 100.0}));
      step.mechanism = GaussianStep{1.0, one.mu, k};
    } else if constexpr (std::is_same_v<Step, ZcdpStep>) {
      one.rho = (Enclosure(one.rho) * (k * k)).high;
      step.mechanism = one;
      step.group = 1;
    } else if constexpr (std::is_same_v<Step, AboveThresholdStep>) {
      if (one.noise == FlagNoise::kLaplace) {
        step.mechanism = GroupStep{one, size};
      } else {
        one.group = k;
        ASSAY_TRY(one.check());
        step.mechanism = one;
      }
    } else if constexpr (requires {
                           one.group;
                           one.fields([](const auto&) {});
                         }) {
      one.group = k;
      ASSAY_TRY(check_range(one));
      step.mechanism = one;
    } else if constexpr (!std::is_same_v<Step, GroupStep>) {
      step.mechanism = GroupStep{one, size};
    }
    return {};
  }
};

}  // namespace

Result<ChainStep> with_group(ChainStep step) {
  ASSAY_TRY(check_count("group", step.group, static_cast<std::int64_t>(kGroup.high)));
  if (step.group == 1) return step;
  const bool is_done =
      std::visit([]<class Step>(const Step& s) { return is_grouped(s); }, step.mechanism);
  if (is_done) return step;
  if (step.moves > 1 && !std::holds_alternative<GaussianStep>(step.mechanism)) {
    return no_group(
        "group together with moves needs gaussian: records of a group may move different answers. "
        "Nearest: moves 1 with the answers as steps of their own");
  }
  const StepMechanism one = step.mechanism;
  ASSAY_TRY(std::visit(Grouping{step, step.group}, one));
  return step;
}

}  // namespace assay::detail
