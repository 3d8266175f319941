// The report of `assay sampler`: whether numbers follow a stated distribution, and how far they may still be off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "assay/auditors/sampler/sampler_fit.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

inline constexpr const char* kSamplerReportSchema = "assay.sampler-report/1";

struct SamplerReport {
  std::string subject;  // the command or the file
  bool is_program = false;
  std::int64_t starts = 0;  // of the program
  std::string containment;  // of the program
  std::optional<StatedDistribution> stated;
  double confidence = 0.0;
  std::optional<std::uint64_t> seed;  // of a program that takes one
  FitAims aims;
  std::optional<std::int64_t>
      needed;  // the samples that meet the aims, if these did not; none if there are too many
  SamplerFit fit;
  FitVerdict verdict = FitVerdict::kInconclusive;
  std::string headline, reason;
  bool interrupted = false;
  std::string reproduce;
  RunMeta meta;
};

std::string to_text(const SamplerReport& report, TextStyle style = {});
// CSV by RFC 4180 with comment lines; a row for each cell and each tail.
std::string to_csv(const SamplerReport& report);
// JSON by schemas/sampler-report.schema.json, which sampler_report_schema() returns.
std::string to_json(const SamplerReport& report);
std::string sampler_report_schema();
std::string to_html(const SamplerReport& report);

}  // namespace assay
