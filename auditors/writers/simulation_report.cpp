#include "assay/auditors/writers/simulation_report.hpp"

namespace assay {

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHolds:
      return "holds";
    case Outcome::kFails:
      return "does not hold";
    case Outcome::kUndecided:
      return "undecided";
  }
  return "?";
}

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
