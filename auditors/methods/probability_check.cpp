#include "assay/auditors/methods/probability_check.hpp"

#include <fmt/format.h>

namespace assay {

std::vector<CalibrationCheck> calibration_checks(const CalibrationTest& calibration,
                                                 const std::vector<double>& losses_under_old,
                                                 const std::vector<double>& losses_under_new,
                                                 double alpha) {
  AgreementTest agreement(alpha / 2.0);
  agreement.observe(losses_under_old, losses_under_new);
  const auto row = [](std::string name, std::string meaning, const EvidenceAgainst& evidence) {
    return CalibrationCheck{std::move(name), std::move(meaning), evidence.e_value(),
                            evidence.threshold(), !evidence.alarm()};
  };
  return {row("calibration",
              fmt::format("the actions of {} fresh transcripts follow the reported probabilities",
                          calibration.transcripts()),
              calibration.evidence()),
          row("agreement", "both sides' losses give the same overlap of the two laws",
              agreement.evidence())};
}

}  // namespace assay
