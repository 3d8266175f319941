#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/verify/certificate_check_report.hpp"

namespace assay {

std::string to_json(const CertificateCheckReport& report) {
  Json list = json_list(report.checked, [](const CheckedCertificate& one) -> Json {
    return {{"file", plain_text(one.file)},
            {"claim", one.claim},
            {"refutes", one.check.refutes},
            {"conclusion", one.check.conclusion},
            {"numbers",
             {{"epsilon", one.check.epsilon},
              {"p", one.check.p},
              {"q", one.check.q},
              {"true_delta", one.check.true_delta}}},
            {"steps", one.check.steps}};
  });
  return json_text({{"certificates", std::move(list)}}) + "\n";
}

}  // namespace assay
