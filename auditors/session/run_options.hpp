// The options that many commands share, each with one meaning and one text: threads, confidence, seed, time, and
// the formats and files of the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/options.hpp"

namespace assay {

struct RunOptions {
  std::optional<std::int64_t> threads;
  std::string format = "text";
  bool quiet = false;
  bool full = false;
  std::vector<std::string> write;
  std::string shard;                // "3/10"; empty for none
  std::string shard_file;           // empty: shard-3-of-10.assay
  std::vector<std::string> inputs;  // files that the job reads, which all shards must share
};

inline OptionText threads_option() {
  return {.name = "threads",
          .type = "N",
          .help = "Use this many threads. The result does not depend on it.",
          .group = OptionGroup::kEffort,
          .range = {1, 4096},
          .environment = "ASSAY_THREADS",
          .default_text = "all cores"};
}
// The help text begins with `statement`: "All intervals hold together".
inline OptionText confidence_option(const std::string& statement) {
  return {.name = "confidence",
          .type = "P",
          .help = statement + " with this probability, from 0.5 to below 1.",
          .group = OptionGroup::kClaim,
          .shows_default = true};
}
inline OptionText time_option(const OptionRange& range) {
  return {.name = "time",
          .type = "SECONDS",
          .help = "Spend about this many seconds on the whole run.",
          .group = OptionGroup::kEffort,
          .range = range};
}
// Without `default_text`, the help shows the value of the member.
inline OptionText seed_option(const std::string& default_text = "") {
  return {.name = "seed",
          .type = "SEED",
          .help = "Draw all random numbers from this seed.",
          .group = OptionGroup::kSeed,
          .range = at_least(0),
          .environment = "ASSAY_SEED",
          .shows_default = default_text.empty(),
          .default_text = default_text};
}
inline OptionText format_option(const std::vector<std::string>& formats) {
  return {.name = "format",
          .type = "FORMAT",
          .help = "Print the report in this format.",
          .group = OptionGroup::kOutput,
          .shows_default = true,
          .choices = formats};
}
inline OptionText quiet_option() {
  return {.name = "quiet",
          .help = "Print only the headline of the report. Files get the whole report.",
          .group = OptionGroup::kOutput};
}
inline OptionText full_option() {
  return {.name = "full",
          .help =
              "Print the whole report: also checks, evidence, limits and the ledger of alpha. "
              "Files and pages always have all of it.",
          .group = OptionGroup::kOutput};
}
inline OptionText write_option(const std::string& endings) {
  return {.name = "write",
          .type = "FILE",
          .help = "Also write the report to this file; its extension selects the format: " +
                  endings + ".",
          .group = OptionGroup::kOutput,
          .letter = 'w'};
}
// The option --write, for the formats that the report has.
inline OptionText write_option(const std::vector<std::string>& formats) {
  return write_option(either(formats, [](const std::string& format) -> std::string {
    return format == "text" ? ".txt" : format == "markdown" ? ".md" : "." + format;
  }));
}
// Visits the options of a report that is printed and written, and --quiet if the report has a headline.
template <class Job>
void visit_output(const VisitOption<Job>& visit, const std::vector<std::string>& formats,
                  bool has_headline = true) {
  visit(option(&Job::run, &RunOptions::format, format_option(formats)));
  visit(option(&Job::run, &RunOptions::write, write_option(formats)));
  if (has_headline) visit(option(&Job::run, &RunOptions::quiet, quiet_option()));
}
// Visits the options of a job whose long loops shards can share.
template <class Job>
void visit_shard(const VisitOption<Job>& visit, OptionUse<typename Job::Facts> use = {}) {
  visit(option(
      &Job::run, &RunOptions::shard,
      {.name = "shard",
       .type = "I/N",
       .help = "Work on every N-th item, from the I-th on, and save the values in a file. Other "
               "processes, anywhere, work on the others. `assay merge` prints the report.",
       .group = OptionGroup::kEffort},
      use));
  visit(
      option(&Job::run, &RunOptions::shard_file,
             {.name = "shard-file",
              .type = "FILE",
              .help = "Save the values of the shard in this file, and go on from it if it exists.",
              .group = OptionGroup::kEffort,
              .default_text = "shard-I-of-N.assay"},
             use));
}
inline constexpr std::string_view kEnvironmentOption = "env";
inline OptionText parameter_option(const std::string& help) {
  return {.name = "parameter", .type = "KEY=VALUE", .help = help, .letter = 'p', .flag = "-p"};
}

}  // namespace assay
