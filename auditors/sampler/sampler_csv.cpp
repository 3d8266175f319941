#include "assay/auditors/sampler/sampler_report.hpp"
#include "assay/auditors/text/csv_text.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {

std::string to_csv(const SamplerReport& report) {
  using Kind = FitEvent::Kind;
  using detail::csv_comment;
  std::string out = csv_comment(report.headline);
  out += csv_comment("Distribution: " + report.stated->text());
  out += csv_comment("Samples: " + std::to_string(report.fit.samples) + " of " + report.subject);
  out += csv_comment("Reproduce: " + report.reproduce + " --format csv");
  out += "kind,low,high,stated,count,lower,upper\n";
  for (const auto* events : {&report.fit.cells, &report.fit.tails}) {
    for (const auto& one : *events) {
      const Kind kind = one.event.kind;
      out += kind == Kind::kCell        ? "cell,"
             : kind == Kind::kLowerTail ? "lower tail,"
             : kind == Kind::kUpperTail ? "upper tail,"
                                        : "both tails,";
      out += (kind == Kind::kUpperTail ? "-inf" : number_text(one.event.low)) + ",";
      out += (kind == Kind::kLowerTail ? "inf" : number_text(one.event.high)) + ",";
      out += number_text(one.event.probability) + "," + std::to_string(one.count) + "," +
             number_text(one.lower) + "," + number_text(one.upper) + "\n";
    }
  }
  return out;
}

}  // namespace assay
