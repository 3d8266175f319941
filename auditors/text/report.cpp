#include "assay/auditors/text/report.hpp"

namespace assay {

void fields(const Error& error, Fields visit) {
  visit.about("error", "An error.");
  visit("code", error.code, "The kind of error.");
  visit("message", error.message, "One sentence for a person.");
  visit.or_null("path", error.path, "The file or field that the error is about.");
  visit.or_null("line", error.line, "The line of that file, counted from 1.");
}

void report_head(Fields visit, std::string_view schema, std::string_view description) {
  visit.about(schema, description);
  visit.constant("schema", schema, "The name and version of this format.");
}

void report_meta(Fields visit, const RunMeta& meta, const std::function<void()>& more) {
  visit.group("meta", "The run itself. Only this part may differ between two runs of one request.",
              [&] {
                visit("version", meta.version, "The version of Assay.");
                visit("build", meta.build, "The compiler, the build type and the commit.");
                visit("started", meta.started, "The start in UTC, as ISO 8601.");
                visit("seconds", meta.seconds, kCount, "The wall-clock time.");
                visit("threads", meta.threads, kCount, "The number of threads.");
                if (more) more();
              });
}

void report_reproduce(Fields visit, const std::string& command) {
  visit("reproduce", command, "The command that reproduces this report.");
}

void report_confidence(Fields visit, double confidence) {
  visit("confidence", confidence, kProbability,
        "All certified statements hold simultaneously with at least this probability.");
}

}  // namespace assay
