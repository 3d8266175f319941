#include "assay/auditors/writers/suite_listing.hpp"

#include <fmt/format.h>

#include <vector>

#include "assay/auditors/writers/rounding.hpp"
#include "assay/auditors/writers/safe_text.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

class SuiteListingWriter : detail::TextPage {
 public:
  SuiteListingWriter(const SuiteListing& listing, TextStyle style)
      : TextPage(style), listing_(listing) {}

  std::string write() {
    const auto n = listing_.entries.size();
    hanging("",
            fmt::format("{}: {} of {} entries, tier {}; confidence {}, of which a run spends {}",
                        plain_text(listing_.suite.name), n, listing_.suite.entries.size(),
                        listing_.tier, number_text(listing_.suite.confidence),
                        rounded(listing_.alpha, 3)));
    gap();
    const std::vector<std::string> names = {"entry", "kind", "tier",   "severity",
                                            "alpha", "cost", "subject"};
    std::vector<std::vector<std::string>> rows;
    for (const auto& entry : listing_.entries) {
      const auto& written = listing_.suite.entries[entry.index];
      rows.push_back(
          {plain_text(entry.result.id), detail::value_text(entry.result.kind),
           detail::value_text(written.tier), detail::value_text(written.severity),
           rounded(entry.alpha, 2),
           entry.result.seconds > 0.0 ? fmt::format("{:.1f} s", entry.result.seconds) : "?",
           plain_text(entry.result.subject)});
    }
    const auto widths = detail::column_widths(names, rows);
    line(detail::table_line(names, widths), Paint::kDim);
    for (const auto& row : rows) out_ += detail::table_line(row, widths) + "\n";
    bool first = true;
    for (const auto& entry : listing_.entries) {
      if (!entry.result.error) continue;
      if (first) heading("Does not fit");
      first = false;
      hanging("  ", entry.result.id + ": " + plain_text(entry.result.error->to_string()),
              Paint::kRed);
    }
    return finish();
  }

 private:
  using Paint = detail::Paint;
  const SuiteListing& listing_;
};

}  // namespace

std::string to_text(const SuiteListing& listing, TextStyle style) {
  return SuiteListingWriter(listing, style).write();
}

}  // namespace assay
