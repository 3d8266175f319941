// What `assay account` reports, as values; the writers beside this file turn it into text, CSV,
// JSON and HTML.
//
// Three kinds: a chain of releases accounted for, a table of conversions, a calibrated scale.
// Everything but `meta` is determined by the request. Bounds are printed rounded outward, with as
// many digits as their gap deserves; an infinite one is said in words with its reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/account/composed_calibration.hpp"
#include "assay/mechanisms/accounting/account/convert.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

inline constexpr const char* kAccountReportSchema = "assay.account-report/2";

struct AccountReport {
  std::string source;    // the file of the chain; empty for the command line
  std::string relation;  // of all steps, where it is said or implied
  std::string view;      // likewise
  std::vector<ChainStep> chain;
  std::vector<AccountAnswer> answers;
  std::optional<AccountCurves> curves;  // needed by CSV, JSON and HTML
  std::string reproduce;
  RunMeta meta;
};

struct ConversionReport {
  ConversionTable table;
  std::string reproduce;
  RunMeta meta;
};

struct CalibrationReport {
  std::string what;                  // "gaussian", "noisy-max", ...
  std::vector<KeyValue> parameters;  // as given, with defaults
  CalibrationRequest request;
  CalibratedNoise calibration;
  std::string reproduce;
  RunMeta meta;
};

std::string to_text(const AccountReport& report, TextStyle style = {});
std::string to_text(const ConversionReport& report, TextStyle style = {});
std::string to_text(const CalibrationReport& report, TextStyle style = {});

// schemas/account-report.schema.json, all three kinds.
std::string to_json(const AccountReport& report);
std::string to_json(const ConversionReport& report);
std::string to_json(const CalibrationReport& report);
std::string account_report_schema();

// One row a number: record,name,given,at,quantity,lower,upper.
std::string to_csv(const AccountReport& report);

// One self-contained page with the profile and the trade-off curve.
std::string to_html(const AccountReport& report);

// ---- words that the writers share ---------------------------------------------------------------

// "gaussian, sigma 2, sensitivity 1, 1,000 times".
std::string chain_text(const ChainStep& step);
// "eps at delta = 1e-6".
std::string target_text(const AccountTarget& target);
// The ends, rounded outward to the same few digits, as many as show the gap; 4 to 12.
struct IntervalText {
  std::string lower;
  std::string upper;
  std::string gap;
};
IntervalText interval_text(double lower, double upper);

}  // namespace assay
