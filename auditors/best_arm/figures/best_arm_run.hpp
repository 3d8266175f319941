// The data of the figures in best_arm_figures.hpp: success rates on a grid.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/figures/grid_run.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay::detail {

enum class BestArmPolicy { kDpBai, kBaseline, kOdLinBai, kDpOd };
constexpr std::array<std::pair<BestArmPolicy, std::string_view>, 4> enum_names(BestArmPolicy) {
  return {{{BestArmPolicy::kDpBai, "DP-BAI"},
           {BestArmPolicy::kBaseline, "Baseline"},
           {BestArmPolicy::kOdLinBai, "OD-LinBAI"},
           {BestArmPolicy::kDpOd, "DP-OD"}}};
}
inline constexpr std::array kBestArmPolicies = {BestArmPolicy::kDpBai, BestArmPolicy::kBaseline,
                                                BestArmPolicy::kOdLinBai, BestArmPolicy::kDpOd};

enum class BestArmFigure { kOne, kTwo };

struct BestArmSetting : RunSetting {
  double gap = 0.05;  // Figure 2: D

  BestArmSetting() {
    repetitions = 10'000;
    horizon = 5000;  // the largest T
  }
};

struct BestArmPoint {
  std::int64_t budget = 0;
  double epsilon = 0.0;
  double ratio = 1.0;  // y/x of Figure 2

  friend bool operator==(const BestArmPoint&, const BestArmPoint&) = default;
};

// The grid, ascending; budgets up to the setting's.
struct BestArmGrid {
  std::vector<std::int64_t> budgets;
  std::vector<double> epsilons;
  std::vector<double> ratios;
};
BestArmGrid grid_of(BestArmFigure figure, const BestArmSetting& setting);

struct PolicyAtPoint {
  BestArmPolicy policy = BestArmPolicy::kDpBai;
  BestArmPoint point;

  friend bool operator==(const PolicyAtPoint&, const PolicyAtPoint&) = default;
};

struct BestArmRun : GridRun<PolicyAtPoint> {  // bounds of success rates
  BestArmFigure figure = BestArmFigure::kOne;
  BestArmSetting setting;
  BestArmGrid grid;

  double rate(BestArmPolicy policy, const BestArmPoint& point) const;
  const Bounds& at(BestArmPolicy policy, const BestArmPoint& point) const;
  std::vector<BestArmPoint> drawn() const;  // ordered by budget, then by eps

 private:
  // OD-LinBAI is not private, so its series at one budget serves every eps.
  std::size_t place(BestArmPolicy policy, BestArmPoint point) const;
};

std::string best_arm_id(BestArmFigure figure);  // "bai-fig1"

// Errors: interrupted; a checkpoint.
Result<BestArmRun> run_best_arm(BestArmFigure figure, const BestArmSetting& setting,
                                SimulationRunner& runner);

std::vector<StatedOutcome<BestArmRun>> best_arm_outcomes(BestArmFigure figure);

}  // namespace assay::detail
