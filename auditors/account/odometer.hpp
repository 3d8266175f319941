// `assay account odometer`: spends a privacy budget step by step, where each step may be chosen from earlier outputs.
//
//     # one step per line: a mechanism of `assay account --help`, its parameters, and how often it is composed
//     gaussian sigma=20 compose=3
//     laplace scale=50 moves=2 label=counts
//
// One level is fixed for the whole run, and with it the filter (filters.hpp): pure eps, rho of zCDP or mu of GDP. The
// budget (eps, delta) is changed into the largest eps, rho or mu that implies it. A step is admitted while the sum, or
// for mu the sum of squares, stays within this budget. Then all admitted steps together are (eps, delta)-DP, even if
// each was a function of the outputs before it. The first step that does not fit ends the run, and is not spent.
//
// The loss so far is that of an odometer: the sum for pure steps; otherwise a bound that holds at all times at once with
// probability 1 - delta. The sum converted to (eps, delta) at each time would not be one (docs/proofs/filters.md).
// No theorem lets privacy-loss distributions be composed for steps that are chosen on the way. A file of steps that is
// fixed in advance costs less by `assay account`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

inline constexpr const char* kOdometerReportSchema = "assay.odometer-report/1";

enum class FilterLevel { kPure, kZcdp, kGdp };
constexpr std::array<std::pair<FilterLevel, std::string_view>, 3> enum_names(FilterLevel) {
  return {{{FilterLevel::kPure, "pure"}, {FilterLevel::kZcdp, "zcdp"}, {FilterLevel::kGdp, "gdp"}}};
}

struct OdometerJob : JobOptions {
  std::string file;  // of steps, one per line; "-" is the standard input
  double epsilon = 0.0;
  double delta = 0.0;
  std::optional<FilterLevel> level;  // default: zcdp, or pure at delta = 0
  RunOptions run;

  static void fields(const VisitOption<OdometerJob>& visit);
};

struct OdometerLine {
  std::int64_t line = 0;  // of the file, from 1
  ChainStep step;
  double cost = 0.0;  // eps, rho or mu of the step
  bool admitted = true;
  double spent = 0.0;  // after the step, rounded up: a sum, for mu the root of the sum of squares
  double left = 0.0;   // the largest cost that still fits, rounded down
  double loss_so_far = 0.0;  // eps, by the odometer
};

struct OdometerReport {
  std::string source;
  FilterLevel level = FilterLevel::kZcdp;
  ApproximateDp budget;
  double limit = 0.0;               // the budget as eps, rho or mu
  std::vector<OdometerLine> lines;  // if a step did not fit, it is the last one
  std::string reproduce;
  RunMeta meta;

  bool is_exceeded() const { return !lines.empty() && !lines.back().admitted; }
};

// Errors name the file and the line: text that is not a step; a step without the level; more than 1,000,000 steps.
Result<PreparedJob<OdometerReport>> prepare(const OdometerJob& job);

std::string to_text(const OdometerReport& report, TextStyle style = {});
std::string to_json(const OdometerReport& report);
std::string odometer_report_schema();
// CSV with a row for each step.
std::string to_csv(const OdometerReport& report);
// One line: what is spent, and whether a step did not fit.
std::string headline_of(const OdometerReport& report);

}  // namespace assay
