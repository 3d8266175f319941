// The jobs of `assay account`: compute the cost of a chain of releases, convert a privacy level to all others, and find
// the smallest noise for a level. run_job() of session.hpp runs them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/mechanisms/accounting/account/composed_calibration.hpp"

namespace assay {

// Computes the cost of a chain of releases: eps at each of `deltas`, and delta at each of `epsilons`.
struct AccountJob : JobOptions {
  std::string what;                  // a mechanism, a level, or a .toml file with a chain of them
  std::vector<KeyValue> parameters;  // of the mechanism, as text
  std::optional<std::int64_t> compose;  // the number of releases; default 1
  std::optional<std::int64_t> moves;    // the answers that one record moves; default 1
  std::vector<double> deltas;
  std::vector<double> epsilons;
  RunOptions run;
  bool with_curves = false;  // computes the curves, which CSV, JSON and HTML show

  static void fields(const VisitOption<AccountJob>& visit);
};

// Converts a privacy level, for a group of records if `group` is given, and for another relation of the neighbours.
struct ConversionJob : JobOptions {
  std::string level;                 // "pure", "approximate", "gdp", "zcdp" or "rdp"
  std::vector<KeyValue> parameters;  // of the level, as text
  std::vector<double> deltas;
  std::vector<double> epsilons;
  std::optional<std::int64_t> group;
  std::string to;  // the relation to convert to, "replace-one"; empty for that of the level
  RunOptions run;

  static void fields(const VisitOption<ConversionJob>& visit);
};

struct CalibrationFacts {
  // The parameters of the mechanism other than sensitivity and compose.
  std::vector<std::string_view> parameters;
  bool reads(std::string_view name) const;
};

// Finds the smallest noise scale of a mechanism for (epsilon, delta), or the value of one parameter of a chain.
struct CalibrationJob : JobOptions {
  using Facts = CalibrationFacts;

  std::string
      what;  // "gaussian", "laplace", "noisy-max", .., any mechanism of AccountJob, or a .toml file with a chain
  // Of a mechanism to solve for one of its parameters, as text, without those below.
  std::vector<KeyValue> parameters;
  std::optional<std::string>
      solve;  // that parameter; for a file with the number of the step: "2.sigma"
  double epsilon = 0.0;
  double delta = 0.0;
  // How far one record moves an answer. For gaussian and laplace without `moves`: how far it moves the whole vector, in L2
  // and in L1.
  double sensitivity = 1.0;
  std::optional<std::int64_t> moves;    // gaussian, laplace: the answers that one record moves
  std::int64_t compose = 1;             // the number of releases of the whole mechanism
  std::optional<std::int64_t> answers;  // laplace, noisy-max
  std::optional<MaxNoise> noise;        // noisy-max, tree
  std::optional<bool> monotone;         // noisy-max: all answers move in the same direction
  std::optional<std::int64_t> rounds;   // peeling: the number of selected answers
  std::optional<bool> values;           // peeling: whether it releases their values
  std::optional<std::int64_t> horizon;  // tree
  RunOptions run;

  static void fields(const VisitOption<CalibrationJob>& visit);
};

// Errors name the option, or the file with the line and the field.
Result<PreparedJob<AccountReport>> prepare(const AccountJob& job);
Result<PreparedJob<ConversionReport>> prepare(const ConversionJob& job);
Result<PreparedJob<CalibrationReport>> prepare(const CalibrationJob& job);

}  // namespace assay
