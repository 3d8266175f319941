#include "assay/auditors/figures/experiment_report.hpp"

#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {

std::string to_string(Outcome outcome) {
  constexpr EnumTable<Outcome, std::string_view, 3> kWords{{{Outcome::kHolds, "holds"},
                                                            {Outcome::kFails, "does not hold"},
                                                            {Outcome::kUndecided, "undecided"}}};
  return std::string(entry_of(kWords, outcome));
}

}  // namespace assay
