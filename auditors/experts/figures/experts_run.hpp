// The data of the figures in experts_figures.hpp: exact regrets of RNM-FTNL along three axes, and
// the simulations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/experts/claims/counterexamples.hpp"
#include "assay/auditors/experts/figures/experts_figures.hpp"
#include "assay/auditors/figures/outcome.hpp"
#include "assay/policies/experts/expected_regret.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay::detail {

// If all losses are 0 or 1, a resample is the loss, so both values of B have the same distribution.
bool resampling_changes_nothing(ExpertsInstance instance);

std::string experts_id(ExpertsInstance instance);  // "ftnl-gap"

// One of the variants: exponential noise comes at both of its scales.
struct FtnlVariant {
  LeaderNoise noise = LeaderNoise::kLaplace;
  Calibration calibration = Calibration::kCorrected;
  bool resample = false;

  bool as_printed() const { return calibration == Calibration::kPaper; }  // Exponential(1/eps)
  std::string noise_name() const;                                         // "Laplace(2/eps)"
  std::string name() const;                                               // "Laplace(2/eps), B = 1"
};

// Each noise with B = 0, then B = 1.
std::vector<FtnlVariant> ftnl_variants();

struct ExpertsPoint {
  std::int64_t actions = 2;
  double epsilon = 1.0;
};

enum class ExpertsAxis { kRounds, kActions, kEpsilon };
inline constexpr std::array kExpertsAxes = {ExpertsAxis::kRounds, ExpertsAxis::kActions,
                                            ExpertsAxis::kEpsilon};

// The points of the second and third axis; for the first, the one point of the setting.
std::vector<ExpertsPoint> points_of(ExpertsAxis axis, ExpertsInstance instance,
                                    const ExpertsSetting& setting);

RnmFtnl policy_of(const FtnlVariant& variant, const ExpertsPoint& point, std::int64_t horizon);

// The ids of simulated series in the results.
struct SimulatedIds {
  static std::string variant(const FtnlVariant& variant);  // at the setting's point
  static std::string leader(std::int64_t actions);         // follow the leader
  static std::string prefix(const ExpertsPoint& point);    // the random-prefix policy
};

struct ExpertsRun {
  ExpertsInstance instance = ExpertsInstance::kOneGap;
  ExpertsSetting setting;
  std::vector<FtnlVariant> variants;
  // exact[axis][variant][point]
  std::array<std::vector<std::vector<ExpectedRegret>>, kExpertsAxes.size()> exact;
  std::shared_ptr<const SimulationResult> result;
  std::vector<Bounds> bounds;  // of the final pseudo-regret of each series

  const ExpectedRegret& at_setting(std::size_t variant) const { return exact[0][variant][0]; }
  std::size_t find(const std::string& id) const;  // of a simulated series, which must exist
};

Result<ExpertsRun> run_experts(ExpertsInstance instance, const ExpertsSetting& setting,
                               SimulationRunner& runner);

// A bound or an order of growth of the paper at a point, after a number of rounds.
struct TheoryCurve {
  std::string name;
  bool is_bound = false;  // with its constants; otherwise an order of growth, drawn with constant 1
  std::function<std::optional<double>(const ExpertsPoint&, double rounds)> value;
};
std::vector<TheoryCurve> theory_curves(ExpertsInstance instance, const ExpertsSetting& setting);

// Gaps of all experts but the best, ascending.
std::vector<GapGroup> gap_groups(const TwoPointLosses& losses);

std::vector<StatedOutcome<ExpertsRun>> experts_outcomes(ExpertsInstance instance);

// The instance for which the paper's sentence on resampling holds, without noise: the best expert
// always loses 0.02, the other 1 with probability 0.4, else 0.
TwoPointLosses resampling_helps_losses();

}  // namespace assay::detail
