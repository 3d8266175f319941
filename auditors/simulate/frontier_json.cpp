#include <cmath>
#include <vector>

#include "assay/auditors/simulate/frontier_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {
namespace {

struct GroupRecord {
  GapGroup group = {};
};
void fields(const GroupRecord& record, Fields visit) {
  visit("gap", record.group.gap);
  visit("times", record.group.times);
}

struct FrontierRowRecord {
  expert_checks::FrontierRow row = {};
};
void fields(const FrontierRowRecord& record, Fields visit) {
  const auto& row = record.row;
  const auto& at = row.instance;
  visit("c2", row.c2);
  visit("log_c1", row.precise_log_c1, "Computed in 50 digits.");
  visit("log_c1_double", row.log_c1, "The same in double precision.");
  visit.group("instance", "The instance that needs the largest c1.", [&] {
    visit("noise", at.noise);
    visit("epsilon", at.epsilon);
    visit("epoch", at.epoch);
    visit("best_mean", at.best_mean);
    visit("gap", at.gap);
    visit(
        "others",
        [&] {
          std::vector<GroupRecord> out;
          for (const auto& group : {at.first, at.second}) {
            if (group.times > 0.0) out.push_back({group});
          }
          return out;
        },
        "Groups of other actions.");
  });
}

}  // namespace

void fields(const FrontierReport& report, Fields visit) {
  report_head(visit, "assay.frontier-report/2", "The result of `assay frontier`.");
  report_reproduce(visit, report.reproduce);
  visit("evaluations", report.frontier.evaluations, kCount, "The number of instances tried.");
  visit(
      "rows",
      [&] {
        std::vector<FrontierRowRecord> out;
        for (const auto& row : report.frontier.rows) {
          if (std::isfinite(row.log_c1)) out.push_back({row});
        }
        return out;
      },
      "A row for each noise and c2 for which an instance was found.");
}

std::string to_json(const FrontierReport& report) { return json_text_of(report); }
std::string frontier_report_schema() { return schema_of<FrontierReport>(); }

}  // namespace assay
