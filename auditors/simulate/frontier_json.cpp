#include <cmath>

#include "assay/auditors/simulate/frontier_report.hpp"
#include "assay/auditors/text/json.hpp"

namespace assay {
namespace {

Json frontier_row_json(const expert_checks::FrontierRow& row) {
  const auto& at = row.instance;
  Json others = Json::array();
  for (const auto& group : {at.first, at.second}) {
    if (group.times > 0.0) others.push_back({{"gap", group.gap}, {"times", group.times}});
  }
  return {{"c2", row.c2},
          {"log_c1", row.precise_log_c1},
          {"log_c1_double", row.log_c1},
          {"instance",
           {{"noise", detail::value_text(at.noise)},
            {"epsilon", at.epsilon},
            {"epoch", at.epoch},
            {"best_mean", at.best_mean},
            {"gap", at.gap},
            {"others", others}}}};
}

}  // namespace

std::string to_json(const FrontierReport& report) {
  Json rows = Json::array();
  for (const auto& row : report.frontier.rows) {
    if (std::isfinite(row.log_c1)) rows.push_back(frontier_row_json(row));
  }
  return json_text({{"assay_frontier", 1},
                    {"reproduce", report.reproduce},
                    {"evaluations", report.frontier.evaluations},
                    {"rows", rows}}) +
         "\n";
}

}  // namespace assay
