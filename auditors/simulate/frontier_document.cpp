#include "assay/auditors/simulate/frontier_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {

std::string to_text(const FrontierReport& report) {
  doc::Document document;
  document.paragraph("Remark 4: the smallest c1 that survives at each c2");
  const auto table = frontier_table(report.frontier);
  document.table("", table.columns, table.rows, 2);
  document.add(doc::List{
      {"A lower bound on c1 at each c2, from a search; nothing here is a proof that a constant suffices.",
       "No finite constants do (assay verify ftnl-conjecture): these are what instances of this size show.",
       grouped(report.frontier.evaluations) +
           " instances by exact probabilities; each row again in 50 digits."},
      ""});
  document.add(doc::Command{report.reproduce});
  return to_terminal(document, {});
}

}  // namespace assay
