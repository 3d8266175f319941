#include "assay/cli/audit_words.hpp"

#include "assay/auditors/writers/audit_html.hpp"
#include "assay/auditors/writers/audit_json.hpp"
#include "assay/auditors/writers/audit_text.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

std::string render(const AuditReport& report, Format format, const TextStyle& style) {
  switch (format) {
    case Format::kJson:
      return to_json(report);
    case Format::kHtml:
      return to_html(report);
    case Format::kText:
    case Format::kCsv:  // not among the formats of an audit
      break;
  }
  return to_text(report, style);
}

}  // namespace

Result<ReportOutputs> open_outputs(const AuditWords& words) {
  ReportOutputs outputs;
  const auto format = ASSAY_TRY(parse_format(words.format));
  outputs.format = format;
  for (const auto& path : words.write) {
    auto file = ASSAY_TRY(OutputFile::open(path));
    outputs.files.push_back(std::move(file));
  }
  return outputs;
}

int write_report(const AuditReport& report, const ReportOutputs& outputs) {
  bool failed = false;
  for (const auto& file : outputs.files) {
    const auto status = file.write(render(report, file.format(), TextStyle{}));
    if (!status) print_error(status.error());
    failed = failed || !status;
  }
  const bool written = print_report(render(report, outputs.format, stdout_style()));
  return failed || !written ? kUsage : exit_code(report.verdict);
}

void fill_meta(const RunClock& clock, int threads, AuditReport& report) {
  report.meta = clock.meta(threads);
  const double transcripts = report.canaries
                                 ? static_cast<double>(report.samples + report.canaries->training)
                                 : 2.0 * static_cast<double>(report.samples);
  report.meta.transcripts_per_second = transcripts / report.meta.seconds;
}

}  // namespace assay::cli
