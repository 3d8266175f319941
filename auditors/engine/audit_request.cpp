#include "assay/auditors/engine/audit_request.hpp"

#include <algorithm>
#include <utility>

#include "assay/auditors/engine/reproduce.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

std::optional<std::string> take_parameter(std::vector<KeyValue>& parameters, std::string_view key) {
  std::optional<std::string> value;
  std::erase_if(parameters, [&](const KeyValue& given) {
    if (given.key != key) return false;
    value = given.value;
    return true;
  });
  return value;
}

Status check_kept(const std::vector<KeyValue>& given, const std::vector<KeyValue>& asked,
                  const std::vector<KeyValue>& used) {
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto is_this = [&](const KeyValue& one) { return one.key == asked[i].key; };
    if (asked[i].value == used[i].value || std::none_of(given.begin(), given.end(), is_this)) {
      continue;
    }
    return fail(ErrorCode::kInvalidArgument,
                "must be " + used[i].value + ", as in the file of features, or left out, not " +
                    asked[i].value,
                "/" + asked[i].key);
  }
  return {};
}

Status check_request(const AuditRequest& request) {
  ASSAY_TRY(check_confidence(request.confidence));
  if (!(request.delta0 > 0.0 && request.delta0 < 1.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "delta0 must lie strictly between 0 and 1, not " + number_text(request.delta0),
                "/delta0");
  }
  ASSAY_TRY(check_whole("samples", request.samples.value_or(1), 1, 1'000'000'000));
  if (request.seconds && !(*request.seconds > 0.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "the time budget must be above 0 seconds, not " + number_text(*request.seconds),
                "/seconds");
  }
  return {};
}

AuditInput AuditInput::of(std::string file, std::string column, InputPair inputs) {
  const InputTable& table = inputs.base_input();
  const auto& neighbour = inputs.edit().values;
  std::vector<double> values = table.values;
  values.insert(values.end(), neighbour.begin(), neighbour.end());
  const std::int64_t rows = table.rows + (neighbour.empty() ? 0 : 1);
  InputSource source{std::move(file), std::move(column), digest_of(values), rows};
  return {std::move(source), std::move(inputs)};
}

}  // namespace assay
