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
      {"The search gives a lower bound on c1 at each c2. It does not prove that any "
       "constant suffices.",
       "No finite constants suffice (assay verify ftnl-conjecture). Instances of this size need "
       "those in the table.",
       grouped(report.frontier.evaluations) +
           " instances were tried with exact probabilities, and each row was computed again in 50 "
           "digits."},
      ""});
  document.add(doc::Command{report.reproduce});
  return to_terminal(document, {});
}

}  // namespace assay
