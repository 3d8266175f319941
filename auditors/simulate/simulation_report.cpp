#include "assay/auditors/simulate/simulation_report.hpp"

namespace assay {

Outcome overall_outcome(const SimulationReport& report) {
  Outcome worst = Outcome::kHolds;
  for (const auto& experiment : report.experiments) {
    for (const auto& check : experiment.checks) {
      if (check.outcome == Outcome::kFails) return Outcome::kFails;
      if (check.outcome == Outcome::kUndecided) worst = Outcome::kUndecided;
    }
  }
  return worst;
}

}  // namespace assay
