// The data of the regret figures in dueling_figures.hpp: policies at settings, simulated together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/auditors/figures/grid_run.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay::detail {

enum class DuelPolicy { kEbs, kDpEbs, kPaperEbs, kLocal, kGOptimal, kRucb, kRmed, kThompson };

inline constexpr double kPhaseScale = 1e-3;  // of GOptimal-DPDB

struct DuelSetting : RunSetting {
  std::int64_t arms = 5;
  double epsilon = 3.0;

  DuelSetting() {
    repetitions = 400;
    horizon = 50'000;
  }
};

// A policy with K arms, at a level if it has one.
struct DuelPoint {
  DuelPolicy policy = DuelPolicy::kEbs;
  std::int64_t arms = 5;
  double epsilon = 0.0;

  friend bool operator==(const DuelPoint&, const DuelPoint&) = default;
};

struct DuelRun : GridRun<DuelPoint> {  // bounds of mean final regrets
  DuelSetting setting;
};

// 1 to -1 in even steps.
std::vector<double> even_scores(std::int64_t arms);
// Regret of duels of two uniform arms over T rounds.
double uniform_regret(std::int64_t arms, std::int64_t horizon);

// The duels after which the worst arm leaves DP-EBS-Elimination with the printed radius if all
// estimates are exact: (1) of duel-phases.
double duels_with_printed_radius(std::int64_t arms, double epsilon, std::int64_t horizon);

std::string name_of(DuelPolicy policy);
bool has_level(DuelPolicy policy);
Style look_of(DuelPolicy policy);

// Errors: interrupted; a checkpoint.
Result<DuelRun> run_duels(const std::string& id, const DuelSetting& setting,
                          std::vector<DuelPoint> points, SimulationRunner& runner);

Experiment elimination_times();
Experiment phase_lengths();

}  // namespace assay::detail
