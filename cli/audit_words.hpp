// The words of `assay audit`, before they mean anything, and what its two kinds of audits share: that
// of a case (audit.cpp) and that of a target that lives outside (audit_target.cpp).
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/cli/options.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

struct TargetWords {
  std::string exec;
  std::string plugin;
  std::vector<std::string> transcripts;
  std::string kind;
  std::string arms;
  std::string horizon;
  std::string dimension;
  std::string inputs;
  std::string outputs;
  std::string neighbour;
  std::string changed_row;
  std::string answer_time;
  std::vector<std::string> vary;
  std::string settings;
  std::string margin;
  std::string round_outputs;
  std::string canaries;
  std::string training;
  bool deterministic = false;

  bool given() const { return !exec.empty() || !plugin.empty() || !transcripts.empty(); }
};

struct AuditWords {
  std::string case_id;
  std::vector<std::string> parameters;
  std::string claim;
  std::string input;
  std::string column;
  std::string method = "auto";
  std::string confidence = "0.999";
  std::string delta0 = "1e-6";
  std::string seed;
  std::string samples;
  std::string seconds;
  std::string stop_after;
  std::string search;
  bool stop_when_decided = false;
  std::string threads;
  std::string format = "text";
  std::vector<std::string> write;
  TargetWords target;
};

// Where the report goes: stdout in one format, and files.
struct ReportOutputs {
  Format format = Format::kText;
  std::vector<OutputFile> files;
};
Result<ReportOutputs> open_outputs(const AuditWords& words);

// Prints and writes it; the exit status of its verdict, or kUsage where something cannot be written.
int write_report(const AuditReport& report, const ReportOutputs& outputs);

// Version, build, times and speed.
void fill_meta(const RunClock& clock, int threads, AuditReport& report);

int run_target_audit(const App& app, const AuditWords& words);

}  // namespace assay::cli
