// The reports of `assay account`, as values. The writers in this folder turn them into text, CSV, JSON and
// HTML.
//
// There are three reports: the account of a chain of releases, a table of conversions, and a calibrated scale, or
// another parameter that was solved for. The
// request determines everything except `meta`. Bounds are rounded outward, to as many digits as it takes to show the
// gap between them. An infinite bound is printed in words, with its reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/account/composed_calibration.hpp"
#include "assay/mechanisms/accounting/account/convert.hpp"
#include "assay/mechanisms/accounting/account/solve.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

inline constexpr const char* kAccountReportSchema = "assay.account-report/2";

struct AccountReport {
  std::string source;    // the file of the chain; empty for the command line
  std::string relation;  // the relation of all steps, if it is stated or implied
  std::string view;      // the view of all steps, if it is stated
  std::vector<ChainStep> chain;
  std::int64_t kinds = 1;  // of different steps; equal ones are composed as one
  std::vector<AccountAnswer> answers;
  std::optional<AccountCurves> curves;  // CSV, JSON and HTML need them
  std::string reproduce;
  RunMeta meta;
};

struct ConversionReport {
  ConversionTable table;
  std::string reproduce;
  RunMeta meta;
};

// A parameter of a chain that was solved for.
struct Solution {
  std::string parameter;         // its name
  std::size_t step = 0;          // of the chain
  std::vector<ChainStep> chain;  // with the value
  SolvedParameter solved;
};

struct CalibrationReport {
  std::string what;                  // "gaussian", "noisy-max", ..., or the file of a chain
  std::vector<KeyValue> parameters;  // the given ones, and the defaults of the others
  CalibrationRequest request;
  CalibratedNoise calibration;
  std::optional<Solution>
      solution;  // then it takes the place of the scale: only the target of `request` counts
  std::string reproduce;
  RunMeta meta;
};

std::string to_text(const AccountReport& report, TextStyle style = {});
std::string to_text(const ConversionReport& report, TextStyle style = {});
std::string to_text(const CalibrationReport& report, TextStyle style = {});

// All three follow schemas/account-report.schema.json.
std::string to_json(const AccountReport& report);
std::string to_json(const ConversionReport& report);
std::string to_json(const CalibrationReport& report);
std::string account_report_schema();

// CSV with a row for each number and the columns record,name,given,at,quantity,lower,upper.
std::string to_csv(const AccountReport& report);

// One self-contained HTML page with the privacy profile and the trade-off curve.
std::string to_html(const AccountReport& report);

// ---- texts that the writers share ---------------------------------------------------------------

// "gaussian, sigma 2, L2 sensitivity 1, 1,000 times". Of a long list it has the first numbers and how many there are.
std::string chain_text(const ChainStep& step);
// A line for each of the first steps, and one for the others, if any; JSON has all.
std::vector<std::string> chain_lines(const AccountReport& report);
// "eps at delta = 1e-6".
std::string target_text(const AccountTarget& target);
// The ends of an interval, rounded outward to the same number of digits: 4 to 12, as many as it takes to show the gap.
struct IntervalText {
  std::string lower;
  std::string upper;
  std::string gap;
};
IntervalText interval_text(double lower, double upper);

// Bounds on the largest true-positive rate of a test for one record with this false-positive rate: 1 minus the type II
// error, rounded outward.
struct RateBand {
  double false_positive = 0.0;
  double lower = 0.0;
  double upper = 1.0;
};
RateBand rate_of(const TradeOffBand& point);

// The L1 or L2 distance by which one record moves all answers together, to the nearest double.
struct VectorSensitivity {
  std::string_view norm;  // "L1" or "L2"
  double value = 0.0;
};
// Nothing for a mechanism whose sensitivity is that of each answer alone.
std::optional<VectorSensitivity> vector_sensitivity(const CalibrationRequest& request);
// The same for one release of a step; nothing if its accounting uses the sensitivity of one answer alone.
std::optional<VectorSensitivity> vector_sensitivity(const ChainStep& step);

// The error that the noise adds to one released number.
struct AnswerError {
  double standard_deviation = 0.0;
  double half_width_95 = 0.0;  // the noise is at most this far from 0 with probability 95%
};
// Nothing if the step releases no number with noise: of a level it is not known.
std::optional<AnswerError> answer_error(const StepMechanism& step);
// Nothing if no noisy number is released. For a tree the number is one node.
std::optional<AnswerError> answer_error(const CalibrationReport& report);

}  // namespace assay
