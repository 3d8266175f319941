#include "assay/auditors/simulate/simulation_report.hpp"

#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {

std::string to_string(Outcome outcome) {
  constexpr EnumTable<Outcome, std::string_view, 3> kWords{{{Outcome::kHolds, "holds"},
                                                            {Outcome::kFails, "does not hold"},
                                                            {Outcome::kUndecided, "undecided"}}};
  return std::string(entry_of(kWords, outcome));
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
