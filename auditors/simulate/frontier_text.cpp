#include <fmt/format.h>

#include "assay/auditors/simulate/frontier_report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

std::string to_text(const FrontierReport& report) {
  const auto table = frontier_table(report.frontier);
  const auto widths = detail::column_widths(table.columns, table.rows);
  std::string out = "Remark 4: the smallest c1 that survives at each c2\n\n  " +
                    detail::table_line(table.columns, widths) + "\n";
  for (const auto& row : table.rows) out += "  " + detail::table_line(row, widths) + "\n";
  return out +
         fmt::format(
             "\n"
             "A lower bound on c1 at each c2, from a search; nothing here is a proof that a "
             "constant suffices.\n"
             "No finite constants do (assay verify ftnl-conjecture): these are what instances "
             "of this size show.\n"
             "{} instances by exact probabilities; each row again in 50 digits.\n"
             "Reproduce   {}\n",
             grouped(report.frontier.evaluations), report.reproduce);
}

}  // namespace assay
